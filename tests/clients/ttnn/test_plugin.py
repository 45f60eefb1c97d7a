"""Tests of ttnn as users of `pytest --penrose` write them: one passes, the kernel of the other does not."""

import numpy
import pytest
import ttnn

# Programs of the host run it on one tile; nothing is mapped there.
KERNEL = """
#include <cstdint>
void kernel_main() {
    *reinterpret_cast<volatile uint32_t*>(ADDRESS) = 1;
}
"""


@pytest.fixture
def device():
    device = ttnn.open_device(device_id=0)
    yield device
    ttnn.close_device(device)


def launch(device, address):
    tensor = ttnn.Tensor(numpy.zeros((32, 32), numpy.float32), ttnn.bfloat16, device, ttnn.TILE_LAYOUT)
    first = ttnn.CoreCoord(0, 0)
    kernel = ttnn.KernelDescriptor(
        kernel_source=KERNEL,
        source_type=ttnn.KernelDescriptor.SourceType.SOURCE_CODE,
        core_ranges=ttnn.CoreRangeSet([ttnn.CoreRange(first, first)]),
        compile_time_args=[],
        defines=[("ADDRESS", hex(address))],
        runtime_args=[],
        config=ttnn.ReaderConfigDescriptor(),
    )
    ttnn.generic_op([tensor, tensor], ttnn.ProgramDescriptor(kernels=[kernel], semaphores=[], cbs=[]))
    ttnn.synchronize_device(device)


def test_good_kernel(device):
    launch(device, 0x100000)


def test_bad_kernel(device):
    launch(device, 0x60000000)
