#!/usr/bin/env python3
"""Makes a table of what ops.py has found on one library or on two, and judges it.

usage: compare.py FOLDER [OTHER_FOLDER]

Each folder has results.jsonl and the folder `saved` with the results as .npy files. An operation is
right if it ran, twice with the same result, close to torch; with two libraries also if it did not
run on the other one, or both give the same bytes. Exits 1 if one is not. Times are those of the
second run, inside the library, where results.jsonl has them (several runs: the median).
"""
import json
import os
import statistics
import sys

LEAST_PCC = 0.999
LEAST_PCC_OF = {"matmul_bfp4": 0.98}  # four bits a number
MOST_DIFFERENCE = 0.02  # of the largest number, where all numbers are the same or there is but one


def read_results(folder):
    results = {}
    with open(os.path.join(folder, "results.jsonl"), encoding="utf-8") as file:
        for line in file:
            record = json.loads(line)
            results.setdefault(record["operation"], []).append(record)
    return results


def is_close(record):
    if record["pcc"] is None:
        return record["max_difference"] <= MOST_DIFFERENCE * record["largest"]
    return record["pcc"] >= LEAST_PCC_OF.get(record["operation"], LEAST_PCC)


def same_bytes(folders, operation):
    files = [[os.path.join(folder, "saved", "%s.%s.npy" % (operation, run))
              for folder in folders] for run in ("first", "second")]
    for pair in files:
        data = []
        for path in pair:
            with open(path, "rb") as file:
                data.append(file.read())
        if any(other != data[0] for other in data):
            return False
    return True


def judge(records, other, folders):
    """What is wrong with an operation, "" if nothing."""
    bad = [r for r in records if r["result"] != "ran"]
    if bad:
        return bad[0].get("error", bad[0]["result"])[:100]
    if not all(r["repeats"] for r in records):
        return "the second run gives another result"
    if not all(is_close(r) for r in records):
        return "far from torch"
    ran_there = other and all(r["result"] == "ran" for r in other)
    if ran_there and not same_bytes(folders, records[0]["operation"]):
        return "other bytes"
    return ""


def median(records, part, field):
    values = [r["library"][part][field] for r in records or []
              if r.get("library") and r["library"].get(part)]
    return statistics.median(values) if values else None


def times(records, other):
    """Milliseconds in the library, the other one's, the ratio; and host polls of both."""
    cells = []
    for field, form in (("ms", "%.2f"), ("polls", "%d")):
        pair = [median(r, "second", field) for r in (records, other)]
        cells += [form % value if value is not None else "" for value in pair]
        if field == "ms":
            cells.append("%.1f" % (pair[1] / pair[0]) if pair[0] and pair[1] else "")
    return cells


def main():
    folders = sys.argv[1:]
    results = [read_results(folder) for folder in folders]
    others = results[1] if len(results) > 1 else {}
    failed = 0
    print("%-14s %-10s %-9s %9s %9s %6s %6s %6s  %s" % (
        "operation", "difference", "pcc", "ms", "other ms", "ratio", "polls", "other", "wrong"))
    for operation, records in results[0].items():
        wrong = judge(records, others.get(operation), folders)
        failed += bool(wrong)
        print("%-14s %-10.4g %-9s %9s %9s %6s %6s %6s  %s" % (
            operation, records[0].get("max_difference", float("nan")),
            records[0].get("pcc") or "", *times(records, others.get(operation)), wrong))
    every = [[r for records in x.values() for r in records] for x in (results[0], others)]
    for what, field in (("opening the device", "ms"),
                        ("of that the boot, from the first program to the last poll (goal: ratio 3)",
                         "boot_ms")):
        pair = [median(x, "open", field) for x in every]
        if pair[0]:
            print("%s: %.1f ms" % (what, pair[0]) +
                  (", %.1f on the other: %.1f" % (pair[1], pair[1] / pair[0]) if pair[1] else ""))
    print("%d operations, %d wrong" % (len(results[0]), failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
