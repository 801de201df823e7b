"""What a worker loads to convert one document: MarkItDown's libraries for other formats stay out."""

from __future__ import annotations

import io
import json
import subprocess
import sys

import pytest

CODE = """
import io, json, sys
from octavo_markitdown.engine import run_engine
from octavo_markitdown.formats import FORMATS

media_type = sys.argv[1]
text = run_engine(sys.stdin.buffer.read(), form=FORMATS[media_type], media_type=media_type, charset="utf-8").markdown
print(json.dumps([text, sorted({name.partition(".")[0] for name in sys.modules})]))
import pandas, pdfminer.high_level, requests
assert pdfminer.high_level.extract_pages and requests.Response is not object
print(json.dumps(pandas.DataFrame({"tide": [3.2]}).to_dict("list")))
"""
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
PPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
ALWAYS_OUT = {"pandas", "onnxruntime", "requests", "urllib3", "cryptography", "xlrd"}
"""The libraries of PDF files, old workbooks and web requests among them."""


def word() -> bytes:
    docx = pytest.importorskip("docx")
    made, document = io.BytesIO(), docx.Document()
    document.add_paragraph("High water at noon.")
    document.save(made)
    return made.getvalue()


def slides() -> bytes:
    pptx = pytest.importorskip("pptx")
    made, deck = io.BytesIO(), pptx.Presentation()
    deck.slides.add_slide(deck.slide_layouts[5]).shapes.title.text = "High water at noon."
    deck.save(made)
    return made.getvalue()


@pytest.mark.parametrize(
    ("media_type", "data", "left_out"),
    [
        ("text/html", lambda: b"<p>High water at noon.</p>", {*ALWAYS_OUT, "mammoth", "pptx", "openpyxl"}),
        (DOCX, word, {*ALWAYS_OUT, "pptx", "openpyxl"}),
        (PPTX, slides, {*ALWAYS_OUT, "mammoth", "openpyxl"}),
    ],
)
def test_libraries_of_other_formats_are_not_loaded(media_type, data, left_out):
    """They can be imported afterwards as if nothing had been there."""
    done = subprocess.run([sys.executable, "-c", CODE, media_type], input=data(), capture_output=True, check=True)

    converted, afterwards = done.stdout.splitlines()
    text, loaded = json.loads(converted)
    assert "High water at noon." in text
    assert not left_out & set(loaded)
    assert json.loads(afterwards) == {"tide": [3.2]}
