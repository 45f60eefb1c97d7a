#!/usr/bin/env python3
"""Compiles random vector programs with conditions and runs them on a model of the Vector Unit.

  selftest.py SHIM [PROGRAMS [SEED]]

Each program works on integer vectors: nested v_if, v_elseif, v_else, v_block and v_and, &&, ||, !,
and variables that are local or get their value late. The Tensix words of the object file are run by
Machine, and the result is compared, lane by lane, with the program run directly. Programs that need
more than eight registers are counted apart.
"""
import operator
import os
import random
import subprocess
import sys
import tempfile

MASK = 0xFFFFFFFF
LANES = 32
SMALL = [0, 1, -1, 2, 5, 6, -3, -4, 100]
COMPARISONS = {"<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge,
               "==": operator.eq, "!=": operator.ne}
OPERATIONS = {"+": operator.add, "-": operator.sub, "&": operator.and_, "|": operator.or_,
              "^": operator.xor}

PROGRAM = """#include <cstdint>
namespace ckernel {
static volatile uint32_t *const instrn_buffer = (volatile uint32_t *) 0xffe40000u;
}
#include "sfpi.h"
using namespace sfpi;
extern "C" void f () {
vInt a = dst_reg[0], b = dst_reg[1], c = dst_reg[2];
%s
dst_reg[0] = a; dst_reg[1] = b; dst_reg[2] = c;
}
"""


def signed(value):
    return (value & MASK) - ((value & 0x80000000) << 1)


def sign_extended(value, bits):
    return value - ((value >> (bits - 1) & 1) << bits)


class Generator:
    """Programs as pairs: C++ text, and a function that does the same to one lane's dictionary."""

    def __init__(self, source):
        self.random, self.names = source, 0

    def constant(self):
        return self.random.choice([0, 1, -1, 2, 7, -5, 100, 0x12345, -70000])

    def expression(self, variables):
        kind = self.random.random()
        if kind < 0.2:
            value = self.constant()
            return f"vInt ({value})", lambda lane: value
        name = self.random.choice(variables)
        if kind < 0.35:
            return name, lambda lane: lane[name]
        if kind < 0.65:
            other, sign = self.random.choice(variables), self.random.choice("+-&|^")
            return (f"{name} {sign} {other}",
                    lambda lane: signed(OPERATIONS[sign](lane[name], lane[other])))
        value, sign = self.constant(), self.random.choice("+-&|^")
        return (f"{name} {sign} vInt ({value})",
                lambda lane: signed(OPERATIONS[sign](lane[name], value)))

    def condition(self, variables, depth=2):
        kind = self.random.random()
        if depth and kind < 0.3:
            first, does_first = self.condition(variables, depth - 1)
            second, does_second = self.condition(variables, depth - 1)
            if self.random.random() < 0.5:
                return (f"(({first}) && ({second}))",
                        lambda lane: does_first(lane) and does_second(lane))
            return f"(({first}) || ({second}))", lambda lane: does_first(lane) or does_second(lane)
        if depth and kind < 0.4:
            text, does = self.condition(variables, depth - 1)
            return f"(!({text}))", lambda lane: not does(lane)
        name, sign = self.random.choice(variables), self.random.choice(list(COMPARISONS))
        compare = COMPARISONS[sign]
        if self.random.random() < 0.5:
            other = self.random.choice(variables)
            return f"{name} {sign} {other}", lambda lane: compare(lane[name], lane[other])
        value = self.random.choice([0, 0, 1, -3, 5, 5000])
        return f"{name} {sign} {value}", lambda lane: compare(lane[name], value)

    def block(self, variables, depth):
        variables, parts = list(variables), []
        for _ in range(self.random.randint(1, 3)):
            parts.append(self.statement(variables, depth))

        def does(lane):
            for part in parts:
                part[1](lane)
        return "\n".join(part[0] for part in parts), does

    def branches(self, variables, depth):
        test, does_test = self.condition(variables)
        body, does_body = self.block(variables, depth - 1)
        text, arms = f"v_if ({test}) {{\n{body}\n}}", [(does_test, does_body)]
        for _ in range(self.random.choice([0, 0, 1])):
            test, does_test = self.condition(variables)
            body, does_body = self.block(variables, depth - 1)
            text += f" v_elseif ({test}) {{\n{body}\n}}"
            arms.append((does_test, does_body))
        if self.random.random() < 0.5:
            body, does_body = self.block(variables, depth - 1)
            text += f" v_else {{\n{body}\n}}"
            arms.append((lambda lane: True, does_body))

        def does(lane):
            for does_test, does_body in arms:
                if does_test(lane):
                    does_body(lane)
                    return
        return text + " v_endif;", does

    def narrowing(self, variables, depth):
        first, does_first = self.condition(variables, 1)
        second, does_second = self.condition(variables, 1)
        body, does_body = self.block(variables, depth - 1)
        rest, does_rest = self.block(variables, depth - 1)

        def does(lane):
            if does_first(lane):
                does_body(lane)
                if does_second(lane):
                    does_rest(lane)
        return (f"v_block {{ v_and ({first});\n{body}\nv_and ({second});\n{rest}\n}} v_endblock;",
                does)

    def declaration(self, variables):
        self.names += 1
        name = f"t{self.names}"
        value, does_value = self.expression(variables)
        if self.random.random() < 0.5:
            test, does_test = self.condition(variables, 0)
            other, does_other = self.expression(variables)
            variables.append(name)

            def late(lane):
                lane[name] = does_value(lane) if does_test(lane) else does_other(lane)
            return (f"vInt {name}; v_if ({test}) {{ {name} = {value}; }} "
                    f"v_else {{ {name} = {other}; }} v_endif;", late)
        variables.append(name)

        def does(lane):
            lane[name] = does_value(lane)
        return f"vInt {name} = {value};", does

    def statement(self, variables, depth):
        kind = self.random.random()
        if depth and kind < 0.35:
            return self.branches(variables, depth)
        if depth and kind < 0.43:
            return self.narrowing(variables, depth)
        if kind < 0.55 and len(variables) < 4:
            return self.declaration(variables)
        name = self.random.choice(variables)
        value, does_value = self.expression(variables)

        def does(lane):
            lane[name] = does_value(lane)
        return f"{name} = {value};", does


class Machine:
    """The instructions that such programs are made of; anything else is an error."""

    def __init__(self, memory):
        self.memory = memory
        self.lreg = [[0xDEAD0000 + number] * LANES for number in range(16)]
        for number, value in ((8, 0x3F56594B), (9, 0), (10, 0x3F800000), (11, 0xBF800000)):
            self.lreg[number] = [value] * LANES
        self.enabled, self.stack = [True] * LANES, []

    def run(self, words):
        for word in words:
            self.step(word)
            assert len(self.stack) <= 8
        assert not self.stack and all(self.enabled)

    def step(self, word):
        opcode, d, c, mode = word >> 24, word >> 4 & 15, word >> 8 & 15, word & 15
        if opcode in (0x70, 0x71, 0x72):
            self.move(word, opcode, word >> 20 & 15)
        elif opcode in (0x79, 0x7A, 0x7C, 0x7E, 0x7F, 0x80, 0x81, 0x8D):
            lanes = range(LANES) if (opcode, mode) == (0x7C, 2) else self.on()
            for i in lanes:
                self.lreg[d][i] = self.result(word, self.lreg[d][i], self.lreg[c][i]) & MASK
        else:
            self.flags(word, opcode, c, mode)

    def on(self):
        return [i for i in range(LANES) if self.enabled[i]]

    def move(self, word, opcode, register):
        address, mode, immediate = word & 0x3FF, word >> 16 & 15, word & 0xFFFF
        for i in self.on():
            old = self.lreg[register][i]
            if opcode == 0x70:
                self.lreg[register][i] = self.memory[address][i] & MASK
            elif opcode == 0x72:
                self.memory[address][i] = old
            else:
                self.lreg[register][i] = {
                    0: immediate << 16, 2: immediate, 4: sign_extended(immediate, 16) & MASK,
                    8: old & 0xFFFF | immediate << 16, 10: old & 0xFFFF0000 | immediate}[mode]

    @staticmethod
    def result(word, d, c):
        opcode, mode, immediate = word >> 24, word & 15, sign_extended(word >> 12 & 0xFFF, 12)
        if opcode == 0x79:
            assert mode & 12 == 4
            return c + (immediate if mode & 1 else -d if mode & 2 else d)
        if opcode == 0x7A:
            assert mode == 5
            return c << immediate if immediate >= 0 else c >> -immediate
        if opcode == 0x81:
            assert mode == 0
            return 32 - c.bit_length()
        assert mode == 0 or (opcode, mode) == (0x7C, 2)
        return {0x7C: c, 0x7E: d & c, 0x7F: d | c, 0x8D: d ^ c, 0x80: ~c}[opcode]

    def flags(self, word, opcode, c, mode):
        if opcode == 0x7B:
            for i in self.on():
                value = self.lreg[c][i]
                self.enabled[i] = {0: value >> 31 == 1, 2: value != 0, 4: value >> 31 == 0,
                                   6: value == 0}[mode]
        elif opcode == 0x87:
            self.stack.append(list(self.enabled))
        elif opcode == 0x88:
            self.enabled = self.stack.pop()
        elif opcode == 0x8B:
            self.enabled = [was and not now for was, now in zip(self.stack[-1], self.enabled)]
        elif opcode == 0x8A:
            assert mode == 10 and word >> 12 & 0xFFF == 3
            self.enabled = [True] * LANES
        elif opcode != 0x8F:
            sys.exit(f"instruction {word:08x} is not in the model")


def compiled(shim, folder, source):
    """The Tensix words of a program, or None if it needs too many registers."""
    with open(f"{folder}/t.cpp", "w") as file:
        file.write(source)
    result = subprocess.run(
        [f"{shim}/compiler/bin/riscv-tt-elf-g++", "-mcpu=tt-bh-tensix", "-DARCH_BLACKHOLE", "-O3",
         "-std=c++17", f"-I{shim}/include", "-c", f"{folder}/t.cpp", "-o", f"{folder}/t.o"],
        capture_output=True, text=True)
    if result.returncode:
        if "vector value spilled" in result.stderr:
            return None
        sys.exit(f"{source}\n{result.stderr}")
    subprocess.check_call([f"{shim}/compiler/bin/riscv-tt-elf-objcopy", "-O", "binary",
                           "-j", ".text", f"{folder}/t.o", f"{folder}/t.bin"])
    with open(f"{folder}/t.bin", "rb") as file:
        code = file.read()
    words = [int.from_bytes(code[at : at + 4], "little") for at in range(0, len(code), 4)]
    if any(word & 0x7F in (0x63, 0x6F, 0x23) for word in words):
        sys.exit(f"{source}\nbranches or stores in the code")
    return [(word >> 2 | word << 30) & MASK for word in words if word & 3 != 3]


def check(source, words, does, values):
    """Runs the words on some values and compares each lane."""
    memory = {2 * index: list(lanes) for index, lanes in enumerate(values)}
    Machine(memory).run(words)
    for i in range(LANES):
        lane = {name: lanes[i] for name, lanes in zip("abc", values)}
        does(lane)
        found = [signed(memory[2 * index][i]) for index in range(3)]
        wanted = [lane[name] for name in "abc"]
        if found != wanted:
            inputs = [lanes[i] for lanes in values]
            sys.exit(f"{source}\nlane {i}: inputs {inputs}, result {found}, expected {wanted}")


def main():
    shim = os.path.abspath(sys.argv[1])
    programs = int(sys.argv[2]) if len(sys.argv) > 2 else 50
    source = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    right = spilled = 0
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(programs):
            body, does = Generator(source).block(["a", "b", "c"], 3)
            text = PROGRAM % body
            words = compiled(shim, folder, text)
            if words is None:
                spilled += 1
                continue
            values = [[source.choice(SMALL + [source.randint(-99999, 99999)])
                       for _ in range(LANES)] for _ in range(3)]
            check(text, words, does, values)
            right += 1
    print(f"{right} of {programs} programs right, {spilled} need more registers")


main()
