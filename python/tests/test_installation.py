"""The program as the console script of a wheel starts it."""

import os
import sys

from penrose import _installation


def test_the_program_examines_the_python_of_the_wheel(monkeypatch):
    started = []
    monkeypatch.setenv("PENROSE_PYTHON", "/elsewhere/python3")  # of a wheel that started this one
    monkeypatch.setattr(sys, "argv", ["penrose", "doctor"])
    monkeypatch.setattr(os, "execv", lambda path, argv: started.append((path, argv, os.environ["PENROSE_PYTHON"])))
    _installation.main()
    path = _installation.program()
    assert started == [(path, [str(path), "doctor"], sys.executable)]
