#!/usr/bin/env python3
"""perfetto.py FILE NAME...: reads a trace for Perfetto, and tells what is wrong with it.

In the order of time, the slices of a track begin and end in turn and are no deeper than one. Each belongs to a track that
has a name, and each NAME is that of a track, a slice or an instant. A flow that ends, or arrives, has begun, and not later. Values of
counters are on tracks of counters, in the order of time; NAME=SUM is one. Numbers of fields are those of perfetto_trace.proto.
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
        elif key & 7 == 1:
            value, at = int.from_bytes(data[at:at + 8], "little"), at + 8
        elif key & 7 == 2:
            size, at = number(data, at)
            value, at = data[at:at + size], at + size
        else:
            sys.exit(f"field {key >> 3} has the wire type {key & 7}")
        found[key >> 3].append(value)
    return found


BEGINS, ENDS, COUNTER = 1, 2, 4
tracks, names, events, counters = {}, {}, collections.defaultdict(list), {}
flows = []
for packet in map(fields, fields(pathlib.Path(sys.argv[1]).read_bytes())[1]):
    for interned in packet[12]:
        for entry in map(fields, fields(interned)[2]):
            names[entry[1][0]] = entry[2][0].decode()
    for track in map(fields, packet[60]):
        inner = fields((track[3] or track[4] or track[8])[0])
        tracks[track[1][0]] = (track[2] or inner[6] or inner[5])[0].decode()
        if track[8]:
            counters[track[1][0]] = []
    for event in map(fields, packet[11]):
        for field in 47, 48:
            flows += ((packet[8][0], field, flow, names[event[10][0]]) for flow in event[field])
        if event[9][0] == COUNTER:
            counters[event[11][0]].append((packet[8][0], event[30][0]))
            continue
        events[event[11][0]].append((packet[8][0], event[9][0], names[event[10][0]] if event[10] else None))
for track, entries in events.items():
    depth = latest = 0
    for time, kind, name in sorted(entries, key=lambda entry: entry[0]):
        depth += {BEGINS: 1, ENDS: -1}.get(kind, 0)
        if depth not in (0, 1) or time < latest or (kind == BEGINS) != (name is not None) and kind in (BEGINS, ENDS):
            print(f"{tracks.get(track)}: {kind} {name} at {time} after {latest}, depth {depth}")
        latest = time
    if depth or track not in tracks:
        print(f"track {track} ({tracks.get(track)}): {depth} slices are open at the end")
under_way = set()
for time, field, flow, name in sorted(flows, key=lambda entry: (entry[0], entry[1], entry[3].endswith(" arrives"))):
    if flow not in under_way and (field == 48 or name.endswith(" arrives")):
        print(f"{name} at {time} is of a flow that has not begun")
    (under_way.discard if field == 48 else under_way.add)(flow)
known_sums = set()
for track, values in counters.items():
    if values != sorted(values, key=lambda value: value[0]):
        print(f"counter {tracks[track]} goes back: {values[:10]}")
    known_sums.add(f"{tracks[track]}={sum(value for _, value in values)}")
known = set(tracks.values()) | set(names.values()) | known_sums
for name in sys.argv[2:]:
    if name not in known:
        print(f"nothing is called {name}: {sorted(known)}")
