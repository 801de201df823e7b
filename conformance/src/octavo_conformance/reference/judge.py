"""The reference scorer: the share of the expected characters that are present."""

from __future__ import annotations

from octavo_contracts import Conversion, HookContext, QualityAssessment, QualityEvidence, QualityFinding, hookimpl


@hookimpl
def score_quality(conversion: Conversion, evidence: QualityEvidence, context: HookContext) -> QualityAssessment | None:
    """See `octavo.hookspecs.score_quality`."""
    if not evidence.expected_chars:
        return None
    found = sum(
        min(len(page.text or ""), chars) for page, chars in zip(conversion.pages, evidence.expected_chars, strict=False)
    )
    found -= sum((page.text or "").count("\ufffd") for page in conversion.pages)
    score = min(1.0, found / sum(evidence.expected_chars))
    findings: tuple[QualityFinding, ...] = ()
    if score < 0.97:
        message = f"{score:.0%} of the expected characters are there."
        worst = min(conversion.pages, key=lambda page: len(page.text or ""))
        findings = (QualityFinding(flag="low_text_yield", message=message, page=worst.number),)
    return QualityAssessment(quality_score=score, text_yield_score=score, findings=findings)
