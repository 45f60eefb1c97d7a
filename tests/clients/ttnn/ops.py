#!/usr/bin/env python3
"""Runs ttnn operations on the chip that TT_METAL_SIMULATOR names, and compares with torch.

usage: ops.py [OPTION...] NAME...    runs operations in turn, each on a newly opened device
       ops.py --list                 prints the names of the small operations, with which results
                                     are checked
       ops.py --list-workloads       prints those of the sizes that models have, with which speed is
                                     measured

Prints a line of JSON for each. Every operation runs at least twice: the first time kernels may have
to be compiled. --save writes the results of the first and the last run as .npy, so that those of two
libraries can be compared byte by byte. With ABI_COUNT_FILE (../llk/abi_count.c) the line also has
the calls of the library and the time in it: of opening the device, of the transfer of inputs, of the
first run, of the median of the others ("second"), and of closing.
"""
import argparse
import json
import mmap
import os
import pathlib
import statistics
import struct
import sys
import time

import numpy
import torch
import ttnn

TILE, ROWS = ttnn.TILE_LAYOUT, ttnn.ROW_MAJOR_LAYOUT
BF16, F32, BFP8, BFP4 = ttnn.bfloat16, ttnn.float32, ttnn.bfloat8_b, ttnn.bfloat4_b
F = torch.nn.functional


def to_device(device, data, dtype=BF16, layout=TILE, **more):
    return ttnn.from_torch(data, dtype=dtype, layout=layout, device=device, **more)


def to_host(tensor):
    """As torch has it; some workloads give that already."""
    return tensor if isinstance(tensor, torch.Tensor) else ttnn.to_torch(tensor)


def elementwise(arity, operation, reference, shape=(64, 64), dtype=BF16, layout=TILE,
                positive=False):
    """An operation on `arity` random tensors of one shape."""

    def prepare(device):
        data = [torch.randn(shape) for _ in range(arity)]
        if positive:
            data = [x.abs() + 0.125 for x in data]
        inputs = [to_device(device, x, dtype, layout) for x in data]
        return lambda: operation(*inputs), reference(*[to_host(x).float() for x in inputs])

    return prepare


def unary(operation, reference, **more):
    return elementwise(1, operation, reference, **more)


def binary(operation, reference, **more):
    return elementwise(2, operation, reference, **more)


def matmul(size, dtype=BF16):
    return binary(ttnn.matmul, torch.matmul, shape=(size, size), dtype=dtype)


def round_trip(dtype, layout=TILE):
    """Only transfers. The reference is what ttnn's host code makes of the data in that format."""

    def prepare(device):
        data = torch.randn(64, 96)
        kept = to_host(ttnn.from_torch(data, dtype=dtype, layout=layout)).float()
        return lambda: to_device(device, data, dtype, layout), kept

    return prepare


def linear(device):
    a, w, bias = torch.randn(64, 64), torch.randn(64, 64), torch.randn(1, 64)
    ta, tw, tb = (to_device(device, x) for x in (a, w, bias))
    reference = to_host(ta).float() @ to_host(tw).float() + to_host(tb).float()
    return lambda: ttnn.linear(ta, tw, bias=tb), reference


def add_rows(device):
    a, b = to_device(device, torch.randn(64, 64)), to_device(device, torch.randn(1, 64))
    return lambda: ttnn.add(a, b), to_host(a).float() + to_host(b).float()


def where(device):
    condition = to_device(device, (torch.randn(64, 64) > 0).float())
    a, b = to_device(device, torch.randn(64, 64)), to_device(device, torch.randn(64, 64))
    reference = torch.where(to_host(condition) > 0, to_host(a).float(), to_host(b).float())
    return lambda: ttnn.where(condition, a, b), reference


def embedding(device):
    index = torch.randint(0, 64, (1, 32))
    tokens = ttnn.from_torch(index.int(), dtype=ttnn.uint32, layout=ROWS, device=device)
    weights = to_device(device, torch.randn(64, 64), layout=ROWS)
    return lambda: ttnn.embedding(tokens, weights), to_host(weights).float()[index]


def full(device):
    return (lambda: ttnn.full((32, 64), 3.5, dtype=BF16, layout=TILE, device=device),
            torch.full((32, 64), 3.5))


def shard(device):
    """To height shards on four tiles, and back."""
    a = to_device(device, torch.randn(128, 64))
    config = ttnn.create_sharded_memory_config(
        (128, 64), ttnn.CoreGrid(y=1, x=4), ttnn.ShardStrategy.HEIGHT)

    def there_and_back():
        sharded = ttnn.to_memory_config(a, config)
        return ttnn.to_memory_config(sharded, ttnn.DRAM_MEMORY_CONFIG)

    return there_and_back, to_host(a).float()


def product_of_shards(shape, columns, grid, strategy, program, result):
    """Products whose first factor lies in shards, which tiles send to each other and to themselves."""
    def prepare(device):
        rows, inner = shape
        a = to_device(device, torch.randn(1, 1, rows, inner))
        b = to_device(device, torch.randn(inner, columns))
        config = ttnn.create_sharded_memory_config(
            (1, 1, rows, inner), ttnn.CoreGrid(y=grid[1], x=grid[0]), strategy)

        def multiply():
            shards = ttnn.to_memory_config(a, config)
            out = ttnn.linear(shards, b, program_config=program, memory_config=result)
            return ttnn.to_memory_config(out, ttnn.DRAM_MEMORY_CONFIG)

        return multiply, to_host(a).float() @ to_host(b).float()

    return prepare


def product_of_dram_shards(device):
    """The second factor lies in shards too, one in each bank of DRAM."""
    banks, tiles, inner = device.dram_grid_size().x, 8, 256
    columns = 64 * banks
    places = ttnn.CoreRangeSet(
        {ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(banks - 1, 0))})
    spec = ttnn.ShardSpec(places, [inner, columns // banks], ttnn.ShardOrientation.ROW_MAJOR)
    a = to_device(device, torch.randn(1, 1, 32, inner))
    b = to_device(device, torch.randn(1, 1, inner, columns), BFP8,
                  memory_config=ttnn.MemoryConfig(ttnn.TensorMemoryLayout.WIDTH_SHARDED,
                                                  ttnn.BufferType.DRAM, spec))
    config = ttnn.create_sharded_memory_config(
        (1, 1, 32, inner), ttnn.CoreGrid(y=1, x=tiles), ttnn.ShardStrategy.WIDTH)
    program = ttnn.MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig(
        in0_block_w=1, per_core_M=1, per_core_N=columns // 32 // tiles, fused_activation=None)

    def multiply():
        out = ttnn.matmul(ttnn.to_memory_config(a, config), b, program_config=program,
                          memory_config=ttnn.L1_WIDTH_SHARDED_MEMORY_CONFIG)
        return ttnn.to_memory_config(out, ttnn.DRAM_MEMORY_CONFIG)

    return multiply, to_host(a).float() @ to_host(b).float()


def encoder_block(device, rows=128, width=512, heads=8, inner=2048):
    """A transformer's encoder block: attention and a network of two layers, each behind a norm."""
    scale = (width // heads) ** -0.5

    def weight(n, m):
        return to_device(device, torch.randn(n, m) * n ** -0.5)

    x = to_device(device, torch.randn(rows, width))
    wq, wk, wv, wo = (weight(width, width) for _ in range(4))
    w1, w2 = weight(width, inner), weight(inner, width)

    def split(t):
        return ttnn.permute(ttnn.reshape(t, (1, rows, heads, width // heads)), (0, 2, 1, 3))

    def operation():
        h = ttnn.layer_norm(x)
        q, k, v = (split(ttnn.linear(h, w)) for w in (wq, wk, wv))
        scores = ttnn.multiply(ttnn.matmul(q, ttnn.transpose(k, -2, -1)), scale)
        mixed = ttnn.permute(ttnn.matmul(ttnn.softmax(scores, dim=-1), v), (0, 2, 1, 3))
        y = ttnn.add(x, ttnn.linear(ttnn.reshape(mixed, (rows, width)), wo))
        h = ttnn.gelu(ttnn.linear(ttnn.layer_norm(y), w1))
        return ttnn.add(y, ttnn.linear(h, w2))

    fx, fq, fk, fv, fo, f1, f2 = (to_host(t).float() for t in (x, wq, wk, wv, wo, w1, w2))
    h = F.layer_norm(fx, (width,))
    q, k, v = ((h @ w).reshape(1, rows, heads, -1).permute(0, 2, 1, 3) for w in (fq, fk, fv))
    mixed = torch.softmax(q @ k.transpose(-2, -1) * scale, -1) @ v
    y = fx + mixed.permute(0, 2, 1, 3).reshape(rows, width) @ fo
    return operation, y + F.gelu(F.layer_norm(y, (width,)) @ f1) @ f2


def topk(device, rows=32, columns=1024, count=32):
    a = to_device(device, torch.randn(1, 1, rows, columns))
    return (lambda: ttnn.topk(a, count, dim=-1)[0],
            torch.topk(to_host(a).float(), count, dim=-1).values)


def sdpa(device, heads=8, rows=128, width=64):
    """Causal attention."""
    q, k, v = (to_device(device, torch.randn(1, heads, rows, width)) for _ in range(3))
    fq, fk, fv = (to_host(t).float() for t in (q, k, v))
    scores = fq @ fk.transpose(-2, -1) * width ** -0.5
    scores += torch.full((rows, rows), float("-inf")).triu(1)
    return (lambda: ttnn.transformer.scaled_dot_product_attention(q, k, v, is_causal=True),
            torch.softmax(scores, -1) @ fv)


def conv2d(device, side=32, inputs=32, outputs=32):
    image = torch.randn(1, inputs, side, side).to(torch.bfloat16)
    weight = (torch.randn(outputs, inputs, 3, 3) * (9 * inputs) ** -0.5).to(torch.bfloat16)
    x = to_device(device, image.permute(0, 2, 3, 1), layout=ROWS)
    w = ttnn.from_torch(weight, dtype=BF16)

    def operation():
        out = ttnn.conv2d(input_tensor=x, weight_tensor=w, device=device, in_channels=inputs,
                          out_channels=outputs, batch_size=1, input_height=side, input_width=side,
                          kernel_size=(3, 3), stride=(1, 1), padding=(1, 1))
        return ttnn.to_layout(ttnn.to_memory_config(out, ttnn.DRAM_MEMORY_CONFIG), ROWS)

    reference = F.conv2d(image.float(), weight.float(), padding=1).permute(0, 2, 3, 1)
    return operation, reference.reshape(1, 1, side * side, outputs)


def mlp(device, rows=128, width=512, inner=2048):
    x = to_device(device, torch.randn(rows, width))
    w1, w2 = (to_device(device, torch.randn(n, m) * n ** -0.5)
              for n, m in ((width, inner), (inner, width)))
    fx, f1, f2 = (to_host(t).float() for t in (x, w1, w2))
    return lambda: ttnn.linear(ttnn.gelu(ttnn.linear(x, w1)), w2), F.gelu(fx @ f1) @ f2


def llama_decode(device, prompt=32):
    """A small Llama of examples/models computes one token behind a prompt."""
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "examples/models"))
    import models
    model = models.Llama(device)
    tokens = torch.randint(0, model.words, (prompt + 1,)).tolist()
    zeros = torch.zeros(1, model.groups, model.room, model.head)
    caches = [(model.on_device(zeros), model.on_device(zeros)) for _ in model.layers]
    models.llama_step(model, caches, tokens[:prompt], 0)
    return (lambda: models.llama_step(model, caches, tokens[prompt:], prompt),
            model.reference(tokens)[prompt:])


IN_A_ROW = ttnn.MatmulMultiCoreReuseMultiCast1DProgramConfig(
    compute_with_storage_grid_size=(8, 1), in0_block_w=1, out_subblock_h=1, out_subblock_w=1,
    per_core_M=1, per_core_N=1, fuse_batch=True, fused_activation=None, mcast_in0=True)
IN_A_SQUARE = ttnn.MatmulMultiCoreReuseMultiCastProgramConfig(
    compute_with_storage_grid_size=(8, 8), in0_block_w=1, out_subblock_h=1, out_subblock_w=1,
    per_core_M=1, per_core_N=1, transpose_mcast=False, fused_activation=None)


def same(x):
    return x


OPERATIONS = {
    "to_from_bf16": round_trip(BF16),
    "to_from_f32": round_trip(F32),
    "to_from_bfp8": round_trip(BFP8),
    "to_from_bfp4": round_trip(BFP4),
    "to_from_rows": round_trip(BF16, ROWS),
    "clone": unary(ttnn.clone, same),
    "concat": binary(lambda a, b: ttnn.concat([a, b], dim=-1), lambda a, b: torch.cat([a, b], -1)),
    "slice": unary(lambda a: ttnn.slice(a, [0, 0], [32, 64]), lambda a: a[:32, :64],
                   shape=(64, 128)),
    "repeat": unary(lambda a: ttnn.repeat(a, (2, 1)), lambda a: a.repeat(2, 1)),
    "embedding": embedding,
    "reshape": unary(lambda a: ttnn.reshape(a, (32, 128)), lambda a: a.reshape(32, 128)),
    "pad": unary(lambda a: ttnn.pad(a, [(0, 32), (0, 32)], 0.0), lambda a: F.pad(a, (0, 32, 0, 32)),
                 shape=(32, 32)),
    "permute": unary(lambda a: ttnn.permute(a, (1, 0, 2)), lambda a: a.permute(1, 0, 2),
                     shape=(2, 32, 64)),
    "shard": shard,
    "tilize": unary(lambda a: ttnn.to_layout(a, TILE), same, layout=ROWS),
    "untilize": unary(lambda a: ttnn.to_layout(a, ROWS), same),
    "transpose": unary(lambda a: ttnn.transpose(a, -2, -1), lambda a: a.t()),
    "full": full,
    "typecast_f32": unary(lambda a: ttnn.typecast(a, F32), same),
    "typecast_bfp8": unary(lambda a: ttnn.typecast(a, BFP8), same),
    "add": binary(ttnn.add, torch.add),
    "add_f32": binary(ttnn.add, torch.add, dtype=F32),
    "add_bfp8": binary(ttnn.add, torch.add, dtype=BFP8),
    "add_rows": add_rows,
    "add_scalar": unary(lambda a: ttnn.add(a, 1.5), lambda a: a + 1.5),
    "sub": binary(ttnn.subtract, torch.sub),
    "mul": binary(ttnn.multiply, torch.mul),
    "mul_fast": binary(lambda a, b: ttnn.multiply(a, b, fast_and_approximate_mode=True), torch.mul),
    "where": where,
    "matmul_32": matmul(32),
    "matmul_64": matmul(64),
    "matmul_256": matmul(256),
    "matmul_512": matmul(512),
    "matmul_f32": matmul(64, F32),
    "matmul_bfp8": matmul(64, BFP8),
    "matmul_bfp4": matmul(64, BFP4),
    "matmul_row": product_of_shards((32, 1024), 256, (8, 1), ttnn.ShardStrategy.WIDTH, IN_A_ROW,
                                    ttnn.L1_WIDTH_SHARDED_MEMORY_CONFIG),
    "matmul_square": product_of_shards((256, 512), 256, (8, 8), ttnn.ShardStrategy.BLOCK,
                                       IN_A_SQUARE, ttnn.L1_BLOCK_SHARDED_MEMORY_CONFIG),
    "matmul_dram": product_of_dram_shards,
    "linear": linear,
    "sum_w": unary(lambda a: ttnn.sum(a, dim=-1), lambda a: a.sum(-1)),
    "sum_h": unary(lambda a: ttnn.sum(a, dim=-2), lambda a: a.sum(-2)),
    "sum_all": unary(ttnn.sum, torch.sum),
    "mean": unary(lambda a: ttnn.mean(a, dim=-1), lambda a: a.mean(-1)),
    "max": unary(lambda a: ttnn.max(a, dim=-1), lambda a: a.max(-1).values),
    "relu": unary(ttnn.relu, torch.relu),
    "abs": unary(ttnn.abs, torch.abs),
    "exp": unary(ttnn.exp, torch.exp),
    "sqrt": unary(ttnn.sqrt, torch.sqrt, positive=True),
    "reciprocal": unary(ttnn.reciprocal, torch.reciprocal, positive=True),
    "sigmoid": unary(ttnn.sigmoid, torch.sigmoid),
    "tanh": unary(ttnn.tanh, torch.tanh),
    "gelu": unary(ttnn.gelu, F.gelu),
    "softmax": unary(lambda a: ttnn.softmax(a, dim=-1), lambda a: torch.softmax(a, -1)),
    "layer_norm": unary(ttnn.layer_norm, lambda a: F.layer_norm(a, a.shape[-1:])),
}

BIG = (1024, 1024)

# What fills the time of a model. Some take another library a minute.
WORKLOADS = {
    "add_tile": binary(ttnn.add, torch.add, shape=(32, 32)),
    "exp_tile": unary(ttnn.exp, torch.exp, shape=(32, 32)),
    "add_1024": binary(ttnn.add, torch.add, shape=BIG),
    "mul_1024": binary(ttnn.multiply, torch.mul, shape=BIG),
    "exp_1024": unary(ttnn.exp, torch.exp, shape=BIG),
    "transpose_1024": unary(lambda a: ttnn.transpose(a, -2, -1), lambda a: a.t(), shape=BIG),
    "typecast_1024": unary(lambda a: ttnn.typecast(a, F32), same, shape=BIG),
    "tilize_1024": unary(lambda a: ttnn.to_layout(a, TILE), same, layout=ROWS, shape=BIG),
    "softmax_1024": unary(lambda a: ttnn.softmax(a, dim=-1), lambda a: torch.softmax(a, -1),
                          shape=BIG),
    "layer_norm_1024": unary(ttnn.layer_norm, lambda a: F.layer_norm(a, a.shape[-1:]), shape=BIG),
    "topk": topk,
    "sdpa": sdpa,
    "conv2d": conv2d,
    "mlp": mlp,
    "encoder_block": encoder_block,
    "llama_decode": llama_decode,
    "matmul_1024": matmul(1024),
    "matmul_2048": matmul(2048),
}


class Counters:
    """What the counting library has counted since the last look; nothing without it."""

    FIELDS = ("ns", "clocks", "reads", "writes", "clock_ns", "boot_ns")

    def __init__(self):
        self.memory = None
        self.before = (0,) * len(self.FIELDS)
        path = os.environ.get("ABI_COUNT_FILE")
        if path:
            with open(path, "wb") as file:
                file.truncate(8 * len(self.FIELDS))
            with open(path, "rb") as file:
                self.memory = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)

    def since_last(self):
        if not self.memory:
            return None
        now = struct.unpack("<%dQ" % len(self.FIELDS), self.memory[:])
        delta = dict(zip(self.FIELDS, (a - b for a, b in zip(now, self.before))))
        self.before = now
        return {"ms": round(delta["ns"] / 1e6, 3),
                "clock_ms": round(delta["clock_ns"] / 1e6, 3),
                "boot_ms": round(delta["boot_ns"] / 1e6, 3),
                "polls": delta["clocks"], "reads": delta["reads"], "writes": delta["writes"]}


def bits(tensor):
    """The tensor as numpy has it; bfloat16, which numpy does not know, as 16-bit integers."""
    tensor = tensor.contiguous()
    return (tensor.view(torch.int16) if tensor.dtype == torch.bfloat16 else tensor).numpy()


def compare(out, reference):
    out, reference = out.float(), reference.reshape(out.shape).float()
    pair = torch.stack([out.flatten(), reference.flatten()])
    varies = out.numel() > 1 and float(reference.std()) > 0
    return {"shape": list(out.shape), "largest": float(reference.abs().max()),
            "max_difference": float((out - reference).abs().max()),
            "exact": bool((out == reference).all()),
            "pcc": round(float(torch.corrcoef(pair)[0, 1]), 6) if varies else None}


def median_run(runs):
    """The counts of the run whose time is the (lower) median."""
    return sorted(runs, key=lambda r: r["ms"])[(len(runs) - 1) // 2] if runs[0] else None


def run(name, options, device, counters, record):
    torch.manual_seed(1)
    operation, reference = (OPERATIONS | WORKLOADS)[name](device)
    inputs = counters.since_last()
    outputs, seconds, counts = [], [], []
    for _ in range(1 + options.repeat):
        start = time.time()
        outputs.append(to_host(operation()))
        seconds.append(time.time() - start)
        counts.append(counters.since_last())
    for label, output in (("first", outputs[0]), ("second", outputs[-1])):
        if options.save:
            numpy.save(os.path.join(options.save, "%s.%s.npy" % (name, label)), bits(output))
    record["first_s"] = round(seconds[0], 3)
    record["second_s"] = round(statistics.median(seconds[1:]), 3)
    record.update(compare(outputs[-1], reference))
    record["repeats"] = all((bits(outputs[0]) == bits(out)).all() for out in outputs[1:])
    record["result"] = "ran"
    return {"inputs": inputs, "first": counts[0], "second": median_run(counts[1:])}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--save", metavar="DIRECTORY")
    parser.add_argument("--repeat", type=int, default=1, help="runs after the first (1)")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--list-workloads", action="store_true")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    if arguments.list or arguments.list_workloads:
        print("\n".join(OPERATIONS if arguments.list else WORKLOADS))
        return
    counters = Counters()
    for name in arguments.names:
        record = {"operation": name}
        start = time.time()
        device = ttnn.open_device(device_id=0, l1_small_size=16384)
        record["open_s"] = round(time.time() - start, 3)
        library = {"open": counters.since_last()}
        try:
            library.update(run(name, arguments, device, counters, record))
        except Exception as error:  # whatever ttnn throws is a result here
            lines = [line for line in str(error).splitlines() if line.strip()]
            record.update(result="exception", error=" | ".join(lines[:4])[:600])
        ttnn.close_device(device)
        library["close"] = counters.since_last()
        if counters.memory:
            record["library"] = library
        print(json.dumps(record), flush=True)


if __name__ == "__main__":
    sys.exit(main())
