"""Fresh documents with what editing leaves behind: a reader that overlooks one such part is found, one that reads all of them is not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from octavo_conformance.plugin_folder import importable
from octavo_conformance.reference import PluginText, catalogue_of, install
from octavo_conformance.report import make_report
from octavo_conformance.runner import Run, Selection
from octavo_conformance.subject import Subject

MANIFEST = """[plugin]
name = "{{name}}"
contract = "1.0"
description = "Reads a format with a few lines."
hooks = ["convert"]
media_types = ["{media_type}"]
extensions = ["{extension}"]

[plugin.engine]
licence = "Apache-2.0"
"""
HEAD = """import io, json, re, zipfile
from octavo_contracts import Conversion, Page, SourceCorrupt, SourceEmpty, hookimpl


@hookimpl
def convert(source, request):
    if source.size == 0:
        raise SourceEmpty("the file has no bytes")
"""
JSON = (
    HEAD
    + r"""    text = json.dumps(json.loads(source.read_bytes(), parse_float=PARSE, parse_int=PARSE), ensure_ascii=False)
    text = re.sub('"#([^"]*)"', r"\1", text)
    return Conversion(pages=(Page(number=1, kind="whole", markdown=text, text=text),), paginated=False)
"""
)
DOCX = (
    HEAD
    + r"""    archive = zipfile.ZipFile(io.BytesIO(source.read_bytes()))
    body = archive.read("word/document.xml").decode()
    body = re.sub(r"<w:(DROPPED)[ >].*?</w:\1>", "", body)
    notes = {}
    if "word/footnotes.xml" in archive.namelist():
        found = re.findall(r'<w:footnote w:id="(\d+)">(.*?)</w:footnote>', archive.read("word/footnotes.xml").decode())
        notes = {number: " ".join(re.findall("<w:t[^>]*>([^<]*)<", text)).strip() for number, text in found}
    marks = re.findall(r'footnoteReference w:id="(\d+)"', body)
    lines = ["".join(re.findall("<w:(?:t|delText)(?: [^>]*)?>([^<]*)<", part)) for part in body.split("</w:p>")]
    lines += [notes[mark] for mark in ORDER]
    text = "\n\n".join(line for line in lines if line)
    return Conversion(pages=(Page(number=1, kind="whole", markdown=text, text=text),), paginated=False)
"""
)
WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


def _text(code: str, media_type: str, extension: str) -> PluginText:
    return PluginText(code=code, manifest=MANIFEST.format(media_type=media_type, extension=extension))


def _json(number: str) -> PluginText:
    return _text(JSON.replace("PARSE", number), "application/json", ".json")


def _docx(*, dropped: str = "del|moveFrom", order: str = "marks") -> PluginText:
    return _text(DOCX.replace("DROPPED", dropped).replace("ORDER", order), WORD, ".docx")


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Path]:
    """A folder from which plugins are imported."""
    with importable(tmp_path):
        yield tmp_path


@pytest.mark.parametrize(
    ("plugin", "vector", "check", "status"),
    [
        (_json('lambda digits: "#" + digits'), "json/numbers.json", "OC-GOLD-019", "passed"),
        (_json("float"), "json/numbers.json", "OC-GOLD-009", "failed"),
        (_docx(), "docx/edited.docx", "OC-GOLD-023", "passed"),
        (_docx(dropped="del|moveFrom|moveTo"), "docx/edited.docx", "OC-GOLD-009", "failed"),
        (_docx(dropped="moveFrom"), "docx/edited.docx", "OC-GOLD-009", "failed"),
        (_docx(order="sorted(notes)"), "docx/edited.docx", "OC-GOLD-023", "failed"),
    ],
    ids=[
        "digits",
        "floats",
        "as it is now",
        "without moved text",
        "with deleted text",
        "notes in the order of their ids",
    ],
)
def test_a_reader_that_overlooks_what_editing_leaves_is_found(
    plugin: PluginText, vector: str, check: str, status: str, site: Path
) -> None:
    """Of two readers of a few lines that differ in one of them, the one that keeps all of the document passes."""
    install(site, "mine", plugin)
    with Subject("mine", catalogue=catalogue_of(site), import_paths=(site,)) as subject:
        selection = Selection(level=0, checks=frozenset({check}), vectors=frozenset({vector}), seed=7)
        report = make_report(subject, selection, Run(subject, selection).outcomes())
    (outcome,) = [one for one in report.outcomes if one.check == check and one.vector == vector]
    assert outcome.status == status, outcome.reason
