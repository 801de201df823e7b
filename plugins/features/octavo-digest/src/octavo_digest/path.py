"""Digests a file without a library: converts it like `octavo.convert` and stores nothing."""

from __future__ import annotations

import asyncio
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from octavo.conversion.results import convert_source
from octavo.runtime import Runtime
from octavo_contracts import REASONS, DigestOutcome, IngestionResult
from octavo_text.canonical import CanonicalText

from .choosing import DigestOptions, choose_digestor
from .policy import quality_of, quality_warnings
from .requests import digest_with, parse_policy, with_empty


def digest_path(
    path: str | os.PathLike[str],
    *,
    query: str,
    policy: str = "always",
    scorer: str | None = None,
    archive_dir: str | os.PathLike[str] | None = None,
    digestor: str | None = None,
    runtime: Runtime | None = None,
    **settings: Any,
) -> DigestOutcome:
    """Convert and digest a file.

    Args:
        path: the file.
        query: the question that the digest answers; empty for a general digest.
        policy: 'off', 'auto' or 'always'.
        scorer: scorer that ranks passages; default: the digestor's choice.
        archive_dir: archive the canonical text there, so that the digest can be verified.
        digestor: the plugin whose digestor to use; 'core' for the core's own.
        runtime: plugins and workers; default: a new runtime that ends with the call.
        settings: the digestor's own settings.

    Raises:
        OctavoError: the file cannot be converted; the error gives the reason.
        UsageError: unknown policy, scorer, digestor or setting.
        ToolUnavailable: a requirement of the digestor or scorer is missing.
    """
    options = DigestOptions(
        policy=parse_policy(policy),
        scorer=scorer,
        archive_dir=Path(archive_dir) if archive_dir is not None else None,
        others=tuple(sorted(settings.items())),
    )
    if runtime is None:
        with Runtime() as own:
            return _digest(path, query, options, digestor, own)
    return _digest(path, query, options, digestor, runtime)


def _digest(
    path: str | os.PathLike[str], query: str, options: DigestOptions, digestor: str | None, runtime: Runtime
) -> DigestOutcome:
    made = choose_digestor(runtime.services, options, name=digestor)
    converted = convert_source(path, runtime=runtime)
    result = converted.result
    _check(result, source=os.fspath(path))
    text = replace(CanonicalText.from_archive(converted.text), paginated=bool(result.page_anchor_map))
    assert result.document_id is not None  # a successful result has one
    quality = quality_of(result.quality_report.quality_score)
    outcome = asyncio.run(digest_with(made, text, query, source_id=result.document_id, quality=quality))
    why = converted.why_empty
    lost = quality_warnings(result.quality_report, but=why)
    return replace(outcome, warnings=with_empty((*lost, *outcome.warnings), why))


def _check(result: IngestionResult, *, source: str) -> None:
    if result.ingestion_status == "hard_failed":
        receipt = result.failure_receipts[0]
        error = REASONS[receipt.reason_code].error
        raise error(receipt.details, source=source, plugin=receipt.plugin, remedy=receipt.remedy)
