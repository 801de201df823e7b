"""OC-DIG: a `DigestPayload` as JSON, verified against its archived text."""

from __future__ import annotations

import re
from collections import Counter

from octavo_contracts import DigestPayload, Locator, LocatorError, query_hash, resolve_locator, resolve_span
from octavo_contracts.schema import load_schema

from ..checks import Broken, check, expect_equal, expect_none
from ..evidence import DigestEvidence, sha256_of
from ..schemas import first_violation

_FITS = ("OC-DIG-001",)
_WORD = re.compile(r"[^\W_]{4,}")
LONG_SOURCE = 10_000
"""Sources longer than this many code points must shrink to less than half (R-1)."""


@check("OC-DIG-001", scope="digest", level=1, spec=("DIG-1", "DIG-2"))
def digest_fits_its_schema(evidence: DigestEvidence) -> None:
    """The JSON validates against the committed draft-07 schema: ten fields with their limits and formats.

    Fix:
    Compare with `octavo schema digest-payload`; all ten fields are required.
    """
    violation = first_violation(evidence.data, load_schema("digest_payload"))
    if violation:
        raise Broken("the digest does not match the schema", expected="a valid DigestPayload", actual=violation)


@check("OC-DIG-002", scope="digest", level=1, spec=("DIG-2",), requires=_FITS)
def digest_has_no_other_field(evidence: DigestEvidence) -> None:
    """A writer adds no further fields.

    Fix:
    Keep scorer, method and document id in DigestOutcome.details.
    """
    known = set(DigestPayload.model_fields)
    expect_none(sorted(set(evidence.data) - known), "unknown fields", expected="only the ten fields")


@check("OC-DIG-003", scope="digest", level=1, spec=("DIG-3",), requires=_FITS)
def locators_parse(evidence: DigestEvidence) -> None:
    """Every locator is `char:S-E` or `page:N:char:S-E` and has the length of its snippet.

    Fix:
    Build locators with octavo_contracts.Locator.
    """
    for snippet in evidence.data["evidence_snippets"]:
        try:
            place = Locator.parse(snippet["locator"])
        except LocatorError as error:
            raise Broken("a locator is malformed", expected="char:S-E or page:N:char:S-E", actual=str(error)) from error
        expect_equal(place.end - place.start, len(snippet["text"]), f"the length of {snippet['locator']}")


@check("OC-DIG-004", scope="digest", level=2, spec=("DIG-10",), requires=_FITS, reads="archive")
def the_archive_is_the_source(evidence: DigestEvidence) -> None:
    """`source_text_hash` is the hash of the archived canonical text.

    Fix:
    Hash and archive the same canonical text, in UTF-8, before digesting.
    """
    if evidence.archive is not None:
        expect_equal(evidence.data["source_text_hash"], f"sha256:{sha256_of(evidence.archive)}", "source_text_hash")


@check("OC-DIG-009", scope="digest", level=2, spec=("DIG-10",), requires=_FITS, reads="searched")
def the_archive_has_the_source(evidence: DigestEvidence) -> None:
    """The archive that is given has a text with the digest's `source_text_hash`.

    Fix:
    Archive the canonical text under its hash; a digest whose source is not archived verifies nothing.
    """
    if evidence.searched and evidence.archive is None:
        raise Broken(
            "the archive has no such text", expected=evidence.data["source_text_hash"], actual="no text with this hash"
        )


@check(
    "OC-DIG-005",
    scope="digest",
    level=2,
    spec=("DIG-3", "DIG-10", "R-2"),
    requires=("OC-DIG-003", "OC-DIG-004"),
    reads="archive",
)
def snippets_are_verbatim(evidence: DigestEvidence) -> None:
    """Each locator slices the archived text to its snippet, code point by code point.

    Fix:
    Cut snippets out of the canonical text; add no ellipsis; keep page locators relative to their page.
    """
    for snippet in evidence.payload.evidence_snippets if evidence.archive is not None else ():
        try:
            found = resolve_locator(evidence.archive or "", snippet.locator)
        except LocatorError as error:
            raise Broken("a locator is outside the text", expected=snippet.text, actual=str(error)) from error
        expect_equal(snippet.text, found, f"the text at {snippet.locator}")


@check("OC-DIG-006", scope="digest", level=2, spec=("R-1",), requires=("OC-DIG-003",))
def sizes_are_counted(evidence: DigestEvidence) -> None:
    """`digest_chars` counts summary, key points and snippets, and `original_chars` the canonical text.

    Fix:
    Count code points after the payload is complete.
    """
    payload = evidence.payload
    texts = (payload.summary, *payload.key_points, *(snippet.text for snippet in payload.evidence_snippets))
    expect_equal(payload.digest_chars, sum(map(len, texts)), "digest_chars")
    if evidence.archive is not None:
        expect_equal(payload.original_chars, len(evidence.archive), "original_chars")


@check("OC-DIG-007", scope="digest", level=2, spec=("R-1",), requires=("OC-DIG-006",))
def the_ratio_is_a_gain(evidence: DigestEvidence) -> None:
    """The ratio is digest_chars / original_chars, below 1, and below 0.5 for sources over 10,000 characters.

    Fix:
    Drop the lowest-ranked snippets and key points; skip the source as `no_gain` if it would not shrink.
    """
    payload = evidence.payload
    ratio = payload.digest_chars / payload.original_chars if payload.original_chars else 1.0
    if abs(ratio - payload.compression_ratio) > 1e-4:
        raise Broken("the ratio is wrong", expected=f"{ratio:.6f}", actual=payload.compression_ratio)
    limit = 0.5 if payload.original_chars > LONG_SOURCE else 1.0
    if ratio >= limit:
        raise Broken("the digest does not shrink its source", expected=f"below {limit}", actual=f"{ratio:.3f}")


@check("OC-DIG-008", scope="digest", level=2, spec=("DIG-13", "DIG-15"), requires=("OC-DIG-003",))
def snippets_are_ranked(evidence: DigestEvidence) -> None:
    """Snippets are ordered by score, best first, then by position; scores are rounded to six digits.

    Fix:
    Sort by score descending, then by offset; round after ranking.
    """
    snippets = evidence.payload.evidence_snippets
    rough = [s.relevance_score for s in snippets if round(s.relevance_score, 6) != s.relevance_score]
    expect_none(rough, "scores with more than six digits")

    def key(place: int) -> tuple[float, int]:
        snippet = snippets[place]
        at = resolve_span(evidence.archive, snippet.locator).start if evidence.archive is not None else place
        return -snippet.relevance_score, at

    order = list(range(len(snippets)))
    if evidence.archive is None or _resolves(evidence):
        expect_equal(order, sorted(order, key=key), "the order of the snippets")


def _resolves(evidence: DigestEvidence) -> bool:
    try:
        for snippet in evidence.payload.evidence_snippets:
            resolve_span(evidence.archive or "", snippet.locator)
    except LocatorError:
        return False
    return True


@check("OC-DIG-010", scope="digest", level=2, spec=("DIG-12", "DIG-13"), requires=("OC-DIG-006",))
def snippets_are_different(evidence: DigestEvidence) -> None:
    """No two snippets are of the same place.

    Fix:
    Drop repeated snippets before counting characters.
    """
    places = Counter(snippet.locator for snippet in evidence.payload.evidence_snippets)
    expect_none([place for place, count in places.items() if count > 1], "locators that occur twice")


@check(
    "OC-DIG-011",
    scope="digest",
    level=2,
    spec=("DIG-10", "DIG-18"),
    requires=("OC-DIG-004", "OC-DIG-006"),
    reads="archive",
)
def extracts_are_of_the_source(evidence: DigestEvidence) -> None:
    """Summary and key points of an extractive digest have no word that its source does not have.

    Fix:
    Cut the sentences out of the text that was archived; give a written summary another method.
    """
    if evidence.method != "extractive":
        return
    payload = evidence.payload
    known = {word.casefold() for word in _WORD.findall(evidence.archive or "")}
    for what, text in (("the summary", payload.summary), *(("a key point", point) for point in payload.key_points)):
        strange = [word for word in _WORD.findall(text) if word.casefold() not in known]
        if strange:
            raise Broken(f"{what} is not extracted", expected="words of the source", actual=", ".join(strange))


@check("OC-DIG-012", scope="digest", level=1, spec=("DIG-1",), requires=_FITS)
def query_hash_is_of_a_query(evidence: DigestEvidence) -> None:
    """`query_hash` is the beginning of the query's SHA-256, and no placeholder.

    Fix:
    Compute it with octavo_contracts.query_hash, also for the empty query.
    """
    found = evidence.data["query_hash"]
    if evidence.query is not None:
        expect_equal(found, query_hash(evidence.query), "query_hash")
    elif len(set(found)) == 1:
        raise Broken("query_hash is a placeholder", expected="8 digits of a SHA-256", actual=found)
