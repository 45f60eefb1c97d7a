#!/usr/bin/env python3
"""Downloads a wheel with pip's own index, proxies and certificates, and goes on where it stopped.

usage: download_wheel.py REQUIREMENT FILE

pip begins anew when it was interrupted, and its command line tells where a wheel is only after it
has downloaded it. So this asks pip's parts for the address, and fetches FILE.part from there from
its end on; when it is complete it becomes FILE.

Exit codes: 0 done, 1 it cannot be downloaded (one line on stderr says why), 3 this pip has other
parts, so its command line must do.
"""
import os
import sys
import time

TRIES = 5
CHUNK = 1 << 18
MEGABYTE = 1000000


class Failed(Exception):
    pass


def pip_parts():
    """A function from a requirement to the address of its wheel, and pip's session."""
    from pip._internal.cli.cmdoptions import make_target_python
    from pip._internal.commands import create_command
    from pip._vendor.packaging.requirements import Requirement
    command = create_command("download")
    options, _ = command.parse_args(["--no-deps", "--only-binary=:all:", "--python-version=3.12",
                                     "--no-cache-dir", "--disable-pip-version-check"])
    # parse_args leaves these to main(), which also would begin to download.
    options.cache_dir = None
    session = command._build_session(options)
    finder = command._build_package_finder(options, session, make_target_python(options))

    def address(text):
        requirement = Requirement(text)
        found = finder.find_best_candidate(requirement.name, requirement.specifier)
        best = found.best_candidate
        return best.link.url_without_fragment if best else None

    return address, session


class Progress:
    """A line on stderr, if that is a terminal."""

    def __init__(self, total):
        self.total, self.shown = total, 0.0

    def show(self, size, last=False):
        if not sys.stderr.isatty() or (not last and time.time() - self.shown < 0.2):
            return
        self.shown = time.time()
        share = f" of {self.total / MEGABYTE:.0f}" if self.total else ""
        sys.stderr.write(f"\r{size / MEGABYTE:.1f}{share} MB" + ("\n" if last else " "))
        sys.stderr.flush()


def fetch_rest(session, url, part):
    """Adds to the file `part` what it lacks; true when it is whole."""
    size = os.path.getsize(part) if os.path.exists(part) else 0
    headers = {"Accept-Encoding": "identity"}
    if size:
        headers["Range"] = f"bytes={size}-"
    answer = session.get(url, headers=headers, stream=True)
    if answer.status_code == 416:  # nothing lies beyond its end
        return True
    if answer.status_code >= 400:
        raise Failed(f"the server answers {answer.status_code}")
    if answer.status_code != 206:
        size = 0  # from the beginning
    length = int(answer.headers.get("Content-Length") or 0)
    total = size + length if length else 0
    progress = Progress(total)
    with open(part, "r+b" if size else "wb") as file:
        file.seek(size)
        while True:
            data = answer.raw.read(CHUNK)
            if not data:
                break
            file.write(data)
            size += len(data)
            progress.show(size)
    progress.show(size, last=True)
    return not total or size == total


def download(address, session, requirement, path):
    url = address(requirement)
    if not url:
        raise Failed(f"pip finds no {requirement}")
    part = path + ".part"
    for left in reversed(range(TRIES)):
        try:
            if fetch_rest(session, url, part):
                os.rename(part, path)
                return
            problem = "the connection ended early"
        except Exception as error:
            if not type(error).__module__.startswith("pip."):  # not of the transfer
                raise
            problem = str(error) or type(error).__name__
        if left:
            time.sleep(1)
    raise Failed(problem)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    try:
        address, session = pip_parts()
    except (ImportError, AttributeError, TypeError):
        sys.exit(3)
    try:
        download(address, session, *sys.argv[1:])
    except (Failed, OSError) as error:
        print(error, file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
