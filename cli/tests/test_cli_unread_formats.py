"""`octavo doctor` names the formats that nothing installed reads, and what reads them."""

from __future__ import annotations


def test_doctor_lists_the_formats_that_nothing_reads_with_one_command(octavo, monkeypatch):
    monkeypatch.setenv("OCTAVO_BLOCK", "markitdown,pillow,rapidocr,tesseract,xberg,docling,libreoffice")
    ended = octavo("doctor", "--json")
    unread = {item["name"]: item["install"] for item in ended.json["unread"]}
    assert unread["PowerPoint presentation"] == ["octavo-markitdown"]
    assert unread["PNG image"] == ["octavo-pillow", "octavo-rapidocr"]
    assert unread["scanned pages"] == ["octavo-rapidocr"]
    assert "PDF" not in unread
    assert "SVG image" not in unread, "nothing of Octavo reads it"
    shown = octavo("doctor").out
    (command,) = [line for line in shown.splitlines() if line.startswith("To read them all: ")]
    assert "octavo-markitdown" in command
    assert "octavo-pillow" in command
