"""Words that were broken at the ends of printed lines, in recognised text."""

from __future__ import annotations

import re
from collections.abc import Sequence

from octavo_contracts.authoring.hyphens import SOFT_HYPHEN, HyphenJoiner

_BROKEN = re.compile(r"(\S*[^\W\d_])[-\u2010\xad](\n\n?)([^\W\d_]\S*)( ?)")
"""The part of a word before a hyphen, the ends of lines, the part on the next line, and the blank behind it.

Recognisers take a short line for the end of a paragraph. Behind a digit the hyphen is a minus: receipts have it there.
"""

_AS_PRINTED = {0x2010: "-", 0xAD: "-"}


def whole_words(pages: Sequence[str]) -> list[str]:
    """Return the texts of a document's pages with the words whole that a line end broke; the second part moves up.

    A hyphen that belongs to its word stays; see `HyphenJoiner`. Before a capital letter the line end stays too: the next line
    may be a label.

    Args:
        pages: lines of recognised text, with their line ends.
    """
    joiner = HyphenJoiner(lambda: "\n".join(pages).translate(_AS_PRINTED))

    def joined(found: re.Match[str]) -> str:
        before, ends, after, blank = found.groups()
        if not after[0].islower():
            return found[0]
        return joiner.join(f"{before}{SOFT_HYPHEN}{after}") + (ends if blank else "")

    return [_BROKEN.sub(joined, text) for text in pages]
