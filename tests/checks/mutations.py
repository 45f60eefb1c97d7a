#!/usr/bin/env python3
"""Mutants of kernels: what each does, and whether the checks name it.

    tests/checks/mutations.py --out DIR [--seed N] [--count N] [--jobs N] [--only ID]

A mutant is a kernel of firmware/grid, or a header that these kernels include, in which one statement is left out or
one operand is off by one (OPERATORS). Which ones follows from the seed; operators take turns, so that each gets its share.
A mutant runs twice: as it is, which shows what it does (the same results, wrong ones, a deadlock, which ends the run
with a report of who waits for whom, another hang, a fault), and with --check, which shows whether it is found. It counts
as found if a check or a rule that is always on reports a guest fault. "At the line" says that the report names a line
within three of the mutation.

A deadlock is also found if the root cause in the run's report says what the mutation has taken away: it names the event
that the missing statement would have brought about (EVENTS: the post of that semaphore, the bank of Src that is given
or given back, the word in the mailbox), or its waiter stands at the line, or in the loop that goes round once too
often. Where two wait for each other, both are waiters of the root cause.

DIR keeps what is known of each mutant, so a run that was cut goes on where it was. It also gets result.json and
table.txt, which is printed, too. A mutant that computes the same for a reason stands with the reason in
equivalent-mutants.txt beside this file, and is not counted among those that are to be found. No more than a fifth of
the mutants is left out so.

A mutant of which either run does not end in ten minutes counts as a timeout. A mutant of which either run ends as no
run should counts as a crash.

Exit codes: 0 done, 1 a kernel without mutation fails or is reported, or a run crashes, 77 no firmware or no cross
compiler.
"""

import argparse
import collections
import concurrent.futures
import hashlib
import json
import os
import pathlib
import random
import re
import shutil
import struct
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parent.parent
FIRMWARE_SET = "11660721212704224774"  # one of those for 8 DRAM banks
PROGRAMS = {  # of firmware/grid, with the result that each writes
    "add": "sum.npy",
    "copy": "copy.npy",
    "gather": "gathered.npy",
    "matmul": "product.npy",
}
SHARED = ("firmware/grid/dataflow.h", "firmware/grid/compute.h", "firmware/tensor/math.h", "firmware/tensor/pack.h",
          "firmware/tensor/unpack.h", "firmware/tensor/matmul.h", "firmware/tensor/tensor.h",
          "firmware/kernels/firmware.h", "firmware/bare/tensix.h")
NEAR = 3  # lines

RACES = {"race-dst", "race-l1", "race-state", "race-open", "config-race", "gpr-hazard", "mop-config-race"}
NOC = {"noc-unwaited", "noc-busy-buffer", "noc-source", "noc-open", "noc-order", "noc-count"}
BUFFERS = {"cb-count", "cb-access", "cb-format"}


class Operator:
    """Leaves out statements that begin so, or (with `becomes`) changes what matches in any statement. `kinds` are
    those of reports that tell what is missing; None: any."""

    def __init__(self, name, pattern, kinds, becomes=None):
        self.name, self.kinds, self.becomes = name, kinds, becomes
        self.leaves_out = becomes in (None, nothing)
        self.pattern = re.compile(pattern if becomes else r"(?:%s)\b" % pattern)

    def apply(self, text):
        """All that can be made of a statement."""
        if not self.becomes:
            return [re.sub(r"\S", "", text[:-1]) + ";"] if self.pattern.match(text.lstrip()) else []
        return [text[:found.start()] + self.becomes(found) + text[found.end():]
                for found in self.pattern.finditer(text)]


def one_more(found):
    return found.group(1) + str(int(found.group(2), 0) + 1)


def nothing(_):
    return ""


SHORT = {"bad-expansion"}  # a sequence that is replayed lacks an instruction

# What the root cause of a deadlock says where a statement is missing that matches.
EVENTS = [
    (r"(?:semaphore_post|SEMPOST)\b.*MATH_PACK", r"nobody posts semaphore 1\b"),
    (r"(?:semaphore_post|SEMPOST)\b.*DST_FILLED", r"nobody posts semaphore 2\b"),
    (r"(?:semaphore_get|SEMGET)\b.*MATH_PACK", r"nobody takes from semaphore 1\b"),
    (r"(?:semaphore_get|SEMGET)\b.*UNPACK_SYNC", r"nobody (?:takes from|posts or takes Tensix) semaphore 5\b"),
    (r"SEMAPHORE\(UNPACK_SYNC\) =", r"nobody posts semaphore 5\b|SEMGET"),
    (r"semaphore_\w+\(.*(?:READY|ready)\b", r"nobody changes L1, semaphore [02] "),
    (r"semaphore_\w+\(.*(?:VALID|valid)\b", r"nobody changes L1, semaphore [13] "),
    (r"semaphore_add\(ARRIVED", r"nobody changes L1, semaphore 0 "),
    (r"\.clear_\w+ = FLIP_(?:A|BOTH)\b", r"does not give SrcA back"),
    (r"\.clear_\w+ = FLIP_(?:B|BOTH)\b", r"does not give SrcB back"),
    (r"CLR_DVALID_Src(?:A|B)_Disable", r"does not give Src(?:A|B) back, as CLR_DVALID_Src(?:A|B)_Disable is set"),
    (r"UNPACR_WORD\(UNPACKER0", r"nobody unpacks to SrcA"),
    (r"UNPACR_WORD\(UNPACKER1", r"nobody unpacks to SrcB"),
    (r"meet\(\)|HART_MAILBOX\(\d\) =", r"sends nothing to the mailbox|a word in the mailbox from"),
    (r"meet\(\)|consume\(HART_MAILBOX", r"takes nothing of \w+ from its mailbox"),
]

OPERATORS = [
    Operator("wait for a unit", r"PUSH\(STALLWAIT|config_stored|tensix_wait", RACES | SHORT),
    Operator("semaphore", r"semaphore_\w+|math_begin|pack_begin|SEMAPHORE\(\w+\) =|(?:tensix_push\(WORD|PUSH)\(SEM\w+",
             RACES | NOC | BUFFERS),
    Operator("barrier", r"(?:read|write|atomic)_barrier|write_departure|fence|wait_for_buffer|consume",
             NOC | RACES | {"stale-load", "noc-busy-buffer"}),
    Operator("NOP", r"PUSH\((?:DMA)?NOP", RACES | SHORT),
    Operator("cb_wait_front", r"cb_wait_pages", BUFFERS | {"undefined-data"}),
    Operator("cb_reserve_back", r"cb_reserve_pages", BUFFERS),
    Operator("data valid", r"\.(?:clear_dvalid|clear_ab_vld) = \w+,? ?", RACES, nothing),
    Operator("restore", r"math_select|pack_select_half|unpack_use_context|PUSH\(SET(?:RWC|ADC\w*)", None),
    Operator("init", r"\w*configure\w*|mop_use_\w+|pack_use_tile_mop|(?:PACK_)?ADDR_MOD|dataflow_begin|meet|"
             r"config_change|thread_config|CONFIG\(\w+\) =|gpr_set|pack_strides|matmul_record_\w+", None),
    Operator("operand", r"((?:[(,] ?|\.\w+ = ))(\d+)(?=[,);}])", None, one_more),
    Operator("bound", r" (<) (?=[\w(>.-]+;)", None, lambda found: " <= "),
]


def statements(text):
    """(line, statement) of a source of ours: a statement begins a line and ends with a semicolon."""
    lines, number = text.split("\n"), 0
    while number < len(lines):
        begin, line = number, lines[number]
        number += 1
        if not re.match(r" {4,}[\w*(]", line) or re.match(r" +(?:return|else|case|default|enum|struct|const|unsigned|"
                                                           r"uint32_t|static|extern)\b", line):
            continue
        statement = line
        while not re.search(r"[;{}]\s*(?:/[*/].*)?$", statement) and number < len(lines):
            statement += "\n" + lines[number]
            number += 1
        code = re.sub(r"\s*/[*/].*$", "", statement)
        if code.endswith(";") or re.match(r" +for ", code):
            yield begin + 1, statement, code


class Mutant:
    def __init__(self, operator, path, line, statement, becomes):
        self.operator, self.path, self.line, self.statement, self.becomes = operator, path, line, statement, becomes
        text = "\n".join((operator.name, path, statement, becomes))
        self.id = hashlib.sha256(text.encode()).hexdigest()[:8]

    def apply(self, text):
        lines = text.split("\n")
        count = self.statement.count("\n") + 1
        assert "\n".join(lines[self.line - 1:self.line - 1 + count]) == self.statement
        lines[self.line - 1:self.line - 1 + count] = self.becomes.split("\n")
        return "\n".join(lines)

    def shown(self):
        before, after = " ".join(self.statement.split()), " ".join(self.becomes.split())
        return f"{self.path}:{self.line}: {before}" + ("" if after == ";" else f"  ->  {after}")


def all_mutants():
    """Of each operator, in the order of files and lines; the same statement twice in a file is one."""
    files = [*(str(path.relative_to(SOURCE)) for path in sorted(SOURCE.glob("firmware/grid/*/*.[ch]"))), *SHARED]
    found = {operator.name: {} for operator in OPERATORS}
    for path in files:
        for line, statement, code in statements((SOURCE / path).read_text()):
            for operator in OPERATORS:
                for becomes in operator.apply(code):
                    mutant = Mutant(operator, path, line, statement, becomes + statement[len(code):])
                    found[operator.name].setdefault(mutant.id, mutant)
    return [list(mutants.values()) for mutants in found.values()]


def chosen_mutants(seed):
    """All, in an order of the seed: operators take turns."""
    return in_turns(all_mutants(), seed)


def in_turns(piles, seed):
    """Of each pile one after the other, in an order of the seed."""
    number = random.Random(seed)
    for pile in piles:
        number.shuffle(pile)
    while any(piles):
        for pile in piles:
            if pile:
                yield pile.pop()


class Place:
    """A folder in which mutants are built and run, one at a time."""

    def __init__(self, folder, options):
        self.folder, self.options = folder, options
        if not (folder / "scripts").is_dir():
            folder.mkdir(parents=True)
            (folder / "scripts").mkdir()
            for name in ("link-kernels", "lib.bash"):
                shutil.copy(SOURCE / "scripts" / name, folder / "scripts" / name)
            (folder / "src").symlink_to(SOURCE / "src")
            shutil.copytree(SOURCE / "firmware", folder / "firmware")
            for program in PROGRAMS:
                text = (SOURCE / "examples" / f"{program}.json").read_text()
                text = re.sub(r'"grid": "8x[48]"', '"grid": "2x2"', text)  # more work for each tile than buffers hold
                (folder / f"{program}.json").write_text(text)
            make_inputs(folder)

    def build(self, program, kernels):
        """The text of a failure, or None."""
        shutil.rmtree(self.folder / kernels, ignore_errors=True)
        built = subprocess.run(["scripts/link-kernels", self.options.firmware, kernels, f"firmware/grid/{program}"],
                               cwd=self.folder, capture_output=True, text=True, check=False,
                               env={**os.environ, "PENROSE_CACHE": str(self.folder / "cache")})
        shutil.rmtree(self.folder / "cache", ignore_errors=True)
        if built.returncode == 77:
            print(built.stderr, end="", file=sys.stderr)
            sys.exit(77)
        return built.stderr if built.returncode else None

    def code(self, program, kernels):
        """What the programs consist of, without debug information."""
        code = {}
        for path in sorted((self.folder / kernels).glob("*.elf")):
            plain = path.with_suffix(".bin")
            subprocess.run([self.options.objcopy, "-O", "binary", path, plain], check=True)
            code[path.stem] = plain.read_bytes()
        return code

    def run(self, program, kernels, *options):
        """(what it does, what it says)"""
        output = self.folder / PROGRAMS[program]
        output.unlink(missing_ok=True)
        command = [self.options.penrose, "run", f"{program}.json", "--firmware", self.options.firmware, "--kernels",
                   kernels, "--max-cycles", "1M", "--threads", "1", *options]
        try:
            ran = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False, timeout=600)
        except subprocess.TimeoutExpired:
            return "timeout", "", ""
        result = {0: "same", 1: "fault", 3: "hang", 4: "deadlock"}.get(ran.returncode, "crash")
        data = output.read_bytes() if result == "same" and output.exists() else b""
        return result, hashlib.sha256(data).hexdigest(), ran.stderr


def make_inputs(folder):
    """Matrices in .npy files: numbers that are all different and about 1."""
    for name, rows, columns in (("a", 256, 256), ("b", 256, 256), ("shards", 64, 64)):
        number = random.Random(name)
        header = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }" % (rows, columns)
        header += " " * (-(len(header) + 11) % 64) + "\n"
        data = struct.pack(f"<{rows * columns}f", *(number.gauss(0, 1) for _ in range(rows * columns)))
        (folder / f"{name}.npy").write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() +
                                             data)


def findings(said):
    """[(kind, [(file, line)], first line)] of the guest faults in what was printed."""
    found = []
    for line in said.splitlines():
        begin = re.search(r"guest fault ([\w-]+): (.*)", line)
        if begin:
            found.append([begin.group(1), [], line.split("guest fault ", 1)[1]])
        if found and (begin or line.startswith("  ")):
            found[-1][1] += [(name, int(number)) for name, number in re.findall(r"([\w.-]+\.(?:[ch]|cpp)):(\d+)", line)]
    return found


def places_of_findings(said):
    return {(kind, tuple(places)) for kind, places, _ in findings(said)}


def loop_lines(mutant, text):
    """Of the loop at the mutation, from its first line to its last."""
    lines, depth = text.split("\n"), 0
    for number in range(mutant.line, len(lines) + 1):
        depth += lines[number - 1].count("{") - lines[number - 1].count("}")
        if depth <= 0:
            return range(mutant.line, number + 1)
    return range(mutant.line, mutant.line + 1)


def judge_deadlock(mutant, said, text, events):
    """How the root causes of a deadlock tell of the mutation: at the line, elsewhere, or not (no)."""
    name, last = pathlib.Path(mutant.path).name, mutant.line + mutant.statement.count("\n")
    lines = set(range(mutant.line - NEAR, last + NEAR + 1))
    if " for (" in mutant.statement:
        lines |= set(loop_lines(mutant, text))
    gone = mutant.statement if mutant.operator.leaves_out or mutant.operator.name == "operand" else ""
    named = ""
    for cause, waiter in re.findall(r"(?:root cause|cause elsewhere): (.*)\n +-> (.*)", said):
        places = [(file, int(line)) for file, line in re.findall(r"([\w.-]+\.(?:[ch]|cpp)):(\d+)", cause + waiter)]
        if any(file == name and line in lines for file, line in places):
            return "at the line", cause
        if any(re.search(statement, gone) and re.search(event, cause) for statement, event in events):
            named = named or cause
    return ("elsewhere", named) if named else ("no", "")


def judge(mutant, said, known=()):
    """What the checks say of it: how, in which kinds, and the first report. Findings at known places do not count."""
    found = [f for f in findings(said) if (f[0], tuple(f[1])) not in known]
    if not found:
        return {"found": "no", "kinds": [], "said": ""}
    name = pathlib.Path(mutant.path).name
    last = mutant.line + mutant.statement.count("\n")
    near = [f for f in found if any(file == name and mutant.line - NEAR <= line <= last + NEAR for file, line in f[1])]
    kinds = sorted({kind for kind, _, _ in found})

    def right(some):
        return [f for f in some if not mutant.operator.kinds or f[0] in mutant.operator.kinds]

    how = "at the line" if right(near) else "elsewhere" if right(found) else "as another kind"
    return {"found": how, "kinds": kinds, "said": (right(near) or right(found) or near or found)[0][2]}


def try_mutant(place, mutant, good):
    """None: it does not compile, or is in no program."""
    path = place.folder / mutant.path
    text = path.read_text()
    try:
        path.write_text(mutant.apply(text))
        own = re.match(r"firmware/grid/(\w+)/", mutant.path)
        for program in [own.group(1)] if own else PROGRAMS:
            if place.build(program, "mutant"):
                return {"result": "does not compile"}
            if place.code(program, "mutant") != good[program]["code"]:
                break
        else:
            return {"result": "no code"}
        result, output, _ = place.run(program, "mutant")
        if result == "same" and output != good[program]["output"]:
            result = "wrong"
        checked, _, said = place.run(program, "mutant", "--check")
        if checked in ("crash", "timeout"):
            result = checked
        judged = judge(mutant, said)
        if checked == "deadlock" and judged["found"] != "at the line":
            how, cause = judge_deadlock(mutant, said, text, EVENTS)
            if WAYS.index(how) < WAYS.index(judged["found"]):
                judged = {"found": how, "kinds": ["deadlock"], "said": cause}
        return {"program": program, "result": result, **judged}
    finally:
        path.write_text(text)


def good_programs(place):
    """What the kernels as they are consist of and compute."""
    good = {}
    for program in PROGRAMS:
        kernels = f"good-{program}"
        problem = place.build(program, kernels)
        result, output, said = place.run(program, kernels, "--check")
        if problem or result != "same" or findings(said):
            sys.exit(f"mutations.py: {program} is not right without a mutation: {problem or said}")
        good[program] = {"output": output, "code": place.code(program, kernels)}
    return good


def equivalent_mutants():
    """{id: reason}"""
    known = {}
    for line in (HERE / "equivalent-mutants.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            name, reason = line.split(None, 1)
            known[name] = reason
    return known


RESULTS = ("same", "wrong", "deadlock", "hang", "fault", "timeout", "crash")
WAYS = ("at the line", "elsewhere", "as another kind", "no")
LEFT_OUT = 5  # at most one of so many mutants is left out as equivalent


def table(rows, equivalent, operators):
    """What was found, by what the mutants do."""
    same = [row["id"] for row in rows if row["id"] in equivalent]
    left_out = same[:len(rows) // LEFT_OUT]
    counted = [row for row in rows if row["id"] not in left_out]
    found = collections.Counter((row["result"], row["found"]) for row in counted)
    lines = ["| a mutant's results | " + " | ".join("not found" if way == "no" else way for way in WAYS) +
             " | found |", "|---|" + "---|" * (len(WAYS) + 1)]
    for result in (*RESULTS, "all"):
        counts = [sum(found[one, way] for one in RESULTS if result in (one, "all")) for way in WAYS]
        if sum(counts):
            share = f"{sum(counts[:2])} of {sum(counts)}, {100 * sum(counts[:2]) // sum(counts)} %"
            lines.append(f"| {result} | " + " | ".join(map(str, counts)) + f" | {share} |")
    lines += ["", f"{len(rows)} mutants, {len(same)} of them equivalent, of which {len(left_out)} are not counted. "
              "\"Found\" is with the right class.", ""]
    lines += ["| operator | " + " | ".join("not found" if way == "no" else way for way in WAYS) + " |",
              "|---|" + "---|" * len(WAYS)]
    for operator in operators:
        of_it = collections.Counter(row["found"] for row in counted if row["operator"] == operator.name)
        lines.append(f"| {operator.name} | " + " | ".join(str(of_it[way]) for way in WAYS) + " |")
    return "\n".join(lines)


def tell(rows, equivalent, out, operators):
    text = [table(rows, equivalent, operators), "", "Not found, or as another kind:"]
    for row in rows:
        if row["found"] in ("no", "as another kind") and row["id"] not in equivalent:
            text.append(f"  {row['id']} {row['result']:5} {row['operator']:16} {row['program']:7} {row['shown']}" +
                        (f"\n{'':17}{row['said'][:160]}" if row["said"] else ""))
    (out / "table.txt").write_text("\n".join(text) + "\n")
    (out / "result.json").write_text(json.dumps(rows, indent=1) + "\n")
    print("\n".join(text))


def run_all(options):
    """The first `count` mutants that compile to something else."""
    out = pathlib.Path(options.out).resolve()
    out.mkdir(parents=True, exist_ok=True)
    known_file = out / "mutants.jsonl"
    known = {}
    if known_file.exists():
        known = {row["id"]: row for row in map(json.loads, known_file.read_text().splitlines())}
    places = [Place(out / f"place{number}", options) for number in range(options.jobs)]
    good = good_programs(places[0])
    rows, mutants = [], chosen_mutants(options.seed)
    if options.only:
        mutants = (mutant for mutant in mutants if mutant.id in options.only)
        known = {}

    def one(mutant):
        if mutant.id in known:
            return known[mutant.id]
        place = places.pop()
        try:
            row = try_mutant(place, mutant, good)
        finally:
            places.append(place)
        return {"id": mutant.id, "operator": mutant.operator.name, "shown": mutant.shown(), **row}

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool, known_file.open("a") as log:
        while len(rows) < options.count:
            batch = [mutant for _, mutant in zip(range(options.jobs), mutants)]
            if not batch:
                break
            for row in pool.map(one, batch):
                if row["id"] not in known:
                    log.write(json.dumps(row) + "\n")
                    log.flush()
                if row["result"] in RESULTS and len(rows) < options.count:
                    rows.append(row)
    tell(rows, equivalent_mutants(), out, OPERATORS)
    sys.exit(any(row["result"] == "crash" for row in rows))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True, metavar="DIR", help="where results and what is built go")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100, help="mutants, without those that compile to the same")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", action="append", metavar="ID", help="this mutant, again")
    parser.add_argument("--penrose", default=str(SOURCE / "build" / "penrose"))
    options = parser.parse_args()
    options.penrose = str(pathlib.Path(options.penrose).resolve())
    options.objcopy = os.environ.get("RISCV_CC", "riscv64-unknown-elf-gcc").removesuffix("gcc") + "objcopy"
    fetched = subprocess.run([SOURCE / "scripts/fetch-firmware", "--offline"], capture_output=True, text=True,
                             check=False)
    if fetched.returncode or not shutil.which(options.objcopy):
        print("SKIP: no firmware, or no RISC-V cross compiler")
        sys.exit(77)
    options.firmware = f"{fetched.stdout.strip()}/{FIRMWARE_SET}"
    run_all(options)


if __name__ == "__main__":
    main()
