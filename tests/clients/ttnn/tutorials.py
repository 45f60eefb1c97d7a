"""The tutorials of tt-lang that need one chip, as its package has them (see programs.py).

They are for cards: their products of 8192 x 8192 would take days here. So numbers that are sizes are made
smaller, which leaves all else as it is; each tutorial checks its own result.
"""
import functools
import pathlib
import re
import runpy
import tempfile
from importlib import util

import ttnn

import old_api
import programs

FOLDER = pathlib.Path(util.find_spec("ttl").origin).parent / "tutorials"
SIZES = ((r"M, K, N = 8192, 8192, 8192", "M, K, N = 1024, 512, 1024"),
         (r"shape = \(2048, 2048\)", "shape = (1024, 1024)"))


def with_old_headers(descriptor):
    """ttnn.KernelDescriptor, so that kernels find the headers of the version that tt-lang is made for."""
    headers = old_api.folder()

    @functools.wraps(descriptor)
    def describe(*arguments, **named):
        return descriptor(*arguments, compiler_include_paths=[headers], **named)

    describe.SourceType = descriptor.SourceType
    return describe


def tutorial(path, options):
    text = path.read_text()
    for size, smaller in SIZES:
        text, count = re.subn(size, smaller, text)
        if count:
            break
    else:
        raise ValueError(f"{path} has no size that is known")
    file = pathlib.Path(tempfile.mkdtemp(prefix="tutorial-")) / path.name  # tt-lang reads its sources
    file.write_text(text)
    ttnn.KernelDescriptor = with_old_headers(ttnn.KernelDescriptor)
    runpy.run_path(str(file))
    return 0.0, 0.0, smaller


for path in sorted(FOLDER.glob("*/*.py")):
    if path.stem != "__init__" and "multidevice" not in path.stem:
        name = f"{path.parent.name}_{path.stem}"
        programs.PROGRAMS[name] = functools.partial(tutorial, path)

programs.main("Run tt-lang's tutorials.")
