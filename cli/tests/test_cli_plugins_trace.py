"""`octavo plugins trace` shows every call of a plugin for one document."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from octavo_cli import main
from octavo_conformance.plugin_folder import TEXT_CONVERTER
from octavo_contracts import ExitCode

SORTER = """
from octavo_contracts import Category, DocumentClassification, RoutingType, hookimpl
@hookimpl
def classify(source):
    return DocumentClassification(
        category=Category.PLAINTEXT, document_type="manual", routing_type=RoutingType.PLAIN_TEXT,
        classification_confidence=0.8,
    )
"""
QUIET = "from octavo_contracts import hookimpl\n@hookimpl\ndef classify(source):\n    return None\n"
JUDGE = """
from octavo_contracts import QualityAssessment, QualityFinding, hookimpl
@hookimpl
def score_quality(conversion, evidence):
    found = QualityFinding(flag="low_text_yield", message="few words")
    return QualityAssessment(quality_score=0.4, findings=(found,))
"""
FAILS = """
from octavo_contracts import SourceCorrupt, hookimpl
@hookimpl
def convert(source):
    raise SourceCorrupt("it ends too soon")
"""


@pytest.fixture
def note(tmp_path: Path, make_plugin: Callable[..., Any]) -> Path:
    make_plugin("quiet", QUIET, hooks=["classify"], priority=99)
    make_plugin("sorter", SORTER, hooks=["classify"], priority=98)
    make_plugin("judge", JUDGE, hooks=["score_quality"], media_types=[])
    path = tmp_path / "note.txt"
    path.write_text("The gauge is read at dawn, and the secretword is written down.")
    return path


def test_each_call_is_shown_with_its_answer(note: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plugins", "trace", str(note), "--with", "plaintext", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [(call["hook"], call["plugin"], call["outcome"], call["answer"]) for call in told["calls"]] == [
        ("classify", "quiet", "ok", "no opinion"),
        ("classify", "sorter", "ok", "manual, plain_text, confidence 0.80"),
        ("convert", "plaintext", "ok", "1 page, 62 characters"),
        ("score_quality", "judge", "ok", "score 0.40 [low_text_yield]"),
    ]
    assert all(call["milliseconds"] > 0 for call in told["calls"])
    assert (told["selected_tool"], told["routing_type"]) == ("plaintext", "plain_text")
    assert (told["media_type"], told["claimed_by"]) == ("text/plain", None)


def test_the_table_has_no_word_of_the_document(note: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plugins", "trace", str(note), "--with", "plaintext"]) == 0
    shown = capsys.readouterr().out
    assert "secretword" not in shown
    rows = [line.split() for line in shown.splitlines()]
    assert [row[2] for row in rows if row and row[0].isdigit()] == ["quiet", "sorter", "plaintext", "judge"]
    assert shown.splitlines()[-1].startswith("degraded_complete: text/plain, routed as plain_text; plaintext: ")


def test_a_failure_is_shown_with_its_reason(
    note: Path, make_plugin: Callable[..., Any], capsys: pytest.CaptureFixture[str]
) -> None:
    make_plugin("fails", FAILS)
    code = main(["plugins", "trace", str(note), "--with", "fails", "--json"])
    (failed,) = [call for call in json.loads(capsys.readouterr().out)["calls"] if call["hook"] == "convert"]
    assert (failed["plugin"], failed["outcome"], failed["reason"]) == ("fails", "failed", "source_corrupt")
    assert code == ExitCode.HARD_FAILURES


def test_a_format_of_a_plugins_own_is_named_with_the_plugin(
    tmp_path: Path, make_plugin: Callable[..., Any], capsys: pytest.CaptureFixture[str]
) -> None:
    """CLS-8."""
    more = '\n[[plugin.formats]]\nmedia_type = "application/x-tides"\nwithin = "xml"\nroot = "tides"\n'
    make_plugin("tides", TEXT_CONVERTER, media_types=["application/x-tides"], more=more)
    path = tmp_path / "november.xml"
    path.write_text('<?xml version="1.0"?><tides>1.24</tides>')
    assert main(["plugins", "trace", str(path), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["media_type"], told["claimed_by"]) == ("application/x-tides", "tides")
    assert main(["plugins", "trace", str(path)]) == 0
    assert "complete: application/x-tides, a format of tides, routed as" in capsys.readouterr().out


def test_plugins_alone_still_lists_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plugins", "--no-check", "--json"]) == 0
    assert {plugin["name"] for plugin in json.loads(capsys.readouterr().out)["plugins"]} >= {"plaintext", "pdfium"}
    assert main(["plugins", "trace", "absent.txt"]) == 2
    assert "absent.txt" in capsys.readouterr().err
