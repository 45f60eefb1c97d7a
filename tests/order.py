#!/usr/bin/env python3
"""A file of src calls functions of files below it only; docs/ARCHITECTURE.md has the lists.

The built objects tell: a symbol that one file needs and another defines is a call. It may not lead into a folder that
stands higher, and inside a folder calls may not go round in a circle. The environment names $srcdir and $builddir.
"""
import collections
import graphlib
import os
import pathlib
import subprocess
import sys

# The lowest comes first. The last parts of observe use the public calls.
FOLDERS = """host arch isa num eth noc tensix rv32 tile loader chip cluster metal observe api
             observe/explain observe/gdb observe/launches kind abi cli""".split()
# Folders whose files still call each other in circles.
KNOTS = {"tensix"}
# Tables that a program hands to those below: it may have others.
HANDED = {"api_chips", "chip_calls"}


def folder_of(name):
    """The folder of the list that a file belongs to."""
    parts = name.split("/")
    return "/".join(parts[:2]) if "/".join(parts[:2]) in FOLDERS else parts[0]


def symbols_of(name):
    """The symbols that the object of a source file needs, and those that it defines."""
    path = pathlib.Path(os.environ["builddir"], "src", name)
    found = [path.parent / ".libs" / f"{path.name}.o", *path.parent.glob(f"*-{path.name}.o")]
    built = next((item for item in found if item.exists()), None)
    if built is None:
        return set(), set()
    listed = subprocess.run(os.environ.get("NM", "nm").split() + ["-P", built], capture_output=True, text=True, check=True)
    rows = [line.split() for line in listed.stdout.splitlines()]
    return {row[0] for row in rows if row[1] == "U"}, {row[0] for row in rows if row[1] in "BDRTVW"}


source = pathlib.Path(os.environ["srcdir"], "src")
names = [str(path.relative_to(source).with_suffix("")) for path in sorted(source.rglob("*.c"))]
needs, defines = {}, {}
for name in names:
    needs[name], defined = symbols_of(name)
    defines.update((symbol, name) for symbol in defined)
if "tile_run" not in defines:
    sys.exit(77)  # objects for a linker's plugin show no symbols
mistakes = []
below = collections.defaultdict(lambda: collections.defaultdict(set))
for name in names:
    folder = folder_of(name)
    for symbol in needs[name] & defines.keys():
        other = defines[symbol]
        there = folder_of(other)
        if there == folder:
            below[folder][name].add(other)
        elif FOLDERS.index(there) > FOLDERS.index(folder) and symbol not in HANDED:
            mistakes.append(f"{name} calls up: {symbol} of {other}")
for folder in sorted(below.keys() - KNOTS):
    try:
        graphlib.TopologicalSorter(below[folder]).prepare()
    except graphlib.CycleError as error:
        circle = error.args[1][::-1]  # each calls the next one
        for name, other in zip(circle, circle[1:]):
            called = sorted(symbol for symbol in needs[name] if defines.get(symbol) == other)
            mistakes.append(f"in a circle: {name} calls {other}: {' '.join(called)}")
print("\n".join(sorted(mistakes)))
sys.exit(bool(mistakes))
