#!/usr/bin/env python3
"""Makes the module penrose/_api.py: all that the public headers declare, for cffi.

usage: make_api.py INCLUDE OUTPUT      INCLUDE has penrose/penrose.h

The headers are preprocessed by $CC (cc) and given to cffi as they are, so nothing of the interface
is written down a second time. Policies of faults, which only the preprocessor sees, become the
dictionary DEFAULT_POLICIES: {"unmapped-address": "stop", ...}.
"""
import ast
import os
import subprocess
import sys
import tempfile

import cffi

ROWS = "fault_kinds.h"  # no header, but rows of a table
SYSTEM = ("stdbool.h", "stddef.h", "stdint.h")  # cffi knows what they define
POLICIES = """#define PENROSE_FAULT_KIND(token, name, policy, rule) name: #policy,
{
#include <penrose/fault_kinds.h>
}
"""


def preprocess(include, source):
    with tempfile.TemporaryDirectory() as empty:
        for name in SYSTEM:
            open(os.path.join(empty, name), "w", encoding="ascii").close()
        command = [*os.environ.get("CC", "cc").split(), "-E", "-P", "-nostdinc", "-I", empty,
                   "-I", include, "-x", "c", "-"]
        return subprocess.run(command, input=source, check=True, text=True,
                              stdout=subprocess.PIPE).stdout


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    include, output = sys.argv[1:]
    ffi = cffi.FFI()
    headers = sorted(name for name in os.listdir(os.path.join(include, "penrose")) if name != ROWS)
    ffi.cdef(preprocess(include, "".join(f"#include <penrose/{name}>\n" for name in headers)))
    ffi.set_source("penrose._api", None)
    ffi.emit_python_code(output)
    policies = ast.literal_eval(preprocess(include, POLICIES))
    with open(output, "a", encoding="ascii") as file:
        file.write(f"\nDEFAULT_POLICIES = { {name: policy.lower() for name, policy in policies.items()} }\n")


main()
