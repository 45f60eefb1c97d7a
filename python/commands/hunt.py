"""`penrose hunt`: makes a program fail that is right by luck.

It runs the program with checks, which name pairs of instructions that nothing orders. Then it runs the program again
and again, each time with one of them held up (penrose_delay), until results differ or it hangs, and looks for the
shortest delay that does. Each run is a process of its own.
"""

from __future__ import annotations

import concurrent.futures
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.parse
from typing import Any, Iterator, NamedTuple

from output import Refusal, Settings, note, say, write_json

FAILS = 1  # the exit code after something was made to fail

LADDER = (3000, 300, 30000, 100000)  # cycles
MOST_HELD = 3  # occurrences that are tried one by one
MOST_DELAYED = 1000  # so many delays must not look like a hang
# What differs from run to run, or with a delay, in parts of names.
VOLATILE = re.compile(
    "cycle|host_ms|simulated_ms|kernels|threads|units|work|instructions|faults|times|waits|warnings|program"
)


class Outcome(NamedTuple):
    """What is compared, and how it is told."""

    is_done: bool
    results: Any
    text: str


class Place(NamedTuple):
    """An instruction of a hart."""

    hart: str
    pc: int


class Finding(NamedTuple):
    kind: str
    tile: str  # "1-2"
    where: str
    text: str
    own: Place
    others: list[Place]


class Delay(NamedTuple):
    place: Place
    what: str  # "", "thread", "departure" or "arrival"
    cycles: int
    tile: str = ""
    number: int = 0

    def __str__(self) -> str:
        tile, what = self.tile and self.tile + ":", self.what and "." + self.what
        number = f"/{self.number}" if self.number else ""
        return f"{tile}{self.place.hart}{what}@0x{self.place.pc:x}{number}={self.cycles}"


# --- Programs ---


class Program:
    """What is run: options, and what it does under them."""

    command: list[str]  # the words, without what is tried
    time_limit = 3600.0  # seconds

    def __init__(self, settings: Settings, folder: str) -> None:
        self.penrose, self.folder = settings["program"], folder

    def words(self, options: list[str]) -> list[str]:
        """With options behind the command's own, which are then those that count."""
        return [*self.command, *options]

    def outcome(self, ended: subprocess.CompletedProcess, folder: str) -> Outcome:
        raise NotImplementedError

    def prepare(self, folder: str) -> list[str]:
        """Options by which a run writes to a folder of its own."""
        return []

    def start(self, options: list[str]) -> Outcome:
        folder = tempfile.mkdtemp(dir=self.folder)
        try:
            ended = subprocess.run(
                self.words([*options, *self.prepare(folder)]),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=self.time_limit,
                check=False,
            )
            return self.outcome(ended, folder)
        except subprocess.TimeoutExpired:
            return Outcome(False, "time", f"it has not ended after {self.time_limit:.0f} s")
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def reproduces(self, options: list[str]) -> str:
        return " ".join(map(quoted, self.words(options)))


def quoted(word: str) -> str:
    return word if re.fullmatch(r"[\w@%+=:,./-]+", word) else "'" + word.replace("'", "'\\''") + "'"


def steady(value: Any) -> Any:
    """What of a result does not depend on time."""
    if isinstance(value, dict):
        return {name: steady(part) for name, part in value.items() if not VOLATILE.search(name)}
    return [steady(part) for part in value] if isinstance(value, list) else value


def value_of(words: list[str], option: str) -> str | None:
    """The latest value of an option; None: it is not there."""
    value = None
    for word, following in zip(words, [*words[1:], None]):
        if word == option:
            value = following
        elif word.startswith(option + "="):
            value = word.split("=", 1)[1]
    return value


def named_files(description: str) -> list[str]:
    """The files in the folder of a program's data, or in those below it, that its description names."""
    try:
        with open(description, encoding="utf-8", errors="replace") as file:
            names = re.findall(r'"(?:input|output)"\s*:\s*"([^"]+)"', file.read())
    except OSError:
        return []  # the run says so
    return sorted({name for name in names if not os.path.isabs(name) and ".." not in name.split("/")})


class OwnProgram(Program):
    """`penrose run ...`: its result as JSON, and the files that it writes."""

    def __init__(self, settings: Settings, folder: str, words: list[str]) -> None:
        super().__init__(settings, folder)
        self.command = [self.penrose, "run", *words]
        self.cycles = 0  # of the run as it is
        given = [word for word in words if word.endswith(".json") and not word.startswith("-")]
        self.description = value_of(words, "--program") or next(iter(given), None)
        self.data = value_of(words, "--data") or os.path.dirname(self.description or "") or "."

    def prepare(self, folder: str) -> list[str]:
        options = ["--json", "--threads", "1"]
        if self.cycles:
            options += ["--max-cycles", str(20 * self.cycles + MOST_DELAYED * max(LADDER))]
        if self.description is None:
            return options
        for name in named_files(self.description):
            path, copy = os.path.join(self.data, name), os.path.join(folder, name)
            os.makedirs(os.path.dirname(copy), exist_ok=True)
            if os.path.isfile(path):  # which the run may write over
                shutil.copyfile(path, copy)
        return [*options, "--data", folder]

    def outcome(self, ended: subprocess.CompletedProcess, folder: str) -> Outcome:
        try:
            result = json.loads(ended.stdout)
        except ValueError:
            raise Refusal(f"hunt: {self.reproduces([])}: " + ended.stderr.decode(errors="replace").strip()) from None
        if ended.returncode == 2:
            raise Refusal(f"hunt: {result.get('error', 'the program does not run')}")
        self.cycles = self.cycles or int(result["cycles"])
        files = {}
        for output in result.get("outputs", []):
            path = os.path.join(folder, output["file"])
            if os.path.isfile(path):
                with open(path, "rb") as file:
                    files[os.path.relpath(path, folder)] = hashlib.sha256(file.read()).hexdigest()
        result["outputs"] = files
        return Outcome(ended.returncode == 0, steady(result), f"it ends with {result['outcome']}")


class Recording(Program):
    """A recording, which tells itself what differs."""

    def __init__(self, settings: Settings, folder: str, path: str) -> None:
        super().__init__(settings, folder)
        self.command = [self.penrose, "replay", path]
        self.symbols = ["--symbols", settings["symbols"]] if "symbols" in settings else []

    def prepare(self, folder: str) -> list[str]:
        return ["--free", "--json", "--threads", "1", *self.symbols]

    def outcome(self, ended: subprocess.CompletedProcess, folder: str) -> Outcome:
        try:
            result = json.loads(ended.stdout)
        except ValueError:
            raise Refusal("hunt: " + ended.stderr.decode(errors="replace").strip()) from None
        if ended.returncode == 2:
            raise Refusal(f"hunt: {result.get('error', 'the recording does not run')}")
        return Outcome(ended.returncode in (0, 5), result["outcome"], "it " + result.get("difference", "is the same"))


class Client(Program):
    """Any command whose exit code says whether all is well."""

    def __init__(self, settings: Settings, folder: str, words: list[str]) -> None:
        super().__init__(settings, folder)
        self.command, self.client = [self.penrose, "exec", "--quiet", "--on-hang", "stop"], words

    def words(self, options: list[str]) -> list[str]:
        return [*self.command, *options, "--", *self.client]

    def outcome(self, ended: subprocess.CompletedProcess, folder: str) -> Outcome:
        if ended.returncode in (125, 126, 127):
            raise Refusal("hunt: " + ended.stderr.decode(errors="replace").strip())
        return Outcome(ended.returncode == 0, ended.returncode, f"it ends with exit code {ended.returncode}")


def program_of(settings: Settings, words: list[str], folder: str) -> Program:
    if "recording" in settings:
        return Recording(settings, folder, settings["recording"])
    if len(words) > 2 and os.path.basename(words[0]) == "penrose" and words[1] == "run":
        return OwnProgram(settings, folder, words[2:])
    return Client(settings, folder, words)


# --- What the checks find ---


def read_findings(path: str) -> list[Finding]:
    """Of the SARIF file of a run; none where it was not written."""
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        results = json.load(file)["runs"][0]["results"]
    found = []
    for result in results:
        more, place = result["properties"], result["locations"][0].get("physicalLocation")
        line = f"{urllib.parse.unquote(place['artifactLocation']['uri'])}:{place['region']['startLine']}" if place else ""
        others = [Place(other["hart"], other["pc"]) for other in more["others"]]
        found.append(
            Finding(
                result["ruleId"],
                f"{more['tile'][0]}-{more['tile'][1]}",
                line or f"{more['hart']} at pc 0x{more['pc']:x}",
                result["message"]["text"],
                Place(more["hart"], more["pc"]),
                list(dict.fromkeys(others)),
            )
        )
    return found


# --- The search ---


def ways(place: Place) -> list[str]:
    return ["thread", "departure", "arrival", ""] if place.hart.startswith("trisc") else ["departure", "arrival", ""]


def delays_of(finding: Finding) -> Iterator[Delay]:
    """All that may make it fail: first whom the finding relies on, then the hart of the finding itself."""
    for cycles in LADDER:
        for place in [*finding.others, finding.own]:
            for what in ways(place):
                yield Delay(place, what, cycles)


class Hunt:
    def __init__(self, program: Program, jobs: int) -> None:
        self.program, self.pool = program, concurrent.futures.ThreadPoolExecutor(jobs)
        self.jobs, self.runs = jobs, 1
        self.right = program.start([])
        if not self.right.is_done:
            raise Refusal(f"hunt: the program fails as it is: {self.right.text}")

    def start(self, options: list[str]) -> str | None:
        """How it fails under these options; None: it does not."""
        outcome = self.program.start(options)
        if outcome == self.right or (outcome.is_done and outcome.results == self.right.results):
            return None
        return "its results differ" if outcome.is_done else outcome.text

    def first(self, tries: list[list[str]]) -> tuple[list[str], str] | None:
        """The first of these that fails; several run at a time."""
        for begin in range(0, len(tries), self.jobs):
            batch = tries[begin : begin + self.jobs]
            self.runs += len(batch)
            for options, failure in zip(batch, self.pool.map(self.start, batch)):
                if failure:
                    return options, failure
        return None

    def fails(self, delays: list[Delay]) -> tuple[Delay, str] | None:
        found = self.first([["--delay", str(delay)] for delay in delays])
        return (next(delay for delay in delays if str(delay) == found[0][1]), found[1]) if found else None

    def smallest(self, delay: Delay, failure: str, finding: Finding) -> tuple[Delay, str]:
        """On one tile, at one time, for as few cycles as it still fails."""
        best = delay, failure
        best = self.fails([best[0]._replace(tile=finding.tile)]) or best
        best = self.fails([best[0]._replace(number=number) for number in range(1, MOST_HELD + 1)]) or best
        least, cycles = 0, best[0].cycles  # it does not fail at the one, and does at the other
        while cycles - least > 1 + cycles // 8:
            middle = (least + cycles) // 2
            found = self.fails([best[0]._replace(cycles=middle)])
            best = found or best
            least, cycles = (least, middle) if found else (middle, cycles)
        return best

    def hunt(self, finding: Finding) -> tuple[Delay, str] | None:
        found = self.fails(list(delays_of(finding)))
        return self.smallest(*found, finding) if found else None

    def findings(self, checks: str) -> list[Finding]:
        report = os.path.join(self.program.folder, "findings.sarif")
        self.program.start(["--check=" + checks, "--report=" + report])
        self.runs += 1
        return read_findings(report)

    def schedules(self, count: int) -> tuple[list[str], str] | None:
        return self.first([["--schedule", f"random:{seed}"] for seed in range(1, count + 1)])


class Search:
    """Finds failures, and tells what it does line by line, unless all is told at the end as JSON."""

    def __init__(self, settings: Settings, program: Program) -> None:
        self.settings, self.is_json = settings, "json" in settings
        self.hunt = Hunt(program, int(settings["jobs"]))
        self.told: list[dict[str, Any]] = []
        self.failures = 0

    def say(self, text: str) -> None:
        if not self.is_json:
            say(text)
            sys.stdout.flush()  # the next run may take long

    def tell_failure(self, options: list[str], text: str) -> dict[str, str]:
        self.failures += 1
        option, command = " ".join(options), self.hunt.program.reproduces(options)
        self.say(f"  with {option}: {text}")
        self.say(f"  {command}")
        return {"option": option, "text": text, "command": command}

    def hunt_finding(self, finding: Finding) -> None:
        self.say(f"{finding.kind}: {finding.where}: {finding.text}")
        told: dict[str, Any] = {"kind": finding.kind, "where": finding.where, "text": finding.text}
        found = self.hunt.hunt(finding)
        if found:
            told["failure"] = self.tell_failure(["--delay", str(found[0])], found[1])
        else:
            self.say("  no delay has made it fail")
        self.told.append(told)

    def hunt_schedules(self, count: int) -> dict[str, str] | None:
        found = self.hunt.schedules(count)
        if not found:
            return None
        self.say("it fails in another way" if self.told else "it fails without a finding")
        return self.tell_failure(*found)

    def hunt_all(self) -> int:
        for finding in self.hunt.findings(self.settings["check"]):
            self.hunt_finding(finding)
        count = 0 if self.failures else int(self.settings["schedules"])
        schedule = self.hunt_schedules(count)
        status = FAILS if self.failures else 0
        if self.is_json:
            schedules = {"schedule": schedule} if schedule else {}
            result = {"outcome": "failed" if status else "done", "exit_status": status, "findings": self.told}
            write_json(self.settings, {**result, **schedules, "runs": self.hunt.runs})
        else:
            counts = ((len(self.told), "finding"), (self.failures, "failure"), (self.hunt.runs, "run"))
            note("hunt: " + ", ".join(f"{count} {name}{'s' * (count != 1)}" for count, name in counts))
        return status


def run(settings: Settings, words: list[str]) -> int:
    with tempfile.TemporaryDirectory(prefix="penrose-hunt.") as folder:
        return Search(settings, program_of(settings, words, folder)).hunt_all()
