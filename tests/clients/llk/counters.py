"""A plugin for LLK's suite: kernels read performance counters, on a simulator, too.

The suite leaves the counters out of kernels where the simulator's name ends in .so, since another one has
none. When tests begin the device is open, and nothing else asks for that name.
"""
import os

import pytest


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call():
    name = os.environ["TT_METAL_SIMULATOR"].rstrip("/")
    os.environ["TT_METAL_SIMULATOR"] = name + "/"
