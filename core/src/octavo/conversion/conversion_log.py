"""One line a conversion in the log, for a host that asks for it. It names no file and quotes nothing: a document is told by its id."""

from __future__ import annotations

import logging

from ..documents.ids import document_id_for
from ..documents.source import Source
from .outcome import ConversionFailed, ConversionOutcome

_log = logging.getLogger("octavo.conversion")


def log_success(source: Source, outcome: ConversionOutcome, *, seconds: float) -> None:
    """Log which plugin converted a document, how well and how fast.

    Args:
        source: the document.
        outcome: its conversions.
        seconds: the time that they took.
    """
    if not _log.isEnabledFor(logging.INFO):
        return
    version = outcome.versions[outcome.active]
    score = version.assessment.quality_score
    quality = "not assessed" if score is None else f"{score:.2f}"
    plugin = version.candidate.plugin.name
    _log.info("%s: converted by %s in %.2f s, quality %s", _shown(source), plugin, seconds, quality)


def log_failure(source: Source, failed: ConversionFailed, *, seconds: float) -> None:
    """Log why a document could not be converted.

    Args:
        source: the document.
        failed: its error and the attempts.
        seconds: the time that they took.
    """
    if not _log.isEnabledFor(logging.INFO):
        return
    reason = failed.error.reason.value if failed.error.reason is not None else "error"
    _log.info("%s: not converted [%s] after %.2f s", _shown(source), reason, seconds)


def _shown(source: Source) -> str:
    return document_id_for(source.raw_file_hash)[:8]
