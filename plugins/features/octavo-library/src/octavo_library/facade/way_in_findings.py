"""What the ways in of a document showed, such as a page that no crawler could render: told in its own policy context (STO-5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..ingestion.requests import findings_of

if TYPE_CHECKING:
    from octavo_contracts import QualityFinding

    from ..storage import DocumentRecord, Index, PolicyContext


def way_in_findings(
    index: Index, record: DocumentRecord, *, policy: PolicyContext | None
) -> tuple[QualityFinding, ...]:
    """The findings of the jobs that the ways in of an asker began; none where those jobs are not known any more.

    Args:
        index: the library's index.
        record: the document.
        policy: who asks; None: the library's owner, who is told all of them.
    """
    instances = index.documents.instances(record.document_id, policy=policy)
    jobs = [one for one in index.jobs.of_hash(record.raw_hash) if one.source_instance_id in instances]
    return tuple(dict.fromkeys(finding for job in jobs for finding in findings_of(job)))
