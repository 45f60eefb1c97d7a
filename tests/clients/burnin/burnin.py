#!/usr/bin/env python3
"""Runs tt-burnin's Blackhole image, the program that draws most power on a card, on libpenrose.

  burnin.py LIBRARY INCLUDE IMAGE [--cycles N] [--tiles one|all] [--timed] [--threads N]

INCLUDE is the folder of penrose's headers. Three things are checked: no fault and no end before the
cycles have passed; on each tile T0 to T2 go on executing what they are there for until the end; and
after some thousand cycles both sections of Dst hold what expected.py computes, bit for bit (on the
first tile and the last). Exit code 1 if a check fails.
"""
import argparse
import collections
import sys
import time

import numpy as np

import expected
import image
from library import HARTS, Chip

STEP, MOST_STEPS = 256, 400  # cycles until Dst is looked at
TAIL = 4  # in the last quarter of the cycles every unit must go on
WORKS = {("unpack", "UNPACR"): 0, ("matrix", "MVMUL"): 1, ("vector", "SFPLUT"): 2}  # by thread


def arguments():
    parser = argparse.ArgumentParser(description="Run tt-burnin's image.")
    parser.add_argument("library")
    parser.add_argument("image")
    parser.add_argument("--cycles", type=int, default=1000000)
    parser.add_argument("--tiles", choices=("one", "all"), default="one")
    parser.add_argument("--timed", action="store_true")
    parser.add_argument("--threads", type=int, default=1)
    return parser.parse_args()


class Check:
    def __init__(self):
        self.failures = 0

    def that(self, holds, text):
        if not holds:
            self.failures += 1
            print(f"FAILED: {text}")


def executed(chip, tile):
    """By unit and mnemonic: how often each thread executed it."""
    sums = collections.defaultdict(lambda: np.zeros(3, np.int64))
    for unit, mnemonic, *counts in chip.counts(tile):
        sums[unit, mnemonic] += np.array(counts, np.int64)
    return sums


def reach_dst(check, chip, tile):
    """Until T2 has been through the first section once. Soon after a second time it goes on to the
    section that T1 works on, and neither waits for the other any more."""
    steps = 0
    while executed(chip, tile)["vector", "SFPLUT"][2] <= expected.GELUS and steps < MOST_STEPS:
        check.that(chip.run(STEP), "the first cycles pass")
        steps += 1
    check.that(executed(chip, tile)["vector", "SFPLUT"][2] < 2 * expected.GELUS,
               "T2 is still in the first section")


def check_dst(check, chip, tile):
    """T1's section as it is after so many MVMULs, and T2's after one GELU of each row, of some
    after two: a second one changes nothing, since of such large numbers it leaves x or 0."""
    mvmuls = int(executed(chip, tile)["matrix", "MVMUL"][1])
    data = np.array([chip.dst(tile, row) for row in range(2 * expected.SECTION_ROWS)], np.int64)
    faces = expected.Faces(lambda address, size: chip.read(tile, address, size))
    rows = expected.FACES * 16
    own = expected.gelu(faces.first_section())
    check.that((expected.gelu(own) == own).all(), "GELU of the model has come to rest")
    for name, start, wanted in (("GELU", 0, own),
                                ("MVMUL", expected.SECTION_ROWS, faces.second_section(mvmuls))):
        found = data[start:start + rows]
        equal = int((found == wanted).sum())
        print(f"  tile {tile}, Dst rows {start} to {start + rows - 1} ({name}): {equal} of "
              f"{wanted.size} data equal the model's, {int((found != 0).sum())} are not 0")
        check.that(equal == wanted.size, f"Dst of tile {tile} is what {name} makes of it")


def check_progress(check, tile, before, after):
    for (unit, mnemonic), thread in WORKS.items():
        more = after[unit, mnemonic][thread] - before[unit, mnemonic][thread]
        check.that(more > 0, f"tile {tile}: T{thread} still executes {mnemonic}")


def show(chip, tiles, counts):
    by_unit = collections.defaultdict(lambda: np.zeros(3, np.int64))
    for tile in tiles:
        for (unit, _), numbers in counts[tile].items():
            by_unit[unit] += numbers
    print(f"  {'unit':10} {'T0':>14} {'T1':>14} {'T2':>14}   (Tensix instructions, all tiles)")
    for unit, numbers in sorted(by_unit.items()):
        print(f"  {unit:10} " + " ".join(f"{number:14}" for number in numbers))
    for index, hart in enumerate(HARTS):
        retired = sum(chip.retired(tile, index) for tile in tiles)
        print(f"  {hart:10} {retired:14} instructions of the hart")


def main():
    options = arguments()
    check = Check()
    chip = Chip(options.library, options.timed, options.threads)
    tiles = chip.workers()
    tiles = tiles if options.tiles == "all" else tiles[:1]
    start = time.monotonic()
    image.start(chip, tiles, options.image)
    chip.count_instructions()
    print(f"{len(tiles)} tile{'s' if len(tiles) > 1 else ''}, "
          f"{'timed' if options.timed else 'functional'}, {options.threads} threads:")
    reach_dst(check, chip, tiles[0])
    for tile in sorted({tiles[0], tiles[-1]}):
        check_dst(check, chip, tile)
    check.that(chip.run(options.cycles * (TAIL - 1) // TAIL - chip.now()), "most cycles pass")
    before = {tile: executed(chip, tile) for tile in tiles}
    check.that(chip.run(options.cycles - chip.now()), "all cycles pass")
    after = {tile: executed(chip, tile) for tile in tiles}
    for tile in tiles:
        check_progress(check, tile, before[tile], after[tile])
    others = [rule for rule in chip.faults()
              if not rule.startswith("REG2FLOP: by the vendor's HAL")]
    check.that(not others, "no fault, and no warning but of REG2FLOP")
    for rule in others:
        print(f"    {rule}")
    show(chip, tiles, after)
    print(f"  {chip.now()} cycles in {time.monotonic() - start:.1f} s, {check.failures} checks failed")
    if check.failures:
        print(chip.waits())
    chip.close()
    sys.exit(check.failures != 0)


main()
