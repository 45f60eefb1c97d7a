"""Writes messages and results as the program does: without control characters, and with bytes as they are."""

from __future__ import annotations

import os
import re
import sys
from typing import Any

REFUSED = 2  # the exit code for wrong usage and bad files

Settings = dict  # of names and texts, see __main__.py


class Refusal(Exception):
    """Ends the command with a message."""


def plain(text: str) -> str:
    """Terminals obey control characters; surrogates are bytes that are no UTF-8."""
    return re.sub("[\0-\b\v-\x1f\x7f-\x9f\ud800-\udfff]", "?", text)


def say(text: str) -> None:
    """A line on stdout."""
    sys.stdout.write(plain(text) + "\n")


def note(text: str) -> None:
    """A message on stderr, behind what is on stdout already."""
    sys.stdout.flush()
    sys.stderr.write(plain(f"penrose: {text}\n"))
    sys.stderr.flush()


def write_json(settings: Settings, result: dict[str, Any]) -> None:
    """A result of the command; what is no UTF-8 in a text becomes U+FFFD."""
    import json

    whole = {"command": settings["command"], **result, "schema": int(settings["schema"])}
    text = json.dumps(whole, indent=2, ensure_ascii=False)
    text = text.encode(errors="surrogateescape").decode(errors="replace")
    sys.stdout.write(json.dumps(json.loads(text), indent=2) + "\n")


def complain(settings: Settings, text: str) -> int:
    """The message of a command that cannot do what it should."""
    note(text)
    if "json" in settings:
        write_json(settings, {"outcome": "error", "exit_status": REFUSED, "error": text})
    return REFUSED


def end(status: int) -> int:
    """The exit code, once all is written."""
    try:
        sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        note(f"cannot write the result: {error.strerror}")
        return REFUSED
    return status
