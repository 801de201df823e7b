"""Markers: how content is wrapped that is put into a prompt (MRK, seed 003 §18).

    <document_excerpt id="doc-1f0c5e" document_id="…" pages="47-49" extraction_method="pdfium">
    the text of the pages
    </document_excerpt>

A marker is one opening tag, a line break, the content, a line break and one closing tag. Markers never nest. Content and
attribute values are escaped, so that no content ends its own marker or begins another one: `&`, `<` and `>`, characters
that look like them, characters that change the direction or the order of a line, invisible characters and control
characters are written as references (`&lt;`, `&#x202e;`). Quotation marks (`‹ › « »`) are escaped only where a tag could
begin, and joiners, which several scripts need, stay. `Marker.emit` and `parse_marker` are exact inverses for every text;
`escape` and `unescape` are the same for text that stands beside markers, such as a header.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, NamedTuple

from ._model import Span


class MarkerError(ValueError):
    """A marker that is malformed: an unknown kind, an attribute that is missing, or text that no emitter wrote."""


class MarkerKind(StrEnum):
    """What a marker wraps."""

    EXTRACTED_MEMORY = "extracted_memory"
    """A memory, with the source that it was extracted from."""
    CORPUS_CONTEXT = "corpus_context"
    """What a corpus is about."""
    TOOL_SCHEMA = "tool_schema"
    """The definition of a tool, as JSON."""
    SKILL = "skill"
    """The description of a skill."""
    DOCUMENT_EXCERPT = "document_excerpt"
    """A passage of a document."""
    RETRIEVAL_POSTURE_DIRECTIVE = "retrieval_posture_directive"
    """When a model should read a source again."""


REQUIRED_ATTRIBUTES: Final[Mapping[MarkerKind, tuple[str, ...]]] = {
    MarkerKind.EXTRACTED_MEMORY: ("id", "source_type", "source_ref", "extracted_at"),
    MarkerKind.CORPUS_CONTEXT: ("corpus",),
    MarkerKind.TOOL_SCHEMA: ("name", "version"),
    MarkerKind.SKILL: ("name",),
    MarkerKind.DOCUMENT_EXCERPT: ("document_id", "extraction_method"),
    MarkerKind.RETRIEVAL_POSTURE_DIRECTIVE: (),
}
"""Attributes without which a marker is malformed. A `document_excerpt` also has `pages` or `span`."""

_NAMED: Final = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}
_FROM_NAME: Final = {"amp": "&", "lt": "<", "gt": ">", "quot": '"'}

_LOOK_ALIKES: Final = (
    "\u02c2\u02c3\u1438\u1433\u2329\u232a\u276c\u276d\u276e\u276f\u2770\u2771\u27e8\u27e9\u29fc\u29fd"
    "\u3008\u3009\ufe3f\ufe40\ufe64\ufe65\uff1c\uff1e\ufe60\uff06\U0001d236\U0001d237"
)
"""Characters that a reader may take for `<`, `>` or `&`."""

_REORDERING: Final = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
"""Characters that change the direction in which a line is shown."""

_INVISIBLE: Final = "\u200b\u2028\u2029\u2060-\u2065\ufeff\ufff9-\ufffb\U000e0000-\U000e007f"
"""Spaces without width, line separators, byte order marks, interlinear annotations and tag characters."""

_CONTROL: Final = "\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff"

_UNSAFE: Final = f"&<>{_CONTROL}{_LOOK_ALIKES}{_REORDERING}{_INVISIBLE}"
_GAP: Final = rf"[\s\u200c\u200d{_CONTROL}{_REORDERING}{_INVISIBLE}]*+"
_QUOTED_TAG: Final = rf"[\u2039\u00ab](?={_GAP}(?:[/\u2044\u2215\u29f8\uff0f]|[\w\u200c\u200d{_REORDERING}{_INVISIBLE}]*[_\uff3f\u203f]|(?i:skill)))"
"""A quotation mark that a reader may take for `<`, as a slash or the name of a marker follows."""
_IN_CONTENT: Final = re.compile(f"[{_UNSAFE}]|{_QUOTED_TAG}")
_IN_ATTRIBUTE: Final = re.compile(f'["\t\n{_UNSAFE}]|{_QUOTED_TAG}')
_REFERENCE: Final = re.compile(r"&(?:(amp|lt|gt|quot)|#x([0-9a-f]{1,6}));")

_NAME: Final = re.compile(r"[a-z][a-z0-9_]*", re.ASCII)
_ATTRIBUTE: Final = re.compile(r' ([a-z][a-z0-9_]*)="([^"<>]*)"', re.ASCII)
_KINDS: Final = "|".join(MarkerKind)
_MARKER: Final = re.compile(
    rf'<(?P<kind>{_KINDS})(?P<attributes>(?: [a-z][a-z0-9_]*="[^"<>]*")*)>\n(?P<content>[^<>]*)\n</(?P=kind)>', re.ASCII
)
_TAG: Final = re.compile(rf"</?(?:{_KINDS})(?![a-z0-9_])", re.ASCII | re.IGNORECASE)


@dataclass(frozen=True)
class Marker:
    """Content with its attribution, as a prompt holds it.

    Attributes:
        kind: what it wraps.
        content: the text, as it is; escaping is the emitter's part.
        attributes: name → value, in the order in which they are written. Names are lower-case ASCII words.

    Raises:
        MarkerError: an attribute is missing or empty, or has a name that cannot be written (MRK-1).
    """

    kind: MarkerKind
    content: str
    attributes: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in self.attributes:
            if _NAME.fullmatch(name) is None:
                raise MarkerError(f"{name!r} is no name of an attribute: use lower-case letters, digits and _")
        for name in REQUIRED_ATTRIBUTES[self.kind]:
            if not self.attributes.get(name):
                raise MarkerError(f"a marker {self.kind} needs the attribute {name}")
        if self.kind is MarkerKind.DOCUMENT_EXCERPT and not (
            self.attributes.get("pages") or self.attributes.get("span")
        ):
            raise MarkerError(f"a marker {self.kind} needs the attribute pages or span")

    @property
    def id(self) -> str | None:
        """The id by which a model refers to it, or None."""
        return self.attributes.get("id")

    def emit(self) -> str:
        """The marker as text."""
        written = "".join(f' {name}="{_escaped(_IN_ATTRIBUTE, value)}"' for name, value in self.attributes.items())
        return f"<{self.kind}{written}>\n{_escaped(_IN_CONTENT, self.content)}\n</{self.kind}>"


class PlacedMarker(NamedTuple):
    """A marker found in a text.

    Attributes:
        marker: the marker.
        span: where it stands in the text.
    """

    marker: Marker
    span: Span


def parse_marker(text: str) -> Marker:
    """Read what `Marker.emit` wrote: exactly one marker and nothing around it.

    Raises:
        MarkerError: the text is anything else.
    """
    match = _MARKER.fullmatch(text)
    if match is None:
        raise MarkerError(f"this is not one marker: {text[:60]!r}")
    return _read(match)


def find_markers(text: str) -> Iterator[PlacedMarker]:
    """The markers of a prompt, in order, with their places; text between markers is skipped.

    Raises:
        MarkerError: a tag of a marker belongs to no well-formed marker.
    """
    place = 0
    while (tag := _TAG.search(text, place)) is not None:
        match = _MARKER.match(text, tag.start())
        if match is None:
            raise MarkerError(f"a tag at {tag.start()} belongs to no marker: {text[tag.start() : tag.start() + 60]!r}")
        yield PlacedMarker(_read(match), Span(start=match.start(), end=match.end()))
        place = match.end()


def escape(text: str) -> str:
    """Text as a marker's content holds it: no tag begins or ends in it. `unescape` is the inverse."""
    return _escaped(_IN_CONTENT, text)


def unescape(text: str) -> str:
    """The text that `escape` was given.

    Raises:
        MarkerError: a reference names no character.
    """
    return _unescaped(text)


def stable_id(prefix: str, *parts: str) -> str:
    """An id that is the same whenever the parts are the same: `doc-` and 12 hex digits (MRK-1)."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(f"{len(data)}:".encode() + data)
    return f"{prefix}-{digest.hexdigest()[:12]}"


def excerpt_marker(
    content: str,
    *,
    document_id: str,
    extraction_method: str,
    pages: str | None = None,
    span: str | None = None,
    retrieved_via: str | None = None,
    others: Mapping[str, str] | None = None,
) -> Marker:
    """A passage of a document.

    Args:
        content: the passage.
        document_id: the document.
        extraction_method: how its text was got.
        pages: the pages, as `page_ranges` writes them.
        span: a locator, where the passage is not whole pages.
        retrieved_via: the tool that fetched it.
        others: further attributes.

    Raises:
        MarkerError: neither pages nor span are given.
    """
    given = {
        "id": stable_id("doc", document_id, pages or "", span or "", extraction_method, content),
        "document_id": document_id,
        "pages": pages,
        "span": span,
        "extraction_method": extraction_method,
        "retrieved_via": retrieved_via,
        **(others or {}),
    }
    return Marker(MarkerKind.DOCUMENT_EXCERPT, content, {name: value for name, value in given.items() if value})


def page_ranges(pages: tuple[int, ...] | list[int]) -> str:
    """Page numbers as an attribute has them: 3, 4, 5 and 9 are `3-5,9`."""
    runs: list[list[int]] = []
    for page in pages:
        if runs and page == runs[-1][-1] + 1:
            runs[-1][1:] = [page]
        else:
            runs.append([page])
    return ",".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[1]}" for run in runs)


def _read(match: re.Match[str]) -> Marker:
    pairs = [(name, _unescaped(value)) for name, value in _ATTRIBUTE.findall(match["attributes"])]
    attributes = dict(pairs)
    if len(attributes) < len(pairs):
        raise MarkerError(f"an attribute stands twice in the marker {match['kind']}")
    marker = Marker(MarkerKind(match["kind"]), _unescaped(match["content"]), attributes)
    if marker.emit() != match.group():
        raise MarkerError(
            f"the marker {match['kind']} was not written by the emitter: a reference is missing or needless"
        )
    return marker


def _escaped(unsafe: re.Pattern[str], text: str) -> str:
    return unsafe.sub(lambda match: _NAMED.get(match.group()) or f"&#x{ord(match.group()):x};", text)


def _unescaped(text: str) -> str:
    def character(match: re.Match[str]) -> str:
        name, code = match.groups()
        if name is not None:
            return _FROM_NAME[name]
        number = int(code, 16)
        if number > 0x10FFFF:
            raise MarkerError(f"{match.group()} is no character")
        return chr(number)

    return _REFERENCE.sub(character, text)
