"""Stands between GDB and the GDB server of tt-exalens 0.4.2, which answers a read of memory with the
bytes in reverse, and turns them round. Everything else passes as it is.

    relay.py PORT SOCKET    GDB connects to SOCKET, a path; the server is at PORT
"""

import re
import socket
import sys
import threading

requests = []  # the letters of those that have no answer yet


def from_gdb(data):
    requests.extend(re.findall(rb"\$(.)", data))
    return data, b""


def from_server(data):
    """What GDB gets, and what is left: the beginning of a packet."""
    answers = b""
    while match := re.search(rb"\$([^#]*)#..", data, re.DOTALL):
        payload = match[1]
        if requests and requests.pop(0) == b"m" and not payload.startswith(b"E"):
            payload = bytes.fromhex(payload.decode())[::-1].hex().encode()
        answers += data[: match.start()] + b"$%s#%02x" % (payload, sum(payload) % 256)
        data = data[match.end() :]
    return (answers, data) if b"$" in data else (answers + data, b"")


def pump(source, sink, change):
    rest = b""
    while data := source.recv(1 << 16):
        data, rest = change(rest + data)
        sink.sendall(data)
    sink.shutdown(socket.SHUT_WR)


listener = socket.socket(socket.AF_UNIX)
listener.bind(sys.argv[2])
listener.listen()
gdb = listener.accept()[0]
server = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
threading.Thread(target=pump, args=(gdb, server, from_gdb), daemon=True).start()
pump(server, gdb, from_server)
