"""The message inside an S/MIME container that is signed and not enciphered (RFC 5652, SignedData)."""

from __future__ import annotations

from typing import NamedTuple

_SIGNED_DATA = bytes.fromhex("2a864886f70d010702")
_DATA = bytes.fromhex("2a864886f70d010701")
_OBJECT_ID, _OCTETS, _SEQUENCE, _CONTEXT_0, _CONSTRUCTED = 0x06, 0x04, 0x30, 0xA0, 0x20
MAX_DEPTH = 20
"""Deepest nesting of elements that is followed."""


class _Element(NamedTuple):
    tag: int
    content: bytes
    end: int
    """Where the next element begins, counted from the start of the bytes that were read."""


def signed_content(data: bytes) -> bytes | None:
    """Return the message inside a container of signed data; None where the bytes are none.

    The signature is not checked.
    """
    try:
        outer = _element(data, 0, depth=0)
        kind, wrapped = _children(outer.content)[:2]
        if outer.tag != _SEQUENCE or kind.content != _SIGNED_DATA or wrapped.tag != _CONTEXT_0:
            return None
        signed = _children(_children(wrapped.content)[0].content)
        encapsulated = next(element for element in signed if element.tag == _SEQUENCE)
        inner_kind, inner = _children(encapsulated.content)[:2]
        if inner_kind.tag != _OBJECT_ID or inner_kind.content != _DATA:
            return None
        return _octets(_children(inner.content)[0]) or None
    except (IndexError, ValueError, StopIteration):
        return None


def _octets(element: _Element) -> bytes:
    """An octet string; a constructed one is a sequence of pieces."""
    if element.tag & ~_CONSTRUCTED != _OCTETS:
        raise ValueError("no octet string")
    if element.tag & _CONSTRUCTED:
        return b"".join(_octets(piece) for piece in _children(element.content))
    return element.content


def _children(content: bytes) -> list[_Element]:
    found: list[_Element] = []
    place = 0
    while place < len(content) and content[place : place + 2] != b"\x00\x00":
        element = _element(content, place, depth=0)
        found.append(element)
        place = element.end
    return found


def _element(data: bytes, place: int, *, depth: int) -> _Element:
    if depth > MAX_DEPTH:
        raise ValueError("elements nest too deep")
    tag, length = data[place], data[place + 1]
    start = place + 2
    if length == 0x80:  # the end is marked, as streaming writers do that do not know the length
        end = start
        while data[end : end + 2] != b"\x00\x00":
            end = _element(data, end, depth=depth + 1).end
        return _Element(tag, data[start:end], end + 2)
    if length > 0x80:
        count = length - 0x80
        length = int.from_bytes(data[start : start + count], "big")
        start += count
    if start + length > len(data):
        raise ValueError("the element is cut off")
    return _Element(tag, data[start : start + length], start + length)
