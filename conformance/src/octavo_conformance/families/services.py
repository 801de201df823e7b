"""OC-SVC: services, called in a worker as a host calls them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any

from octavo.plugins import service_answers as answers
from octavo_contracts import SERVICE_KINDS, ExtractedField, OCRRequest, OctavoError

from ..checks import ANY, GENERATED, Broken, check, expect_equal, expect_none
from ..evidence import describe
from ..hook_inputs import page_image
from ..service_calls import Said, answers_of, call_service, refuse
from ..subject import Subject
from ..vectors.fresh_text import make_text

_LOCAL = re.compile(r"socket\.__new__\((?:AddressFamily\.AF_UNIX|1),")
"""Sockets inside the process, such as those of an event loop."""
RESERVED = frozenset({"fetcher"})
CHUNKS = (
    "The pilot boards every ship off the western mole.",
    "Bread was baked at dawn in the square.",
    "Ships wait for the pilot when the tide is low.",
    "🚀 漢字: nothing of it matters here.",
)
QUERY = "pilot of the ships"
TEXT = "The 🚀 harbour opens at dawn. port: Lisbon and berth: B12 are named in the log. " + (
    "Every ship that enters the bay is written down with its master and its cargo. " * 12
)
BASE, KEY = "https://api.tidewater-search.com/v2", "7f3a91c4e0"
"""An address that looks like one of a user's; no request leaves the worker."""
REPLIES: tuple[Mapping[str, Any], ...] = (
    {"status": 200, "body": "no JSON at all"},
    {"status": 200, "body": "{}"},
    {"status": 200, "body": "[]"},
    {"status": 401, "body": "{}"},
    {"status": 404, "body": ""},
    {"status": 500, "body": "<html>out of order</html>"},
)
"""Replies of a server that does not work; the suite does not know the API of any real one."""


@check("OC-SVC-001", scope="plugin", level=0, spec=("CNV-16",), requires=("OC-LOAD-003",), service=ANY)
def services_are_created(subject: Subject) -> None:
    """Each factory in the manifest creates an object with the methods of its kind, and each kind is one that hosts call.

    Fix:
    Name a factory as `kind = "package.module:function"`; see `octavo_contracts.SERVICE_KINDS` for the kinds.
    The factory takes no parameters, or `settings`, or `services`; a digestor, a graph intake and a vector index take `settings`.
    """
    offered = subject.manifest.services
    expect_none(
        sorted(set(offered) - set(SERVICE_KINDS)), "kinds of services that do not exist", expected="known kinds"
    )
    expect_none(
        sorted(set(offered) & RESERVED), "kinds of services that no host calls", expected="kinds that hosts call"
    )
    for kind in sorted(offered):
        if call_service(subject, kind).steps[0].value() is not True:
            raise Broken(f"the {kind} lacks methods", expected=SERVICE_KINDS[kind].__name__, actual="another object")


@check("OC-SVC-002", scope="plugin", level=2, spec=("DIG-27",), requires=("OC-SVC-001",), service=ANY)
def services_stay_inside(subject: Subject) -> None:
    """Creating a service opens no connection and writes no file outside its own folder.

    Fix:
    Send requests through the fetcher that the call receives; write into the folder of the settings.
    """
    for kind in sorted(subject.manifest.services):
        facts = call_service(subject, kind, *_sample_calls(kind)).facts
        network = [event for event in facts["network"] if not _LOCAL.search(event)]
        expect_none(network, f"the {kind} opens connections of its own", expected="its fetcher alone")
        expect_none(facts["writes"], f"the {kind} writes outside its folder", expected="no file")


def _sample_calls(kind: str) -> tuple[Mapping[str, Any], ...]:
    return {
        "scorer": (_scoring(QUERY, CHUNKS),),
        "embedder": (_embedding(CHUNKS),),
        "graph_intake": ({"call": "remove", "args": [["1"]]}, {"call": "held"}),
        "vector_index": (adding({"1": [1.0, 0.0]}),),
        "summariser": ({"call": "summarise", "args": [TEXT]},),
        "digestor": ({"call": "digest_text", "args": [TEXT, QUERY], "kwargs": {"source_id": "one"}},),
        "literal_extractor": (_extracting(TEXT),),
        "crawler": (_crawling(REPLIES[1]),),
        "remote_recogniser": (_recognising(REPLIES[1]),),
    }.get(kind, ())


def _scoring(query: str, chunks: tuple[str, ...]) -> dict[str, Any]:
    return {"call": "score", "args": [query, list(chunks)]}


@check("OC-SVC-003", scope="plugin", level=1, spec=("DIG-13",), requires=("OC-SVC-001",), service="scorer")
def scores_are_shares(subject: Subject) -> None:
    """A scorer has a name, and returns one finite score in 0..1 for each chunk; none for no chunks.

    Fix:
    Scale the scores to 0..1, keep the order of the chunks, and give 0 to a chunk that does not match.
    """
    name, scores, none = answers_of(subject, "scorer", {"get": "name"}, _scoring(QUERY, CHUNKS), _scoring(QUERY, ()))
    try:
        answers.checked_name(name, what="name")
        answers.checked_scores(scores, count=len(CHUNKS))
        answers.checked_scores(none, count=0)
    except answers.WrongAnswer as error:
        refuse(error)


@check("OC-SVC-004", scope="plugin", level=2, spec=("DIG-13", "DIG-15"), requires=("OC-SVC-003",), service="scorer")
def scores_rank(subject: Subject) -> None:
    """A chunk about the query scores above one that is not, whatever their order, and each time the same.

    Fix:
    Score each chunk by its text and the query alone.
    """
    turned = CHUNKS[::-1]
    first, again, other = answers_of(
        subject, "scorer", _scoring(QUERY, CHUNKS), _scoring(QUERY, CHUNKS), _scoring(QUERY, turned)
    )
    expect_equal(again, first, "the scores of a second call")
    expect_equal(
        [round(score, 6) for score in other[::-1]], [round(score, 6) for score in first], "the scores in another order"
    )
    if min(first[0], first[2]) <= max(first[1], first[3]):
        raise Broken("the ranking", expected="chunks 1 and 3 above 2 and 4", actual=first)


def _embedding(texts: tuple[str, ...]) -> dict[str, Any]:
    return {"call": "embed", "args": [list(texts)]}


@check("OC-SVC-005", scope="plugin", level=1, spec=("ENG-26",), requires=("OC-SVC-001",), service="embedder")
def vectors_are_of_unit_length(subject: Subject) -> None:
    """An embedder names its model, and returns one finite vector of unit length for each text, all of one dimension.

    Fix:
    Divide each vector by its length; return lists of numbers, in the order of the texts.
    """
    name, vectors, none = answers_of(subject, "embedder", {"get": "model_id"}, _embedding(CHUNKS), _embedding(()))
    try:
        answers.checked_name(name, what="model")
        answers.checked_vectors(vectors, count=len(CHUNKS))
        answers.checked_vectors(none, count=0)
    except answers.WrongAnswer as error:
        refuse(error)


@check("OC-SVC-006", scope="plugin", level=2, spec=("ENG-26",), requires=("OC-SVC-005",), service="embedder")
def vectors_belong_to_their_texts(subject: Subject) -> None:
    """A text has the same vector alone and among others, and another text has another vector, also if it begins alike.

    Fix:
    Embed each text by itself: padding and batches must not change its vector. Read a passage to its end.
    """
    # A hundred ordinary words: small models read twice as many.
    beginnings = (" ".join(CHUNKS), " ".join(CHUNKS * 3))
    endings = [(f"{beginning} A banker sold.", f"{beginning} Violins were tuned.") for beginning in beginnings]
    texts = (CHUNKS, CHUNKS[2:3], CHUNKS[::-1], *endings)
    together, alone, turned, *alike = answers_of(subject, "embedder", *map(_embedding, texts))
    if min(_nearness(together[2], alone[0]), _nearness(together[0], turned[-1])) < 0.99:
        raise Broken("the vector of a text alone", expected="that of the text among others", actual="another one")
    if max(_nearness(*pair) for pair in (together[:2], *alike)) > 0.9999:
        raise Broken("two texts have one vector", expected="different vectors", actual="equal ones")


def _nearness(one: list[float], other: list[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=False)) if len(one) == len(other) else -math.inf


def adding(items: Mapping[str, list[float]]) -> dict[str, Any]:
    """Return a call that adds entries to an index."""
    return {"call": "add", "args": [dict(items)]}


def searching(*, limit: int = 10, among: list[str] | None = None) -> dict[str, Any]:
    """Return a call that searches in an index."""
    return {"call": "search", "args": [[1.0, 0.0, 0.0]], "kwargs": {"limit": limit, "among": among}}


NEAR = {"1": [1.0, 0.0, 0.0], "2": [0.8, 0.6, 0.0], "3": [0.0, 1.0, 0.0], "4": [0.0, 0.0, 1.0]}


@check("OC-SVC-007", scope="plugin", level=1, spec=("ENG-26",), requires=("OC-SVC-001",), service="vector_index")
def neighbours_are_found(subject: Subject) -> None:
    """A vector index returns the nearest entries, best first, at most `limit`, and only those of `among`.

    Fix:
    Return VectorHit with the id as it was added and a finite score; restrict the ids before the search.
    """
    _, some, few, every = answers_of(
        subject,
        "vector_index",
        adding(NEAR),
        searching(among=["2", "3", "4"], limit=2),
        searching(limit=1),
        searching(),
    )
    try:
        found = answers.checked_hits(some, limit=2, among=["2", "3", "4"])
        single = answers.checked_hits(few, limit=1, among=None)
        complete = answers.checked_hits(every, limit=10, among=None)
    except answers.WrongAnswer as error:
        refuse(error)
    expect_equal(found[0].embedding_id if found else None, "2", "the nearest entry among 2, 3 and 4")
    expect_equal(len(found), 2, "the number of entries among three, with the limit 2")
    expect_equal([hit.embedding_id for hit in single], ["1"], "the nearest entry")
    expect_equal({hit.embedding_id for hit in complete}, set(NEAR), "the entries")


@check("OC-SVC-009", scope="plugin", level=1, spec=("DIG-2", "DIG-10"), requires=("OC-SVC-001",), service="digestor")
def digests_verify(subject: Subject) -> None:
    """A digestor returns a DigestOutcome; its payload is for the text and the query, and quotes the text verbatim.

    Fix:
    Hash the text that was given, and give each snippet a locator that slices it out.
    An empty text is skipped: payload None, status `skipped`.
    """
    digesting = {"call": "digest_text", "args": [TEXT, QUERY], "kwargs": {"source_id": "one"}}
    nothing = {"call": "digest_text", "args": ["", QUERY], "kwargs": {"source_id": "two"}}
    made, empty = answers_of(subject, "digestor", digesting, nothing)
    try:
        outcome = answers.checked_digest(made, text=TEXT, query=QUERY)
        answers.checked_digest(empty, text="", query=QUERY)
    except answers.WrongAnswer as error:
        refuse(error)
    if outcome.status == "failed":
        raise Broken("the digest failed", expected="a digest, or a reason to skip it", actual=outcome.reason)


@check(
    "OC-SVC-010",
    scope="plugin",
    level=1,
    spec=("DIG-18",),
    requires=("OC-SVC-001",),
    vectors=GENERATED,
    service="summariser",
)
def summaries_fit(subject: Subject) -> None:
    """A summariser returns a Summary of the text, at most `max_chars` long; the spans of an extractive one hold its sentences.

    Fix:
    Cut the summary at `max_chars`; count spans in code points of the text that was given.
    """
    unseen = make_text(subject.seed).text[:3000]
    asked = (
        {"call": "summarise", "args": [text], "kwargs": {"query": QUERY, "max_chars": most}}
        for text, most in ((TEXT, 400), (TEXT, 20), (unseen, 400))
    )
    made, short, other = answers_of(subject, "summariser", *asked)
    try:
        summary = answers.checked_summary(made, text=TEXT, max_chars=400)
        answers.checked_summary(short, text=TEXT, max_chars=20)
        fresh = answers.checked_summary(other, text=unseen, max_chars=400)
    except answers.WrongAnswer as error:
        refuse(error)
    quoted = [TEXT[span.start : span.end] for span in summary.spans]
    missing = [words for words in quoted if " ".join(words.split()) not in " ".join(summary.text.split())]
    expect_none(missing, "spans whose text is not in the summary", expected="the summary's own sentences")
    if not set(re.findall(r"\w{4,}", fresh.text)) & set(re.findall(r"\w{4,}", unseen)):
        raise Broken("the summary is of another text", expected=f"words of {unseen[30:90]!r}", actual=fresh.text)


TWICE = "They sailed from Lisbon to gate B12.\n\nport: Lisbon\nberth: B12\n"
"""A text in which the values of fields stand before the fields, too."""


def _extracting(text: str) -> dict[str, Any]:
    schema = {"type": "object", "properties": {name: {"type": "string"} for name in ("port", "berth", "cargo_number")}}
    return {"call": "extract", "args": [text, schema]}


@check("OC-SVC-011", scope="plugin", level=1, spec=("CNV-13",), requires=("OC-SVC-001",), service="literal_extractor")
def values_are_in_the_text(subject: Subject) -> None:
    """A literal extractor returns fields of the schema alone; the span of a value holds it behind the field's name, and an empty text has none.

    Fix:
    Count spans in code points of the text that was given; omit fields that are not found.
    Take the span of what was matched: equal characters may stand in the text before.
    """
    made, empty, again = answers_of(
        subject, "literal_extractor", _extracting(TEXT), _extracting(""), _extracting(TWICE)
    )
    names = ("port", "berth", "cargo_number")
    try:
        found: Mapping[str, ExtractedField] = answers.checked_fields(made, text=TEXT, names=names)
        none = answers.checked_fields(empty, text="", names=names)
        later = answers.checked_fields(again, text=TWICE, names=names)
    except answers.WrongAnswer as error:
        refuse(error)
    values = {
        name: (one.value, TEXT[one.span.start : one.span.end]) for name, one in found.items() if one.span is not None
    }
    wrong = {name: pair for name, pair in values.items() if str(pair[0]) not in pair[1]}
    expect_none(wrong, "values that their spans do not hold", expected="text[start:end] contains the value")
    expect_equal(dict(none), {}, "the fields of an empty text")
    early = {
        name: TWICE[: one.span.start][-20:]
        for name, one in later.items()
        if one.span is not None and one.span.start < TWICE.index(f"{name}:")
    }
    expect_none(early, "spans before the names of their fields", expected="the place behind the name")


def _crawling(reply: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "call": "crawl",
        "args": ["https://www.harbour-log.org/log?day=7"],
        "kwargs": {"base_url": BASE, "key": KEY, "timeout": 5.0},
        "reply": reply,
    }


def _recognising(reply: Mapping[str, Any]) -> dict[str, Any]:
    image, request = page_image("png/printed.png"), OCRRequest(languages=("en",))
    return {
        "call": "recognise",
        "args": [
            {"model": "PageImage", "json": image.to_json()},
            {"model": "OCRRequest", "json": request.to_json()},
        ],
        "kwargs": {"base_url": BASE, "key": KEY},
        "reply": reply,
    }


@check("OC-SVC-012", scope="plugin", level=1, spec=("DIG-27", "ENG-7"), requires=("OC-SVC-001",), service="crawler")
def crawlers_report_failures(subject: Subject) -> None:
    """A crawler asks its own server alone, and reports a server that does not work as an error of the contract.

    Fix:
    Send every request to `base_url` through the fetcher, with the key in a header.
    Raise AuthUnavailable for a rejected key, and ToolUnavailable for an answer that is not one of the API's.
    """
    _asks_its_server(subject, "crawler", _crawling, judge=lambda said: answers.checked_page(said.answer))


@check(
    "OC-SVC-013",
    scope="plugin",
    level=1,
    spec=("DIG-27", "ENG-7"),
    requires=("OC-SVC-001",),
    service="remote_recogniser",
)
def recognisers_report_failures(subject: Subject) -> None:
    """A remote recogniser asks its own server alone, and reports a server that does not work as an error of the contract.

    Fix:
    Send every request to `base_url` through the fetcher, with the key in a header.
    Raise AuthUnavailable for a rejected key, and ToolUnavailable for an answer that is not one of the API's.
    """
    page = page_image("png/printed.png").page_number
    _asks_its_server(
        subject,
        "remote_recogniser",
        _recognising,
        judge=lambda said: answers.checked_recognition(said.answer, page_number=page),
    )


def _asks_its_server(
    subject: Subject,
    kind: str,
    calling: Callable[[Mapping[str, Any]], dict[str, Any]],
    *,
    judge: Callable[[Said], object],
) -> None:
    said = call_service(subject, kind, *map(calling, REPLIES)).steps[1:]
    elsewhere = [one["url"] for step in said for one in step.asked if not one["url"].startswith(f"{BASE}/")]
    expect_none(elsewhere, "requests to other servers", expected=f"addresses below {BASE}")
    expect_none([one["url"] for step in said for one in step.asked if KEY in one["url"]], "addresses with the key")
    if not all(step.asked for step in said):
        raise Broken("a call sends no request", expected="a request through the fetcher", actual="none")
    for reply, step in zip(REPLIES, said, strict=True):
        if step.error is None:
            try:
                judge(step)
            except answers.WrongAnswer as error:
                refuse(error)
            continue
        _is_typed(step.error, status=reply["status"])
    if said[-1].error is None or said[3].error is None:
        raise Broken("a server that does not work", expected="an error of the contract", actual="an answer")


def _is_typed(error: OctavoError, *, status: int) -> None:
    expected = (
        ("AuthUnavailable",) if status == 401 else ("ToolUnavailable", "AuthUnavailable", "OcrFailed", "SourceMissing")
    )
    if type(error).__name__ not in expected:
        raise Broken(f"a reply with status {status}", expected=" or ".join(expected), actual=describe(error))
    if KEY in f"{error.message} {error.remedy}":
        raise Broken("the message contains the key", expected="no key", actual=error.message.replace(KEY, "…"))
