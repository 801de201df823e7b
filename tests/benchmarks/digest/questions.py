"""Questions with known answers: those of the corpus, and headings of its documents asked of the text below them."""

from __future__ import annotations

import json
import random
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from defusedxml import ElementTree
from octavo import convert
from octavo.runtime import Runtime
from octavo_contracts import EvidenceSnippet, Locator, Span, resolve_span
from octavo_text.canonical import CanonicalText, canonicalise
from octavo_text.markdown import plain_text
from octavo_text.words import query_words

COVERED = 0.8
"""Share of the gold text's tokens that a quotation must hold to count as the answer's place."""
HEADING = re.compile(r"(?m)^#{1,4} (.+)$")
MIN_SECTION, MIN_SECTIONS, MIN_TEXT = 200, 6, 5_000
HEADING_KINDS = ("docx", "html", "pdf", "epub", "odt")
MAX_HEADINGS = 12
"""Headings taken of one document, so that a long one does not decide."""


@dataclass(frozen=True)
class Question:
    """A question of one document.

    Attributes:
        text: the document's canonical text.
        query: what is asked.
        kind: of the document.
        gold: texts that answer it, each with its page where it is known.
        places: spans that answer it, where they are known.
    """

    text: CanonicalText
    query: str
    kind: str
    gold: tuple[tuple[str, int | None], ...] = ()
    places: tuple[Span, ...] = ()

    def found_by(self, snippets: tuple[EvidenceSnippet, ...]) -> bool:
        """Whether a quotation is the answer's place."""
        return any(self._is_answer(snippet) for snippet in snippets)

    def _is_answer(self, snippet: EvidenceSnippet) -> bool:
        page = Locator.parse(snippet.locator).page
        if any(self._covers(snippet.text, text, page, at) for text, at in self.gold):
            return True
        span = resolve_span(self.text.text, snippet.locator)
        half = (span.end - span.start) / 2
        return any(min(span.end, place.end) - max(span.start, place.start) >= half for place in self.places)

    @staticmethod
    def _covers(quoted: str, gold: str, page: int | None, at: int | None) -> bool:
        if at is not None and page is not None:
            return page == at
        return token_recall(gold, quoted) >= COVERED


def token_recall(gold: str, text: str) -> float:
    """Share of the gold text's tokens that a text holds."""
    wanted = Counter(tokens(gold))
    return sum((wanted & Counter(tokens(text))).values()) / max(1, sum(wanted.values()))


def tokens(text: str) -> list[str]:
    """Words of a normalised text; characters of Chinese."""
    folded = unicodedata.normalize("NFKC", text.replace("-\n", "")).lower()
    return re.findall(r"[\u4e00-\u9fff]|\w+", folded)


def labelled(corpus: Path, runtime: Runtime) -> list[Question]:
    """The corpus's own questions, by the order of the file."""
    rows = [json.loads(line) for line in (corpus / "qa" / "queries.jsonl").read_text(encoding="utf-8").splitlines()]
    documents = {row["id"]: row for row in _manifest(corpus)}
    texts = {
        name: _text(corpus / documents[name]["path"], runtime) for name in dict.fromkeys(r["doc_id"] for r in rows)
    }
    return [
        Question(
            text=texts[row["doc_id"]],
            query=row["query"],
            kind=documents[row["doc_id"]]["kind"],
            gold=tuple((gold["text"], gold.get("page")) for gold in row["gold"]),
        )
        for row in rows
    ]


def headings(corpus: Path, runtime: Runtime) -> list[Question]:
    """Headings as queries: the text has none, and the answer is the section that each stood above."""
    found: list[Question] = []
    for row in _manifest(corpus):
        if row["format"] in HEADING_KINDS and not row["kind"].startswith("bad-") and row["bytes"] < 3_000_000:
            markdown = convert(corpus / row["path"], runtime=runtime).markdown
            questions = list(_of_sections(markdown, row["kind"]))
            random.Random(row["id"]).shuffle(questions)
            found.extend(questions[:MAX_HEADINGS])
    return found


def articles(corpus: Path) -> Iterator[tuple[str, CanonicalText, str]]:
    """Title, body and abstract of the corpus's JATS articles."""
    for row in _manifest(corpus):
        path = corpus / row["path"]
        if not row["kind"].startswith("xml-jats"):
            continue
        root = ElementTree.parse(path).getroot()
        abstract = " ".join(" ".join("".join(node.itertext()).split()) for node in root.iter("abstract"))
        title = next(("".join(node.itertext()) for node in root.iter("article-title")), "")
        body = canonicalise("\n\n".join(_paragraphs(next(root.iter("body")))))
        if len(abstract) > 400 and len(body.text) > 5_000:
            yield " ".join(title.split()), body, abstract


def _manifest(corpus: Path) -> list[dict[str, str | int]]:
    rows: list[dict[str, str | int]] = json.loads((corpus / "manifest.json").read_text(encoding="utf-8"))["documents"]
    return rows


def _text(path: Path, runtime: Runtime) -> CanonicalText:
    if path.suffix in (".xml", ".nxml"):
        # No installed engine reads JATS; what the benchmark measures comes after reading.
        return canonicalise("\n\n".join(_paragraphs(ElementTree.parse(path).getroot())))
    converted = convert(path, runtime=runtime)
    text = CanonicalText.from_archive(converted.text)
    return replace(text, paginated=bool(converted.result.page_anchor_map))


def _paragraphs(root: ElementTree.Element) -> Iterator[str]:
    for node in root.iter():
        if node.tag in ("p", "title", "article-title", "td", "label"):
            yield " ".join("".join(node.itertext()).split())


def _of_sections(markdown: str, kind: str) -> Iterator[Question]:
    parts = HEADING.split(markdown)
    sections = [
        (plain_text(head).strip(), plain_text(body)) for head, body in zip(parts[1::2], parts[2::2], strict=True)
    ]
    sections = [(head, canonicalise(body).text) for head, body in sections if body.strip()]
    text = canonicalise("\n\n".join(body for _, body in sections))
    if len(text.text) < MIN_TEXT or len(sections) < MIN_SECTIONS:
        return
    place = 0
    for head, body in sections:
        span = Span(start=place, end=place + len(body))
        place = span.end + 1
        if len(body) >= MIN_SECTION and len(query_words(head)) >= 2 and text.text[span.start : span.end] == body:
            yield Question(text=text, query=head, kind=f"headings of {kind}", places=(span,))
