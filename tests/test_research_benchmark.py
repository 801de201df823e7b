"""The questions of the research benchmark are data that can be checked: RES-18 rests on their pages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "benchmarks" / "research"


def rows_of(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FOLDER / name).read_text(encoding="utf-8").splitlines()]


def test_there_are_sixty_distinct_questions_with_short_answers_and_true_pages() -> None:
    """RES-18."""
    rows = rows_of("questions.jsonl")
    assert len({row["question"] for row in rows}) == len(rows) >= 60
    assert {frozenset(row) for row in rows} == {frozenset({"document", "question", "answer", "pages"})}
    assert all(row["pages"] == sorted(set(row["pages"])) and row["pages"][0] >= 1 for row in rows)
    assert all(0 < len(row["answer"]) <= 60 for row in rows), "no more of a document than a short answer"
    kinds = [row["document"].startswith("financebench") for row in rows]
    assert min(kinds.count(True), kinds.count(False)) >= 25, "filings and manuals"


def test_the_held_out_questions_are_over_other_documents() -> None:
    """RES-18: what was tuned by the questions of the benchmark is measured by others."""
    rows, own = rows_of("held_out.jsonl"), rows_of("questions.jsonl")
    assert len({row["question"] for row in rows}) == len(rows) >= 20
    assert {row["document"] for row in rows}.isdisjoint(row["document"] for row in own)
    assert len({row["document"] for row in rows}) >= 5
    assert all(row["pages"] == sorted(set(row["pages"])) and row["pages"][0] >= 1 for row in rows)
    assert all(0 < len(row["answer"]) <= 60 for row in rows), "no more of a document than a short answer"
