"""Hyphens at line ends that belong to their words, put back.

liteparse leaves out every hyphen at the end of a line, also those of `self-publishing` and `UTF-8`. PDFium marks the places in its text of the
page; whether a hyphen belongs to the word is told by the other words of the document.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final

from octavo_contracts.authoring.hyphens import SOFT_HYPHEN, HyphenJoiner

_BROKEN: Final = re.compile(rf"([\w'’.-]*\w){SOFT_HYPHEN}(\w[\w'’]*)")


class BrokenWords:
    """The words of a document that are broken at line ends.

    Args:
        page_texts: the texts of its pages as PDFium reads them.
    """

    def __init__(self, page_texts: Iterable[str]) -> None:
        texts = list(page_texts)
        self._joiner = HyphenJoiner(lambda: "\n".join(texts))

    def joined(self, line: str) -> str:
        """Return a line of PDFium's text with each of its broken words as one, with or without its hyphen."""
        return self._joiner.join(line)

    def restorer(self, page_text: str) -> Callable[[str], str]:
        """Return a function that puts the hyphens of a page's compounds back into a text of the page."""
        compounds: dict[str, str] = {}
        for match in _BROKEN.finditer(page_text):
            whole = self._joiner.join(match[0])
            if whole == f"{match[1]}-{match[2]}":
                compounds[match[1] + match[2]] = whole
        if not compounds:
            return lambda text: text
        found = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, compounds))})(?!\w)")
        return lambda text: found.sub(lambda match: compounds[match[0]], text)
