"""The OC-DIG family against every digestor that is installed, and against the core's own."""

from __future__ import annotations

import asyncio
import json
import random
from importlib.util import find_spec

import pytest
from octavo.plugins.services import load_services
from octavo_contracts import Digestor
from octavo_digest import SCORERS
from octavo_digest.choosing import CORE, DigestOptions, choose_digestor
from octavo_text.canonical import CanonicalText, canonical_body, join_bodies

pytestmark = pytest.mark.skipif(not find_spec("octavo_conformance"), reason="octavo-conformance is not installed")

SERVICES = load_services()
DIGESTORS = [CORE, *(service.name for service in SERVICES.of_kind("digestor"))]
QUERIES = ["", "surge at the harbour gauge", "whale", "潮汐", "the of and", "surge " * 20_000]


def text_of(pages: int, seed: int) -> CanonicalText:
    """A text with sentences enough to be digested."""
    rng = random.Random(seed)
    words = ["tide", "surge", "gauge", "harbour", "seal", "buoy", "wind", "salt", "moon", "潮汐", "naïve", "🌊"]
    bodies = []
    for _ in range(pages):
        sentences = (" ".join(rng.choices(words, k=rng.randint(5, 16))).capitalize() + "." for _ in range(70))
        bodies.append(canonical_body("\n\n".join(sentences)))
    return join_bodies(bodies, paginated=pages > 1)


@pytest.mark.parametrize("scorer", [None, *SCORERS])
@pytest.mark.parametrize("pages", [1, 4])
@pytest.mark.parametrize("name", DIGESTORS)
def test_every_digest_passes_every_check_of_its_family(name: str, pages: int, scorer: str | None) -> None:
    from octavo_conformance.documents import check_document
    from octavo_conformance.evidence import DigestEvidence

    digestor = choose_digestor(SERVICES, DigestOptions(scorer=scorer), name=name)
    assert isinstance(digestor, Digestor)
    text = text_of(pages, seed=pages).text

    digested = 0
    for number, query in enumerate(QUERIES):
        outcome = asyncio.run(digestor.digest_text(text, query, source_id=f"text-{number}"))
        assert outcome.payload is not None, outcome
        evidence = DigestEvidence(data=json.loads(outcome.payload.to_json()), archive=text, searched=True)
        failed = [(one.check.id, one.reason, one.actual) for one in check_document(evidence) if one.status != "passed"]
        assert failed == [], query[:40]
        digested += 1
    assert digested == len(QUERIES)
