"""OC-SPAN for the hook `convert`: no code point is lost, so that offsets mean the same everywhere."""

from __future__ import annotations

from octavo_contracts import Capability

from ..checks import Broken, check, expect_none
from ..evidence import page_texts
from ..subject import Subject
from ..vectors import GoldenVector, words_of


@check(
    "OC-SPAN-001",
    scope="golden",
    level=1,
    spec=("DIG-8", "DIG-3"),
    requires=("OC-SCHEMA-002",),
    hook="convert",
    vectors="must_keep",
)
def code_points_survive(subject: Subject, vector: GoldenVector) -> None:
    """Emoji, CJK, right-to-left text and combining marks are preserved code point by code point.

    Fix:
    Decode as UTF-8, never through a code page; keep astral characters whole.
    Do not reverse, drop or replace characters that you cannot display.
    """
    _, texts = subject.texts(vector)
    missing = [
        c for phrase in vector.expected.must_keep for c in phrase if not c.isspace() and c not in texts.canonical.text
    ]
    if missing:
        shown = " ".join(f"U+{ord(c):04X}" for c in dict.fromkeys(missing))
        raise Broken("code points are lost", expected="every code point of the document", actual=f"missing {shown}")


@check(
    "OC-SPAN-002",
    scope="golden",
    level=1,
    spec=("CNV-12",),
    requires=("OC-SCHEMA-002",),
    hook="convert",
    has=Capability.BOXES,
)
def boxes_hold_text_of_their_page(subject: Subject, vector: GoldenVector) -> None:
    """The words in the box of a line or word are in the text of its page.

    Fix:
    Attach each box to its page, with the text that the page shows there.
    """
    conversion = subject.convert(vector).conversion()
    for page, text in zip(conversion.pages, page_texts(conversion), strict=True):
        known = set(words_of(text))
        lost = [
            word
            for box in page.boxes
            if box.kind in ("line", "word")
            for word in words_of(box.text)
            if word not in known
        ]
        expect_none(
            lost, f"boxes of page {page.number} have words that are not on the page", expected="words of the page"
        )


@check(
    "OC-SPAN-003",
    scope="golden",
    level=1,
    spec=("CNV-12",),
    requires=("OC-SCHEMA-002",),
    hook="convert",
    has=Capability.BOXES,
)
def boxes_lie_on_their_page(subject: Subject, vector: GoldenVector) -> None:
    """A box is inside its page: points from the top left corner, after rotation.

    Fix:
    Convert the engine's coordinates (pixels, or points from the bottom) to points from the top left corner.
    """
    for page in subject.convert(vector).conversion().pages:
        if page.width is None or page.height is None:
            continue
        off = [
            box.box.model_dump()
            for box in page.boxes
            if min(box.box.left, box.box.top) < -1 or box.box.right > page.width + 1 or box.box.bottom > page.height + 1
        ]
        expect_none(
            off, f"boxes are outside page {page.number}", expected=f"within {page.width:g} x {page.height:g} points"
        )
