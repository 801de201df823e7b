"""Signs that a conversion lost something, each from 0 (no sign) to 1; the input of the expected accuracy (QLT-3).

Only a few pages are compared closely, so the cost does not depend on the number of pages. No sign depends on the
engine: a limit of an engine counts only if the document needed the feature.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from octavo_contracts import Conversion, DegradedFlag, PartKind, QualityEvidence
from octavo_text.word_statistics import MIN_WORDS

from .agreement_signals import confirmed, on_agreement
from .evidence_pairs import CLOSE_CHARS, few, pairs
from .layout_signals import on_pages
from .office_signals import on_office
from .web_signals import on_web

if TYPE_CHECKING:
    from .structure_losses import StructureLoss

PDF = "application/pdf"
_HTML = frozenset({"text/html", "application/xhtml+xml"})
_MESSAGES = frozenset({"message/rfc822", "application/vnd.ms-outlook"})
"""Message formats. A mailbox is excluded: it has as many subjects as messages."""
_MAIL_FIELDS = ("subject", "from", "to", "date")
_WARNINGS = frozenset({DegradedFlag.PARTIAL_CONVERSION.value, DegradedFlag.ENCODING_REPAIRED.value})


def losses(
    conversion: Conversion,
    evidence: QualityEvidence,
    *,
    recognised: Collection[int] = (),
    lost: Sequence[StructureLoss] | None = None,
) -> dict[str, float]:
    """Compute the signs of loss; a sign that is absent was not assessed.

    Args:
        conversion: complete, with a text on every page.
        evidence: facts about the source.
        recognised: pages with recognised text.
        lost: what `structure_losses` gives for both, if it is known already.
    """
    media_type = evidence.media_type
    found = on_office(conversion, evidence)
    if media_type == PDF:
        seen = [pair for pair in pairs(conversion, evidence) if pair.sight.page not in recognised]
        pages = max(len(conversion.pages), evidence.source_page_count or 0)
        found |= on_pages(seen, pages=pages) if seen else {}
        found |= on_agreement(evidence.agreements)
        found = confirmed(found, evidence.agreements, pages=pages)
    elif media_type in _HTML:
        found |= on_web([page.markdown for page in few(conversion.pages)])
    elif media_type in _MESSAGES:
        fields = conversion.metadata.fields
        found["fields_lost"] = sum(name not in fields for name in _MAIL_FIELDS) / len(_MAIL_FIELDS)
    elif media_type.endswith("xml"):
        found["xml"] = 1.0
    if any(warning.code in _WARNINGS for warning in conversion.warnings):
        found["warned"] = 1.0
    if recognised:
        found |= _recognised(conversion, evidence, recognised)
    if evidence.structure is not None:
        from .structure_losses import share_lost, structure_losses

        lost = structure_losses(conversion, evidence) if lost is None else lost
        found["parts_lost"] = share_lost(lost, evidence)
        if "headings_off" in found and evidence.structure.count(PartKind.HEADING):
            # Each heading was looked for, which tells more than their number.
            found["headings_off"] = sum(one.lost / one.of for one in lost if one.kind == PartKind.HEADING)
    return found


def _recognised(conversion: Conversion, evidence: QualityEvidence, recognised: Collection[int]) -> dict[str, float]:
    """Compute signs for recognised pages: low confidence, capital letters as on receipts and labels, fragments."""
    found: dict[str, float] = {}
    if evidence.ocr_confidences:
        found["unsure"] = min(1.0, 4 * (1 - sum(evidence.ocr_confidences) / len(evidence.ocr_confidences)))
    close = [(page.text or "")[:CLOSE_CHARS] for page in few(conversion.pages)]
    letters = [char for text in close for char in text if char.isalpha()]
    if len(letters) >= MIN_WORDS:
        found["capitals"] = sum(map(str.isupper, letters)) / len(letters)
    found["fragments"] = _fragments(conversion, recognised)
    return found


def _fragments(conversion: Conversion, recognised: Collection[int]) -> float:
    """Return the share of recognised words that contain neither a letter nor a digit.

    Such fragments remain of a script that the engine does not support, however confident it is of the marks.
    """
    few_read = few([page for page in conversion.pages if page.number in recognised])
    found = [word for page in few_read for word in (page.text or "")[:CLOSE_CHARS].split()]
    if len(found) < MIN_WORDS:
        return 0.0
    return sum(not any(map(str.isalnum, word)) for word in found) / len(found)
