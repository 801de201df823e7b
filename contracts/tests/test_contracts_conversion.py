"""What converters, recognisers and entity extractors may return."""

from __future__ import annotations

import base64
import hashlib
import json
from typing import Any

import pytest
from octavo_contracts import (
    Attachment,
    BoundingBox,
    Category,
    Conversion,
    ConversionWarning,
    ConvertRequest,
    DocumentClassification,
    EntityObservation,
    EntityRequest,
    OCRWord,
    Page,
    PageImage,
    Table,
)
from pydantic import ValidationError


def pages(*numbers: int, kind: Any = "page") -> tuple[Page, ...]:
    """Pages of one kind with the given numbers."""
    return tuple(Page(number=number, kind=kind, markdown=f"page {number}") for number in numbers)


@pytest.mark.parametrize("numbers", [(2,), (0 + 1, 3), (2, 1), (1, 1), (1, 2, 4)])
def test_pages_are_numbered_without_gaps(numbers: tuple[int, ...]) -> None:
    """CNV-12: an empty page stays, so that every number is there and in its place."""
    with pytest.raises(ValidationError, match=r"pages must be numbered 1\.\."):
        Conversion(pages=pages(*numbers), paginated=True)


def test_a_conversion_has_at_least_one_page() -> None:
    """A document with nothing in it has one empty page."""
    with pytest.raises(ValidationError, match="at least 1 item"):
        Conversion(pages=(), paginated=True)
    assert Conversion(pages=(Page(number=1, markdown=""),), paginated=True).pages[0].markdown == ""


def test_whole_and_paginated_exclude_each_other() -> None:
    """`whole` is the one page of a document without pages, and of no other."""
    with pytest.raises(ValidationError, match="must not have a page of kind 'whole'"):
        Conversion(pages=pages(1, kind="whole"), paginated=True)
    with pytest.raises(ValidationError, match="exactly one page, of kind 'whole'"):
        Conversion(pages=pages(1), paginated=False)
    with pytest.raises(ValidationError, match="exactly one page, of kind 'whole'"):
        Conversion(pages=pages(1, 2, kind="whole"), paginated=False)
    assert not Conversion(pages=pages(1, kind="whole"), paginated=False).paginated


@pytest.mark.parametrize("kind", ["page", "slide", "sheet", "time_block"])
def test_sheets_slides_and_time_blocks_are_pages(kind: str) -> None:
    """Each counts from 1 like a page."""
    assert len(Conversion(pages=pages(1, 2, kind=kind), paginated=True).pages) == 2


@pytest.mark.parametrize(
    "arguments",
    [
        {"number": 0, "markdown": ""},
        {"number": 1, "markdown": None},
        {"number": 1, "markdown": "", "kind": "leaf"},
        {"number": 1, "markdown": "", "width": 0.0},
        {"number": 1, "markdown": "", "height": -5.0},
        {"number": 1, "markdown": "", "tables": [Table(rows=(("a",),))]},
    ],
)
def test_a_malformed_page_is_refused(arguments: dict[str, Any]) -> None:
    """From 1, with markdown, of a known kind, with a size above nothing, tables as a tuple."""
    with pytest.raises(ValidationError, match="1 validation error for Page"):
        Page(**arguments)


def test_the_sides_of_a_box_are_in_order() -> None:
    """Top is above bottom, left before right; a line has no height and is still a box."""
    assert BoundingBox(left=1.0, top=2.0, right=5.0, bottom=2.0).bottom == 2.0
    with pytest.raises(ValidationError, match=r"right and bottom .* must not be less"):
        BoundingBox(left=5.0, top=0.0, right=4.0, bottom=1.0)
    with pytest.raises(ValidationError, match=r"right and bottom .* must not be less"):
        BoundingBox(left=0.0, top=3.0, right=4.0, bottom=2.0)


def test_rows_of_a_table_may_differ_in_length() -> None:
    """A ragged source is shown ragged; nothing is invented."""
    table = Table(rows=(("Date", "High water"), ("1 Nov",)))
    assert table.header_rows == 1
    assert [len(row) for row in table.rows] == [2, 1]


def test_a_password_is_not_shown() -> None:
    """A request may stand in a log line."""
    request = ConvertRequest(media_type="application/pdf", password="open-sesame")
    assert "open-sesame" not in repr(request)
    assert "open-sesame" not in str(request)


def test_a_picture_is_not_printed() -> None:
    """A page image's pixels stay out of messages."""
    image = PageImage(page_number=1, page_fingerprint="0" * 64, width=1, height=1, dpi=72.0, png=b"\x89PNG")
    assert "PNG" not in repr(image)


@pytest.mark.parametrize("data", [b"", b"\x00\xff\xfe\xfb\xef", bytes(range(256))])
def test_bytes_of_an_attachment_survive_json(data: bytes) -> None:
    """Any bytes do, in the URL-safe alphabet or the plain one."""
    attachment = Attachment(
        media_type="application/octet-stream",
        sha256=hashlib.sha256(data).hexdigest(),
        size=len(data),
        data=data,
    )
    document = json.loads(attachment.to_json())
    assert Attachment.read(document) == attachment
    document["data"] = base64.b64encode(data).decode()
    assert Attachment.read(document) == attachment


@pytest.mark.parametrize("code", ["", "Partial", "partial conversion", "1st", "partial-conversion", "ok\n"])
def test_a_warning_has_a_wire_name(code: str) -> None:
    """A code is a flag or a plugin's own word of the same form."""
    with pytest.raises(ValidationError, match=r"code\n.*should match pattern"):
        ConversionWarning(code=code, message="A page was lost.")


@pytest.mark.parametrize("digest", ["", "a" * 63, "A" * 64, "g" * 64, "a" * 65, "a" * 64 + "\n"])
def test_a_hash_is_64_lower_case_hex_digits(digest: str) -> None:
    """Upper case or a prefix would make two names of one content."""
    with pytest.raises(ValidationError, match=r"sha256\n.*should match pattern"):
        Attachment(media_type="a/b", sha256=digest, size=0)


@pytest.mark.parametrize("confidence", [-0.01, 1.01, float("nan"), float("inf")])
def test_confidences_stand_between_0_and_1(confidence: float) -> None:
    """A percentage is refused, and so is what is no number."""
    box = BoundingBox(left=0.0, top=0.0, right=1.0, bottom=1.0)
    refusal = "than or equal to|finite"
    with pytest.raises(ValidationError, match=rf"confidence\n.*({refusal})"):
        OCRWord(text="tide", box=box, confidence=confidence)
    with pytest.raises(ValidationError, match=rf"classification_confidence\n.*({refusal})"):
        DocumentClassification(category=Category.PDF_TEXT, classification_confidence=confidence)


def test_an_entity_has_the_length_of_its_text() -> None:
    """ENT-2: the span counts code points, so that a count in UTF-16 units is seen at once."""
    text = "🌊 Brannoch Head"
    observation = EntityObservation(label="location", text=text[2:], start=2, end=15, confidence=0.9)
    assert text[observation.start : observation.end] == observation.text
    with pytest.raises(ValidationError, match=r"span 3-17 .* \(13 code points\)"):
        EntityObservation(label="location", text=text[2:], start=3, end=17, confidence=0.9)
    with pytest.raises(ValidationError):
        EntityObservation(label="location", text="", start=2, end=2, confidence=0.9)


def test_entities_are_asked_for_with_sensible_defaults() -> None:
    """Four kinds, from one half up."""
    request = EntityRequest()
    assert request.labels == ("person", "organization", "location", "date")
    assert request.threshold == 0.5
