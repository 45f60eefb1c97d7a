#!/usr/bin/env python3
"""An operation of ttnn on the chip of TT_METAL_SIMULATOR, for llk-mutations.py. Needs numpy, but no torch.

usage: llk_programs.py OPERATION    prints a line with the hash of its result

Inputs are always the same, so that of two runs the results are equal byte by byte. A core has several tiles, so that
buffers go round and halves of Dst take turns: of add and exp all, of matmul and sum three of the inner dimension."""
import hashlib
import sys

import numpy
import ttnn


def tensor(device, *shape):
    data = numpy.random.default_rng(sum(shape)).standard_normal(shape, dtype=numpy.float32)
    return ttnn.Tensor(data, ttnn.bfloat16, device, ttnn.TILE_LAYOUT)


ONE_CORE = ttnn.CoreRangeSet({ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(0, 0))})
FOUR_CORES = ttnn.MatmulMultiCoreReuseMultiCastProgramConfig(
    compute_with_storage_grid_size=(2, 2), in0_block_w=1, out_subblock_h=1, out_subblock_w=1, per_core_M=1,
    per_core_N=1, transpose_mcast=False, fused_activation=None)
OPERATIONS = {
    "add": lambda device: ttnn.add(tensor(device, 64, 96), tensor(device, 64, 96), sub_core_grids=ONE_CORE),
    "matmul": lambda device: ttnn.matmul(tensor(device, 64, 96), tensor(device, 96, 64), program_config=FOUR_CORES),
    "exp": lambda device: ttnn.exp(tensor(device, 64, 96), sub_core_grids=ONE_CORE),
    "sum": lambda device: ttnn.sum(tensor(device, 64, 96), dim=-1),
}


def main():
    device = ttnn.open_device(device_id=0)
    try:
        result = ttnn.from_device(OPERATIONS[sys.argv[1]](device))
        data = numpy.array(result.to_list(), dtype=numpy.float32)
        print("result", hashlib.sha256(data.tobytes()).hexdigest(), flush=True)
    finally:
        ttnn.close_device(device)


if __name__ == "__main__":
    main()
