"""Commands of the program `penrose` that are written in Python.

The program checks its options, and becomes

    python3 THIS_FOLDER COMMAND NAME=VALUE... [-- WORD...]

with one NAME=VALUE for each thing that the command has to know. Nothing here needs more than the standard
library, or is for others to import.
"""

import os
import signal
import sys

import output


def main() -> int:
    sys.stdout = sys.stdout or open(os.devnull, "w")  # where the caller has closed it
    sys.stderr = sys.stderr or open(os.devnull, "w")
    for number in (signal.SIGINT, signal.SIGPIPE, signal.SIGXFSZ):  # Python has its own ways with them
        if number != signal.SIGINT or signal.getsignal(number) is signal.default_int_handler:
            signal.signal(number, signal.SIG_DFL)
    name, *words = sys.argv[1:]
    end = words.index("--") if "--" in words else len(words)
    settings = dict(word.split("=", 1) for word in words[:end])
    try:
        return int(__import__(name).run(settings, words[end + 1 :]))
    except output.Refusal as refusal:
        return output.complain(settings, str(refusal))


sys.exit(output.end(main()))
