#!/usr/bin/env python3
"""Opens a device with ttnn, does something with it, closes it; needs numpy, but no torch.

usage: quick.py open|transfer|add|matmul|matmul_512|busy...

Prints a line for each; exits 1 if a result is wrong.
"""
import os
import sys
import time

import numpy
import ttnn

GENERATOR = numpy.random.default_rng(1)


def random_bfloat16(*shape):
    """Numbers that bfloat16 holds exactly."""
    words = GENERATOR.standard_normal(shape, dtype=numpy.float32).view(numpy.uint32)
    return (words & numpy.uint32(0xFFFF0000)).view(numpy.float32)


def to_device(device, data, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT):
    return ttnn.Tensor(data, dtype, device, layout)


def to_host(tensor):
    """As a list, since numpy has no bfloat16."""
    tensor = ttnn.from_device(tensor)
    return numpy.array(tensor.to_list(), dtype=numpy.float32)


def transfer(device):
    for dtype in (ttnn.bfloat16, ttnn.float32):
        for layout in (ttnn.TILE_LAYOUT, ttnn.ROW_MAJOR_LAYOUT):
            data = random_bfloat16(64, 96)
            assert (to_host(to_device(device, data, dtype, layout)) == data).all(), (dtype, layout)


def add(device):
    a, b = random_bfloat16(64, 64), random_bfloat16(64, 64)
    got = to_host(ttnn.add(to_device(device, a), to_device(device, b)))
    assert numpy.abs(got - (a + b)).max() <= 2 ** -8 * numpy.abs(a + b).max()


def matmul(device, side=64):
    a, b = random_bfloat16(side, side), random_bfloat16(side, side)
    got = to_host(ttnn.matmul(to_device(device, a), to_device(device, b)))
    wanted = a.astype(numpy.float64) @ b.astype(numpy.float64)
    assert numpy.abs(got - wanted).max() <= 0.02 * numpy.abs(wanted).max()


def matmul_512(device):
    matmul(device, 512)


def busy(device):
    """Multiplies until the file that QUICK_UNTIL names is there, a minute at most."""
    deadline = time.monotonic() + 60
    print("busy", flush=True)
    while not os.path.exists(os.environ["QUICK_UNTIL"]):
        assert time.monotonic() < deadline, "nobody has made %s" % os.environ["QUICK_UNTIL"]
        matmul(device)


PARTS = {"open": lambda device: None, "transfer": transfer, "add": add, "matmul": matmul, "matmul_512": matmul_512,
         "busy": busy}


def main():
    failed = False
    for name in sys.argv[1:]:
        start = time.time()
        device = ttnn.open_device(device_id=0)
        try:
            PARTS[name](device)
            print("ok: %s, %.2f s" % (name, time.time() - start))
        except AssertionError as error:
            failed = True
            print("FAILED: %s %s" % (name, error))
        finally:
            ttnn.close_device(device)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
