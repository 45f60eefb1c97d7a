"""A process that has imported what every session of the suite imports, and forks one when asked.

Reads a JSON object a line: {"arguments", "environment", "folder", "log"}. For each it forks a
child, which runs pytest with them, and writes the child's process id, then its exit code, a line
each. The child leads a process group of its own. Importing torch and pandas takes most of the time
of a short session; the suite's own modules are left to the child, since they look at the
environment.
"""
import json
import os
import sys
import tempfile

import pytest

for module in ("numpy", "torch", "pandas", "pydantic", "matplotlib.pyplot", "plotly.express"):
    try:
        __import__(module)
    except ImportError:
        pass


def child(job):
    os.setsid()
    with open(os.devnull) as nothing, open(job["log"], "ab") as log:
        os.dup2(nothing.fileno(), 0)
        os.dup2(log.fileno(), 1)
        os.dup2(log.fileno(), 2)
    os.environ.clear()
    os.environ.update(job["environment"])
    os.chdir(job["folder"])
    sys.path[0:1] = [job["folder"], *job["environment"]["PYTHONPATH"].split(":")]
    sys.argv[1:] = job["arguments"]
    sys.dont_write_bytecode = True
    tempfile.tempdir = None  # ask the environment again
    code = int(pytest.main(job["arguments"]))
    sys.stdout.flush()
    sys.exit(code)


def main():
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            child(json.loads(line))
        print(pid, flush=True)
        _, status = os.waitpid(pid, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


main()
