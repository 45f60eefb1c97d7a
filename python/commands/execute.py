"""`penrose exec`: a program of tt-metal's world runs on the emulated chip.

The program `penrose` has put what its options say into the environment (libttsim(3)). Signals reach the
command, and its exit code becomes ours.
"""

from __future__ import annotations

import errno
import os
import signal
import stat
import sys
import time
from typing import Any, NamedTuple

import compiler
import installation
from output import Refusal, Settings, note, plain

# The exit codes of env(1).
NOT_STARTED, NOT_RUNNABLE, NOT_FOUND, SIGNAL = 125, 126, 127, 128
# Exit codes by --fail-on, if the command itself ends with 0. The worst comes first.
FAILURES = {"fault": 121, "hang": 122, "warning": 123, "finding": 123}

# --- Files of our own ---


def temporary(environment: dict[str, str]) -> str:
    return environment.get("TMPDIR") or "/tmp"


def new_file(environment: dict[str, str], name: str) -> str:
    """The path of a file that was not there before; OSError."""
    path = f"{temporary(environment)}/penrose-{name}.{os.urandom(6).hex()}"
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    return path


# --- What the command gets ---


def own_environment() -> dict[str, str]:
    """As it was given: Python adds a variable for its locale."""
    with open("/proc/self/environ", "rb") as file:
        words = os.fsdecode(file.read()).split("\0")
    return dict(word.split("=", 1) for word in words if "=" in word)


def choose_library(settings: Settings) -> str:
    """By an absolute path, for a command that changes its folder."""
    card, named = settings["card"], settings.get("library")
    if named:
        if not os.path.exists(named):
            raise Refusal(f"--library: there is no file {named}")
        library = installation.absolute(named)
    else:
        library = installation.find_library(settings)
    if not library:
        raise Refusal(
            f"the library for card {card} is not at {installation.usual_library(settings, card)}: run "
            "'make install', or 'make' in the build tree, or name one with --library"
        )
    descriptor = installation.descriptor_of(library)
    if not os.path.exists(descriptor):
        raise Refusal(
            f"{descriptor} is missing, without which UMD does not open the library: "
            f"'penrose info --soc-descriptor {card}' prints one"
        )
    if "cluster" not in settings:
        return library
    cluster = installation.link_cluster(settings, library)
    if not cluster:
        raise Refusal(
            "--cluster: UMD needs a folder with a description of these chips, and none can be made in the cache; "
            "set PENROSE_CACHE to a folder that can be written"
        )
    return cluster


def arguments_of(command: list[str], library: str) -> list[str]:
    """The command as it is to be run. tt-exalens takes its simulator from the command line only."""
    words = [word.replace("{library}", library) for word in command]
    if os.path.basename(command[0]) == "tt-exalens" and not any(
        word.startswith(("-s", "--remote")) or word in ("-h", "--help") for word in command[1:]
    ):
        words[1:1] = ["-s", library]
    return words


def choose_root(settings: Settings, command: list[str]) -> str | None:
    """The root in which tt-metal finds a compiler, where its own has none and the command's Python has
    ttnn. Where there is no compiler, tells what to do before ttnn throws; a command that does not open a
    device by ttnn runs without."""
    if not installation.find_program(command[0]):
        return None
    python = installation.find_python(command)
    root = installation.metal_root(python)
    if not root:
        return None
    root = os.path.realpath(root)
    found = compiler.find(root, python)
    if found.place == "packed" and python:
        note("exec: unpacking the compiler of the installed jax-tt-plugin into the cache, once")
        try:
            found = compiler.unpack(found, python)
        except compiler.NotUnpacked as reason:
            note(f"exec: it cannot be unpacked: {reason}")
            found = compiler.Compiler("nowhere")
    if found.place == "nowhere":
        note(
            "exec: ttnn opens no device without SFPI, Tenstorrent's compiler, and there is none; this gets it "
            f"(84 MB, 310 MB on disk): {compiler.remedy(settings['own'], python)}"
        )
    if found.place != "cached":
        return None
    try:
        return compiler.second_root(root, found)
    except OSError as error:
        note(
            "exec: ttnn does not find its compiler, since no folder of links can be made in the cache: "
            f"{error.strerror}; set PENROSE_CACHE to another folder"
        )
        return None


def set_variables(environment: dict[str, str], settings: Settings, library: str, root: str | None) -> None:
    for name in ("TT_METAL_SIMULATOR", "TT_UMD_SIMULATOR_PATH", "TTEXALENS_SIMULATOR"):
        environment[name] = library
    environment["CHIP_ARCH"] = settings["chip"]  # for the LLK tests
    environment["TT_METAL_SLOW_DISPATCH_MODE"] = "1"
    if "fast-dispatch" in settings:
        del environment["TT_METAL_SLOW_DISPATCH_MODE"]
    if root:
        environment["TT_METAL_RUNTIME_ROOT"] = root
    if environment.get("PENROSE_CHECK"):
        environment.setdefault("TT_METAL_RISCV_DEBUG_INFO", "1")  # findings tell lines of kernels


def tell_allocations(environment: dict[str, str]) -> str | None:
    """Lets a Python program tell the check memory what ttnn has allocated (host/sitecustomize.py), by a file,
    whose path is the result. What fast dispatch itself allocates is not known."""
    words = environment.get("PENROSE_CHECK", "").split(",")
    names = [word for word in words if "=" not in word]
    is_checked = words != [""] and (not names or "all" in names or "memory" in names)
    if not is_checked or "TT_METAL_SLOW_DISPATCH_MODE" not in environment or any(
        word.startswith("allocated=") for word in words
    ):
        return None
    try:
        path = new_file(environment, "allocated")
    except OSError:
        return None
    environment["PENROSE_CHECK"] += f",allocated={path}"
    return path


def tell_operations(environment: dict[str, str]) -> str | None:
    """Lets a Python program tell profiles which operations of ttnn it calls (host/penrose_operations.py). The result
    is the path of a file of our own; None: the user has named one, or there is no profile."""
    named = environment.get("PENROSE_OPERATIONS")
    if named:
        environment["PENROSE_OPERATIONS"] = os.path.abspath(named)  # the command may change its folder
    if named or not environment.get("PENROSE_PROFILE"):
        return None
    try:
        environment["PENROSE_OPERATIONS"] = new_file(environment, "operations")
    except OSError:
        return None
    return environment["PENROSE_OPERATIONS"]


def patch_ttnn(environment: dict[str, str]) -> None:
    """Lets Python start with host/sitecustomize.py, which patches ttnn."""
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "host")
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, [folder, environment.get("PYTHONPATH")]))


# --- Running it ---

# Signals that end or steer a program.
PASSED_SIGNALS = {
    signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2, signal.SIGCONT,
}  # fmt: skip
FROM_KERNEL = 0x80  # SI_KERNEL


def spawn(words: list[str], environment: dict[str, str], mask: Any) -> int:
    try:
        return os.posix_spawnp(words[0], words, environment, setsigmask=mask)
    except OSError as error:
        script = installation.find_program(words[0])
        if error.errno != errno.ENOEXEC or not script:
            raise
        # A script whose first line names no interpreter is one of the shell.
        return os.posix_spawn("/bin/sh", ["/bin/sh", script, *words[1:]], environment, setsigmask=mask)


def stand_in(words: list[str], environment: dict[str, str]) -> int:
    """Runs a command as if it were this process: with its input and output, and signals that this process
    gets go to it. Its wait status, when it has ended; OSError."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # it may be ignored, and then never comes
    waited = PASSED_SIGNALS | {signal.SIGCHLD}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, waited)
    try:
        child = spawn(words, environment, before)
        while True:
            got = signal.sigwaitinfo(waited)
            if got.si_signo == signal.SIGCHLD:
                ended, status = os.waitpid(child, os.WNOHANG)
                if ended:
                    return status
            elif got.si_code != FROM_KERNEL:  # what comes from the terminal, comes to all of its processes
                os.kill(child, got.si_signo)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


# --- What the library tells at its end ---


class SummaryFile(NamedTuple):
    """The file of PENROSE_SUMMARY, which the user wants, or one of our own."""

    path: str
    is_own: bool = False
    is_device: bool = False  # which cannot be read again
    start: int = 0  # what is before it was there already


def choose_summary(environment: dict[str, str], is_quiet: bool) -> SummaryFile | None:
    path = environment.get("PENROSE_SUMMARY")
    if path:
        try:
            status = os.stat(path)
        except OSError:
            return SummaryFile(path)
        return SummaryFile(path, is_device=not stat.S_ISREG(status.st_mode), start=status.st_size)
    try:
        path = new_file(environment, "exec")
    except OSError as error:
        if not is_quiet:
            folder = temporary(environment)
            note(f"exec: there will be no report at the end: no file can be made in {folder}: {error.strerror}")
        return None
    environment["PENROSE_SUMMARY"] = path
    return SummaryFile(path, is_own=True)


def read_summary(file: SummaryFile) -> list[dict[str, Any]]:
    """An object for each device that was used and closed; lines of other shape are passed over."""
    import json

    devices = []
    try:
        with open(file.path, "rb") as lines:
            lines.seek(file.start)
            for line in lines:
                try:
                    device = json.loads(line)
                except ValueError:
                    continue
                if isinstance(device, dict):
                    devices.append(device)
    except FileNotFoundError:
        pass  # no device has added a line
    return devices


def number_of(item: Any, name: str) -> Any:
    value = item.get(name) if isinstance(item, dict) else None
    return value if isinstance(value, (int, float)) and value > 0 else 0


def total(devices: list[dict[str, Any]], name: str) -> Any:
    return sum(number_of(device, name) for device in devices)


def counted(count: int, word: str) -> str:
    return f"{count} {word}{'' if count == 1 else 's'}"


def print_summary(devices: list[dict[str, Any]], seconds: float, clock_mhz: float) -> None:
    if not devices:
        note(f"the command ran for {seconds:.2f} s; it used no device of Penrose, or closed none")
        return
    cycles = total(devices, "cycles")
    is_timed = all(device.get("timed") is True for device in devices)  # else cycles are no times
    took = f" ({cycles / clock_mhz * 1e-3:.3f} ms at {clock_mhz * 1e-3:.2f} GHz)" if is_timed else ""
    counts = [counted(total(devices, f"{word}s"), word) for word in ("poll", "fault", "hang", "warning")]
    in_library = f"{total(devices, 'seconds'):.2f} s of {seconds:.2f} s in the library"
    chips = total(devices, "chips")
    has_several = chips > len(devices)
    name = counted(len(devices), "device") + (f" with {chips} chips" if has_several else "")
    note(", ".join([name, f"{cycles} cycles{took}", in_library, *counts]))
    tiles = [tile for device in devices for tile in device.get("tiles", []) if number_of(tile, "instructions")]
    tiles.sort(key=lambda tile: -tile["instructions"])
    busiest = ", ".join(
        (f"chip {tile.get('chip')} " if has_several else "") + f"{tile.get('tile')} {tile['instructions']}"
        for tile in tiles[:5])
    if busiest:
        sys.stderr.write(plain(f"  busiest tiles, instructions: {busiest}\n"))


# --- The exit code ---


def exit_code_of(name: str, status: int) -> int:
    if os.WIFEXITED(status):
        return os.WEXITSTATUS(status)
    number = os.WTERMSIG(status)
    note(f"{name} was ended by signal {number} ({signal.strsignal(number)})")
    return SIGNAL + number


def judge(settings: Settings, code: int, devices: list[dict[str, Any]]) -> int:
    """The exit code of a command that ended with `code`, by what its devices tell."""

    def tell(text: str) -> None:
        if "quiet" not in settings:
            note(f"exec: {text}")

    if settings.get("on-hang") == "stop" and total(devices, "hangs") and code == SIGNAL + signal.SIGTERM:
        failure = FAILURES["hang"]
        tell(f"the chip hung, so the command was ended (--on-hang stop): exit code {failure}")
        return failure
    if code:
        return code
    if total(devices, "incomplete"):
        note(
            "exec: the command ended with 0, but what it was to leave (--record, --trace) is not whole: "
            f"exit code {NOT_STARTED}"
        )
        return NOT_STARTED
    wanted = settings.get("fail-on", "").split(",")
    for word, failure in FAILURES.items():
        is_unchecked = word == "finding" and not any(device.get("unchecked") == 0 for device in devices)
        if word in wanted and (total(devices, f"{word}s") or is_unchecked):
            tell(f"the command ended with 0; this is a failure by --fail-on: exit code {failure}")
            return failure
    return 0


def tell_summary(settings: Settings, file: SummaryFile, code: int, seconds: float) -> int:
    """Says what the command used, and returns the exit code."""
    is_quiet = "quiet" in settings
    ran = f"the command ran for {seconds:.2f} s; what it used"
    if file.is_device:
        if not is_quiet:
            note(f"{ran} was written to {file.path}")
        return code
    try:
        devices = read_summary(file)
    except OSError as error:
        if not is_quiet:
            note(f"{ran} cannot be told: {file.path} cannot be read: {error.strerror}")
        return code
    if not is_quiet:
        print_summary(devices, seconds, float(settings["clock_mhz"]))
    return judge(settings, code, devices)


def run_command(settings: Settings, command: list[str]) -> int:
    environment = own_environment()
    library = choose_library(settings)
    words = arguments_of(command, library)
    set_variables(environment, settings, library, choose_root(settings, command))
    file = choose_summary(environment, "quiet" in settings)
    allocated, operations = tell_allocations(environment), tell_operations(environment)
    if allocated or environment.get("PENROSE_OPERATIONS"):
        patch_ttnn(environment)
    try:
        if "fail-on" in settings and (not file or file.is_device):
            raise Refusal(
                "--fail-on: there is no file to learn from what happened: let TMPDIR name a folder that can be "
                "written, and PENROSE_SUMMARY no device"
            )
        start = time.monotonic()
        try:
            status = stand_in(words, environment)
        except OSError as error:
            is_missing = error.errno == errno.ENOENT
            note(f"{command[0]}: {error.strerror}{'; check the command behind --' if is_missing else ''}")
            return NOT_FOUND if is_missing else NOT_RUNNABLE
        seconds = time.monotonic() - start
        code = exit_code_of(command[0], status)
        return tell_summary(settings, file, code, seconds) if file else code
    finally:
        if file and file.is_own:
            installation.remove(file.path)
        for path in filter(None, [allocated, operations]):
            installation.remove(path)


def run(settings: Settings, command: list[str]) -> int:
    try:
        return run_command(settings, command)
    except Refusal as refusal:
        note(str(refusal))
        return NOT_STARTED
