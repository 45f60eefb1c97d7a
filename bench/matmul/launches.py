#!/usr/bin/env python3
"""Runs products of ttnn once each, so that their launches are recorded.

  launches.py PLAN     PLAN is a list of rows in JSON

As the rows were measured: factors and product lie in DRAM as tiles of bfloat16, in turn over all banks; four
phases, Dst of 32 bits, no accumulation in L1.
"""
import json
import math
import sys

import torch
import ttnn

COLUMNS, ROWS = 12, 10  # of the card that was measured
TILE = 32


def pair(text):
    first, second = text.split("x")
    return int(first), int(second)


def program_of(row):
    """What ttnn is to launch, in place of what it would choose itself."""
    rows, columns = (math.ceil(int(row[name]) / TILE) for name in ("m", "n"))
    height, width = pair(row["block"])
    subblock_height, subblock_width = pair(row["subblock"])
    common = {
        "compute_with_storage_grid_size": ttnn.CoreCoord(COLUMNS, ROWS),
        "in0_block_w": int(row["in0_width"]),
        "out_subblock_h": subblock_height, "out_subblock_w": subblock_width,
        "out_block_h": height, "out_block_w": width,
        "fused_activation": None,
    }
    if row["kernel"] == "2d":
        return ttnn.MatmulMultiCoreReuseMultiCastProgramConfig(
            **common, per_core_M=math.ceil(rows / ROWS), per_core_N=math.ceil(columns / COLUMNS),
            transpose_mcast=False, fuse_batch=True)
    is_wide = columns > rows
    tiles = COLUMNS * ROWS
    return ttnn.MatmulMultiCoreReuseMultiCast1DProgramConfig(
        **common, per_core_M=rows if is_wide else math.ceil(rows / tiles),
        per_core_N=math.ceil(columns / tiles) if is_wide else columns,
        fuse_batch=False, mcast_in0=is_wide)


def launch(device, row):
    m, k, n = (int(row[name]) for name in "mkn")
    is_transposed = row["transposed"] == "1"

    def factor(height, width):
        # Times do not depend on data, and these compress well.
        data = torch.ones(height, width, dtype=torch.bfloat16)
        return ttnn.to_device(ttnn.from_torch(data, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT), device,
                              memory_config=ttnn.DRAM_MEMORY_CONFIG)

    a, b = factor(m, k), factor(*((n, k) if is_transposed else (k, n)))
    config = ttnn.WormholeComputeKernelConfig(math_fidelity=ttnn.MathFidelity.HiFi4, math_approx_mode=False,
                                              fp32_dest_acc_en=True, packer_l1_acc=False)
    product = ttnn.matmul(a, b, transpose_b=is_transposed, program_config=program_of(row),
                          compute_kernel_config=config, memory_config=ttnn.DRAM_MEMORY_CONFIG,
                          dtype=ttnn.bfloat16)
    ttnn.synchronize_device(device)
    for tensor in (a, b, product):
        ttnn.deallocate(tensor)


def main(plan):
    device = ttnn.open_device(device_id=0)
    with open(plan, encoding="utf-8") as file:
        for row in json.load(file):
            launch(device, row)
    ttnn.close_device(device)


if __name__ == "__main__":
    main(*sys.argv[1:])
