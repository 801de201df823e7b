"""`octavo doctor` names the formats that nothing installed reads, and what reads them."""

from __future__ import annotations

import re
import shutil


def test_doctor_lists_the_formats_that_nothing_reads_with_one_command(octavo, monkeypatch):
    monkeypatch.setenv("OCTAVO_BLOCK", "markitdown,pillow,rapidocr,tesseract,xberg,docling,libreoffice")
    ended = octavo("doctor", "--json")
    unread = {item["name"]: item["install"] for item in ended.json["unread"]}
    assert unread["PowerPoint presentation"] == ["octavo-markitdown"]
    recogniser = "octavo-tesseract" if shutil.which("tesseract") else "octavo-rapidocr"
    assert unread["PNG image"] == ["octavo-pillow", recogniser]
    assert unread["scanned pages"] == [recogniser]
    assert "PDF" not in unread
    assert "SVG image" not in unread, "nothing of Octavo reads it"
    shown = octavo("doctor").out
    (command,) = [line for line in shown.splitlines() if line.startswith("To read them all: ")]
    assert "octavo-markitdown" in command
    assert "[ocr" in command
    one = next(line for line in shown.splitlines() if line.startswith("To read scanned pages, "))
    assert re.fullmatch(r"To read scanned pages, .* and \d+ more: (uv )?pip install '\S+\[ocr\]'", one)
