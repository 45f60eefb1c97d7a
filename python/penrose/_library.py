"""The C library by cffi. _api.py is made of the public headers when the package is."""

from __future__ import annotations

import ctypes.util
from typing import Any

from ._api import DEFAULT_POLICIES, ffi
from ._installation import prefix

__all__ = ["DEFAULT_POLICIES", "Error", "call", "ffi", "lib", "names", "text"]


def _load() -> Any:
    for pattern in ("lib/libpenrose.so.*", "lib64/libpenrose.so.*", "lib/*/libpenrose.so.*"):
        for path in sorted(prefix().glob(pattern)):
            return ffi.dlopen(str(path))
    found = ctypes.util.find_library("penrose")
    if found is None:
        raise ImportError(f"there is no libpenrose.so in {prefix()}/lib; PENROSE_PREFIX names another prefix")
    return ffi.dlopen(found)


lib = _load()


class Error(Exception):
    """What the caller did wrong or could not get; `status` is the name of its sort: "E_ARGUMENT"."""

    def __init__(self, status: str, message: str) -> None:
        super().__init__(message)
        self.status = status


def call(name: str, *arguments: Any) -> None:
    """Calls lib.<name> with an error struct as last argument; Error unless it says PENROSE_OK."""
    error = ffi.new("struct penrose_error *")
    status = getattr(lib, name)(*arguments, error)
    if status != lib.PENROSE_OK:
        raise Error(names("enum penrose_status")[status], ffi.string(error.text).decode(errors="replace"))


def names(enum: str) -> dict[int, str]:
    """The names of an enum without PENROSE_, as the headers spell them: {0: "OK", 1: "E_ARGUMENT"}."""
    found: dict[int, str] = {}
    for name, value in ffi.typeof(enum).relements.items():
        found.setdefault(value, name.removeprefix("PENROSE_"))
    return found


def text(function: Any, *arguments: Any) -> str:
    """What a function writes that fills a buffer and returns the length of the whole text."""
    size = function(*arguments, ffi.NULL, 0)
    buffer = ffi.new("char[]", max(size, 0) + 1)
    function(*arguments, buffer, len(buffer))
    return str(ffi.string(buffer).decode(errors="replace"))
