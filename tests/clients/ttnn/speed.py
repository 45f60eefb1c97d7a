#!/usr/bin/env python3
"""Makes the table of ttnn-speed.sh.

usage: speed.py LIBRARY FOLDER... [OTHER_FOLDER]

Each folder is named threads-N, or `other`, and has results.jsonl as ops.py writes them. Prints for each
operation the milliseconds in the library of a warm run, how much faster the part that tiles run is
with the last number of threads than with the first, the part in percent that is none of it (accesses
of the host), the time on the other library and the ratio to it. Where FOLDER/OPERATION.symbols holds
a profile by perf, a second table has the shares of the folders of LIBRARY's source. Exits 1 if an
operation is wrong.
"""
import collections
import os
import re
import subprocess
import sys

import compare


def cell(form, value):
    return form % value if value is not None else "-"


def ratio(a, b):
    return a / b if a and b else None


def row(operation, results, other, folders):
    runs = [result.get(operation, []) for result in results]
    ms = [compare.median(records, "second", "ms") for records in runs]
    tiles = [compare.median(records, "second", "clock_ms") for records in runs]
    other_ms = compare.median(other.get(operation), "second", "ms")
    host = 100 * (1 - tiles[-1] / ms[-1]) if ms[-1] else None
    wrong = next((w for w in (compare.judge(r, None, []) for r in runs) if w), "")
    return [cell("%.2f", x) for x in ms] + [
        cell("%.2f", ratio(tiles[0], tiles[-1])), cell("%.0f %%", host), cell("%.1f", other_ms),
        cell("%.1f", ratio(other_ms, ms[-1])),
        cell("%d", compare.median(runs[-1], "second", "polls")), wrong]


def source_folders(library):
    """The folder of src/ in which each function of the library is."""
    lines = subprocess.run(["nm", "--line-numbers", "--defined-only", library],
                           capture_output=True, text=True, check=True).stdout.splitlines()
    found = (re.match(r"\S+ [tT] (\S+)\t.*/src/(.+)/[^/]+:\d+$", line) for line in lines)
    return {match[1]: match[2] for match in found if match}


def shares(path, library, folders_of):
    """The share of each part of what the library and the copies of bytes take, in percent."""
    parts = collections.Counter()
    with open(path, encoding="utf-8") as file:
        for line in file:
            fields = [field.strip() for field in line.split("|")]
            if len(fields) < 3 or not fields[0].endswith("%"):
                continue
            percent, dso, symbol = float(fields[0][:-1]), fields[1], fields[2].split("] ")[-1]
            if dso == os.path.basename(library):
                name = symbol.split(".")[0]
                parts[folders_of.get(symbol, folders_of.get(name, "other"))] += percent
            elif symbol.startswith(("__memmove", "__memset", "__memcpy")):
                parts["memmove, memset"] += percent
    total = sum(parts.values())
    return {part: 100 * percent / total for part, percent in parts.items()} if total else {}


def print_shares(library, folder, operations):
    """A line for each operation with the parts that take 3 % at least."""
    folders_of = None
    for operation in operations:
        path = os.path.join(folder, operation + ".symbols")
        if not os.path.exists(path):
            continue
        folders_of = folders_of or source_folders(library)
        found = shares(path, library, folders_of)
        print("%-16s %s" % (operation, ", ".join(
            "%s %.0f" % (part, percent)
            for part, percent in sorted(found.items(), key=lambda item: -item[1])
            if percent >= 3)))


def main():
    library, folders = sys.argv[1], sys.argv[2:]
    has_other = os.path.basename(folders[-1]) == "other"
    other = compare.read_results(folders.pop()) if has_other else {}
    results = [compare.read_results(folder) for folder in folders]
    names = [os.path.basename(folder).replace("threads-", "ms, threads ") for folder in folders]
    heads = ["operation", *names, "gain", "host", "other ms", "ratio", "polls", "wrong"]
    rows = [[operation, *row(operation, results, other, folders)] for operation in results[0]]
    widths = [max(len(r[i]) for r in [heads, *rows]) for i in range(len(heads))]
    for r in [heads, *rows]:
        print("  ".join([r[0].ljust(widths[0])] + [
            value.rjust(width) for value, width in zip(r[1:-1], widths[1:-1])] + [r[-1]]).rstrip())
    print_shares(library, folders[0], results[0])
    return 1 if any(r[-1] for r in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
