#!/usr/bin/env python3
"""Hangs: a program of ttnn in which one kernel waits for a page that nobody pushes, and one on the
next tile for a semaphore that the first would then increment. Prints "hanging PID" before.

    hang.py [new] [mesh]

new: the page is there, so it ends, and the kernels are new ones that have to be compiled.
mesh: the program runs on both chips of a mesh of two."""
import os
import sys
import time

import numpy
import ttnn

WAITS_FOR_PAGE = """
#include "api/dataflow/dataflow_api.h"
void kernel_main() {
#ifdef NEW
    cb_push_back(0, 1);
#endif
    cb_wait_front(0, 1);
    uint64_t there = get_noc_addr(get_arg_val<uint32_t>(0), get_arg_val<uint32_t>(1), get_semaphore(0));
    noc_semaphore_inc(there, 1);
    noc_async_atomic_barrier();
}
"""

WAITS_FOR_SEMAPHORE = """
#include "api/dataflow/dataflow_api.h"
void kernel_main() {
    noc_semaphore_wait(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(0)), 1);
}
"""


def cores(first, last):
    ends = [ttnn.CoreCoord(x, 0) for x in (first, last)]
    return ttnn.CoreRangeSet([ttnn.CoreRange(*ends)])


def kernel(source, x, arguments=()):
    defines = [("NEW", str(time.time_ns()))] if "new" in sys.argv else []
    runtime = ttnn.RuntimeArgs()
    runtime[x][0] = list(arguments)
    return ttnn.KernelDescriptor(
        kernel_source=source, source_type=ttnn.KernelDescriptor.SourceType.SOURCE_CODE,
        core_ranges=cores(x, x), runtime_args=runtime, defines=defines,
        config=ttnn.ReaderConfigDescriptor())


def main():
    is_mesh = "mesh" in sys.argv
    device = ttnn.open_mesh_device(ttnn.MeshShape(1, 2)) if is_mesh else ttnn.open_device(device_id=0)
    there = device.worker_core_from_logical_core(ttnn.CoreCoord(1, 0))
    page = ttnn.CBFormatDescriptor(buffer_index=0, data_format=ttnn.bfloat16, page_size=2048)
    program = ttnn.ProgramDescriptor(
        kernels=[kernel(WAITS_FOR_PAGE, 0, [there.x, there.y]), kernel(WAITS_FOR_SEMAPHORE, 1)],
        semaphores=[ttnn.SemaphoreDescriptor(id=0, core_ranges=cores(0, 1), initial_value=0)],
        cbs=[ttnn.CBDescriptor(total_size=2048, core_ranges=cores(0, 1), format_descriptors=[page])])
    ones = numpy.ones((32, 32), dtype=numpy.float32)
    tensors = [ttnn.Tensor(ones, ttnn.bfloat16, device, ttnn.TILE_LAYOUT) for _ in range(2)]
    print("hanging", os.getpid(), flush=True)
    ttnn.generic_op(tensors, program)
    ttnn.synchronize_device(device)
    (ttnn.close_mesh_device if is_mesh else ttnn.close_device)(device)
    print("ok: it has ended")


main()
