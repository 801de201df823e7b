"""Counts the network sockets that a process asks for, those of native code too, of which Python's audit events tell nothing.

The kernel asks a second process about each (`SECCOMP_RET_USER_NOTIF`), which counts it and refuses it as a worker's sandbox
does. Where the kernel cannot do that, nothing is counted.
"""

from __future__ import annotations

import fcntl
import os
import select
import socket
import struct
from contextlib import suppress

from octavo_sandbox.linux import seccomp

_RECEIVE, _SEND = 0xC0502100, 0xC0182101
_QUESTION_BYTES = 80


class SocketWire:
    """Set it before the process has threads; it holds for the process and the programs that it starts."""

    def __init__(self) -> None:
        self._counter: int | None = None
        architecture = seccomp.this_architecture()
        if architecture is None:
            return
        near, far = socket.socketpair()
        reading, writing = os.pipe()
        watcher = os.fork()
        if watcher == 0:
            near.close()
            os.close(reading)
            _watch(far, writing)
            os._exit(0)
        far.close()
        os.close(writing)
        try:
            listener = seccomp.install_listener(seccomp.build_wire(architecture))
        except OSError:
            near.close()
            os.close(reading)
            return
        socket.send_fds(near, [b"."], [listener])
        os.close(listener)
        self._end, self._counter = near, reading

    @property
    def counts(self) -> bool:
        """Whether the kernel can tell of sockets."""
        return self._counter is not None

    def count(self) -> int:
        """Return how many there were; call it once, at the end."""
        if self._counter is None:
            return 0
        with self._end, open(self._counter, "rb") as counter:
            self._end.send(b".")
            return int.from_bytes(counter.read(8), "big")


def _watch(channel: socket.socket, told: int) -> None:
    """Answer the kernel's questions until the other side asks for the number of them."""
    with suppress(OSError):
        _, (listener,), _, _ = socket.recv_fds(channel, 1, 1)
        count = 0
        while True:
            ready, _, _ = select.select([channel.fileno(), listener], [], [])
            if listener in ready:
                question = bytearray(_QUESTION_BYTES)
                fcntl.ioctl(listener, _RECEIVE, question)
                (number,) = struct.unpack_from("Q", question)
                # Permission denied, as in a worker.
                fcntl.ioctl(listener, _SEND, bytearray(struct.pack("QqiI", number, 0, -13, 0)))
                count += 1
            else:
                os.write(told, count.to_bytes(8, "big"))
                return
