"""Checks of the answers of services against the contract; see `octavo_contracts.services`."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from octavo_contracts import (
    CrawledPage,
    DigestOutcome,
    DigestPayload,
    DocumentGraph,
    ExtractedField,
    OCRResult,
    Span,
    Summary,
    VectorHit,
    query_hash,
    verify_digest,
)

DIGEST_STATES: Final = ("digested", "skipped", "failed")
LENGTH_TOLERANCE = 0.01
"""How much the length of a vector may differ from 1: quantised models round."""


class WrongAnswer(ValueError):
    """An answer that the contract does not allow. The message completes 'the service returned …'."""


def checked_name(answer: object, *, what: str) -> str:
    """Return the name that a service gives itself or its model.

    Raises:
        WrongAnswer: it is not a text, or empty.
    """
    if not isinstance(answer, str) or not answer.strip():
        raise WrongAnswer(f"{described(answer)} as its {what}; expected a text")
    return answer


def checked_scores(answer: object, *, count: int) -> list[float]:
    """Return the answer of a `Scorer`.

    Args:
        answer: the answer.
        count: the number of chunks.

    Raises:
        WrongAnswer: it is not one number in 0..1 for each chunk.
    """
    scores = _numbers(answer, what="scores")
    if len(scores) != count:
        raise WrongAnswer(f"{len(scores)} scores for {count} chunks")
    if any(not 0.0 <= score <= 1.0 for score in scores):
        raise WrongAnswer("a score outside 0..1")
    return scores


def checked_vectors(answer: object, *, count: int) -> list[list[float]]:
    """Return the answer of an `Embedder`.

    Args:
        answer: the answer.
        count: the number of texts.

    Raises:
        WrongAnswer: it is not one finite vector of unit length for each text, all of one dimension.
    """
    vectors = [_numbers(vector, what="vectors") for vector in _listed(answer, what="vectors")]
    if len(vectors) != count:
        raise WrongAnswer(f"{len(vectors)} vectors for {count} texts")
    sizes = {len(vector) for vector in vectors}
    if len(sizes) > 1 or 0 in sizes:
        raise WrongAnswer(f"vectors of the dimensions {', '.join(map(str, sorted(sizes)))}")
    if any(abs(math.hypot(*vector) - 1) > LENGTH_TOLERANCE for vector in vectors):
        raise WrongAnswer("a vector that is not of unit length")
    return vectors


def checked_hits(answer: object, *, limit: int, among: Collection[str] | None = None) -> list[VectorHit]:
    """Return the answer of a `VectorIndex` to a search.

    A host leaves out the entries that it did not ask for, and does not refuse an index that gives them: it names no `among`.

    Args:
        answer: the answer.
        limit: the most hits that were asked for.
        among: the only ids that are allowed; None: any.

    Raises:
        WrongAnswer: it is not a list of at most `limit` hits with different ids, best first.
    """
    given = _listed(answer, what="entries")
    hits = [hit for hit in given if isinstance(hit, VectorHit)]
    if len(hits) < len(given):
        raise WrongAnswer("an entry that is no VectorHit")
    scores = _numbers([hit.score for hit in hits], what="scores")
    ids = [hit.embedding_id for hit in hits]
    if len(hits) > limit:
        raise WrongAnswer(f"{len(hits)} entries; the limit was {limit}")
    if any(not isinstance(entry, str) for entry in ids) or len(set(ids)) < len(ids):
        raise WrongAnswer("an entry twice, or an id that is no text")
    if among is not None and not set(ids) <= set(among):
        raise WrongAnswer("an entry that was excluded from the search")
    if scores != sorted(scores, reverse=True):
        raise WrongAnswer("entries that are not sorted by their scores")
    return hits


def checked_digest(answer: object, *, text: str, query: str) -> DigestOutcome:
    """Return the answer of a `Digestor`.

    Raises:
        WrongAnswer: it is not a `DigestOutcome`; its status is unknown or contradicts its payload; or the payload is for
            another text or query, or quotes words that the text does not contain.
    """
    if not isinstance(answer, DigestOutcome):
        raise WrongAnswer(f"{described(answer)}; expected DigestOutcome")
    if answer.status not in DIGEST_STATES:
        raise WrongAnswer(f"an unknown status; the statuses are {', '.join(DIGEST_STATES)}")
    if answer.payload is not None and not isinstance(answer.payload, DigestPayload):
        raise WrongAnswer(f"{described(answer.payload)} as its payload; expected DigestPayload")
    if (answer.payload is not None) != (answer.status == "digested"):
        raise WrongAnswer(f"the status {answer.status} {'with' if answer.payload else 'without'} a payload")
    if answer.payload is not None:
        verified = verify_digest(answer.payload, text)
        if verified.status != "verified":
            what = verified.difference.what if verified.difference else "text"
            raise WrongAnswer(f"a digest that does not verify against its text: the {what} differs")
        if answer.payload.query_hash != query_hash(query):
            raise WrongAnswer("a digest for another query")
    return answer


def checked_summary(answer: object, *, text: str, max_chars: int) -> Summary:
    """Return the answer of a `Summariser`.

    Raises:
        WrongAnswer: it is not a `Summary` of texts, is longer than `max_chars`, or its spans are outside the text.
    """
    if not isinstance(answer, Summary):
        raise WrongAnswer(f"{described(answer)}; expected Summary")
    parts = (answer.text, answer.method, *_listed(answer.key_points, what="key points"))
    if not all(isinstance(part, str) for part in parts):
        raise WrongAnswer("a Summary whose text, method or key points are not texts")
    if len(answer.text) > max_chars:
        raise WrongAnswer(f"{len(answer.text)} characters; the maximum is {max_chars}")
    if not all(is_span_of(span, text) for span in _listed(answer.spans, what="spans")):
        raise WrongAnswer("a Summary with a span outside the text")
    return answer


def checked_page(answer: object) -> CrawledPage:
    """Return the answer of a `Crawler`.

    Raises:
        WrongAnswer: it is not a `CrawledPage` of a text, a number and bytes.
    """
    if not isinstance(answer, CrawledPage):
        raise WrongAnswer(f"{described(answer)}; expected CrawledPage")
    if not isinstance(answer.url, str) or not isinstance(answer.body, bytes):
        raise WrongAnswer("a CrawledPage whose URL is no text or whose body is not bytes")
    if isinstance(answer.status, bool) or not isinstance(answer.status, int) or not 100 <= answer.status <= 599:
        raise WrongAnswer("a CrawledPage without an HTTP status")
    return answer


def checked_recognition(answer: object, *, page_number: int | None = None) -> OCRResult:
    """Return the answer of a `RemoteRecogniser`.

    Args:
        answer: the answer.
        page_number: the page that it must name; None: any, for a host that knows the page and enters it.

    Raises:
        WrongAnswer: it is not an `OCRResult`, or that of another page.
    """
    if not isinstance(answer, OCRResult):
        raise WrongAnswer(f"{described(answer)}; expected OCRResult")
    if page_number is not None and answer.page_number != page_number:
        raise WrongAnswer(f"the result of page {answer.page_number} for page {page_number}")
    return answer


def checked_fields(answer: object, *, text: str, names: Collection[str]) -> Mapping[str, ExtractedField]:
    """Return the answer of a `LiteralExtractor`.

    Args:
        answer: the answer.
        text: the canonical text.
        names: the fields of the schema.

    Raises:
        WrongAnswer: it is not a mapping of the schema's fields to values with a method, a confidence in 0..1 and a span in
            the text or none.
    """
    if not isinstance(answer, Mapping):
        raise WrongAnswer(f"{described(answer)}; expected a mapping of fields")
    for name, found in answer.items():
        if not isinstance(found, ExtractedField):
            raise WrongAnswer(f"{described(found)} for a field; expected ExtractedField")
        if name not in names:
            raise WrongAnswer("a field that the schema does not have")
        if found.span is not None and not is_span_of(found.span, text):
            raise WrongAnswer("a field with a span outside the text")
        if not isinstance(found.method, str) or not found.method:
            raise WrongAnswer("a field without a method")
        if not 0.0 <= _numbers([found.confidence], what="confidences")[0] <= 1.0:
            raise WrongAnswer("a confidence outside 0..1")
    return answer


def checked_graph(answer: object, *, document_id: str, context: str) -> DocumentGraph | None:
    """Return the answer of a `GraphIntake` to a reading.

    Args:
        answer: the answer.
        document_id: the document that was asked for.
        context: the policy context that asks.

    Raises:
        WrongAnswer: it is neither None nor the graph of this document for this policy context.
    """
    if answer is None:
        return None
    if not isinstance(answer, DocumentGraph):
        raise WrongAnswer(f"{described(answer)}; expected DocumentGraph or None")
    if answer.document_id != document_id:
        raise WrongAnswer("the graph of another document")
    if answer.context != context:
        raise WrongAnswer("the graph of another policy context")
    return answer


def checked_held(answer: object) -> dict[str, str]:
    """Return the answer of a `GraphIntake` to `held`.

    Raises:
        WrongAnswer: it is not a mapping of texts to texts.
    """
    if not isinstance(answer, Mapping):
        raise WrongAnswer(f"{described(answer)}; expected a mapping of document ids to fingerprints")
    if not all(isinstance(one, str) for pair in answer.items() for one in pair):
        raise WrongAnswer("a document id or a fingerprint that is no text")
    return dict(answer)


def is_span_of(span: object, text: str) -> bool:
    """Return whether something is a span inside a text."""
    return isinstance(span, Span) and 0 <= span.start <= span.end <= len(text)


def described(value: object) -> str:
    """Return 'None', or the type of a value with its article."""
    return "None" if value is None else f"a {type(value).__name__}"


def _listed(value: object, *, what: str) -> Sequence[object]:
    if not isinstance(value, Sequence) or isinstance(value, str | bytes):
        raise WrongAnswer(f"{described(value)}; expected a list of {what}")
    return value


def _numbers(answer: object, *, what: str) -> list[float]:
    numbers = [one for one in _listed(answer, what=what) if isinstance(one, int | float) and not isinstance(one, bool)]
    if len(numbers) < len(_listed(answer, what=what)):
        raise WrongAnswer(f"{what} that are not numbers")
    if not all(map(math.isfinite, numbers)):
        raise WrongAnswer(f"{what} that are not finite")
    return [float(one) for one in numbers]
