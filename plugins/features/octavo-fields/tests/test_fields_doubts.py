"""`octavo fields`: amounts that other labels contradict, words that OCR was unsure of, and types that are not extracted."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from octavo_cli import main
from octavo_contracts import ExtractedField, QualityFinding, Span, page_separator
from octavo_fields import extract_fields
from octavo_fields.doubtful_values import with_doubts
from octavo_fields.extracting import Extraction, Extractor

TAXED = """```
Total Sales (Inclusive of tax) : 63.60
CASH: 63.60
TAX SUMMARY
Total: 60.00
```
"""


def amount(*labels: str, **more: Any) -> dict[str, Any]:
    """A field that is an amount."""
    return {"type": "number", "x-octavo": {"kind": "amount", "labels": list(labels)}, **more}


def test_a_document_that_failed_is_refused_with_the_cause_and_its_remedy(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    library = ["--library", str(tmp_path / "library")]
    document, schema = tmp_path / "drawing.xyz", tmp_path / "schema.json"
    document.write_bytes(bytes(range(256)) * 8)
    schema.write_text(json.dumps({"type": "object", "properties": {"total": amount("Total")}}), encoding="utf-8")
    main(["ingest", str(document), "-q", *library])
    capsys.readouterr()
    assert main(["fields", str(document), "--schema", str(schema), *library]) == 2
    said = capsys.readouterr().err
    assert "has no text to extract from: no plugin that Octavo knows reads" in said
    assert "Export it as PDF, DOCX or text" in said
    assert "octavo retry" in said


def test_an_amount_is_not_verified_if_a_longer_label_has_another_one(fields: Callable[..., Any]) -> None:
    total = fields(TAXED, {"total": amount("Total", "Amount due")})["total"]
    assert (total["value"], total["verified"], total["span"]) == (60, False, None)
    assert total["why"] == (
        'several amounts stand behind labels that begin with "Total": "Total Sales (Inclusive of tax)" 63.60, "Total" 60.00; '
        "give the whole label of the right one as the only label"
    )


@pytest.mark.parametrize(
    ("text", "field", "value"),
    [
        pytest.param(TAXED, amount("Total Sales (Inclusive of tax)"), 63.6, id="the whole label"),
        pytest.param(TAXED, amount("Total:"), 60, id="a label with its colon"),
        pytest.param(TAXED.replace("60.00", "63.60"), amount("Total"), 63.6, id="the same amount"),
        pytest.param("Sub-Total 7.90\n\nTotal 8.35", amount("Total"), 8.35, id="a label that begins with another word"),
        pytest.param("Total tax: 1.00\n\nTotal due: 9.00", amount("Total due", "Total"), 9, id="one label is whole"),
        pytest.param("| Item | Total |\n|---|---|\n| Tea | 2.50 |\n\nTotal: 5.00", amount("Total"), 5, id="a column"),
        pytest.param(TAXED, amount("Total", pattern=r"Total: ([\d.]+)"), 60, id="a pattern that chooses"),
    ],
)
def test_an_amount_is_verified_if_its_label_is_whole(
    fields: Callable[..., Any], text: str, field: dict[str, Any], value: float
) -> None:
    total = fields(text, {"total": field})["total"]
    assert (total["value"], total["verified"]) == (value, True), total["why"]


class Sixty:
    """An extractor that gives the amount of the tax summary."""

    def extract(self, text: str, schema: Mapping[str, Any]) -> Mapping[str, ExtractedField]:
        at = text.index("60.00")
        return {
            name: ExtractedField(value=60, span=Span(start=at, end=at + 5), method="x") for name in schema["properties"]
        }


@pytest.mark.parametrize("interprets", [False, True])
def test_a_model_may_choose_among_labels(interprets: bool) -> None:
    extractor = Extractor(name="x", ask=Sixty(), interprets=interprets)
    found = extract_fields(TAXED, {"properties": {"total": amount("Total")}}, [extractor])
    assert found.fields["total"].verified == interprets


@pytest.mark.parametrize("kind", ["array", "object", "boolean"])
def test_a_field_of_another_type_is_refused_alone(fields: Callable[..., Any], kind: str) -> None:
    found = fields("Total: 9.00", {"total": amount("Total"), "items": {"type": kind}})
    assert found["total"]["verified"]
    assert (found["items"]["value"], found["items"]["method"]) == (None, "refused")
    assert ("lists are not extracted" if kind == "array" else f"type '{kind}' are not extracted") in found["items"][
        "why"
    ]


def test_no_model_is_asked_for_a_list() -> None:
    found = extract_fields(
        TAXED, {"properties": {"items": {"type": "array"}}}, [Extractor(name="x", ask=Sixty(), interprets=True)]
    )
    assert found.fields["items"].method == "refused"


def read(text: str) -> Extraction:
    """The amount of a text, from an extractor that finds it."""
    return extract_fields(text, {"properties": {"total": amount("Total")}}, [Extractor(name="x", ask=Sixty())])


@pytest.mark.parametrize(
    ("doubt", "page", "is_told"),
    [
        ("“due 60.00” (one) or “due 80.00” (two)", 1, True),
        ("“60.00”", 1, True),
        ("“0.00”, “60.0” and 2 more", 1, False),
        ("“80.00” (one) or “60.00” (two)", 1, False),
        ("“60.00”", 2, False),
    ],
)
def test_a_value_that_ocr_was_unsure_of_says_so(doubt: str, page: int, is_told: bool) -> None:
    text = f"Total due 60.00{page_separator(2)}60.00"
    finding = QualityFinding(
        flag="words_doubtful", severity="note", message=f"words that OCR was unsure of: “Shop”, {doubt}", page=page
    )
    total = with_doubts(text, read(text).fields, [finding])["total"]
    assert total.verified
    assert total.why == (f"OCR was unsure of {doubt}: compare page 1 with the original" if is_told else "")
