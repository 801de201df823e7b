"""`octavo convert --images`: the images of a document are written out, and the markdown leads to them."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import re
from pathlib import Path

import pytest
from octavo_contracts import ExitCode
from PIL import Image

LINK = re.compile(r"!\[([^\]]*)\]\(([^)]*)\)")


def picture(shade: int, *, form: str = "PNG") -> bytes:
    made = io.BytesIO()
    Image.new("RGB", (40, 30), (shade, 90, 200 - shade)).save(made, form)
    return made.getvalue()


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def links_of(markdown: str, folder: Path) -> list[tuple[str, str]]:
    """Alternative text and hash of the file that each link leads to."""
    return [(alt, digest((folder / target).read_bytes())) for alt, target in LINK.findall(markdown)]


def described(shape: object, text: str) -> None:
    name = next(one for one in shape._element.iter() if one.tag.endswith(("}docPr", "}cNvPr")))  # type: ignore[attr-defined]  # python-pptx has no public name for it
    name.set("descr", text)


def test_images_of_a_text_document_are_where_the_document_shows_them(octavo, tmp_path):
    docx = pytest.importorskip("docx")
    one, two = picture(10), picture(60)
    document = docx.Document()
    document.add_paragraph("The gauge:")
    described_shape = document.add_picture(io.BytesIO(one))
    described_shape._inline.docPr.set("descr", "the gauge at noon")
    document.add_paragraph("The buoy:")
    document.add_picture(io.BytesIO(two))
    document.add_paragraph("The gauge again:")
    document.add_picture(io.BytesIO(one))
    document.save(str(tmp_path / "harbour.docx"))

    ended = octavo("convert", "harbour.docx", "--images", "pictures")

    assert ended.code == ExitCode.OK
    assert [found for _, found in links_of(ended.out, tmp_path)] == [digest(one), digest(two), digest(one)]
    assert sorted(path.name for path in (tmp_path / "pictures" / "harbour").iterdir()) == ["image-1.png", "image-2.png"]


def test_images_of_a_slide_are_told_apart_by_their_descriptions(octavo, tmp_path):
    """A converter may give them by position, so their order decides nothing."""
    pptx = pytest.importorskip("pptx")
    low, high = picture(10), picture(60)
    slides = pptx.Presentation()
    slide = slides.slides.add_slide(slides.slide_layouts[6])
    described(slide.shapes.add_picture(io.BytesIO(low), 0, 5_000_000), "the low tide in March")
    described(slide.shapes.add_picture(io.BytesIO(high), 0, 0), "the high tide in May")
    slides.save(str(tmp_path / "tides.pptx"))

    ended = octavo("convert", "tides.pptx", "--images", "pictures", "-o", "out.md")

    assert ended.code == ExitCode.OK
    found = dict(links_of((tmp_path / "out.md").read_text(encoding="utf-8"), tmp_path))
    assert {alt[:12]: data for alt, data in found.items()} == {
        "the low tide": digest(low),
        "the high tid": digest(high),
    }


def test_images_of_a_pdf_are_linked_at_the_end_of_their_pages(octavo, tmp_path):
    jpeg = picture(10, form="JPEG")
    coloured = Image.new("RGB", (64, 48), (204, 51, 102)).convert("P")
    pages = [Image.open(io.BytesIO(jpeg)), coloured]
    pages[0].save(tmp_path / "scans.pdf", save_all=True, append_images=pages[1:])

    ended = octavo("convert", "scans.pdf", "--images", "pictures", "--page-marks", "--with", "pdfium")

    assert ended.code in (ExitCode.OK, ExitCode.DEGRADED)
    found = LINK.findall(ended.out)
    assert [alt for alt, _ in found] == ["image on page 1", "image on page 2"]
    first, second = (Image.open(io.BytesIO((tmp_path / target).read_bytes())) for _, target in found)
    assert (first.format, first.size) == ("JPEG", (40, 30))
    assert (second.format, second.size) == ("PNG", (64, 48))
    assert all(abs(a - b) < 12 for a, b in zip(second.convert("RGB").getpixel((32, 24)), (204, 51, 102), strict=True))
    assert ended.out.index("<!-- page 2") < ended.out.index("image on page 2")


def test_images_of_a_workbook_are_linked_on_their_sheet(octavo, tmp_path):
    xlsxwriter = pytest.importorskip("xlsxwriter")
    data = picture(10)
    book = xlsxwriter.Workbook(str(tmp_path / "sheets.xlsx"))
    book.add_worksheet("Empty").write(0, 0, "no picture")
    sheet = book.add_worksheet("Gauge")
    sheet.write(0, 0, "with a picture")
    sheet.insert_image("B2", "gauge.png", {"image_data": io.BytesIO(data), "description": "the gauge"})
    book.close()

    ended = octavo("convert", "sheets.xlsx", "--images", "pictures")

    assert links_of(ended.out, tmp_path) == [("the gauge", digest(data))]
    assert ended.out.index("with a picture") < ended.out.index("![the gauge]")


def test_images_in_a_message_a_notebook_and_a_page(octavo, tmp_path):
    data = picture(10)
    text = base64.b64encode(data).decode()
    (tmp_path / "letter.eml").write_text(
        "From: a@harbour.example\nSubject: Gauge\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n"
        "--b\nContent-Type: text/plain\n\nSee the picture.\n--b\nContent-Type: image/png; name=gauge.png\n"
        f"Content-Transfer-Encoding: base64\nContent-Disposition: inline\n\n{text}\n--b--\n"
    )
    cell = {"cell_type": "code", "source": "plot()", "metadata": {}, "execution_count": 1}
    outputs = [{"output_type": "display_data", "metadata": {}, "data": {"image/png": text}}]
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [{**cell, "outputs": outputs}]}
    (tmp_path / "plot.ipynb").write_text(json.dumps(notebook))
    (tmp_path / "page.html").write_text(
        f"<html><body><main><p>{'The gauge stood still for six hours. ' * 20}</p>"
        f'<img src="data:image/png;base64,{text}"><img src="https://harbour.example/far.png"></main></body></html>'
    )

    ended = octavo("convert", "letter.eml", "plot.ipynb", "page.html", "-d", "out", "--images", "out/pictures")

    assert ended.code == ExitCode.OK
    for name in ("letter", "plot", "page"):
        markdown = (tmp_path / "out" / f"{name}.md").read_text(encoding="utf-8")
        assert digest(data) in [found for _, found in links_of(markdown, tmp_path / "out") if found], name
    assert "page.md: complete" in ended.stderr
    assert "1 image could not be read or is not in the file" in ended.stderr


def test_a_format_without_images_and_a_document_without_any_are_told_apart(octavo, tmp_path):
    docx = pytest.importorskip("docx")
    (tmp_path / "tides.csv").write_text("day,height\nMonday,3.2\n")
    document = docx.Document()
    document.add_paragraph("No picture.")
    document.save(str(tmp_path / "plain.docx"))

    without = octavo("convert", "tides.csv", "--images", "pictures")
    empty = octavo("convert", "plain.docx", "--images", "pictures")

    assert "no images are read from documents of the type text/csv" in without.stderr
    assert "the document has no images" in empty.stderr
    assert (without.code, empty.code) == (ExitCode.OK, ExitCode.OK)
    assert not (tmp_path / "pictures").exists()


def test_a_picture_that_is_there_is_replaced_only_with_force(octavo, tmp_path):
    docx = pytest.importorskip("docx")
    document = docx.Document()
    document.add_paragraph("The gauge at noon.")
    document.add_picture(io.BytesIO(picture(10)))
    document.save(str(tmp_path / "harbour.docx"))
    there = tmp_path / "pictures" / "harbour" / "image-1.png"
    there.parent.mkdir(parents=True)
    there.write_text("the user's own")

    refused = octavo("convert", "harbour.docx", "--images", "pictures")

    assert refused.code == ExitCode.USAGE
    assert there.read_text() == "the user's own"
    assert octavo("convert", "harbour.docx", "--images", "pictures").code == ExitCode.USAGE
    assert octavo("convert", "harbour.docx", "--images", "pictures", "--force").code == ExitCode.OK
    assert there.read_bytes() == picture(10)
    assert octavo("convert", "harbour.docx", "--images", "pictures").code == ExitCode.OK


def test_a_name_inside_a_document_is_never_a_name_of_a_file(octavo, tmp_path):
    """An archive that names its picture `../../outside.png`."""
    import zipfile

    docx = pytest.importorskip("docx")
    document = docx.Document()
    document.add_picture(io.BytesIO(picture(10)))
    document.save(str(tmp_path / "plain.docx"))
    with zipfile.ZipFile(tmp_path / "plain.docx") as plain, zipfile.ZipFile(tmp_path / "evil.docx", "w") as evil:
        for name in plain.namelist():
            data = plain.read(name).replace(b"media/image1.png", b"media/..%2F..%2Foutside.png")
            evil.writestr(name.replace("media/image1.png", "media/..%2F..%2Foutside.png"), data)

    octavo("convert", "evil.docx", "--images", "deep/pictures")

    assert {path.name for path in tmp_path.rglob("*.png")} <= {"image-1.png"}


def test_images_are_for_markdown(octavo, tmp_path):
    (tmp_path / "tides.md").write_text("# Tides\n")

    assert octavo("convert", "tides.md", "--to", "text", "--images", "pictures").code == ExitCode.USAGE
