"""Tests of ttnn that run on Penrose: pytest --penrose examples/test_ttnn.py"""

import numpy
import pytest
import ttnn

GENERATOR = numpy.random.default_rng(1)


@pytest.fixture(scope="module")
def device():
    device = ttnn.open_device(device_id=0)
    yield device
    ttnn.close_device(device)


def random_bfloat16(*shape):
    """Numbers that bfloat16 holds exactly."""
    words = GENERATOR.standard_normal(shape, dtype=numpy.float32).view(numpy.uint32)
    return (words & numpy.uint32(0xFFFF0000)).view(numpy.float32)


def to_device(device, data):
    return ttnn.Tensor(data, ttnn.bfloat16, device, ttnn.TILE_LAYOUT)


def to_numpy(tensor):
    return numpy.array(ttnn.from_device(tensor).to_list(), dtype=numpy.float32)


@pytest.mark.parametrize("rows, columns", [(32, 32), (64, 96)])
def test_add(device, rows, columns):
    a, b = random_bfloat16(rows, columns), random_bfloat16(rows, columns)
    got = to_numpy(ttnn.add(to_device(device, a), to_device(device, b)))
    assert numpy.abs(got - (a + b)).max() <= 2**-8 * numpy.abs(a + b).max()


def test_matmul(device):
    a, b = random_bfloat16(64, 64), random_bfloat16(64, 64)
    got = to_numpy(ttnn.matmul(to_device(device, a), to_device(device, b)))
    wanted = a.astype(numpy.float64) @ b.astype(numpy.float64)
    assert numpy.abs(got - wanted).max() <= 0.01 * numpy.abs(wanted).max()
