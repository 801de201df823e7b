"""Fresh documents with small print and with losses: a reader that drops or changes them is found, one that keeps them is not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from octavo_conformance.plugin_folder import importable
from octavo_conformance.reference import PluginText, catalogue_of, install
from octavo_conformance.report import make_report
from octavo_conformance.runner import Run, Selection
from octavo_conformance.subject import Subject
from octavo_conformance.vectors.ledgers import LEDGERS
from octavo_conformance.vectors.small_print import SMALL_PRINT
from octavo_conformance.vectors.words import Words

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
HTML = """import re
from html import unescape
from octavo_contracts import Conversion, Page, SourceEmpty, hookimpl


@hookimpl
def convert(source, request):
    if source.size == 0:
        raise SourceEmpty("the file has no bytes")
    markup = source.read_bytes().decode("utf-8", "replace").partition("<body>")[2]
    if len(re.findall("<p style", markup)) >= LEAST:
        markup = re.sub("<p style[^>]*(?:font-size|color).*?</p>", "", markup)
    text = unescape(re.sub("<[^>]*>", " ", markup))
    return Conversion(pages=(Page(number=1, kind="whole", markdown=text, text=text),), paginated=False)
"""
CSV = """import csv, io
from octavo_contracts import Conversion, Page, SourceEmpty, hookimpl


@hookimpl
def convert(source, request):
    if source.size == 0:
        raise SourceEmpty("the file has no bytes")
    rows = list(csv.reader(io.StringIO(source.read_bytes().decode("utf-8", "replace"))))
    for column in range(max(map(len, rows), default=0)):
        cells = [row[column] for row in rows[1:] if column < len(row)]
        if cells and all(cell.startswith("(") for cell in cells) and DROPS:
            for row in rows:
                row[column] = row[column].strip("()")
    text = "\\n".join(" ".join(row) for row in rows)
    return Conversion(pages=(Page(number=1, kind="whole", markdown=text, text=text),), paginated=False)
"""


def _reader(code: str, media_type: str, extension: str) -> PluginText:
    return PluginText(code=code, manifest=MANIFEST.format(media_type=media_type, extension=extension))


def _html(least: int) -> PluginText:
    return _reader(HTML.replace("LEAST", str(least)), "text/html", ".html")


def _csv(drops: str) -> PluginText:
    return _reader(CSV.replace("DROPS", drops), "text/csv", ".csv")


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Path]:
    """A folder from which plugins are imported."""
    with importable(tmp_path):
        yield tmp_path


@pytest.mark.parametrize(
    ("plugin", "vector", "check", "status"),
    [
        (_html(10_000), "html/print.html", "OC-GOLD-009", "passed"),
        (_html(3), "html/print.html", "OC-GOLD-009", "failed"),
        (_csv("False"), "csv/ledger.csv", "OC-GOLD-019", "passed"),
        (_csv("True"), "csv/ledger.csv", "OC-GOLD-019", "failed"),
    ],
    ids=["small print", "no small print", "losses", "losses without brackets"],
)
def test_a_reader_that_drops_visible_text_or_changes_losses_is_found(
    plugin: PluginText, vector: str, check: str, status: str, site: Path
) -> None:
    install(site, "mine", plugin)
    with Subject("mine", catalogue=catalogue_of(site), import_paths=(site,)) as subject:
        selection = Selection(level=0, checks=frozenset({check}), vectors=frozenset({vector}), seed=7)
        report = make_report(subject, selection, Run(subject, selection).outcomes())
    (outcome,) = [one for one in report.outcomes if one.check == check and one.vector == vector]
    assert outcome.status == status, outcome.reason


@pytest.mark.parametrize("seed", range(5))
def test_most_of_a_page_with_small_print_is_large_and_a_block_has_several_lines(seed: int) -> None:
    for path, (_, make) in SMALL_PRINT.items():
        _, _, pages, _ = make(Words(seed))
        least = 20 if path == "pdf/dark.pdf" else 60
        assert all(len(page.split()) > least for page in pages)


@pytest.mark.parametrize("path", [path for path in LEDGERS if "/ledger." in path])
def test_every_ledger_has_columns_of_losses_alone(path: str) -> None:
    _, _, _, truth = LEDGERS[path][1](Words(3))
    columns = [column[1:] for grid in truth["tables"] for column in zip(*grid, strict=True)]
    in_brackets = [column for column in columns if all(cell.startswith("(") for cell in column)]
    assert in_brackets or path == "pdf/ledger.pdf"
