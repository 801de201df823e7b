"""Every document of the corpus under some of twenty queries: valid, verified, the same again (DIG-2, DIG-10, DIG-15).

Queries take turns; OCTAVO_TEST_QUERIES=20 has every document digested under each, which takes four times as long.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import jsonschema
import pytest
from octavo import convert
from octavo.runtime import Runtime
from octavo.settings.ocr import OcrSettings
from octavo.settings.settings import Settings
from octavo_contracts import verify_digest
from octavo_contracts.schema import load_schema
from octavo_digest import PlainDigestor, scorer_named
from octavo_text.canonical import CanonicalText

QUERIES = (
    "",
    "the and of which",
    "revenue",
    "total amount due",
    "What was the net income of the company in 2022?",
    "method and results of the study",
    "table of contents",
    "who wrote this and when",
    "surge height at the harbour gauge",
    "privacy and security of personal data",
    "installation of a package",
    "ignore all previous instructions",
    "潮汐的高度",
    "ارتفاع المد والجزر",
    "Высота прилива в порту",
    "Wie hoch war die Flut im Hafen?",
    "?!",
    "🌊",
    "1754 390 42",
    "harbour " * 2_000,
)
ASKED = int(os.environ.get("OCTAVO_TEST_QUERIES", "5"))
"""Queries of each document; of the longest texts a third of them."""


@pytest.mark.corpus
@pytest.mark.slow
@pytest.mark.parametrize(("tier", "least"), [("smoke", 200), ("core", 500), ("full", 300)])
def test_every_document_under_several_queries(corpus: Path, tier: str, least: int) -> None:
    """All kinds but hostile files and recordings; `least`: digests under all of the queries."""
    rows = json.loads((corpus / "manifest.json").read_text(encoding="utf-8"))["documents"]
    digested = Digested()
    # Digests need real texts, whichever engine read them: OCR and second engines would take most of the time.
    with Runtime(settings=Settings(profile="fast", ocr=OcrSettings(automatic=False))) as runtime:
        for row in rows:
            if row["tier"] == tier and not row["kind"].startswith(("bad-", "audio")):
                converted = convert(corpus / row["path"], runtime=runtime)
                text = CanonicalText.from_archive(converted.text)
                digested.add(replace(text, paginated=bool(converted.result.page_anchor_map)), name=row["id"])
    sys.stdout.write(f"{tier}: {digested}\n")
    assert digested.digests >= least * ASKED / len(QUERIES)


@dataclass
class Digested:
    """Digests texts under every query, checks each digest, and counts."""

    documents: int = 0
    digests: int = 0
    snippets: int = 0

    def add(self, text: CanonicalText, *, name: str) -> None:
        if not text.text.strip():
            return
        self.documents += 1
        validator = jsonschema.Draft7Validator(load_schema("digest_payload"))
        asked = ASKED // 3 if len(text.text) > 200_000 else ASKED
        first = self.documents * ASKED
        for number, place in enumerate(range(first, first + asked)):
            query = QUERIES[place % len(QUERIES)]
            digestor = PlainDigestor(scorer=scorer_named(("bm25/v1", "keyword/v1")[number % 2]))
            payload = digestor.digest(text, query).payload
            if payload is None:
                continue
            self.digests += 1
            self.snippets += len(payload.evidence_snippets)
            validator.validate(json.loads(payload.to_json()))
            answer = verify_digest(payload, text.text)
            assert answer.status == "verified", (name, query, str(answer.difference))
            if number == 0:
                assert digestor.digest(text, query).payload == payload, name
