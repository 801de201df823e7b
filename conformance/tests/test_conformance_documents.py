"""`validate`: results and digests in every form, good and broken."""

from __future__ import annotations

import copy
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st
from octavo import convert
from octavo_conformance.cli import command
from octavo_conformance.documents import check_document
from octavo_conformance.evidence import DigestEvidence
from octavo_conformance.mutants.documents import good_digest
from octavo_conformance.mutants.matrix import good_result
from octavo_conformance.strategies import canonical_texts, conversions, locators
from octavo_contracts import Conversion, page_spans, resolve_locator, resolve_span
from octavo_library import Library
from octavo_text.version_texts import join_pages

ODD: tuple[Any, ...] = (
    [],
    {},
    [None],
    {"a": 1},
    "char:0-99999999999999999999",
    "page:9:char:0-1",
    "store:../x",
    "sha256:",
    1e300,
)


def run(*arguments: str) -> Result:
    """Run `octavo conformance`."""
    return CliRunner().invoke(command, list(arguments))


@pytest.fixture(scope="module")
def document() -> dict[str, object]:
    """What `octavo convert --json` writes for a letter, with its texts."""
    made = convert("A letter 🚀 of one page.\n\nWith two paragraphs.".encode(), name="letter.txt", plugin="plaintext")
    return {
        "result": json.loads(made.result.to_json()),
        "markdown": made.markdown,
        "canonical_text": made.text,
    }


def test_an_envelope_with_its_texts_passes(tmp_path: Path, document: dict[str, object]) -> None:
    path = tmp_path / "letter.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    result = run("validate", str(path), "--json")
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    outcomes = told["documents"][0]["outcomes"]
    assert {one["status"] for one in outcomes} == {"passed", "skipped"}
    # Neither an archive nor the original was given.
    skipped = {one["check"] for one in outcomes if one["status"] == "skipped"}
    assert skipped == {"OC-SCHEMA-114", "OC-SCHEMA-115", "OC-SPAN-109"}


def test_every_line_of_jsonl_is_checked(tmp_path: Path, document: dict[str, object]) -> None:
    bare = document["result"]
    assert isinstance(bare, dict)
    path = tmp_path / "run.jsonl"
    path.write_text(
        "\n".join(json.dumps(line) for line in (bare, bare | {"contract_version": "9.0"})), encoding="utf-8"
    )
    result = run("validate", str(path))
    assert result.exit_code == 3
    assert "OC-SCHEMA-105 failed" in result.stdout
    assert "run.jsonl:2" in result.stdout
    assert "[run.jsonl:2]" in result.stdout
    assert re.search(r"run\.jsonl:1: (\d+) of \1 checks passed, \d+ skipped: the text is not available", result.stdout)


def test_a_digest_is_verified_against_its_archive(tmp_path: Path) -> None:
    """The archived text is found by its hash; a snippet that is not verbatim is told."""
    good = good_digest()
    assert good.archive is not None
    archive = tmp_path / "archive"
    archive.mkdir()
    (archive / f"{good.data['source_text_hash'].partition(':')[2]}.txt").write_bytes(good.archive.encode())
    path = tmp_path / "digest.json"
    path.write_text(json.dumps(good.data), encoding="utf-8")
    assert run("validate", str(path), "--archive", str(archive)).exit_code == 0
    spoilt = json.loads(json.dumps(good.data))
    spoilt["evidence_snippets"][0]["text"] = spoilt["evidence_snippets"][0]["text"].upper()
    path.write_text(json.dumps(spoilt), encoding="utf-8")
    result = run("validate", str(path), "--archive", str(archive))
    assert result.exit_code == 3
    assert "OC-DIG-005 failed" in result.stdout


def test_a_forged_digest_fails_against_an_archive_without_its_text(tmp_path: Path) -> None:
    """As `octavo digest --json` prints it, with another hash and another snippet: no archived text has that hash."""
    good = good_digest()
    assert good.archive is not None
    archive = tmp_path / "archive"
    archive.mkdir()
    (archive / f"{good.data['source_text_hash'].partition(':')[2]}.txt").write_bytes(good.archive.encode())
    forged = json.loads(json.dumps(good.data))
    forged["source_text_hash"] = forged["source_text_hash"][:-4] + "0000"
    forged["evidence_snippets"][0]["text"] = forged["evidence_snippets"][0]["text"].replace("captain", "pirates")
    path = tmp_path / "digest.json"
    path.write_text(
        json.dumps({"status": "ok", "payload": forged, "details": {"method": "extractive"}}), encoding="utf-8"
    )

    result = run("validate", str(path), "--archive", str(archive))

    assert result.exit_code == 3
    assert "OC-DIG-009 failed" in result.stdout
    assert "no text with this hash" in result.stdout


@pytest.mark.parametrize("text", ["", "no json", "[1, 2]", '{"a": 1}', '{"a": NaN}', '{"a": 1}\n{"b"'])
def test_what_is_no_document_is_one_line_and_exit_code_2(tmp_path: Path, text: str) -> None:
    path = tmp_path / "odd.json"
    path.write_text(text, encoding="utf-8")
    result = run("validate", str(path))
    assert result.exit_code == 2
    assert "Traceback" not in result.output


def test_standard_input_is_read_and_a_byte_order_mark_is_no_part_of_it(document: dict[str, object]) -> None:
    text = "\ufeff" + json.dumps(document)
    result = CliRunner().invoke(command, ["validate", "-"], input=text.encode())
    assert result.exit_code == 0
    assert re.match(r"stdin: (\d+) of \1 checks passed", result.stdout)


def test_a_file_that_is_too_large_is_exit_code_2(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not read to its end."""
    monkeypatch.setattr("octavo_conformance.validation.MAX_BYTES", 1 << 20)
    path = tmp_path / "large.json"
    path.write_bytes(b" " * (1 << 20) + b"{}")
    result = run("validate", str(path))
    assert result.exit_code == 2
    assert "is larger than 1 MiB" in result.stderr


@pytest.mark.parametrize("digest", ["sha256:/etc/*", "sha256:**", "sha256:../x", "sha256:", "", "x"])
def test_a_hash_that_is_none_finds_no_text(tmp_path: Path, digest: str) -> None:
    """It is never a pattern or a path."""
    path = tmp_path / "digest.json"
    path.write_text(json.dumps(good_digest().data | {"source_text_hash": digest}), encoding="utf-8")
    (tmp_path / "x.txt").write_bytes(b"\xff")
    result = run("validate", str(path), "--archive", str(tmp_path))
    assert result.exit_code == 3
    assert "OC-DIG-001 failed" in result.stdout


@given(st.data())
@settings(max_examples=200, deadline=None)
def test_no_document_breaks_a_check(data: st.DataObject) -> None:
    """Whatever stands in one place of it: every check gives an outcome."""
    good = data.draw(st.sampled_from([good_result(), good_digest()]))
    spoilt = json.loads(json.dumps(good.data))
    place: Any = spoilt
    while True:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        key = data.draw(st.sampled_from(keys))
        if isinstance(place[key], dict | list) and place[key] and data.draw(st.booleans()):
            place = place[key]
            continue
        break
    odd = st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.sampled_from(ODD)
    if data.draw(st.booleans()):
        place[key] = data.draw(odd)
    else:
        del place[key]
    outcomes = check_document(replace(good, data=spoilt))
    assert {one.status for one in outcomes} <= {"passed", "failed", "blocked", "skipped"}


def test_a_missing_file_is_exit_code_2(tmp_path: Path) -> None:
    assert run("validate", str(tmp_path / "none.json")).exit_code == 2


def test_an_archive_that_is_no_folder_is_exit_code_2(tmp_path: Path) -> None:
    path = tmp_path / "digest.json"
    path.write_text(json.dumps(good_digest().data), encoding="utf-8")
    result = run("validate", str(path), "--archive", str(tmp_path / "none"))
    assert result.exit_code == 2
    assert "is not a folder" in result.stderr


def test_a_digest_without_archive_is_checked_as_far_as_possible() -> None:
    """What needs the text is skipped, never passed."""
    outcomes = check_document(DigestEvidence(data=good_digest().data))
    assert {one.check.id for one in outcomes if one.status == "skipped"} == {
        "OC-DIG-004", "OC-DIG-005", "OC-DIG-009", "OC-DIG-011",
    }  # fmt: skip
    assert {one.status for one in outcomes} == {"passed", "skipped"}


def test_a_library_is_an_archive(tmp_path: Path) -> None:
    """The texts of its results are found by their references."""
    (tmp_path / "letter.txt").write_text("Dear Ada,\n\nthe buoy 🚀 is back.\n", encoding="utf-8")
    with Library.open(tmp_path / "library") as library:
        made = library.ingest(tmp_path / "letter.txt", plugin="plaintext")
    path = tmp_path / "run.jsonl"
    path.write_text(made.result.to_json() + "\n", encoding="utf-8")
    result = run(
        "validate", str(path), "--archive", str(tmp_path / "library"), "--original", str(tmp_path / "letter.txt")
    )
    assert re.fullmatch(r"run\.jsonl: (\d+) of \1 checks passed\n", result.stdout)


@given(conversions())
@settings(max_examples=50, deadline=None)
def test_generated_conversions_survive_the_core(conversion: Conversion) -> None:
    """The core joins them, and their pages tile the text."""
    texts = join_pages(conversion)
    assert page_spans(texts.canonical.text) == texts.canonical.pages
    assert Conversion.read(conversion.to_json()) == conversion


@given(st.data())
@settings(max_examples=50, deadline=None)
def test_generated_locators_lie_in_their_text(data: st.DataObject) -> None:
    text = data.draw(canonical_texts())
    locator = data.draw(locators(text))
    assert len(resolve_locator(text, locator)) == locator.end - locator.start
    assert resolve_span(text, str(locator)).of(text) == resolve_locator(text, locator)


def test_hashes_are_optional() -> None:
    """The contract says so of every hash: a host that computes none breaks no rule."""
    evidence = good_result()
    data = copy.deepcopy(evidence.data)
    data["content_hashes"].update(
        raw_file_hash=None, normalized_binary_hash=None, normalized_text_hash=None, page_hashes=[], chunk_hashes=[]
    )

    outcomes = check_document(replace(evidence, data=data))

    assert [one.check.id for one in outcomes if one.status == "failed"] == []
    assert any(one.check.id == "OC-SCHEMA-108" and one.status == "passed" for one in outcomes)
