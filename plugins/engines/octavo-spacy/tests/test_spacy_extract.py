"""Entities by spaCy: real model, real texts, spans in code points."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from octavo_contracts import EntityObservation, EntityRequest, HookContext, ToolUnavailable
from octavo_spacy import plugin
from octavo_spacy.labels import asked_types
from octavo_spacy.windows import windows

TEXT = "🚀 In March 2021 Angela Merkel visited Paris. Microsoft Corporation paid $5 million."


@pytest.fixture
def find(context: HookContext):
    def run(text: str, **request) -> tuple[EntityObservation, ...]:
        return plugin.extract_entities(text, EntityRequest(**request), context)

    return run


def brief(found: tuple[EntityObservation, ...]) -> list[tuple[str, str]]:
    return [(one.label, one.text) for one in found]


def test_people_organisations_places_and_dates_are_found_at_their_spans(find) -> None:
    found = find(TEXT)
    assert brief(found) == [
        ("date", "March 2021"),
        ("person", "Angela Merkel"),
        ("location", "Paris"),
        ("organization", "Microsoft Corporation"),
    ]
    assert all(TEXT[one.start : one.end] == one.text for one in found)


def test_only_labels_that_were_asked_for_come_and_under_their_own_word(find) -> None:
    assert brief(find(TEXT, labels=("company", "money"))) == [
        ("company", "Microsoft Corporation"),
        ("money", "$5 million"),
    ]
    assert find(TEXT, labels=("colour",)) == ()


def test_confidence_is_the_measured_precision_of_the_type(find) -> None:
    by_label = {one.label: one.confidence for one in find(TEXT)}
    assert all(0.5 < confidence < 1 for confidence in by_label.values())
    bar = by_label["person"] + 0.0001
    assert "person" not in {one.label for one in find(TEXT, threshold=bar)}


def test_a_long_text_is_read_in_pieces_without_losing_its_offsets(find) -> None:
    text = ("Angela Merkel visited Paris.\n\n" * 5000).strip()
    found = find(text, labels=("person",))
    assert len(text) > 2 * 50_000
    assert len(found) > 4000
    assert all(text[one.start : one.end] == one.text for one in found)


@pytest.mark.parametrize(
    ("text", "size", "pieces"),
    [
        ("", 10, []),
        ("abc", 10, [(0, "abc")]),
        ("aaa bbb\n\nccc ddd", 12, [(0, "aaa bbb\n\n"), (9, "ccc ddd")]),
        ("aaa bbb\nccc ddd", 12, [(0, "aaa bbb\n"), (8, "ccc ddd")]),
        ("aaaa bbbb cccc", 11, [(0, "aaaa bbbb "), (10, "cccc")]),
        ("a" * 25, 10, [(0, "a" * 10), (10, "a" * 10), (20, "a" * 5)]),
    ],
)
def test_pieces_end_where_no_name_stands_across(text: str, size: int, pieces: list[tuple[int, str]]) -> None:
    assert list(windows(text, size=size)) == pieces


def test_a_label_claims_its_types_once() -> None:
    assert asked_types(("country", "location")) == {"GPE": "country", "LOC": "location", "FAC": "location"}
    assert asked_types(("Work_of_Art", "unheard")) == {"WORK_OF_ART": "Work_of_Art"}


def test_a_model_that_is_not_there_is_a_missing_tool(find, tmp_path: Path) -> None:
    with pytest.raises(ToolUnavailable, match="no_such_model") as caught:
        find(TEXT, options={"model": "no_such_model"})
    assert caught.value.remedy
    with pytest.raises(ToolUnavailable, match="cannot be loaded"):
        find(TEXT, options={"model": str(tmp_path)})


def test_a_model_in_a_folder_is_read(find, tmp_path: Path) -> None:
    from octavo_spacy.model import DEFAULT_MODEL, load_model

    load_model(DEFAULT_MODEL).to_disk(tmp_path / "model")
    assert brief(find(TEXT, options={"model": str(tmp_path / "model")})) == brief(find(TEXT))


def test_importing_the_plugin_does_not_import_spacy() -> None:
    code = "import sys, octavo_spacy.plugin; sys.exit('spacy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
