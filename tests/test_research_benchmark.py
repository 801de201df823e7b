"""The questions of the research benchmark are data that can be checked: RES-18 rests on their pages."""

from __future__ import annotations

import json
from pathlib import Path

QUESTIONS = Path(__file__).parent / "benchmarks" / "research" / "questions.jsonl"


def test_there_are_sixty_distinct_questions_with_short_answers_and_true_pages() -> None:
    """RES-18."""
    rows = [json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]
    assert len({row["question"] for row in rows}) == len(rows) >= 60
    assert {frozenset(row) for row in rows} == {frozenset({"document", "question", "answer", "pages"})}
    assert all(row["pages"] == sorted(set(row["pages"])) and row["pages"][0] >= 1 for row in rows)
    assert all(0 < len(row["answer"]) <= 60 for row in rows), "no more of a document than a short answer"
    kinds = [row["document"].startswith("financebench") for row in rows]
    assert min(kinds.count(True), kinds.count(False)) >= 25, "filings and manuals"
