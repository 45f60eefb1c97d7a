"""Tells Penrose's profiles which operations of ttnn a program calls.

ttnn numbers the programs that it launches, and tt-metal puts the number into their launch messages, where the chip
sees it. Before and behind each call of an operation this module asks ttnn for the next number. If there were any, it
adds a line of JSON to the file of PENROSE_OPERATIONS: the numbers, the operation, who called it, and its tensors
(docs/PROFILING.md). Only the outermost of nested calls counts, and its caller is the nearest one outside of ttnn.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from typing import Any


def caller(inner: str) -> tuple[str, int]:
    """File and line of the nearest frame that is not in the folder `inner`, nor here."""
    frame: Any = sys._getframe(1)
    while frame:
        path = frame.f_code.co_filename
        if path != __file__ and not path.startswith(inner):
            return path if path.startswith("<") else os.path.abspath(path), frame.f_lineno
        frame = frame.f_back
    return "", 0


def find_tensors(kind: type, values: Any) -> list[Any]:
    """Those among the values, also in lists of them, in their order."""
    found = []
    for value in values:
        if isinstance(value, kind):
            found.append(value)
        elif isinstance(value, (list, tuple)):
            found += [item for item in value if isinstance(item, kind)]
    return found


def describe(tensor: Any) -> dict[str, Any]:
    """What is known of a tensor; its memory has none if the operation has freed it."""
    told = {
        "shape": list(tensor.shape),
        "padded": list(tensor.padded_shape),
        "type": tensor.dtype.name,
        "layout": tensor.layout.name,
    }
    try:
        memory = tensor.memory_config()
        told["memory"] = f"{memory.buffer_type.name}_{memory.memory_layout.name}"
    except (AttributeError, RuntimeError):
        pass
    return told


class Calls:
    def __init__(self, ttnn: Any, path: str) -> None:
        self.path = path
        self.next_number = ttnn._ttnn.get_device_operation_id
        self.tensor = ttnn.Tensor
        self.inner = os.path.dirname(ttnn.__file__) + os.sep
        self.here = threading.local()

    def tell(self, name: str, numbers: tuple[int, int], inputs: list[Any], outputs: list[Any]) -> None:
        path, line = caller(self.inner)
        told = {
            "process": os.getpid(),
            "first": numbers[0],
            "end": numbers[1],
            "name": name,
            "file": path,
            "line": line,
            "inputs": [describe(tensor) for tensor in inputs],
            "outputs": [describe(tensor) for tensor in outputs],
        }
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps(told) + "\n")

    def call(self, function: Any, operation: Any, arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
        if getattr(self.here, "is_inside", False):
            return function(operation, *arguments, **options)
        self.here.is_inside = True
        first, result = self.next_number(), None
        try:
            result = function(operation, *arguments, **options)
            return result
        finally:
            self.here.is_inside = False
            end = self.next_number()
            if end > first:
                inputs = find_tensors(self.tensor, [*arguments, *options.values()])
                self.tell(operation.python_fully_qualified_name, (first, end), inputs, find_tensors(self.tensor, [result]))


def patch(ttnn: Any, path: str) -> None:
    """AttributeError: another version, of which nothing is told."""
    calls = Calls(ttnn, path)
    kinds = [ttnn.decorators.FastOperation, ttnn.decorators.Operation]
    functions = [kind.__call__ for kind in kinds]

    def wrap(kind: Any, function: Any) -> None:
        def call_known(operation: Any, *arguments: Any, **options: Any) -> Any:
            return calls.call(function, operation, arguments, options)

        kind.__call__ = call_known

    for kind, function in zip(kinds, functions):
        wrap(kind, function)
