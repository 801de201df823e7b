"""Verifies an exported research report. Knows the published form of `report.json` and of locators, and nothing of Octavo."""

from __future__ import annotations

import hashlib
import html
import json
import re
import stat
import sys
from pathlib import Path
from typing import Any

LOCATOR = re.compile(r"(?:page:([1-9]\d*):)?char:(\d+)-(\d+)")
HASH = re.compile(r"sha256:[0-9a-f]{64}")
MARKED = re.compile('["“”„«»‹›「『❝‘‚]([^"“”„«»‹›」』❞’‘]*)["“”«»‹›」』❞’‘]?')
LARGEST = 256 << 20
SEPARATOR = re.compile(r"\n\n---PAGE ([1-9]\d*)---\n\n")


def body_of_page(text: str, page: int) -> str:
    """The body of a page, from 1: separators count only in their order."""
    starts, ends = [0], []
    for match in SEPARATOR.finditer(text):
        if int(match[1]) == len(starts) + 1:
            ends.append(match.start())
            starts.append(match.end())
    ends.append(len(text))
    return text[starts[page - 1] : ends[page - 1]]


def quotation(text: str, locator: str) -> str:
    """What stands at a locator."""
    match = LOCATOR.fullmatch(locator)
    if match is None:
        raise SystemExit(f"malformed locator: {locator}")
    body = text if match[1] is None else body_of_page(text, int(match[1]))
    start, end = int(match[2]), int(match[3])
    if not start < end <= len(body):
        raise SystemExit(f"locator outside its text: {locator}")
    return body[start:end]


def unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """An object of JSON, no key of which is there twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise SystemExit("an object of report.json has a key twice")
    return found


def read(path: Path) -> bytes:
    """A regular file of a size that Octavo writes."""
    status = path.lstat()
    if not stat.S_ISREG(status.st_mode) or status.st_size > LARGEST:
        raise SystemExit(f"no regular file, or too large: {path.name}")
    return path.read_bytes()


def check_words(report: dict[str, Any], claim: dict[str, Any], texts: list[str]) -> None:
    """Without a model a supported claim is one of its quotations; with one, what it puts between marks is in its texts."""
    quotes = [cited["quote"] for cited in claim["citations"]]
    if not quotes or claim["text"] in quotes:
        return
    if report["model"] == "none":
        raise SystemExit(f"the claim equals none of its quotations: {claim['text']}")
    for phrase in MARKED.findall(html.unescape(claim["text"])):
        if not any(" ".join(phrase.split()) in " ".join(text.split()) for text in texts):
            raise SystemExit(f"no text that is cited has what the claim quotes: {phrase}")


def main(folder: Path) -> int:
    """Check every citation; returns their number."""
    report = json.loads(read(folder / "report.json"), object_pairs_hook=unique)
    named: dict[tuple[str, int], tuple[str, str]] = {}
    count = 0
    for section in report["sections"]:
        for claim in section["claims"]:
            if claim["supported"] != bool(claim["citations"]):
                raise SystemExit(f"supported does not fit the citations: {claim['text']}")
            texts = []
            for cited in claim["citations"]:
                if HASH.fullmatch(cited["source_text_hash"]) is None:
                    raise SystemExit(f"malformed hash: {cited['source_text_hash']}")
                digest = cited["source_text_hash"].removeprefix("sha256:")
                data = read(folder / "archive" / f"{digest}.txt")
                if hashlib.sha256(data).hexdigest() != digest:
                    raise SystemExit(f"the archived text is another one: {digest}")
                texts.append(data.decode())
                if quotation(texts[-1], cited["locator"]) != cited["quote"]:
                    raise SystemExit(f"the quotation differs: {cited['locator']}")
                told = (cited["title"], digest)
                if type(cited["version"]) is not int or cited["version"] < 1:
                    raise SystemExit(f"malformed version: {cited['version']}")
                if named.setdefault((cited["document_id"], cited["version"]), told) != told:
                    raise SystemExit(f"two titles or two texts of one version: {cited['document_id']}")
                count += 1
            check_words(report, claim, texts)
    if not count:
        raise SystemExit("nothing to verify: the report has no quotation")
    return count


if __name__ == "__main__":
    sys.stdout.write(f"{main(Path(sys.argv[1]))}\n")
