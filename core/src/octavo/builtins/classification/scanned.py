"""The single test for pages that need OCR (CLS-4, CNV-3, OCR-2). Classifier, router and OCR all call it."""

from __future__ import annotations

import re
import unicodedata

SCANNED_DENSITY = 0.0003
"""Characters per square point below which a page with a picture counts as scanned.

A dense A4 page has about 0.006, a page of a slide deck 0.0005, a full-page picture with a caption 0.0001.
Calibrated on the development corpus (see `page_needs_ocr`).
"""
TEXT_ATTEMPT_CHARS = 100
"""Fewer characters than this do not count as a page's text if a picture could contain more (CNV-3)."""

ANY_PICTURE = 0.02
"""Least share of a scanned page that a picture covers."""
_SOME_PICTURE = 0.15
_PAGE_PICTURE = 0.5
_OUTLINE_PATHS = 200
_GARBLED = 0.3
_AROUND_WORDS = ".,;:!?()[]'\"”“’‘"
_ODD_WORD = re.compile(r"(?:[^\W\d_][\d~|#^`\\<>{}:;!*+=$%@\"]+[^\W\d_]|[~|#^`\\]|\d[^\W\d_]+\d)\S*+")
"""Matches the odd part of a word and all that follows in it, so that no word is counted twice."""
_NOT_LOST = "\x02\ufffe"
"""pdfium's marks for a hyphen at the end of a line, which are not lost characters."""
_LAYOUT_MARKS = f"\r\n{_NOT_LOST}"
_LOOK_AT = 4000


def page_needs_ocr(
    chars: int,
    *,
    area: float | None = None,
    picture_share: float | None = None,
    drawn_paths: int = 0,
    garbled: bool = False,
    unmapped: float = 0.0,
    marked: bool = False,
    density_threshold: float = SCANNED_DENSITY,
) -> bool:
    """Return whether a page's text must be recognised.

    A page without picture or drawing is not scanned however little text it has: there is nothing to recognise.
    Over the 2,026 pages of the development corpus's PDFs, F1 is 1.00: it finds the 13 pages of its scanned documents,
    two covers that are pictures and 21 pages whose font maps to nothing, and no others (those 23 were labelled by
    inspection). Thresholds up to 0.0005 give the same, 0.001 gives 0.986, 0.005 gives 0.867; no scan of that corpus has
    a thin text layer, so the lower bound is the 100 characters of CNV-3 on an A4 page, 0.0002. A corpus test checks the
    figure.

    Args:
        chars: characters of the text layer, without white space.
        area: the page's area in square points; None if unknown: then only the count is compared.
        picture_share: share of the page covered by raster images, 0..1; None if unknown, which counts as a picture
            that could contain text.
        drawn_paths: vector paths on the page: text may be drawn as outlines, which matters if there is no other text.
        garbled: whether the text looks like failed recognition, from `is_garbled`.
        unmapped: share of characters without meaning, from `unmapped_share`.
        marked: whether a user marked the page as scanned.
        density_threshold: characters per square point; a setting.
    """
    if marked:
        return True
    if unmapped > _GARBLED and chars > 0:
        return True
    share = 1.0 if picture_share is None else picture_share
    if chars == 0:
        return share >= ANY_PICTURE or drawn_paths >= _OUTLINE_PATHS
    if garbled and share >= _PAGE_PICTURE:
        return True
    thin = chars < TEXT_ATTEMPT_CHARS or (area is not None and chars < density_threshold * area)
    return thin and share >= _SOME_PICTURE


def is_garbled(text: str) -> bool:
    """Return whether many words look like failed recognition: with symbols or digits inside.

    Source code has such words too, so the answer counts only if a picture covers the page.
    """
    words = text[:_LOOK_AT].split()
    if len(words) < 20:
        return False
    # Most words are only letters, most others have punctuation around them. Nearly every page is decided by counting these.
    enough = _GARBLED * len(words)
    if len(words) - sum(map(str.isalpha, words)) <= enough:
        return False
    doubtful = [word for word in words if not word.strip(_AROUND_WORDS).isalpha()]
    return len(doubtful) > enough and len(_ODD_WORD.findall(" ".join(doubtful))) > enough


def unmapped_share(text: str) -> float:
    """Return the share of characters that a font maps to nothing: private use, unassigned, control, replacement."""
    sample = text[:_LOOK_AT]
    shown = sample
    for mark in _LAYOUT_MARKS:
        shown = shown.replace(mark, " ")
    if shown.isprintable() and "\ufffd" not in shown:
        return 0.0  # printable characters are mapped, so there is no need to test each one
    lost = [
        char
        for char in set(sample)
        if char == "\ufffd" or (unicodedata.category(char) in {"Co", "Cn", "Cc"} and char not in _NOT_LOST)
        if not char.isspace()
    ]
    return sum(map(sample.count, lost)) / len("".join(sample.split())) if lost else 0.0
