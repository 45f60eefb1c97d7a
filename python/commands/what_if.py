"""`penrose what-if`: the same run with other costs, and what the program is bound by.

A run is `penrose run`, `boot` or `replay`. It is timed, and the cycles are those from the launch of kernels
to the end, or all where nothing is launched. A command of `penrose exec` runs once and leaves its launches,
of which each is a run.
"""

from __future__ import annotations

import glob
import json
import subprocess
import sys
import tempfile

import output
from output import Refusal, Settings, note, say

# Without changes of the user's, and what a program is bound by if one of them makes it faster.
USUAL = {
    "unpack=free": "unpack",
    "math=free": "math",
    "pack=free": "pack",
    "noc=free": "the NoC",
    "dram=free": "GDDR",
}
BOUND = 0.95  # a program that takes less than that of its cycles is bound by what was changed


def count_cycles(program: str, words: list[str], change: str | None) -> int:
    changes = ["--cost", change] if change else []
    command = [program, *words, "--timing", "timed", "--json", *changes]
    # What the run without a change says is enough.
    messages = subprocess.DEVNULL if change else None
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=messages, stdin=subprocess.DEVNULL, check=False)
    try:
        result = json.loads(done.stdout)
    except ValueError:
        result = {}
    if done.returncode != 0 or "cycles" not in result:
        where = f"with {change}" if change else "without a change"
        raise Refusal(f"the run {where} ended with {done.returncode}: {result.get('error', 'see its messages')}")
    return int(result.get("kernel_cycles") or result["cycles"])


def sentence(before: int, after: dict[str, int]) -> str:
    best = min(after, key=lambda change: after[change])
    share = after[best] / before if before else 1
    if share > BOUND:
        return "None of these bounds the program by itself."
    changed = f"{USUAL[best]}: with that for nothing" if best in USUAL else f"{best}: with that"
    return f"The program is bound by {changed} it takes {100 * share:.0f} % of its cycles."


def record_launches(program: str, words: list[str], folder: str) -> list[list[str]]:
    """Runs of the launches that a command of `exec` makes. Its output is no result of ours."""
    done = subprocess.run([program, "exec", "--record-launch", folder, *words], stdout=sys.stderr, check=False)
    if done.returncode != 0:
        raise Refusal(f"the command ended with {done.returncode}")
    launches = sorted(glob.glob(f"{glob.escape(folder)}/launch-*/PROGRAM.json"))
    if not launches:
        raise Refusal("the command has launched no kernels, or --launches has chosen none")
    note(f"what-if: {len(launches)} launches; cycles are those of all of them")
    return [["run", launch] for launch in launches]


def run(settings: Settings, words: list[str]) -> int:
    if words[0] != "exec":
        return try_changes(settings, [words])
    with tempfile.TemporaryDirectory(prefix="penrose-what-if.") as folder:
        return try_changes(settings, record_launches(settings["program"], words[1:], folder))


def try_changes(settings: Settings, runs: list[list[str]]) -> int:
    def count(change: str | None) -> int:
        return sum(count_cycles(settings["program"], run, change) for run in runs)

    changes = [text for name, text in settings.items() if name.startswith("change")] or list(USUAL)
    before = count(None)
    if "json" not in settings:
        say(f"{before:>12} cycles")
    after = {}
    for change in changes:
        after[change] = count(change)
        if "json" not in settings:
            percent = 100 * (after[change] - before) / before if before else 0
            say(f"{after[change]:>12} cycles {percent:+7.1f} %  {change}")
    if "json" in settings:
        rows = [{"change": change, "cycles": cycles} for change, cycles in after.items()]
        result = {"outcome": "done", "exit_status": 0, "cycles": before, "runs": rows, "bound": sentence(before, after)}
        output.write_json(settings, result)
    else:
        say(sentence(before, after))
    return 0
