"""Wire format between host and worker: a JSON header and opaque bytes, both length-prefixed.

Nothing is pickled: a worker that a document has taken over can send bytes, and the host reads nothing but bytes.
A reader checks a frame's lengths and refuses it before allocating memory.
"""

from __future__ import annotations

import json
import os
import socket
import struct
import sys
from collections.abc import Mapping
from typing import Any, NamedTuple

MAGIC = b"OCT1"
MAX_HEADER = 1 << 20
"""Maximum bytes of the JSON header; an error's traceback is truncated to stay well below."""

MAX_PACKET = 1 << 16
"""Maximum bytes of a packet between host and fork server, which trust each other; import paths take the most."""

_PREFIX = struct.Struct("!4sIQ")
_CHUNK = 1 << 20
_CLOEXEC = getattr(socket, "MSG_CMSG_CLOEXEC", 0)


class FrameError(Exception):
    """The peer sent bytes that are not a frame, or closed its end within a frame."""


class BodyTooLarge(FrameError):
    """The frame announces a body above the limit.

    Attributes:
        size: the announced size, bytes.
    """

    def __init__(self, size: int) -> None:
        super().__init__(f"the frame announces {size} bytes")
        self.size = size


class EndOfStream(FrameError):
    """The peer closed its end."""


class Frame(NamedTuple):
    """One message.

    Attributes:
        header: JSON object with a `kind`.
        body: opaque bytes.
        fd: the descriptor sent with the frame, or None. The receiver closes it.
    """

    header: dict[str, Any]
    body: bytes
    fd: int | None


def encode(header: Mapping[str, Any], body: bytes = b"") -> tuple[bytes, bytes]:
    """Encode a frame as head and body, kept apart so that a large body is not copied."""
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
    if len(text) > MAX_HEADER:
        raise FrameError(f"the frame header has {len(text)} bytes; the maximum is {MAX_HEADER}")
    return _PREFIX.pack(MAGIC, len(text), len(body)) + text, body


class FrameReader:
    """Reads one frame from a stream socket, in as many reads as it takes.

    Args:
        max_body: largest accepted body, bytes.
        accept_fd: whether to accept a descriptor. The host never does: the kernel drops it.
    """

    def __init__(self, *, max_body: int, accept_fd: bool = False) -> None:
        self._max_body = max_body
        self._accept_fd = accept_fd
        self._fd: int | None = None
        self._header: dict[str, Any] | None = None
        self._buffer = bytearray(_PREFIX.size)
        self._filled = 0
        self._header_size = 0
        self._body_size = 0

    def receive(self, sock: socket.socket) -> Frame | None:
        """Read once from `sock`; return the frame if it is complete, else None.

        Raises:
            EndOfStream: the peer closed its end.
            BodyTooLarge: the announced body is above the limit.
            FrameError: the bytes are not a frame.
            BlockingIOError: the socket is non-blocking and has no data.
        """
        if self._filled < len(self._buffer):
            got = self._read(sock)
            if got == 0:
                raise EndOfStream("the peer closed its end")
            self._filled += got
        while self._filled == len(self._buffer):
            frame = self._advance()
            if frame is not None:
                return frame
        return None

    def _read(self, sock: socket.socket) -> int:
        view = memoryview(self._buffer)[self._filled : self._filled + _CHUNK]
        if not self._accept_fd or self._header_size:
            return sock.recv_into(view)
        got, ancillary, _, _ = sock.recvmsg_into([view], socket.CMSG_SPACE(struct.calcsize("i")), _CLOEXEC)
        for level, kind, data in ancillary:
            if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS and len(data) >= struct.calcsize("i"):
                (self._fd,) = struct.unpack_from("i", data)
                os.set_inheritable(self._fd, False)
        return got

    def _advance(self) -> Frame | None:
        """Continue after a filled buffer: prefix, then header, then body."""
        if not self._header_size:
            magic, self._header_size, self._body_size = _PREFIX.unpack(self._buffer)
            if magic != MAGIC or not 0 < self._header_size <= MAX_HEADER:
                raise FrameError("the bytes do not start with a frame's prefix")
            if self._body_size > self._max_body:
                raise BodyTooLarge(self._body_size)
            self._buffer, self._filled = bytearray(self._header_size), 0
            return None
        if self._header is None:
            self._header = _parse(self._buffer)
            self._buffer, self._filled = bytearray(self._body_size), 0
            return None
        return Frame(self._header, bytes(self._buffer), self._fd)


def _parse(text: bytearray) -> dict[str, Any]:
    try:
        header = json.loads(text.decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError) as error:
        raise FrameError("the frame header is not JSON") from error
    if not isinstance(header, dict) or not isinstance(header.get("kind"), str):
        raise FrameError("the frame header is not a JSON object with a kind")
    return header


def read_blocking(sock: socket.socket) -> Frame:
    """Read the next frame, with its descriptor, from a blocking socket: workers read their trusted host so."""
    reader = FrameReader(max_body=sys.maxsize, accept_fd=True)
    while True:
        frame = reader.receive(sock)
        if frame is not None:
            return frame


def send_blocking(sock: socket.socket, header: Mapping[str, Any], body: bytes = b"") -> None:
    """Send a frame over a blocking socket."""
    head, tail = encode(header, body)
    sock.sendall(head)
    if tail:
        sock.sendall(tail)
