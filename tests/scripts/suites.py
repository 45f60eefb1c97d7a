"""The sampler of the field's suites (tests/clients/suites) with sessions that only say how variants
end: portions go on where the last one stopped, and the report counts them."""

import contextlib
import io
import json
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "clients" / "suites"))

import report  # noqa: E402
import sample  # noqa: E402

# Of the functions one has many variants, so that a plain sample might miss the others.
VARIANTS = ([f"a.py::test_many[{n}]" for n in range(40)] + ["a.py::test_one[x]", "a.py::test_plain"]
            + [f"b.py::test_b[{n}]" for n in range(6)])


class Portions(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.out = pathlib.Path(temporary.name)
        (self.out / "collected.txt").write_text("\n".join(VARIANTS))
        self.ran, self.failing, self.dying = [], set(), set()

    def run_process(self, stem, variants, environment, log, seconds):
        """A session of pytest, as its record has it: it ends behind a failure, as the plugin's does."""
        with open(environment["SUITE_RECORD"], "a") as record:
            for variant in variants:
                self.ran.append(variant)
                record.write(json.dumps(dict(event="start", id=variant)) + "\n")
                if variant in self.dying:
                    return -6, "aborted"
                outcome = "failed" if variant in self.failing else "passed"
                record.write(json.dumps(dict(event="end", id=variant, when="call", outcome=outcome,
                                             seconds=1.5, text="assert 1 == 2")) + "\n")
                if outcome == "failed":
                    return 1, ""
        return 0, ""

    def sampler(self, version="one"):
        arguments = ["sample.py", "--tests", str(self.out), "--out", str(self.out), "--portion", "1",
                     "--sample", "3", "--version", version, "--jobs", "1"]
        with mock.patch.object(sys, "argv", arguments):
            sampler = sample.Sampler(sample.arguments())
        sampler.run_process = self.run_process
        return sampler

    def portion(self, version="one"):
        """A portion that ends behind the second session; what has run in it."""
        sampler, begin = self.sampler(version), len(self.ran)
        with contextlib.redirect_stdout(io.StringIO()):
            for _ in range(2):
                todo = sampler.todo(sampler.collect())
                if todo:
                    sampler.run_file(*todo[0])
        return self.ran[begin:]

    def report(self):
        with mock.patch.object(sys, "argv", ["report.py", str(self.out)]), \
                contextlib.redirect_stdout(io.StringIO()), self.assertRaises(SystemExit) as end:
            report.main()
        return end.exception.code, (self.out / "report.md").read_text()

    def test_each_function_comes_first(self):
        self.portion()
        functions = {variant.split("[")[0] for variant in self.ran}
        self.assertEqual(functions, {"a.py::test_many", "a.py::test_one", "a.py::test_plain", "b.py::test_b"})

    def test_files_with_new_functions_come_first(self):
        """Although less of the other file has run."""
        few = [f"c.py::test_{n}" for n in range(5)]
        (self.out / "collected.txt").write_text("\n".join(VARIANTS[:40] + few))
        self.portion()
        self.assertEqual(len(set(few) & set(self.ran)), 3)
        files = self.sampler().collect()
        self.assertEqual(self.sampler().todo(files)[0][0], "c.py")

    def test_the_quarter_comes_last(self):
        rest = [variant for variant in VARIANTS if not sample.in_quarter(variant)]
        for _ in range(20):
            self.portion()
        begun = [variant for variant in self.ran if variant.startswith("a.py")]
        kept = [sample.in_quarter(variant) for variant in begun]
        self.assertEqual(kept, sorted(kept))
        self.assertTrue(set(rest) < set(self.ran))

    def test_portions_add_up_and_end(self):
        for _ in range(20):
            self.portion()
        self.assertEqual(sorted(self.ran), sorted(VARIANTS))
        self.assertEqual(self.portion(), [])
        code, text = self.report()
        self.assertEqual(code, 0)
        self.assertIn("48 of 48 variants have run (100.00 %), 4 of 4 functions, 48 of 48 "
                      "pairs of values of their parameters; 0 variants failed.", text)
        self.assertIn("- 48 with one\n", text)

    def test_a_failure_runs_again_on_another_version(self):
        self.failing, self.dying = {"b.py::test_b[2]"}, {"b.py::test_b[4]"}
        for _ in range(20):
            self.portion()
        self.assertEqual(len(self.ran), len(VARIANTS))
        code, text = self.report()
        self.assertEqual(code, 1)
        self.assertIn("48 of 48 variants have run (100.00 %), 4 of 4 functions, 48 of 48 "
                      "pairs of values of their parameters; 2 variants failed.", text)
        self.assertEqual(self.portion(), [])
        self.failing = self.dying = set()
        self.assertEqual(set(self.portion(version="two")), {"b.py::test_b[2]", "b.py::test_b[4]"})
        code, text = self.report()
        self.assertEqual(code, 0)
        self.assertIn("- 2 with two\n", text)

    def test_pairs_of_values_come_first(self):
        """27 variants of three parameters with three values each: ten or so have all their pairs."""
        variants = [f"a.py::test_three[x:{x}-y:{y}-z:{z}]" for x in "abc" for y in "abc" for z in "abc"]
        (self.out / "collected.txt").write_text("\n".join(variants + VARIANTS[-6:]))
        with mock.patch.object(sample, "in_quarter", return_value=False):
            while len({pair for variant in self.ran for pair in report.pairs_of(variant)
                       if variant.startswith("a.py")}) < 3 * 3 + 3 * 9:
                self.assertTrue(self.portion())
            begun = sum(variant.startswith("a.py") for variant in self.ran)
            self.assertLess(begun, 15)

    def test_a_stopped_portion_loses_a_line_at_most(self):
        self.portion()
        with open(self.out / "done.jsonl", "a") as file:
            file.write('{"id": "a.py::test_pl')
        self.portion()
        self.portion()
        self.assertEqual(len(self.ran), len(set(self.ran)))

    def test_a_file_without_sessions_is_left(self):
        """A session that runs nothing, such as one whose imports fail, is not tried for ever."""
        sampler = self.sampler()
        sampler.run_process = lambda *_: (4, "no session")
        files = sampler.collect()
        with contextlib.redirect_stdout(io.StringIO()):
            for work in sampler.todo(files):
                sampler.run_file(*work)
        self.assertEqual(sampler.todo(files), [])


class Outcomes(unittest.TestCase):
    def test_the_source_around_an_exception_says_nothing(self):
        text = """    assert input_b.shape == input.shape
>   golden[torch.isnan(golden)] = 0
E   RuntimeError: "masked_fill" not implemented for 'UInt32'"""
        self.assertEqual(report.outcome_of(dict(outcome="failed", text=text), ""),
                         ("host", "RuntimeError: \"masked_fill\" not implemented for 'UInt32'"))
        text = ">   assert a == b\nE   assert 1 == 2\nE    +  where 1 = f()"
        self.assertEqual(report.outcome_of(dict(outcome="failed", text=text), ""),
                         ("wrong", "assert 1 == 2"))

    def test_a_hang_has_its_cause_and_a_fault_before_it_counts_more(self):
        text = "E   RuntimeError: Penrose: the host has polled the chip in vain, see the report"
        waits = ("penrose: chip 1: the host has been polling in vain for long, while harts run; who waits:\n"
                 "  tile (1, 2) root cause: nobody pushes pages to circular buffer 0\n")
        failed = dict(outcome="failed", text=text)
        died = dict(outcome="died", code=-15)
        for event in (failed, died):  # PENROSE_ON_HANG=throw, stop
            self.assertEqual(report.outcome_of(event, waits), ("hung", "nobody pushes pages to circular buffer 0"))
        self.assertEqual(report.outcome_of(died, ""), ("died", "exit code -15"))
        fault = "penrose: chip 1: noc-alignment: tile (1, 2) ncrisc at pc 0x0000b970: read of 32 bytes\n"
        self.assertEqual(report.outcome_of(failed, fault + waits),
                         ("refused", "noc-alignment: tile (1, 2) ncrisc at pc 0x0000b970: read of 32 bytes"))

    def test_compared_folders_have_their_cpu_time(self):
        results, other = report.Results(), report.Results()
        for one, seconds in ((results, 1.5), (other, 4)):
            one.variants, one.cpu = {"a": ("passed", ""), "b": ("passed", "")}, {"a": seconds}
        lines, worse = report.compare(results, other)
        self.assertIn("1 passed in both: 1.5 s of the CPU here, 4.0 s there", lines)
        self.assertFalse(worse)


class Beginnings(unittest.TestCase):
    LINES = ["# a comment", "", "a.py::test_many[", "a.py::test_one", "b.py", "c.py::test_missing"]

    def sampler(self, *arguments):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        folder = pathlib.Path(temporary.name)
        (folder / "list").write_text("\n".join(self.LINES))
        for file in ("a.py", "b.py"):
            (folder / file).touch()
        arguments = ["sample.py", "--tests", str(folder), "--out", str(folder),
                     "--beginnings", str(folder / "list"), *arguments]
        with mock.patch.object(sys, "argv", arguments):
            return sample.Sampler(sample.arguments())

    def chosen(self, *arguments):
        sampler = self.sampler(*arguments)
        with mock.patch.object(sample.subprocess, "run") as run:
            run.return_value.stdout, run.return_value.stderr = "\n".join(VARIANTS), ""
            files = sampler.collect()
        self.assertEqual(run.call_args[0][0][-2:], ["a.py", "b.py"])  # and not c.py
        return [variant for file, ids in files.items() for variant in sampler.choose(file, ids)]

    def test_each_line_has_a_sample(self):
        chosen = self.chosen("--sample", "3")
        beginnings = ["a.py::test_many[", "a.py::test_one", "b.py"]
        count = [sum(variant.startswith(each) for variant in chosen) for each in beginnings]
        self.assertEqual((len(chosen), count), (7, [3, 1, 3]))

    def test_others_never_run(self):
        self.assertEqual(sorted(self.chosen("--sample", "0")),
                         sorted(set(VARIANTS) - {"a.py::test_plain"}))

    def test_another_seed_chooses_others(self):
        self.assertEqual(self.chosen("--sample", "3"), self.chosen("--sample", "3"))
        self.assertNotEqual(self.chosen("--sample", "3"), self.chosen("--sample", "3", "--seed", "2"))


if __name__ == "__main__":
    unittest.main()
