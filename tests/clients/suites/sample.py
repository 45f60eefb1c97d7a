#!/usr/bin/env python3
"""Runs a sample of a pytest suite, file by file, on the library that TT_METAL_SIMULATOR names.

  sample.py --suite llk|ttnn|ccl --tests FOLDER --out FOLDER [options] [SELECTION...]

FOLDER of --tests is where pytest is to run: LLK's python_tests, or a checkout of tt-metal, whose
tests/ttnn/unit_tests are the suite ttnn; its tests of collectives between Blackholes are the suite ccl.
SELECTION is test files or node ids, taken whole; without one, every file that uses the device gives
--sample variants, chosen by --seed; with --beginnings every line of that list does, and other variants
are left out. Variants of a file share a
process, and so a simulated chip, as on silicon; when one fails on the simulator or ends the process,
the rest go on in a fresh one.

With --portion it goes on through all variants for that many minutes: --sample of them of each file in
turn, each the one with most pairs of values of parameters that have not run together; variants that have
no such pair come when no file has any other. Those of --quarter come after the others. What has run is not
run again, unless it failed and --version is another one now.

In --out: collected.txt (all node ids; made once), files/<file>.jsonl (record.py), files/<file>.log,
files/<file>.json (what the run of the file was; one that has left nothing is not run again); with
--portion also done.jsonl (report.py's Progress: the outcome of each variant that has run).
"""
import argparse
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import zlib
from concurrent.futures import ThreadPoolExecutor

import report

TAIL = 4000

# These files test the suite's own Python code and need no device.
HOST_ONLY = frozenset("""
    test_compare_test_and_perf test_out_of_tree_contract test_parametrize
    test_perf_baseline_from_warehouse test_perf_gate_slack_notify test_perf_header_gate
    test_perf_merge test_perf_migrate test_perf_nightly_health test_perf_package test_perf_parquet
    test_perf_publish_run test_perf_regression_compare test_perf_report_hw_free
    test_sfpu_accuracy_budget test_sfpu_domains test_sfpu_plot test_test_config
    test_ttsim_error_report test_ulp test_ulp_budget_diff test_ulp_gate test_ulp_sweep
    """.split())


class Suite:
    """What pytest is told, where the tests are in --tests, files that need no device, and whether a quarter of
    the variants is left for releases."""

    def __init__(self, arguments, root, host_only=frozenset(), has_quarter=True):
        self.arguments, self.root, self.host_only = arguments, root, host_only
        self.has_quarter = has_quarter


SUITES = {
    "llk": Suite(["--run-simulator", "-m",
                  os.environ.get("MARK") or "not quasar and not perf and not accuracy"], ".",
                 HOST_ONLY),
    "ttnn": Suite(["-o", "addopts=--import-mode=importlib"], "tests/ttnn/unit_tests"),
    "ccl": Suite(["-o", "addopts=--import-mode=importlib"],
                 "tests/ttnn/unit_tests/operations/ccl/blackhole_CI", has_quarter=False),
}


def arguments():
    parser = argparse.ArgumentParser(description="Run a sample of a pytest suite.")
    parser.add_argument("--suite", choices=SUITES, default="llk")
    parser.add_argument("--tests", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--kernels", type=pathlib.Path, help="folder that keeps compiled kernels")
    parser.add_argument("--sample", type=int, default=8, help="variants a file; 0 is all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2, help="files at once")
    parser.add_argument("--file-seconds", type=float, default=600)
    parser.add_argument("--variant-seconds", type=int, default=90)
    parser.add_argument("--files", default="", help="regular expression of files to sample from")
    parser.add_argument("--quarter", action="store_true",
                        help="sample from the quarter that is otherwise left for releases")
    parser.add_argument("--portion", type=float, metavar="MINUTES", default=0,
                        help="go on through all variants for that long")
    parser.add_argument("--version", default="", help="of the library under test, for the progress")
    parser.add_argument("--beginnings", type=pathlib.Path,
                        help="a list of what node ids begin with, as pytest's --deselect takes it; "
                             "--sample is variants of each, and nothing else is run")
    parser.add_argument("--ids", type=pathlib.Path,
                        help="a list of node ids, a line each (# begins a comment); one session")
    parser.add_argument("selection", nargs="*")
    return parser.parse_args()


PYTEST_ARGUMENTS = ["-q", "-p", "no:sugar", "-p", "no:cacheprovider", "-o", "log_cli=false"]
HERE = pathlib.Path(__file__).resolve().parent


def in_quarter(line):
    return zlib.crc32(line.encode()) % 4 == 3


def lines_of(file):
    """Those that are not empty and no comments."""
    return tuple(line for line in file.read_text().splitlines() if line and line[0] != "#")


def stem_of(file):
    return file.replace("/", "__").removesuffix(".py")


class Sampler:
    def __init__(self, options):
        self.options = options
        self.suite = SUITES[options.suite]
        self.pytest = PYTEST_ARGUMENTS + self.suite.arguments
        self.tests = options.tests.resolve()
        self.out = options.out.resolve()
        self.local = threading.local()
        self.beginnings = lines_of(options.beginnings) if options.beginnings else ()
        self.files = self.out / "files"
        self.files.mkdir(parents=True, exist_ok=True)
        self.progress = report.Progress(self.out / "done.jsonl") if options.portion else None
        self.stuck = set()  # files whose sessions fail: another portion tries again
        self.end = time.time() + 60 * options.portion

    def collect(self):
        """A dictionary of the files and the node ids to choose from."""
        kept = self.out / "collected.txt"
        selection = self.options.selection
        if self.beginnings:
            selection = sorted({line.split("::")[0] for line in self.beginnings})
            selection = [file for file in selection if (self.tests / file).exists()]
        if selection or not kept.exists():
            found = subprocess.run(
                [sys.executable, "-m", "pytest"] + self.pytest
                + ["--collect-only", "--continue-on-collection-errors"]
                + (selection or [self.suite.root]),
                cwd=self.tests, capture_output=True, text=True, errors="replace")
            (self.out / "collect.log").write_text(found.stdout[-50 * TAIL :] + found.stderr)
            lines = [line for line in found.stdout.splitlines()
                     if re.match(r"[\w./-]+\.py::", line)
                     and " at 0x" not in line  # an address of that process: no other has the name
                     and (selection or pathlib.Path(line.split("::")[0]).stem
                          not in self.suite.host_only)]
            if not selection:
                kept.write_text("\n".join(lines))
        else:
            lines = kept.read_text().splitlines()
        files = {}
        for line in lines:
            if self.beginnings and not line.startswith(self.beginnings):
                continue
            if selection or self.progress or not self.suite.has_quarter or \
                    in_quarter(line) == self.options.quarter:
                files.setdefault(line.split("::")[0], []).append(line)
        return {file: ids for file, ids in files.items()
                if self.options.selection or re.search(self.options.files, file)}

    def choose(self, file, ids):
        if self.progress or self.options.selection or not 0 < self.options.sample < len(ids):
            return list(ids)
        chosen = set()
        for beginning in self.beginnings or [file]:
            those = [variant for variant in ids if variant.startswith(beginning)]
            chance = random.Random(f"{self.options.seed}:{beginning}")
            chosen.update(chance.sample(those, min(len(those), self.options.sample)))
        return sorted(chosen)

    def portion(self, file, ids, new_pairs):
        """The variants of a file that a portion runs next: only such as have new pairs of values, or any."""
        rest = [line for line in ids if self.progress.wants(line, self.options.version)]
        random.Random(f"{self.options.seed}:{file}").shuffle(rest)
        rest.sort(key=in_quarter)
        number = self.options.sample or len(rest)
        failed = [line for line in rest if line in self.progress.done]
        if failed or not new_pairs:
            return (failed or rest)[:number]
        begin = sum(not in_quarter(line) for line in rest)
        chosen = report.cover(rest[:begin], self.progress.pairs, number)
        return chosen or report.cover(rest[begin:], self.progress.pairs, number)

    def todo(self, files):
        """Files with variants to run, and these."""
        if not self.progress:
            again = bool(self.options.selection or self.options.ids)
            return [(file, ids) for file, ids in sorted(files.items())
                    if again or not self.finished(file)]
        rank = {file: (all(report.function_of(line) in self.progress.pairs for line in ids),
                       sum(line in self.progress.done for line in ids) / len(ids))
                for file, ids in files.items()}
        for new_pairs in (True, False):
            work = [(file, self.portion(file, files[file], new_pairs))
                    for file in sorted(files, key=lambda file: (rank[file], file)) if file not in self.stuck]
            work = [(file, chosen) for file, chosen in work if chosen]
            if work:
                return work
        return []

    def environment(self, temporary, record):
        kernels = self.options.kernels.resolve() if self.options.kernels else temporary
        kernels.mkdir(parents=True, exist_ok=True)
        return dict(os.environ, RUNNER_TEMP=str(kernels), TMPDIR=str(temporary),
                    SUITE_RECORD=str(record), LLK_KEEP_KERNELS="1" if self.options.kernels else "0",
                    PATH=f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}",
                    OMP_NUM_THREADS="1", PYTHONDONTWRITEBYTECODE="1", PYTHONUNBUFFERED="1",
                    PYTHONPATH=f"{HERE}:{self.tests}")

    def finished(self, file):
        run = self.files / f"{stem_of(file)}.json"
        return run.exists() and not json.loads(run.read_text())["left"]

    def run_file(self, file, ids):
        if self.progress and time.time() > self.end:
            return
        stem = stem_of(file)
        chosen = self.choose(file, ids)
        temporary = pathlib.Path(tempfile.mkdtemp(prefix="suite-"))  # UMD's socket has a short name
        record, log = self.files / f"{stem}.jsonl", self.files / f"{stem}.log"
        for old in (record, log):
            old.unlink(missing_ok=True)
        start, left, processes, capped = time.time(), chosen, 0, False
        while left and not capped:
            before = len(left)
            rest = self.options.file_seconds - (time.time() - start)
            environment = self.environment(temporary, record)
            code, text = self.run_process(stem, left, environment, log, rest)
            processes += 1
            done, current = outcomes_in(record)
            if current:  # the process ended inside this variant
                outcome = "cap" if code is None else "died"
                with open(record, "a") as lines:
                    lines.write(json.dumps(dict(event="end", id=current, when="call",
                                                outcome=outcome, seconds=0, code=code,
                                                text=text)) + "\n")
                done.add(current)
            left = [variant for variant in left if variant not in done]
            capped = time.time() - start > self.options.file_seconds
            if len(left) == before:
                break  # nothing ran: the session itself fails, see the log
        shutil.rmtree(temporary, ignore_errors=True)
        run = dict(file=file, collected=len(ids), sampled=len(chosen), left=len(left),
                   processes=processes, wall=round(time.time() - start, 1))
        (self.files / f"{stem}.json").write_text(json.dumps(run))
        if self.progress and not self.progress.add(self.files / f"{stem}.json", self.options.version):
            self.stuck.add(file)
        print(f"{file}: {run['wall']} s, {len(chosen) - len(left)} of {len(chosen)} run, "
              f"{processes} processes", flush=True)

    def run_process(self, stem, variants, environment, log, seconds):
        """Exit code, None where it had to be stopped; and the end of what it printed."""
        names = self.files / f"{stem}.args"  # pytest reads arguments from @file
        names.write_text("\n".join(variants) + "\n")
        arguments = self.pytest + ["-s", "-p", "record",
                                        f"--timeout={self.options.variant_seconds}", f"@{names}"]
        begin = log.stat().st_size if log.exists() else 0
        if not hasattr(self.local, "warm"):
            self.local.warm = Warm()
        code = self.local.warm.run(arguments, environment, self.tests, log, max(5, seconds))
        return code, log.read_bytes()[begin:][-TAIL:].decode(errors="replace")


class Warm:
    """A warm.py and the session that it runs, one at a time."""

    def __init__(self):
        self.process = subprocess.Popen(
            [sys.executable, str(HERE / "warm.py")], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            text=True, env=dict(os.environ, OMP_NUM_THREADS="1"))

    def run(self, arguments, environment, folder, log, seconds):
        """The exit code, or None if the session had to be stopped."""
        job = dict(arguments=arguments, environment=environment, folder=str(folder), log=str(log))
        self.process.stdin.write(json.dumps(job) + "\n")
        self.process.stdin.flush()
        pid = int(self.process.stdout.readline())
        stopped = threading.Event()

        def stop():
            stopped.set()
            os.killpg(pid, signal.SIGKILL)

        timer = threading.Timer(seconds, stop)
        timer.start()
        code = int(self.process.stdout.readline())
        timer.cancel()
        return None if stopped.is_set() else code


def outcomes_in(record):
    """Node ids that have an outcome, and the one that was under way."""
    done, current = set(), None
    for line in record.read_text().splitlines() if record.exists() else []:
        try:
            event = json.loads(line)
        except ValueError:
            continue  # cut off when the process ended
        if event["event"] == "start":
            current = event["id"]
        elif event["event"] == "end":
            done.add(event["id"])
            current = None if event["id"] == current else current
    return done, current


def main():
    options = arguments()
    sampler = Sampler(options)
    if options.ids:
        options.sample = 0
        files = {options.ids.stem: list(lines_of(options.ids))}
    else:
        files = sampler.collect()
    print(f"{sum(map(len, files.values()))} variants in {len(files)} files", flush=True)
    with ThreadPoolExecutor(options.jobs) as pool:
        todo = sampler.todo(files)
        while todo:
            list(pool.map(lambda work: sampler.run_file(*work), todo))
            more = sampler.progress and time.time() < sampler.end
            todo = sampler.todo(files) if more else []
    sys.exit(0 if files else 1)


if __name__ == "__main__":
    main()
