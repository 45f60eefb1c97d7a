"""Runs tt-exalens' commands, many in a process, and compares what they print.

    matrix.py LIBRARY ELF [PROGRAM]

ELF is debuggee.c, linked for address 0x8000; PROGRAM is tt-exalens (the one on PATH). A command
that raises ends tt-exalens, so those that must raise have a process each. Exit code 1 when anything
is not as expected.
"""

import os
import re
import subprocess
import sys

from ttexalens.elf import read_elf
from ttexalens.gdb.gdb_communication import find_available_port
from ttexalens.server import FileAccessApi

AT = "-l 1,2"
ON = f"-r trisc1 {AT}"
WORD = r"0x[0-9a-f]{8}"
GPRS = ("zero ra sp gp tp t0 t1 t2 s0 s1 a0 a1 a2 a3 a4 a5 a6 a7 s2 s3 s4 s5 s6 s7 s8 s9 s10 s11 "
        "t3 t4 t5 t6 pc").split()
WORKERS_IN_RESET = [rf"^{row:02}(  -----){{14}}\s*$" for row in range(10)]

# Command; patterns that its output must contain, in this order. {elf} stands for the program,
# {tick} for the address of its function, {tick+4} for what follows, {port} for a free port.
COMMANDS = [
    # Everything in reset, memory empty.
    ("device", [r"riscv - show the status"] + WORKERS_IN_RESET),
    ("device noc0 block --no-legend", [r"^01  dram  eth ", r"^02  dram  functional_workers "]),
    ("interfaces", [r"PCI Device 0: "]),
    ("help --all", [r"^dump-gpr +gpr", r"^riscv +rv"]),
    ("brxy 1,2 0x0 64", [r"\(256 total bytes\)", r"^0x000000f0:(  00000000){4}"]),
    ("brxy 1-2 0x0 64", [r"1-2 \(0,0\)", r"^0x000000f0:(  00000000){4}"]),
    ("wxy 1,2 0x1000 0xdeadbeef", [r"0x00001000 \(4096\) <= 0xdeadbeef"]),
    ("brxy 1,2 0x1000 16", [r"^0x00001000:  deadbeef  00000000"]),
    ("brxy 1-2 0x1000 1", [r"^0x00001000:  00000000"]),
    (f"w 0x1010 0x11 0x22 0x33 0x44 {AT}", [r"0x00001010 \(4 bytes written\)"]),
    (f"r 0x1000 20 {AT}", [r"^0x00001000:  ef  be  ad  de", r"^0x00001010:  11  22  33  44"]),
    (f"search 0xdeadbeef {AT}", [r"1 match\(es\) found", r"0x00001000  \(l1\)"]),
    (f"reg {AT} dbg(0x54)", [r"^0$"]),
    (f"reg {AT} dbg(0x54) --write 0x2007000b", []),
    (f"reg {AT} dbg(0x54)", [rf"^{0x2007000b}$"]),
    (f"reg {AT} RISCV_DEBUG_REG_SOFT_RESET_0", [rf"^{0x47800}$"]),
    (f"reg {AT} cfg(1,0xff,0)", [r"^0$"]),
    (f"reg {AT} cfg(1,0xff,0) --write 0x5a", []),
    (f"reg {AT} cfg(1,0xff,0)", [rf"^{0x5a}$"]),
    (f"reg {AT} cfg(1,0xff,0) --write 0", []),
    (f"reg {AT} UNPACK_CONFIG0_out_data_format --write 5", []),
    (f"reg {AT} UNPACK_CONFIG0_out_data_format", [r"TensixDataFormat.Float16_b"]),
    (f"tensix {AT}", [r"^ALU", r"Format_SrcA +│ TensixDataFormat.Float32", r"^UNPACKER",
                      r"out_data_format +│ TensixDataFormat.Float16_b", r"^PACKER", r"^GPR"]),
    (f"tensix alu {AT}", [r"ALU CONFIG", r"Fp32_enabled +│ False"]),
    (f"tensix adc {AT} -a 0x30000", [r"ADCS0_UNPACKER0_CHANNEL0", r"w_cr +│ 0x0 "]),
    (f"gpr {AT}", ["0 - zero", "32 - pc", r"Soft reset( +True){5}", r"Halted( +-){5}"]),
    (f"rv status {AT}", [rf"IN RESET - {hart} 1,2" for hart in
                         ("brisc", "trisc0", "trisc1", "trisc2")]),
    (f"noc status {AT}", [r"^NOC0 Status", rf"write acks received +│ 0xffb20204 │ {WORD}",
                          rf"posted write reqs received +│ 0xffb202ec │ {WORD}", r"^NOC1 Status",
                          rf"read reqs sent +│ 0xffb30214 │ {WORD}"]),
    (f"noc all {AT}", [r"^NOC0 Status", r"^NOC1 Status"]),
    (f"dbus list-signals {AT} --search *_pc --max all", [r"brisc_pc", r"trisc1_pc"]),
    (f"noc register NOC_NODE_ID {AT}", [r"^ +NOC0 Registers", r"│ 0xffb20044 │ 0x10611102",
                                        r"^ +NOC1 Registers", r"│ 0xffb30044 │ 0x006111ce"]),
    (f"overlay {AT}", [r"does not have an overlay block"]),
    (f"dbus {{{{7,1,255}}}} {AT}", [r"0xa5a5a5a5"]),  # the chain's self-test
    (f"dbus list-groups {AT} --max all", [r"adcs0_unpacker0_channel0", r"trisc1_group_a"]),
    (f"dr dstacc {AT} -t 1", [r"TILE ID: 0", r"^0\.0\s+0\.0"]),
    (f"dr srca {AT}", [r"^0\.0\s+0\.0"]),
    ("wxy e0,1 0x40 0x55aa", [r"16-1 \(e0,1\) \(L1\) : 0x00000040 \(64\) <= 0x000055aa"]),
    ("brxy e0,1 0x40 4", [r"^0x00000040:  000055aa  00000000"]),
    ("rv status -l e0,1", [r"IN RESET - erisc0 e0,1", r"IN RESET - erisc1 e0,1"]),
    ("gpr -l e0,1", [r"erisc0 +erisc1", r"Soft reset( +True){2}"]),
    ("brxy d0,0 0x0 4", [r"\(dram_bank\)", r"^0x00000000:(  00000000){4}"]),
    ("go 1,2", []),
    ("r 0x1000 4", [r"Location 2-4 \(1,2\)", r"^0x00001000:  ef  be  ad  de"]),
    ("server start --port {port}", [r"listening on port {port}"]),
    ("server stop", []),
    ("pcnt list", [r"INSTRN_THREAD", r"thread_instr\[1\]"]),
    # A program on trisc1.
    (f"re {{elf}} {ON}", []),
    ("device", [r"^02  -----  --R--  -----"]),
    (f"rv status {ON}", [r"HALTED PC=0x000080[0-9a-f]{2} - trisc1"]),
    (f"gpr {ON}", [rf"^{number} - {name}[ /]+(fp +)?{WORD}" for number, name in enumerate(GPRS)]),
    (f"gpr {ON}", [r"a0 +0x00000122", r"a1 +0x00000100", r"pc +0x000080[0-9a-f]{2}.*debuggee\.c"]),
    (f"dbus group trisc1_group_a 0x30000 {AT}", [r"trisc1_dbg_obs_cmt_pc +│ 0x80[0-9a-f]{2} ",
                                                r"trisc1_i_instrn +│ 0x13 ",
                                                r"trisc1_i_instrn_vld +│ True"]),
    (f"cov {{elf}} /dev/null {AT}", [r"__coverage_start not found"]),
    (f"bt {{elf}} {ON}", [r"#0.*innermost", r"#1.*middle", r"#3.*middle", r"#4.*outermost",
                          r"#5.*main"]),
    (f"brxy 1,2 0x20000 1", [r"^0x00020000:  00000122"]),
    (f"rv cont {ON}", [r"Continuing trisc1"]),
    (f"rv status {ON}", [r"RUNNING PC=0x00008"]),
    (f"gpr {ON}", [r"Halted +False"]),
    (f"dbus trisc1_pc {AT}", [r"trisc1_pc: 0x8[01]"]),
    (f"pcnt start {AT}", [r"start all blocks"]),
    (f"brxy 1,2 0x20004 1", [r"^0x00020004:  0000[0-9a-f]{4}"]),
    (f"pcnt stop {AT}", [r"stop all blocks"]),
    # Its thread_instr[1] and [2] count thread 0 too: the others' are 264 and 272, see round.py.
    (f"pcnt read --block=INSTRN_THREAD {AT}", [r"thread_instr\[0\] +│ 0 ",
                                               r"thread_instr\[1\] +│ 0 .*│ [1-9]\d* +│"]),
    (f"rv halt {ON}", [r"Halting trisc1"]),
    (f"rv rd 0xffb00000 {ON}", [r"0xfacade01"]),
    (f"rv wr 0xffb00100 0x1234abcd {ON}", []),
    (f"r 0xffb00100 4 {ON}", [r"cd  ab  34  12"]),
    (f"rv wreg 5 0x77 {ON}", []),
    (f"rv rreg 5 {ON}", [r"0x00000077"]),
    (f"rv bkpt set {{tick}} {ON}", [r"Setting breakpoint"]),
    (f"rv cont {ON}", []),
    (f"rv status {ON}", [r"HALTED PC={tick+4}"]),
    (f"rv step {ON}", [r"Stepping"]),
    (f"rv status {ON}", [r"HALTED PC={tick+8}"]),
    (f"rv bkpt del {ON}", []),
    # The command takes read for write and the other way round; the program loads from here.
    (f"rv wchpt setw 0x2000c {ON}", [r"Setting write watchpoint"]),
    (f"rv cont {ON}", []),
    (f"bt {{elf}} {ON}", [r"#0.*tick", r"#1.*main"]),
    (f"rv wchpt del {ON}", []),
    (f"rv cont {ON}", []),
    (f"rv status {ON}", [r"RUNNING"]),
    ("gdb start", []),
    ("gdb stop", []),
    (f"rv reset 1 {ON}", [r"Setting reset"]),
    (f"rv status {ON}", [r"IN RESET"]),
]

# Commands that must raise, and what they say.
REFUSED = [
    ("brxy 8,0 0x80030408 16", r"UnsafeAccessException: .*, unsafe access at address 0x80030408"),
    (f"rv halt -r brisc {AT}", r"ValueError: brisc is in reset"),
    ("pcir 0x0", r"PCIe interface is not available"),
    ("pciw 0x0 0x0", r"PCIe interface is not available"),
    (f"rv halt -r trisc7 {AT}", r"trisc7"),
    (f"dr srcb {AT}", r"SRCB is currently not supported"),
    (f"reg {AT} cfg(0,0,0xffffffff)", r"Invalid shift value 4294967295"),
]


def tt_exalens(program, library, commands):
    """What each command printed."""
    run = subprocess.run(
        [program, "-s", library, "--verbosity=4", "--commands=" + "; ".join(commands + ["x"])],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        timeout=240, env={**os.environ, "COLUMNS": "200"})
    text = re.sub(r"\x1b\[[0-9;]*m", "", run.stdout)
    return re.split(r"^Executing command: .*\n", text, flags=re.M)[1:]


def symbols(elf):
    """Addresses of the program's functions, by tt-exalens' own reader, and a port."""
    return {"tick": read_elf(FileAccessApi(), elf).find_symbol_by_name("tick").value,
            "port": find_available_port()}


def fill(text, elf, known):
    text = text.replace("{elf}", elf).replace("{port}", str(known["port"]))
    text = text.replace("{{", "{").replace("}}", "}")
    return re.sub(r"\{(tick)(?:\+(\d+))?\}",
                  lambda found: f"0x{known[found[1]] + int(found[2] or 0):08x}", text)


def main():
    library, elf = sys.argv[1:3]
    program = sys.argv[3] if len(sys.argv) > 3 else "tt-exalens"
    known, failed = symbols(elf), 0
    commands = [fill(command, elf, known) for command, _ in COMMANDS]
    answers = tt_exalens(program, library, commands)
    answers += ["(no answer)"] * (len(commands) - len(answers))
    for command, (_, patterns), answer in zip(commands, COMMANDS, answers):
        at = 0
        for pattern in patterns:
            pattern = fill(pattern, elf, known)
            found = re.search(pattern, answer[at:], re.M)
            if not found:
                print(f"FAILED: {command}: no {pattern!r} in:\n{answer[:2000]}")
                failed += 1
                break
            at += found.end()
        if re.search(r"\w+(Error|Exception): |Error reading", answer) and patterns:
            print(f"FAILED: {command}: {answer[:2000]}")
            failed += 1
    for command, pattern in REFUSED:
        answer = "".join(tt_exalens(program, library, [command]))
        if not re.search(pattern, answer):
            print(f"FAILED: {command}: no {pattern!r} in:\n{answer[-2000:]}")
            failed += 1
    print(f"{len(COMMANDS) + len(REFUSED)} commands, {failed} failed")
    sys.stdout.flush()
    os._exit(failed > 0)  # what the binding reports about leaks does not matter


if __name__ == "__main__":
    main()
