#!/usr/bin/env python3
"""Makes a plan of kernels for rows of LLK's cost table, and joins what they took with what silicon took.

  rows.py plan --rows FILE --out DIR [--sample N] [--seed N] [--family NAME]
  rows.py join --rows FILE --out DIR

FILE is a table of the rows that silicon's figures come from: tile.csv beside this file. DIR gets plan.json,
results.jsonl (by kernels.py), rows.csv and rows.svg. It also gets inits.csv: rows of init.csv beside the zones
INIT of the same kernels. They are told apart, since no goal is set for them.

A row's output format concerns the packer alone, which none of the rows measures. So rows that differ in
nothing else share a kernel. A row that is marked as inferred is the time of a kernel less that of the copy in
it, and here that of a kernel that only copies.
"""
import argparse
import collections
import csv
import json
import pathlib
import random
import re
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from scatter import line_of, picture  # pylint: disable=wrong-import-position

TILES = 32  # 16 of them, twice
UNARY = dict(
    abs_tile="Abs", abs_tile_int32="AbsInt32", acos_tile="Acos", add_int_tile="AddInt32", asin_tile="Asin",
    atan_tile="Atan", ceil_tile="Ceil", clamp_tile="Clamp", cos_tile="Cos", eqz_tile="EqualZero",
    fill_tile="Fill", floor_tile="Floor", frac_tile="Frac", gez_tile="GreaterThanEqualZero",
    gtz_tile="GreaterThanZero", lez_tile="LessThanEqualZero", log1p_tile="Log1p", log_tile="Log",
    logical_not_tile="LogicalNot", ltz_tile="LessThanZero", negative_tile="Neg", nez_tile="NotEqualZero",
    power_tile="UnaryPower", rsqrt_tile="Rsqrt", selu_tile="Selu", signbit_tile="Signbit", sin_tile="Sin",
    sqrt_tile="Sqrt", sub_int_tile="SubInt32", tan_tile="Tan", trunc_tile="Trunc")
SFPU_BINARY = dict(
    add_binary_tile="SfpuElwadd", sub_binary_tile="SfpuElwsub", mul_binary_tile="SfpuElwmul",
    div_binary_tile="SfpuElwdiv", power_binary_tile="SfpuElwpow", binary_left_shift_tile="SfpuElwLeftShift",
    binary_right_shift_tile="SfpuElwRightShift", binary_logical_right_shift_tile="SfpuElwLogicalRightShift")
FPU_BINARY = dict(add_tiles="Elwadd", sub_tiles="Elwsub", mul_tiles="Elwmul")
WIDE = ("Float32", "Int32", "UInt32")
INTEGERS = ("Int32", "UInt32", "UInt16")

# Rows whose kernel in the wheel is another one than was measured: a pattern of what the row is, and the reason.
OTHER_KERNELS = (
    ("log_tile-.*-acc1", "log has 296 vector instructions a tile, more than silicon took cycles"),
    ("log_tile-.*-acc0", "log has 208 vector instructions a tile, more than silicon took cycles"),
    ("mul_binary_tile-.*-acc0", "mul_binary has 544 vector instructions a tile, more than silicon took cycles"),
)


def read_rows(file):
    with open(file, encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def name_of(row):
    words = [row["op"], row["thread"], row["in"], row["out"], "acc" + row["acc"], row["fidelity"],
             "dst" if row["to_dst"] == "1" else ""]
    return "-".join(word for word in words if word)


def reason_to_skip(row):
    for pattern, reason in OTHER_KERNELS:
        if re.fullmatch(pattern, name_of(row)):
            return reason
    return None


def kernel_of(row):
    """What to run for a row, without its output format."""
    op = row["op"]
    kernel = {"in": row["in"], "out": "Float16_b", "acc": int(row["acc"]), "thread": row["thread"],
              "fidelity": row["fidelity"] or "LoFi"}
    is_direct = row["inferred"] == "0" and row["in"] in WIDE
    kernel["utd"] = int(row["to_dst"] == "1" or is_direct)
    if op in UNARY:
        kernel.update(kind="unary", op=UNARY[op])
    elif op in SFPU_BINARY:
        kernel.update(kind="sfpu_binary", op=SFPU_BINARY[op])
    elif op in FPU_BINARY:
        kernel.update(kind="fpu_binary", op=FPU_BINARY[op], utd=0)
    elif op == "copy_tile":
        kernel.update(kind="copy", op="copy", utd=int(row["to_dst"] == "1"))
    elif op == "typecast_tile":
        kernel.update(kind="typecast", op="Typecast", out=row["out"])
    else:
        return None
    if row["in"] in ("Int32", "UInt32") and kernel["kind"] != "typecast":
        kernel["out"] = row["out"]
    kernel["id"] = "-".join(str(kernel[key]) for key in
                            ("kind", "op", "thread", "in", "out", "acc", "utd", "fidelity"))
    return kernel


def copy_of(kernel):
    """What only copies, as the kernel does besides its operation."""
    copy = dict(kernel, kind="copy", op="copy", utd=0, fidelity="LoFi")
    copy["id"] = "-".join(str(copy[key]) for key in
                          ("kind", "op", "thread", "in", "out", "acc", "utd", "fidelity"))
    return copy


def kernels_of(row):
    kernel = kernel_of(row)
    return [kernel, copy_of(kernel)] if row["inferred"] == "1" else [kernel]


def choose(rows, options):
    rows = [row for row in rows if reason_to_skip(row) is None and
            (not options.family or re.fullmatch(options.family, row["family"]))]
    if not options.sample or options.sample >= len(rows):
        return rows
    # Every family and thread has its share, and one row at least.
    groups = collections.defaultdict(list)
    for row in rows:
        groups[row["family"], row["thread"]].append(row)
    chance = random.Random(options.seed)
    chosen = []
    for key in sorted(groups):
        share = max(1, round(options.sample * len(groups[key]) / len(rows)))
        chosen += chance.sample(groups[key], min(share, len(groups[key])))
    return chosen


def plan(options):
    kernels = {}
    for row in choose(read_rows(options.rows), options):
        for kernel in kernels_of(row):
            kernels[kernel["id"]] = kernel
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "plan.json").write_text(json.dumps(list(kernels.values()), indent=0))
    test = "silicon_rows.py::test_kernel"
    (options.out / "ids.txt").write_text("".join(f"{test}[{name}]\n" for name in kernels))
    (options.out / "results.jsonl").unlink(missing_ok=True)
    print(f"{len(kernels)} kernels")


def measured(options):
    lines = (options.out / "results.jsonl").read_text().splitlines()
    return {result["id"]: result for result in map(json.loads, lines)}


def ours_of(row, results):
    """Cycles a tile, or None if the row's kernels have not run."""
    found = [results.get(kernel["id"]) for kernel in kernels_of(row)]
    if None in found:
        return None
    cycles = found[0]["TILE_LOOP"] - sum(result["TILE_LOOP"] for result in found[1:])
    return cycles / TILES


def zone_of(row, results):
    """The zone INIT of the kernels that have run of a row of init.csv, or None.

    A row of init_sfpu is that zone on the thread math, of all unary operations with the same input or of a
    typecast. Other rows are single calls or other threads, whose zones the kernels do not have.
    """
    if (row["op"], row["thread"]) != ("init_sfpu", "math"):
        return None
    casts = row["in"] != row["out"] and (row["in"] in INTEGERS or row["out"] in INTEGERS)
    zones = []
    for name, result in results.items():
        kind, _, thread, source, out, acc, _, _ = name.split("-")
        is_one = kind == "typecast" and out == row["out"] if casts else kind == "unary"
        if is_one and (thread, source, acc) == (row["thread"], row["in"], row["acc"]):
            zones.append(result["INIT"])
    return statistics.mean(zones) if zones else None


def join_inits(options, results):
    rows = read_rows(pathlib.Path(__file__).with_name("init.csv"))
    errors = []
    with open(options.out / "inits.csv", "w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["row", "family", "thread", "silicon", "ours", "error"])
        for row in rows:
            ours, silicon = zone_of(row, results), float(row["cycles"])
            error = ours / silicon - 1 if ours else None
            table.writerow([name_of(row), row["family"], row["thread"], silicon, f"{ours:.2f}" if ours else "",
                            f"{error:.4f}" if ours else ""])
            errors += [error] if ours else []
    if errors:
        print(line_of("inits, math (no goal)", errors))
    print(f"{len(rows) - len(errors):4} rows of inits have no zone here, or none that has run")


def join(options):
    results = measured(options)
    rows = read_rows(options.rows)
    errors, points, worst = collections.defaultdict(list), [], []
    with open(options.out / "rows.csv", "w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["row", "family", "thread", "inferred", "silicon", "ours", "error", "reason"])
        for row in rows:
            reason = reason_to_skip(row)
            ours = None if reason else ours_of(row, results)
            silicon = float(row["cycles"])
            if ours is None:
                if reason:
                    table.writerow([name_of(row), row["family"], row["thread"], row["inferred"], silicon, "",
                                    "", reason])
                continue
            error = ours / silicon - 1
            table.writerow([name_of(row), row["family"], row["thread"], row["inferred"], silicon,
                            f"{ours:.2f}", f"{error:.4f}", ""])
            errors[row["family"], row["thread"]].append(error)
            points.append((row["family"], name_of(row), silicon, max(ours, 1)))
            worst.append((abs(error), name_of(row), silicon, ours))
    picture(points, options.out / "rows.svg", (1, 4), "cycles a tile")
    for _, name, silicon, ours in sorted(worst, reverse=True)[:options.worst]:
        print(f"  {name:52} {silicon:9.2f} {ours:9.2f} {100 * (ours / silicon - 1):+7.1f} %")
    for (family, thread), found in sorted(errors.items()):
        print(line_of(f"{family}, {thread}", found))
    everything = [error for found in errors.values() for error in found]
    if everything:
        print(line_of("all", everything))
    others = collections.Counter(filter(None, map(reason_to_skip, rows)))
    for reason, count in others.items():
        print(f"{count:4} rows are left out: {reason}")
    join_inits(options, results)


def main():
    parser = argparse.ArgumentParser(description="Rows of LLK's cost table.")
    parser.add_argument("what", choices=["plan", "join"])
    parser.add_argument("--rows", type=pathlib.Path, default=pathlib.Path(__file__).with_name("tile.csv"))
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--sample", type=int, default=0, help="rows; 0 is all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--family", default="", help="regular expression of families")
    parser.add_argument("--worst", type=int, default=20, help="rows with the largest errors, printed")
    options = parser.parse_args()
    {"plan": plan, "join": join}[options.what](options)


if __name__ == "__main__":
    main()
