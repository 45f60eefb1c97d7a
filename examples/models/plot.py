#!/usr/bin/env python3
"""Draws what models.py --json has measured, on one device or several.

usage: plot.py RESULTS.jsonl PICTURE.svg

The left half shows each model's correlation with torch, as 1 - correlation on a logarithmic scale
(less is better), the right half seconds of the CPU of a run (user time), also less is better.
Devices have the names that --name gave them. Of several lines for one model and device the least
time counts: other work on the machine only adds to it.
"""
import json
import sys

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot # noqa: E402

matplotlib.rcParams["svg.hashsalt"] = "models" # one picture of the same numbers


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1]) as file:
        results = [json.loads(line) for line in file if line.strip()]
    models = list(dict.fromkeys(r["model"] for r in results))
    devices = list(dict.fromkeys(r["device"] for r in results))
    best = {}
    for r in results:
        key = r["model"], r["device"]
        best[key] = min(best.get(key, r), r, key=lambda each: each["cpu"])
    figure, axes = pyplot.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
    width = 0.8 / len(devices)
    for axis, title, value, label in (
            (axes[0], "1 - correlation with torch", lambda r: max(1 - r["correlation"], 1e-7), "%.0e"),
            (axes[1], "seconds of the CPU", lambda r: r["cpu"], "%.3g")):
        for i, device in enumerate(devices):
            there = [m for m in models if (m, device) in best]
            bars = axis.bar([models.index(m) + (i + 0.5) * width - 0.4 for m in there],
                            [value(best[m, device]) for m in there], width, label=device)
            axis.bar_label(bars, fmt=label, fontsize="x-small")
        axis.set_xticks(range(len(models)), models, fontsize="small")
        axis.set_yscale("log")
        axis.margins(y=0.15)
        axis.set_title(title)
    if len(devices) > 1:
        axes[0].legend(fontsize="small")
    figure.savefig(sys.argv[2], metadata={"Date": None})


if __name__ == "__main__":
    main()
