"""Runs the checks for results and digests on documents of any host."""

from __future__ import annotations

from collections.abc import Sequence

from . import families as _families  # noqa: F401 - importing it fills the registry
from .checks import REGISTRY, Broken
from .evidence import DigestEvidence, ResultEvidence
from .runner import Outcome, Status, shown

NO_TEXT = "the text is not available"
UNREAD = {
    "original": "the original is not given",
    "searched": "no archive is given",
    "query": "the query is not given",
}
"""Why a check that reads this part of the evidence is skipped, if not for want of a text."""


def check_document(evidence: ResultEvidence | DigestEvidence, *, name: str | None = None) -> list[Outcome]:
    """Run every check for a document of this kind, in order.

    A check whose prerequisite failed is blocked; a check that needs a missing text is skipped.

    Args:
        evidence: the document and its texts.
        name: name of the document in the outcomes.
    """
    scope = "result" if isinstance(evidence, ResultEvidence) else "digest"
    statuses: dict[str, Status] = {}
    outcomes: list[Outcome] = []
    for check in REGISTRY:
        if check.scope != scope:
            continue
        blocker = _first_failed(check.requires, statuses)
        if blocker is not None:
            outcome = Outcome(check=check, vector=name, status="blocked", reason=f"{blocker} failed")
        elif check.reads is not None and getattr(evidence, check.reads) is None:
            outcome = Outcome(check=check, vector=name, status="skipped", reason=UNREAD.get(check.reads, NO_TEXT))
        else:
            try:
                check.run(evidence)
                outcome = Outcome(check=check, vector=name, status="passed")
            except Broken as broken:
                outcome = Outcome(
                    check=check,
                    vector=name,
                    status="failed",
                    reason=broken.what,
                    expected=shown(broken.expected),
                    actual=shown(broken.actual),
                )
        statuses[check.id] = outcome.status
        outcomes.append(outcome)
    return outcomes


def _first_failed(required: Sequence[str], statuses: dict[str, Status]) -> str | None:
    return next((other for other in required if statuses.get(other) in ("failed", "blocked")), None)
