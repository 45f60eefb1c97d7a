"""Tells Penrose what the host alone knows, when a program imports ttnn.

`penrose exec` puts this folder in front of PYTHONPATH for checks and for profiles. penrose_operations.py tells profiles
which operations the program calls.

Checks are told here what ttnn has allocated, when a program launches kernels of its own. ttnn's allocator is in the
memory of this process, where the chip cannot see it. Before ttnn.generic_op launches kernels, all buffers that there
are go to the file that the checks read (allocated=FILE in PENROSE_CHECK). Behind it the file is empty again: for
operations that allocate their results by themselves nothing is known.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import sys
from typing import Any

SETTING = "allocated="


def path_of_file() -> str | None:
    words = os.environ.get("PENROSE_CHECK", "").split(",")
    return next((word[len(SETTING):] for word in words if word.startswith(SETTING)), None)


def lines_of(names: dict[Any, str], buffers: Any) -> list[str]:
    """A line for each buffer of a memory that has a name; ranges.c says what is in it."""
    return [
        f"{names[buffer.buffer_type]} {buffer.address:x} {buffer.max_size_per_bank:x}\n"
        for buffer in buffers
        if buffer.buffer_type in names
    ]


def write(path: str, lines: list[str]) -> None:
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(lines)


def device_of(arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """The chip to whose tensors generic_op is applied; None: there are several chips, or it is no right call."""
    tensors = arguments[0] if arguments else options.get("io_tensors")
    device = tensors[0].device() if tensors else None
    return device if device and device.get_num_devices() == 1 else None


def patch_launch(ttnn: Any, path: str) -> None:
    launch = ttnn.generic_op.function
    get_buffers = ttnn._ttnn.reports.get_buffers
    names = {ttnn.BufferType.DRAM: "dram", ttnn.BufferType.L1: "l1", ttnn.BufferType.L1_SMALL: "l1"}

    def launch_known(*arguments: Any, **options: Any) -> Any:
        device = device_of(arguments, options)
        if not device:
            return launch(*arguments, **options)
        write(path, lines_of(names, get_buffers([device])))
        try:
            result = launch(*arguments, **options)
            ttnn.synchronize_device(device)  # the kernels may not have begun yet
            return result
        finally:
            write(path, [])

    object.__setattr__(ttnn.generic_op, "function", launch_known)


def patch_calls(ttnn: Any, path: str) -> None:
    import penrose_operations

    penrose_operations.patch(ttnn, path)


class Finder:
    """Finds ttnn as Python does, and patches it when it has been imported."""

    def __init__(self, patches: list[tuple[Any, str]]) -> None:
        self.patches = patches

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        if name != "ttnn":
            return None
        sys.meta_path.remove(self)
        try:
            spec = importlib.util.find_spec(name)
        finally:
            sys.meta_path.insert(0, self)  # a program may only ask whether ttnn is there
        if spec and spec.loader:
            execute = spec.loader.exec_module

            def execute_and_patch(module: Any) -> None:
                execute(module)
                for patch, path in self.patches:
                    try:
                        patch(module, path)
                    except AttributeError:
                        pass  # another version: nothing is known of it

            spec.loader.exec_module = execute_and_patch  # type: ignore[method-assign]
        return spec


def run_hidden() -> None:
    """The sitecustomize that this one hides, if there is one."""
    own = os.path.dirname(os.path.abspath(__file__))
    others = [folder for folder in sys.path if os.path.abspath(folder or ".") != own]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", others)
    if spec and spec.loader:
        spec.loader.exec_module(importlib.util.module_from_spec(spec))


wanted = [(patch_launch, path_of_file()), (patch_calls, os.environ.get("PENROSE_OPERATIONS"))]
patches = [(patch, path) for patch, path in wanted if path]
if patches:
    sys.meta_path.insert(0, Finder(patches))
run_hidden()
