#!/usr/bin/env python3
"""`as` of the stand-in compiler: Tensix instructions, then the ordinary assembler.

make-compiler fills in the ordinary one's name.

`.ttinsn WORD` becomes the word rotated left by two, which is what Tenstorrent's assembler makes of
it: a 32-bit instruction whose low two bits are not 3; the hart rotates it back before pushing it.
Expressions that are not plain numbers are left to the assembler as arithmetic on 32 bits.

Vector code (sfpu_builtins.h) is `.sfpu` and `.sfpurt` lines, and the compiler's moves fmv.s between
f0 to f7, which stand for LREG 0 to 7. Any other use of an F register is an error: vector values
cannot be spilled, passed to a function that is not inlined, or mixed with scalar floating point. A
file without vector code but with scalar floating point ends with the text NO_VECTOR, on which the
driver compiles again without F registers.
"""
import os
import re
import subprocess
import sys
import tempfile

REAL = "@AS@"
TTINSN = re.compile(r"(^|[;\n{])([ \t]*)\.ttinsn[ \t]+([^;\n#}]+)", re.M)
F_REGISTER = re.compile(r"\bf(?:[tsa]\d+|\d+)\b")
NAMES_A_SYMBOL = re.compile(r"(call|tail|j|jal|la|lla|beq|bne|lui)\b")
MAY_PUSH = re.compile(r"(sw|call|tail|jalr?|jr|ret)\b")
SPILL = re.compile(r"f[ls][wd]\b.*\(sp\)")
VECTOR_MOVE = re.compile(r"fmv\.s\s+ft([0-7]),\s*ft([0-7])")
NO_VECTOR = "shim: scalar floating point and no vector code"

SFPMOV_ALL_LANES, SFPNOP = 0x7C000002, 0x8F000000
SFPLOAD, SFPLOADI, SFPSTORE, SFPLUT, REPLAY = 0x70, 0x71, 0x72, 0x73, 0x04
SFPIADD, SFPSHFT, SFPAND, SFPOR, SFPTRANSP, SFPCONFIG = 0x79, 0x7A, 0x7E, 0x7F, 0x8C, 0x91
SFPSWAP, SFPSHFT2, SFPLE, SFPGT = 0x92, 0x94, 0x96, 0x97
# Their results come in the second cycle: SFPLUT, SFPMULI, SFPADDI, SFPMAD, SFPADD, SFPMUL,
# SFPLUTFP32, SFPMUL24.
TWO_CYCLES = {0x73, 0x74, 0x75, 0x84, 0x85, 0x86, 0x95, 0x98}
AT_20 = {SFPLOAD, SFPLOADI, SFPLUT}  # these have their destination in bits 23:20
AT_4 = (set(range(0x74, 0x87)) - {0x7B}) | {0x89, 0x8D, 0x8E, 0x90, 0x92} | set(range(0x94, 0x9A))

# What the last word was, where it is not a Tensix word: anything, or nothing that matters here.
UNKNOWN, NOTHING = "unknown", 0


class Bad(Exception):
    """Vector code that cannot be compiled; or NO_VECTOR."""


def rotated(word):
    word &= 0xFFFFFFFF
    return f"0x{(word << 2 | word >> 30) & 0xFFFFFFFF:08x}"


def word_line(match):
    expression = match[3].strip()
    try:
        value = rotated(int(expression, 0))
    except ValueError:
        value = f"((({expression})<<2)&0xffffffff)|((({expression})>>30)&3)"
    return f"{match[1]}{match[2]}.word {value}"


def written_late(word):
    """The LREG that is written in the second cycle of a two-cycle instruction, or None."""
    opcode = word >> 24
    if opcode not in TWO_CYCLES:
        return None
    return word >> 20 & 15 if opcode == SFPLUT else word >> 4 & 15


def read_unseen(word):
    """LREGs that an instruction reads without making the hardware wait for them."""
    opcode, d, c, b, mode = word >> 24, word >> 4 & 15, word >> 8 & 15, word >> 12 & 15, word & 15
    if opcode in (SFPIADD, SFPSHFT):
        return {d}
    if opcode in (SFPAND, SFPOR):
        return {b} if mode & 1 else set()
    if opcode == SFPCONFIG:
        return set() if mode & 1 else {0}
    if opcode == SFPSWAP:
        return {c, d} if mode else set()
    if opcode == SFPSHFT2:
        return {c} if mode in (2, 3, 4) else {b} if mode in (5, 6) else set()
    return set()


def changed(word):
    """LREGs that an instruction of the kernel's own (TTI_SFP...) writes; not those of macros."""
    opcode, d = word >> 24, word >> 4 & 15
    if opcode in AT_20:
        return {word >> 20 & 15}
    if opcode == SFPTRANSP:
        return set(range(8))
    if opcode in (SFPLE, SFPGT):
        return {d} if word & 8 else set()
    if opcode == SFPSWAP:
        return {d, word >> 8 & 15}
    return {d} if opcode in AT_4 else set()


class VectorCode:
    """Goes through a file line by line; `out` is what becomes of it."""

    def __init__(self):
        self.out = []
        self.function, self.place = "?", ""
        self.has_vectors = False
        self.moves, self.scalars = [], []  # lines with F registers: vector moves, and the rest
        self.last, self.last_is_ours = UNKNOWN, False  # the last Tensix word
        self.recording = 0  # Tensix words that a replay recording still takes
        self.set_here = set()  # LREGs set by vector code since the last label,
        self.lost = set()  # and those of them that were overwritten since

    def use(self, sources, destinations):
        """Sources must still hold what the compiler put there; followed in straight-line code."""
        bad = sources & self.lost
        if bad:
            raise Bad(f"{self.function}: LREG {min(bad)} holds a vector value and is overwritten "
                      f"by an instruction of the kernel's own ({self.place})")
        self.lost -= destinations
        self.set_here |= destinations

    def wait_for(self, word):
        """Puts SFPNOP before a word that needs it."""
        need = read_unseen(word)
        if need and (self.last == UNKNOWN or written_late(self.last) in need):
            self.out.append(f"\t.word {rotated(SFPNOP)}\n")

    def emit(self, word, comment):
        self.wait_for(word)
        self.out.append(f"\t.word {rotated(word)}\t# {comment}\n")
        self.last, self.last_is_ours = word, True

    def refuse_recording(self, what):
        if self.recording > 0:
            raise Bad(f"{self.function}: {what} inside a replay recording ({self.place})")

    def with_registers(self, operands, word):
        """The word with its registers: each operand is ftN@BIT."""
        opcode = word >> 24 & 255
        sources, destinations = set(), set()
        for operand in operands:
            match = re.fullmatch(r"ft([0-7])@(\d+)", operand)
            if not match:
                raise Bad(f"operand {operand!r} is not in LREG 0 to 7")
            register, bit = int(match[1]), int(match[2])
            word |= register << bit
            in_place = bit != (20 if opcode in AT_20 else 4)
            if in_place or opcode == SFPSTORE:
                sources.add(register)
            else:
                destinations.add(register)
        self.use(sources, destinations)
        return word & 0xFFFFFFFF

    def forget(self):
        """At a label nothing is known."""
        self.last = UNKNOWN
        self.set_here.clear()
        self.lost.clear()

    def vector(self, directive, rest, line):
        self.has_vectors = True
        if directive == ".sfpurd":
            self.use(set(), {int(re.match(r"ft([0-7])", rest)[1])})
            return
        operands = [operand.strip() for operand in rest.split("#")[0].split(",")]
        self.refuse_recording("vector code")
        if directive == ".sfpu":
            self.emit(self.with_registers(operands[1:], int(operands[0], 0) & 0xFFFFFFFF), line)
            return
        opcode, value, scratch, address = operands[:4]
        word = self.with_registers(operands[4:], (int(opcode, 0) & 255) << 24)
        self.wait_for(word)
        self.out.append(f"\tli {scratch},{word & 0xFFFFFF}\n\tor {scratch},{scratch},{value}\n"
                        f"\tsw {scratch},0({address})\t# {line}\n")
        self.last = word if written_late(word) is not None else NOTHING
        self.last_is_ours = True

    def own_instruction(self, expression):
        """A .ttinsn of the kernel's own."""
        self.recording = max(self.recording - 1, 0)
        try:
            word = int(expression.split("#")[0].strip(), 0) & 0xFFFFFFFF
        except ValueError:
            self.last, self.last_is_ours = UNKNOWN, False
            return
        if not self.recording:
            self.lost |= changed(word) & self.set_here
        if word >> 24 == REPLAY and word & 1:
            self.recording = word >> 4 & 0x3FF
        follows_ours = self.last not in (UNKNOWN, NOTHING) and self.last_is_ours
        if not self.recording and follows_ours and written_late(self.last) in read_unseen(word):
            self.out.append(f"\t.word {rotated(SFPNOP)}\n")
        self.last, self.last_is_ours = word, False

    def directive(self, text, line):
        name, rest = (text.split(None, 1) + [""])[:2]
        if name in (".sfpurd", ".sfpu", ".sfpurt"):
            self.vector(name, rest, text)
            return
        if name == ".ttinsn":
            self.own_instruction(rest)
        elif name == ".type" and "@function" in text:
            self.function, self.recording, self.last = rest.split(",")[0], 0, UNKNOWN
        elif text.endswith(":"):
            self.forget()
        self.out.append(line)

    def instruction(self, text, line):
        code = text.split("#")[0].strip()
        move = VECTOR_MOVE.fullmatch(code)
        if move:
            self.refuse_recording("vector move")
            self.moves.append(code)
            self.use({int(move[2])}, {int(move[1])})
            self.emit(SFPMOV_ALL_LANES | int(move[2]) << 8 | int(move[1]) << 4, code)
            return
        if F_REGISTER.search(code) and not NAMES_A_SYMBOL.match(code):
            self.scalars.append((self.function, self.place, code))
        elif MAY_PUSH.match(code):
            self.last = UNKNOWN
        self.out.append(line)

    def line(self, line):
        text = line.strip()
        if not text or text.startswith(("#", "//")):
            match = re.match(r'# (\d+) "([^"]*)"', text)
            if match and match[1] != "0":
                self.place = f"{match[2]}:{match[1]}"
            self.out.append(line)
        elif text.startswith("."):
            self.directive(text, line)
        elif text.endswith(":"):
            self.forget()
            self.out.append(line)
        else:
            self.instruction(text, line)

    def finish(self):
        if self.has_vectors and self.scalars:
            function, place, code = self.scalars[0]
            why = "scalar floating point, or a vector value in memory, beside vector code"
            if SPILL.match(code):
                why = "vector value spilled (more than 8 live, or live across a call)"
            raise Bad(f"{function}: {why}: `{' '.join(code.split())}` near {place}; "
                      f"{len(self.scalars)} such lines")
        if not self.has_vectors and (self.scalars or self.moves):
            raise Bad(NO_VECTOR)
        return "".join(self.out)


def assembled(text):
    code = VectorCode()
    for line in text.splitlines(keepends=True):
        code.line(line)
    return TTINSN.sub(word_line, code.finish())


def extensions(march):
    """Without those that binutils does not know; A stands for Zaamo."""
    known = re.sub(r"_(zaamo|zmmul|xtt\w+)", "", march)
    return known.replace("rv32im_", "rv32ima_").replace("rv32imf_", "rv32ima_")


def main():
    arguments, temporary = [], []
    for argument in sys.argv[1:]:
        if argument == "-mno-arch-attr":
            continue
        if argument.startswith("-march="):
            argument = "-march=" + extensions(argument.removeprefix("-march="))
        elif argument.endswith((".s", ".S")) and os.path.isfile(argument):
            with open(argument) as source:
                text = source.read()
            try:
                text = assembled(text)
            except Bad as error:
                print(f"shim: error: vector unit: {error}", file=sys.stderr)
                return 1
            with tempfile.NamedTemporaryFile("w", suffix=".s", delete=False) as file:
                file.write(text)
            temporary.append(file.name)
            argument = file.name
        arguments.append(argument)
    try:
        return subprocess.call([REAL] + arguments)
    finally:
        for name in temporary:
            os.unlink(name)


if __name__ == "__main__":
    sys.exit(main())
