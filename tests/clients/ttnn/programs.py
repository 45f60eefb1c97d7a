"""What programs of the field have in common here: each is a function that returns how far its result
is from the expected one, and how far it may be.

  SCRIPT --list          names the programs
  SCRIPT NAME...         runs these

Prints a JSON object a line: {"name", "result", "error", "text"}. The result is passed, wrong (error is larger
than it may be), compile (a kernel does not) or failed (text says how it ended).
"""
import argparse
import json
import os
import re
import sys
import traceback

PROGRAMS = {}


def program(function):
    """Marks a function that takes the options, and returns error, allowed error and maybe a text."""
    PROGRAMS[function.__name__] = function
    return function


def difference(made, expected):
    return (made.double() - expected.double()).abs().max().item()


def run(name, options):
    line = dict(name=name, result="failed", error=None, text="")
    try:
        error, allowed, *text = PROGRAMS[name](options)
        line.update(error=error, result="passed" if error <= allowed else "wrong", text=" ".join(text))
    except Exception as error:  # what the packages throw has no common class
        traceback.print_exc()
        line["text"] = f"{type(error).__name__}: {str(error).strip()}"
        if "Failed to generate binaries" in line["text"]:
            line["result"] = "compile"
            line["text"] = next(iter(re.findall(r"error: (.*)", line["text"])), "")
        line["text"] = line["text"][:400]
    print(json.dumps(line), flush=True)
    return line["result"] == "passed"


def main(description, add_options=None):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("names", nargs="*", metavar="NAME")
    if add_options:
        add_options(parser)
    options = parser.parse_args()
    if options.list:
        print("\n".join(f"program {name}" for name in PROGRAMS), flush=True)
        os._exit(0)
    good = all([run(name, options) for name in options.names])
    sys.stdout.flush()
    os._exit(0 if good else 1)  # the packages' own ends take seconds
