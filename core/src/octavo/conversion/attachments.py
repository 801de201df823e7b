"""Documents inside a document, such as what is attached to a message: which of them a library takes in, and what is said."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from octavo_contracts import Attachment, AttachmentRef, DegradedFlag, QualityFinding

from ..documents.ids import document_id_for
from ..settings.attachments import AttachmentSettings

SIGNATURES = frozenset({"application/pkcs7-signature", "application/x-pkcs7-signature", "application/pgp-signature"})
"""What belongs to a message's envelope, and is no document."""


class Listing(NamedTuple):
    """What came inside a document.

    Attributes:
        refs: as its result names them, in order; with a `document_id` where it is taken in.
        taken: what is taken in, with its bytes; the same bytes once.
        findings: what was left for a limit, to be said of the document.
    """

    refs: tuple[AttachmentRef, ...]
    taken: tuple[Attachment, ...] = ()
    findings: tuple[QualityFinding, ...] = ()


def listed(attachments: Sequence[Attachment]) -> Listing:
    """Where there is no library: all of them, none taken in."""
    return Listing(refs=tuple(_ref(item, document_id=None) for item in attachments))


def taken_in(attachments: Sequence[Attachment], *, of: str, settings: AttachmentSettings, depth: int) -> Listing:
    """Which of them a library takes in.

    Args:
        attachments: as the conversion gives them.
        of: SHA-256 of the document they came in.
        settings: which are wanted.
        depth: how deep that document is itself: 0 where it came by itself.
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
                f"it is {depth} messages deep itself",
                "Convert it again: a message that is asked for by itself counts as the first; or raise attachments.depth before",
            )
        )
        chosen = {}
    elif len(chosen) > settings.most:
        findings.append(
            _left(
                len(chosen) - settings.most,
                f"{settings.most} were taken in",
                "Raise attachments.most, and convert it again",
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
        message=f"{count} {'attachment was' if count == 1 else 'attachments were'} listed and not taken in: {why}",
        remedy=remedy,
    )
