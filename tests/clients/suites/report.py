#!/usr/bin/env python3
"""Makes a table, file by file, of what sample.py left in a folder; with two folders, compares them.

  report.py FOLDER [OTHER] [--table FILE]

Outcomes of a variant:
  passed, skipped (by the suite)
  wrong     it ran to its end and the result is not the expected one
  refused   the library ended the process with a message (ttsim), or reported a fault of the program
            that stopped the chip (Penrose)
  hung      it waited for what never comes, as Penrose's report says, and no fault came before
  timeout   it did not end, and no message says why
  died      the process ended without a message
  host      an exception of the suite itself
  lacking   its kernels include a file that the package does not have, or the test is for another
            version of the package, whose functions take other arguments
  compile   its kernels do not compile
  cap       the file's time was over

A folder in which portions have run (done.jsonl) gives how far they have come too.

Exit code 1 if a variant is none of passed, skipped and lacking (with OTHER: if one that
passed there is worse here), or if one did not run.
"""
import argparse
import collections
import heapq
import json
import pathlib
import re
import sys
import threading
import time

OUTCOMES = "passed skipped wrong refused hung timeout died host lacking compile cap".split()
FINE = ("passed", "skipped", "lacking")
MESSAGE = re.compile(r"^(?:\W*\[\d+\] ERROR: (.*)|penrose: (?:chip \d+: )?([a-z-]+: .*))$", re.M)
HUNG = re.compile(r"the host (?:keeps polling|has been polling in vain)")
ROOT_CAUSE = re.compile(r"^ .*\broot cause: (.*)$", re.M)
COMPILER = re.compile(r"(?:error|Error): (.*)|(undefined reference to .*)|(/ld: .*)")
OTHER_VERSION = re.compile(r"Error: .*(incompatible function arguments|has no attribute|"
                           r"unexpected keyword argument|No module named).*")
TELLING = re.compile(r"ssert|imeout|timed out|Error:|Exception|mismatch")
VALUES = re.compile(r"->|-|, ?")  # between two values in a node id
WARNINGS = ("config-race", "unmodelled", "host-misuse", "warning")


def message_in(output):
    for match in MESSAGE.finditer(output):
        text = match[1] or match[2]
        if not text.startswith(WARNINGS):
            return text.strip()
    return ""


def compiler_message(text):
    match = COMPILER.search(text)
    return next(filter(None, match.groups())).strip()[:160] if match else text[-160:]


def outcome_of(event, output):
    """The outcome of an event and a few words on it; output is what was printed meanwhile."""
    outcome, text = event["outcome"], event.get("text") or ""
    if outcome in ("passed", "skipped"):
        return outcome, ""
    if "riscv-tt-elf" in text and "Command" in text:
        message = compiler_message(text)
        return ("lacking" if "No such file" in message else "compile"), message
    version = OTHER_VERSION.search(text)
    if version:
        return "lacking", version[0][:160]
    message = message_in(output) or message_in(text)
    if message:
        return "refused", message
    if HUNG.search(output) and (outcome == "died" or "the host has polled the chip in vain" in text):
        cause = ROOT_CAUSE.search(output)
        return "hung", cause[1][:200] if cause else ""
    if outcome == "cap":
        return "cap", ""
    if outcome == "died":
        return "died", f"exit code {event.get('code')}"
    raised = [line[1:] for line in text.splitlines() if line.startswith("E ")]
    if raised:  # what was raised, without the source text around it, in which any word may stand
        text = "\n".join(raised)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    telling = (line for line in lines if TELLING.search(line))
    detail = next(telling, "")[:200]
    if re.search(r"imeout|timed out|TIMED OUT", text):
        return "timeout", detail
    if re.search(r"AssertionError|LLK_ASSERT|mismatch|^assert |\bassert ", text, re.M):
        return "wrong", detail
    return "host", detail


class Results:
    """Of one folder: a Variant by node id, what is known of each file, and times."""

    def __init__(self, folder=None):
        self.name = folder.name if folder else ""
        self.variants, self.files, self.counts = {}, {}, {}
        self.seconds, self.took, self.cpu = collections.defaultdict(list), {}, {}
        self.progress = Progress(folder / "done.jsonl") if folder else None
        if self.progress and self.progress.done:
            self.load_progress((folder / "collected.txt").read_text().splitlines())
            return
        for path in sorted((folder / "files").glob("*.json")) if folder else []:
            self.load_file(path)

    def load_file(self, path):
        run = json.loads(path.read_text())
        self.files[run["file"]] = run
        self.load(path.with_suffix(".jsonl"), outputs_in(path.with_suffix(".log")))

    def load_progress(self, collected):
        self.progress.collected = collected
        by_file = collections.Counter(line.split("::")[0] for line in collected)
        self.files = {file: dict(file=file, collected=number, left=0)
                      for file, number in by_file.items()}
        for variant, entry in self.progress.done.items():
            self.variants[variant] = entry["outcome"], entry["text"]
            if entry["outcome"] == "passed":
                self.seconds[variant.split("::")[0]].append(entry["seconds"])

    def load(self, record, outputs):
        for line in record.read_text(errors="replace").splitlines() if record.exists() else []:
            try:
                event = json.loads(line)
            except ValueError:
                continue
            variant = event["id"]
            if event["event"] == "counts":
                self.counts[variant] = event
            if event["event"] != "end":
                continue
            old = self.variants.get(variant)
            if old is None or old[0] in ("passed", "skipped"):  # errors of the teardown come second
                self.variants[variant] = outcome_of(event, outputs.get(variant, ""))
                self.took[variant] = event["seconds"]
                if event["outcome"] == "passed":
                    self.seconds[variant.split("::")[0]].append(event["seconds"])
                    self.cpu[variant] = event.get("cpu", 0)


class Progress:
    """A file with the outcome of each variant that has run in portions: a JSON object a line, {"id",
    "outcome", "text", "seconds", "at", "version"}; of several with one id the last counts. pairs has the
    pairs of values that have run, by test function."""

    def __init__(self, path):
        self.path, self.lock = path, threading.Lock()
        self.collected = []  # the node ids of the suite, for summary()
        self.done, self.pairs = {}, collections.defaultdict(set)
        for line in path.read_text().splitlines() if path.exists() else []:
            try:
                self.enter(json.loads(line))
            except ValueError:
                continue  # cut off when a portion was stopped

    def enter(self, entry):
        if entry["id"] not in self.done:
            self.pairs[function_of(entry["id"])] |= pairs_of(entry["id"])
        self.done[entry["id"]] = entry

    def wants(self, variant, version):
        """Whether this variant is still to run: new, or it failed on another version."""
        entry = self.done.get(variant)
        return entry is None or (entry["outcome"] not in FINE and entry["version"] != version)

    def add(self, path, version):
        """Adds what the run of a file, of which path is the .json, has shown; says how many."""
        results = Results()
        results.load_file(path)
        at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        entries = [dict(id=variant, outcome=outcome, text=text, seconds=results.took.get(variant, 0), at=at,
                        version=version)
                   for variant, (outcome, text) in results.variants.items() if outcome != "cap"]
        with self.lock, open(self.path, "a") as file:
            for entry in entries:
                file.write("\n" + json.dumps(entry))  # a line that was cut off ends here
                self.enter(entry)
        return len(entries)

    def summary(self):
        pairs = collections.defaultdict(set)
        for line in self.collected:
            pairs[function_of(line)] |= pairs_of(line)
        ran_pairs = sum(len(found & self.pairs.get(function, set())) for function, found in pairs.items())
        ran = collections.Counter(entry["version"] for entry in self.done.values())
        first = min(entry["at"] for entry in self.done.values())
        last = max(entry["at"] for entry in self.done.values())
        fine = sum(entry["outcome"] in FINE for entry in self.done.values())
        total = len(self.collected)
        lines = [f"{len(self.done)} of {total} variants have run ({100 * len(self.done) / total:.2f} %), "
                 f"{sum(function in self.pairs for function in pairs)} of {len(pairs)} "
                 f"functions, {ran_pairs} of {sum(map(len, pairs.values()))} pairs of values of their "
                 f"parameters; {len(self.done) - fine} variants failed.",
                 f"From {first} to {last}:", ""]
        return lines + [f"- {count} with {version or 'an unknown version'}"
                        for version, count in ran.items()] + [""]


def function_of(variant):
    return variant.split("[")[0]


def pairs_of(variant):
    """Pairs of the values of its parameters as its node id gives them, and the values by themselves."""
    values = list(enumerate(VALUES.split(variant.partition("[")[2])))
    return {(one, other) for place, one in enumerate(values) for other in values[place:]}


def cover(variants, ran, number):
    """At most so many of the variants, one after the other the one of whose pairs the largest part is new,
    of functions that have not run before others.

    ran: the pairs that have run, by test function."""
    ran = {function: set(ran[function]) for function in set(map(function_of, variants)) if function in ran}
    heap = [(-1, False, place, variant) for place, variant in enumerate(variants)]
    chosen = []
    while heap and len(chosen) < number:
        *_, place, variant = heapq.heappop(heap)
        pairs, known = pairs_of(variant), ran.setdefault(function_of(variant), set())
        new = len(pairs - known) / len(pairs)
        turn = -new, bool(known), place, variant
        if heap and turn > heap[0]:  # others may have more; that of no variant ever grows
            heapq.heappush(heap, turn)
        elif new:
            known |= pairs
            chosen.append(variant)
    return chosen


def outputs_in(log):
    """What was printed while each variant ran."""
    outputs = {}
    if log.exists():
        for part in log.read_text(errors="replace").split("\n@@@ ")[1:]:
            variant, _, output = part.partition("\n")
            outputs[variant.strip()] = output
    return outputs


def table(results):
    by_file = collections.defaultdict(collections.Counter)
    for variant, (outcome, _) in results.variants.items():
        by_file[variant.split("::")[0]][outcome] += 1
    total = sum(by_file.values(), collections.Counter())
    shown = [outcome for outcome in OUTCOMES if total[outcome] or outcome in ("passed", "skipped")]
    lines = ["| test file | variants | run | " + " | ".join(shown) + " | s per passed variant |",
             "|---|" + "---:|" * (len(shown) + 3)]
    for file in sorted(by_file):
        seconds = results.seconds[file]
        mean = f"{sum(seconds) / len(seconds):.2f}" if seconds else ""
        cells = [str(by_file[file][outcome] or "") for outcome in shown]
        collected = results.files[file]["collected"] if file in results.files else ""
        ran = sum(by_file[file].values())
        lines.append(f"| {file} | {collected} | {ran} | " + " | ".join(cells) + f" | {mean} |")
    collected = sum(run["collected"] for run in results.files.values())
    lines.append(f"| **{len(by_file)} files** | {collected} | {len(results.variants)} | "
                 + " | ".join(str(total[outcome]) for outcome in shown) + " | |")
    return lines


def messages(results):
    """What is not passed or skipped: outcome, text, in how many variants of which files."""
    found = collections.defaultdict(list)
    for variant, (outcome, text) in results.variants.items():
        if outcome not in ("passed", "skipped"):
            general = re.sub(r"/[\w./-]*/", "", text)
            general = re.sub(r"0x[0-9a-f]+|\btile \(\d+, \d+\)", "...", general)
            found[outcome, general].append(variant)
    lines = []
    by_outcome = sorted(found.items(), key=lambda item: (item[0][0], -len(item[1])))
    for (outcome, text), variants in by_outcome:
        files = ", ".join(sorted({variant.split("::")[0] for variant in variants}))
        lines.append(f"- {len(variants)} {outcome}: `{text}` ({files})")
    return lines


def compare(results, other):
    """Lines on the variants whose outcome differs, and whether one that passed is worse here."""
    both = [variant for variant in results.variants if variant in other.variants]
    differ = [variant for variant in both
              if results.variants[variant][0] != other.variants[variant][0]]
    worse = [variant for variant in differ if other.variants[variant][0] == "passed"]
    lines = [f"{len(both)} variants in both, {len(differ)} differ, {len(worse)} passed only there"]
    passed = [variant for variant in both if variant in results.cpu and variant in other.cpu]
    lines.append(f"{len(passed)} passed in both: {sum(results.cpu[each] for each in passed):.1f} s of the CPU "
                 f"here, {sum(other.cpu[each] for each in passed):.1f} s there")
    for variant in differ:
        was, now = other.variants[variant], results.variants[variant]
        lines.append(f"- {variant}: {was[0]} there, {now[0]} here {now[1]}")
    return lines, bool(worse)


def work(results, other):
    """Time in the library and host polls of variants that both folders have counted and passed."""
    both = [variant for variant in results.counts if variant in other.counts
            and results.variants.get(variant, [""])[0] == "passed"
            and other.variants.get(variant, [""])[0] == "passed"]
    if not both:
        return []
    lines = ["| variant | ms here | ms there | ratio | polls here | polls there | ratio |",
             "|---|" + "---:|" * 6]
    sums = collections.Counter()
    for variant in both:
        a, b = results.counts[variant], other.counts[variant]
        for name in ("ns", "clocks"):
            sums[name, 0] += a[name]
            sums[name, 1] += b[name]
        lines.append(work_line(variant[:100], a["ns"], b["ns"], a["clocks"], b["clocks"]))
    lines.append(work_line(f"**{len(both)} variants**", sums["ns", 0], sums["ns", 1],
                           sums["clocks", 0], sums["clocks", 1]))
    return lines


def work_line(name, cpu, other_cpu, clocks, other_clocks):
    return (f"| {name} | {cpu / 1e6:.2f} | {other_cpu / 1e6:.2f} | {other_cpu / max(cpu, 1):.1f} | "
            f"{clocks} | {other_clocks} | {other_clocks / max(clocks, 1):.1f} |")


def main():
    parser = argparse.ArgumentParser(description="Table of the results of sample.py.")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("other", type=pathlib.Path, nargs="?")
    parser.add_argument("--table", type=pathlib.Path, help="its file (FOLDER/report.md)")
    options = parser.parse_args()
    results = Results(options.folder)
    lines = results.progress.summary() if results.progress.done else []
    lines += table(results) + ["", "What did not pass:", ""] + messages(results)
    bad = [variant for variant, (outcome, _) in results.variants.items() if outcome not in FINE]
    cut = [f"{run['left']} of {run['sampled']} variants of {file} did not run, see its log"
           for file, run in sorted(results.files.items()) if run["left"]]
    lines += [f"- {line}" for line in cut]
    worse = bool(bad)
    if options.other:
        other = Results(options.other)
        compared, worse = compare(results, other)
        lines += ["", f"Compared with {other.name}:", ""] + compared + [""] + work(results, other)
    path = options.table or options.folder / "report.md"
    path.write_text("\n".join(lines) + "\n")
    total = collections.Counter(outcome for outcome, _ in results.variants.values())
    print(", ".join(f"{total[outcome]} {outcome}" for outcome in OUTCOMES if total[outcome])
          + f" of {len(results.variants)}; see {path}")
    for variant in bad[:20]:
        outcome, text = results.variants[variant]
        print(f"  {outcome} {variant} {text}")
    for line in cut:
        print(" ", line)
    sys.exit(1 if worse or cut else 0)


if __name__ == "__main__":
    main()
