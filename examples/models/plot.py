#!/usr/bin/env python3
"""Draws what models.py --json has measured, on one device or several.

usage: plot.py RESULTS.jsonl PICTURE.svg

The left half shows each model's correlation with torch, as 1 - correlation on a logarithmic scale
(less is better), the right half the seconds of its last run. Devices have the names that
--name gave them; of several lines for one model and device the last counts.
"""
import json
import sys

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot # noqa: E402


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1]) as file:
        results = [json.loads(line) for line in file if line.strip()]
    models = list(dict.fromkeys(r["model"] for r in results))
    devices = list(dict.fromkeys(r["device"] for r in results))
    latest = {(r["model"], r["device"]): r for r in results}
    figure, axes = pyplot.subplots(1, 2, figsize=(9, 3.2), layout="constrained")
    width = 0.8 / len(devices)
    for axis, title, value in (
            (axes[0], "1 - correlation with torch", lambda r: max(1 - r["correlation"], 1e-7)),
            (axes[1], "seconds", lambda r: r["seconds"])):
        for i, device in enumerate(devices):
            there = [m for m in models if (m, device) in latest]
            axis.bar([models.index(m) + (i + 0.5) * width - 0.4 for m in there],
                     [value(latest[m, device]) for m in there], width, label=device)
        axis.set_xticks(range(len(models)), models)
        axis.set_yscale("log")
        axis.set_title(title)
    if len(devices) > 1:
        axes[1].legend(fontsize="small")
    figure.savefig(sys.argv[2])


if __name__ == "__main__":
    main()
