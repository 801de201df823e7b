"""The service `summariser`, by name: a plugin's words in place of the quoted ones (INT-1)."""

import json
import sys

import pytest
from octavo_cli import main

MANIFEST = """\
[plugin]
name = "terse"
contract = "1.0"
description = "A summariser of the tests."
[plugin.engine]
licence = "MIT"
[plugin.services]
summariser = "octavo_terse.plugin:make"
"""
CODE = """\
from octavo_contracts import Summary

class Terse:
    def summarise(self, text, *, query=None, max_chars=2000):
        {body}

def make():
    return Terse()
"""
GOOD = "return Summary(text=f'{len(text.split())} words.', key_points=('It is short.',), method='terse/1')"


@pytest.fixture
def brief(make_plugin, tmp_path, monkeypatch, capfd):
    """Ingests a note, makes a summariser, and asks for a brief: the exit code, the output and the messages."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "octavo_terse.plugin", raising=False)  # of the test before
    (tmp_path / "note.txt").write_text("High water is at 16:33.")

    def ask(*words, body=GOOD):
        make_plugin("terse", CODE.format(body=body), manifest=MANIFEST)
        main(["ingest", "note.txt"])
        capfd.readouterr()
        code = main(["brief", "note.txt", "--json", *words])
        return code, *capfd.readouterr()

    return ask


def test_a_plugin_writes_the_summary_where_it_is_named(brief):
    code, out, _ = brief("--summariser", "terse")
    told = json.loads(out)
    assert (code, told["summary"]["text"], told["summary"]["method"]) == (0, "5 words.", "terse/1")


def test_without_a_name_every_word_is_quoted(brief):
    code, out, _ = brief()
    assert (code, json.loads(out)["summary"]["method"]) == (0, "extractive")


def test_a_name_that_offers_none_is_refused(brief):
    code, out, said = brief("--summariser", "nobody")
    assert (code, out) == (2, "")
    assert "no plugin named 'nobody' offers a summariser; available: digest, terse" in said


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("raise ValueError('no')", "terse: summariser raised ValueError"),
        ("return 'a summary'", "the summariser returned a str; expected Summary"),
        ("return Summary(text='x' * 9000)", "the summariser returned 9000 characters"),
    ],
)
def test_a_failure_is_the_plugins(brief, body, message):
    code, out, said = brief("--summariser", "terse", body=body)
    assert code != 0
    assert out == ""
    assert message in said
