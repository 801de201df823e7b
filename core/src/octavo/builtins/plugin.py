"""The hooks of the plugin `builtin`, for callers that know only the contract; the host calls the functions directly."""

from __future__ import annotations

from octavo_contracts import (
    Conversion,
    DocumentClassification,
    HookContext,
    QualityAssessment,
    QualityEvidence,
    SourceView,
    hookimpl,
)


@hookimpl
def classify(source: SourceView, context: HookContext) -> DocumentClassification:
    """See `octavo.hookspecs.classify`; the host's inspection calls `classification.classifier.look`."""
    from ..formats import refine
    from .classification import classify as verdict

    return verdict(source, refine(source))


@hookimpl
def score_quality(conversion: Conversion, evidence: QualityEvidence, context: HookContext) -> QualityAssessment:
    """See `octavo.hookspecs.score_quality`; the host calls `quality.assess` with its thresholds."""
    from .quality.assess import assess

    return assess(conversion, evidence)
