#!/usr/bin/env python3
"""Makes the Python package of an installation: as a wheel, or as the files of one.

usage: make_wheel.py [--tree] [--tag TAG] [--licence NAME=FILE]... INSTALLATION OUTPUT

INSTALLATION is a prefix with bin, lib, include and share. The wheel has it as penrose/installation, without the
files that only C programs need. Man pages go where pip puts them for man. The version is that of its
program. --tree writes the package alone, without the installation, for a distribution that has the
installation elsewhere.
"""
import argparse
import base64
import hashlib
import os
import subprocess
import sys
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
NAME = "penrose_sim"
LEFT_OUT = ("include/", "lib/pkgconfig/", "lib/cmake/", "share/man/")
METADATA = """Metadata-Version: 2.1
Name: penrose-sim
Version: {version}
Summary: An emulator of Tenstorrent Blackhole that runs unmodified tt-metal software
License: Apache-2.0
Classifier: License :: OSI Approved :: Apache Software License
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: Python :: 3
Classifier: Topic :: System :: Emulators
Classifier: Framework :: Pytest
Classifier: Typing :: Typed
Requires-Python: >=3.9
Requires-Dist: cffi>=1.15
Requires-Dist: numpy>=1.21
Description-Content-Type: text/markdown

{description}"""
ENTRY_POINTS = """[console_scripts]
penrose = penrose._installation:main

[pytest11]
penrose = penrose.pytest_plugin
"""


def package_files(include):
    """The Python package: name in the wheel -> bytes."""
    files = {}
    for name in sorted(os.listdir(os.path.join(HERE, "penrose"))):
        if name.endswith((".py", ".typed")) and name != "_api.py":
            with open(os.path.join(HERE, "penrose", name), "rb") as file:
                files[f"penrose/{name}"] = file.read()
    api = os.path.join(os.path.dirname(include), "_api.py")
    subprocess.run([sys.executable, os.path.join(HERE, "make_api.py"), include, api], check=True,
                   stdout=subprocess.DEVNULL)
    with open(api, "rb") as file:
        files["penrose/_api.py"] = file.read()
    os.unlink(api)
    return files


def installed_files(prefix, version):
    """What the wheel has of the installation: name in the wheel -> path. Links are left out: to
    versions of a library, of which the one with the soname stays as a file, and those of cards."""
    files = {}
    for folder, _, names in os.walk(prefix):
        for name in names:
            path = os.path.join(folder, name)
            inner = os.path.relpath(path, prefix)
            if inner.startswith("share/man/"):
                files[f"{NAME}-{version}.data/data/{inner}"] = path
            if inner.startswith(LEFT_OUT) or inner.endswith((".la", "libpenrose.so")):
                continue
            if inner.startswith("lib/libpenrose.so.") and inner.count(".") > 2:  # libpenrose.so.1.0.0
                continue
            if inner.startswith("lib/penrose/") and os.path.islink(path):
                continue
            files[f"penrose/installation/{inner}"] = path
    return files


def record_row(name, data):
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}\n"


def write_wheel(path, files):
    """The same files give the same bytes."""
    information = next(name for name in files if name.endswith("/WHEEL")).rsplit("/", 1)[0]
    record = "".join(record_row(name, data) for name, (data, _) in files.items())
    files[f"{information}/RECORD"] = (record + f"{information}/RECORD,,\n").encode(), 0o644
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
        for name, (data, mode) in files.items():
            entry = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, data)


def write_tree(folder, files):
    for name, (data, _) in files.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data)


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].removeprefix("usage: "))
    parser.add_argument("--tree", action="store_true")
    parser.add_argument("--tag", default="linux_x86_64")
    parser.add_argument("--licence", action="append", default=[])
    parser.add_argument("installation")
    parser.add_argument("output")
    options = parser.parse_args()
    prefix = os.path.abspath(options.installation)
    include = os.path.join(prefix, "include")
    version = subprocess.run([os.path.join(prefix, "bin/penrose"), "--version"], check=True, text=True,
                             stdout=subprocess.PIPE).stdout.split()[1]
    with open(os.path.join(HERE, "README.md"), encoding="utf-8") as file:
        description = file.read()
    information = f"{NAME}-{version}.dist-info"
    texts = {
        **package_files(include),
        f"{information}/METADATA": METADATA.format(version=version, description=description).encode(),
        f"{information}/entry_points.txt": ENTRY_POINTS.encode(),
    }
    files = {name: (data, 0o644) for name, data in texts.items()}
    if options.tree:
        write_tree(options.output, files)
        return
    for name, path in sorted(installed_files(prefix, version).items()):
        with open(path, "rb") as file:
            files[name] = file.read(), 0o755 if os.access(path, os.X_OK) else 0o644
    for licence in options.licence:
        name, path = licence.split("=", 1)
        with open(path, "rb") as file:
            files[f"{information}/licenses/{name}"] = file.read(), 0o644
    tag = f"py3-none-{options.tag}"
    files[f"{information}/WHEEL"] = (f"Wheel-Version: 1.0\nGenerator: make_wheel.py\nRoot-Is-Purelib: false\n"
                                     f"Tag: {tag}\n".encode(), 0o644)
    path = os.path.join(options.output, f"{NAME}-{version}-{tag}.whl")
    write_wheel(path, files)
    print(path)


main()
