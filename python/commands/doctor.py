"""`penrose doctor`: looks at everything that a client program needs, and tries it.

Each check prints a line: its subject, a verdict, what it found, and what to do about it. The verdict is "ok",
"note" (it works, but something is missing that some programs need) or "FAILED".
"""

from __future__ import annotations

import ctypes
import json
import os
import re
import struct
import sys
from typing import NamedTuple

import compiler
import installation
import output
from output import Refusal, Settings

FAILED = 1  # the exit code

PACKAGES = (  # name, tested version, who needs it
    ("tt-umd", "0.9.14", "tt-exalens and tests of UMD"),
    ("ttnn", "0.81.1", "ttnn programs"),
    ("tt-exalens", "0.4.2", "the LLK tests and looking at tiles"),
)
# Compilers are known to work with the ttnn that this was tested with, which names another.
TESTED_COMPILER, TESTED_WANTED = "7.87.0", "7.89.0"


class Check(NamedTuple):
    name: str
    text: str  # what was found
    state: str = "ok"
    remedy: str = ""  # what to do; empty when it is ok


# --- The library ---


def reaches_tile(library: ctypes.CDLL, settings: Settings) -> bool:
    """Points window 0 to the first worker, writes a word to its L1, and reads it. The registers of the
    windows are at `windows`; the words of this one are the number `window`."""
    config = library.libttsim_pci_config_rd32
    read, write = library.libttsim_pci_mem_rd_bytes, library.libttsim_pci_mem_wr_bytes
    bar = config(0, 0x10) & ~15 | config(0, 0x14) << 32
    registers, window = bar + int(settings["windows"]), int(settings["window"])
    for i in range(int(settings["window_words"])):
        write(ctypes.c_uint64(registers + 4 * i), struct.pack("<I", window >> 32 * i & 0xFFFFFFFF), 4)
    at, word, found = ctypes.c_uint64(bar + 0x20000), struct.pack("<I", 0x9E3779B9), ctypes.create_string_buffer(4)
    write(at, word, 4)
    read(at, found, 4)
    return found.raw == word


def pci_name(settings: Settings) -> str:
    """Vendor and device."""
    number = int(settings["pci_id"])
    return f"{number & 0xFFFF:04x}:{number >> 16:04x}"


# By the exit code of a process that tries the library.
LIBRARY_REMEDIES = {
    0: "",
    1: "it does not load; 'ldd' tells which library it lacks",
    2: "it lacks functions that UMD needs; name a libttsim.so",
    3: "it is no {Chip} ({pci}); name another one",
    4: "a word written to tile ({worker}) is not read back; run 'make check', and report this",
}
LIBRARY_ENDS = "it ended its process; run 'make check', and report this"


def try_library(path: str, settings: Settings) -> int:
    try:
        library = ctypes.CDLL(path)
    except OSError:
        return 1
    names = ("init", "exit", "pci_config_rd32", "pci_mem_rd_bytes", "pci_mem_wr_bytes")
    if not all(hasattr(library, f"libttsim_{name}") for name in names):
        return 2
    library.libttsim_pci_config_rd32.restype = ctypes.c_uint32
    library.libttsim_init()
    if library.libttsim_pci_config_rd32(0, 0) != int(settings["pci_id"]):
        return 3
    result = 0 if reaches_tile(library, settings) else 4
    library.libttsim_exit()
    return result


def ask_library(path: str, settings: Settings) -> int | None:
    """In a process of its own, which another library than ours may end: then None."""
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        answer = -1
        try:
            for variable in ("PENROSE_TRACE", "PENROSE_SUMMARY"):
                os.environ.pop(variable, None)
            answer = try_library(path, settings)
        finally:
            os._exit(answer)
    _, status = os.waitpid(child, 0)
    return os.WEXITSTATUS(status) if os.WIFEXITED(status) else None


def describes(descriptor: str, chip: str) -> bool:
    """Does it have a line such as "arch_name: BLACKHOLE"? UMD takes any case."""
    with open(descriptor, encoding="utf-8", errors="replace") as file:
        return bool(re.search(f"^arch_name:[ \"']*{chip}", file.read(), re.MULTILINE | re.IGNORECASE))


def check_cluster(settings: Settings, library: str) -> list[Check]:
    """UMD needs a folder with a description of the chips of a file."""
    if "cluster" not in settings:
        return []
    linked = installation.link_cluster(settings, library)
    if linked:
        return [Check("cluster", os.path.dirname(linked))]
    remedy = "no folder for UMD can be made in the cache: set PENROSE_CACHE to a folder"
    return [Check("cluster", settings["cluster"], "FAILED", remedy)]


def check_library(settings: Settings) -> list[Check]:
    card, named = settings["card"], settings.get("library")
    path = named or installation.find_library(settings) or installation.usual_library(settings, card)
    path = path if "/" in path else f"./{path}"
    if not os.path.exists(path):
        remedy = "there is no such file: run 'make install', or 'make' in the build tree"
        return [Check("library", path, "FAILED", remedy)]
    chip = settings["chip"].capitalize()
    remedy = LIBRARY_REMEDIES.get(ask_library(path, settings), LIBRARY_ENDS).format(
        Chip=chip, pci=pci_name(settings), worker=settings["worker"]
    )
    which = f"{settings['chips']} chips of {settings['cluster']}" if "cluster" in settings else card
    found = f"{path} ({pci_name(settings)}{'' if named else f', {which}'})"
    checks = [Check("library", path, "FAILED", remedy) if remedy else Check("library", found)]
    descriptor = installation.descriptor_of(path)
    exists = os.path.exists(descriptor)
    if exists and describes(descriptor, settings["chip"]):
        return [*checks, Check("descriptor", descriptor), *check_cluster(settings, path)]
    reason = f"it does not describe a {chip}" if exists else "UMD needs this file"
    remedy = f"{reason}: penrose info --soc-descriptor {card} >{descriptor}"
    return [*checks, Check("descriptor", descriptor, "FAILED", remedy)]


# --- Python ---


def check_package(python: str, name: str, tested: str, purpose: str, found: list[str]) -> Check:
    """`found` is what packages of questions.py prints of it."""
    if not found:
        remedy = f"{python} -m pip install {name}=={tested}"
        return Check(name, f"not in this Python; {purpose} need it", "note", remedy)
    version, lacks, debian = found
    if lacks:
        text = f"{version}, which does not load: it lacks {lacks}"
        return Check(name, text, "FAILED", f"on Debian: apt-get install {debian}")
    if version != tested:
        return Check(name, version, "note", f"tested with {tested}; if this one fails, try that")
    return Check(name, version)


def check_python(python: str | None) -> list[Check]:
    if not python:
        remedy = "name one with --python; programs in C++ need none"
        return [Check("python", "there is no python3 in PATH", "note", remedy)]
    ran, text = installation.ask(python, "packages", *(name for name, _, _ in PACKAGES), seconds=30)
    if not ran or not text.startswith("python\n"):
        return [Check("python", python, "FAILED", "it does not run Python; name another one with --python")]
    found = {line.split("|")[0]: line.split("|")[1:] for line in text.split("\n")}
    packages = [check_package(python, *package, found=found.get(package[0], [])) for package in PACKAGES]
    return [Check("python", python), *packages]


# --- The compiler ---


def compare_versions(root: str | None, text: str, version: str) -> Check:
    """What tt-metal names may differ from what there is; it does not complain then."""
    wanted = compiler.wanted(root) if root else None
    if not wanted or wanted == version:
        return Check("compiler", text)
    if (version, wanted) == (TESTED_COMPILER, TESTED_WANTED):
        return Check("compiler", f"{text}; ttnn names {wanted} and works with it")
    remedy = (
        f"this ttnn names {wanted}; if kernels do not compile, unpack that release of "
        "github.com/tenstorrent/sfpi to /opt/tenstorrent/sfpi"
    )
    return Check("compiler", text, "note", remedy)


def try_compiler(root: str | None, folder: str) -> Check:
    """The driver says its version where the compiler proper, for want of a library, does not run."""
    path = f"{folder}/{compiler.PROGRAM}"
    status, said = installation.capture([path, "--version"], 30)
    said = said.split("\n")[0]
    version = re.search("sfpi:([0-9.]+)", said)
    text = f"{path} (SFPI {version[1]})" if version else f"{path} ({said})"
    if status != 0:
        return Check("compiler", text, "FAILED", "it does not run; get SFPI again")
    status, said = installation.capture([path, "-mcpu=tt-bh", "-xc++", "-fsyntax-only", "/dev/null"], 30)
    if status != 0:
        said = said.split("\n")[0]
        return Check("compiler", text, "FAILED", f"it compiles nothing ({said}); on Debian: apt-get install libmpc3")
    return compare_versions(root, text, version[1] if version else "")


def check_compiler(settings: Settings, root: str | None, python: str | None) -> Check:
    found = compiler.find(root, python)
    if found.place == "packed":
        return Check("compiler", "in the jax-tt-plugin of this Python; 'penrose exec' unpacks it when ttnn needs it")
    if found.place == "nowhere":
        text = "no riscv-tt-elf-g++ of SFPI; ttnn opens no device without"
        return Check("compiler", text, "FAILED" if root else "note", compiler.remedy(settings["own"], python))
    return try_compiler(root, found.folder)


# --- Firmware ---


def ask_penrose(settings: Settings, *words: str) -> dict:
    """The result of another command."""
    _, text = installation.capture([f"{settings['own']}/penrose", *words, "--json"], 60)
    try:
        return json.loads(text[text.index("{") :])
    except ValueError:
        return {"outcome": "error", "error": text.strip() or "it does not run"}


def machine(settings: Settings) -> list[str]:
    """The options for it."""
    return ["--cluster", settings["cluster"]] if "cluster" in settings else ["--card", settings["card"]]


def fits(settings: Settings, folder: str) -> bool:
    layout = ask_penrose(settings, "info", folder).get("firmware", {}).get("layout", {})
    return all(layout.get(banks) == int(settings[banks]) for banks in ("l1_banks", "dram_banks"))


def sets_in(folder: str) -> list[str]:
    """Blackhole's: its DRAM tiles have harts."""
    if not os.path.isdir(folder):
        return []
    return [f"{folder}/{name}" for name in sorted(os.listdir(folder)) if os.path.isdir(f"{folder}/{name}/drisc")]


def check_firmware(settings: Settings, root: str | None) -> tuple[Check, str | None]:
    """Also the set that fits the card."""
    cache = installation.cache()
    for base, below in ((root, "tt_metal"), (cache, "ttnn-0.81.1")):
        folder = f"{base}/{below}/pre-compiled"
        sets = sets_in(folder)
        if not base or not sets:
            continue
        text = f"{len(sets)} Blackhole sets in {folder}"
        fitting = next((path for path in sets if fits(settings, path)), None)
        if fitting:
            return Check("firmware", text), fitting
        remedy = "none is for the banks of this card; 'scripts/fetch-firmware' of the source tree downloads others"
        return Check("firmware", text, "note", remedy), None
    remedy = (
        "'penrose boot' wants one: 'scripts/fetch-firmware' of the source tree downloads all; ttnn compiles its own"
    )
    return Check("firmware", "no set of tt-metal firmware", "note", remedy), None


# --- The cache, and a tile at work ---


def check_cache() -> Check:
    path = installation.cache()
    if not path:
        return Check("cache", "no folder: HOME is not set", "note", "set PENROSE_CACHE to a folder")
    try:
        os.makedirs(path, exist_ok=True)
        reason = "" if os.access(path, os.W_OK | os.X_OK) else "Permission denied"
    except OSError as error:
        reason = error.strerror
    if not reason:
        return Check("cache", path)
    remedy = f"cannot be written ({reason}), so no compiler can be put there: set PENROSE_CACHE to another folder"
    return Check("cache", path, "note", remedy)


def check_boot(settings: Settings, firmware: str) -> Check:
    result = ask_penrose(settings, "boot", firmware, *machine(settings), "--max-cycles", "1000000")
    if result["outcome"] == "done":
        return Check("tile", f"firmware boots on tile ({settings['worker']}) in {result['cycles']} cycles")
    reason = result.get("error", "the firmware does not become ready")
    return Check("tile", f"firmware does not boot: {reason}", "FAILED", f"penrose boot {firmware}")


def small_program() -> bytes:
    """An ELF file: li a0, 42; ebreak."""
    code = struct.pack("<2I", 0x02A00513, 0x00100073)
    riscv, header, segment = 243, 52, 32
    head = struct.pack("<4s3B9x2H5I6H", b"\x7fELF", 1, 1, 1, 2, riscv, 1, 0, header, 0, 0, header, segment, 1, 0, 0, 0)
    return head + struct.pack("<8I", 1, header + segment, 0, 0, len(code), len(code), 5, 4) + code


def check_program(settings: Settings) -> Check:
    """Without firmware."""
    import tempfile

    with tempfile.NamedTemporaryFile(prefix="penrose-doctor.") as file:
        file.write(small_program())
        file.flush()
        result = ask_penrose(settings, "run", file.name, *machine(settings))
    if result["outcome"] == "done" and result["harts"][0]["exit_value"] == 42:
        return Check("tile", f"a small program runs on tile ({settings['worker']})")
    return Check("tile", "a small program does not run", "FAILED", "run 'make check', and report this")


# --- All checks ---


def make_checks(settings: Settings, python: str | None) -> list[Check]:
    library, of_python = check_library(settings), check_python(python)
    root = installation.metal_root(python)
    firmware, fitting = check_firmware(settings, root)
    tile = check_boot(settings, fitting) if fitting else check_program(settings)
    return [*library, *of_python, check_compiler(settings, root, python), firmware, check_cache(), tile]


def show(check: Check, has_colors: bool) -> None:
    color = {"ok": 32, "note": 33, "FAILED": 31}[check.state]
    state = f"\033[{color}m{check.state:6}\033[0m" if has_colors else f"{check.state:6}"
    sys.stdout.write(f"{check.name:11} {state}  {output.plain(check.text)}\n")
    if check.remedy:
        output.say(f"{'':11} {'':6}  to do: {check.remedy}")


def run(settings: Settings, _: list[str]) -> int:
    python = installation.find_program(settings["python"]) if "python" in settings else installation.default_python()
    if "python" in settings and not python:
        raise Refusal(f"--python: there is no program {settings['python']}")
    checks = make_checks(settings, python)
    status = FAILED if any(check.state == "FAILED" for check in checks) else 0
    if "json" in settings:
        which = "cluster" if "cluster" in settings else "card"
        result = {"outcome": "failed" if status else "done", "exit_status": status, which: settings[which]}
        output.write_json(settings, {**result, "checks": [check._asdict() for check in checks]})
        return status
    has_colors = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    for check in checks:
        show(check, has_colors)
    return status
