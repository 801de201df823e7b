"""The picture of a table gets a table, whatever the layout analysis of the recogniser drops (CNV-10)."""

from __future__ import annotations

import io
import shutil

import octavo
import pytest
from octavo.runtime import Runtime
from octavo.settings.ocr import OcrSettings
from octavo.settings.settings import Settings
from PIL import Image, ImageDraw, ImageFont

pytestmark = pytest.mark.skipif(
    shutil.which("tesseract") is None, reason="the program tesseract is not installed: apt-get install tesseract-ocr"
)

ROWS = (
    ("Name", "Department", "Salary"),
    ("John Smith", "Engineering", "85,000"),
    ("Jane Doe", "Marketing", "72,000"),
    ("Bob Johnson", "Sales", "68,000"),
    ("Alice Brown", "HR", "65,000"),
)


def picture() -> bytes:
    image = Image.new("L", (600, 400), 255)
    pen = ImageDraw.Draw(image)
    for row, cells in enumerate(ROWS):
        for column, cell in enumerate(cells):
            pen.text(((50, 180, 320)[column], 78 + 50 * row), cell, font=ImageFont.load_default(17), fill=0)
    made = io.BytesIO()
    image.save(made, "PNG")
    return made.getvalue()


def test_the_picture_of_a_table_gets_its_rows():
    with Runtime(Settings(workers=1, ocr=OcrSettings(engines=("tesseract",)))) as runtime:
        converted = octavo.convert(picture(), name="salaries.png", runtime=runtime)
    assert "| Jane Doe | Marketing | 72,000 |" in converted.markdown
    assert "| Bob Johnson | Sales | 68,000 |" in converted.markdown
    assert converted.markdown.count("Engineering") == 1
