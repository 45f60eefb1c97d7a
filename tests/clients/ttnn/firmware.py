#!/usr/bin/env python3
"""Lets ttnn find its shipped firmware under the key that a simulator's build has.

usage: firmware.py ROOT LOG KEY

The wheel has one set of firmware for each number of banks and kind of dispatch tile, in a folder
named by the key of its build. A simulator's key is another one, since other options go into it. LOG
is what ttnn printed when it tried to compile firmware for KEY: its options say which set fits. The
set becomes ROOT/tt_metal/pre-compiled/KEY, by a link.
"""
import os
import re
import struct
import sys

SECTION_SYMBOLS, SEGMENT_LOAD, EXECUTABLE, LUI = 2, 1, 1, 0x37


def read_elf(path):
    with open(path, "rb") as file:
        return file.read()


def symbol_sizes(elf):
    offset, = struct.unpack_from("<I", elf, 32)
    entry_size, count = struct.unpack_from("<HH", elf, 46)
    sections = [struct.unpack_from("<10I", elf, offset + i * entry_size) for i in range(count)]
    sizes = {}
    for section in sections:
        if section[1] != SECTION_SYMBOLS:
            continue
        strings = sections[section[6]][4]
        for at in range(section[4], section[4] + section[5], 16):
            name, _, size = struct.unpack_from("<III", elf, at)
            end = elf.index(b"\0", strings + name)
            sizes[elf[strings + name:end].decode()] = size
    return sizes


def upper_immediates(elf):
    """The values that LUI instructions load."""
    offset, = struct.unpack_from("<I", elf, 28)
    count, = struct.unpack_from("<H", elf, 44)
    found = set()
    for i in range(count):
        kind, at, _, _, size, _, flags, _ = struct.unpack_from("<8I", elf, offset + 32 * i)
        if kind == SEGMENT_LOAD and flags & EXECUTABLE:
            words = struct.unpack_from("<%dI" % (size // 4), elf, at)
            found.update(word & 0xFFFFF000 for word in words if word & 0x7F == LUI)
    return found


def option(log, name):
    found = re.search(r"-D%s=(\d+)" % name, log)
    if not found:
        sys.exit("no -D%s in the log" % name)
    return int(found.group(1))


def main():
    root, log_path, key = sys.argv[1:]
    with open(log_path, encoding="utf-8", errors="replace") as file:
        log = file.read()
    l1, dram = option(log, "NUM_L1_BANKS"), option(log, "NUM_DRAM_BANKS")
    dispatch = option(log, "DISPATCH_MESSAGE_ADDR") & 0xFFFFF000
    folder = os.path.join(root, "tt_metal", "pre-compiled")
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        if name == key or not os.path.isdir(os.path.join(path, "drisc")):
            continue  # only sets for Blackhole have code for DRAM tiles
        elf = read_elf(os.path.join(path, "brisc", "brisc.elf"))
        sizes = symbol_sizes(elf)
        banks = sizes.get("l1_bank_to_noc_xy"), sizes.get("dram_bank_to_noc_xy")
        if banks != (4 * l1, 4 * dram) or dispatch not in upper_immediates(elf):
            continue  # 16 bits a bank, for each of two NoCs
        link = os.path.join(folder, key)
        if not os.path.islink(link):
            os.symlink(os.path.realpath(path), link)
        print("%s: the set %s (%d L1 banks, %d DRAM banks)" % (key, name, l1, dram))
        return
    sys.exit("no set of firmware for %d L1 banks and %d DRAM banks" % (l1, dram))


if __name__ == "__main__":
    main()
