"""What the research of one sub-query found, as messages: the input of compression, and the raw notes that survive it (RES-8, RES-13)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from octavo_contracts import LocatorError, OctavoError, resolve_locator
from octavo_library.storage import documents_of

from .novelty import NoveltyTag, novelty, novelty_header, shingles
from .source_reader import SourceReading
from .sources import Sources

NoteKind = Literal["tool", "assistant", "user", "system"]

NOTES_KEPT: frozenset[NoteKind] = frozenset({"tool", "assistant"})
"""Kinds of messages that raw notes have: results and words of a model, and no instructions."""
MAX_NOTES = 50_000
"""Code points of the raw notes of one sub-query."""
MAX_ALL_NOTES = 200_000
"""Code points of the raw notes of a run; the oldest are dropped."""
SNIPPETS = 4
"""Passages that a message shows of a source."""


@dataclass(frozen=True, kw_only=True)
class NoteMessage:
    """A message of the research of a sub-query.

    Attributes:
        kind: who speaks: `tool` (a result), `assistant` (a model), `user` or `system`.
        content: its text.
    """

    kind: NoteKind
    content: str


def topic_messages(
    sources: Sources, step: str, readings: Sequence[SourceReading], summaries: dict[str, str]
) -> list[NoteMessage]:
    """The results of a sub-query: a header with the novelty, and a message for each source.

    Args:
        sources: the texts.
        step: the step that asks.
        readings: the sources, best first.
        summaries: document id → summary by a model; another source shows its passages.
    """
    earlier: dict[str, frozenset[int]] = {}
    titles: dict[str, str] = {}
    tags: list[NoveltyTag] = []
    told: list[NoteMessage] = []
    for reading in readings:
        try:
            source = sources.open(step, reading.document_id)
        except OctavoError:
            continue  # purged, or out of the corpus, since it was read
        new = shingles(source.text.text)
        found = novelty(new, earlier)
        earlier[reading.document_id], titles[reading.document_id] = new, source.title
        tags.append(found.tag)
        label = found.label(titles.get(found.nearest or "", ""))
        summary = summaries.get(reading.document_id)
        body = summary if summary is not None else "\n".join(_passages(reading, source.text.text))
        block = "SUMMARY:" if reading.digested or summary is not None else "PASSAGES:"
        told.append(NoteMessage(kind="tool", content=f"{label} {source.title}\n{block}\n{body}"))
        if summary is not None:
            told.append(NoteMessage(kind="assistant", content=summary))
    return [NoteMessage(kind="tool", content=novelty_header(tags)), *told] if told else []


def raw_notes(messages: Iterable[NoteMessage], *, limit: int = MAX_NOTES) -> str:
    """The text of results and of the model, before compression, by the kind of message and never by its words."""
    return "\n".join(one.content for one in messages if one.kind in NOTES_KEPT)[:limit]


def aggregated(notes: Sequence[str], *, limit: int = MAX_ALL_NOTES) -> list[str]:
    """The raw notes of a run: the oldest are dropped where all of them are too long."""
    kept: list[str] = []
    room = limit
    for note in reversed(notes):
        if len(note) > room:
            break
        kept.append(note)
        room -= len(note)
    return kept[::-1]


def stored_notes(results: Mapping[str, Any], is_readable: Callable[[str], bool]) -> str:
    """The raw notes of a run from its finished steps, without those of documents that who asks may not read.

    Args:
        results: name of a step → its result.
        is_readable: whether a document may be read.
    """
    notes = []
    for name, result in results.items():
        if name.startswith("notes:") and all(map(is_readable, documents_of(result["messages"]))):
            messages = [NoteMessage(**one) for one in result["messages"]["value"] or ()]
            notes.append(raw_notes(messages))
    return "\n\n".join(one for one in aggregated(notes) if one)


def at_boundary(text: str, limit: int) -> str:
    """The beginning of a text, cut at the end of a paragraph, of a line, or of a word."""
    if len(text) <= limit:
        return text
    for separator in ("\n---\n", "\n", " "):
        place = text.rfind(separator, 0, limit)
        if place > limit // 2:
            return text[:place]
    return text[: max(0, limit)]


def to_json(messages: Sequence[NoteMessage]) -> list[dict[str, Any]]:
    """Messages as a step has them."""
    return [asdict(one) for one in messages]


def _passages(reading: SourceReading, text: str) -> list[str]:
    found = []
    for one in reading.evidence[:SNIPPETS]:
        try:
            found.append(f"- {resolve_locator(text, one.locator)}")
        except LocatorError:
            continue  # of another version than the active one
    return found
