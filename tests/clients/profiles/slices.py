"""slices.py FILE NAME...: reads a trace as Perfetto's own package does, and tells what is wrong with it.

In the order of time, the slices of a track begin and end in turn, a function or a wait in a kernel at most. Each belongs
to a track that has a name, and each NAME is that of a track, a slice or an instant, or a text that a slice has; OUTER>INNER
is a slice in another one. A NAME may be a pattern of the shell. A flow that ends, or arrives, has begun, and not
later. Values of counters are on tracks of counters, in the order of time; NAME=SUM is one.
"""
import collections
import fnmatch
import pathlib
import sys

from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TrackEvent

BEGINS, ENDS, COUNTER = TrackEvent.TYPE_SLICE_BEGIN, TrackEvent.TYPE_SLICE_END, TrackEvent.TYPE_COUNTER
trace = Trace.FromString(pathlib.Path(sys.argv[1]).read_bytes())
tracks, names, events, counters = {}, {}, collections.defaultdict(list), {}
flows = []
texts, nested = set(), set()
for packet in trace.packet:
    for entry in packet.interned_data.event_names:
        names[entry.iid] = entry.name
    if packet.HasField("track_descriptor"):
        track = packet.track_descriptor
        tracks[track.uuid] = track.name or track.process.process_name or track.thread.thread_name
        if track.HasField("counter"):
            counters[track.uuid] = []
    if packet.HasField("track_event"):
        event = packet.track_event
        name = names[event.name_iid] if event.name_iid else None
        texts |= {annotation.string_value for annotation in event.debug_annotations}
        flows += ((packet.timestamp, False, flow, name) for flow in event.flow_ids)
        flows += ((packet.timestamp, True, flow, name) for flow in event.terminating_flow_ids)
        if event.type == COUNTER:
            counters[event.track_uuid].append((packet.timestamp, event.counter_value))
        else:
            events[event.track_uuid].append((packet.timestamp, event.type, name))
for track, entries in events.items():
    depth = latest = 0
    open_slices = []
    for time, kind, name in sorted(entries, key=lambda entry: entry[0]):
        depth += {BEGINS: 1, ENDS: -1}.get(kind, 0)
        if kind == BEGINS:
            nested.update(f"{outer}>{name}" for outer in open_slices[-1:])
            open_slices.append(name)
        elif kind == ENDS:
            del open_slices[-1:]
        if depth not in (0, 1, 2) or time < latest or (kind == BEGINS) != (name is not None) and kind in (BEGINS, ENDS):
            print(f"{tracks.get(track)}: {kind} {name} at {time} after {latest}, depth {depth}")
        latest = time
    if depth or track not in tracks:
        print(f"track {track} ({tracks.get(track)}): {depth} slices are open at the end")
under_way = set()
for time, ends, flow, name in sorted(flows, key=lambda entry: (entry[0], entry[1], entry[3].endswith(" arrives"))):
    if flow not in under_way and (ends or name.endswith(" arrives")):
        print(f"{name} at {time} is of a flow that has not begun")
    (under_way.discard if ends else under_way.add)(flow)
known_sums = set()
for track, values in counters.items():
    if values != sorted(values, key=lambda value: value[0]):
        print(f"counter {tracks[track]} goes back: {values[:10]}")
    known_sums.add(f"{tracks[track]}={sum(value for _, value in values)}")
known = set(tracks.values()) | set(names.values()) | known_sums | texts | nested
for name in sys.argv[2:]:
    if not fnmatch.filter(known, name):
        print(f"nothing is called {name}: {sorted(known)}")
