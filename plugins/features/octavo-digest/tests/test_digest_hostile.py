"""One bad source gives exactly one typed failure, and the others succeed (DIG-20, DIG-22, DIG-24)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from digest_doubles import QUERY, TEXT, Writer, inline, source
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from octavo_contracts import DigestPayload, FetchResponse, Span, Summary
from octavo_digest import (
    Archive,
    DigestConfig,
    DigestPolicy,
    DocumentDigestor,
    FidelityLevel,
    Observer,
    Source,
    SourceQuality,
    digest_batch,
    gather,
    select_sources,
)
from octavo_text.canonical import CanonicalText

GOOD = source(1)
SURROGATE = CanonicalText("a \ud800 lone half", (Span(start=0, end=13),))


def statuses(items: list) -> list[tuple[str, str | None]]:
    return [(item.result.status, item.result.reason) for item in items]


# -- sources ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("markup", ["<![foo[bar]]>", "<![>", "<![ >", "<![if>", "<!DOCTYPE [<!x[>"])
def test_html_of_any_shape_is_digested(make, run, markup: str) -> None:
    """Python's parser raises AssertionError on a marked section that it does not know."""
    page = Source(content=f"{markup}<p>{TEXT}</p>", content_type="text/html", id="page", quality=SourceQuality.HIGH)

    assert statuses(run(digest_batch(make().digestor, [page, GOOD], QUERY))) == [("digested", None)] * 2


def test_a_source_whose_text_is_none_fails_alone(make, run) -> None:
    made = make()
    bad = Source(content=SURROGATE, id="bad")

    items = run(digest_batch(made.digestor, [bad, GOOD], QUERY))

    assert statuses(items) == [("failed", "bad_source"), ("digested", None)]
    assert items[0].fidelity.warnings[0] == "digest_failed: bad_source"
    assert items[0].source is bad
    assert made.names().count("digest.error") == 1
    assert made.digestor.metrics.value("digest_sources_processed", outcome="error") == 1
    assert run(made.digestor.digest(bad, QUERY)).reason == "bad_source"


@pytest.mark.parametrize("source_id", ["https://x/y", "../../etc", "", "nul", "a" * 200, "\ud800", "a\x00b"])
def test_an_id_that_names_no_folder_fails_alone(make, run, tmp_path, source_id: str) -> None:
    """With the archive on, such an id ended the whole batch with an ExceptionGroup."""
    made = make(archive_content=True, archive_dir=tmp_path / "kept")
    bad = source(2)
    object.__setattr__(bad, "id", source_id)  # the empty one would be derived from the URL

    items = run(digest_batch(made.digestor, [bad, GOOD], QUERY))

    assert statuses(items) == [("failed", "bad_source"), ("digested", None)]
    assert made.names().count("digest.error") == 1
    assert [path.parent.name for path in (tmp_path / "kept").rglob("*.txt")] == [GOOD.id]


def test_sources_of_one_id_keep_their_own_digests(make, run) -> None:
    """The answers were held by id: the second one's stood at both."""
    first, second = source(1, id="same"), source(2, id="same", content="\n\n".join(["Other words entirely."] * 200))

    items = run(digest_batch(make().digestor, [first, second], QUERY))

    texts = [first.content, second.content]
    for item, text in zip(items, texts, strict=True):
        assert item.result.payload.original_chars == len(" ".join(text.split()))


def test_a_relevance_that_is_no_number_ranks_as_none(make) -> None:
    odd = [source(n, relevance=value) for n, value in enumerate([float("nan"), None, "high", float("inf")], start=5)]

    chosen = select_sources(make(max_sources=2).digestor, [*odd, source(1, relevance=0.9)])

    assert chosen[0] == source(1, relevance=0.9)


# -- summarisers and scorers --------------------------------------------------------------------------------------


class Answering(Writer):
    """A double that gives or raises what it is told, for sources of number 2."""

    answer: Any = None

    async def asummarise(self, text: str, *, query: str, max_chars: int = 2000) -> Summary:
        if "Number 2." not in text:
            return await super().asummarise(text, query=query)
        if isinstance(self.answer, BaseException) or (
            isinstance(self.answer, type) and issubclass(self.answer, BaseException)
        ):
            raise self.answer
        return self.answer


ANSWERS = [
    None,
    "a text",
    42,
    Summary(text=None),  # type: ignore[arg-type]  # what is tried
    Summary(text="x", key_points=(1, 2)),  # type: ignore[arg-type]  # what is tried
    Summary(text="x", key_points=None),  # type: ignore[arg-type]  # what is tried
    RuntimeError("x"),
    SystemExit(3),
    asyncio.CancelledError(),
    RecursionError(),
    MemoryError(),
    StopAsyncIteration(),
]


@pytest.mark.parametrize("answer", ANSWERS, ids=repr)
def test_a_summariser_that_answers_badly_for_one_fails_that_one(make, run, answer: object) -> None:
    writer = Answering()
    writer.answer = answer
    made = make(writer)

    items = run(digest_batch(made.digestor, [source(1), source(2), source(3)], QUERY))

    assert statuses(items) == [("digested", None), ("failed", "summary_failed"), ("digested", None)]
    assert made.names().count("digest.error") == 1
    assert run(made.digestor.digest(source(2), QUERY)).reason == "summary_failed"


class Blocking:
    """A double without an event loop, for sources of number 2."""

    def __init__(self, error: BaseException) -> None:
        self.error = error

    def summarise(self, text: str, *, query: str | None = None, max_chars: int = 2000) -> Summary:
        if "Number 2." in text:
            raise self.error
        return Summary(text="blocking", method="blocking")


@pytest.mark.parametrize("error", [StopIteration("x"), SystemExit(2), GeneratorExit()], ids=repr)
def test_one_that_blocks_and_raises_what_no_future_takes_fails_that_one(error: BaseException) -> None:
    """A StopIteration is never delivered from a thread: whoever waited for it waited for ever."""
    digestor = DocumentDigestor(Blocking(error), config=DigestConfig(policy=DigestPolicy.ALWAYS, timeout=30))

    items = asyncio.run(asyncio.wait_for(digest_batch(digestor, [source(1), source(2)], QUERY), 20))

    assert statuses(items) == [("digested", None), ("failed", "summary_failed")]


class Scoring:
    """A double that gives what it is told."""

    name = "double/v1"

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def score(self, query: str, chunks: list[str]) -> Any:
        return self.answer(chunks) if callable(self.answer) else self.answer


@pytest.mark.parametrize(
    "answer",
    [
        lambda chunks: [float("nan")] * len(chunks),
        lambda chunks: [float("inf")] * len(chunks),
        lambda chunks: ["0.5"] * len(chunks),
        lambda chunks: [None] * len(chunks),
        lambda chunks: [1.0],
        lambda chunks: [1.0] * (len(chunks) + 1),
        None,
        "1",
        3,
    ],
    ids=["nan", "inf", "text", "none", "few", "many", "nothing", "string", "number"],
)
def test_a_scorer_that_answers_badly_is_a_failure(make, run, answer: object) -> None:
    result = run(make(others={"scorer": Scoring(answer)}).digestor.digest(source(), QUERY))

    assert (result.status, result.reason) == ("failed", "scoring_failed")


def test_a_summariser_without_a_name_is_a_failure(make, run) -> None:
    class Nameless:
        @property
        def identity(self) -> str:
            raise RuntimeError("no name")

    made = make()
    made.digestor.summariser = Nameless()

    assert run(made.digestor.digest(source(), QUERY)).status == "failed"


def test_a_sink_or_tokenizer_that_fails_ends_nothing(make, run) -> None:
    def failing(*_: object) -> int:
        raise ValueError("no")

    made = make()
    made.digestor._events = failing

    item = run(digest_batch(made.digestor, [source()], QUERY, tokenizer=failing))[0]

    assert item.result.status == "digested"
    assert item.fidelity.estimated


# -- flights ------------------------------------------------------------------------------------------------------


class SlowToEnd(Writer):
    """A double whose cancellation takes a while, as that of a client which closes a connection."""

    async def asummarise(self, text: str, *, query: str, max_chars: int = 2000) -> Summary:
        try:
            return await super().asummarise(text, query=query)
        except asyncio.CancelledError:
            await asyncio.sleep(5)
            raise


def test_who_comes_while_a_flight_is_cancelled_gets_a_digest(make, loop) -> None:
    made = make(SlowToEnd(seconds=10))

    async def main() -> Any:
        first = asyncio.create_task(made.digestor.digest(source(), QUERY))
        await asyncio.sleep(1)
        first.cancel()
        await asyncio.sleep(1)  # in the middle of its cleaning up
        return await made.digestor.digest(source(), QUERY)

    assert loop.run_until_complete(main()).status == "digested"


# -- deadlines of the batch ---------------------------------------------------------------------------------------


def test_what_the_batchs_deadline_ends_is_told_and_counted(make, run, loop) -> None:
    """Two that hung left the breaker's window empty, no event and no metric: the batch's deadline came first."""
    made = make(Writer(seconds=999))

    items = run(digest_batch(made.digestor, [source(n) for n in range(2)], QUERY))

    assert statuses(items) == [("failed", "timeout")] * 2
    assert loop.now == pytest.approx(1_060, abs=0.1)
    assert made.names().count("digest.error") == 2
    assert made.digestor.metrics.value("digest_sources_processed", outcome="error") == 2
    assert list(made.digestor.breaker._window) == [True, True]


def test_six_that_hang_open_the_breaker(make, run) -> None:
    made = make(Writer(seconds=999))

    items = run(digest_batch(made.digestor, [source(n) for n in range(6)], QUERY))

    assert statuses(items) == [("failed", "timeout")] * 6
    assert made.names().count("digest.error") == 6
    assert made.digestor.breaker.state == "open"


def test_the_archive_is_within_the_deadline(make, run, loop, tmp_path) -> None:
    class Hanging:
        async def __call__(self, function: Any, *arguments: Any, **named: Any) -> Any:
            if getattr(function, "__name__", "") == "write":
                await asyncio.sleep(999)
            return await inline(function, *arguments, **named)

    made = make()
    made.digestor._offload = Hanging()
    made.digestor.archive = Archive(tmp_path)

    assert run(made.digestor.digest(source(), QUERY)).reason == "timeout"
    assert loop.now == pytest.approx(1_060, abs=0.1)


# -- gathering ----------------------------------------------------------------------------------------------------


class Fetching:
    """A double of the way out that gives or raises what it is told of each URL."""

    def __init__(self, answers: dict[str, Any]) -> None:
        self.answers = answers

    def fetch(self, url: str, *, max_bytes: int, timeout: float) -> Any:
        answer = self.answers.get(url, RuntimeError(url))
        if isinstance(answer, BaseException):
            raise answer
        return answer


def page(body: bytes) -> FetchResponse:
    return FetchResponse(url="https://x", status=200, media_type="text/html", body=body)


def test_one_page_that_can_not_be_got_stops_no_other() -> None:
    way = Fetching(
        {
            "https://x/1": page(b"<p>one</p>"),
            "https://x/2": page(b"<![foo[x]]><p>two</p>"),
            "https://x/3": ValueError("quotes the page"),
            "https://x/4": None,
            "https://x/5": page(b""),
        }
    )
    sources = [Source(url=f"https://x/{n}") for n in range(1, 6)] + [Source(url="https://x/\ud800\x00.pdf")]

    found = asyncio.run(gather(sources, DigestConfig(fetch_pdfs=True), fetcher=way, offload=inline))

    assert [getattr(item.source.content, "text", "") for item in found[:3]] == ["one", "two", ""]
    assert [bool(item.warnings) for item in found] == [False, False, True, True, False, True]
    assert "quotes" not in str(found[2].warnings)
    assert [item.source.id for item in found] == [source.id for source in sources]


# -- anything -----------------------------------------------------------------------------------------------------

PIECES = st.sampled_from(
    [
        *(
            "<![",
            "]]>",
            "<!",
            "<p>",
            "</p>",
            "<!--",
            "-->",
            "<script>",
            "&#xD800;",
            "&#0;",
            "&",
            "<![CDATA[",
            "<?x",
            "\x00",
        ),
        *("\ud800", "\udfff", "\u202e", "---PAGE 2---", "\n\n", "{", "[", "word ", "Ω", "9" * 400, "<div " * 50),
    ]
)
CONTENTS = st.one_of(
    st.text(max_size=300),
    st.lists(PIECES, max_size=40).map("".join),
    st.just(""),
    st.just(TEXT),
    st.just(SURROGATE),
)
SOURCES = st.builds(
    Source,
    content=CONTENTS,
    content_type=st.sampled_from(["text/plain", "text/html", "digest/v1", "odd"]),
    id=st.one_of(st.just(""), st.text(max_size=20), st.sampled_from(["https://x/y", "../..", "nul", "ok-1"])),
    url=st.one_of(st.none(), st.text(max_size=20), st.just("https://example.org/a")),
    quality=st.sampled_from(SourceQuality),
    relevance=st.floats(),
)
LARGE = [
    Source(content="[" * 20_000, id="deep"),
    Source(content='{"version":' * 5_000, id="deeper"),
    Source(content="x" * 300_000, id="long"),
    Source(content="<div>" * 20_000, content_type="text/html", id="nested"),
]


def test_large_sources_end_no_batch(make, run) -> None:
    items = run(digest_batch(make().digestor, [*LARGE, GOOD], QUERY))

    assert items[3].result is None, "a page of nothing but tags has no text, and is not selected"
    answered = [item.result for item in items if item.result is not None]
    assert [result.status in ("digested", "skipped", "failed") for result in answered] == [True] * (len(items) - 1)
    assert items[-1].result.status == "digested"


SUMMARIES = st.one_of(
    st.sampled_from(ANSWERS),
    st.builds(Summary, text=st.text(max_size=50), key_points=st.lists(st.text(), max_size=12).map(tuple)),
)
SCORES = st.sampled_from(
    [
        lambda chunks: [0.5] * len(chunks),
        lambda chunks: [float("nan")] * len(chunks),
        lambda chunks: ["x"] * len(chunks),
        lambda chunks: [],
    ]
)


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(sources=st.lists(SOURCES, max_size=5), summary=SUMMARIES, scores=SCORES, archived=st.booleans())
def test_no_source_ends_a_batch(tmp_path_factory, sources, summary, scores, archived: bool) -> None:
    class Odd:
        identity = "double/v1"

        async def asummarise(self, text: str, *, query: str, max_chars: int = 2000) -> Any:
            if "harbour" in text and len(text) < 20_000:
                return Summary(text="About it.", method="double")
            if isinstance(summary, BaseException):
                raise summary
            return summary

    events: list[Any] = []
    config = DigestConfig(policy=DigestPolicy.ALWAYS, max_sources=20)
    if archived:
        config = DigestConfig(
            policy=DigestPolicy.ALWAYS,
            max_sources=20,
            archive_content=True,
            archive_dir=tmp_path_factory.mktemp("kept") / "archive",
        )
    digestor = DocumentDigestor(Odd(), config=config, observer=Observer(events=events.append), offload=inline)
    digestor.scorer = Scoring(scores)

    given_sources = [*sources, GOOD]

    items = asyncio.run(digest_batch(digestor, given_sources, QUERY))

    for item, given_source in zip(items, given_sources, strict=True):
        assert (item.source if isinstance(item.source, Source) else item.source.source) is given_source
        if item.result is None:
            assert item.fidelity.reason in ("not_selected", "already_digested")
        elif item.result.status == "digested":
            assert DigestPayload.try_parse(item.result.payload.to_json()) == item.result.payload
        elif item.result.status == "failed":
            assert item.result.reason in ("bad_source", "summary_failed", "scoring_failed")
            assert item.fidelity.level in (FidelityLevel.FULL, FidelityLevel.DIGEST)
        item.source.to_dict()
    failed = [item for item in items if item.result is not None and item.result.status == "failed"]
    told = [event.fields["source_id"] for event in events if event.name == "digest.error"]
    # A source that is given twice may be worked on once, and is then told of once.
    assert set(told) == {item.source.id for item in failed}
    assert len(told) <= len(failed)
    if scores([1]) == [0.5] and digestor.breaker.state == "closed":
        assert items[-1].result.status == "digested"


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.tuples(st.text(max_size=20), st.one_of(st.binary(max_size=200), st.just(b"<![a[b]]>"))), max_size=5))
def test_no_page_ends_a_gathering(pages: list[tuple[str, bytes]]) -> None:
    way = Fetching({url: page(body) for url, body in pages})
    sources = [Source(url=url) for url, _ in pages]

    found = asyncio.run(gather(sources, DigestConfig(fetch_pdfs=True), fetcher=way, offload=inline))

    assert [item.source.url for item in found] == [item.url for item in sources]
