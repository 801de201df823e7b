"""The tools that a model has in a run: `search`, and `read` for what stands around a passage (RES-4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from octavo_contracts import LocatorError, OctavoError, Span, resolve_span
from octavo_digest import locate
from octavo_digest.model_tools import Tool
from octavo_digest.prompts import MARK, escape
from pydantic import BaseModel, Field

from .claim_selection import ChosenClaim
from .source_reader import Evidence, SourceReading
from .sources import Sources, SourceText

MAX_QUERY_CHARS = 300
"""Code points of a query."""
EXCERPT = 300
"""Code points of a passage in a list."""
AROUND = 1_200
"""Code points before and after a passage that `read` shows, on the passage's page."""
MAX_READ = 4_000
"""Code points that one `read` shows."""
MAX_LISTED = 8
"""Passages of one search that the model is shown."""


class SearchArguments(BaseModel):
    """Arguments of `search`."""

    query: str = Field(min_length=1, max_length=MAX_QUERY_CHARS, description="A few words to look for.")


class ReadArguments(BaseModel):
    """Arguments of `read`."""

    passage: int = Field(ge=1, description="Number of a passage that was listed.")


SEARCH = Tool(
    name="search",
    description="Search the sources. Returns numbered passages, each with its document and its beginning.",
    form=SearchArguments,
)
READ = Tool(
    name="read",
    description="Read a listed passage whole, with what stands before and after it on its page.",
    form=ReadArguments,
)
TOOLS: tuple[Tool, ...] = (SEARCH, READ)


@dataclass(frozen=True, kw_only=True)
class ListedPassage:
    """A passage by its place, which the model names by its number.

    Attributes:
        document_id: its document.
        version: the conversion version.
        locator: its place.
        is_read: whether the model read it whole.
    """

    document_id: str
    version: int
    locator: str
    is_read: bool = False


class PassageList:
    """The passages that a model was shown, numbered from 1. It holds places; texts are read when they are shown.

    Args:
        sources: the texts.
    """

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._listed: list[ListedPassage] = []

    @property
    def documents(self) -> frozenset[str]:
        """Ids of the documents whose text was shown."""
        return frozenset(one.document_id for one in self._listed)

    def show(self, step: str, passages: Sequence[ListedPassage]) -> str:
        """Number passages, and return the list of them with the beginning of each."""
        lines = []
        for one in passages[:MAX_LISTED]:
            shown = self._shown(step, one)
            if shown is None:
                continue
            source, span = shown
            lines.append(self._line(source, one, source.text.text[span.start : min(span.end, span.start + EXCERPT)]))
        return "\n".join(lines) or "No passage was found."

    def read(self, step: str, number: int) -> str:
        """What stands around a passage, as a passage of its own."""
        if not 1 <= number <= len(self._listed):
            return f"There is no passage {number}."
        one = self._listed[number - 1]
        shown = self._shown(step, one)
        if shown is None:
            return f"Passage {number} is not available any more."
        source, span = shown
        page = next(page for page in source.text.pages if page.start <= span.start <= page.end)
        start = max(page.start, span.start - AROUND)
        end = min(page.end, max(span.end, span.start) + AROUND, start + MAX_READ)
        wider = str(locate(source.text, Span(start=start, end=end)))
        passage = ListedPassage(document_id=one.document_id, version=one.version, locator=wider, is_read=True)
        return self._line(source, passage, source.text.text[start:end])

    def found(self, step: str) -> list[ChosenClaim]:
        """The passages for the synthesis: those that were read whole, then the listed ones; each once."""
        chosen: dict[tuple[str, str], ChosenClaim] = {}
        for one in sorted(self._listed, key=lambda one: not one.is_read):
            shown = self._shown(step, one)
            if shown is None:
                continue
            reading = SourceReading(
                document_id=one.document_id,
                version=one.version,
                source_text_hash=shown[0].text_hash,
                digested=False,
                evidence=(),
            )
            key = (one.document_id, one.locator)
            evidence = Evidence(locator=one.locator, terms=())
            claim = ChosenClaim(
                sub_query=0, reading=reading, locator=one.locator, quoted=one.locator, evidence=evidence
            )
            chosen.setdefault(key, claim)
        return list(chosen.values())

    def _line(self, source: SourceText, passage: ListedPassage, text: str) -> str:
        self._listed.append(passage)
        title = " ".join(source.title.split())[:EXCERPT]
        return f"Passage {len(self._listed)}\n<{MARK}>\n{escape(f'{title}: {text}')}\n</{MARK}>"

    def _shown(self, step: str, one: ListedPassage) -> tuple[SourceText, Span] | None:
        """The source and the place of a passage; None where the document was purged, converted again or left the corpus."""
        try:
            source = self._sources.open(step, one.document_id)
            if source.version != one.version:
                return None
            return source, resolve_span(source.text.text, one.locator)
        except (OctavoError, LocatorError):
            return None
