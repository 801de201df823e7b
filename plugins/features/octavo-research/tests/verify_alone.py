"""Verifies an exported research report. Knows the published form of `report.json` and of locators, and nothing of Octavo."""

from __future__ import annotations

import hashlib
import json
import re
import sys
from pathlib import Path

LOCATOR = re.compile(r"(?:page:([1-9]\d*):)?char:(\d+)-(\d+)")
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


def main(folder: Path) -> int:
    """Check every citation; returns their number."""
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    count = 0
    for section in report["sections"]:
        for claim in section["claims"]:
            if claim["supported"] != bool(claim["citations"]):
                raise SystemExit(f"supported does not fit the citations: {claim['text']}")
            for cited in claim["citations"]:
                digest = cited["source_text_hash"].removeprefix("sha256:")
                data = (folder / "archive" / f"{digest}.txt").read_bytes()
                if hashlib.sha256(data).hexdigest() != digest:
                    raise SystemExit(f"the archived text is another one: {digest}")
                if quotation(data.decode(), cited["locator"]) != cited["quote"]:
                    raise SystemExit(f"the quotation differs: {cited['locator']}")
                count += 1
    return count


if __name__ == "__main__":
    sys.stdout.write(f"{main(Path(sys.argv[1]))}\n")
