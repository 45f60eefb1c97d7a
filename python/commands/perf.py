"""`penrose compare --perf`: two measurements of time, of the same kind.

They are CSV files of the LLK suite's performance tests (a row is a marker and a configuration, a column
mean(RUN_TYPE) its cycles), the device profiler's profile_log_device.csv (pairs of ZONE_START and
ZONE_END), or tables that --profile has written.

A point is what is measured: marker, configuration and run type, or core, hart, run and zone, or what a
lane does in a function. A point that is measured more than once has the median of its values. Points are
a dict of names and cycles.
"""

from __future__ import annotations

import csv
import math
import statistics
from typing import Iterator

import output
from output import Refusal, Settings, say

DIFFERENT = 1  # the exit code
PROFILE = "profile_log_device.csv"
TABLE_COLUMNS = ["lane", "kind", "kernel", "function", "source", "line", "waits for", "ended", "cycles", "times"]
# The columns of the profiler's file, by the beginning of their names.
ZONE_COLUMNS = ("core_x", "core_y", "RISC", "time[cycles", "run host ID", "zone name", "type")

Rows = Iterator[tuple]  # of line numbers and lists of fields


def take_number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def read_rows(path: str) -> Rows:
    """The rows that are not empty."""
    try:
        with open(path, newline="", encoding="utf-8", errors="surrogateescape") as file:
            reader = csv.reader(file, skipinitialspace=True)
            for row in reader:
                if row:
                    yield reader.line_num, row
    except OSError as error:
        raise Refusal(f"{path}: cannot be opened: {error.strerror}") from error
    except csv.Error as error:
        raise Refusal(f"{path}: {error}") from error


# --- LLK: a marker and a run type ---


def is_mean(column: str) -> bool:
    return column.startswith("mean(") and column.endswith(")")


def is_parameter(column: str) -> bool:
    """Does it belong to a point's name? Times and sizes of code do not."""
    return column != "marker" and not column.startswith(("mean(", "std(", "TEXT_SIZE("))


def plain_number(text: str) -> str:
    """pandas writes 64 as 64.0 where a column lacks values."""
    return text[:-2] if text.endswith(".0") and take_number(text) is not None else text


def read_llk(path: str, columns: list[str], rows: Rows) -> Iterator[tuple[str, float]]:
    for line, row in rows:
        if len(row) != len(columns):
            raise Refusal(f"{path}: line {line} has {len(row)} columns, the first line {len(columns)}: cut off?")
        fields = dict(zip(columns, row))
        parameters = [(column, text) for column, text in fields.items() if is_parameter(column) and text]
        key = "".join(f" {column}={plain_number(text)}" for column, text in parameters)
        for column, text in fields.items():
            if is_mean(column) and text:
                cycles = take_number(text)
                if cycles is None:
                    raise Refusal(f"{path}: line {line}: '{text:.40}' is no number of cycles")
                yield f"{fields.get('marker', '')} {column}{key}", cycles


# --- The device profiler: zones ---


def find_zone_columns(columns: list[str]) -> list[int] | None:
    """Where they are, if all of them are there."""
    places = []
    for wanted in ZONE_COLUMNS:
        places += [i for i, column in enumerate(columns) if column.startswith(wanted)][:1]
    return places if len(places) == len(ZONE_COLUMNS) else None


def read_zones(path: str, places: list[int], rows: Rows) -> Iterator[tuple[str, float]]:
    """Ends without a beginning are left out: the profiler's buffer is finite."""
    begun: dict[str, list[float]] = {}  # the innermost zone of a name comes last
    for line, row in rows:
        x, y, hart, time, run, zone, kind = (row[place] if place < len(row) else "" for place in places)
        if kind not in ("ZONE_START", "ZONE_END"):
            continue  # sums, time stamps of the user
        cycles = take_number(time)
        if cycles is None:
            raise Refusal(f"{path}: line {line}: '{time:.40}' is no time")
        name = f"core {x},{y} {hart} run {run} {zone}"
        if kind == "ZONE_START":
            begun.setdefault(name, []).append(cycles)
        elif begun.get(name):
            yield name, cycles - begun[name].pop()


# --- Tables of --profile ---


def read_table(path: str, rows: Rows) -> Iterator[tuple[str, float]]:
    """Lines of source move from version to version, so a point is all of a function."""
    sums: dict[str, float] = {}
    for line, row in rows:
        cycles = take_number(row[8]) if len(row) == len(TABLE_COLUMNS) else None
        if cycles is None:
            raise Refusal(f"{path}: line {line} is no row of a profile: cut off?")
        if row[1] == "missing":
            raise Refusal(f"{path}: rows are missing, since memory ran out while it was made")
        if row[1] in ("critical", "bound"):
            continue  # they tell why, not how long
        name = " ".join(filter(None, (row[0], row[1], row[3], row[6])))
        sums[name] = sums.get(name, 0) + cycles
    yield from sums.items()


# --- All ---


def read_points(path: str) -> tuple[str, dict[str, float]]:
    """What it is, and its points."""
    rows = read_rows(path)
    _, columns = next(rows, (0, [""]))
    if columns[0].startswith("ARCH:"):  # the profiler's first line names chip and clock
        _, columns = next(rows, (0, [""]))
    places = find_zone_columns(columns)
    if columns == TABLE_COLUMNS:
        what, points = "a table of --profile", read_table(path, rows)
    elif places is not None:
        what, points = f"a {PROFILE}", read_zones(path, places, rows)
    elif any(map(is_mean, columns)):
        what, points = "a CSV file of LLK's performance tests", read_llk(path, columns, rows)
    else:
        raise Refusal(
            f"{path}: neither a CSV file of LLK's performance tests (with columns mean(...)) nor a {PROFILE} "
            "nor a table of --profile"
        )
    values: dict[str, list[float]] = {}
    for name, cycles in points:
        values.setdefault(name, []).append(cycles)
    return what, {name: statistics.median(cycles) for name, cycles in values.items()}


def judge(before: float, after: float, percent: float, cycles: float) -> str:
    """A point regresses if it is slower by more than both."""
    change = after - before
    if not before or not change or abs(change) <= abs(before) * percent / 100:
        return "same"
    return "small" if abs(change) <= cycles else "slower" if change > 0 else "faster"


def show(word: str, names: list[str], before: dict[str, float], after: dict[str, float], most: int) -> None:
    for name in names[:most]:
        a, b = before[name], after[name]
        say(f"{word} {100 * (b - a) / a:+.1f} % {b - a:+.0f} cycles ({a:.1f} -> {b:.1f}): {name}")
    if len(names) > most:
        say(f"and {len(names) - most} more {word} ones")


def run(settings: Settings, _: list[str]) -> int:
    path_a, path_b = settings["a"], settings["b"]
    percent, cycles = float(settings["percent"]), float(settings["cycles"])
    what_a, before = read_points(path_a)
    what_b, after = read_points(path_b)
    if what_a != what_b:
        raise Refusal(f"{path_a} is {what_a}, {path_b} is {what_b}")
    both = before.keys() & after.keys()
    if not both:
        raise Refusal(f"{path_a} and {path_b} have no point in common: measurements of other tests?")
    ratio = {name: after[name] / before[name] if before[name] else 1.0 for name in both}
    points = sorted(both, key=lambda name: (-ratio[name], name))
    verdict = {name: judge(before[name], after[name], percent, cycles) for name in points}
    moved = {word: [name for name in points if verdict[name] == word] for word in ("slower", "faster", "small")}
    slower, faster, small = moved.values()
    status = DIFFERENT if slower else 0
    only_a, only_b = len(before) - len(points), len(after) - len(points)
    if "json" in settings:
        result = {
            "outcome": "different" if slower else "same",
            "exit_status": status,
            "a": path_a,
            "b": path_b,
            "compared": len(points),
            "slower": len(slower),
            "faster": len(faster),
            "small": len(small),
            "only_a": only_a,
            "only_b": only_b,
            "points": [
                {"point": name, "verdict": verdict[name], "a": before[name], "b": after[name]}
                for name in points
                if verdict[name] != "same"
            ],
        }
        output.write_json(settings, result)
        return status
    show("slower", slower, before, after, int(settings["most"]))
    show("faster", faster[::-1], before, after, int(settings["most"]))
    say(
        f"{len(points)} points: {len(slower)} slower and {len(faster)} faster by more than {percent:g} % and "
        f"{cycles:g} cycles; {len(small)} moved by more than {percent:g} % alone"
    )
    if only_a or only_b:
        say(f"not compared: {only_b} points that only B has, {only_a} that only A has")
    return status
