"""The accuracy harness on documents made here: what it prints, and each of its measures on texts with a known answer."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from octavo.builtins.classification.inspection import Inspection
from octavo.conversion.inspection import inspect
from octavo.conversion.options import ConvertOptions
from octavo.documents.source import Source
from octavo.runtime import Runtime
from octavo_contracts import (
    Attachment,
    Conversion,
    DocumentMetadata,
    Page,
    PageSight,
    QualityEvidence,
    SourcePart,
    SourceStructure,
    Table,
)
from octavo_contracts.authoring import pipe_table

from tests.benchmarks.accuracy import calibration, figures, fitting, folds, records, report, words
from tests.benchmarks.accuracy.claims import claims_score
from tests.benchmarks.accuracy.collect import Row
from tests.benchmarks.accuracy.headings import heading_similarity
from tests.benchmarks.accuracy.installed import judged
from tests.benchmarks.accuracy.manifest import Document, Truth, group_of, load
from tests.benchmarks.accuracy.markup import Heading, structure
from tests.benchmarks.accuracy.outcomes import outcome_score
from tests.benchmarks.accuracy.reading import Reading
from tests.benchmarks.accuracy.scoring import Score, score
from tests.benchmarks.accuracy.tables import cell_f1, has_lost_one, tables_score, teds
from tests.benchmarks.accuracy.ways import with_consensus

RUN = Path(__file__).parent / "benchmarks" / "accuracy" / "run.py"
TIDES = (("Day", "High", "Low"), ("Mon", "4.1", "0.9"), ("Tue", "4.3", "0.7"))


def reading(markdown: str, **fields: Any) -> Reading:
    """What an engine made of a document without pages."""
    page = Page(number=1, kind="whole", markdown=markdown)
    conversion = Conversion(pages=(page,), paginated=False, **fields)
    return Reading(status="ok", tool="made", conversion=conversion)


@pytest.fixture
def manifest(tmp_path: Path) -> Path:
    """Three documents with their truths: one that is read as it stands, one whose truth is another text, one corrupt."""
    (tmp_path / "note.txt").write_text("The harbour was calm at nine.\n")
    (tmp_path / "note.gt.txt").write_text("The harbour was calm at nine.\n")
    (tmp_path / "tides.csv").write_text("Day,High\nMon,4.1\n")
    (tmp_path / "tides.gt.md").write_text("| Day | High |\n| --- | --- |\n| Mon | 4.1 |\n")
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.7\nnothing")
    (tmp_path / "broken.gt.json").write_text(
        json.dumps(
            {
                "allowed_status": ["error"],
                "max_seconds": 60,
                "max_rss_mb": 4096,
                "must_include": [],
                "must_not_include": [],
            }
        )
    )
    rows = [
        ("note", "note.txt", "text-note", "smoke", "note.gt.txt", "text"),
        ("tides", "tides.csv", "csv", "core", "tides.gt.md", "markdown"),
        ("broken", "broken.pdf", "bad-corrupt", "smoke", "broken.gt.json", "outcome_json"),
    ]
    documents = [
        {
            "id": name,
            "path": path,
            "kind": kind,
            "tier": tier,
            "ground_truths": [{"path": truth, "type": shape, "quality": "gold"}],
        }
        for name, path, kind, tier, truth, shape in rows
    ]
    path = tmp_path / "manifest.json"
    path.write_text(json.dumps({"documents": documents}))
    return path


def test_a_run_prints_the_router_the_oracle_each_engine_and_the_calibration(manifest: Path) -> None:
    """In JSON, with means over kinds; bad input is measured and stands apart from the mean."""
    done = subprocess.run(
        [sys.executable, str(RUN), "--manifest", str(manifest), "--engines", "plaintext,bare-pypdf", "--json"],
        capture_output=True,
        text=True,
        check=True,
    )
    found = json.loads(done.stdout)
    assert list(found) == ["router", "oracle", "engines", "calibration"]
    assert found["router"]["mean"] == found["oracle"]["mean"] == 1.0
    assert found["router"]["by_kind"] == {"bad-corrupt": 1.0, "csv": 1.0, "text-note": 1.0}
    assert found["router"]["profiles"]["fast"]["by_kind"] == found["router"]["by_kind"]
    assert found["router"]["profiles"]["fast"]["seconds"] > 0
    assert set(found["engines"]) == {"plaintext", "bare-pypdf"}
    assert found["engines"]["bare-pypdf"]["by_kind"] == {"bad-corrupt": 1.0, "csv": 0.0, "text-note": 0.0}
    assert found["engines"]["bare-pypdf"]["mean"] == 0.0
    assert found["engines"]["plaintext"]["seconds"] > 0
    assert found["engines"]["plaintext"]["peak_rss_mb"] > 0
    assert set(found["calibration"]) >= {"spearman", "flags"}
    assert found["router"]["intervals"]["all"]["bare-pypdf"]["at_least_equal"]


def test_a_run_prints_tables_and_takes_up_kept_readings(manifest: Path, tmp_path: Path) -> None:
    """Without `--json` it is markdown; the second run reads nothing anew."""
    command = [sys.executable, str(RUN), "--manifest", str(manifest), "--tier", "smoke", "--engines", "plaintext"]
    kept = ["--cache", str(tmp_path / "kept")]
    first = subprocess.run([*command, *kept], capture_output=True, text=True, check=True)
    second = subprocess.run([*command, *kept], capture_output=True, text=True, check=True)
    assert "plaintext: 2 of 2 documents to read" in first.stderr
    assert "plaintext: 0 of 2 documents to read" in second.stderr
    assert first.stdout == second.stdout
    assert "| engine | mean |" in first.stdout
    assert "csv" not in first.stdout  # it is of the core tier


def test_the_router_is_read_anew_where_its_rules_changed(manifest: Path, tmp_path: Path) -> None:
    """An engine asked for by name reads what it read before."""
    rules = tmp_path / "rules.toml"
    command = [sys.executable, str(RUN), "--manifest", str(manifest), "--tier", "smoke", "--engines", "plaintext"]
    command += ["--profile", rules.name, "--cache", str(tmp_path / "kept")]
    told = []
    for first in ("plaintext", "markitdown"):
        rules.write_text(f'[routes]\nplain_text = ["{first}"]\n')
        told.append(subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path).stderr)
    assert all("router: 2 of 2 documents to read" in one for one in told)
    assert "plaintext: 0 of 2 documents to read" in told[1]


def test_an_engine_that_is_not_installed_is_named(manifest: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(RUN), "--manifest", str(manifest), "--engines", "plaintext,nothing"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "not installed: nothing" in done.stderr


def test_words_and_their_order_are_held_against_each_other() -> None:
    truth, given = ["a", "b", "c", "d"], ["d", "a", "b", "c"]
    assert words.token_f1(truth, given) == 1.0
    assert words.order_similarity(truth, given) == 0.75
    assert words.token_f1(truth, ["a", "b"]) == pytest.approx(2 / 3)
    assert words.token_f1([], []) == 1.0
    assert words.token_f1(truth, []) == 0.0
    assert words.edit_similarity("abcd", "abcx") == 0.75
    assert words.shingle_f1(truth, truth) == 1.0
    assert words.shingle_f1(truth, given) == 0.0


def test_normalising_joins_hyphenated_words_and_collapses_white_space() -> None:
    assert words.normalised("har-\n bour \ufb01sh\n\n end") == "harbour fish end"
    assert words.words("港は静か", language="ja") == list("港は静か")


def test_markdown_and_html_tables_become_the_same_grid() -> None:
    pipes = "| Day | High | Low |\n| - | - | - |\n| Mon | 4.1 | 0.9 |\n| Tue | 4.3 | 0.7 |"
    html = "<table><tr><th>Day<th>High<th>Low</tr><tr><td>Mon<td>4.1<td>0.9</tr><tr><td>Tue<td>4.3<td>0.7</tr></table>"
    assert structure(pipes).tables == structure(html).tables == (TIDES,)


def test_a_merged_cell_stands_in_each_place_it_covers() -> None:
    html = (
        '<table><tr><td colspan="2">A</td></tr>\n\n<tr><td rowspan="2">B</td><td>C</td></tr><tr><td>D</td></tr></table>'
    )
    assert structure(html).tables == ((("A", "A"), ("B", "C"), ("B", "D")),)


def test_headings_are_compared_as_a_tree() -> None:
    """A heading that is missing costs its share; the number of the first level costs nothing."""
    truth = [Heading(level=1, text="Tides"), Heading(level=2, text="Spring"), Heading(level=2, text="Neap")]
    lower = [Heading(level=heading.level + 1, text=heading.text) for heading in truth]
    assert heading_similarity(truth, lower) == 1.0
    assert heading_similarity(truth, truth[:2]) == pytest.approx(2 / 3)
    assert heading_similarity(truth, []) == 0.0
    assert heading_similarity([], []) == 1.0


def test_table_similarity_counts_the_edits_of_the_tree() -> None:
    shorter = TIDES[:2]
    nodes = 1 + 3 + 9
    assert teds(TIDES, TIDES) == 1.0
    assert teds(TIDES, shorter) == pytest.approx(1 - 4 / nodes)  # a row and its three cells
    assert cell_f1(TIDES, shorter) == pytest.approx(2 * 6 / 15)
    large = tuple(tuple(f"{row}.{column}" for column in range(16)) for row in range(16))
    assert teds(large, large) == 1.0


def test_tables_are_paired_by_their_cells_and_cut_differently_without_loss() -> None:
    other = (("Ship", "Cargo"), ("Ann", "salt"))
    assert tables_score([TIDES, other], [other, TIDES], complete=True) == 1.0
    assert tables_score([TIDES], [TIDES, other], complete=False) == 1.0
    assert tables_score([TIDES], [TIDES, other], complete=True) < 1.0
    assert tables_score([TIDES], [other], complete=False) == 0.0
    assert tables_score([TIDES[:1], TIDES[1:]], [TIDES], complete=True) == 1.0


def test_claims_hold_or_do_not() -> None:
    read = reading("# Tides\n\nHigh water at nine.\n\n| Day | High |\n| - | - |\n| Mon | 4.1 |")
    listed = {
        "must_include": ["High water", "absent"],
        "must_not_include": ["storm"],
        "headings": [{"level": 1, "text": "Tides"}],
        "order": [["Tides", "nine"]],
        "any_of": [["noon", "nine"]],
        "fields": {"high": "4.1"},
        "page_count": 1,
    }
    assert claims_score(listed, read) == pytest.approx(6 / 8)  # one text is absent, and it has no pages
    tests = [
        {"type": "present", "text": "High watxr at nine", "max_diffs": 2},
        {"type": "absent", "text": "nine", "first_n": 8},
        {"type": "order", "before": "High", "after": "nine"},
        {"type": "table", "cell": "4.1", "left": "Mon", "top_heading": "High"},
        {"type": "table", "cell": "4.1", "right": "Mon"},
        {"type": "math", "math": "e^{x}"},
        {"type": "baseline", "max_length": 5},
    ]
    assert claims_score({"tests": tests}, read) == pytest.approx(4 / 7)
    assert claims_score({"metadata": {}}, read) is None


def test_an_empty_text_earns_nothing_by_what_it_does_not_hold() -> None:
    assert claims_score({"must_not_include": ["storm"]}, reading("")) == 0.0


def test_a_message_is_held_to_its_header_body_and_attachments() -> None:
    truth = {
        "subject": "Tides",
        "from": "Ann <ann@example.org>",
        "date": "Mon, 02 Nov 2026 09:00:00 +0100",
        "body": "High water at nine.",
        "attachments": [{"filename": "tides.csv"}],
    }
    read = reading(
        "# Tides\n\nFrom: ann@example.org\n\nHigh water at nine.",
        metadata=DocumentMetadata(date="2026-11-02T08:00:00+00:00"),
        attachments=(Attachment(name="tides.csv", media_type="text/csv", sha256="0" * 64, size=1),),
    )
    assert records.email_score(truth, read) == 1.0
    assert records.email_score(truth | {"subject": "Storm"}, read) == pytest.approx(0.8)
    assert records.email_score({"messages": [truth, {"subject": "Storm"}]}, read) == pytest.approx(0.5)


def test_a_workbook_is_held_to_its_cells() -> None:
    """Places count from a sheet's first cell, numbers by their worth."""
    cells = [
        {"row": 2, "col": 2, "value": "Day"},
        {"row": 2, "col": 3, "value": "High"},
        {"row": 3, "col": 2, "value": "2026-11-02"},
        {"row": 3, "col": 3, "value": "4.10"},
    ]
    read = reading("## Tides\n\n| Day | High |\n| - | - |\n| 2026-11-02 00:00:00 | 4.1 |")
    assert records.workbook_score({"sheets": [{"name": "Tides", "cells": cells}]}, read) == 1.0
    assert records.workbook_score({"sheets": [{"name": "Other", "cells": cells}]}, read) == 0.0


def test_single_pages_are_held_to_their_text() -> None:
    pages = tuple(Page(number=number, markdown=f"page {number}", text=f"page {number}") for number in (1, 2))
    read = Reading(status="ok", tool="made", conversion=Conversion(pages=pages, paginated=True))
    assert records.page_texts_score({"2": "page 2", "9": "page 9"}, read) == 0.5


def test_an_outcome_is_one_of_those_allowed_in_time_and_passes_nothing_on() -> None:
    truth = {
        "allowed_status": ["ok"],
        "max_seconds": 10,
        "max_rss_mb": 100,
        "must_include": ["calm"],
        "must_not_include": ["SECRET"],
    }
    assert outcome_score(truth, reading("The sea is calm.")) == 1.0
    assert outcome_score(truth, reading("The sea is calm. SECRET")) == 0.0
    assert outcome_score(truth, Reading(status="error", tool="made")) == 0.0
    assert outcome_score(truth, Reading(status="unsupported", tool="made")) == 0.0
    assert outcome_score({"outcome": "ok"}, reading("")) == 1.0


def test_who_opens_a_document_with_its_password_is_held_to_what_it_says(tmp_path: Path) -> None:
    """Its outcome is that of a reader without the password: to say that it needs one."""
    outcome, text = tmp_path / "outcome.json", tmp_path / "text.txt"
    wanted = {
        "allowed_status": ["error"],
        "max_seconds": 10,
        "max_rss_mb": 999,
        "must_include": [],
        "must_not_include": [],
    }
    outcome.write_text(json.dumps(wanted), encoding="utf-8")
    text.write_text("The sea is calm.", encoding="utf-8")
    truths = (
        Truth(kind="outcome_json", path=outcome, is_gold=True),
        Truth(kind="text", path=text, is_gold=True),
    )
    locked = Document(id="x", path=tmp_path / "x.pdf", kind="bad-encrypted", truths=truths, password="key")
    assert score(locked, reading("The sea is calm.")).accuracy == 1.0
    assert score(locked, reading("Noise")).accuracy < 0.5
    assert score(locked, Reading(status="error", tool="made")).accuracy == 1.0
    unlocked = replace(locked, password=None)
    assert score(unlocked, reading("The sea is calm.")).accuracy == 0.0


def test_a_failure_is_nought_for_every_part(tmp_path: Path) -> None:
    path = tmp_path / "truth.md"
    path.write_text("# Tides\n\nHigh water.")
    document = Document(id="a", path=path, kind="docx-made", truths=(Truth(kind="markdown", path=path, is_gold=True),))
    failed = score(document, Reading(status="error", tool="made"))
    assert failed.accuracy == 0.0
    assert score(document, reading("# Tides\n\nHigh water.")).accuracy == 1.0


def test_a_reading_survives_the_cache() -> None:
    read = reading("# Tides")
    again = Reading.from_json(read.to_json())
    assert (again.markdown, again.text, again.conversion) == ("# Tides", read.text, read.conversion)


def test_means_are_of_kinds_and_the_oracle_is_the_best_of_each_document() -> None:
    kinds = {"a": "csv", "b": "csv", "c": "odt", "d": "bad-corrupt"}
    one, other = {"a": 1.0, "b": 0.0, "c": 0.2, "d": 0.0}, {"a": 0.0, "b": 1.0, "c": 0.4, "d": 0.0}
    found = figures.figures(one, kinds)
    assert found.by_kind == {"bad-corrupt": 0.0, "csv": 0.5, "odt": 0.2}
    assert found.mean == pytest.approx(0.35)
    assert figures.oracle([one, other]) == {"a": 1.0, "b": 1.0, "c": 0.4, "d": 0.0}
    assert figures.gap_closed(router=0.6, single=0.5, oracle=0.7) == pytest.approx(0.5)
    assert figures.gap_closed(router=0.6, single=0.7, oracle=0.7) is None


def test_an_interval_tells_a_sure_difference_from_chance() -> None:
    kinds = {str(number): "csv" for number in range(40)}
    good, bad = dict.fromkeys(kinds, 0.9), dict.fromkeys(kinds, 0.5)
    mixed = {name: 0.9 if int(name) % 2 else 0.5 for name in kinds}
    assert figures.paired_interval(good, bad, kinds).low == pytest.approx(0.4)
    assert not figures.paired_interval(bad, good, kinds).at_least_equal
    interval = figures.paired_interval(mixed, {name: 1.4 - value for name, value in mixed.items()}, kinds)
    assert interval.low < 0 < interval.high
    assert interval == figures.paired_interval(mixed, {name: 1.4 - value for name, value in mixed.items()}, kinds)


def test_documents_of_one_source_stand_in_one_fold(tmp_path: Path) -> None:
    documents = [Document(id=str(n), path=tmp_path, kind="csv", source=f"source {n % 7}") for n in range(70)]
    found = folds.assign(documents)
    assert set(found.values()) == set(range(folds.COUNT))
    assert all(len({found[item.id] for item in documents if item.source == f"source {n}"}) == 1 for n in range(7))
    assert folds.fold_of(documents[0]) is None


def test_rank_correlation_shares_the_ranks_of_ties() -> None:
    assert calibration.spearman([1, 2, 3, 4], [10, 20, 30, 40]) == pytest.approx(1.0)
    assert calibration.spearman([1, 2, 3, 4], [4, 3, 2, 1]) == pytest.approx(-1.0)
    assert calibration.spearman([1, 1, 2, 2], [1, 2, 3, 4]) == pytest.approx(0.8944, abs=1e-4)
    assert calibration.spearman([1, 1, 1], [1, 2, 3]) is None


def test_kinds_have_groups_and_tiers_hold_those_before(manifest: Path) -> None:
    assert [group_of(kind) for kind in ("pdf-table", "pdf-scanned", "pdf-form", "epub")] == [
        "PDF tables",
        "scans",
        "PDF text",
        "other",
    ]
    assert [item.id for item in load(manifest, tier="smoke")] == ["note", "broken"]
    with pytest.raises(ValueError, match="no tier named"):
        load(manifest, tier="huge")


def made(at: int, *, accuracy: float, signs: dict[str, float]) -> fitting.Sample:
    """A conversion of a document of the committed folds."""
    document = Document(id=sorted(folds.known())[at], path=Path("none"), kind="docx-made")
    row = Row(document=document, engine="made", reading=reading("Tides"), score=Score(accuracy=accuracy, parts={}))
    return fitting.Sample(row=row, losses=signs, score=0.5, rules=1.0)


def test_a_sign_weighs_more_where_what_shows_it_is_worse() -> None:
    """Weights follow the data and stay near their prior where there are none; none is below 0."""
    known = [made(at, accuracy=0.0 if at % 2 else 0.97, signs={"lost": float(at % 2), "odd": 0.0}) for at in range(40)]
    weights = fitting.fit(known).of
    assert weights["lost"] > fitting.PRIOR
    assert weights["odd"] == fitting.PRIOR
    harmless = fitting.fit([made(at, accuracy=0.97, signs={"lost": 1.0}) for at in range(40)]).of
    assert 0 <= harmless["lost"] < fitting.PRIOR


def test_a_document_is_scored_by_weights_from_other_folds() -> None:
    """One fold where the sign means nothing does not learn that from itself."""
    documents = folds.known()
    names = sorted(documents)
    known = [
        made(at, accuracy=0.97 if documents[name] == 0 else 0.3, signs={"lost": 1.0}) for at, name in enumerate(names)
    ]
    held_out, fitted = fitting.out_of_fold(known), fitting.scored(known, fitting.fit(known))
    of_fold = [at for at, name in enumerate(names) if documents[name] == 0]
    assert all(held_out[at] < fitted[at] for at in of_fold)


def test_a_true_table_without_a_counterpart_is_lost() -> None:
    other = (("Name", "Colour"), ("Grey seal", "grey"))
    assert not has_lost_one([TIDES], [TIDES])
    assert not has_lost_one([TIDES], [(*TIDES[:2], ("x", "y", "z"))])
    assert has_lost_one([TIDES, other], [TIDES])
    assert has_lost_one([TIDES], [])


def test_only_what_is_kept_is_taken_where_nothing_is_to_be_read(manifest: Path, tmp_path: Path) -> None:
    """The figures are of the documents that every engine has read."""
    command = [sys.executable, str(RUN), "--manifest", str(manifest), "--cache", str(tmp_path / "kept")]
    subprocess.run([*command, "--engines", "plaintext", "--tier", "smoke"], capture_output=True, check=True)
    done = subprocess.run(
        [*command, "--engines", "plaintext", "--kept-only"], capture_output=True, text=True, check=True
    )
    assert "plaintext: 0 of 3 documents to read" in done.stderr
    assert done.stdout.startswith("2 documents")


def test_counted_parts_that_were_lost_weigh_in_a_kept_reading_as_in_a_report(tmp_path: Path) -> None:
    """QLT-3: the score that is measured is the one that users get, and its weights are fitted to all of its signs."""
    path = tmp_path / "page.html"
    path.write_text("<html><body><p>Ebb and flow.</p></body></html>")
    page = Page(number=1, kind="whole", markdown="Ebb and flow.", text="Ebb and flow.")
    structure = SourceStructure(parts=(SourcePart(kind="table", text="Ebb and flow"),))
    evidence = QualityEvidence(media_type="text/html", structure=structure)
    conversion = Conversion(pages=(page,), paginated=False)
    reading = judged(Reading(status="ok", tool="made", conversion=conversion, evidence=evidence), seen(path))
    assert "tables_lost" in reading.flags
    document = Document(id="made", path=path, kind="html-made", truths=())
    row = Row(document=document, engine="made", reading=reading, score=Score(accuracy=1.0, parts={}))
    (sample,) = fitting.samples([row])
    assert sample.losses["parts_lost"] == 1.0


def seen(path: Path) -> Inspection:
    """What the classifier sees of a file."""
    with Runtime() as runtime, Source.from_path(path) as source:
        return inspect(runtime, source, ConvertOptions())


HARBOUR = "The harbour was calm at nine and every boat lay at its own mooring until the tide turned."
SEEN = QualityEvidence(media_type="application/pdf", source_page_count=1, sights=(PageSight(page=1, table_rows=3),))


def tides_read_by(engine: str, markdown: str, *tables: Table, path: Path, at: int) -> Row:
    """What an engine made of a page with a text and a table: a document of the committed folds."""
    document = Document(
        id=sorted(folds.known())[at],
        path=path,
        kind="pdf-made",
        truths=(Truth(kind="markdown", path=path, is_gold=True),),
    )
    page = Page(number=1, markdown=markdown, text=markdown, tables=tables)
    conversion = Conversion(pages=(page,), paginated=True)
    made = Reading(status="ok", tool=engine, conversion=conversion, evidence=SEEN, quality=0.5)
    return Row(document=document, engine=engine, reading=made, score=score(document, made))


def test_rules_from_other_folds_may_take_the_consensus_of_engines(tmp_path: Path) -> None:
    """The router is one that does, out of fold as in sample, and is then better than either engine and the oracle of both."""
    path = tmp_path / "truth.md"
    lines = "\n".join(" ".join(row) for row in TIDES)
    path.write_text(f"{HARBOUR}\n\n{pipe_table(TIDES)}\n")
    rows = []
    for at in range(0, len(folds.known()), 12):
        text = tides_read_by("pdfium", f"{HARBOUR}\n\n{lines}", path=path, at=at)
        table = tides_read_by("xberg", f"calm was\n\n{pipe_table(TIDES)}", Table(rows=TIDES), path=path, at=at)
        rows += [text, table, replace(text, engine="router")]
    (way,) = with_consensus(rows[:2])
    assert way.engine.startswith("consensus of ")
    assert way.score.accuracy == 1.0
    assert with_consensus(rows[:2], readers=["absent"]) == []
    found = report.build(rows, calibration.measure(rows))
    assert found.out_of_fold is not None
    assert found.out_of_fold.figures.mean == 1.0 > found.oracle.mean > found.router.mean
    assert found.out_of_fold.gap_closed is None, "one engine is the best for each document"
    assert all(one.low > 0 for one in found.out_of_fold.intervals["PDF text"].values())
    assert found.to_json()["router"]["out_of_fold"]["intervals"]["all"]["xberg"]["at_least_equal"]
    assert "rules, out-of-fold, less engine" in found.tables()
