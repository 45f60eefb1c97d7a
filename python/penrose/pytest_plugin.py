"""pytest --penrose [CARD] or --penrose-cluster FILE: tests of ttnn, UMD and the like run on Penrose.

The environment is set before anything is collected, so before ttnn is imported: that of `penrose exec`.
A test in which a guest fault stops a hart, or in which the device hangs, fails with the report, even
where the test itself did not look. Warnings are shown with tests that fail for another reason.

tt-metal waits for a hung device for ever. Here such a wait ends with an exception, by PENROSE_ON_HANG,
unless you set that; and after 30 s in fast dispatch, unless you set TT_METAL_OPERATION_TIMEOUT_SECONDS.
"""

from __future__ import annotations

import copy
import os
import tempfile
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from ._installation import environment

HANGS = ("the host keeps polling", "the host has been polling in vain")
PREFIX = "penrose: "
USUAL = {"--penrose": "unharvested", "--penrose-check": "all"}


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("penrose", "Penrose, an emulator of Tenstorrent Blackhole")
    group.addoption(
        "--penrose",
        nargs="?",
        const=USUAL["--penrose"],
        metavar="CARD",
        help="run on Penrose: --penrose, or --penrose=CARD with unharvested (default), p150a, p100a or p100, or with "
        "several chips p300, p300x2, quietbox or galaxy",
    )
    group.addoption(
        "--penrose-cluster",
        metavar="FILE",
        help="run on the chips that UMD's cluster descriptor FILE names, in place of a card",
    )
    group.addoption(
        "--penrose-check",
        nargs="?",
        const=USUAL["--penrose-check"],
        metavar="CHECK,...",
        help="run on Penrose and look for mistakes of kernels that hurt only sometimes: --penrose-check (all), or "
        "--penrose-check=noc,cb and so on, also races, memory, uninit and config; a test in which one is found fails",
    )
    group.addoption(
        "--penrose-exec",
        default="",
        metavar="OPTIONS",
        help="further options of `penrose exec`, such as '--fast-dispatch --policy all=stop'",
    )


def stopping_kinds(text: str) -> set[str]:
    """The kinds of fault that stop a hart, with PENROSE_POLICY as it stands: "all=warn,KIND=stop"."""
    from ._library import DEFAULT_POLICIES

    policies = dict(DEFAULT_POLICIES)
    for rule in filter(None, text.split(",")):
        kind, _, policy = rule.partition("=")
        for name in policies if kind == "all" else [kind]:
            policies[name] = DEFAULT_POLICIES.get(name, policy) if policy == "default" else policy
    return {name for name, policy in policies.items() if policy == "stop"}


def finding_kinds() -> set[str]:
    """The kinds of fault that only warn unless PENROSE_POLICY says otherwise: those of checks are among them."""
    from ._library import DEFAULT_POLICIES

    return {name for name, policy in DEFAULT_POLICIES.items() if policy == "warn"}


class Reports:
    """What the library adds to the file that PENROSE_REPORT names."""

    def __init__(self, path: Path, failing: set[str]) -> None:
        self.path, self.failing = path, failing
        self.seen = path.stat().st_size if path.exists() else 0

    def take(self) -> tuple[str, bool]:
        """What is new, and whether a test must fail for it."""
        try:
            with open(self.path, encoding="utf-8", errors="replace") as file:
                file.seek(self.seen)
                text = file.read()
                self.seen = file.tell()
        except FileNotFoundError:
            return "", False
        heads = [line.removeprefix(PREFIX) for line in text.splitlines() if line.startswith(PREFIX)]
        fails = any(head.startswith(HANGS) or head.partition(":")[0] in self.failing for head in heads)
        return text, fails


class Plugin:
    def __init__(self, reports: Reports) -> None:
        self.reports = reports

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, None]:
        outcome = yield
        result: pytest.TestReport = outcome.get_result()
        text, fails = self.reports.take()
        if not text:
            return
        if fails and result.outcome != "failed":
            result.outcome = "failed"
            result.longrepr = f"{item.nodeid} ({call.when}): a fault or a hang on the device\n{text}"
        else:
            result.sections.append(("Penrose", text))


def with_values(words: list[str]) -> list[str]:
    """Without a value by "=" our options have their usual one: what comes behind them is a file."""
    return [f"{word}={USUAL[word]}" if word in USUAL else word for word in words]


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config, parser: pytest.Parser, args: list[str]) -> None:
    args[:] = with_values(args)
    options = parser.parse_known_args(args, namespace=copy.copy(early_config.option))
    early_config.known_args_namespace = options
    cluster = options.penrose_cluster
    if options.penrose is None and cluster is None and options.penrose_check is None:
        return
    card = None if cluster and options.penrose == USUAL["--penrose"] else options.penrose
    checks = ["--check", options.penrose_check] if options.penrose_check else []
    try:
        variables = environment(card, *checks, *options.penrose_exec.split(), cluster=cluster)
    except (OSError, RuntimeError, ValueError) as error:
        raise pytest.UsageError(f"--penrose{'-cluster' if cluster else ''}: {error}") from error
    for name, value in variables.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
    os.environ.setdefault("TT_METAL_OPERATION_TIMEOUT_SECONDS", "30")
    os.environ.setdefault("PENROSE_ON_HANG", "throw")
    if not os.environ.get("PENROSE_REPORT"):
        folder = tempfile.mkdtemp(prefix="penrose-pytest-")
        os.environ["PENROSE_REPORT"] = os.path.join(folder, "report.txt")
        early_config.add_cleanup(lambda: remove(folder))
    failing = stopping_kinds(os.environ.get("PENROSE_POLICY", ""))
    if checks:
        failing |= finding_kinds()
    reports = Reports(Path(os.environ["PENROSE_REPORT"]), failing)
    early_config.pluginmanager.register(Plugin(reports), "penrose-reports")


def remove(folder: str) -> None:
    """The folder of reports; what was made in a child process may be there too."""
    for path in Path(folder).glob("*"):
        path.unlink()
    Path(folder).rmdir()
