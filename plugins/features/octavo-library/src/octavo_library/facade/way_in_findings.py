"""Findings made while opening a source, such as an unrendered page; shown in their own policy context (STO-5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from octavo_contracts import QualityFinding

    from ..storage import DocumentRecord, Index, PolicyContext


def way_in_findings(
    index: Index, record: DocumentRecord, *, policy: PolicyContext | None
) -> tuple[QualityFinding, ...]:
    """The findings of the jobs that the asker's ingestions of a document started; empty if those jobs are unknown.

    Args:
        index: the library's index.
        record: the document.
        policy: the asking policy context; None: the library's owner, who sees all of them.
    """
    from ..ingestion.requests import findings_of  # the lines of a list need no requests

    instances = index.documents.instances(record.document_id, policy=policy)
    jobs = [one for one in index.jobs.of_hash(record.raw_hash) if one.source_instance_id in instances]
    return tuple(dict.fromkeys(finding for job in jobs for finding in findings_of(job)))
