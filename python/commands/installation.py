"""What a client program needs around it: our library with its descriptor, a Python with the vendor's
packages, tt-metal's files. The compiler for kernels: compiler.py.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import re
import signal
import subprocess

from output import Settings

# --- Paths ---


def absolute(path: str) -> str:
    return os.path.join(os.getcwd(), path)


def cache() -> str | None:
    """The folder for what is fetched and made once."""
    for variable, below in (("PENROSE_CACHE", ""), ("XDG_CACHE_HOME", "/penrose"), ("HOME", "/.cache/penrose")):
        if os.environ.get(variable):
            return absolute(os.environ[variable]) + below
    return None


def is_program(path: str) -> bool:
    return os.path.isfile(path) and os.access(path, os.X_OK)


def find_program(name: str) -> str | None:
    """A program as execvp finds it."""
    folders = [""] if "/" in name else os.environ.get("PATH", "").split(":")
    paths = (os.path.join(folder, name) for folder in folders)
    return next(filter(is_program, paths), None)


def remove(path: str) -> None:
    """Others may have done so."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass


def link(source: str, target: str) -> None:
    """Links that are there stay, so that several runs at once do not disturb each other."""
    try:
        os.symlink(source, target)
    except FileExistsError:
        pass


# --- The library ---


def link_library(prefix: str, card: str) -> str | None:
    """In the cache, by the path of the installation: CACHE/cards/PREFIX/CARD."""
    library, descriptor = f"{prefix}/lib/libttsim.so", f"{prefix}/lib/penrose/{card}/soc_descriptor.yaml"
    base = cache()
    if not base or not os.path.exists(library) or not os.path.exists(descriptor):
        return None
    folder = f"{base}/cards{prefix}/{card}"
    try:
        os.makedirs(folder, exist_ok=True)
        link(library, f"{folder}/libttsim.so")
        link(descriptor, f"{folder}/soc_descriptor.yaml")
    except OSError:
        return None
    return f"{folder}/libttsim.so"


def link_cluster(settings: Settings, library: str) -> str | None:
    """A folder in the cache that UMD opens for the chips of a cluster file: links to the library and the
    descriptor beside it, and a cluster descriptor with what is taken from that file. Its name tells what is
    in it. None where none can be made."""
    base, told = cache(), b""
    if int(settings["chips"]) > 1:  # UMD wants none of one chip
        told = subprocess.run(
            [f"{settings['own']}/penrose", "info", "--cluster-descriptor", settings["cluster"]],
            stdout=subprocess.PIPE,
            check=True,
        ).stdout
    real, descriptor = os.path.realpath(library), os.path.realpath(descriptor_of(library))
    if not base:
        return None
    name = hashlib.sha256(f"{real}\0{descriptor}\0".encode(errors="surrogateescape") + told).hexdigest()[:16]
    folder = f"{base}/clusters/{name}"
    try:
        os.makedirs(folder, exist_ok=True)
        link(real, f"{folder}/libttsim.so")
        link(descriptor, f"{folder}/soc_descriptor.yaml")
        if told and not os.path.exists(f"{folder}/cluster_descriptor.yaml"):
            with open(f"{folder}/{os.getpid()}", "wb") as file:
                file.write(told)
            os.rename(f"{folder}/{os.getpid()}", f"{folder}/cluster_descriptor.yaml")
    except OSError:
        return None
    return f"{folder}/libttsim.so"


def library_of(settings: Settings, card: str) -> str | None:
    """In a folder of the card's own."""
    own = settings["own"]
    prefix = os.path.dirname(own)
    for folder in (f"{own}/cards", f"{prefix}/lib/penrose"):
        if os.path.exists(f"{folder}/{card}/libttsim.so"):
            return f"{folder}/{card}/libttsim.so"
    usual = usual_library(settings, card)
    return link_library(prefix, card) or (usual if os.path.exists(usual) else None)


def usual_library(settings: Settings, card: str) -> str:
    return f"{settings['cards']}/{card}/libttsim.so"


def find_library(settings: Settings) -> str | None:
    """The library of the card: in the build tree that the program lies in, or installed, or a link in the
    cache where what was installed has no links (a Python wheel cannot). The library knows all cards, so
    that of the first one does where a card has no folder; PENROSE_CARD names the card."""
    return library_of(settings, settings["card"]) or library_of(settings, settings["first_card"])


def descriptor_of(library: str) -> str:
    """The file that UMD looks for beside a library."""
    return os.path.join(os.path.dirname(library) or ".", "soc_descriptor.yaml")


# --- Programs whose output is wanted ---


def end_with_parent() -> None:
    """A signal may end this process meanwhile."""
    set_death_signal = 1
    ctypes.CDLL(None).prctl(set_death_signal, signal.SIGKILL)


def capture(argv: list[str], seconds: int, **variables: str) -> tuple[int | None, str]:
    """Runs a program without input: its exit code, and what it writes to stdout and stderr. The exit code
    is None if it does not start or takes longer than that; all that it has started ends then."""
    try:
        child = subprocess.Popen(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**os.environ, **variables},
            start_new_session=True,
            preexec_fn=end_with_parent,
            encoding="utf-8",
            errors="surrogateescape",
        )
    except OSError:
        return None, ""
    try:
        text, _ = child.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        return None, child.communicate()[0]
    return child.returncode, text


# --- Python ---


def is_python(path: str) -> bool:
    """ "python", "python3", "python3.10" in any folder."""
    return bool(re.fullmatch("python[0-9.]*", os.path.basename(path)))


def interpreter_of(script: str) -> str | None:
    """The one that "#!/path/python" or "#!/usr/bin/env python" names."""
    try:
        with open(script, "rb") as file:
            line = os.fsdecode(file.readline(4096))
    except OSError:
        return None
    words = line[2:].split() if line.startswith("#!") else []
    python = next(filter(is_python, words), None)
    return python and find_program(python)


def default_python() -> str | None:
    """The one that PENROSE_PYTHON names, as the program of a wheel does, or python3 from PATH."""
    own = os.environ.get("PENROSE_PYTHON")
    return (own and find_program(own)) or find_program("python3")


def find_python(command: list[str]) -> str | None:
    """The one that a command runs on: the first of its words that is one ("timeout 60 python x.py"), or
    the one that the first line of its program names, or the default."""
    for word in command:
        found = find_program(word) if is_python(word) else None
        if found:
            return found
    script = find_program(command[0])
    return (script and interpreter_of(script)) or default_python()


def ask(python: str, question: str, *words: str, seconds: int = 20, **variables: str) -> tuple[bool, str]:
    """What questions.py finds on that Python, and whether it could."""
    with open(os.path.join(os.path.dirname(__file__), "questions.py"), encoding="utf-8") as file:
        status, text = capture([python, "-c", file.read(), question, *words], seconds, **variables)
    return status == 0, text


def metal_root(python: str | None) -> str | None:
    """The root of tt-metal's files: what a variable says, or the folder of the package ttnn."""
    for variable in ("TT_METAL_RUNTIME_ROOT", "TT_METAL_HOME"):
        root = os.environ.get(variable)
        if root:  # this one counts, whatever is in it
            return root if os.path.exists(root) else None
    found, text = ask(python, "ttnn") if python else (False, "")
    return (text.split("\n")[0] or None) if found else None
