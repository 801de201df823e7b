"""The host's end of a worker's channel: sends and receives frames and drains the worker's output meanwhile."""

from __future__ import annotations

import os
import select
import socket
from collections.abc import Callable

from .framing import Frame, FrameReader

_TAIL = 16 * 1024
"""Bytes of output kept, for debug logs."""
_CHUNK = 1 << 16

Tick = Callable[[], float]
"""Called between two waits: raises to give up, else returns how many seconds the next wait may take."""


class Channel:
    """A socket and an output pipe that never block the host.

    Args:
        sock: the host's end of the socket pair.
        output: read end of the pipe that is the worker's stdout and stderr.
    """

    def __init__(self, sock: socket.socket, output: int) -> None:
        self._sock = sock
        self._output = output
        self._tail = bytearray()
        self.drained = 0
        """Bytes the worker has printed so far."""
        sock.setblocking(False)
        os.set_blocking(output, False)
        self._poll = select.poll()
        self._poll.register(sock, select.POLLIN)
        self._poll.register(output, select.POLLIN)

    @property
    def tail(self) -> str:
        """The last part of the worker's output."""
        return self._tail.decode("utf-8", "replace")

    def send(self, frame: tuple[bytes, bytes], *, tick: Tick, fd: int | None = None) -> None:
        """Send a frame, with a descriptor attached to its first byte.

        Raises:
            OSError: the worker is gone.
        """
        fds = [] if fd is None else [fd]
        for part in frame:
            view = memoryview(part)
            while view:
                try:
                    sent = socket.send_fds(self._sock, [view], fds) if fds else self._sock.send(view)
                except BlockingIOError:
                    self._wait(select.POLLOUT, tick)
                    continue
                fds = []
                view = view[sent:]

    def receive(self, *, max_body: int, tick: Tick) -> Frame:
        """The next frame.

        Raises:
            FrameError: see `FrameReader.receive`.
            OSError: the worker is gone.
        """
        reader = FrameReader(max_body=max_body)
        while True:
            try:
                frame = reader.receive(self._sock)
            except BlockingIOError:
                self._wait(select.POLLIN, tick)
                continue
            if frame is not None:
                self.drain()
                return frame

    @property
    def has_input(self) -> bool:
        """True if the worker has sent unread data or has ended."""
        try:
            self._sock.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return False
        except OSError:
            return True
        return True

    def close(self) -> None:
        """Close the host's socket and pipe; keep the last part of the output."""
        self.drain()
        self._sock.close()
        if self._output >= 0:
            os.close(self._output)
            self._output = -1

    def _wait(self, events: int, tick: Tick) -> None:
        self._poll.modify(self._sock, events)
        while True:
            seconds = tick()
            for fd, _ in self._poll.poll(max(1, int(seconds * 1000))):
                if fd != self._output:
                    return
                self.drain()

    def drain(self) -> None:
        """Read at most one chunk of waiting output: a flood must not keep the host from checking the deadline."""
        if self._output < 0:
            return
        try:
            block = os.read(self._output, _CHUNK)
        except BlockingIOError:
            return
        if not block:
            self._poll.unregister(self._output)
            os.close(self._output)
            self._output = -1
            return
        self.drained += len(block)
        self._tail += block
        del self._tail[:-_TAIL]
