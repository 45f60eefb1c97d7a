"""What VS Code's C/C++ extension does with a launch configuration, as a script: GDB by its machine
interface, with the commands that MIEngine sends in its order.

    cppdbg.py FOLDER BREAKPOINT...    FOLDER has .vscode/launch.json; a breakpoint is FILE:LINE or a
                                      function, and all are met
    cppdbg.py FOLDER                  the program is interrupted instead

Prints what GDB says; an answer that should not be ends it with exit code 1.
"""

import json
import os
import re
import subprocess
import sys
import threading
import time

PATIENCE = 60


class Mi:
    """GDB; each command waits for its result."""

    def __init__(self, program):
        self.gdb = subprocess.Popen([program, "-nx", "--interpreter=mi"], stdin=subprocess.PIPE,
                                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        patience = threading.Timer(PATIENCE, self.gdb.kill)
        patience.daemon = True
        patience.start()
        self.stopped = []
        self.token = 1000

    def line(self):
        line = self.gdb.stdout.readline().rstrip()
        if not line:
            sys.exit("GDB has ended")
        print(line)
        if line.startswith("*stopped"):
            self.stopped.append(line)
        return line

    def command(self, text, result="done", may_fail=False):
        self.token += 1
        print(f"> {self.token}{text}")
        self.gdb.stdin.write(f"{self.token}{text}\n")
        self.gdb.stdin.flush()
        while not (line := self.line()).startswith(f"{self.token}^"):
            pass
        if not may_fail and not line.startswith(f"{self.token}^{result}"):
            sys.exit(f"{text}: {line}")
        return line

    def console(self, text, may_fail=False):
        return self.command(f'-interpreter-exec console "{text}"', may_fail=may_fail)

    def wait(self, pattern):
        """For a stop that matches."""
        while not self.stopped:
            self.line()
        stop = self.stopped.pop(0)
        if not re.search(pattern, stop):
            sys.exit(f"another stop than {pattern}: {stop}")
        return stop

    def resume(self, command, pattern):
        self.command(command, "running")
        return self.wait(pattern)

    def next_breakpoint(self):
        """Passes the ends of programs, at which the chip stops for a moment."""
        while True:
            stop = self.resume("-exec-continue", "breakpoint-hit|SIGTRAP")
            if "breakpoint-hit" in stop:
                return stop


def field(name, record):
    return re.search(rf'\b{name}="((?:[^"\\]|\\.)*)"', record)[1]


def start(mi, launch):
    """MIEngine's GetInitializeCommands."""
    mi.command("-gdb-set mi-async on")
    for setup in launch.get("setupCommands", []):
        mi.console(setup["text"])
    mi.console("set pagination off")
    mi.console("set debuginfod enabled off", may_fail=True)
    mi.command("-gdb-set auto-solib-add on")
    mode = "extended-remote" if launch.get("useExtendedRemote") else "remote"
    connect = f'-target-select {mode} {launch["miDebuggerServerAddress"]}'
    if launch["request"] == "attach":
        mi.command(f'-file-exec-and-symbols {launch["program"]}')
        mi.console("show architecture")
        mi.command(connect, "connected")
        mi.command(f'-target-attach {launch["processId"]}')
    else:
        mi.command(f'-environment-cd {launch["cwd"]}')
        mi.command(f'-file-exec-and-symbols {launch["program"]}')
        mi.console("show architecture")
        mi.command("-break-insert -f main")
        mi.command(connect, "connected")
    mi.wait("")  # where it stands


def look(mi, thread):
    """What the views of a stopped program ask for."""
    mi.command("-thread-info")
    mi.command(f"-stack-info-depth --thread {thread} 1000")
    mi.command(f"-stack-list-frames --thread {thread} 0 1000")
    mi.command(f"-stack-list-arguments --thread {thread} 1 0 20")
    mi.command(f"-stack-list-variables --thread {thread} --frame 0 0")
    variable = mi.command("-var-create - * \"$pc\"")
    mi.command(f'-var-list-children --simple-values "{field("name", variable)}" 0 1000')
    mi.command(f'-var-delete {field("name", variable)}')
    mi.command('-data-evaluate-expression "$sp"')
    names = mi.command(f"-data-list-register-names --thread {thread}")
    print("registers:", names.count(","))
    mi.command(f"-data-list-register-values --thread {thread} x 2 32")
    pc = int(field("value", mi.command('-data-evaluate-expression "(unsigned)$pc"')))
    mi.command(f"-data-read-memory-bytes {pc:#x} 64")
    mi.command(f"-data-disassemble -s {pc:#x} -e {pc + 32:#x} -- 2")


def main(folder, *breakpoints):
    text = open(os.path.join(folder, ".vscode/launch.json")).read()
    launch = json.loads(text.replace("${workspaceFolder}", folder))["configurations"][0]
    mi = Mi(launch["miDebuggerPath"])
    start(mi, launch)
    for place in breakpoints:
        inserted = mi.command(f"-break-insert -f {place}")
        mi.command(f'-break-info {field("number", inserted)}')
    for _ in breakpoints:
        stop = mi.next_breakpoint()
        thread = field("thread-id", stop)
        print("at", field("func", stop), "in", os.path.basename(field("file", stop)))
        look(mi, thread)
        mi.resume(f"-exec-next --thread {thread}", 'reason="end-stepping-range"')
        mi.resume(f"-exec-step-instruction --thread {thread}", 'reason="end-stepping-range"')
        mi.command(f'-break-delete {field("bkptno", stop)}')
    if not breakpoints:
        mi.resume("-exec-continue", 'reason="breakpoint-hit"')  # main, where a launch stops
        mi.command("-exec-continue", "running")
        time.sleep(0.3)
        mi.command("-exec-interrupt")
        look(mi, field("thread-id", mi.wait("SIGINT")))
    mi.command("-target-detach" if launch["request"] == "attach" else "kill")
    mi.command("-gdb-exit", "exit")


if __name__ == "__main__":
    main(*sys.argv[1:])
