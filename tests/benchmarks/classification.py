"""What the classifier says of the corpus beside what is known: a confusion matrix, the scan test, and milliseconds.

Categories are known by what the manifest calls a document's format, and `pdf_scanned` by its kind: whether a PDF of text
is `pdf_text` or `pdf_visual` nobody labelled, so these two are one row. Scanned pages are those of the scanned kinds and
those that were looked at (`ocr.NO_TEXT`); only pages that the classifier samples are counted.
Times are of the whole inspection (detection, preflight and classification) in this process, best of some rounds, over all
PDFs with 15 to 25 pages, and over one of exactly 20 that is made here. They are processor time: an inspection waits for
nothing, and other work on the machine is not the classifier's.
Usage: python -m tests.benchmarks.classification [--rounds N] [--json]
"""

from __future__ import annotations

import argparse
import io
import json
import math
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from octavo.builtins.classification.inspection import Inspection
from octavo.builtins.classification.inspector import inspect
from octavo_contracts import FileSource, HookContext, OctavoError

from .corpus import corpus_folder
from .ocr import NO_TEXT, SCANNED_KINDS

TARGET_MS = 50
TARGET_F1 = 0.95
PDF = "pdf_text or pdf_visual"
FORMATS = {
    "docx": "word",
    "odt": "word",
    "pptx": "presentation",
    "ppt": "presentation",
    "odp": "presentation",
    "xlsx": "spreadsheet",
    "xls": "spreadsheet",
    "ods": "spreadsheet",
    "csv": "spreadsheet",
    "image": "image",
    "audio": "audio",
    "html": "plaintext, html",
    "email": "plaintext, email",
    "epub": "plaintext, ebook",
    "text": "plaintext",
    "markdown": "plaintext",
    "xml": "plaintext",
    "vtt": "plaintext",
    "ipynb": "plaintext",
}
"""Format of the manifest → category, with its sub-kind where it has one."""


@dataclass(kw_only=True)
class Found:
    """What was counted.

    Attributes:
        matrix: (known, said) → documents.
        pages: scanned pages that were found, found for nothing, and missed.
        filings: annual and quarterly reports, and how many of them were called so.
        refused: documents that preflight or the classifier refused.
        wrong: what differs from what is known.
    """

    matrix: Counter[tuple[str, str]] = field(default_factory=Counter)
    pages: Counter[str] = field(default_factory=Counter)
    filings: Counter[str] = field(default_factory=Counter)
    refused: int = 0
    wrong: list[str] = field(default_factory=list)

    @property
    def scan_f1(self) -> float:
        """Of the test for scanned pages."""
        right = self.pages["right"]
        return 2 * right / max(1, 2 * right + self.pages["needless"] + self.pages["missed"])

    @property
    def accuracy(self) -> float:
        """The share of documents whose category is the known one."""
        right = sum(count for (known, said), count in self.matrix.items() if known == said)
        return right / max(1, self.matrix.total())


def look(path: Path, *, password: str | None = None) -> Inspection:
    """Inspect a document in this process; the sandbox is measured elsewhere."""
    return inspector(path, password=password)()


def inspector(path: Path, *, password: str | None = None) -> Callable[[], Inspection]:
    """A call that inspects a document from the beginning."""
    payload = json.dumps({"password": password}).encode()
    context = HookContext(work_dir=path.parent, deadline=math.inf)  # neither is needed: nothing is written

    def call() -> Inspection:
        return Inspection.read(inspect(payload, FileSource(path, media_type=""), context))

    return call


def count(folder: Path) -> Found:
    """Classify the corpus. Hostile input is left out: it has no category to be known."""
    rows = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["documents"]
    found = Found()
    for row in rows:
        known = known_category(row)
        if known is None:
            continue
        try:
            inspection = look(folder / row["path"], password=row.get("password"))
        except OctavoError:
            inspection = None
        if inspection is None or inspection.classification is None:
            found.refused += 1
            found.wrong.append(f"{row['path']}: refused, known as {known}")
            continue
        _count(found, row, inspection, known)
    return found


def known_category(row: dict[str, Any]) -> str | None:
    """The category of a row of the manifest, or None where it says nothing of it."""
    if row["kind"].startswith(("bad-", "url-")):
        return None
    if row["format"] == "pdf":
        return "pdf_scanned" if row["kind"] in SCANNED_KINDS else PDF
    return FORMATS.get(row["format"])


def _count(found: Found, row: dict[str, Any], inspection: Inspection, known: str) -> None:
    said = inspection.classification
    assert said is not None  # the caller looked
    category = PDF if said.category in ("pdf_text", "pdf_visual") else said.category.value
    if said.sub_kind:
        category += f", {said.sub_kind}"
    found.matrix[known, category] += 1
    if category != known:
        found.wrong.append(f"{row['path']}: {category}, known as {known}")
    if row["kind"] == "pdf-table-heavy":
        found.filings["all"] += 1
        found.filings["sec_filing"] += said.document_type == "sec_filing"
        found.filings["table_heavy_filing"] += said.routing_type == "table_heavy_filing"
    if row["format"] == "pdf":
        stem = Path(row["path"]).stem
        for page in said.page_metadata:
            wanted = row["kind"] in SCANNED_KINDS or (stem, page.page_number) in NO_TEXT
            if wanted or page.is_scanned:
                outcome = "right" if wanted and page.is_scanned else "missed" if wanted else "needless"
                found.pages[outcome] += 1
                if outcome != "right":
                    found.wrong.append(f"{row['path']} page {page.page_number}: {outcome}")
            else:
                found.pages["text"] += 1


def twenty_pages() -> bytes:
    """A PDF of 20 dense pages of text."""
    from pikepdf import Array, Dictionary, Name, Pdf, Stream

    pdf = Pdf.new()
    font = pdf.make_indirect(Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica))
    for number in range(20):
        line = f"Page {number} of the harbour record names every ship that came in, its master and its cargo."
        body = "".join(f"({line}) Tj T* " for _ in range(45))
        page = pdf.add_blank_page(page_size=(595, 842))
        page.obj.Resources = Dictionary(Font=Dictionary(F1=font))
        page.obj.Contents = Stream(pdf, f"BT /F1 10 Tf 14 TL 50 790 Td {body} ET".encode())
        page.obj.MediaBox = Array([0, 0, 595, 842])
    buffer = io.BytesIO()
    pdf.save(buffer)
    return buffer.getvalue()


def milliseconds(call: Callable[[], Inspection], *, rounds: int) -> float:
    """The best of some calls."""
    best = float("inf")
    for _ in range(rounds):
        begun = time.process_time()
        call()
        best = min(best, time.process_time() - begun)
    return best * 1000


def times(folder: Path, *, rounds: int) -> dict[str, float]:
    """Milliseconds of each PDF with 15 to 25 pages, the quickest first."""
    found = {}
    for row in json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["documents"]:
        if known_category(row) not in (PDF, "pdf_scanned"):
            continue
        call = inspector(folder / row["path"], password=row.get("password"))
        try:
            classification = call().classification
        except OctavoError:
            continue
        if classification is not None and 15 <= (classification.page_count or 0) <= 25:
            found[row["path"]] = milliseconds(call, rounds=rounds)
    return dict(sorted(found.items(), key=lambda item: item[1]))


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    folder = corpus_folder()
    if folder is None:
        raise SystemExit("the corpus is not here: set OCTAVO_CORPUS, or lay it beside the checkout")
    found = count(folder)
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "twenty.pdf"
        path.write_bytes(twenty_pages())
        made = milliseconds(inspector(path), rounds=options.rounds)
    spent = times(folder, rounds=options.rounds)
    if options.json:
        print(json.dumps(_json(found, made, spent), indent=1))
        return
    print_matrix(found)
    pages = found.pages
    print(
        f"\nscanned pages: {pages['right']} found, {pages['missed']} missed, {pages['needless']} found for nothing among "
        f"{pages['text'] + pages['needless']} of text: F1 {found.scan_f1:.3f} (target {TARGET_F1})"
    )
    filings = found.filings
    print(
        f"annual and quarterly reports: {filings['all']}; typed sec_filing {filings['sec_filing']}, "
        f"routed as table_heavy_filing {filings['table_heavy_filing']}"
    )
    print(f"20 pages of text, made: {made:.1f} ms (target {TARGET_MS} ms)")
    if spent:
        values = list(spent.values())
        p95 = values[math.ceil(0.95 * len(values)) - 1]
        print(f"{len(values)} PDFs of 15 to 25 pages: median {statistics.median(values):.1f} ms, p95 {p95:.1f} ms")
        for path, value in spent.items():
            print(f"  {path}: {value:.1f} ms{' (above the target)' if value >= TARGET_MS else ''}")
    for line in found.wrong:
        print(f"  {line}")


def print_matrix(found: Found) -> None:
    """Rows are what is known, columns what was said."""
    said = sorted({column for _, column in found.matrix})
    print(_line(["known as", *said]))
    print("|" + " --- |" * (len(said) + 1))
    for known in sorted({row for row, _ in found.matrix}):
        print(_line([known, *(str(found.matrix[known, column] or "") for column in said)]))
    print(f"\nright: {found.accuracy:.3f} of {found.matrix.total()}; refused {found.refused}")


def _json(found: Found, made: float, spent: dict[str, float]) -> dict[str, Any]:
    return {
        "accuracy": found.accuracy,
        "matrix": [{"known": known, "said": said, "count": count} for (known, said), count in found.matrix.items()],
        "scan_f1": found.scan_f1,
        "pages": dict(found.pages),
        "filings": dict(found.filings),
        "made_20_pages_ms": made,
        "corpus_15_to_25_pages_ms": spent,
        "wrong": found.wrong,
    }


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
