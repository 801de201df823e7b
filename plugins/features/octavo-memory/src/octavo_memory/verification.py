"""`verify_memory`: compares a memory with the version that it was anchored in and with the active one (RET-4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from octavo_contracts import Span, page_spans
from octavo_library.facade.document_annotations import find_again
from octavo_library.storage import StoredMemory
from octavo_retrieval import Scope, ToolFailure

from .anchors import VersionText, version_text
from .models import Verdict, Verification
from .statement_check import Finding, Support, check_statement
from .terms import language_of_text

_UNPAGED: Final = 3_000
"""Code points around a passage that stand for a page in a text without pages."""


def verify(scope: Scope, memory: StoredMemory, *, context_pages: int) -> Verification:
    """Compare a memory with its source.

    The passage is looked for in the active version, where it may stand elsewhere. If it is not there any more, the source
    has changed, and the notes say what the version says in which the memory was anchored.

    Args:
        scope: the visible documents.
        memory: the memory.
        context_pages: pages around the passage that are compared too.
    """
    try:
        document = scope.find(memory.anchor.document_id)
    except ToolFailure as failure:
        return _without_source(memory, f"{failure.message}.")
    anchored = version_text(scope, document, memory.anchor.version)
    active = anchored
    if document.active_version is not None and document.active_version != memory.anchor.version:
        active = version_text(scope, document, document.active_version)
    then = _passage(anchored, memory)
    now = then if active is anchored else _passage(active, memory)
    was = f"version {memory.anchor.version}"
    if now is not None:
        verdict, told = _judged(memory, now, context_pages)
        notes = [told]
        if now.text.version != memory.anchor.version:
            notes.insert(
                0, f"The document was converted again; the passage is unchanged in version {now.text.version}."
            )
        if anchored is None:
            notes.append(f"The memory was anchored in {was}, which was purged or cannot be read.")
        return _verification(memory, verdict, notes, now)
    if then is not None and active is not None:
        verdict, told = _judged(memory, then, context_pages)
        held = f"In {was}, where it was anchored, the comparison gives {verdict or 'no result'}: {told}"
        notes = [f"The passage is not in version {active.version}, which is active.", held]
        return _verification(memory, "source_changed", notes, then)
    if active is not None:
        notes = [f"The passage is not in version {active.version}", f"and {was} was purged or cannot be read."]
        return _verification(memory, "source_changed", [", ".join(notes)], None)
    return _without_source(memory, "No version of the document can be read.")


@dataclass(frozen=True)
class _Passage:
    """The passage of a memory in one version."""

    text: VersionText
    span: Span

    @property
    def quote(self) -> str:
        return self.span.of(self.text.text)

    def around(self, pages: int) -> str:
        """The text around the passage, in whole pages."""
        bodies = page_spans(self.text.text)
        if len(bodies) == 1:
            start = max(0, self.span.start - pages * _UNPAGED)
            return self.text.text[start : self.span.end + pages * _UNPAGED]
        first = (self.text.page_at(self.span.start) or 1) - 1
        last = (self.text.page_at(self.span.end - 1) or 1) - 1
        shown = bodies[max(0, first - pages) : last + pages + 1]
        return " ".join(body.of(self.text.text) for body in shown)


def _passage(text: VersionText | None, memory: StoredMemory) -> _Passage | None:
    """Where the passage stands in a version; None if it is not there."""
    if text is None:
        return None
    anchor = memory.anchor
    if text.version == anchor.version:
        return _Passage(text, anchor.span) if anchor.span.of(text.text) == anchor.quote else None
    place = find_again(text.text, anchor.quote, near=anchor.span.start, before=anchor.before, after=anchor.after)
    return _Passage(text, place) if place is not None else None


def passage_now(scope: Scope, memory: StoredMemory) -> tuple[int, Span]:
    """Version and place of a memory's passage: in the active version if it is there, else where it was anchored."""
    document = scope.find(memory.anchor.document_id)
    if document.active_version is not None and document.active_version != memory.anchor.version:
        found = _passage(version_text(scope, document, document.active_version), memory)
        if found is not None:
            return found.text.version, found.span
    return memory.anchor.version, memory.anchor.span


def _judged(memory: StoredMemory, passage: _Passage, context_pages: int) -> tuple[Verdict | None, str]:
    findings = check_statement(
        memory.text,
        passage.quote,
        context=passage.around(context_pages) if context_pages else passage.quote,
        language=language_of_text(passage.text.text),
    )
    supports = {finding.support for finding in findings}
    told = _told(findings)
    if Support.CONTRADICTED in supports:
        return "contradicted", told
    if supports == {Support.SUPPORTED}:
        return "supported", told
    if supports & {Support.SUPPORTED, Support.PARTLY}:
        return "partially_supported", told
    return None, f"{told} Read the passage: a comparison of words cannot judge a paraphrase."


def _told(findings: tuple[Finding, ...]) -> str:
    doubts = [f"{finding.claim[:120]!r}: {finding.because}." for finding in findings if finding.because]
    if not doubts:
        return "Words, figures and negations of the memory agree with its source."
    return " ".join(doubts[:5])


def _verification(
    memory: StoredMemory, verdict: Verdict | None, notes: list[str], passage: _Passage | None
) -> Verification:
    return Verification(
        memory_id=memory.memory_id,
        source_resolvable=True,
        verification_result=verdict,
        notes=" ".join(notes),
        source_excerpt=passage.quote if passage else None,
        document_id=memory.anchor.document_id,
        version=passage.text.version if passage else None,
        locator=passage.text.locator(passage.span) if passage else None,
    )


def _without_source(memory: StoredMemory, notes: str) -> Verification:
    return Verification(
        memory_id=memory.memory_id,
        source_resolvable=False,
        verification_result="source_unavailable",
        notes=notes,
        source_excerpt=None,
        document_id=None,
        version=None,
        locator=None,
    )
