"""A document's words stand in no log, receipt, transition, attempt, report or record, whatever an engine says of it.

A word is planted in every place of many broken documents: entities, tags, attributes, names of members, keys, cells,
fonts, boundaries, character sets. Every installed converter is asked for each of them. The word may then stand only in
what is meant to hold content.
"""

from __future__ import annotations

import io
import logging
import sqlite3
import struct
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import octavo
import pytest
from click.testing import CliRunner
from octavo.runtime import Runtime
from octavo.settings.settings import Settings
from octavo_cli.app import cli
from octavo_contracts import IngestionResult, OctavoError
from octavo_digest import digest_document
from octavo_fields import extract
from octavo_library import Document, Library

SAMPLES = Path(__file__).resolve().parents[1] / "docs" / "samples"
WORD = "QZPLANTEDWORDX"

CONTENT = frozenset({"converted.md", "canonical.txt", "pages.json", "metadata.json", "observations.json"})
"""Files of a library that are meant to hold what documents say; `ocr/` and `originals/` hold nothing else."""

CONTENT_COLUMNS = frozenset(
    {
        "document_inspections.inspection_json",
        "documents.title",
        "entities.name",
        "entity_observations.normalized",
        "entity_observations.text",
    }
)
"""Columns of the index that do: titles, samples of the text by which a document was typed, and the names observed in texts."""


def package(source: str, *, rename: str = "", replace: tuple[bytes, bytes] | None = None, cut: str = "") -> bytes:
    """A sample with a member renamed, text in its members replaced, or the bytes of a member damaged."""
    made = io.BytesIO()
    with zipfile.ZipFile(SAMPLES / source) as old, zipfile.ZipFile(made, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if replace is not None and name.endswith((".xml", ".rels", ".opf", ".xhtml", ".html")):
                data = data.replace(*replace)
            new.writestr(name.replace("media/", f"media/{WORD}") if name == rename else name, data)
        if rename == "+":
            new.writestr(f"word/{WORD}.xml", f"<{WORD}>&{WORD};")
    blob = made.getvalue()
    if cut:
        at = blob.find(cut.encode())
        blob = blob[: at + 60] + WORD.encode() + blob[at + 60 + len(WORD) :]
    return blob


def odt(content: str, *, extra: dict[str, str] | None = None) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as new:
        new.writestr("mimetype", "application/vnd.oasis.opendocument.text")
        new.writestr("content.xml", content)
        for name, data in (extra or {}).items():
            new.writestr(name, data)
    return made.getvalue()


def png(*, damaged: bool) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    head = struct.pack(">IIBBBBB", 40, 40, 8, 0, 0, 0, 0)
    text = chunk(b"tEXt", f"Title\0{WORD}".encode()) + chunk(b"iCCP", f"{WORD}\0\0".encode() + b"junk")
    data = WORD.encode() if damaged else zlib.compress(b"\0" + bytes(40) * 1)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + text + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def pdf(*, page: str = "", stream: bytes = b"BT /F1 12 Tf (x) Tj ET", trailer: str = "", skew: int = 0) -> bytes:
    parts = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Contents 4 0 R {page} >>",
    ]
    body = b"%PDF-1.7\n"
    offsets = []
    for number, part in enumerate(parts, start=1):
        offsets.append(len(body))
        body += f"{number} 0 obj\n{part}\nendobj\n".encode()
    offsets.append(len(body))
    body += b"4 0 obj\n<< /Length %d >>\nstream\n%s\nendstream\nendobj\n" % (len(stream), stream)
    at = len(body)
    table = "".join(f"{offset + skew:010d} 00000 n \n" for offset in offsets)
    body += f"xref\n0 5\n0000000000 65535 f \n{table}trailer\n<< /Size 5 /Root 1 0 R {trailer} >>\n".encode()
    return body + b"startxref\n%d\n%%%%EOF\n" % at


def documents() -> Iterator[tuple[str, bytes]]:
    """Name → bytes; no name has the word."""
    w = WORD
    for ending, root in (
        ("nxml", "article"),
        ("docbook", "article"),
        ("fb2", "FictionBook"),
        ("opml", "opml"),
        ("rss", "rss"),
    ):
        yield f"entity.{ending}", f"<{root}><body><p>&{w};</p></body></{root}>".encode()
        yield f"tag.{ending}", f"<{root}><{w}><p>text</p></{root}>".encode()
        yield f"attribute.{ending}", f'<{root} {w}="1" {w}="2"><p {w}=3>x</p></{root}>'.encode()
        yield f"prefix.{ending}", f"<{root}><{w}:p>x</{w}:p></{root}>".encode()
        yield f"encoding.{ending}", f'<?xml version="1.0" encoding="{w}"?><{root}/>'.encode()
        yield f"doctype.{ending}", f'<!DOCTYPE {root} [<!ENTITY {w} "{w}">]><{root}>&{w};</{root}>'.encode()
    yield "broken.html", f'<html><{w} {w}="<<"><style>{w}{{</style><![{w}[x]]><table><td>{w}'.encode()
    yield "charset.html", f'<html><meta charset="{w}"><body><!{w} <p>&{w};'.encode()
    yield "only.json", f'{{"{w}": {w}, "{w}": [1, 2,]}}'.encode()
    yield "cut.json", f'{{"{w}": "{w}'.encode()
    yield "deep.json", (f'{{"{w}":' * 1100 + "1" + "}" * 1100).encode()
    yield "cells.ipynb", f'{{"nbformat": "{w}", "cells": "{w}", "metadata": {{"{w}": 1}}}}'.encode()
    yield (
        "odd.ipynb",
        f'{{"nbformat": 4, "nbformat_minor": 5, "metadata": {{}}, "cells": [{{"cell_type": "{w}"}}]}}'.encode(),
    )
    yield "nul.csv", f'a,b\n"{w}\n{w}\0,"{w}'.encode()
    yield "long.csv", ("a,b\n" + '"' + w * 20_000).encode()
    yield (
        "boundary.eml",
        f'From: a@b.c\nSubject: x\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="{w}"\n\n--{w}\n'.encode(),
    )
    yield (
        "charset.eml",
        (
            f"From: {w} <\nDate: {w}\nContent-Type: text/plain; charset={w}\nContent-Transfer-Encoding: {w}\n\n{w} \xff".encode(
                "latin-1"
            )
        ),
    )
    yield (
        "crypt.eml",
        f'From: a@b.c\nContent-Type: multipart/encrypted; protocol="application/{w}"; boundary=b\n\n--b--\n'.encode(),
    )
    yield "word.rtf", rf"{{\rtf1\{w} {{\fonttbl{{\f0 {w};}} {{\*\{w} \'zz \bin99999 {w}".encode()
    yield "env.tex", rf"\documentclass{{{w}}}\begin{{{w}}}\input{{{w}}}\{w}{{".encode()
    yield "role.rst", f".. {w}:: x\n   :{w}: y\n\n:{w}:`z` |{w}|_ [{w}]_\n\n====\n{w}\n==\n".encode()
    yield "block.org", f"#+BEGIN_{w}\n{w}\n#+INCLUDE: {w}\n".encode()
    yield "page.mediawiki", f"{{{{{w}|<{w}>|<ref name={w}/>\n{{| {w}".encode()
    yield "cue.vtt", f"WEBVTT {w}\n\n{w} --> {w}\n{w}\n\n00:00.000 --> {w}\nx\n".encode()
    yield "cue.srt", f"{w}\n00:00:00,000 --> {w}\nx".encode()
    for sample in ("staff-handbook.docx", "instruments.xlsx", "open-day.pptx", "pebble-guide.epub"):
        ending = Path(sample).suffix
        yield f"entity{ending}", package(sample, replace=(b"?>", f"?><{w}>&{w};".encode()))
        yield f"doctype{ending}", package(sample, replace=(b"?>", f'?><!DOCTYPE x [<!ENTITY {w} "{w}">]>'.encode()))
        yield f"target{ending}", package(sample, replace=(b'Target="', f'Target="{w}/'.encode()))
        yield f"content-type{ending}", package(sample, replace=(b"ContentType=", f'{w}="1" ContentType='.encode()))
        yield f"ids{ending}", package(sample, replace=(b'Id="rId', f'Id="{w}'.encode()))
        yield f"href{ending}", package(sample, replace=(b'href="', f'href="{w}'.encode()))
        yield f"closing{ending}", package(sample, replace=(b"</", f"</{w}".encode()))
        yield f"member{ending}", package(sample, rename="+")
        yield f"damaged{ending}", package(sample, cut="xml")
    yield "entity.odt", odt(f"<{w}>&{w};</{w}>")
    yield "namespace.odt", odt(f'<{w}:document xmlns:{w}="x"/>', extra={f"{w}/{w}.xml": w})
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as names:
        names.writestr(f"../{w}.txt", w)
        names.writestr(f"/{w}.txt", w)
    yield "outside.docx", made.getvalue()
    yield (
        "fields.pdf",
        pdf(page=f"/{w} ({w}) /Resources << /Font << /F1 << /Type /Font /Subtype /{w} /BaseFont /{w} >> >> >>"),
    )
    yield "filter.pdf", pdf(stream=f"BT /{w} 12 Tf ({w}) {w} ET BI /{w} ID {w}".encode())
    yield "encrypt.pdf", pdf(trailer=f"/Encrypt << /Filter /{w} /V 9 /R 9 /O ({w}) /U ({w}) /P -1 >> /ID [({w}) ({w})]")
    yield "places.pdf", pdf(skew=7, trailer=f"/Info << /Title ({w}) /{w} {w} >>")
    yield "root.pdf", f"%PDF-1.7\n1 0 obj\n<< /{w} {w} >>\nendobj\ntrailer << /Root {w} >>\n%%EOF".encode()
    yield "chunks.png", png(damaged=False)
    yield "data.png", png(damaged=True)
    yield "comment.gif", b"GIF89a\1\0\1\0\0\0\0!\xfe" + bytes([len(w)]) + w.encode() + b"\0;"
    yield "cut.jpg", b"\xff\xd8\xff\xfe\0" + bytes([len(w) + 2]) + w.encode() + b"\xff\xc0\0\x0b\x08"
    yield "old.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + w.encode("utf-16-le") * 200
    yield "old.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + w.encode() * 400
    yield "mail.msg", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + w.encode() * 300


DOCUMENTS = dict(documents())


class Records(logging.Handler):
    """Every record of every logger that reaches the root, formatted as a host would."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.lines: list[str] = []
        self.setFormatter(logging.Formatter("%(name)s %(message)s"))

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(self.format(record))


@pytest.fixture
def records() -> Iterator[Records]:
    root, handler = logging.getLogger(), Records()
    before = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    yield handler
    root.setLevel(before)
    root.removeHandler(handler)


def told(result: IngestionResult) -> str:
    """What a result says of the work; not what it gives of the document."""
    left_out = {"metadata", "chunk_manifest", "page_anchor_map", "classification", "attachments"}
    return result.model_dump_json(exclude=left_out)


@pytest.fixture(scope="module")
def runtime() -> Iterator[Runtime]:
    with Runtime(Settings(workers=2)) as made:
        yield made


@pytest.mark.parametrize("name", DOCUMENTS)
def test_no_engine_says_a_documents_words(runtime: Runtime, records: Records, name: str) -> None:
    """ENG-27: each converter that claims the type, and the one that routing chooses."""
    ending = Path(name).suffix
    plugins = [plugin.name for plugin in runtime.catalogue if ending in plugin.manifest.extensions]
    for plugin in (None, *plugins):
        result = octavo.convert(DOCUMENTS[name], name=name, plugin=plugin, timeout=60, runtime=runtime).result
        assert WORD not in told(result), f"{plugin}: {told(result)}"
        for receipt in result.failure_receipts:
            assert receipt.details.strip(" …"), "something useful is left"
    assert not [line for line in records.lines if WORD in line]


def leaks_in_files(folder: Path) -> list[str]:
    found = []
    for path in folder.rglob("*"):
        if (
            not path.is_file()
            or path.name in CONTENT
            or path.name.startswith("index.")
            or {"originals", "ocr"} & set(path.parts)
        ):
            continue
        if WORD.encode() in path.read_bytes():
            found.append(str(path.relative_to(folder)))
    return found


def leaks_in_index(database: Path) -> list[str]:
    found = []
    with closing(sqlite3.connect(database)) as connection:
        tables = [row[0] for row in connection.execute("select name from sqlite_master where type = 'table'")]
        for table in tables:
            cursor = connection.execute(f'select * from "{table}"')
            columns = [column[0] for column in cursor.description]
            for row in cursor:
                found += [f"{table}.{column}" for column, cell in zip(columns, row, strict=True) if WORD in str(cell)]
    return sorted(set(found))


def test_a_library_keeps_a_documents_words_where_content_is_kept(tmp_path: Path, records: Records) -> None:
    """Everything that a library writes of its work: files, tables, logs; after ingest, reconvert, entities, extract, digest."""
    folder = tmp_path / "documents"
    folder.mkdir()
    for name, data in DOCUMENTS.items():
        (folder / name).write_bytes(data)
    home = tmp_path / "library"
    with Library.open(home) as library:
        done = list(library.ingest_many(sorted(folder.iterdir())))
        assert len(done) == len(DOCUMENTS)
        assert {one.result.ingestion_status for one in done} > {"hard_failed"}, "some are read, and some are not"
        said = [str(error) for document in library.documents() for error in errors_of_all_else(library, document)]
    assert not [text for text in said if WORD in text]
    assert leaks_in_files(home) == []
    assert set(leaks_in_index(home / "index.sqlite")) <= CONTENT_COLUMNS
    assert not [line for line in records.lines if WORD in line]


def errors_of_all_else(library: Library, document: Document) -> Iterator[OctavoError]:
    """Do with a document what can be done with it; whatever else than a typed error is raised fails the test."""
    schema = {"type": "object", "properties": {"total": {"type": "number"}}}
    actions: list[Callable[[], object]] = [lambda: document.reconvert(timeout=60)]
    if document.active_version is not None:
        actions += [
            lambda: library.entities.extract(document.id, labels=["person"]),
            lambda: extract(library, document.id, schema),
            lambda: digest_document(library, document, query="what is it about?"),
        ]
    for action in actions:
        try:
            action()
        except OctavoError as error:
            yield error


def test_the_command_line_does_not_print_them_unless_asked(tmp_path: Path) -> None:
    path = tmp_path / "x.nxml"
    path.write_bytes(DOCUMENTS["entity.nxml"])

    def convert(*options: str) -> str:
        command = [sys.executable, "-m", "octavo", "convert", str(path), *options]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
        return done.stdout + done.stderr

    plain, debug = convert(), convert("--debug")
    assert WORD not in plain
    assert "source_corrupt" in plain
    assert WORD in debug, "a developer who asks gets the engine's own words"


HOST = """
import logging.config, pathlib, sys
import octavo
octavo.convert(b"the first use makes every logger", name="first.txt")
logging.config.dictConfig({
    "version": 1, "disable_existing_loggers": False,
    "handlers": {"all": {"class": "logging.StreamHandler"}},
    "loggers": {"octavo": {"level": "DEBUG", "handlers": ["all"]}},
    "root": {"level": "DEBUG", "handlers": ["all"]},
})
print(octavo.convert(pathlib.Path(sys.argv[1])).result.ingestion_status)
"""


def test_a_host_that_wants_to_see_octavo_does_not_see_them(tmp_path: Path) -> None:
    """ENG-27: `dictConfig` of the logger `octavo` makes its children propagate; an inherited level is no request."""
    path = tmp_path / "x.nxml"
    path.write_bytes(DOCUMENTS["entity.nxml"])
    done = subprocess.run(
        [sys.executable, "-c", HOST, str(path)], capture_output=True, text=True, check=True, timeout=120
    )
    assert WORD not in done.stdout + done.stderr


def test_what_a_command_shows_ends_with_the_command(tmp_path: Path, records: Records) -> None:
    """A program that runs `octavo --debug` inside itself keeps its own logging."""
    path = tmp_path / "x.nxml"
    path.write_bytes(DOCUMENTS["entity.nxml"])
    logger = logging.getLogger("octavo.unredacted")
    before = (logger.level, logger.propagate, list(logger.handlers))
    shown = CliRunner().invoke(cli, ["convert", str(path), "--debug"])
    assert WORD in shown.output
    assert (logger.level, logger.propagate, list(logger.handlers)) == before
