#!/usr/bin/env python3
"""Programs of ttnn for launches.sh, and what they should leave.

usage: launches.py make             an addition and a matrix product on a device; saves results and
                                    where they lie: add.npy, matmul.npy, places.json
       launches.py look NAME FILE   has the description FILE write that result to FILE's out.npy
       launches.py same NAME FILE   compares out.npy beside FILE with it, bit by bit

Run in the folder of the results.
"""
import json
import os
import sys

import numpy


def make():
    import quick  # pylint: disable=import-outside-toplevel
    import ttnn  # pylint: disable=import-outside-toplevel

    places = {}
    device = ttnn.open_device(device_id=0)
    for name, operation, side in (("add", ttnn.add, 64), ("matmul", ttnn.matmul, 256)):
        inputs = [quick.to_device(device, quick.random_bfloat16(side, side)) for _ in range(2)]
        result = operation(*inputs)
        places[name] = {"address": hex(result.buffer_address()), "format": "Float16_b",
                        "rows": side, "columns": side, "output": "out.npy"}
        numpy.save(name + ".npy", quick.to_host(result))
    ttnn.close_device(device)
    with open("places.json", "w", encoding="utf-8") as file:
        json.dump(places, file)


def look(name, path):
    with open("places.json", encoding="utf-8") as file:
        place = json.load(file)[name]
    with open(path, encoding="utf-8") as file:
        program = json.load(file)
    program["dram"] = {"out": place}
    with open(path, "w", encoding="utf-8") as file:
        json.dump(program, file)


def same(name, path):
    got = numpy.load(os.path.join(os.path.dirname(path), "out.npy"))
    wanted = numpy.load(name + ".npy").reshape(got.shape)
    if not wanted.any() or (got.view(numpy.uint32) != wanted.view(numpy.uint32)).any():
        sys.exit("%s differs" % name)


if __name__ == "__main__":
    {"make": make, "look": look, "same": same}[sys.argv[1]](*sys.argv[2:])
