"""How long evidence takes, beside bm25s, and how it grows with the source.

The source is prose of Zipf-drawn words with sentences and paragraphs. Octavo's side is what a digest does: cut the text into
chunks, score them by `bm25/v1`, choose for variety, slice. The other side is bm25s on the very same chunks, cut beforehand
at no cost to it: tokenising (with the same stemmer, and again without one), indexing, one query. Rounds of the two take
turns, and the best of each counts. Usage: python -m tests.benchmarks.digest.speed [--rounds 5]
"""

from __future__ import annotations

import argparse
import gc
import json
import random
import time
from collections.abc import Callable
from itertools import accumulate
from math import log

from octavo_digest import Bm25Scorer, ExtractiveSummariser, KeywordScorer, find_evidence
from octavo_text.canonical import CanonicalText, canonicalise
from octavo_text.chunking import chunk_spans

QUERY = "the measured height of a surge in the northern harbour"
COMPARED_CHARS = 500_000
GROWTH_CHARS = (10_000, 50_000, 100_000, 500_000, 1_000_000, 2_000_000, 5_000_000)
FITTED_FROM = 50_000
VOCABULARY = 40_000
MAX_RATIO, MAX_EXPONENT = 1.0, 1.1


def prose(chars: int, seed: int = 7) -> CanonicalText:
    """A canonical text of about so many characters, the words of the query among its own."""
    rng = random.Random(seed)
    letters = "etaoinshrdlcumwfgypbvk"
    own = [word for word in QUERY.split() if len(word) > 3]
    words = [*sorted({"".join(rng.choices(letters, k=rng.randint(2, 10))) for _ in range(VOCABULARY)}), *own]
    rng.shuffle(words)
    weights = list(accumulate(1 / (rank + 2.7) for rank in range(len(words))))
    paragraphs: list[str] = []
    size = 0
    while size < chars:
        sentences = []
        for _ in range(rng.randint(2, 7)):
            drawn = rng.choices(words, cum_weights=weights, k=rng.randint(6, 25))
            sentences.append(" ".join(drawn).capitalize() + ".")
        paragraphs.append(" ".join(sentences))
        size += len(paragraphs[-1]) + 1
    return canonicalise("\n\n".join(paragraphs)[:chars])


def best(work: Callable[[], object], rounds: int) -> float:
    """The least wall time of some rounds, seconds."""
    taken = []
    for _ in range(rounds):
        gc.collect()
        begun = time.perf_counter()
        work()
        taken.append(time.perf_counter() - begun)
    return min(taken)


def octavo_evidence(text: CanonicalText, scorer: Bm25Scorer | KeywordScorer) -> Callable[[], object]:
    """Chunking and evidence of a text that nothing is known of."""
    return lambda: find_evidence(CanonicalText(text.text, text.pages, text.breaks), QUERY, scorer=scorer)


def bm25s_on(chunks: list[str], *, stemmed: bool) -> Callable[[], object]:
    """bm25s tokenising, indexing and querying chunks."""
    import bm25s
    import Stemmer

    def work() -> object:
        stemmer = Stemmer.Stemmer("english") if stemmed else None
        tokens = bm25s.tokenize(chunks, stopwords="en", stemmer=stemmer, show_progress=False)
        index = bm25s.BM25()
        index.index(tokens, show_progress=False)
        asked = bm25s.tokenize(QUERY, stopwords="en", stemmer=stemmer, show_progress=False)
        return index.retrieve(asked, k=5, show_progress=False)

    return work


def compare(rounds: int) -> dict[str, float]:
    """Seconds of both sides on one source of 500,000 characters, in turns."""
    text = prose(COMPARED_CHARS)
    chunks = [span.of(text.text) for span in chunk_spans(text)]
    sides = {
        "octavo bm25/v1, chunking included": octavo_evidence(text, Bm25Scorer()),
        "octavo keyword/v1, chunking included": octavo_evidence(text, KeywordScorer()),
        "bm25s, stemmed": bm25s_on(chunks, stemmed=True),
        "bm25s, not stemmed": bm25s_on(chunks, stemmed=False),
    }
    for work in sides.values():
        work()
    taken = {name: best(side, 1) for name, side in sides.items()}
    for _ in range(rounds - 1):
        for name, side in sides.items():
            taken[name] = min(taken[name], best(side, 1))
    return taken


def growth(rounds: int) -> dict[int, tuple[float, float]]:
    """Seconds of evidence and of the summary, by size."""
    whole = prose(GROWTH_CHARS[-1])
    found = {}
    for size in GROWTH_CHARS:
        text = canonicalise(whole.text[:size])
        evidence = best(octavo_evidence(text, Bm25Scorer()), rounds)
        found[size] = (evidence, best(lambda text=text: ExtractiveSummariser().summarise_text(text, query=QUERY), 1))
    return found


def exponent(points: dict[int, float]) -> float:
    """The slope of log time over log size, least squares."""
    xs = [log(size) for size in points]
    ys = [log(seconds) for seconds in points.values()]
    mx, my = sum(xs) / len(xs), sum(ys) / len(ys)
    return sum((x - mx) * (y - my) for x, y in zip(xs, ys, strict=True)) / sum((x - mx) ** 2 for x in xs)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    sides = compare(options.rounds)
    grown = growth(max(1, options.rounds // 2))
    ours = sides["octavo bm25/v1, chunking included"]
    ratio = ours / sides["bm25s, stemmed"]
    slope = exponent({size: seconds for size, (seconds, _) in grown.items() if size >= FITTED_FROM})
    if options.json:
        print(json.dumps({"seconds": sides, "ratio": ratio, "growth": grown, "exponent": slope}))
        return
    print(f"one source of {COMPARED_CHARS:,} characters, one query, best of {options.rounds} rounds in turns")
    for name, seconds in sides.items():
        print(f"{name:40} {seconds * 1000:8.1f} ms   octavo bm25/v1 is {ours / seconds:5.2f} of it")
    print(f"target: at most {MAX_RATIO} of bm25s stemmed: {'met' if ratio <= MAX_RATIO else 'MISSED'} ({ratio:.2f})\n")
    print(f"{'characters':>12} {'evidence ms':>12} {'per million':>12} {'summary ms':>12}")
    for size, (evidence, summary) in grown.items():
        print(f"{size:12,} {evidence * 1000:12.1f} {evidence * 1e9 / size:12.1f} {summary * 1000:12.1f}")
    print(
        f"target: exponent at most {MAX_EXPONENT} from {FITTED_FROM:,}: "
        f"{'met' if slope <= MAX_EXPONENT else 'MISSED'} ({slope:.2f})"
    )


if __name__ == "__main__":
    main()
