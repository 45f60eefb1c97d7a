"""Debugs a program on running harts through tt-exalens' Python interface.

    round.py LIBRARY ELF

ELF is debuggee.c, linked for address 0x8000. Every check prints a line when it fails, and a part
prints one when it holds; exit code 1 when any check failed. All values are those of the ISA pages
and of tt-exalens' own expectations, not what some library happens to answer.
"""

import os
import socket
import sys
import time

import ttexalens as lib
from ttexalens import util
from ttexalens.debug_tensix import TensixDebug
from ttexalens.elf import read_elf
from ttexalens.elf_loader import ElfLoader
from ttexalens.gdb.gdb_communication import ServerSocket, find_available_port
from ttexalens.gdb.gdb_server import GdbServer
from ttexalens.pack_unpack_regfile import TensixDataFormat
from ttexalens.server import FileAccessApi

BOARD = 0x20000  # debuggee.c: words of L1
RESULT, TICKS, WATCHED, READ = (BOARD + 4 * i for i in range(4))
LOCAL_RAM = 0xFFB00000
MAGIC = 0xFACADE01
DEBUG_CONTROL, DEBUG_STATUS, DEBUG_VALUE = 0xFFB12080, 0xFFB12088, 0xFFB1208C
EMPTY_MAILBOX = 0xFFEC0000  # from brisc
NOP = 0x00000013
TILE_DATA, ROW_DATA = 1024, 16

failures = []


def check(what, value, expected):
    """`expected` is a value or a predicate."""
    holds = expected(value) if callable(expected) else value == expected
    if not holds:
        wanted = "" if callable(expected) else f", not {expected!r}"
        failures.append(what)
        print(f"FAILED: {what}: {value!r}{wanted}")
    return holds


def check_raises(what, kinds, action, text=""):
    try:
        action()
    except kinds as error:
        check(f"{what}: message", str(error), lambda message: text in message)
    except BaseException as error:  # HardwareError is no Exception
        check(what, repr(error), f"one of {kinds}")
    else:
        check(what, "no exception", f"one of {kinds}")


class Target:
    """A hart and what is asked of it often."""

    def __init__(self, context, location, name, elf):
        self.location = lib.OnChipCoordinate.create(location, device=context.devices[0])
        self.name = name
        self.elf = elf
        self.hart = self.location.noc_block.get_risc_debug(name)

    def word(self, address):
        return lib.read_word_from_device(self.location, address)

    def address(self, symbol):
        return self.elf.find_symbol_by_name(symbol).value

    def run(self):
        ElfLoader(self.hart).run_elf(self.elf)

    def gpr(self, name):
        return self.hart.read_gpr({"pc": 32, "ra": 1, "sp": 2, "t0": 5, "a0": 10, "a1": 11}[name])

    def callstack(self):
        frames = lib.callstack(self.location, self.elf, None, self.name)
        return [frame.function_name for frame in frames]

    def wait(self, what, condition):
        for _ in range(200):
            if condition():
                return
        check(what, "never", "true")


def status(**set_bits):
    bits = dict(is_halted=True, is_pc_watchpoint_hit=False, is_memory_watchpoint_hit=False,
                is_ebreak_hit=False, watchpoints_hit=[False] * 8)
    bits.update(set_bits)
    return lambda seen: all(getattr(seen, name) == value for name, value in bits.items())


def hit(number):
    return [i == number for i in range(8)]


# --- Parts of the round ---


def breaks(target):
    """run-elf, ebreak, registers, memory, call stack."""
    hart = target.hart
    check("in reset at first", hart.is_in_reset(), True)
    target.run()
    target.wait("ebreak", hart.is_halted)
    check("status after ebreak", hart.read_status(), status(is_ebreak_hit=True))
    pc = target.gpr("pc")
    check("pc after ebreak", target.word(pc - 4), 0x00100073)
    check("what follows it", target.word(pc), NOP)
    check("pc on the debug bus", hart.get_pc(), pc)
    check("a0", target.gpr("a0"), 0x122)
    check("a1", target.gpr("a1"), 0x100)
    check("ra", target.gpr("ra"), lambda ra: target.address("middle") < ra < target.address("main"))
    check("sp", target.gpr("sp"), lambda sp: LOCAL_RAM + 0xF00 < sp < LOCAL_RAM + 0xFF0)
    check("what the program stored", target.word(RESULT), 0x122)
    check("call stack", target.callstack(),
          ["innermost", "middle", "middle", "middle", "outermost", "main"])
    access = lib.memory_access.create_memory_access(hart)
    version = target.elf.read_global("debuggee_version", access)
    check("a variable by name", version.read_value(), 0x20261121)


def steps(target):
    """Steps through the nops, writes registers, sees what follows use them."""
    hart, pc = target.hart, target.gpr("pc")
    for i in range(3):
        hart.step()
        check(f"pc after step {i}", target.gpr("pc"), pc + 4 * (i + 1))
        check(f"status after step {i}", hart.read_status(), status())
    for number in range(1, 32):
        old = hart.read_gpr(number)
        hart.write_gpr(number, 0x1000 + number)
        check(f"x{number} as written", hart.read_gpr(number), 0x1000 + number)
        hart.write_gpr(number, old)
    check("x0", hart.read_gpr(0), 0)
    hart.write_gpr(10, 0x300)  # a0: innermost() returns twice that
    hart.cont()
    target.wait("the loop runs", lambda: target.word(TICKS) > 10)
    # outermost: middle(2): middle(1): middle(0): 2 * 0x300 + 1
    check("the changed register was used", target.word(RESULT), (0x601 + 1 + 2) ^ 0x5A5A)


def runs(target):
    """A running hart: halt, continue, memory by way of the hart."""
    hart = target.hart
    check("not halted", hart.is_halted(), False)
    first = target.word(TICKS)
    target.wait("it goes on", lambda: target.word(TICKS) > first)
    pcs = {hart.get_pc() for _ in range(20)}
    check("pc of a running hart moves", len(pcs), lambda count: count > 1)
    check("pc stays in the program", pcs,
          lambda seen: all(target.address("tick") <= pc <= target.address("main") + 0x80
                           for pc in seen))
    hart.halt()
    check("status after halt", hart.read_status(), status())
    stopped = target.word(TICKS)
    check("it stands still", [target.word(TICKS) for _ in range(5)], [stopped] * 5)
    check("pc of a halted hart", len({hart.get_pc() for _ in range(5)}), 1)
    check("local RAM", hart.read_memory(LOCAL_RAM), MAGIC)
    check("ticks in local RAM", hart.read_memory(LOCAL_RAM + 4), lambda ticks: stopped - ticks < 2)
    hart.write_memory(LOCAL_RAM + 0x800, 0x13579BDF)
    check("local RAM as written", hart.read_memory(LOCAL_RAM + 0x800), 0x13579BDF)
    hart.write_memory(READ, 5)
    check("L1 written by way of the hart", target.word(READ), 5)
    check("call stack while halted", target.callstack()[-1], "main")
    hart.cont()
    target.wait("it goes on after halt", lambda: target.word(TICKS) > stopped)
    lib.write_riscv_memory(target.location, LOCAL_RAM + 0x804, 0x2468ACE0, target.name)
    check("memory of a running hart",
          lib.read_riscv_memory(target.location, LOCAL_RAM + 0x804, target.name), 0x2468ACE0)
    check("which runs on", hart.is_halted(), False)


def watches(target):
    """Breakpoints and watchpoints of each kind."""
    hart = target.hart
    tick = target.address("tick")
    hart.set_watchpoint_on_pc_address(3, tick)
    check("address read back", hart.read_watchpoint_address(3), tick)
    check("kind read back", hart.read_watchpoints_state()[3],
          lambda state: state.is_enabled and state.is_breakpoint)
    target.wait("breakpoint", hart.is_halted)
    for i in range(3):
        check(f"status at breakpoint {i}", hart.read_status(),
              status(is_pc_watchpoint_hit=True, watchpoints_hit=hit(3)))
        check(f"pc at breakpoint {i}", target.gpr("pc"), lambda pc: tick <= pc <= tick + 4)
        check(f"argument at breakpoint {i}", target.gpr("a0"), target.word(TICKS) + 1)
        hart.cont()
        target.wait(f"breakpoint {i} again", hart.is_halted)
    hart.disable_watchpoint(3)
    for number, address, setter in [
        (0, WATCHED, hart.set_watchpoint_on_memory_write),
        (5, READ, hart.set_watchpoint_on_memory_read),
        (7, READ, hart.set_watchpoint_on_memory_access),
        (1, WATCHED, hart.set_watchpoint_on_memory_access),
    ]:
        setter(number, address)
        hart.cont()
        target.wait(f"watchpoint {number}", hart.is_halted)
        check(f"status at watchpoint {number}", hart.read_status(),
              status(is_memory_watchpoint_hit=True, watchpoints_hit=hit(number)))
        check(f"ticks at watchpoint {number}", target.word(TICKS) % 4, 0)
        check(f"call stack at watchpoint {number}", target.callstack(), ["tick", "main"])
        hart.disable_watchpoint(number)
    check("all disabled", [state.is_enabled for state in hart.read_watchpoints_state()],
          [False] * 8)
    hart.set_watchpoint_on_memory_read(2, WATCHED)  # only stored to
    hart.cont()
    before = target.word(TICKS)
    target.wait("a load watch lets stores pass", lambda: target.word(TICKS) > before + 100)
    hart.disable_watchpoint(2)


def observes(target):
    """Debug bus, performance counters, Tensix registers, NoC registers."""
    bus = target.location.noc_block.debug_bus
    target.hart.halt()
    name = target.name
    check("signal by name", bus.read_signal(f"{name}_pc"), target.gpr("pc"))
    sample = bus.sample_signal_group(f"{name}_group_a", 0x30000)[0]
    check("signal group in L1", sample[f"{name}_dbg_obs_cmt_pc"], target.gpr("pc"))
    target.hart.cont()
    samples = bus.sample_signal_group(f"{name}_group_a", 0x30000, samples=16, sampling_interval=5)
    check("16 samples differ", len({sample.raw_data for sample in samples}),
          lambda count: count > 4)

    # tt-exalens calls 257 and 258 what the other threads count; on the chip those are 264 and 272.
    block, counter = "INSTRN_THREAD", 256 + 8 * int(name[-1])
    counters = target.location.noc_block.perf_counters
    counters.reset_block(block)
    first = counters.read_counter(block, counter), counters.read_ref_cnt(block)
    target.wait("pushed instructions",
                lambda: counters.read_counter(block, counter) > first[0] + 10)
    check("cycles pass", counters.read_ref_cnt(block), lambda cycles: cycles > first[1] + 100)
    counters.stop_block(block)
    stopped = counters.read_counter(block, counter), counters.read_ref_cnt(block)
    again = counters.read_counter(block, counter), counters.read_ref_cnt(block)
    check("stopped counters", again, stopped)
    counters.start_block(block)
    check("starting clears", counters.read_ref_cnt(block), lambda cycles: cycles < stopped[1])

    lib.write_register(target.location, "UNPACK_CONFIG0_out_data_format", 5)
    check("configuration register", lib.read_register(
        target.location, "UNPACK_CONFIG0_out_data_format"), 5)
    lib.write_register(target.location, "UNPACK_CONFIG0_out_data_format", 0)
    location = target.location.to("noc0")
    node = lib.read_register(target.location, "NOC_NODE_ID")
    check("NOC_NODE_ID", (node & 63, node >> 6 & 63), location)
    check("Tensix state", lib.get_tensix_state(target.location) is not None, True)


def pairs_swapped(data):
    """As tt-exalens shows 16-bit floats: of the two in a word the upper one comes first."""
    return [data[i ^ 1] for i in range(len(data))]


def shows_dst(target):
    """Dst through the window of a hart (32 bits) and through the debug registers (16 bits), SrcA by
    way of Dst. Reads of SrcA push instructions to thread 2, which must be free."""
    debug = TensixDebug(target.location)
    for kind, values in [
        (TensixDataFormat.Float32, [i * 0.25 - 100 for i in range(TILE_DATA)]),
        (TensixDataFormat.Int32, [i * 0x1234567 % 2**32 - 2**31 for i in range(TILE_DATA)]),
    ]:
        debug.write_regfile("dstacc", values, kind)
        check(f"Dst of {kind.name}", debug.read_regfile("dstacc", 1) == values, True)
    # In 32-bit Dst the upper halves are rows 0 to 7 of 16 bits, the lower ones rows 8 to 15, and so
    # on. These values have zeros in the lower halves.
    values = [float(i % 256 - 128) for i in range(TILE_DATA)]
    debug.write_regfile("dstacc", values, TensixDataFormat.Float32)
    bfloat16 = TensixDataFormat.Float16_b.value
    lib.write_register(target.location, "ALU_FORMAT_SPEC_REG2_Dstacc", bfloat16)
    lib.write_register(target.location, "ALU_FORMAT_SPEC_REG0_SrcA", bfloat16)
    halves = [values[ROW_DATA * 8 * i:ROW_DATA * 8 * (i + 1)] for i in range(4)]
    rows = [datum for half in halves for datum in half + [0.0] * len(half)]
    check("Dst of 16 bits", debug.read_regfile("dstacc") == pairs_swapped(rows), True)
    ops = target.location.device.instructions
    debug.inject_instruction(ops.TT_OP_SETDVALID(1), 2)  # SrcA belongs to the Matrix Unit
    debug.inject_instruction(ops.TT_OP_MOVD2A(0, 5, 0, 0, 3), 2)  # row 3 to its row 5
    check("SrcA", debug.read_regfile("srca")[:ROW_DATA * 8],
          [0.0] * ROW_DATA * 5 + pairs_swapped(rows)[3 * ROW_DATA:4 * ROW_DATA] +
          [0.0] * ROW_DATA * 2)
    check_raises("SrcB", lib.TTException, lambda: debug.read_regfile("srcb"), "not supported")
    lib.write_register(target.location, "ALU_FORMAT_SPEC_REG0_SrcA", 0)
    lib.write_register(target.location, "ALU_FORMAT_SPEC_REG2_Dstacc", 0)


def debugs_ethernet(target):
    """A hart of an Ethernet tile, with a loop of four instructions."""
    hart, start = target.hart, 0x9000
    hart.set_reset_signal(True)
    lib.write_words_to_device(target.location, TICKS, 0)
    # lui a1, 0x20; addi a0, a0, 1; sw a0, 4(a1); j .-8
    lib.write_words_to_device(target.location, start,
                              [0x000205B7, 0x00150513, 0x00A5A223, 0xFF9FF06F])
    hart.set_code_start_address(start)
    hart.set_reset_signal(False)
    target.wait("the loop runs", lambda: target.word(TICKS) > 10)
    hart.halt()
    check("status after halt", hart.read_status(), status())
    check("the hart's register and its store", target.gpr("a0") - target.word(TICKS),
          lambda ahead: ahead in (0, 1))
    check("pc on the debug bus", hart.get_pc(), target.gpr("pc"))
    hart.write_gpr(10, 0x70000000)
    hart.set_watchpoint_on_pc_address(0, start + 12)
    for _ in range(2):  # it may have been there already
        hart.cont()
        target.wait("breakpoint", hart.is_halted)
        check("status at breakpoint", hart.read_status(),
              status(is_pc_watchpoint_hit=True, watchpoints_hit=hit(0)))
    check("the changed register was stored", target.word(TICKS), lambda ticks: ticks >= 0x70000000)
    hart.disable_watchpoint(0)
    pc = target.gpr("pc")
    hart.step()
    check("pc after a step", target.gpr("pc"), start + 4 if pc == start + 12 else pc + 4)
    check("memory by way of the hart", hart.read_memory(TICKS), target.word(TICKS))
    hart.cont()
    last = target.word(TICKS)
    target.wait("it goes on", lambda: target.word(TICKS) > last)
    hart.set_reset_signal(True)
    check("in reset", hart.is_in_reset(), True)


class Remote:
    """A GDB client, as small as it can be."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=30)
        self.ask("QStartNoAckMode")

    def ask(self, text):
        self.socket.sendall(b"$%s#%02x" % (text.encode(), sum(text.encode()) & 255))
        return self.answer()

    def answer(self):
        data = b""
        while b"#" not in data or len(data.split(b"#", 1)[1]) < 2:
            more = self.socket.recv(4096)
            if not more:
                return "connection closed"
            data += more
        return data.split(b"$", 1)[1].split(b"#", 1)[0].decode()

    def resume(self, action):
        """The hart's stop. The server has a list of stops, and the next request to resume only gets
        the end of that list."""
        stop = self.ask(f"vCont;{action}")
        return stop if self.ask(f"vCont;{action}") == "T05" else "no end of stops"

    def register(self, number):
        text = self.ask("g")
        return int.from_bytes(bytes.fromhex(text[8 * number:8 * number + 8]), "little")


def serves_gdb(context, target):
    """gdb start: attach, registers, breakpoint, step, detach."""
    tick = target.address("tick")
    check("running before gdb", target.hart.is_halted(), False)
    server_socket = ServerSocket(find_available_port())
    server_socket.start()
    server = GdbServer(context, server_socket)
    server.start()
    remote = Remote(server_socket.port)
    try:
        check("features", remote.ask("qSupported:swbreak+;hwbreak+;vContSupported+"),
              lambda text: "qXfer:features:read+" in text)
        remote.ask("!")
        processes = remote.ask("qXfer:osdata:read:processes:0,7ff")
        pid = next((entry.split('name="pid">')[1].split("<")[0]
                    for entry in processes.split("<item>") if target.name in entry), None)
        if not check("process of the hart", pid, lambda found: found is not None):
            return
        check("attach", remote.ask(f"vAttach;{int(pid):x}"), lambda text: text[0] == "T")
        check("attaching halts", target.hart.is_halted(), True)
        check("pc for gdb", remote.register(32), target.gpr("pc"))
        check("sp for gdb", remote.register(2), target.gpr("sp"))
        check("breakpoint", remote.ask(f"Z0,{tick:x},4"), "OK")
        check("stop reply", remote.resume("c"), lambda text: "swbreak" in text)
        check("pc at gdb's breakpoint", remote.register(32), lambda pc: tick <= pc <= tick + 4)
        check("status at gdb's breakpoint", target.hart.read_status().is_pc_watchpoint_hit, True)
        check("breakpoint removed", remote.ask(f"z0,{tick:x},4"), "OK")
        pc = remote.register(32)
        check("step reply", remote.resume("s"), lambda text: text[:3] == "T05")
        check("pc after gdb's step", remote.register(32), pc + 4)
        check("detach", remote.ask(f"D;{int(pid):x}"), "OK")
        target.wait("runs after detaching", lambda: not target.hart.is_halted())
    finally:
        remote.socket.close()
        server.stop()


def interface(target, number, register, value=None):
    """A debug register without tt-exalens' care; (status, value) when it is read."""
    trigger = 1 << 31 | (value is not None) << 16 | number << 17 | register
    if value is not None:
        lib.write_words_to_device(target.location, DEBUG_CONTROL + 4, value)
    lib.write_words_to_device(target.location, DEBUG_CONTROL, trigger)
    seen = target.word(DEBUG_STATUS), target.word(DEBUG_VALUE)
    lib.write_words_to_device(target.location, DEBUG_CONTROL, 0)
    return seen


def bad_uses(context, target, ethernet):
    """What tt-exalens documents, and a chip that can be used afterwards."""
    hart = target.hart
    block = target.location.noc_block
    other = block.get_risc_debug("trisc0")
    check("another hart is in reset", other.is_in_reset(), True)
    for what, action in [("halt", other.halt), ("step", other.step), ("cont", other.cont),
                         ("read_gpr", lambda: other.read_gpr(1)),
                         ("read_memory", lambda: other.read_memory(0))]:
        check_raises(f"{what} in reset", ValueError, action, "trisc0 is in reset")
    check("registers of a hart in reset read zero", interface(target, 1, 10)[1], 0)
    interface(target, 1, 10, 0x1234)
    check("and cannot be written", interface(target, 1, 10)[1], 0)

    check_raises("no such hart", ValueError, lambda: block.get_risc_debug("trisc7"), "trisc7")
    check("ncrisc has no debug hardware", block.get_risc_debug("ncrisc").can_debug(), False)
    check("an Ethernet tile has no third hart", interface(ethernet, 2, 0)[0] >> 30 & 1, 0)

    before = target.word(TICKS)
    hart.debug_hardware.step()  # ignored: the hart runs
    hart.cont()  # "already running"
    target.wait("step while running changes nothing", lambda: target.word(TICKS) > before)
    check_raises("registers above 32", ValueError, lambda: hart.read_gpr(33), "33")
    hart.halt()
    hart.halt()  # "already halted"
    pc = target.gpr("pc")
    for address in (0xFF000000, 0x7FFFFFFC):
        check(f"load from nothing at {address:#x}", hart.read_memory(address), 0)
        hart.write_memory(address, 1)
    check("still halted", hart.read_status(), status())
    check("same pc", target.gpr("pc"), pc)
    check("memory still answers", hart.read_memory(LOCAL_RAM), MAGIC)
    hart.read_memory(EMPTY_MAILBOX)
    check("a load from an empty mailbox waits", hart.is_halted(), False)
    check_raises("busy", ValueError, lambda: hart.read_memory(LOCAL_RAM), "not halted")
    hart.halt()
    check("halting gives it up", (hart.is_halted(), target.gpr("pc")), (True, pc))
    access = lib.memory_access.create_memory_access(hart)
    check_raises("restricted access", lib.RestrictedMemoryAccessError,
                 lambda: access.read(0xFF000000, bytearray(4)))
    check_raises("loading without reset", AssertionError,
                 lambda: ElfLoader(hart).load_elf(target.elf), "not in reset")
    hart.cont()
    before = target.word(TICKS)
    target.wait("runs on after bad uses", lambda: target.word(TICKS) > before)


def faults(target):
    """A guest fault while a debugger looks: the report is on stderr, the tile can be run again."""
    hart = target.hart
    hart.set_reset_signal(True)
    start = 0x9000
    lib.write_words_to_device(target.location, start, [0x7F0000B7, 0x0010A023, 0x0000006F])
    hart.set_code_start_address(start)  # lui ra, 0x7f000; sw ra, (ra); j .
    hart.set_reset_signal(False)
    for _ in range(10):
        target.word(TICKS)
    check("pc of the culprit", hart.get_pc(), start + 4)
    hart.set_reset_signal(True)
    target.run()
    target.wait("runs again after a fault", hart.is_halted)
    check("ebreak again", hart.is_ebreak_hit(), True)
    hart.set_reset_signal(True)


def main():
    library, path = sys.argv[1:3]
    util.Verbosity.set(util.Verbosity.NONE)
    context = lib.init_ttexalens(simulation_directory=library)
    elf = read_elf(FileAccessApi(), path)
    target = Target(context, "1,2", "trisc1", elf)
    ethernet = [Target(context, "e0,1", name, elf) for name in ("erisc0", "erisc1")]
    for name, part in [
        ("breaks", lambda: breaks(target)),
        ("steps", lambda: steps(target)),
        ("runs", lambda: runs(target)),
        ("watches", lambda: watches(target)),
        ("observes", lambda: observes(target)),
        ("shows Dst", lambda: shows_dst(target)),
        ("debugs Ethernet", lambda: [debugs_ethernet(hart) for hart in ethernet]),
        ("serves gdb", lambda: serves_gdb(context, target)),
        ("bad uses", lambda: bad_uses(context, target, ethernet[0])),
        ("faults", lambda: faults(target)),
    ]:
        known, began = len(failures), time.monotonic()
        try:
            part()
        except Exception as error:
            check(name, repr(error), "no exception")
        if len(failures) == known:
            print(f"ok: {name} ({time.monotonic() - began:.1f} s)")
    sys.stdout.flush()
    os._exit(1 if failures else 0)  # servers' threads and the binding's leak reports do not matter


if __name__ == "__main__":
    main()
