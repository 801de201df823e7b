"""Accents that stand beside the letters on which the page has them: fonts of TeX draw both apart, and some readers leave them so."""

from __future__ import annotations

import re

_LOOSE = re.compile("[´ˇˆ˜¨˘˝¸]")
"""Accents as characters of their own; a letter with an accent is one character, or has a combining one."""


def loose_accents(text: str) -> int:
    """Return how many accents of a text stand beside their letters, as in `Min´ a´c` for Mináč."""
    return len(_LOOSE.findall(text))
