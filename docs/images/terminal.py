#!/usr/bin/env python3
"""Draws what a command says, as a terminal shows it, for README.md.

  docs/images/terminal.py [--check] PENROSE

PENROSE is the program of a build tree or an installation. --check draws nothing: it exits with 1
where the picture that is there is another.
"""
import html
import pathlib
import re
import subprocess
import sys
import textwrap

COLUMNS, LINE, CHARACTER, MARGIN = 100, 19, 8.43, 16
PICTURES = {"fault.svg": "penrose run fault-load.elf"}
COLORS = [ # what is painted, and how
    (r"^\$ .*", "#7ee787"),
    (r"guest fault [a-z-]+|^exit code.*", "#ff7b72"),
    (r"^ +(?:instruction|rule|cycle|to go on)\b", "#8b949e"),
    (r"[\w/]+\.(?:c|h|S):\d+", "#79c0ff"),
]


def screen(command, program):
    """What stands on the terminal: the command, its messages, its exit code."""
    run = subprocess.run([program] + command.split()[1:], stdout=subprocess.DEVNULL, text=True,
                         stderr=subprocess.PIPE, check=False)
    lines = [f"$ {command}"]
    for line in run.stderr.splitlines():
        indent = " " * (17 if line.startswith("  ") else 2)
        lines += textwrap.wrap(line, COLUMNS, subsequent_indent=indent) or [""]
    return lines + [f"exit code {run.returncode}"]


def paint(line):
    """A line as SVG: pieces in the colours of what they are."""
    text = html.escape(line, quote=False).replace(" ", "\N{NO-BREAK SPACE}")
    for pattern, color in COLORS:
        for piece in re.findall(pattern, line):
            shown = html.escape(piece, quote=False).replace(" ", "\N{NO-BREAK SPACE}")
            text = text.replace(shown, f'<tspan fill="{color}">{shown}</tspan>', 1)
    return text


def draw(lines):
    width = 2 * MARGIN + round(COLUMNS * CHARACTER)
    height = 2 * MARGIN + LINE * len(lines)
    rows = "\n".join(f'<text x="{MARGIN}" y="{MARGIN + LINE * i + 14}">{paint(line)}</text>'
                     for i, line in enumerate(lines))
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'font-family="ui-monospace, DejaVu Sans Mono, Menlo, monospace" font-size="14" fill="#c9d1d9">\n'
            f'<rect width="100%" height="100%" rx="8" fill="#0d1117"/>\n{rows}\n</svg>\n')


def main():
    arguments = sys.argv[1:]
    check = arguments[:1] == ["--check"]
    if len(arguments) != 1 + check:
        sys.exit(__doc__.strip())
    here = pathlib.Path(__file__).resolve().parent
    for name, command in PICTURES.items():
        picture = draw(screen(command, arguments[-1]))
        if check and (here / name).read_text(encoding="utf-8") != picture:
            sys.exit(f"docs/images/{name} shows something else than '{command}' prints; draw it again: "
                     "docs/images/terminal.py PENROSE")
        if not check:
            (here / name).write_text(picture, encoding="utf-8")


main()
