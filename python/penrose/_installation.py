"""Finds the files of an installation: in the wheel, beside this package, or where the program was installed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path


def prefix() -> Path:
    """The folder with bin, lib and share; PENROSE_PREFIX names another one."""
    named = os.environ.get("PENROSE_PREFIX")
    own = Path(__file__).resolve().parent / "installation"
    if named:
        return Path(named)
    if own.is_dir():
        return own
    found = shutil.which("penrose")
    return Path(found).resolve().parent.parent if found else Path("/usr")


def program() -> Path:
    """The program `penrose`."""
    return prefix() / "bin" / "penrose"


def guest(name: str) -> Path:
    """A guest program that comes with Penrose: "hello.elf", "tensor/matmul-trisc0.elf"."""
    path = prefix() / "share" / "penrose" / "guests" / name
    if not path.is_file():
        raise FileNotFoundError(f"there is no guest program {path}")
    return path


def _chips(card: str | None, cluster: str | os.PathLike[str] | None) -> list[str]:
    """The options that choose them."""
    if cluster is None:
        return ["--card", card or "unharvested"]
    if card:
        raise ValueError(f"cluster says which chips there are; leave card {card!r} out")
    return ["--cluster", os.fspath(cluster)]


def environment(
    card: str | None = None, *options: str, cluster: str | os.PathLike[str] | None = None
) -> dict[str, str | None]:
    """What `penrose exec --card CARD OPTION...` changes in the environment of a host program that
    this Python runs; None where it takes a variable away. `cluster` names a file in place of a card, as
    `--cluster FILE` does."""
    show = "import json, os; print(json.dumps(dict(os.environ)))"
    chips = _chips(card, cluster)
    command = [str(program()), "exec", "--quiet", *chips, *options, "--", sys.executable, "-c", show]
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if result.returncode != 0:
        raise RuntimeError(result.stderr.strip() or f"{command[0]} ends with {result.returncode}")
    changed = json.loads(result.stdout.splitlines()[-1])
    changed.pop("PENROSE_SUMMARY", None)  # a file that is gone by now
    variables: dict[str, str | None] = {
        name: value for name, value in changed.items() if os.environ.get(name) != value
    }
    variables.update({name: None for name in os.environ if name not in changed})
    return variables


def libttsim(card: str | None = None, *, cluster: str | os.PathLike[str] | None = None) -> Path:
    """The library for TT_METAL_SIMULATOR, in the folder of a card (unharvested, p150a, p100a, p100, p300, ...)
    or for the chips of a cluster file, with the descriptors that UMD wants beside it. The library itself
    knows the chips of a file by PENROSE_CLUSTER."""
    chips = _chips(card, cluster)
    command = [str(program()), "exec", "--quiet", *chips, "--", "printenv", "TT_METAL_SIMULATOR"]
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if result.returncode != 0:
        raise RuntimeError(result.stderr.strip() or f"{command[0]} ends with {result.returncode}")
    return Path(result.stdout.strip())


def main() -> None:
    """The console script: becomes the program, which examines the Python that it is installed in."""
    path = program()
    os.environ["PENROSE_PYTHON"] = sys.executable
    os.execv(path, [str(path), *sys.argv[1:]])
