"""Runs the programs of examples/ on a grid and compares what they leave with models, bit by bit.
grid.sh calls it.

    grid.py PENROSE MATMUL_MODEL EXAMPLES FIRMWARE FIRMWARE7 SCRATCH [--seeds N] [--only TEXT]
            [--long]

SCRATCH/kernels/PROGRAM has the kernels, kernels7 those for FIRMWARE7, which is for p100a. Each case runs under several schedules and with several
numbers of threads; all must leave the same bits, and threads and traces the same number of cycles,
too.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Callable, NamedTuple

import numpy as np

import model

MODE_16, MODE_32 = model.Mode(False, True), model.Mode(True, True)
CHECKED = 64  # rows and columns of a large product that model.py computes, too


class Case(NamedTuple):
    name: str
    example: str  # EXAMPLES/example.json
    kernels: str
    inputs: dict  # file name: array
    output: str
    expected: Callable
    change: Callable = lambda program: None
    is_large: bool = False
    is_p100a: bool = False


# --- Numbers ---


def bf16(rng, rows, columns, spread=8):
    """Patterns of BF16 of both signs, some zeros."""
    shape = rows, columns
    patterns = (rng.integers(0, 2, shape) << 15 | rng.integers(127 - spread, 127 + spread, shape) << 7
                | rng.integers(0, 128, shape))
    return np.where(rng.integers(0, 50, shape) == 0, 0, patterns)


def as_floats(patterns):
    return (patterns << 16).astype(np.uint32).view(np.float32)


def bits_of(array):
    return np.ascontiguousarray(array, np.float32).view(np.uint32)


def in_src(patterns):
    return model.unpack(None, patterns, "Float16_b", "Float16_b")


# --- Cases ---


def copy_case(rng, name, example, shape, is_large=False, change=lambda program: None,
              is_p100a=False):
    a = as_floats(bf16(rng, *shape))
    return Case(name, example, "copy", {"a.npy": a}, "copy.npy", lambda work: a, change, is_large,
                is_p100a)


def in_rows(program):
    """A page is a row of the matrix instead of a tile."""
    for buffer in program["dram"].values():
        buffer.update(layout="rows", format="Float32")


def add_case(rng, shape):
    a, b = bf16(rng, *shape), bf16(rng, *shape)

    def expected(work):
        dst = model.add(MODE_16, in_src(a), in_src(b), False)
        data = model.pack_tiles(dst, MODE_16, "Float16_b", "Float16_b")
        return model.matrix_values(data, "Float16_b", *shape)

    return Case("element-wise sum on 32 tiles", "add", "add",
                {"a.npy": as_floats(a), "b.npy": as_floats(b)}, "sum.npy", expected)


def gather_case(rng):
    shards = rng.standard_normal((64, 48)).astype(np.float32)
    ring = list(range(8)) + list(range(15, 7, -1))  # the second row backwards

    def expected(work):
        return np.tile(shards.reshape(16, 4, 48)[ring].reshape(64, 48), (16, 1))

    return Case("all-gather on a ring of 16 tiles", "gather", "gather", {"shards.npy": shards},
                "gathered.npy", expected)


def product(work, program, a, b, phases):
    """By the model in C, and a part of it by model.py."""
    files = [work / name for name in ("a.bin", "b.bin", "product.bin")]
    a.astype("<u2").tofile(files[0])
    b.astype("<u2").tofile(files[1])
    sizes = (a.shape[0], a.shape[1], b.shape[1], phases)
    subprocess.run([program, *map(str, sizes), *map(str, files)], check=True)
    result = np.fromfile(files[2], "<u4").reshape(a.shape[0], b.shape[1])
    part = model.matmul(MODE_32, in_src(a[:CHECKED]), in_src(b[:, -CHECKED:]), phases)
    if (result[:CHECKED, -CHECKED:] != part).any():
        sys.exit("FAILED: matmul_model and model.py differ")
    return result.view(np.float32)


def matmul_case(rng, program, shape, phases, is_p100a=False):
    rows, inner, columns = shape
    a, b = bf16(rng, rows, inner), bf16(rng, inner, columns)

    def change(description):
        for kernel in description["kernels"]:
            kernel["common_arguments"][11] = phases

    name = f"matmul {rows}x{inner}x{columns}, {phases} phases, on 64 tiles"
    return Case(name + " of p100a" * is_p100a, "matmul", "matmul",
                {"a.npy": as_floats(a), "b.npy": as_floats(b)}, "product.npy",
                lambda work: product(work, program, a, b, phases), change, rows > 512, is_p100a)


def all_cases(matmul_model):
    rng = np.random.default_rng(1)
    return [
        copy_case(rng, "copy on 1 tile", "copy", (200, 90)),
        copy_case(rng, "copy of rows on 1 tile", "copy", (37, 50), change=in_rows),
        copy_case(rng, "copy on 110 tiles", "copy110", (1024, 1024), True),
        copy_case(rng, "copy on 110 tiles of p100a", "copy110", (1024, 96), True, is_p100a=True),
        add_case(rng, (512, 320)),
        gather_case(rng),
        matmul_case(rng, matmul_model, (256, 64, 256), 4),
        matmul_case(rng, matmul_model, (256, 128, 512), 1, True),
        matmul_case(rng, matmul_model, (1024, 1024, 1024), 2),
    ]


# --- Running ---


def load_description(path):
    """JSON with // comments, none of which stands in a string here."""
    lines = path.read_text().splitlines()
    return json.loads("\n".join(line.split("//")[0] for line in lines))


def schedules(case, work, seeds, is_long):
    """Options, and whether the cycles must be those of the first run."""
    yield ["--threads", "1"], True
    yield ["--threads", "2"], True
    yield ["--threads", "7"], True
    if not case.is_large:
        yield ["--units"], True
        yield [f"--trace={work}/trace.ptrace"], True
    for seed in range(1, seeds + 1):
        yield ["--schedule", f"random:{seed}", "--threads", "2"], False
    yield ["--timing", "timed", "--threads", "2"], False
    if is_long or not case.is_large:
        yield ["--schedule", "lockstep", "--threads", "2"], False


def run(arguments, case, work, options):
    output = work / case.output
    output.unlink(missing_ok=True)
    firmware = arguments.firmware7 if case.is_p100a else arguments.firmware
    kernels = arguments.scratch / ("kernels7" if case.is_p100a else "kernels") / case.kernels
    command = [arguments.penrose, "run", str(work / "program.json"), "--firmware", firmware,
               "--kernels", str(kernels), "--json", *options]
    if case.is_p100a:
        command += ["--card", "p100a"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        return f"exit code {done.returncode}\n{done.stderr[:2000]}", None
    (work / f"{options[0].partition('=')[0]}.json").write_text(done.stdout) # for documents.py
    return np.load(output), json.loads(done.stdout)


def check(arguments, case):
    work = arguments.scratch / "work"
    work.mkdir(exist_ok=True)
    description = load_description(arguments.examples / f"{case.example}.json")
    case.change(description)
    for kind in ("dram", "l1"):
        for buffer in description.get(kind, {}).values():
            if "output" in buffer:
                buffer["output"] = case.output
    (work / "program.json").write_text(json.dumps(description))
    for name, array in case.inputs.items():
        np.save(work / name, array)
    expected = bits_of(case.expected(work))
    cycles, failures = None, 0
    for options, has_same_cycles in schedules(case, work, arguments.seeds, arguments.long):
        result, report = run(arguments, case, work, options)
        if report is None:
            problem = result
        elif result.shape != expected.shape or (bits_of(result) != expected).any():
            problem = (f"{result.shape} instead of {expected.shape}" if result.shape != expected.shape
                       else f"{(bits_of(result) != expected).sum()} of {expected.size} differ")
        elif ("units" in report) != ("--units" in options):
            problem = "the table of units is there, or is not"
        elif sum(row["instructions"] > 0 for row in report["hart_work"]) == 0:
            problem = "no hart did anything"
        elif has_same_cycles and cycles not in (None, report["cycles"]):
            problem = f"{report['cycles']} cycles instead of {cycles}"
        else:
            problem = None
            cycles = cycles or report["cycles"]
        if problem:
            print(f"FAILED: {case.name}, {' '.join(options)}: {problem}")
            failures += 1
        else:
            print(f"ok: {case.name}, {' '.join(options)}: {report['kernel_cycles']} cycles, "
                  f"{report['host_ms']['running']:.0f} ms", flush=True)
    return failures


# --- Mistakes ---


MISTAKES = [
    ("a chip without these columns", ["--card", "p100a"], {},
     "grid: 14x10 tiles, but the chip has 12x10", "14x10"),
    ("a bank too many", ["--card", "p100a"], {}, "8 DRAM banks, which this chip does not have", None),
    ("a name in an argument", [], {"arguments": ["index", "dram.absent"]},
     r"arguments[1]: 'dram.absent' on logical tile (0, 0): there is no buffer 'absent'", None),
    ("a kernel that is not there", [], {"elf": "absent.elf"}, "absent.elf", None),
    ("a kernel of the host", [], {"elf": "/bin/true"}, "/bin/true", None),
    ("an option for one tile", ["--tile", "1,2"], {}, "has tiles, kernels and buffers of its own",
     None),
]


def check_mistakes(arguments):
    work = arguments.scratch / "mistakes"
    work.mkdir()
    np.save(work / "a.npy", np.ones((32, 32), np.float32))
    failures = 0
    for name, options, change, message, grid in MISTAKES:
        description = load_description(arguments.examples / "copy.json")
        description["kernels"][0].update(change)
        description["grid"] = grid or description["grid"]
        (work / "program.json").write_text(json.dumps(description))
        done = subprocess.run(
            [arguments.penrose, "run", str(work / "program.json"), "--firmware", arguments.firmware,
             "--kernels", str(arguments.scratch / "kernels/copy"), *options],
            capture_output=True, text=True, timeout=600)
        is_right = done.returncode == 2 and message in done.stderr
        print(f"{'ok' if is_right else 'FAILED'}: mistake: {name}")
        if not is_right:
            failures += 1
            print(f"exit code {done.returncode}\n{done.stderr}")
        if (work / "copy.npy").exists():
            failures += 1
            print("FAILED: an output was written")
    return failures


def main():
    parser = argparse.ArgumentParser()
    for name in ("penrose", "model", "examples", "firmware", "firmware7", "scratch"):
        parser.add_argument(name)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--only", default="")
    parser.add_argument("--long", action="store_true")
    arguments = parser.parse_args()
    arguments.examples, arguments.scratch = Path(arguments.examples), Path(arguments.scratch)
    cases = [case for case in all_cases(arguments.model) if arguments.only in case.name]
    failures = sum(check(arguments, case) for case in cases)
    failures += check_mistakes(arguments) if not arguments.only else 0
    if failures or not cases:
        sys.exit(f"{failures} failed, {len(cases)} cases")


if __name__ == "__main__":
    main()
