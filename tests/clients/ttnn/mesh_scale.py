#!/usr/bin/env python3
"""What a chip of many costs: mesh_scale.py ROWSxCOLUMNS

Prints a line of JSON: seconds to open the mesh, of an add on one chip while the others do nothing, and
microseconds of a poll (CPU time of all threads, which other work on the machine hardly changes), and MiB.
"""
import ctypes
import json
import os
import resource
import sys
import time

import torch
import ttnn

ADDS, POLLS = 7, 1000
WORKER, WORD = (1, 2), 0x100


def cpu_seconds(function, repetitions=1):
    start = time.process_time()
    for _ in range(repetitions):
        function()
    return (time.process_time() - start) / repetitions


def main():
    rows, columns = map(int, sys.argv[1].split("x"))
    start = time.time()
    opened = []
    seconds = cpu_seconds(lambda: opened.append(ttnn.open_mesh_device(ttnn.MeshShape(rows, columns))))
    wall = time.time() - start
    device = opened[0]
    one = device.create_submesh(ttnn.MeshShape(1, 1)) if rows * columns > 1 else device
    a, b = (ttnn.from_torch(torch.randn(1, 1, 64, 64).bfloat16(), layout=ttnn.TILE_LAYOUT, device=one)
            for _ in range(2))
    adds = [cpu_seconds(lambda: ttnn.to_torch(ttnn.add(a, b))) for _ in range(ADDS)]
    library = ctypes.CDLL(os.environ["TT_METAL_SIMULATOR"])
    word = ctypes.create_string_buffer(4)

    def poll():
        library.libttsim_clock(1)
        library.libttsim_tile_rd_bytes(*WORKER, ctypes.c_uint64(WORD), word, 4)

    cpu_seconds(poll, POLLS)
    polls = min(cpu_seconds(poll, POLLS) for _ in range(3))
    size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps({"operation": f"{rows * columns} chips", "open": round(wall, 2),
                      "open_cpu": round(seconds, 2), "add_cpu": round(min(adds), 4),
                      "poll_us": round(polls * 1e6, 2), "MiB": size // 1024}), flush=True)
    if one is not device:
        ttnn.close_mesh_device(one)
    ttnn.close_mesh_device(device)


if __name__ == "__main__":
    main()
