#!/usr/bin/env python3
"""Mutants of the vendor's LLK and of the kernels of ttnn that use it: what each does, and whether the checks name it.

    tests/checks/llk-mutations.py --out DIR --ttnn FOLDER --python PYTHON --sfpi FOLDER [--seed N] [--count N]

FOLDER is the package of ttnn in the environment of PYTHON (.../site-packages/ttnn). OPERATIONS are run with mutated
copies of its sources; nothing of it is changed. A mutant runs once, with all checks, by `penrose exec`. What is said of
mutations.py, whose table this is, holds here, too. Only statements that the operation's programs execute are mutated.
Reports of what the operations do without a mutation do not count.

Exit codes: 0 done, 1 an operation without mutation fails.
"""

import argparse
import csv
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

import mutations
from mutations import BUFFERS, NOC, RACES, SHORT, Operator

LLK = "tt_metal/tt-llk/tt_llk_blackhole"
OPERATIONS = ("add", "matmul", "exp", "sum")
PROCESSORS = ("brisc", "ncrisc", "trisc0", "trisc1", "trisc2")
MOST_SECONDS = 600

OPERATORS = [
    Operator("wait for a unit", r"TTI_STALLWAIT|tensix_sync|mop_sync", RACES | SHORT),
    Operator("semaphore", r"(?:\w+::)?(?:t6_)?semaphore_(?:post|get)\w*|TTI?_SEM\w+|math_dest_wait|\w+_semaphores|"
             r"tile_regs_\w+|wait_for_next_context|noc_semaphore_\w+", RACES | NOC | BUFFERS),
    Operator("barrier", r"noc_async_\w+_(?:barrier|flushed)|noc\w*\.async_\w*(?:barrier|flushed)", NOC | RACES),
    Operator("NOP", r"TTI_(?:DMA)?NOP", RACES | SHORT),
    Operator("cb_wait_front", r"cb_wait_front|\w+\.wait_front", BUFFERS | {"undefined-data"}),
    Operator("cb_reserve_back", r"cb_reserve_back|\w+\.reserve_back", BUFFERS),
    Operator("data valid", r"p_setrwc::CLR_AB?B?\b", RACES, lambda found: "p_setrwc::CLR_NONE"),
    Operator("restore", r"TTI?_SETRWC|TTI?_SETADC\w*|TTI?_SETC16|switch_config_context|unpacker_iteration_cleanup", None),
    Operator("init", r"cfg_reg_rmw_tensix|cfg\[|TTI?_WRCFG|TTI?_SETDMAREG|\w*(?:configure|_init)\w*|\.set\(|set_packer_\w+|"
             r"\w+\.program|load_replay_buf", None),
    Operator("operand", r"((?:[(,] ?|\.\w+ = ))(\d+)(?=[,);}])", None, mutations.one_more),
    Operator("bound", r" (<) (?=[\w(>.-]+;)", None, lambda found: " <= "),
]
EVENTS = [
    (r"TTI_SEMPOST\(semaphore::t6_sem\(index", r"nobody posts semaphore "), # whichever its callers name
    (r"TTI_SEMGET\(semaphore::t6_sem\(index", r"nobody takes from semaphore "),
    (r"set_math_semaphores|tile_regs_commit|semaphore_post.*MATH_PACK", r"nobody posts semaphore 1\b"),
    (r"tile_regs_release|semaphore_get.*MATH_PACK", r"nobody takes from semaphore 1\b"),
    (r"semaphore_get.*UNPACK_SYNC", r"nobody (?:takes from|posts or takes Tensix) semaphore 5\b"),
    (r"semaphore_post.*UNPACK_SYNC", r"nobody posts semaphore 5\b"),
    (r"CLR_DVALID_Src(?:A|B)_Disable", r"does not give Src(?:A|B) back, as CLR_DVALID_Src(?:A|B)_Disable is set"),
    (r"CLR_AB?\b", r"does not give SrcA back"),
    (r"CLR_A?B\b", r"does not give SrcB back"),
]


class Root:
    """A copy of the package in which sources may change: links to everything else."""

    def __init__(self, folder, options):
        self.folder, self.options = folder, options
        self.package = pathlib.Path(options.ttnn).resolve()
        if not folder.is_dir():
            part = folder.with_name(folder.name + ".part")
            shutil.rmtree(part, ignore_errors=True)
            self.copy_to(part)
            part.rename(folder)
        self.out = folder.parent
        self.cache = self.out / "cache"
        device = self.out / "device"
        device.mkdir(exist_ok=True)
        tools = self.out / "tools"
        tools.mkdir(exist_ok=True)
        for link, target in ((device / "libttsim.so", options.library), (tools / "sfpi-7.87.0", options.sfpi)):
            link.unlink(missing_ok=True)
            link.symlink_to(pathlib.Path(target).resolve())
        shutil.copy(self.package / "tt_metal/soc_descriptors/blackhole_140_arch.yaml", device / "soc_descriptor.yaml")

    def copy_to(self, folder):
        folder.mkdir(parents=True)
        for path in self.package.iterdir():
            if path.name not in ("tt_metal", "ttnn"):
                (folder / path.name).symlink_to(path)
        shutil.copytree(self.package / "ttnn", folder / "ttnn")
        (folder / "tt_metal").mkdir()
        for path in (self.package / "tt_metal").iterdir():
            if path.name in ("tt-llk", "hw", "api"):
                shutil.copytree(path, folder / "tt_metal" / path.name)
            else:
                (folder / "tt_metal" / path.name).symlink_to(path)

    def run(self, operation, *options):
        """(what it does, its result, what was said)"""
        environment = {**os.environ, "TT_METAL_RUNTIME_ROOT": str(self.folder), "TT_METAL_CACHE": str(self.cache),
                       "PENROSE_CACHE": str(self.out / "tools"), "PENROSE_CHECK": "all", "PENROSE_ON_HANG": "stop"}
        command = [self.options.penrose, "exec", "--quiet", "--library", str(self.out / "device/libttsim.so"), *options, "--",
                   self.options.python, str(mutations.HERE / "llk_programs.py"), operation]
        try:
            ran = subprocess.run(command, cwd=self.out, env=environment, capture_output=True, text=True, check=False,
                                 timeout=MOST_SECONDS)
        except subprocess.TimeoutExpired as over:
            said = (over.stdout or b"") + (over.stderr or b"") # bytes, also of a run in text mode
            return "timeout", "", said.decode(errors="replace")
        said = ran.stdout + ran.stderr
        output = re.search(r"^result (\w+)", said, re.M)
        if output:
            return "same", output.group(1), said
        if re.search(r"error: |Failed to (?:compile|build)|build failed", said):
            return "does not compile", "", said
        if "deadlock" in said or "root cause" in said:
            return "deadlock", "", said
        return "fault" if mutations.findings(as_faults(said)) else "hang", "", said

    def programs(self):
        return [path for path in sorted(self.cache.glob("*/kernels/*/*/*/*.elf")) if path.stem in PROCESSORS]

    def lines(self):
        """{file: lines} that the programs name."""
        lines = {}
        for path in self.programs():
            shown = subprocess.run([self.options.readelf, "-W", "--debug-dump=decodedline", path], capture_output=True,
                                   text=True, check=False).stdout
            for name, line in re.findall(r"^([\w.-]+\.\w+) +(\d+) ", shown, re.M):
                lines.setdefault(name, set()).add(int(line))
        return lines

    def code(self, since=0):
        """{program: hash} of those that were linked since, without debug information."""
        code, plain = {}, self.out / "plain"
        for path in self.programs():
            if path.stat().st_mtime >= since:
                subprocess.run([self.options.readelf.replace("readelf", "objcopy"), "-O", "binary", path, plain],
                               check=True)
                code[str(path.relative_to(self.cache))] = hashlib.sha256(plain.read_bytes()).hexdigest()
        return code


def as_faults(said):
    """Reports of the library as `penrose run` has them."""
    return re.sub(r"^penrose: ([a-z0-9]+(?:-[a-z0-9]+)+): ", r"penrose: warning: guest fault \1: ", said, flags=re.M)


def sources(root, lines):
    """Of LLK, of its API, and of ttnn's kernels: those that the programs name."""
    for pattern in (f"{LLK}/llk_lib/*.h", f"{LLK}/common/inc/*.h", "tt_metal/hw/ckernels/blackhole/metal/llk_api/*.h",
                    "ttnn/cpp/**/kernels/**/*.cpp"):
        for path in sorted(root.folder.glob(pattern)):
            if path.name in lines and "quasar" not in path.parts: # of another architecture
                yield path


def all_mutants(root, lines_of):
    """Of each operator: mutants, with the operations whose programs name their line."""
    found = {operator.name: {} for operator in OPERATORS}
    every = {}
    for operation in lines_of:
        for name, lines in lines_of[operation].items():
            every.setdefault(name, set()).update(lines)
    for path in sources(root, every):
        for line, statement, code in mutations.statements(path.read_text()):
            last = line + statement.count("\n")
            users = [operation for operation, lines in lines_of.items()
                     if any(number in lines.get(path.name, ()) for number in range(line, last + 1))]
            for operator in OPERATORS if users else ():
                for becomes in operator.apply(code):
                    mutant = mutations.Mutant(operator, str(path.relative_to(root.folder)), line, statement,
                                              becomes + statement[len(code):])
                    mutant.operation = users[0]
                    found[operator.name].setdefault(mutant.id, mutant)
    return [list(mutants.values()) for mutants in found.values()]


def changed(code, good):
    return any(good.get(program) != code[program] for program in code)


def try_mutant(root, mutant, good):
    path = root.folder / mutant.path
    text = path.read_text()
    try:
        path.write_text(mutant.apply(text))
        begin = time.time() - 1
        result, output, said = root.run(mutant.operation)
        if result != "does not compile" and not changed(root.code(begin), good[mutant.operation]["code"]):
            return {"result": "no code"}
        if result == "same" and output != good[mutant.operation]["output"]:
            result = "wrong"
        said = as_faults(said)
        judged = mutations.judge(mutant, said, mutations.places_of_findings(good[mutant.operation]["said"]))
        if judged["found"] != "at the line":
            how, cause = mutations.judge_deadlock(mutant, said, text, EVENTS)
            if mutations.WAYS.index(how) < mutations.WAYS.index(judged["found"]):
                judged = {"found": how, "kinds": ["deadlock"], "said": cause}
        (root.out / "said").mkdir(exist_ok=True)
        (root.out / "said" / mutant.id).write_text(said)
        return {"program": mutant.operation, "result": result, **judged}
    finally:
        path.write_text(text)


def executed(lines, profile):
    """Of headers, the lines of which an instruction was executed; of kernels, which call them, all lines."""
    with profile.open() as file:
        places = {(pathlib.Path(row["source"]).name, int(row["line"])) for row in csv.DictReader(file)}
    return {name: {line for line in of_file if name.endswith(".cpp") or (name, line) in places}
            for name, of_file in lines.items()}


def good_runs(root):
    """Of each operation: its result, what is said of it, and the lines of its programs."""
    good, known = {}, root.out / "good.json"
    if known.exists():
        return json.loads(known.read_text())
    for operation in OPERATIONS:
        for path in root.cache.glob("*/kernels"):
            shutil.rmtree(path)
        profile = root.out / "profile.csv"
        profile.unlink(missing_ok=True)
        result, output, said = root.run(operation, f"--profile={profile}")
        if result != "same":
            sys.exit(f"llk-mutations.py: {operation} fails without a mutation: {said[-2000:]}")
        good[operation] = {
            "output": output,
            "said": as_faults(said),
            "code": root.code(),
            "lines": {name: sorted(lines) for name, lines in executed(root.lines(), profile).items()}}
    known.write_text(json.dumps(good))
    return good


def run_all(options):
    root = Root(pathlib.Path(options.out).resolve() / "root", options)
    good = good_runs(root)
    piles = all_mutants(root, {operation: run["lines"] for operation, run in good.items()})
    log, known = root.out / "mutants.jsonl", {}
    if log.exists():
        known = {row["id"]: row for row in map(json.loads, log.read_text().splitlines())}
    rows = []
    print("statements:", {operator.name: len(pile) for operator, pile in zip(OPERATORS, piles)}, flush=True)
    for mutant in mutations.in_turns(piles, options.seed):
        if len(rows) >= options.count:
            break
        row = known.get(mutant.id) or {"id": mutant.id, "operator": mutant.operator.name, "shown": mutant.shown(),
                                       **try_mutant(root, mutant, good)}
        if mutant.id not in known:
            with log.open("a") as file:
                file.write(json.dumps(row) + "\n")
        if row["result"] in mutations.RESULTS:
            rows.append(row)
    mutations.tell(rows, mutations.equivalent_mutants(), root.out, OPERATORS)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True, metavar="DIR", help="where results and what is built go")
    parser.add_argument("--ttnn", required=True, metavar="FOLDER", help="the package of ttnn")
    parser.add_argument("--python", required=True, help="the interpreter that has it")
    parser.add_argument("--sfpi", required=True, metavar="FOLDER", help="the vendor's compiler")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--penrose", default=str(mutations.SOURCE / "build" / "penrose"))
    parser.add_argument("--library", default=str(mutations.SOURCE / "build" / ".libs" / "libttsim.so"))
    options = parser.parse_args()
    options.penrose = str(pathlib.Path(options.penrose).resolve())
    options.readelf = f"{options.sfpi}/compiler/bin/riscv-tt-elf-readelf"
    run_all(options)


if __name__ == "__main__":
    main()
