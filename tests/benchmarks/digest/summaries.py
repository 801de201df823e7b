"""How good the extractive summary is, beside the beginning of the text, plain LexRank and sentences drawn by chance.

Two measures, every summary of at most the same length: ROUGE-2 F1 of a scientific article's body against its own abstract,
the title being the query; and how much of the labelled answers a summary for the question holds (token recall of the gold
text). Usage: python -m tests.benchmarks.digest.summaries
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise

from octavo.runtime import Runtime
from octavo_digest import extract_sentences
from octavo_digest.sentences import sentence_spans
from octavo_digest.stems import language_of, stem_all
from octavo_digest.summarising import LONGEST, SHORTEST, rank_sentences
from octavo_text.canonical import CanonicalText
from octavo_text.stopwords import STOPWORDS
from octavo_text.words import words

from ..corpus import corpus_folder
from .questions import labelled, token_recall, tokens

LIMIT = 1_500
"""Characters of each summary of an article."""
ANSWER_LIMIT = 800
DAMPING = 0.15
"""Plain LexRank: how often the reader starts anew, anywhere."""
MOST = 800

Summarise = Callable[[CanonicalText, str, int], str]


def own(text: CanonicalText, query: str, limit: int) -> str:
    """What a digest has."""
    return " ".join(span.of(text.text) for span in extract_sentences(text, query, max_chars=limit).summary)


def lead(text: CanonicalText, query: str, limit: int) -> str:
    """The first sentences."""
    return _fill(_sentences(text), range(MOST), limit)


def by_chance(text: CanonicalText, query: str, limit: int) -> str:
    """Any sentences."""
    sentences = _sentences(text)
    return _fill(sentences, random.Random(len(text.text)).sample(range(len(sentences)), len(sentences)), limit)


def lexrank(text: CanonicalText, query: str, limit: int) -> str:
    """LexRank as published: no query, no variety."""
    sentences = _sentences(text)[:MOST]
    bags = [words(sentence) for sentence in sentences]
    vocabulary = sorted({word for bag in bags for word in bag} - STOPWORDS)
    language = language_of(word for bag in bags for word in bag)
    stems = dict(zip(vocabulary, stem_all(vocabulary, language=language), strict=True))
    scores = rank_sentences(
        [[stems[word] for word in bag if word in stems] for bag in bags], [1.0] * len(bags), bias=DAMPING
    )
    return _fill(sentences, sorted(range(len(scores)), key=lambda i: (-scores[i], i)), limit)


WAYS: dict[str, Summarise] = {"extractive (ours)": own, "lead": lead, "LexRank": lexrank, "chance": by_chance}


def rouge2(summary: str, reference: str) -> float:
    """F1 of the pairs of neighbouring words."""
    ours, theirs = (Counter(pairwise(found)) for found in (tokens(summary), tokens(reference)))
    shared = sum((ours & theirs).values())
    return 2 * shared / max(1, sum(ours.values()) + sum(theirs.values()))


def _sentences(text: CanonicalText) -> list[str]:
    return [span.of(text.text) for span in sentence_spans(text) if SHORTEST <= span.end - span.start <= LONGEST]


def _fill(sentences: Sequence[str], order: Sequence[int], limit: int) -> str:
    taken, room = [], limit
    for place in order:
        if place < len(sentences) and len(sentences[place]) + 1 <= room:
            taken.append(place)
            room -= len(sentences[place]) + 1
    return " ".join(sentences[place] for place in sorted(taken))


def _print(title: str, values: dict[str, list[float]]) -> None:
    base = sum(values["lead"]) or 1.0
    print(f"\n{title}: {len(values['lead'])} summaries")
    for name, found in values.items():
        print(f"{name:24}{sum(found) / len(found):8.3f}   x {sum(found) / base:.2f} of lead")


def main() -> None:
    """Print the tables."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    corpus = corpus_folder()
    if corpus is None:
        raise SystemExit("the corpus is not here: set OCTAVO_CORPUS, or lay it beside the checkout")
    from .questions import articles

    found = list(articles(corpus))
    rows = {
        name: [rouge2(way(body, title, LIMIT), abstract) for title, body, abstract in found]
        for name, way in WAYS.items()
    }
    _print(f"ROUGE-2 F1 against the abstract, {LIMIT} characters, the title as query", rows)
    with Runtime() as runtime:
        asked = labelled(corpus, runtime)
    held = {
        name: [max(token_recall(gold, way(q.text, q.query, ANSWER_LIMIT)) for gold, _ in q.gold) for q in asked]
        for name, way in WAYS.items()
    }
    _print(f"share of the answer held by a summary of {ANSWER_LIMIT} characters", held)


if __name__ == "__main__":
    main()
