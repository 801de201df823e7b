"""Workflows: usage patterns of conversations and their effect on tiers (CTX-10, 003 §21)."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum

from .preparation import Preparation, PrepareOptions
from .tiers import Tier


class Workflow(StrEnum):
    """Usage pattern of a conversation."""

    RED_TEAM = "red_team"
    """One document, many rounds of feedback: send the file once, then use its prompt cache."""
    COMPARISON = "comparison"
    """Two or more documents: the first as a file if its layout matters, the others as text."""
    QUICK_REFERENCE = "quick_reference"
    """A question that concerns a document: its summary, and single pages after the first send."""
    DRAFTING = "drafting"
    """A draft with references: the first document as full text, the others as summary and cited pages."""


def workflow_options(workflow: Workflow, each: Preparation, *, place: int, plain: PrepareOptions) -> PrepareOptions:
    """The preparation options of one document in a workflow.

    Args:
        workflow: the usage pattern.
        each: the document.
        place: position among the given documents, from 0.
        plain: the options without a workflow.
    """
    state = each.view.states.get(each.material.document.id)
    seen = state is not None and state.first_sent_at is not None
    if state is not None and state.is_escalated:
        return plain
    match workflow:
        case Workflow.RED_TEAM:
            return replace(plain, documents=1)
        case Workflow.COMPARISON:
            textual = each.material.visual_importance == "low" or each.material.is_indexed
            if place == 0 and not textual:
                return replace(plain, documents=1)
            return replace(plain, force_tier=2 if each.material.has_text else None)
        case Workflow.QUICK_REFERENCE:
            tier: Tier | None = 3 if each.material.summary is not None else None
            return replace(plain, force_tier=tier, adds_relevant=seen)
        case Workflow.DRAFTING:
            if place == 0 and each.material.has_text:
                return replace(plain, force_tier=2)
            return replace(plain, force_tier=3 if each.material.summary is not None else None)
