"""The version of a document that a repair makes: its texts, anchors and score anew, from the merged pages (CNV-2, CNV-12)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from octavo_contracts import Attempt, FallbackAttempt

from ...builtins.quality import assess
from ...settings.settings import Settings
from ...text.version_texts import join_pages
from ..routing import Candidate
from . import Merged, pages_text

if TYPE_CHECKING:
    from ..outcome import ConvertedVersion


def mended(
    first: ConvertedVersion,
    merged: Merged,
    *,
    engine: str,
    settings: Settings,
    attempts: Sequence[Attempt],
    fallbacks: Sequence[FallbackAttempt],
) -> ConvertedVersion | str:
    """The version that a merge makes of another one; why it makes none.

    Args:
        first: the version that was repaired.
        merged: its conversion with what came from another engine.
        engine: the plugin that it came from.
        settings: how texts are cut and scored.
        attempts: every call made up to now.
        fallbacks: why the other engine was asked, and what was tried before it.
    """
    if not merged.repairs:
        return merged.refusal
    base = first.candidate
    pages = pages_text([one.page for one in merged.repairs])
    what = f"tables of {pages}" if merged.repairs[0].tables else pages
    return replace(
        first,
        candidate=Candidate(plugin=base.plugin, because=f"{base.because}; {what} by {engine}"),
        conversion=merged.conversion,
        texts=join_pages(merged.conversion, chunking=settings.chunking),
        assessment=assess(
            merged.conversion, first.evidence, settings.thresholds, recognised=first.recognition.readings
        ),
        attempts=tuple(attempts),
        fallbacks=tuple(fallbacks),
        repairs=(*first.repairs, *merged.repairs),
    )
