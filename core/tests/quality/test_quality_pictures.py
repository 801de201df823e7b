"""Pictures whose text, if there is any, was not read (QLT-3)."""

from __future__ import annotations

from octavo.builtins.quality.unread_pictures import PICTURES_UNREAD, unread_pictures
from octavo_contracts import Conversion, Page, PageSight, QualityEvidence


def evidence(*shares: float, media_type: str = "application/pdf") -> QualityEvidence:
    sights = tuple(PageSight(page=number, picture_share=share) for number, share in enumerate(shares, 1))
    return QualityEvidence(media_type=media_type, sights=sights)


def conversion(count: int) -> Conversion:
    pages = tuple(Page(number=number, markdown="The fog lay.", text="The fog lay.") for number in range(1, count + 1))
    return Conversion(pages=pages, paginated=True)


def test_pages_with_large_pictures_are_named():
    (found,) = unread_pictures(conversion(4), evidence(0.3, 0.01, 0.2, 0.5), {4})
    assert (found.flag, found.severity, found.page) == (PICTURES_UNREAD, "note", None)
    assert found.message.startswith("pages 1 and 3 have pictures that may show text")


def test_it_is_said_that_not_every_page_was_inspected():
    (found,) = unread_pictures(conversion(5), evidence(0.3, 0.01), ())
    assert found.page == 1
    assert found.message.startswith("the page has a picture that may show text")
    assert "2 of 5 pages" in found.message


def test_a_logo_a_recognised_page_and_a_slide_are_not_named():
    assert unread_pictures(conversion(2), evidence(0.01, 0.9), {2}) == []
    assert unread_pictures(conversion(1), evidence(0.9, media_type="image/png"), ()) == []
