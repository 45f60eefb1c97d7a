#!/usr/bin/env python3
"""What UMD by itself (the package tt-umd) does with a libttsim library.

usage: umd.py [--card unharvested|p150a|p100a] [--facts] LIBRARY

LIBRARY has soc_descriptor.yaml beside it, that of the whole die for every card: UMD takes out what
telemetry says is harvested. Prints a line for each check; exits 1 if one failed. --facts prints
what UMD knows about the chip instead (it is what tt-smi would show), as JSON.
"""
import argparse
import json
import os
import random
import subprocess
import sys
import traceback

import tt_umd as umd

NODE_ID = 0xFFB20044  # of NIU 0: x in bits 5:0, y in bits 11:6; NIU 1 is 0x10000 further on
ALL_HELD, BRISC_RUNS = 0x47800, 0x47000
JUMP_TO_ITSELF = 0x0000006F
L1_BYTES, ETHERNET_L1_BYTES, BANK_BYTES = 0x180000, 0x80000, 0xFF000000

# board type, Tensix columns, DRAM banks, Ethernet tiles
CARDS = {
    "unharvested": (umd.BoardType.P150, 0x3FFF, 0xFF, 0x0FFF),
    "p150a": (umd.BoardType.P150, 0x3FFF, 0xFF, 0x3EDF),
    "p100a": (umd.BoardType.P100, 0x0FFF, 0xF7, 0x0000),
}


def discover(library):
    options, simulation = umd.TopologyDiscoveryOptions(), umd.SimulationDiscoveryOptions()
    simulation.simulator_path = library
    simulation.num_host_mem_channels = 1
    options.simulation = simulation
    descriptor = os.path.join(os.path.dirname(library), "soc_descriptor.yaml")
    return umd.TopologyDiscovery.discover(options, soc_descriptor_path=descriptor)


def places(device, kind, system=umd.CoordSystem.TRANSLATED):
    return [(c.x, c.y) for c in device.get_soc_descriptor().get_cores(kind, system)]


def telemetry(device, tag):
    return device.get_firmware_telemetry_reader().read_entry(tag.value)


def equal(what, got, wanted):
    if got != wanted:
        raise AssertionError("%s: %s, expected %s" % (what, got, wanted))


class Checks:
    """Each method whose name begins with check_ is a check of one device, in this order."""

    def __init__(self, library, card, cluster, device):
        self.library, self.card, self.cluster, self.device = library, card, cluster, device
        self.random = random.Random(1)

    def check_discovery(self):
        board = CARDS[self.card][0]
        equal("chips", sorted(self.cluster.get_all_chips()), [0])
        equal("architecture", self.device.get_arch(), umd.ARCH.BLACKHOLE)
        equal("board", self.device.get_board_type(), board)
        equal("board of the cluster", self.cluster.get_board_type(0), board)
        equal("translation", self.device.get_chip_info().noc_translation_enabled, True)
        equal("PCIe hung", self.device.is_pcie_hung(), False)
        for noc in (umd.NocId.DEFAULT_NOC, umd.NocId.NOC1):
            equal("%s hung" % noc, self.device.is_noc_hung(noc), False)

    def check_harvesting(self):
        """Telemetry, UMD's masks and its list of tiles say the same."""
        _, columns, banks, ethernet = CARDS[self.card]
        masks = self.device.get_chip_info().harvesting_masks
        count = {kind: len(places(self.device, getattr(umd.CoreType, kind)))
                 for kind in ("TENSIX", "DRAM", "ETH", "PCIE", "ARC")}
        equal("tiles", count, {"TENSIX": 10 * bin(columns).count("1"), "PCIE": 1, "ARC": 1,
                               "DRAM": 3 * bin(banks).count("1"), "ETH": bin(ethernet).count("1")})
        equal("columns off", bin(masks.tensix_harvesting_mask).count("1"),
              14 - bin(columns).count("1"))
        equal("banks off", masks.dram_harvesting_mask, banks ^ 0xFF)
        equal("Ethernet off", masks.eth_harvesting_mask, ethernet ^ 0x3FFF)
        equal("ENABLED_ETH", telemetry(self.device, umd.TelemetryTag.ENABLED_ETH), ethernet)

    def check_translation(self):
        """The tile that answers at translated coordinates is the one that UMD means."""
        grid = umd.CoordSystem.NOC0
        for kind in (umd.CoreType.TENSIX, umd.CoreType.DRAM, umd.CoreType.ETH):
            for at, raw in zip(places(self.device, kind), places(self.device, kind, grid)):
                word = self.device.noc_read32(*at, NODE_ID)
                equal("%s at %s" % (kind, at), (word & 63, word >> 6 & 63), raw)

    def check_l1(self):
        kept = {}
        for kind, size in ((umd.CoreType.TENSIX, L1_BYTES), (umd.CoreType.ETH, ETHERNET_L1_BYTES)):
            for at in places(self.device, kind):
                for address in (0x40000, size - 64):
                    kept[at, address] = self.random.randbytes(64)
                    self.device.noc_write(*at, address, kept[at, address])
        for (at, address), data in kept.items():
            equal("L1 of %s" % (at,), self.device.noc_read(*at, address, 64), data)

    def check_dram(self):
        """Three ports of a bank show one memory, each bank its own."""
        ports = places(self.device, umd.CoreType.DRAM)
        banks = [ports[i:i + 3] for i in range(0, len(ports), 3)]
        kept = {}
        for bank in banks:
            for address in (0, 0x1234567, BANK_BYTES - 100):
                kept[bank[0], address] = self.random.randbytes(100)
                self.device.noc_write(*bank[0], address, kept[bank[0], address])
        for bank in banks:
            for port in bank:
                for address in (0, 0x1234567, BANK_BYTES - 100):
                    equal("DRAM at %s" % (port,), self.device.noc_read(*port, address, 100),
                          kept[bank[0], address])

    def check_large_transfers(self):
        """Beyond a window of 2 MiB, at odd addresses and sizes."""
        dram = places(self.device, umd.CoreType.DRAM)[0]
        worker = places(self.device, umd.CoreType.TENSIX)[-1]
        for at, address, size in ((dram, 0x1FFFFD, 0x600011), (worker, 0x10003, 0x120001)):
            data = self.random.randbytes(size)
            self.device.noc_write(*at, address, data)
            equal("read back", self.device.noc_read(*at, address, size) == data, True)

    def check_multicast(self):
        workers = places(self.device, umd.CoreType.TENSIX)
        self.device.noc_broadcast32(0x50000, 0x600DCAFE)
        self.device.noc_multicast32(1, 2, 3, 4, 0x50004, 0x12345678)
        for x, y in workers:
            equal("broadcast", self.device.noc_read32(x, y, 0x50000), 0x600DCAFE)
            inside = 1 <= x <= 3 and 2 <= y <= 4
            got = self.device.noc_read32(x, y, 0x50004)
            equal("multicast at (%d, %d)" % (x, y), got == 0x12345678, inside)

    def check_resets(self):
        x, y = places(self.device, umd.CoreType.TENSIX)[0]
        tile = self.device.get_soc_descriptor().get_coord_at(
            umd.tt_xy_pair(x, y), umd.CoordSystem.TRANSLATED)
        self.device.noc_write32(x, y, 0, JUMP_TO_ITSELF)
        self.device.set_risc_reset_state(x, y, ALL_HELD)
        equal("held", self.device.get_risc_reset_state(x, y) & ALL_HELD, ALL_HELD)
        self.device.deassert_risc_reset(tile, umd.RiscType.BRISC)
        equal("BRISC runs", self.device.get_risc_reset_state(x, y) & ALL_HELD, BRISC_RUNS)
        self.device.assert_risc_reset(tile, umd.RiscType.ALL_TENSIX)
        equal("held again", self.device.get_risc_reset_state(x, y) & ALL_HELD, ALL_HELD)

    def check_arc(self):
        equal("test message", self.device.arc_msg(0x90, True, [1, 2])[0], 0)
        for state in (umd.TTDevice.PowerState.BUSY, umd.TTDevice.PowerState.IDLE):
            self.device.set_power_state(state)
        firmware = self.device.get_firmware_info_provider()
        equal("firmware", str(firmware.get_firmware_version()), "18.5.0")
        equal("the clock is known", firmware.get_aiclk() >= 800, True)

    def check_reopening(self):
        """A second device at once is another chip; one made after its end is a new one."""
        x, y = places(self.device, umd.CoreType.TENSIX)[0]
        self.device.noc_write32(x, y, 0x60000, 0x11111111)
        for number in range(3):
            other = umd.create_simulation_tt_device(self.library, 0, True)
            other.init_tt_device()
            equal("fresh L1", other.noc_read32(x, y, 0x60000), 0)
            other.noc_write32(x, y, 0x60000, number)
            equal("first chip", self.device.noc_read32(x, y, 0x60000), 0x11111111)
            del other

    def check_two_processes(self):
        command = [sys.executable, os.path.abspath(__file__), "--facts", self.library]
        children = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(2)]
        answers = [child.communicate()[0].decode() for child in children]
        answers = [a[a.find("{"):a.rfind("}") + 1] for a in answers]  # ttsim prints, too
        equal("exit codes", [child.returncode for child in children], [0, 0])
        equal("same facts", answers[0], answers[1])

    def run(self):
        failed = 0
        for name in [name for name in type(self).__dict__ if name.startswith("check_")]:
            try:
                getattr(self, name)()
                print("ok: %s" % name[6:])
            except Exception as error:  # UMD's are of many types
                failed += 1
                print("FAILED: %s: %s" % (name[6:], str(error).splitlines()[0]))
                if not isinstance(error, AssertionError):
                    traceback.print_exc()
        return failed


def facts(device):
    """The values of the chip's firmware that UMD finds, and all telemetry."""
    info, reader = device.get_firmware_info_provider(), device.get_firmware_telemetry_reader()
    values = {}
    for name in sorted(dir(info)):
        try:
            value = getattr(info, name)() if name.startswith("get_") else None
        except TypeError:
            continue  # wants an argument
        if value is not None:
            values[name[4:]] = value if isinstance(value, (int, float)) else str(value)
    values["telemetry"] = {tag.name: reader.read_entry(tag.value) for tag in umd.TelemetryTag
                           if reader.is_entry_available(tag.value)}
    return values


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--card", choices=CARDS, default="unharvested")
    parser.add_argument("--facts", action="store_true")
    parser.add_argument("library")
    arguments = parser.parse_args()
    umd.logging.set_level(umd.logging.Level.Error)
    library = os.path.abspath(arguments.library)
    cluster, devices = discover(library)
    if arguments.facts:
        print(json.dumps(facts(devices[0]), indent=1))
        return 0
    return 1 if Checks(library, arguments.card, cluster, devices[0]).run() else 0


if __name__ == "__main__":
    sys.exit(main())
