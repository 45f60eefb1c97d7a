"""A pytest plugin for the LLK suite: takes a dump of the tile that a variant has worked on.

LLK_DUMPS names a folder; each variant that passes leaves a dump there, named by a hash of its node id and its
test (docs/DUMPS.md is the format). LLK_DUMP_PARTS says which parts, separated by commas: L1 alone
unless it says more, since other simulators have no debug hardware.
"""
import os
import pathlib
import re
import sys
import zlib

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts"))

from dumps import live, writer  # noqa: E402

TILE = (1, 2)  # the first worker: where the suite runs kernels


class Dumper:
    def __init__(self, folder, parts):
        self.folder = pathlib.Path(folder)
        self.parts = parts

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report):
        if report.when != "call" or not report.passed:
            return
        from ttexalens.tt_exalens_init import GLOBAL_CONTEXT as context
        name = re.sub(r"\W+", "-", report.nodeid.split("::")[1])[:60].strip("-")
        tiles = live.capture(next(iter(context.devices.values())), [TILE], self.parts)
        writer.write(self.folder / f"{zlib.crc32(report.nodeid.encode()):08x}-{name}", tiles, "simulator",
                     command=["pytest", report.nodeid])


def pytest_configure(config):
    folder = os.environ.get("LLK_DUMPS")
    if folder:
        parts = os.environ.get("LLK_DUMP_PARTS", "l1").split(",")
        config.pluginmanager.register(Dumper(folder, parts), "llk-dumper")
