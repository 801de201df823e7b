"""The folder in which every command line runs: documents, a library with corpora, and the files that options name."""

from __future__ import annotations

import io
import json
import os
import re
import textwrap
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import docx
from octavo_conformance.page_pictures import drawn_text
from octavo_conformance.pdf_writer import PdfFile, PdfPage, show_lines, show_text
from octavo_conformance.scans import scanned_pdf
from pypdf import PdfReader, PdfWriter

NOTE = (
    "Ines Halloran measures the tide at the pier of Brannoch Head.\n\n"
    "On 3 March 2025 the surge was 3.2 m high, and Harbour Trust Ltd closed the gate.\n\n"
    "Ines Halloran wrote to Harbour Trust Ltd the day after.\n"
)
FIRST = (
    "The surge of 3 March 2025 was 3.2 m high, which is the highest that the pier has seen in forty years of records."
)
SECOND = "The tide gauge at the pier was repaired in April. The repair took nine days and cost 1,200 pounds in all."


def _pdf(*pages: str) -> bytes:
    content = [show_lines(textwrap.wrap(page, 70)) for page in pages]
    return PdfFile([PdfPage(one) for one in content]).to_bytes()


def _print_too_fine_for_ocr() -> bytes:
    lines = (show_text(line, 72, 600 - 4 * row, size=1.4) for row, line in enumerate((FIRST, SECOND) * 6))
    return PdfFile([PdfPage(b"\n".join((show_text("Harbour notice", 72, 700, size=24), *lines)))]).to_bytes()


def make_world(folder: Path, run: Callable[[str], str]) -> dict[str, str]:
    """Fill a folder; returns the words of recipes that stand for ids.

    Args:
        folder: empty.
        run: runs a command line there and returns what it prints.
    """
    write = {
        "note.txt": NOTE,
        "copy.txt": NOTE,
        "same.txt": "Monday 3.2 m\n",
        "fresh.txt": NOTE.replace("pier", "lock"),
        "secret.txt": "The tide of the closed corpus turns at noon.\n",
        "empty.txt": "",
        "page.html": "<html><body><p>Visible text of a page about the tide.</p>"
        '<p style="display:none">Hidden text that nobody sees, and rather a lot of it.</p></body></html>',
        "mast.html": "<p>The mast of the weather station.</p><img src='data:image/gif;base64,"
        "R0lGODlhAQABAIAAAAAAAP///ywAAAAAAQABAAACAUQAOw=='>",
        "folder/a.txt": "A letter about the pier.\n",
        "folder/b.csv": "day,height\nMonday,3.2\n",
        "there/note.md": "mine\n",
        "other.toml": 'name = "other"\n[routes]\ntext_native_pdf = ["pypdf"]\nplain_text = ["plaintext"]\n',
        "expectations.toml": 'plugin = "plaintext"\n[[expected]]\ncheck = "OC-SPAN-001"\nreason = "It was so once."\n',
        "schema.json": json.dumps({"type": "object", "properties": {"day": {"type": "string", "format": "date"}}}),
        "other.json": json.dumps(
            {"type": "object", "properties": {"colour": {"type": "string"}}, "required": ["colour"]}
        ),
    }
    for name, text in write.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "report.pdf").write_bytes(_pdf(FIRST, SECOND))
    (folder / "fresh.pdf").write_bytes(_pdf(SECOND, FIRST))
    (folder / "fine.pdf").write_bytes(_print_too_fine_for_ocr())
    picture = drawn_text(tuple(textwrap.wrap(FIRST, 40)))
    (folder / "scan.pdf").write_bytes(scanned_pdf(picture))
    (folder / "waiting.pdf").write_bytes(scanned_pdf(drawn_text(tuple(textwrap.wrap(SECOND, 40)))))
    png = io.BytesIO()
    picture.save(png, "PNG")
    letter = docx.Document()
    letter.add_paragraph("The notice at the pier:")
    letter.add_picture(png)
    letter.save(str(folder / "picture.docx"))
    for name, locked in (("report.pdf", "locked.pdf"), ("scan.pdf", "locked-scan.pdf")):
        writer = PdfWriter(clone_from=PdfReader(folder / name))
        writer.encrypt("tide", algorithm="RC4-128")
        writer.write(folder / locked)
    for line in (
        "corpus create harbour",
        "corpus create tagged --entities on",
        "corpus create closed --visibility firewalled",
        "ingest report.pdf note.txt empty.txt locked.pdf --corpus harbour --entities",
        "ingest secret.txt --corpus closed",
        "ingest same.txt",
        "reconvert report.pdf --with pypdf",
        "corpus create empty --library bare",
    ):
        run(line)
    with mock.patch.dict(os.environ, {"OCTAVO_OCR__AUTOMATIC": "false"}):
        run("ingest waiting.pdf --corpus harbour")
    (folder / "digest.json").write_text(
        run("digest report.pdf --query surge --archive-dir kept --json"), encoding="utf-8"
    )
    replaced = folder / "same.txt"
    times = replaced.stat()
    replaced.write_text("Monday 9.9 m\n", encoding="utf-8")
    os.utime(replaced, ns=(times.st_atime_ns, times.st_mtime_ns))
    documents = json.loads(run("list --json"))["documents"]
    quote = "note.txt 'The surge was 3.2 m high.' --quote 'the surge was 3.2 m high' --entity person:Ines"
    written = run(f"memory add {quote} --json")
    run(f"memory add {quote}")
    run("memory add note.txt 'The surge closed the gate.' --quote 'closed the gate' --confidence 0.3")
    started = json.loads(run("research start 'How high was the surge?' --json"))
    return {
        "DOCUMENT": next(one["id"] for one in documents if "note.txt" in json.dumps(one)),
        "REPORT": next(one["id"] for one in documents if "report.pdf" in json.dumps(one)),
        "RESEARCH": started["research_id"],
        "MEMORY": re.findall(r"mem-[0-9a-f]+", written)[0],
    }
