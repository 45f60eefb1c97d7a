"""SFPI, Tenstorrent's compiler, without which ttnn opens no device: it compiles firmware and kernels.

It is looked for where tt-metal itself looks, then where scripts/fetch-sfpi puts it, then in the Python
package jax-tt-plugin, whose library carries it inside.

tt-metal finds it only below its own root. If it is elsewhere, a second root is made in the cache, of
links to the first one and a link to the compiler. Nothing is written to the user's Python. The cache has
sfpi-7.87.0, the compiler, and ttnn/IDENTITY/root, the second root of a tt-metal and a compiler.
"""

from __future__ import annotations

import os
import re
from typing import NamedTuple

import installation

# The names are those of scripts/fetch-sfpi.
FOLDER = "sfpi-7.87.0"
PLUGIN = "jax-tt-plugin"
PLUGIN_VERSION = "0.1.3"
PLUGIN_LIBRARY = "jax_plugins/libtt/libtt.so"
PROGRAM = "compiler/bin/riscv-tt-elf-g++"
UNPACK_SECONDS = 600


class Compiler(NamedTuple):
    place: str  # "usual", where tt-metal finds it; "cached"; "packed" in jax-tt-plugin; "nowhere"
    folder: str = ""  # with compiler/ and include/
    library: str = ""  # that it is packed in


def is_compiler(folder: str) -> bool:
    return installation.is_program(f"{folder}/{PROGRAM}")


def find(root: str | None, python: str | None) -> Compiler:
    """`root` is tt-metal's, `python` may have the package."""
    for folder in ([f"{root}/runtime/sfpi"] if root else []) + ["/opt/tenstorrent/sfpi"]:
        if is_compiler(folder):
            return Compiler("usual", folder)
    cache = installation.cache()
    if cache and is_compiler(f"{cache}/{FOLDER}"):
        return Compiler("cached", f"{cache}/{FOLDER}")
    found, text = (
        installation.ask(python, "library_of", PLUGIN, PLUGIN_VERSION, PLUGIN_LIBRARY) if python else (False, "")
    )
    library = text.split("\n")[0]
    return Compiler("packed", library=library) if found and os.path.exists(library) else Compiler("nowhere")


def remedy(own: str, python: str | None) -> str:
    """The command that gets one: a script of the source tree that the program was built in, or pip."""
    folder = own
    for _ in range(3):
        if installation.is_program(f"{folder}/scripts/fetch-sfpi"):
            return f"{folder}/scripts/fetch-sfpi"
        folder = os.path.dirname(folder)
    # ttnn runs on versions of Python that the package does not name; it is only unpacked here.
    install = f"-m pip install --no-deps --ignore-requires-python {PLUGIN}=={PLUGIN_VERSION}"
    return f"{python or 'python3'} {install}"


def wanted(root: str) -> str | None:
    """The version that tt-metal's root names, such as "7.89.0"."""
    try:
        with open(f"{root}/tt_metal/sfpi-version", encoding="utf-8", errors="replace") as file:
            match = re.search("^sfpi_version='([0-9.]+)'", file.read(), re.MULTILINE)
    except OSError:
        return None
    return match and match[1]


# --- Unpacking ---


class NotUnpacked(Exception):
    """Why the compiler cannot be unpacked."""


def find_unpacked(work: str) -> str:
    """The library makes a folder of a name of its own in TMPDIR."""
    folders = (f"{work}/{name}/runtime/sfpi" for name in os.listdir(work))
    found = next(filter(is_compiler, folders), None)
    if not found:
        raise NotUnpacked(f"the library of {PLUGIN} has unpacked none")
    return found


def unpack_in(work: str, compiler: Compiler, python: str, target: str) -> None:
    """Unpacks it in `work`, and gives it its place."""
    import shutil

    done, text = installation.ask(python, "unpack", compiler.library, seconds=UNPACK_SECONDS, TMPDIR=work)
    if not done:
        raise NotUnpacked(text.strip("\n").split("\n")[-1][:200])
    found = find_unpacked(work)
    try:
        with open(f"{found}/complete", "w", encoding="utf-8"):
            pass
        shutil.rmtree(target, ignore_errors=True)  # one without a program
        os.rename(found, target)
    except OSError as error:
        raise NotUnpacked(f"it cannot be moved to its place: {error.strerror}") from error


def unpack(compiler: Compiler, python: str) -> Compiler:
    """Unpacks a packed one into the cache, by the Python whose package it is. Holds the lock that
    scripts/fetch-sfpi holds."""
    import fcntl
    import tempfile

    cache = installation.cache()
    try:
        if not cache:
            raise OSError
        os.makedirs(cache, exist_ok=True)
        lock = open(f"{cache}/lock-sfpi", "a", encoding="utf-8")
    except OSError as error:
        raise NotUnpacked("there is no cache folder: set PENROSE_CACHE") from error
    target = f"{cache}/{FOLDER}"
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not is_compiler(target):  # else another run has unpacked it meanwhile
            try:
                work = tempfile.TemporaryDirectory(prefix="making-sfpi.", dir=cache)
            except OSError as error:
                raise NotUnpacked(f"{cache} cannot be written: {error.strerror}") from error
            with work as folder:
                unpack_in(folder, compiler, python, target)
    return Compiler("cached", target)


# --- The second root ---


def identity(root: str, compiler: Compiler) -> str:
    """Another installation of tt-metal at the same place gets another root: its library has another size
    or time of change."""
    library = f"{root}/build/lib/libtt_metal.so"
    try:
        status = os.stat(library)
        version = (status.st_size, status.st_mtime_ns)
    except OSError:
        version = (0, 0)
    number = 0xCBF29CE484222325  # FNV-1a
    for byte in os.fsencode("\n".join([root, library, *map(str, version), compiler.folder])):
        number = (number ^ byte) * 0x100000001B3 % 2**64
    return f"{number:016x}"


def link_entries(source: str, target: str, exception: str) -> None:
    """Links to all that is in a folder, but for one name."""
    os.makedirs(target, exist_ok=True)
    for name in os.listdir(source):
        if name != exception:
            installation.link(f"{source}/{name}", f"{target}/{name}")


def second_root(root: str, compiler: Compiler) -> str:
    """Makes it, or adds to it what `root` has got since; OSError."""
    path = f"{installation.cache()}/ttnn/{identity(root, compiler)}/root"
    link_entries(root, path, "runtime")
    os.makedirs(f"{path}/runtime", exist_ok=True)
    if os.path.exists(f"{root}/runtime"):
        link_entries(f"{root}/runtime", f"{path}/runtime", "sfpi")
    installation.link(compiler.folder, f"{path}/runtime/sfpi")
    return path
