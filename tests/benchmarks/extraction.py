"""Entities and literal fields, measured on labelled documents: `OCTAVO_CORPUS=… python tests/benchmarks/extraction.py`.

Entities: exact span and type, and span alone, over the corpus's labelled sentences, for each installed engine; each in its
sandbox, each span held to the text. A type that a document's labels do not have is not counted in it.

Fields: the values that are verified against those that people noted, over real filings, invoices, e-mails and receipts.
`precision` is of what was called verified: the figure that CNV-13 is about. Receipts are scans; the text read is the
corpus's transcription of them.
"""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from email.utils import getaddresses, parsedate_to_datetime
from pathlib import Path
from typing import Any

from octavo.plugins import HookCall
from octavo.runtime import Runtime
from octavo_contracts import EntityObservation, EntityRequest, OctavoError
from octavo_fields import extract
from octavo_library import Library
from octavo_library.entities import check_observations
from octavo_library.text.dates import one_reading
from octavo_library.text.numbers import number_reading

MANIFEST = Path(__file__).with_name("extraction_fields.json")
COARSE = {
    "person": "PER",
    "organization": "ORG",
    "location": "LOC",
    "date": "DATE",
    "nationality": "MISC",
    "event": "MISC",
    "product": "MISC",
    "work of art": "MISC",
    "law": "MISC",
    "language": "MISC",
}


def corpus_folder() -> Path:
    """Where the corpus is; see CONTRIBUTING.md."""
    default = Path(__file__).parents[3] / "shared" / "corpus" / "dev"
    return Path(os.environ.get("OCTAVO_CORPUS", default))


@dataclass
class Counts:
    """True and false positives, and what was missed."""

    right: int = 0
    wrong: int = 0
    missed: int = 0

    def add(self, found: set[Any], gold: set[Any]) -> None:
        """Compare two sets."""
        self.right += len(found & gold)
        self.wrong += len(found - gold)
        self.missed += len(gold - found)

    @property
    def scores(self) -> tuple[float, float, float]:
        """Precision, recall, F1."""
        precision = self.right / max(1, self.right + self.wrong)
        recall = self.right / max(1, self.right + self.missed)
        return precision, recall, 2 * precision * recall / max(1e-9, precision + recall)


def entity_rows(corpus: Path, runtime: Runtime) -> Iterator[tuple[str, str, Counts, Counts, int]]:
    """(engine, document, exact, span alone, observations dropped), or a row of zeros where an engine cannot run."""
    for plugin in runtime.catalogue.having("extract_entities"):
        for path in sorted(corpus.glob("text/ner-*.txt")):
            text = path.read_text(encoding="utf-8")
            gold = json.loads(path.with_suffix(".gt.entities.json").read_text(encoding="utf-8"))["entities"]
            types = {one["coarse"] for one in gold}
            request = EntityRequest(
                labels=tuple(label for label, kind in COARSE.items() if kind in types), threshold=0.0
            )
            call = HookCall(plugin=plugin, hook="extract_entities", arguments={"text": text, "request": request})
            try:
                answer = runtime.dispatcher.call_list(call, EntityObservation, attempts=[])
            except OctavoError as error:
                print(f"{plugin.name}: {error}", file=sys.stderr)
                break
            checked = check_observations(text, request, answer)
            found = {(m.observation.start, m.observation.end, COARSE[m.observation.label]) for m in checked.kept}
            wanted = {(one["start"], one["end"], one["coarse"]) for one in gold if one["coarse"] in COARSE.values()}
            exact, spans = Counts(), Counts()
            exact.add(found, wanted)
            spans.add({one[:2] for one in found}, {one[:2] for one in wanted})
            yield plugin.name, path.stem, exact, spans, sum(checked.dropped.values())


@dataclass
class Case:
    """A document, the schema asked of it, and what people noted."""

    group: str
    path: Path
    schema: dict[str, Any]
    gold: dict[str, Any]


def field_cases(corpus: Path) -> Iterator[Case]:
    """The labelled documents: those of the manifest, and those that the corpus labels itself."""
    manifest = json.loads(MANIFEST.read_text(encoding="utf-8"))
    for row in manifest["documents"]:
        yield Case(row["schema"], corpus / row["document"], manifest["schemas"][row["schema"]], row["fields"])
    for path in sorted(corpus.glob("email/*")):
        truth = path.with_suffix(".gt.json")
        if path.suffix in (".eml", ".msg") and truth.is_file():
            gold = _email_gold(json.loads(truth.read_text(encoding="utf-8")))
            yield Case("email", path, manifest["schemas"]["email"], gold)
    for path in sorted(corpus.glob("image/sroie-*.gt.fields.json")):
        noted = json.loads(path.read_text(encoding="utf-8"))["fields"]
        total = number_reading(re.sub(r"^(RM|\$)", "", noted["total"]))
        gold = {"total": float(total or 0), "date": one_reading(noted["date"], order="dmy")}
        text = path.with_name(path.name.replace(".fields.json", ".txt"))
        yield Case("shop_receipt", text, manifest["schemas"]["shop_receipt"], gold)


def _email_gold(truth: dict[str, Any]) -> dict[str, Any]:
    gold: dict[str, Any] = {}
    for key in ("from", "to"):
        addresses = [address for _, address in getaddresses([truth.get(key) or ""]) if "@" in address]
        if len(addresses) == 1:
            gold[key] = addresses[0]
    if truth.get("date"):
        date = str(truth["date"])
        gold["date"] = date[:10] if date[:4].isdigit() else parsedate_to_datetime(date).date().isoformat()
    return gold


@dataclass
class FieldScore:
    """The results for the fields of a group."""

    labelled: int = 0
    accepted: int = 0
    right: int = 0
    wrong: list[str] = field(default_factory=list)


def score_fields(corpus: Path, library: Library) -> dict[str, FieldScore]:
    """Group → its score. A verified value of a field that people noted nothing for is counted as wrong too."""
    scores: dict[str, FieldScore] = {}
    for case in field_cases(corpus):
        score = scores.setdefault(case.group, FieldScore())
        found = extract(library, str(library.ingest(case.path).document_id), case.schema).fields
        score.labelled += len(case.gold)
        for name, gold in case.gold.items():
            if not found[name].verified:
                continue
            score.accepted += 1
            if found[name].value == gold:
                score.right += 1
            else:
                score.wrong.append(f"{case.path.name}: {name}: {found[name].value!r}, noted {gold!r}")
    return scores


def main() -> int:
    """Print both tables."""
    corpus = corpus_folder()
    if not corpus.is_dir():
        print(f"no corpus at {corpus}: set OCTAVO_CORPUS", file=sys.stderr)
        return 2
    with Runtime() as runtime:
        print_entities(corpus, runtime)
        with (
            tempfile.TemporaryDirectory() as folder,
            Library.open(Path(folder) / "library", runtime=runtime) as library,
        ):
            return print_fields(score_fields(corpus, library))


def print_entities(corpus: Path, runtime: Runtime) -> None:
    """The table of entities."""
    print(
        "| engine | document | precision | recall | F1 | F1 of the span alone | spans dropped |\n|---|---|---|---|---|---|---|"
    )
    means: dict[str, list[tuple[float, float]]] = {}
    for engine, document, exact, spans, dropped in entity_rows(corpus, runtime):
        precision, recall, f1 = exact.scores
        means.setdefault(engine, []).append((f1, spans.scores[2]))
        print(
            f"| {engine} | {document} | {precision:.3f} | {recall:.3f} | {f1:.3f} | {spans.scores[2]:.3f} | {dropped} |"
        )
    for engine, rows in means.items():
        exact_mean, span_mean = (sum(column) / len(rows) for column in zip(*rows, strict=True))
        print(f"| {engine} | mean of {len(rows)} | | | {exact_mean:.3f} | {span_mean:.3f} | |")


def print_fields(scores: dict[str, FieldScore]) -> int:
    """The table of fields; 1 where fewer than 98 of 100 accepted values are right."""
    print("\n| documents | fields | accepted | right | precision | recall |\n|---|---|---|---|---|---|")
    total: Counter[str] = Counter()
    for group, score in scores.items():
        total.update(labelled=score.labelled, accepted=score.accepted, right=score.right)
        _print_row(group, score.labelled, score.accepted, score.right)
    _print_row("all", total["labelled"], total["accepted"], total["right"])
    for score in scores.values():
        for line in score.wrong:
            print(f"wrong: {line}")
    return int(total["right"] < 0.98 * total["accepted"])


def _print_row(name: str, labelled: int, accepted: int, right: int) -> None:
    precision, recall = right / max(1, accepted), right / max(1, labelled)
    print(f"| {name} | {labelled} | {accepted} | {right} | {precision:.3f} | {recall:.3f} |")


if __name__ == "__main__":
    raise SystemExit(main())
