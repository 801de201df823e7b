"""Against real pages with known main content: never worse than trafilatura alone, and no hidden text in the text."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import trafilatura

HERE = Path(__file__).resolve()
CORPUS = Path(os.environ.get("OCTAVO_CORPUS") or HERE.parents[5] / "shared" / "corpus" / "dev")
pytestmark = [
    pytest.mark.corpus,
    pytest.mark.skipif(not (CORPUS / "manifest.json").is_file(), reason="the corpus is not there; set OCTAVO_CORPUS"),
]
ROUNDING = 0.005
"""Markup signs are stripped roughly, so that equal texts may differ by this much."""


def documents(kind: str) -> list[dict[str, Any]]:
    rows = json.loads((CORPUS / "manifest.json").read_text("utf-8"))["documents"]
    return [row for row in rows if row["kind"] == kind]


def main_text(row: dict[str, Any]) -> str | None:
    if row["ground_truth_type"] == "article_json":
        return str(json.loads((CORPUS / row["ground_truth"]).read_text("utf-8"))["articleBody"])
    plain = (CORPUS / row["path"]).with_suffix(".gt.txt")
    return plain.read_text("utf-8") if plain.is_file() else None


def words(markdown: str) -> Counter[str]:
    """The words of the running text: the truths have no headline, no texts of pictures and no formulas in TeX."""
    text = re.sub(r"\A# .*\n", "", markdown)
    text = re.sub(r"!\[(?:[^\]\\]|\\.)*\]\([^()\s]*\)|\[Image: [^\]]*\]|\$[^$]*\$", "", text)
    text = re.sub(r"!?\[((?:[^\]\\]|\\.)*)\]\([^()\s]*\)", r"\1", text)
    return Counter(re.findall(r"\w+", text.lower()))


def f1(found: Counter[str], gold: Counter[str]) -> float:
    common = (found & gold).total()
    return 2 * common / (found.total() + gold.total()) if common else 0.0


@pytest.mark.parametrize("kind", ["html-article", "html-main-content"])
def test_main_content_is_at_least_as_good_as_the_engine_alone(convert, kind, record_property):
    ours, alone = [], []
    for row in documents(kind):
        gold = main_text(row)
        if gold is None:
            continue
        data = (CORPUS / row["path"]).read_bytes()
        ours.append(f1(words(convert(data).pages[0].markdown), words(gold)))
        markdown = trafilatura.extract(data, output_format="markdown", include_comments=False, include_links=True)
        alone.append(f1(words(markdown or ""), words(gold)))
    mean_ours, mean_alone = sum(ours) / len(ours), sum(alone) / len(alone)
    record_property("token_f1", f"{mean_ours:.4f}")
    record_property("token_f1_trafilatura_alone", f"{mean_alone:.4f}")
    assert mean_ours >= mean_alone - ROUNDING
    assert mean_ours >= 0.95


def test_headings_and_tables_of_documents_are_kept(convert):
    for row in documents("html-structure"):
        if row["ground_truth_type"] != "markdown":
            continue
        gold = (CORPUS / row["ground_truth"]).read_text("utf-8")
        page = convert((CORPUS / row["path"]).read_bytes()).pages[0]
        assert bool(re.search(r"(?m)^#", gold)) <= bool(re.search(r"(?m)^#", page.markdown)), row["path"]
        assert bool(re.search(r"(?m)^\| -|<table>", gold)) <= bool(page.tables), row["path"]


@pytest.mark.parametrize("name", ["inject-html-hidden", "html-deep-div", "html-unclosed-comment-flood"])
def test_hostile_pages_are_converted(convert, name):
    conversion = convert((CORPUS / "bad" / f"{name}.html").read_bytes())
    outcome = json.loads((CORPUS / "bad" / f"{name}.gt.outcome.json").read_text("utf-8"))
    text = " ".join(conversion.pages[0].markdown.split())
    assert all(part in text for part in outcome["must_include"])
    assert not any(part in text for part in outcome["must_not_include"])


@pytest.mark.parametrize("name", ["page-cookie-wall", "page-js-shell", "page-soft-404"])
def test_pages_without_content_say_so(convert, name):
    conversion = convert((CORPUS / "bad" / f"{name}.html").read_bytes())
    assert [warning.code for warning in conversion.warnings] == ["no_content"]
