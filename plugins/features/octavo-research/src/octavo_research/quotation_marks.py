"""Quotation marks: only a quotation that was checked may stand between them, so a model's words have none."""

from __future__ import annotations

import re

_QUOTATION_MARKS = re.compile('["“”„‟«»‹›「」『』〝〞＂]')


def without_quotation_marks(text: str) -> str:
    """A model's words on one line, without quotation marks."""
    return " ".join(_QUOTATION_MARKS.sub("", text).split())
