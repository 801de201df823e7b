"""Titles of documents whose files state a poor one, or none (STO-3)."""

from __future__ import annotations

import pytest
from octavo_conformance.vectors.pdf_bytes import PdfFile, PdfLine, PdfPage

HEADING = "The Evolution of the Word Processor"


def pdf(title: str, *, heading: str = "") -> bytes:
    text = [f"Line {number} of the report tells of typewriters and of tape." for number in range(12)]
    lines = [*([PdfLine(text=heading, size=28)] if heading else []), *(PdfLine(text=line) for line in text)]
    return PdfFile(pages=[PdfPage(lines=lines)], title=title).to_bytes()


@pytest.mark.parametrize("stated", ["", "(anonymous)", "Microsoft Word - x.doc", "0000764478-23-000006"])
def test_the_heading_of_the_first_page_is_the_title_where_none_is_stated(octavo, tmp_path, stated):
    (tmp_path / "report.pdf").write_bytes(pdf(stated, heading=HEADING))
    chunks = octavo("convert", "report.pdf", "--to", "chunks").lines
    assert {one["title"] for one in chunks} == {HEADING}
    assert octavo("ingest", "report.pdf").code == 0
    assert [one["title"] for one in octavo("list", "--json").json["documents"]] == [HEADING]
    assert f"{HEADING} · report.pdf" in octavo("search", "typewriters", "--no-vectors").out


def test_a_document_with_a_poor_title_and_no_heading_is_shown_by_its_file_name(octavo, tmp_path):
    (tmp_path / "report.pdf").write_bytes(pdf("untitled"))
    assert octavo("ingest", "report.pdf").code == 0
    listed = octavo("list").out
    assert ("untitled" in listed, "report.pdf" in listed) == (False, True)
    assert "1. report.pdf (" in octavo("search", "typewriters", "--no-vectors").out


def test_a_stated_title_stays(octavo, tmp_path):
    (tmp_path / "report.pdf").write_bytes(pdf("Typewriters of 1931", heading=HEADING))
    assert {one["title"] for one in octavo("convert", "report.pdf", "--to", "chunks").lines} == {"Typewriters of 1931"}
