"""Questions to the Python of a command: installation.ask has that Python run the text of this file.

Modules are found without importing them, since an import takes seconds and has effects. Each question imports
only what it needs, since a command waits for its answer.
"""

import sys


def ttnn():
    """The folder of the package ttnn; an empty line where there is none."""
    import importlib.util
    import os

    found = importlib.util.find_spec("ttnn")
    print(os.path.dirname(found.origin) if found and found.origin else "")


def library_of(package, version, path):
    """A file of a package that has this version; an empty line where it has another one."""
    import importlib.metadata

    found = importlib.metadata.distribution(package)
    print(found.locate_file(path) if found.version == version else "")


def unpack(library):
    """Lets the library of jax-tt-plugin unpack what it carries to TMPDIR; it ends the process when the
    disk is full."""
    import ctypes
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    function = ctypes.CDLL(library).GetPjrtApi
    function.restype = ctypes.c_void_p
    function()


def lacks(files):
    """Shared libraries that modules need and that are not there."""
    import subprocess

    try:
        text = subprocess.run(
            ["ldd", *files], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, universal_newlines=True
        ).stdout
    except OSError:
        return []
    return sorted({line.split()[0] for line in text.split("\n") if line.endswith(" not found")})


def packages(*names):
    """Of each package that is there: its version, libraries that its modules lack, and what Debian calls
    the packages of these."""
    import importlib.machinery
    import importlib.metadata
    import re

    print("python")
    for name in names:
        try:
            found = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            continue
        ends = tuple(end for end in importlib.machinery.EXTENSION_SUFFIXES if end != ".so")
        files = [str(file.locate()) for file in found.files or () if file.name.endswith(ends)]
        libraries = lacks(files) if files else []
        debian = [re.sub(r"\.so\.(\d+).*", r"\1", library).replace("_", "-") for library in libraries]
        print(name, found.version, ", ".join(libraries), " ".join(debian), sep="|")


globals()[sys.argv[1]](*sys.argv[2:])
