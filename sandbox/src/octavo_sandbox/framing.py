"""The wire between host and worker: a JSON header and opaque bytes, both with their length in front.

Nothing is pickled: a worker that a document has taken over can send bytes, and bytes are all that is read.
A reader refuses a frame by its lengths before it takes memory for it.
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
"""Bytes of the JSON header; an error's traceback is cut to fit well within it."""

MAX_PACKET = 1 << 16
"""Bytes of a packet between host and fork server, which trust each other; import paths are the longest part."""

_PREFIX = struct.Struct("!4sIQ")
_CHUNK = 1 << 20
_CLOEXEC = getattr(socket, "MSG_CMSG_CLOEXEC", 0)


class FrameError(Exception):
    """The other side sent something that is no frame, or closed its end in the middle of one."""


class BodyTooLarge(FrameError):
    """The frame announces a body beyond the cap.

    Attributes:
        size: the announced size, bytes.
    """

    def __init__(self, size: int) -> None:
        super().__init__(f"the frame announces {size} bytes")
        self.size = size


class EndOfStream(FrameError):
    """The other side is gone."""


class Frame(NamedTuple):
    """One message.

    Attributes:
        header: JSON object with a `kind`.
        body: opaque bytes.
        fd: a descriptor that came with it, or None. The receiver closes it.
    """

    header: dict[str, Any]
    body: bytes
    fd: int | None


def encode(header: Mapping[str, Any], body: bytes = b"") -> tuple[bytes, bytes]:
    """A frame as head and body, apart, so that a large body is not copied to join them."""
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
    if len(text) > MAX_HEADER:
        raise FrameError(f"the header has {len(text)} bytes, at most {MAX_HEADER} are allowed")
    return _PREFIX.pack(MAGIC, len(text), len(body)) + text, body


class FrameReader:
    """Takes one frame off a stream socket, piece by piece.

    Args:
        max_body: largest body taken, bytes.
        accept_fd: whether a descriptor may come along. The host never accepts one: the kernel drops it.
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
        """Read once from `sock`; the frame when it is whole, else None.

        Raises:
            EndOfStream: the peer closed its end.
            BodyTooLarge: the announced body is beyond the cap.
            FrameError: the bytes are no frame.
            BlockingIOError: the socket does not block and has nothing.
        """
        if self._filled < len(self._buffer):
            got = self._read(sock)
            if got == 0:
                raise EndOfStream("the other side closed its end")
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
        """Go on from a filled buffer: prefix, then header, then body."""
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
        raise FrameError("the header is not JSON") from error
    if not isinstance(header, dict) or not isinstance(header.get("kind"), str):
        raise FrameError("the header is no object with a kind")
    return header


def read_blocking(sock: socket.socket) -> Frame:
    """The next frame of a blocking socket, with its descriptor: the worker's way to read its trusted host."""
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
