"""Attachments: selects which documents inside a document a library ingests, and reports the rest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from octavo_contracts import Attachment, AttachmentRef, DegradedFlag, QualityFinding

from ..documents.ids import document_id_for
from ..settings.attachments import AttachmentSettings

SIGNATURES = frozenset({"application/pkcs7-signature", "application/x-pkcs7-signature", "application/pgp-signature"})
"""Media types that belong to a message's envelope and are not documents."""


class Listing(NamedTuple):
    """The attachments of a document, with those that are selected for ingestion.

    Attributes:
        refs: all attachments for the result, in order; with a `document_id` if selected.
        taken: the selected attachments with their bytes; identical bytes once.
        findings: limits that excluded attachments, to be reported for the document.
    """

    refs: tuple[AttachmentRef, ...]
    taken: tuple[Attachment, ...] = ()
    findings: tuple[QualityFinding, ...] = ()


NO_ATTACHMENTS = Listing(refs=())
"""Of a document that contains no other document."""


def listed(attachments: Sequence[Attachment]) -> Listing:
    """List all attachments and select none, for use without a library."""
    return Listing(refs=tuple(_ref(item, document_id=None) for item in attachments))


def taken_in(attachments: Sequence[Attachment], *, of: str, settings: AttachmentSettings, depth: int) -> Listing:
    """Select the attachments that a library ingests.

    Args:
        attachments: the attachments of the conversion.
        of: SHA-256 of the document that contains them.
        settings: the rules of selection.
        depth: nesting depth of that document; 0 if it is not an attachment.
    """
    wanted = [item for item in attachments if _is_wanted(item, of=of, settings=settings)]
    chosen: dict[str, Attachment] = {}
    for item in wanted:
        chosen.setdefault(item.sha256, item)
    findings: list[QualityFinding] = []
    if chosen and depth >= settings.depth:
        findings.append(
            _left(
                len(chosen),
                f"the document is itself nested {depth} deep",
                "Convert this document again by itself, which counts as depth 0; or raise attachments.depth first",
            )
        )
        chosen = {}
    elif len(chosen) > settings.most:
        findings.append(
            _left(
                len(chosen) - settings.most,
                f"the limit is {settings.most}",
                "Raise attachments.most and convert the document again",
            )
        )
        chosen = dict(list(chosen.items())[: settings.most])
    refs = tuple(
        _ref(item, document_id=document_id_for(item.sha256) if item.sha256 in chosen else None) for item in attachments
    )
    return Listing(refs=refs, taken=tuple(chosen.values()), findings=tuple(findings))


def _is_wanted(item: Attachment, *, of: str, settings: AttachmentSettings) -> bool:
    if not settings.ingest or item.data is None or item.sha256 == of or item.media_type.lower() in SIGNATURES:
        return False
    return settings.inline or not (item.inline and item.media_type.startswith("image/"))


def _ref(item: Attachment, *, document_id: str | None) -> AttachmentRef:
    return AttachmentRef(
        name=item.name,
        media_type=item.media_type,
        sha256=item.sha256,
        size=item.size,
        inline=item.inline,
        document_id=document_id,
    )


def _left(count: int, why: str, remedy: str) -> QualityFinding:
    return QualityFinding(
        flag=DegradedFlag.PARTIAL_CONVERSION.value,
        message=f"{count} {'attachment was' if count == 1 else 'attachments were'} listed but not ingested: {why}",
        remedy=remedy,
    )
