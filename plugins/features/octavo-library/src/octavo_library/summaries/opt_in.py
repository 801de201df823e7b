"""Decides whether summaries are made in the background: the run, else the corpus, else the settings (INT-1)."""

from __future__ import annotations

from typing import Final

from octavo.settings.briefs import BriefSettings
from octavo_contracts import ToolUnavailable

from ..storage import CorpusRecord
from .makers import installed_makers

BRIEFS: Final = "briefs"
"""Key of the setting of a corpus."""

NO_MAKER: Final = "no installed feature makes briefs"


def wants_summaries(run: bool | None, corpus: CorpusRecord | None, settings: BriefSettings) -> bool:
    """Decide for the documents of a request.

    Args:
        run: the caller's choice; None: no choice.
        corpus: the corpus that they join, or None.
        settings: the settings of the library.
    """
    if run is not None:
        return run
    chosen = corpus.overrides.get(BRIEFS) if corpus is not None else None
    return settings.in_background if chosen is None else bool(chosen)


def check_any_maker() -> None:
    """Refuse a request for summaries that nothing can make.

    Raises:
        ToolUnavailable: no installed feature makes summaries.
    """
    if not installed_makers():
        raise ToolUnavailable(NO_MAKER, remedy="Run: pip install octavo-brief")
