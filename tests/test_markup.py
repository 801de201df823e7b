"""Markup files as a user has them: told apart, routed to the engine that follows them, kept from the files beside them."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from importlib.util import find_spec

import octavo
import pytest
from octavo.runtime import Runtime
from octavo.settings.settings import Settings

pytestmark = pytest.mark.skipif(
    shutil.which("pandoc") is None or find_spec("octavo_pandoc") is None,
    reason="octavo-pandoc is not installed with its program",
)

WRITTEN = {
    "tides.rst": "Tides\n=====\n\nWater *goes*.\n",
    "tides.org": "#+TITLE: Tides\n\nWater /goes/.\n",
    "tides.tex": "\\documentclass{article}\\title{Tides}\\begin{document}\\maketitle Water \\emph{goes}.\\end{document}\n",
    "tides.mediawiki": "= Tides =\nWater ''goes''.\n",
    "tides.dbk": "<article><title>Tides</title><para>Water <emphasis>goes</emphasis>.</para></article>\n",
    "tides.fb2": '<FictionBook xmlns="http://www.gribuser.ru/xml/fictionbook/2.0"><body><title><p>Tides</p></title>'
    "<section><p>Water <emphasis>goes</emphasis>.</p></section></body></FictionBook>\n",
    "tides.opml": '<opml version="2.0"><head><title>Tides</title></head><body><outline text="&lt;em&gt;Water&lt;/em&gt; goes."/>'
    "</body></opml>\n",
}


@pytest.fixture(scope="module")
def runtime() -> Iterator[Runtime]:
    with Runtime(Settings(workers=1)) as made:
        yield made


@pytest.mark.parametrize("name", WRITTEN)
def test_markup_is_read_by_the_engine_that_follows_it(name, runtime, tmp_path):
    """CNV-5."""
    path = tmp_path / name
    path.write_text(WRITTEN[name])
    made = octavo.convert(path, runtime=runtime)
    assert made.result.quality_report.selected_tool == "pandoc"
    assert made.text.split()[:3] == ["Tides", "Water", "goes."]
    assert made.markdown.startswith("# Tides")
    assert made.result.quality_report.user_visible_status == "ok"


def test_latex_in_the_sandbox_opens_no_file_beside_it(runtime, tmp_path):
    """CNV-17: the worker may read neither the folder of the document nor anything it names."""
    (tmp_path / "secret.tex").write_text("The password is herring.")
    path = tmp_path / "paper.tex"
    named = ("secret", "secret.tex", str(tmp_path / "secret.tex"), "/etc/passwd")
    inputs = "".join(f"\\input{{{one}}}\n\n\\include{{{one}}}\n\n" for one in named)
    path.write_text(f"\\documentclass{{article}}\\begin{{document}}Before\n\n{inputs}After\\end{{document}}")
    made = octavo.convert(path, runtime=runtime)
    assert made.result.quality_report.selected_tool == "pandoc"
    assert made.text.split() == ["Before", "After"]
    (finding,) = made.result.quality_report.findings
    assert finding.flag == "partial_conversion"
    assert "are not opened" in finding.message
    assert "secret.tex" not in finding.message, "its name is the document's word"


def test_markup_that_its_engine_gives_up_is_read_as_it_was_written(runtime, tmp_path):
    path = tmp_path / "fog.rst"
    path.write_text("Fog\n===\n\n.. csv-table:: Days\n   :file: days.csv\n")
    made = octavo.convert(path, runtime=runtime)
    assert made.result.quality_report.selected_tool == "plaintext"
    assert ":file: days.csv" in made.text
    assert [one.tool for one in made.result.quality_report.fallback_attempts] == ["pandoc"]


@pytest.mark.parametrize("name", ["a.fb2", "a.opml", "a.dbk"])
def test_xml_that_declares_entities_is_refused_before_any_engine(name, runtime, tmp_path):
    root = {"a.fb2": "FictionBook", "a.opml": "opml", "a.dbk": "article"}[name]
    path = tmp_path / name
    path.write_text(f'<!DOCTYPE {root} [<!ENTITY e SYSTEM "file:///etc/passwd">]><{root}><title>&e;</title></{root}>')
    result = octavo.convert(path, runtime=runtime).result
    (receipt,) = result.failure_receipts
    assert receipt.reason_code == "source_corrupt"
    assert "entities" in receipt.details
    assert result.attempts == ()
