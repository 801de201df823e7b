"""Document types that a title in a file's metadata mentions: a hint beside its text (CLS-3).

The name of the file is no evidence: it tells how a document came, and the type is shared by everybody who has its bytes
(STO-5).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

HINT: Final = 0.15
"""Added to the score of a type for which the text speaks too. A title alone makes no type."""
MAX_TITLE = 300
"""Characters of a title that are read."""

_NAMES: tuple[tuple[str, str], ...] = (
    ("deposition", r"depo(?:sition)?s?"),
    ("sec_filing", r"10 ?[kq]|8 ?k|20 ?f|6 ?k"),
    ("earnings_call_transcript", r"(?:earnings|results) (?:conference )?call"),
    ("complaint", r"complaint"),
    ("motion", r"motion|memorandum of law|brief|opposition"),
    ("expert_report", r"expert (?:witness )?(?:report|declaration)"),
    ("contract", r"agreement|contract|lease|nda"),
    ("correspondence", r"letter|correspondence"),
    ("manual", r"manual|handbook|guide|reference"),
)
_PATTERNS = tuple((kind, re.compile(rf"\b(?:{pattern})\b")) for kind, pattern in _NAMES)
_JOINT = re.compile(r"(?<=[a-z])(?=[A-Z])|[\W_]+")
"""Where the words of a title meet; programs write names of files there, such as `MasterServices_Agreement-2024`."""


def titled_types(titles: Sequence[str]) -> frozenset[str]:
    """Return the shipped types that titles mention, in English.

    Args:
        titles: title and subject of a document's metadata.
    """
    words = [_words(title) for title in titles]
    return frozenset(kind for kind, pattern in _PATTERNS if any(pattern.search(text) for text in words))


def _words(text: str) -> str:
    return " ".join(_JOINT.sub(" ", text[:MAX_TITLE]).split()).casefold()
