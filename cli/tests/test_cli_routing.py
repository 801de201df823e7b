"""`octavo compare` and `octavo routing`: what they print, their JSON, and what they refuse (CNV-4)."""

from __future__ import annotations

import pytest

HEAD = "from octavo_contracts import *\n@hookimpl\ndef convert(source, request, context):\n    text = source.read_bytes().decode()\n"
MARKED = HEAD + "    return Conversion(pages=(Page(number=1, kind='whole', markdown=text),), paginated=False)\n"
FLAT = HEAD + (
    "    text = text.replace('#', '').replace('tide', 'wind')\n"
    "    return Conversion(pages=(Page(number=1, kind='whole', markdown=text),), paginated=False)\n"
)
PROFILE = """\
name = "tested"
description = "For the tests."
[routes]
plain_text = ["marked", "gliner"]
[sampling]
documents = 1
[sampling.pairs]
plain_text = ["marked", "flat"]
"""
METRIC_KEYS = {"a", "b", "difference", "diverges"}


@pytest.fixture
def note(make_plugin, tmp_path, octavo):
    """A note, two plugins that read it, and a profile that compares them; the working folder is theirs."""
    make_plugin("marked", MARKED, priority=90)
    make_plugin("flat", FLAT, priority=10)
    (tmp_path / "tested.toml").write_text(PROFILE)
    path = tmp_path / "note.txt"
    path.write_text("# One\n\nThe tide turned at noon.\n\n# Two\n\nThe end.\n")
    return path


def test_a_file_that_is_in_no_library_is_compared(octavo, note):
    shown = octavo("compare", note, "--with", "marked", "--with", "flat")
    assert (shown.code, shown.stderr) == (0, "")
    lines = shown.out.splitlines()
    assert lines[0] == "note.txt: plain_text"
    assert [line.split() for line in lines if line.startswith("Headings")] == [
        ["Headings", "2", "0", "100%", "more", "than", "25%"]
    ]
    assert "Page anchors        –      –            –" in shown.out
    assert any(
        line.split() == ["The", "tide", "turned", "at", "noon.", "The", "wind", "turned", "at", "noon."]
        for line in lines
    )
    assert "… 1 equal line" in shown.out


def test_lines_that_were_not_compared_are_told(octavo, note):
    note.write_text("".join(f"line {number}\n\n" for number in range(2001)))
    shown = octavo("compare", note, "--with", "marked", "--with", "flat")
    assert "… 2000 equal lines" in shown.out
    assert shown.out.splitlines()[-1].startswith("… 1 more line follows that was not compared: the page is too long")


def test_the_json_of_a_comparison_has_the_documented_keys(octavo, note):
    found = octavo("compare", note, "--with", "marked", "--with", "flat", "--json").json
    assert list(found) == [
        "name", "document_id", "routing_type", "threshold", "metrics", "diverging", "agreement", "pages", "a", "b",
    ]  # fmt: skip
    assert (found["name"], found["document_id"], found["routing_type"]) == ("note.txt", None, "plain_text")
    assert list(found["metrics"]) == ["text_yield", "tables", "headings", "page_anchors"]
    assert all(set(metric) == METRIC_KEYS for metric in found["metrics"].values())
    assert found["diverging"] == ["headings"]
    assert 0 < found["agreement"] < 1
    assert {"tool", "engine_version", "version", "quality_score", "markdown"} == set(found["a"]) == set(found["b"])
    assert found["a"]["markdown"] == ["# One\n\nThe tide turned at noon.\n\n# Two\n\nThe end.\n"]


def test_a_document_of_the_library_is_compared_by_what_is_stored(octavo, note):
    octavo("ingest", note, "--with", "marked")
    found = octavo("compare", note, "--with", "marked", "--with", "flat", "--json").json
    assert (found["a"]["version"], found["b"]["version"]) == (1, None)
    by_id = octavo("compare", found["document_id"][:8], "--with", "flat", "--with", "marked", "--json").json
    assert (by_id["a"], by_id["b"]) == (found["b"], found["a"])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--with", "marked"), "two different plugins needed, got marked"),
        (("--with", "marked", "--with", "marked"), "two different plugins needed"),
        (("--with", "marked", "--with", "flt"), "no plugin named 'flt'; did you mean flat?"),
        (("--with", "marked", "--with", "flat", "--page", "2"), "there is no page 2; the document has 1"),
    ],
)
def test_what_can_not_be_compared_is_refused(octavo, note, words, said):
    refused = octavo("compare", note, *words)
    assert refused.code == 2
    assert said in refused.stderr


def test_a_name_that_is_no_document_and_no_file_is_refused(octavo, note):
    octavo("ingest", note)
    refused = octavo("compare", "nowhere.txt", "--with", "marked", "--with", "flat")
    assert (refused.code, "no document matches 'nowhere.txt'" in refused.stderr) == (2, True)


def test_a_rule_is_shown_reviewed_decided_on_and_taken_back(octavo, note):
    octavo("ingest", note, "--profile", "tested.toml")
    assert octavo("routing", "review", "--profile", "tested.toml").out == (
        "No rules need a review.\n\n1 document still to be compared. Run: octavo routing sample\n"
    )
    assert octavo("routing", "sample", "--profile", "tested.toml").out == (
        "plain_text: 1 document compared, 1 differs too much\n\nNext: octavo routing review\n"
    )
    assert octavo("routing", "sample", "--profile", "tested.toml").out.startswith("No documents were compared.\n")

    shown = octavo("routing", "show", "--profile", "tested.toml")
    assert "plain_text" in shown.out
    assert "marked, (gliner)" in shown.out
    assert "Sampling: 1 of the first 1 documents also converted by a second plugin, " in shown.out

    asked = octavo("routing", "review", "--profile", "tested.toml")
    assert asked.out.startswith("plain_text: 1 of 1 comparisons differs too much\n")
    assert "2 / 0 !" in asked.out

    words = ("--profile", "tested.toml", "--by", "jane", "--note", "no marks", "--json")
    rule = octavo("routing", "review", "plain_text", "--prefer", "flat", *words).json["rules"][0]
    assert list(rule) == ["routing_type", "plugins", "verdict", "to_review", "comparisons", "history"]
    assert [plugin["name"] for plugin in rule["plugins"]] == ["flat", "marked", "gliner"]
    assert rule["plugins"][2]["lacking"] == "not installed"
    assert rule["to_review"] == []
    assert list(rule["verdict"]) == ["verdict_id", "action", "tool", "by", "at", "note"]
    assert (rule["verdict"]["tool"], rule["verdict"]["by"], rule["verdict"]["note"]) == ("flat", "jane", "no marks")
    (comparison,) = rule["comparisons"]
    assert (comparison["counted"], comparison["diverges"], comparison["failure"]) == (True, True, None)
    assert octavo("routing", "review", "--profile", "tested.toml").out == "No rules need a review.\n"
    assert "flat first, by jane, " in octavo("routing", "show", "--profile", "tested.toml").out

    undone = octavo("routing", "undo", "plain_text", "--profile", "tested.toml")
    assert undone.out == (
        "plain_text: no verdict in force; the profile's own order applies\n1 comparison needs a review.\n"
    )
    kept = octavo("routing", "review", "plain_text", "--keep", "--profile", "tested.toml")
    assert kept.out.startswith("plain_text: kept as it is, by user, ")
    state = octavo("routing", "show", "--profile", "tested.toml", "--json").json
    assert list(state) == ["profile", "description", "sampling", "rules"]
    assert list(state["sampling"]) == ["documents", "counted", "waiting", "seconds", "threshold", "drift"]
    assert [entry["action"] for entry in state["rules"][0]["history"]] == ["prefer", "undo", "keep"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("review", "--prefer", "flat"), "give a RULE"),
        (("review", "plain_text"), "give --prefer PLUGIN or --keep"),
        (("review", "plain_text", "--keep", "--prefer", "flat"), "give --prefer PLUGIN or --keep"),
        (("review", "html", "--keep"), "profile tested has no rule for 'html'"),
        (("undo", "plain_text"), "rule plain_text of profile tested has no decision to undo"),
    ],
)
def test_a_verdict_that_makes_no_sense_is_refused(octavo, note, words, said):
    octavo("ingest", note, "--profile", "tested.toml")
    refused = octavo("routing", *words, "--profile", "tested.toml")
    assert refused.code == 2
    assert said in refused.stderr


def test_a_profile_without_sampling_says_so(octavo, note):
    octavo("ingest", note)
    assert "Sampling: off in this profile." in octavo("routing", "show", "--profile", "fast").out
