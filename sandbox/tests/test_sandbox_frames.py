"""The wire: frames come whole through any splitting, and are refused before they cost memory."""

from __future__ import annotations

import os
import socket
import struct
import threading
from collections.abc import Iterator

import pytest
from octavo_sandbox.framing import (
    MAX_HEADER,
    BodyTooLarge,
    EndOfStream,
    FrameError,
    FrameReader,
    encode,
    read_blocking,
    send_blocking,
)

Pair = tuple[socket.socket, socket.socket]


@pytest.fixture
def pair() -> Iterator[Pair]:
    ends = socket.socketpair()
    yield ends
    for end in ends:
        end.close()


@pytest.mark.parametrize("body", [b"", b"\x00\xff" * 50])
def test_a_frame_crosses_whole(pair: Pair, body: bytes) -> None:
    send_blocking(pair[0], {"kind": "call", "name": "Zürich \udc80"}, body)
    frame = read_blocking(pair[1])
    assert frame == ({"kind": "call", "name": "Zürich \udc80"}, body, None)


def test_a_frame_crosses_byte_by_byte(pair: Pair) -> None:
    reader = FrameReader(max_body=10)
    data = b"".join(encode({"kind": "result"}, b"body"))
    for at in range(len(data) - 1):
        pair[0].send(data[at : at + 1])
        assert reader.receive(pair[1]) is None
    pair[0].send(data[-1:])
    assert reader.receive(pair[1]) == ({"kind": "result"}, b"body", None)


def test_two_frames_do_not_run_into_each_other(pair: Pair) -> None:
    send_blocking(pair[0], {"kind": "one"}, b"1")
    send_blocking(pair[0], {"kind": "two"})
    assert [read_blocking(pair[1]).header["kind"] for _ in range(2)] == ["one", "two"]


def test_a_descriptor_comes_with_its_frame_and_is_not_inherited(pair: Pair) -> None:
    read_end, write_end = os.pipe()
    head, body = encode({"kind": "call"}, b"payload")
    socket.send_fds(pair[0], [head], [read_end])
    pair[0].sendall(body)
    frame = read_blocking(pair[1])
    assert frame.fd is not None
    assert not os.get_inheritable(frame.fd)
    os.write(write_end, b"through")
    assert os.read(frame.fd, 10) == b"through"
    for fd in (frame.fd, read_end, write_end):
        os.close(fd)


def test_a_body_beyond_the_cap_is_refused_unread(pair: Pair) -> None:
    send_blocking(pair[0], {"kind": "result"}, b"x" * 11)
    with pytest.raises(BodyTooLarge) as caught:
        FrameReader(max_body=10).receive(pair[1])
    assert caught.value.size == 11


def test_a_header_beyond_the_cap_is_neither_sent_nor_read(pair: Pair) -> None:
    with pytest.raises(FrameError, match="the maximum is"):
        encode({"kind": "x" * MAX_HEADER})
    pair[0].sendall(struct.pack("!4sIQ", b"OCT1", MAX_HEADER + 1, 0))
    with pytest.raises(FrameError, match="prefix"):
        read_blocking(pair[1])


@pytest.mark.parametrize("header", [b"{", b"[]", b"{}", b'{"kind":1}', b"\xff\xff", b"[" * 200_000])
def test_a_header_that_is_no_object_with_a_kind_is_refused(pair: Pair, header: bytes) -> None:
    data = struct.pack("!4sIQ", b"OCT1", len(header), 0) + header
    sender = threading.Thread(target=pair[0].sendall, args=(data,))
    sender.start()
    with pytest.raises(FrameError, match="header"):
        read_blocking(pair[1])
    sender.join()


def test_the_end_of_the_stream_is_told_apart(pair: Pair) -> None:
    pair[0].sendall(b"OCT1")
    pair[0].close()
    with pytest.raises(EndOfStream):
        read_blocking(pair[1])
