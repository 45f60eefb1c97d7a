"""A pytest plugin: records what happens, and keeps the kernels that LLK's suite has compiled.

SUITE_RECORD names the record: a JSON object a line, written at once, so that nothing is lost when a
library under test ends the process. {"event": "start", "id": ...} when a variant begins, {"event":
"end", "id", "when", "outcome", "seconds", "cpu", "text"} for its outcome (and for a failing setup or
teardown), {"event": "counts", ...} with what abi_count.c counted, where that is in use.

After a variant that failed on the simulator (not in the compiler) the session stops; sample.py
starts a fresh process for the rest, because a failed variant may leave the chip in any state.

LLK's suite throws its compiled kernels away when a session starts. Each has a folder of its own that
is named by a hash of all that goes into it, and is marked when it is complete, so keeping them is
safe; LLK_KEEP_KERNELS=1 does that.
"""
import ctypes
import json
import os
import resource
import time

import pytest

LONGEST_TEXT = 12000
COMPILER_WORDS = ("error:", "Error:", "undefined reference", "ld-new", "returned 1 exit")


def compiler_failed(text):
    return "riscv-tt-elf" in text and any(word in text for word in COMPILER_WORDS)


class Counts:
    """The counters of the counting library; nothing if another library is under test."""

    NAMES = ("ns", "clocks", "reads", "writes", "clock_ns")

    def __init__(self):
        path = os.environ.get("ABI_COUNT_FILE")
        found = path and os.path.exists(path)
        self.file = open(path, "rb", buffering=0) if found else None  # else it reads old bytes

    def read(self):
        if self.file is None:
            return None
        self.file.seek(0)
        block = self.file.read(8 * len(self.NAMES))
        return list((ctypes.c_uint64 * len(self.NAMES)).from_buffer_copy(block))


def cpu():
    """User time of this process, all threads, without the compilers that it starts."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_utime


class Recorder:
    def __init__(self, path):
        self.file = open(path, "a", buffering=1)
        self.session = None
        self.stop = False
        self.counts = None
        self.before = None
        self.began = 0

    def put(self, event, variant, **more):
        self.file.write(json.dumps(dict(event=event, id=variant, **more)) + "\n")

    def pytest_sessionstart(self, session):
        self.session = session

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logstart(self, nodeid):
        self.stop = False
        self.put("start", nodeid, at=time.time())
        os.write(2, f"\n@@@ {nodeid}\n".encode())  # report.py finds the variant's output by this
        self.counts = self.counts or Counts()
        self.before = self.counts.read()
        self.began = cpu()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report):
        if report.passed and report.when != "call":
            return
        text = "" if report.passed else str(report.longrepr)
        if report.failed and not compiler_failed(text):
            self.stop = True
        if len(text) > LONGEST_TEXT:
            text = text[: LONGEST_TEXT // 2] + "\n...\n" + text[-LONGEST_TEXT // 2 :]
        self.put("end", report.nodeid, when=report.when, outcome=report.outcome,
                 seconds=round(report.duration, 3), cpu=round(cpu() - self.began, 3), text=text)

    def pytest_runtest_logfinish(self, nodeid):
        after = self.counts.read()
        if after and self.before:
            spent = {name: b - a for name, a, b in zip(Counts.NAMES, self.before, after)}
            self.put("counts", nodeid, **spent)
        if self.stop and self.session is not None:
            self.session.shouldstop = "a fresh process after a failure on the simulator"


def keep_kernels():
    """Lets the suite's clean-up spare the folder of compiled kernels."""
    from helpers import test_config

    class Files:
        """The module shutil, as far as the suite's configuration uses it."""

        def __getattr__(self, name):
            return getattr(shutil, name)

        @staticmethod
        def rmtree(path, *args, **kwargs):
            if str(path) != str(test_config.TestConfig.ARTEFACTS_DIR.absolute()):
                shutil.rmtree(path, *args, **kwargs)

    shutil = test_config.shutil
    test_config.shutil = Files()


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config):
    config.pluginmanager.register(Recorder(os.environ["SUITE_RECORD"]), "suite-recorder")
    if os.environ.get("LLK_KEEP_KERNELS") == "1":
        keep_kernels()
