"""What the synthesis reads beside the passages: compressed findings, and raw notes where the window has room (RES-15)."""

from __future__ import annotations

from dataclasses import dataclass

from octavo_digest.prompts import MARK, escape

from .topic_notes import at_boundary

SUPPLEMENTARY = "## Supplementary Research Notes"
LEAST_FREE = 0.1
"""Share of the window that must be free before raw notes are added."""


@dataclass(frozen=True, kw_only=True)
class SynthesisNotes:
    """Findings and raw notes of a run.

    Attributes:
        findings: the compressed findings of each directive.
        raw_notes: the raw notes of each directive, oldest first.
        documents: ids of the documents that they have text of.
    """

    findings: tuple[str, ...] = ()
    raw_notes: tuple[str, ...] = ()
    documents: frozenset[str] = frozenset()

    def findings_text(self, room: int) -> str:
        """The section with the findings, at most `room` code points; nothing where there are none."""
        text = at_boundary("\n---\n".join(self.findings), room)
        return _section("## Findings, compressed by a model: prefer the sources", text) if text else ""

    def supplementary_text(self, prompt_chars: int, window_chars: int) -> str:
        """The section with raw notes, where more than a tenth of the window is free; else nothing."""
        free = window_chars - prompt_chars
        if not self.raw_notes or free <= LEAST_FREE * window_chars:
            return ""
        head = len(_section(SUPPLEMENTARY, ""))
        # Escaping lengthens a text, seldom by more than this.
        text = at_boundary("\n---\n".join(self.raw_notes), int((free - head) * 0.95))
        section = _section(SUPPLEMENTARY, text)
        return section if text and prompt_chars + len(section) <= window_chars else ""


def _section(title: str, text: str) -> str:
    return f"\n{title}\n<{MARK}>\n{escape(text)}\n</{MARK}>\n"
