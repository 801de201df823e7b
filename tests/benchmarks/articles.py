"""The main content of web pages: Octavo beside trafilatura alone and readability, on the articles of the corpus.

Each page's article was marked by hand. Words are compared as the accuracy harness compares them (CNV-14, CNV-11): F1 of runs of
four words, which order and furniture lower, and F1 of single words. Whether Octavo is at least equal is said by a paired bootstrap
over the pages. Usage: python -m tests.benchmarks.articles [--json]; needs `pip install readability-lxml`.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
from collections.abc import Callable
from pathlib import Path

import octavo
from lxml import html
from octavo.runtime import Runtime
from octavo.settings.ocr import OcrSettings
from octavo.settings.settings import Settings

from .accuracy.words import normalised, shingle_f1, token_f1, words
from .corpus import corpus_folder

DRAWS = 2000


def by_octavo(runtime: Runtime) -> Callable[[Path], str]:
    """The converted text, as routing has it."""
    return lambda path: octavo.convert(path, runtime=runtime).text


def by_trafilatura(path: Path) -> str:
    """Trafilatura's own text with its defaults."""
    import trafilatura

    return trafilatura.extract(path.read_bytes()) or ""


def by_readability(path: Path) -> str:
    """The text of readability's summary."""
    from readability import Document

    summary = Document(path.read_bytes().decode("utf-8", "replace")).summary()
    return "\n".join(html.fromstring(summary).itertext())


def articles() -> list[tuple[Path, str]]:
    """The pages whose article is known, and its text; empty where there is no corpus."""
    folder = corpus_folder()
    if folder is None:
        return []
    rows = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["documents"]
    return [
        (folder / row["path"], json.loads((folder / row["ground_truth"]).read_text(encoding="utf-8"))["articleBody"])
        for row in rows
        if row["ground_truth_type"] == "article_json"
    ]


def interval(differences: list[float]) -> tuple[float, float]:
    """The middle 95 % of the means of so many draws with replacement."""
    chance = random.Random(20)
    means = sorted(statistics.fmean(chance.choices(differences, k=len(differences))) for _ in range(DRAWS))
    return means[int(0.025 * DRAWS)], means[int(0.975 * DRAWS)]


def measure() -> dict[str, dict[str, object]]:
    """Mean F1 of each, and how Octavo stands beside it.

    Raises:
        SystemExit: there is no corpus.
    """
    wanted = articles()
    if not wanted:
        raise SystemExit("no corpus: set OCTAVO_CORPUS")
    scores: dict[str, list[tuple[float, float]]] = {}
    with Runtime(Settings(workers=1, ocr=OcrSettings(automatic=False))) as runtime:
        ways = {"octavo": by_octavo(runtime), "trafilatura": by_trafilatura, "readability": by_readability}
        for path, truth in wanted:
            known = words(normalised(truth))
            for name, read in ways.items():
                given = words(normalised(read(path)))
                scores.setdefault(name, []).append((shingle_f1(known, given), token_f1(known, given)))
    ours = scores["octavo"]
    found: dict[str, dict[str, object]] = {}
    for name, own in scores.items():
        low, high = interval([mine[0] - other[0] for mine, other in zip(ours, own, strict=True)])
        found[name] = {
            "pages": len(own),
            "f1_of_four_words": statistics.fmean(one[0] for one in own),
            "f1_of_words": statistics.fmean(one[1] for one in own),
            "octavo_better_by": [low, high],
        }
    return found


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = measure()
    if options.json:
        print(json.dumps(found, indent=1))
        return
    print(f"{found['octavo']['pages']} articles\n")
    print("                four words    words   octavo's lead in four words, 95 %")
    for name, row in found.items():
        low, high = row["octavo_better_by"]  # type: ignore[misc]  # a list of two, made above
        lead = "" if name == "octavo" else f"{low:+.3f} to {high:+.3f}"
        print(f"{name:14}  {row['f1_of_four_words']:10.3f}  {row['f1_of_words']:7.3f}   {lead}")


if __name__ == "__main__":
    main()
