#!/usr/bin/env python3
"""Times recorded products of ttnn, and joins them with what silicon took.

  rows.py plan --out DIR [--sample N] [--seed N] [--row REGEX]      chooses rows: DIR/plan.json
  rows.py time --out DIR --penrose PROGRAM [--set CHANGE]...        runs their launches: DIR/times.csv, DIR/times.svg

rows.csv beside this file has the rows: the shape of a product, whether the second factor is stored transposed,
how it was divided among tiles, and milliseconds. Who has divided it is the column `division`: `best` is the fastest
division that tt-metal's authors have found, `chosen` is the one that their strategy chooses. Launches are those of
launches.py, in DIR/launches.
"""
import argparse
import collections
import csv
import json
import pathlib
import random
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from scatter import line_of, picture  # pylint: disable=wrong-import-position

CLOCK_KHZ = 1_350_000  # of the card
HOST_MS = 0.03  # shorter products than that took as long as the host needs to launch one


class RowFailed(Exception):
    """A launch could not be timed."""


def name_of(row):
    transposed = "T" if row["transposed"] == "1" else ""
    return (f"{row['kernel']}-{row['m']}x{row['k']}x{row['n']}{transposed}-"
            f"{row['block']}-{row['in0_width']}-{row['subblock']}")


def family_of(row):
    if float(row["silicon_ms"]) < HOST_MS:
        return "bound by the host"
    return row["kernel"] + (", second factor transposed" if row["transposed"] == "1" else "")


def plan(options):
    if options.sample < 0:
        sys.exit(f"--sample {options.sample}: give a number of rows, or 0 for all")
    try:
        wanted = re.compile(options.row)
    except re.error as error:
        sys.exit(f"--row {options.row}: this is no regular expression ({error})")
    with open(pathlib.Path(__file__).with_name("rows.csv"), encoding="utf-8", newline="") as lines:
        rows = [row for row in csv.DictReader(lines) if wanted.search(name_of(row))]
    if not rows:
        sys.exit(f"--row {options.row}: no row has such a name; names are as 2d-512x8192x128T-2x1-32-2x1")
    if options.sample and options.sample < len(rows):
        chosen = set(random.Random(options.seed).sample(range(len(rows)), options.sample))
        rows = [row for i, row in enumerate(rows) if i in chosen]
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "plan.json").write_text(json.dumps(rows, indent=0))
    print(f"{len(rows)} rows")


def cycles_of(options, launch, change=None):
    """From the go signals, which all tiles get at once, to the last thing that happens on the chip."""
    command = [options.penrose, "run", launch / "PROGRAM.json", "--timing", "timed", "--json"]
    command += ["--cost", change] if change else []
    done = subprocess.run(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, check=False)
    if done.returncode:
        raise RowFailed(f"the run ended with {done.returncode}")
    return json.loads(done.stdout)["kernel_cycles"]


def time_row(options, row, launch, table):
    """Adds a row to the table and prints it. What silicon took, and what Penrose takes without changes."""
    silicon, ours = round(float(row["silicon_ms"]) * CLOCK_KHZ), cycles_of(options, launch)
    changed = [cycles_of(options, launch, change) for change in options.set]
    error = ours / silicon - 1
    table.writerow([name_of(row), family_of(row), silicon, ours, f"{error:.4f}", *changed])
    more = "".join(f"  {change} {100 * (new / ours - 1):+5.1f} %" for change, new in zip(options.set, changed))
    print(f"  {name_of(row):44} {silicon:9} {ours:9} {100 * error:+7.1f} %{more}", flush=True)
    return silicon, ours


def time(options):
    rows = json.loads((options.out / "plan.json").read_text())
    launches = sorted((options.out / "launches").iterdir())
    if len(launches) != len(rows):
        sys.exit(f"{len(launches)} launches were recorded for {len(rows)} rows")
    errors, points, failed = collections.defaultdict(list), [], 0
    with open(options.out / "times.csv", "w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["row", "family", "silicon", "penrose", "error", *options.set])
        for row, launch in zip(rows, launches):
            try:
                silicon, ours = time_row(options, row, launch, table)
            except RowFailed as failure:
                failed += 1
                print(f"  {name_of(row):44} failed: {failure} ({launch})", flush=True)
                continue
            file.flush()
            errors[family_of(row)].append(ours / silicon - 1)
            points.append((family_of(row), name_of(row), silicon, ours))
    if not points:
        sys.exit("no row could be timed")
    picture(points, options.out / "times.svg", (4, 6), "cycles")
    for family, found in sorted(errors.items()):
        print(line_of(family, found))
    print(line_of("all", [error for found in errors.values() for error in found]))
    if failed:
        sys.exit(f"{failed} of {len(rows)} rows failed")


def main():
    parser = argparse.ArgumentParser(description="Products of ttnn that silicon was measured with.")
    parser.add_argument("what", choices=["plan", "time"])
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--sample", type=int, default=0, help="rows; 0 is all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--row", default="", help="regular expression of rows")
    parser.add_argument("--penrose", help="the program")
    parser.add_argument("--set", metavar="CHANGE", action="append", default=[],
                        help="a cost to change, as for penrose run --cost")
    options = parser.parse_args()
    {"plan": plan, "time": time}[options.what](options)


if __name__ == "__main__":
    main()
