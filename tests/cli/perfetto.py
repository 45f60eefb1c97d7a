#!/usr/bin/env python3
"""perfetto.py FILE NAME...: reads a trace for Perfetto, and tells what is wrong with it.

Timestamps of a track go up, slices begin and end in turn and are no deeper than one, each belongs to a track that has a name,
and each NAME is that of a track or of a slice. Numbers of fields are those of perfetto_trace.proto.
"""
import collections
import pathlib
import sys


def number(data, at):
    """A varint at a place, and the place behind it."""
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7f) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def fields(data):
    """The fields of a message, in lists by their number."""
    found, at = collections.defaultdict(list), 0
    while at < len(data):
        key, at = number(data, at)
        if key & 7 == 0:
            value, at = number(data, at)
        elif key & 7 == 2:
            size, at = number(data, at)
            value, at = data[at:at + size], at + size
        else:
            sys.exit(f"field {key >> 3} has the wire type {key & 7}")
        found[key >> 3].append(value)
    return found


BEGINS, ENDS = 1, 2
tracks, names, events = {}, {}, collections.defaultdict(list)
for packet in map(fields, fields(pathlib.Path(sys.argv[1]).read_bytes())[1]):
    for interned in packet[12]:
        for entry in map(fields, fields(interned)[2]):
            names[entry[1][0]] = entry[2][0].decode()
    for track in map(fields, packet[60]):
        inner = fields((track[3] or track[4])[0])
        tracks[track[1][0]] = (inner[6] or inner[5])[0].decode()
    for event in map(fields, packet[11]):
        events[event[11][0]].append((packet[8][0], event[9][0], names[event[10][0]] if event[10] else None))
for track, entries in events.items():
    depth = latest = 0
    for time, kind, name in entries:
        depth += {BEGINS: 1, ENDS: -1}.get(kind, 0)
        if depth not in (0, 1) or time < latest or (kind == BEGINS) != (name is not None) and kind in (BEGINS, ENDS):
            print(f"{tracks.get(track)}: {kind} {name} at {time} after {latest}, depth {depth}")
        latest = time
    if depth or track not in tracks:
        print(f"track {track} ({tracks.get(track)}): {depth} slices are open at the end")
known = set(tracks.values()) | set(names.values())
for name in sys.argv[2:]:
    if name not in known:
        print(f"nothing is called {name}: {sorted(known)}")
