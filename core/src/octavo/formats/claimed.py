"""Recognises formats of plugins' own among files of no known format; runs in the worker."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from contextlib import suppress
from fnmatch import fnmatchcase
from functools import cached_property
from xml.parsers import expat

from octavo_contracts import FormatClaim, FormatFamily, SourceView
from octavo_contracts.authoring.containers import DAMAGED

from .detection import extension_of
from .json_keys import outermost_keys
from .ole import stream_names
from .plugin_claim import PluginClaim
from .signatures import OLE, ZIP
from .text_formats import decode_head

GENERIC_TYPES: dict[FormatFamily, frozenset[str]] = {
    "xml": frozenset({"application/xml", "text/plain"}),
    "json": frozenset({"application/json", "text/plain"}),
    "zip": frozenset({ZIP}),
    "ole": frozenset({OLE}),
    "text": frozenset({"text/plain"}),
    "binary": frozenset({"application/octet-stream"}),
}
"""Family → what detection calls a file of it that is of no known format."""

_HEAD_BYTES = 1 << 16
_MOST_MEMBERS = 10_000


def claimed_format(source: SourceView, media_type: str, claims: Sequence[PluginClaim]) -> PluginClaim | None:
    """Return the claim that fits a file; None if it is of a known format, or no claim fits.

    The most specific claim is taken; among equal ones the first.

    Args:
        source: the file.
        media_type: its type by content.
        claims: the claims, those of the preferred plugins first.
    """
    content = _Content(source)
    fitting = [
        claim for claim in claims if media_type in GENERIC_TYPES[claim.format.within] and content.fits(claim.format)
    ]
    return max(fitting, key=lambda claim: _specificity(claim.format), default=None)


def _specificity(claim: FormatClaim) -> int:
    """How much of a file a claim describes: any signature more than a name, and a longer one more than a shorter one."""
    described = [claim.root or "", claim.magic or "", *claim.keys, *claim.members, *claim.streams]
    return sum(len(one.strip("*?")) for one in described)


class _Content:
    """The parts of a file that claims describe, each read when it is first compared, within limits."""

    def __init__(self, source: SourceView) -> None:
        self._source = source

    def fits(self, claim: FormatClaim) -> bool:
        """Whether the file has the signature, or the extension of a claim without one."""
        if not claim.has_signature:
            return extension_of(self._source.name) in claim.extensions
        if claim.root is not None:
            return self._root is not None and claim.root in (self._root, self._root.rpartition("}")[2])
        if claim.magic is not None:
            return self._head[claim.offset :].startswith(bytes.fromhex(claim.magic))
        if claim.keys:
            return self._keys.issuperset(claim.keys)
        if claim.streams:
            return self._streams.issuperset(claim.streams)
        return all(any(fnmatchcase(name, pattern) for name in self._members) for pattern in claim.members)

    @cached_property
    def _head(self) -> bytes:
        with self._source.open() as stream:
            return stream.read(_HEAD_BYTES)

    @cached_property
    def _root(self) -> str | None:
        """The root element, `name` or `{namespace}name`; None if the beginning is no XML or declares entities."""
        found: list[str] = []
        parser = expat.ParserCreate(namespace_separator="}")

        def start(name: str, _: dict[str, str]) -> None:
            found.append(f"{{{name}" if "}" in name else name)
            raise _FoundError

        def entity(*_: object) -> None:
            raise _FoundError

        parser.StartElementHandler = start
        parser.EntityDeclHandler = entity
        with suppress(_FoundError, expat.ExpatError, ValueError, LookupError):
            parser.Parse(self._head.lstrip(), False)
        return found[0] if found else None

    @cached_property
    def _keys(self) -> frozenset[str]:
        text = decode_head(self._head, named_text=True)
        return frozenset(outermost_keys(text)) if text is not None else frozenset()

    @cached_property
    def _members(self) -> list[str]:
        try:
            with self._source.open() as stream, zipfile.ZipFile(stream) as archive:
                return archive.namelist()[:_MOST_MEMBERS]
        except DAMAGED:
            return []

    @cached_property
    def _streams(self) -> frozenset[str]:
        with self._source.open() as stream:
            return stream_names(stream)


class _FoundError(Exception):
    """Ends the parsing: the root element was found, or may not be looked for."""
