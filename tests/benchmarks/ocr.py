"""Recognition on the corpus's scans: word error rate and seconds a page of each engine and of the default, in one table.

A second table says, page by page of the corpus's PDF files, which pages were found to need recognition: none that
needs it may be left unread, and fewer than 2 % of the others may be recognised without need.

Word error rate: NFKC, lower case, words with letters or digits; edit distance over the words of the truth, at most 1 a
document; characters instead of words for Chinese. Languages are those of the document where the engine has them.
Usage: python -m tests.benchmarks.ocr [--engines tesseract,rapidocr,default] [--kinds pdf-scanned] [--results FILE] [--find-only] [--json]
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from octavo.conversion.options import ConvertOptions
from octavo.conversion.pipeline import run
from octavo.documents.source import Source
from octavo.runtime import Runtime
from octavo.settings.ocr import OcrSettings
from octavo.settings.settings import Settings

from .corpus import corpus_folder

KINDS = ("pdf-scanned", "pdf-bad-text-layer", "image-ocr", "image-receipt", "scan-two-column", "scan-historical")
SCANNED_KINDS = ("pdf-scanned", "pdf-bad-text-layer")
NEEDLESS_TARGET = 0.02

NO_TEXT = {
    ("free-culture-352p", 1),
    ("debian-reference-en", 1),
    *(("pdfjs-tamreview", page) for page in range(2, 23)),
}
"""Pages of other kinds without a text layer that is text: two covers that are pictures, and a file whose font maps to
nothing. Labelled by looking at them."""


@dataclass(frozen=True, kw_only=True)
class Scan:
    """A scan with its truth."""

    name: str
    kind: str
    path: Path
    language: str
    truth: str


@dataclass(frozen=True, kw_only=True)
class Score:
    """The result of one scan."""

    kind: str
    name: str
    error_rate: float
    seconds: float
    pages: int
    confidence: float


def scans(folder: Path) -> Iterator[Scan]:
    """The scans of the corpus whose text is known."""
    rows = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["documents"]
    for row in rows:
        texts = [truth["path"] for truth in row["ground_truths"] if truth["type"] == "text"]
        if row["kind"] in KINDS and texts:
            truth = (folder / texts[0]).read_text(encoding="utf-8")
            yield Scan(
                name=row["path"],
                kind=row["kind"],
                path=folder / row["path"],
                language=row.get("language") or "en",
                truth=truth,
            )


def words(text: str, *, language: str) -> list[str]:
    """The words of a text; the characters, for a language without spaces."""
    folded = unicodedata.normalize("NFKC", text).lower()
    folded = re.sub(r"(\w)-\n(\w)", r"\1\2", folded)
    found = ["".join(char for char in word if char.isalnum()) for word in folded.split()]
    found = [word for word in found if word]
    return list("".join(found)) if language in ("zh", "ja") else found


def error_rate(truth: Sequence[str], given: Sequence[str]) -> float:
    """Edits that make the given words the true ones, over the number of true ones; at most 1."""
    if not truth:
        return float(bool(given))
    row = list(range(len(given) + 1))
    for place, word in enumerate(truth, start=1):
        before, row[0] = row[0], place
        for column, other in enumerate(given, start=1):
            before, row[column] = row[column], min(row[column] + 1, row[column - 1] + 1, before + (word != other))
    return min(1.0, row[-1] / len(truth))


def read(runtime: Runtime, scan: Scan) -> Score:
    """Convert one scan and score it. The seconds are those of the recognisers alone."""
    with Source.from_path(scan.path) as source:
        outcome = run(runtime, source, ConvertOptions())
    version = outcome.versions[outcome.active]
    confidences = [result.confidence for result in version.recognition.with_text.values()]
    given = words(version.texts.canonical.text, language=scan.language)
    return Score(
        kind=scan.kind,
        name=scan.name,
        error_rate=error_rate(words(scan.truth, language=scan.language), given),
        seconds=sum(attempt.duration_ms for attempt in version.attempts if attempt.hook == "ocr") / 1000,
        pages=max(1, len(version.recognition.readings)),
        confidence=sum(confidences) / len(confidences) if confidences else 0.0,
    )


def table(engines: Sequence[str], found: list[Scan], results: Path | None) -> dict[str, list[Score]]:
    """Every scan by every choice of engines.

    Args:
        engines: their names; 'default' is the order that an installation has.
        found: the scans.
        results: a file of scores: what stands in it is not measured again, what is measured is added.
    """
    known = _known(results)
    scores: dict[str, list[Score]] = {}
    for name in engines:
        order = None if name == "default" else (name,)
        with Runtime(Settings(workers=2, ocr=OcrSettings(engines=order))) as runtime:
            scores[name] = []
            for scan in found:
                score = known.get((name, scan.name))
                if score is None:
                    score = read(runtime, scan)
                    _keep(results, name, score)
                scores[name].append(score)
                print(f"{name} {scan.name}: {score.error_rate:.3f}, {score.seconds:.1f} s", file=sys.stderr, flush=True)
    return scores


def _known(results: Path | None) -> dict[tuple[str, str], Score]:
    if results is None or not results.is_file():
        return {}
    rows = [json.loads(line) for line in results.read_text(encoding="utf-8").splitlines()]
    return {(row["engine"], row["score"]["name"]): Score(**row["score"]) for row in rows}


def _keep(results: Path | None, engine: str, score: Score) -> None:
    if results is not None:
        with results.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps({"engine": engine, "score": vars(score)}) + "\n")


def print_scores(scores: dict[str, list[Score]]) -> None:
    """One row a kind, one column pair an engine; then the mean of kinds."""
    names = list(scores)
    print("word error rate (seconds a page)".ljust(34) + "".join(name.rjust(22) for name in names))
    kinds = [kind for kind in KINDS if any(score.kind == kind for score in scores[names[0]])]
    means: dict[str, list[float]] = {name: [] for name in names}
    for kind in kinds:
        cells = []
        for name in names:
            some = [score for score in scores[name] if score.kind == kind]
            rate = sum(score.error_rate for score in some) / len(some)
            seconds = sum(score.seconds for score in some) / sum(score.pages for score in some)
            means[name].append(rate)
            cells.append(f"{rate:.3f} ({seconds:.1f})")
        count = sum(score.kind == kind for score in scores[names[0]])
        print(f"{kind}, {count}".ljust(34) + "".join(cell.rjust(22) for cell in cells))
    print("mean of kinds".ljust(34) + "".join(f"{sum(means[name]) / len(means[name]):.3f}".rjust(22) for name in names))
    every = {name: [score.error_rate for score in scores[name]] for name in names}
    print(
        "mean of documents".ljust(34)
        + "".join(f"{sum(every[name]) / len(every[name]):.3f}".rjust(22) for name in names)
    )


@dataclass(kw_only=True)
class Found:
    """Which pages were found, against what is known.

    Attributes:
        needing: pages that need recognition.
        unread: those of them that were not found.
        others: pages with a good text layer, or none and nothing to read.
        needless: those of them that would be recognised.
    """

    needing: int = 0
    unread: list[str] = field(default_factory=list)
    others: int = 0
    needless: list[str] = field(default_factory=list)


def find_pages(folder: Path) -> Found:
    """Look for pages that need recognition in every PDF that opens, without recognising any."""
    rows = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["documents"]
    found = Found()
    with Runtime(Settings(workers=2, ocr=OcrSettings(engines=()))) as runtime:
        for row in rows:
            path = folder / row["path"]
            if path.suffix != ".pdf" or row["path"].startswith("bad/"):
                continue
            with Source.from_path(path) as source:
                outcome = run(runtime, source, ConvertOptions(password=row.get("password")))
            version = outcome.versions[0]
            for page in version.conversion.pages:
                wanted = row["kind"] in SCANNED_KINDS or (path.stem, page.number) in NO_TEXT
                seen = page.number in version.recognition.unread
                found.needing += wanted
                found.others += not wanted
                if wanted is not seen:
                    (found.unread if wanted else found.needless).append(f"{row['path']} page {page.number}")
    return found


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engines", default="tesseract,rapidocr,default")
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--find-only", action="store_true", help="the second table alone")
    parser.add_argument("--results", type=Path, help="keep scores in this file, and do not measure again what it holds")
    parser.add_argument("--scores-only", action="store_true", help="the first table alone")
    parser.add_argument("--only", default="", help="scans whose path holds this")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    folder = corpus_folder()
    if folder is None:
        raise SystemExit("the corpus is not here: set OCTAVO_CORPUS, or lay it beside the checkout")
    if not options.find_only:
        found = [scan for scan in scans(folder) if scan.kind in options.kinds.split(",") and options.only in scan.name]
        scores = table(options.engines.split(","), found, options.results)
        if options.json:
            print(json.dumps({name: [vars(score) for score in some] for name, some in scores.items()}, indent=1))
        else:
            print_scores(scores)
    if options.scores_only:
        return
    pages = find_pages(folder)
    print(f"pages that need recognition: {pages.needing}, left unread: {len(pages.unread)} (target 0) {pages.unread}")
    share = len(pages.needless) / pages.others
    print(
        f"other pages: {pages.others}, found to need it: {len(pages.needless)}, {share:.2%} (target below {NEEDLESS_TARGET:.0%})"
    )
    for label in pages.needless:
        print(f"  {label}")


if __name__ == "__main__":
    main()
