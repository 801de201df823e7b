"""The type (CLS-6) and plugin (CNV-1) of a document, and the conversion settings of its corpora."""

from __future__ import annotations

from dataclasses import replace

from octavo.builtins.classification.document_types import SHIPPED_TYPES, UNKNOWN
from octavo.profiles.document_types import is_type_name, nearest
from octavo_contracts import IngestionResult, UsageError

from ..ingestion.requests import ProcessedDocument
from ..observability.audit import AuditAction
from ..storage import PolicyContext
from .context import LibraryContext


def corpus_profiles(context: LibraryContext, document_id: str, *, policy: PolicyContext | None) -> tuple[str, ...]:
    """The distinct profiles of a document's corpora, in the order in which it joined them.

    Args:
        context: the library's parts.
        document_id: the document.
        policy: the asking policy context: corpora of others are left out (STO-5). None: all are included.
    """
    index = context.index
    corpora = [index.corpora.get(corpus_id) for corpus_id in index.paths.corpora_of(document_id)]
    seen = [one.profile for one in corpora if policy is None or one.policy == policy]
    return tuple(dict.fromkeys(profile for profile in seen if profile is not None))


def corpus_plugins(
    context: LibraryContext, document_id: str, *, policy: PolicyContext | None
) -> tuple[tuple[str, str], ...]:
    """The plugin that is set for the corpora of a document; empty if they name none, or different ones.

    Args:
        context: the library's parts.
        document_id: the document.
        policy: the asking policy context: corpora of others are left out (STO-5). None: all are included.
    """
    index = context.index
    corpora = [index.corpora.get(corpus_id) for corpus_id in index.paths.corpora_of(document_id)]
    set_for = [(index.corpora.get_override(corpus_id=one.corpus_id), "its corpus") for one in corpora]
    seen = [
        (plugin, who)
        for (plugin, who), one in zip(set_for, corpora, strict=True)
        if plugin is not None and (policy is None or one.policy == policy)
    ]
    return (seen[0],) if len({plugin for plugin, _ in seen}) == 1 else ()


def set_plugin(context: LibraryContext, document_id: str, plugin: str | None, *, policy: PolicyContext | None) -> None:
    """See `Document.set_plugin`.

    Raises:
        UsageError: no such plugin, or called for a policy context.
    """
    if policy is not None:
        raise UsageError(
            "only the library's owner can set the plugin of a document",
            source=document_id,
            remedy="Get the document without a corpus and without a policy",
        )
    if plugin is not None:
        context.runtime.catalogue.get(plugin)
    context.index.corpora.set_override(plugin, document_id=document_id, by="user")
    context.audit.record(AuditAction.PLUGIN_SET, document_id=document_id, plugin=plugin)


def in_force(result: IngestionResult, by_hand: str | None) -> IngestionResult:
    """A result with the type that a user set, if any; `classification` stays that of the classifier.

    Args:
        result: the result of the conversion.
        by_hand: the user's type, or None.
    """
    return result if by_hand is None else result.model_copy(update={"document_type": by_hand})


def typed_by_name(context: LibraryContext, processed: ProcessedDocument) -> ProcessedDocument:
    """The result of a document whose name states a type, with the type that the asker is told (CLS-10)."""
    made, request = processed.result, processed.request
    if made is None or made.document_id is None or request is None or made.document_type != UNKNOWN:
        return processed
    if made.ingestion_status == "hard_failed":
        return processed
    record = context.index.documents.get(made.document_id, policy=request.told_as)
    return replace(processed, result=in_force(made, record.document_type))


def check_type(context: LibraryContext, document_id: str, document_type: str, *, policy: PolicyContext | None) -> None:
    """Check that a type is valid for a document: shipped, or registered by one of its profiles.

    Args:
        context: the library's parts.
        document_id: the document.
        document_type: the type.
        policy: the asking policy context; None: the library's owner.

    Raises:
        UsageError: unknown type.
    """
    profiles = dict.fromkeys([None, *corpus_profiles(context, document_id, policy=policy)])
    registered = (one.name for name in profiles for one in context.runtime.profile(name).types)
    known = tuple(dict.fromkeys([*SHIPPED_TYPES, *registered, UNKNOWN]))
    if document_type in known:
        return
    if not is_type_name(document_type):
        raise UsageError(
            f"invalid document type {document_type!r}: use lower-case letters, digits and underscores, a letter first",
            remedy=f"Give one of {', '.join(known)}",
        )
    raise UsageError(
        f"unknown document type {document_type!r}{nearest(document_type, known)}",
        remedy=f"Give one of {', '.join(known)}, or register it in a profile as [types.{document_type}]",
    )
