"""`DocumentDigestor`: eligibility, cache, archive, failures, cancellation (DIG-9, DIG-16, DIG-19, DIG-20, DIG-22)."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import os
from pathlib import Path

import jsonschema
import pytest
from digest_doubles import QUERY, TEXT, Writer, source
from octavo_contracts import (
    Digestor,
    DigestPayload,
    StorageError,
    Summary,
    ToolUnavailable,
    UsageError,
    resolve_locator,
    verify_digest,
)
from octavo_contracts.schema import load_schema
from octavo_digest import (
    Archive,
    CacheEntry,
    CacheKey,
    DigestCache,
    DigestConfig,
    DigestPolicy,
    DocumentDigestor,
    KeywordScorer,
    Source,
    SourceQuality,
    deserialize_payload,
    serialize_payload,
)
from octavo_digest import cache as cache_module
from octavo_text.canonical import canonical_body, canonicalise, join_bodies
from octavo_text.chunking import ChunkingConfig


def test_a_source_is_digested_for_its_query(make, run) -> None:
    made = make()

    result = run(made.digestor.digest(source(), QUERY))

    assert (result.status, result.cache_hit, result.reason) == ("digested", False, None)
    assert result.payload.summary == f"About {QUERY}."
    assert result.payload.key_points == ("It was high.",)
    assert len(result.payload.evidence_snippets) == 5
    assert made.writer.asked == [(canonicalise(source().content).text, QUERY)]
    assert (result.scorer, result.summariser, result.method) == ("bm25/v1", "double/v1", "double")
    assert len(result.config_hash) == 64
    jsonschema.Draft7Validator(load_schema("digest_payload")).validate(json.loads(serialize_payload(result.payload)))
    assert deserialize_payload(serialize_payload(result.payload)) == result.payload
    assert deserialize_payload("{}") is None


def test_without_a_model_the_summary_is_extractive(run) -> None:
    """DIG-18."""
    digestor = DocumentDigestor(config=DigestConfig(policy=DigestPolicy.ALWAYS))

    result = asyncio.run(digestor.digest(source(), QUERY))

    assert (result.method, result.summariser) == ("extractive", "extractive/v1")
    assert result.payload.summary
    assert all(part in canonicalise(TEXT).text for part in result.payload.key_points)


@pytest.mark.parametrize(
    ("policy", "fields", "reason"),
    [
        ("off", {}, "policy_off"),
        ("always", {"content": ""}, "no_content"),
        ("always", {"content": " \n "}, "no_content"),
        ("auto", {"quality": SourceQuality.LOW}, "not_eligible"),
        ("auto", {"content": "short"}, "not_eligible"),
        ("auto", {"content_type": "digest/v1"}, "already_digested"),
        ("always", {"content_type": "digest/v1"}, "already_digested"),
        ("always", {"content": "High water at noon."}, "no_gain"),
    ],
)
def test_skipped_sources_say_why(make, run, policy: str, fields: dict, reason: str) -> None:
    made = make(policy=DigestPolicy(policy))

    result = run(made.digestor.digest(source(**fields), QUERY))

    assert (result.status, result.reason, result.payload) == ("skipped", reason, None)
    assert made.events[-1].name == "digest.skipped"
    assert made.events[-1].fields["reason"] == reason
    assert made.digestor.metrics.value("digest_sources_processed", outcome="skipped") == 1
    assert made.digestor.is_eligible(source(**fields)) is (reason == "no_gain")


def test_a_digest_is_not_digested_again_even_without_its_type(make, run) -> None:
    made = make()
    payload = run(made.digestor.digest(source(), QUERY)).payload

    again = run(made.digestor.digest(source(content=serialize_payload(payload)), QUERY))

    assert again.reason == "already_digested"


def test_html_is_parsed_before_anything_is_decoded(make, run) -> None:
    made = make(evidence_max_chars=500)
    page = f"<p>if a &lt; b and c &gt; d then</p><script>var hidden = 1;</script><p>{TEXT}</p>"

    result = run(made.digestor.digest(source(content=page, content_type="text/html"), "a b c d then"))

    assert "if a < b and c > d then" in result.payload.evidence_snippets[0].text
    assert "hidden" not in made.writer.asked[0][0]


def test_a_pages_locator_is_relative_to_its_page(make, run) -> None:
    made = make()
    text = join_bodies([canonical_body(TEXT), canonical_body("\n\n".join(TEXT.split("\n\n")[::-1]))], paginated=True)

    result = run(made.digestor.digest(source(content=text), QUERY))

    assert {snippet.locator.partition(":char")[0] for snippet in result.payload.evidence_snippets} <= {
        "page:1",
        "page:2",
    }
    assert all(resolve_locator(text.text, s.locator) == s.text for s in result.payload.evidence_snippets)


def test_it_is_a_digestor_service(make, run) -> None:
    made = make()
    assert isinstance(made.digestor, Digestor)

    outcome = run(made.digestor.digest_text(canonicalise(TEXT).text, QUERY, source_id="doc"))

    assert (outcome.status, outcome.cache_hit) == ("digested", False)
    assert outcome.details["summariser"] == "double/v1"


# -- cache --------------------------------------------------------------------------------------------------------


def test_the_second_time_no_model_is_asked(make, run) -> None:
    made = make()
    first = run(made.digestor.digest(source(), QUERY))

    second = run(made.digestor.digest(source(), QUERY))

    assert second.cache_hit
    assert second.notes["_digest_cache_hit"] is True
    assert second.payload == first.payload
    assert len(made.writer.asked) == 1
    assert made.digestor.metrics.value("digest_cache_hits") == 1


def test_another_session_that_shares_the_cache_asks_no_model(make, run) -> None:
    """DIG-19: the id comes from the URL, so that it outlives a run; tracking parameters do not change it."""
    cache = DigestCache()
    run(make(others={"cache": cache}).digestor.digest(source(), QUERY))
    later = make(others={"cache": cache})

    result = run(later.digestor.digest(source(url="HTTPS://Example.org:443/1?utm_source=x#top"), QUERY))

    assert result.cache_hit
    assert later.writer.asked == []


@pytest.mark.parametrize("part", ["source", "content", "query", "version"])
def test_each_part_of_the_key_alone_is_a_miss(make, run, monkeypatch, part: str) -> None:
    cache = DigestCache()
    made = make(others={"cache": cache})
    run(made.digestor.digest(source(), QUERY))
    changed, query = source(), QUERY
    if part == "source":
        changed = source(url="https://example.org/other")
    elif part == "content":
        changed = source(content=source().content + " One more sentence.")
    elif part == "query":
        query = QUERY + "?"
    else:
        monkeypatch.setattr(CacheKey, "__init__", _with_version(CacheKey.__init__, "0.1"))

    result = run(made.digestor.digest(changed, query))

    assert not result.cache_hit
    assert len(made.writer.asked) == 2


def _with_version(original, version: str):
    def init(self, **fields) -> None:
        original(self, **{**fields, "version": version})

    return init


@pytest.mark.parametrize(
    "change",
    [
        {"include_evidence": False},
        {"evidence_max_chars": 300},
        {"max_evidence_snippets": 3},
        {"chunking": ChunkingConfig(target=300, maximum=400)},
    ],
)
def test_each_setting_that_changes_the_output_is_a_miss(make, run, change: dict) -> None:
    cache = DigestCache()
    run(make(others={"cache": cache}).digestor.digest(source(), QUERY))
    other = make(others={"cache": cache}, **change)

    assert not run(other.digestor.digest(source(), QUERY)).cache_hit


def test_another_scorer_or_model_or_prompt_is_a_miss(make, run) -> None:
    cache = DigestCache()
    run(make(others={"cache": cache}).digestor.digest(source(), QUERY))

    scorer = make(others={"cache": cache, "scorer": KeywordScorer()})
    model = make(Writer(identity="double/v2"), others={"cache": cache})

    assert not run(scorer.digestor.digest(source(), QUERY)).cache_hit
    assert not run(model.digestor.digest(source(), QUERY)).cache_hit


@pytest.mark.parametrize(
    "change", [{"policy": DigestPolicy.AUTO}, {"timeout": 5.0}, {"max_sources": 2}, {"min_chars": 5}]
)
def test_a_setting_that_does_not_change_the_output_is_a_hit(make, run, change: dict) -> None:
    """The seed's tuple held these too; a cache would then be lost for nothing."""
    cache = DigestCache()
    run(make(others={"cache": cache}).digestor.digest(source(), QUERY))
    other = make(others={"cache": cache}, **change)

    assert run(other.digestor.digest(source(), QUERY)).cache_hit


def test_a_short_key_that_two_sources_share_is_no_hit() -> None:
    """R-3: whole hashes are compared, so that a collision of the short ones serves nobody another's digest."""
    cache = DigestCache()
    key = CacheKey(source_id="s", content_hash="a" * 64, query_hash="b" * 64, config_hash="c" * 64)
    payload = DigestPayload.model_construct()
    cache.put(CacheEntry(key=key, payload=payload, method="x"))

    for name, size in (("content_hash", 16), ("query_hash", 8), ("config_hash", 8)):
        same_beginning = getattr(key, name)[:size]
        other = dataclasses.replace(key, **{name: same_beginning + "0" * (64 - size)})
        assert str(other) == str(key)
        assert cache.get(other) is None
    assert cache.get(key) is not None
    assert str(key) == f"digest:{cache_module.DIGEST_IMPL_VERSION}:s:{'a' * 16}:{'b' * 8}:{'c' * 8}"


def test_a_full_cache_loses_its_oldest_half() -> None:
    cache = DigestCache()
    keys = [
        CacheKey(source_id=f"s{n}", content_hash="a" * 64, query_hash="b" * 64, config_hash="c" * 64)
        for n in range(101)
    ]
    for key in keys:
        cache.put(CacheEntry(key=key, payload=DigestPayload.model_construct(), method="x"))

    assert len(cache) == 51
    assert [cache.get(key) is not None for key in keys] == [False] * 50 + [True] * 51
    cache.clear()
    assert len(cache) == 0


def test_the_hashes_in_the_payload_and_the_key_agree(make, run) -> None:
    payload = run(make().digestor.digest(source(), QUERY)).payload

    assert payload.source_text_hash == f"sha256:{canonicalise(source().content).sha256}"


# -- failures -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "reason", "said"),
    [
        (RuntimeError("echo of the source"), "summary_failed", "RuntimeError"),
        (ToolUnavailable("no server"), "summary_failed", "ToolUnavailable [tool_unavailable]"),
        (TimeoutError(), "timeout", "TimeoutError"),
    ],
)
def test_a_failing_summariser_leaves_the_source_as_it_is(make, run, error, reason: str, said: str) -> None:
    made = make(Writer(error=error))
    item = source()

    result = run(made.digestor.digest(item, QUERY))

    assert (result.status, result.reason, result.payload) == ("failed", reason, None)
    assert said in result.warnings[0]
    assert "echo" not in str(result)
    assert item == source()
    assert len(made.digestor.cache) == 0
    assert made.events[-1].fields["error_message"] == said
    assert made.digestor.metrics.value("digest_sources_processed", outcome="error") == 1


class BrokenScorer:
    name = "broken/v1"

    def score(self, query: str, chunks: list[str]) -> list[float]:
        raise ValueError(chunks[0])


def test_a_failing_scorer_is_told_without_the_text_it_quotes(make, run) -> None:
    made = make(others={"scorer": BrokenScorer()})

    result = run(made.digestor.digest(source(), QUERY))

    assert result.reason == "scoring_failed"
    assert "harbour" not in str((result, made.events))


def test_a_summariser_that_takes_too_long_is_ended(make, run, loop) -> None:
    """DIG-20: 60 seconds a source."""
    made = make(Writer(seconds=61))

    result = run(made.digestor.digest(source(), QUERY))

    assert (result.status, result.reason) == ("failed", "timeout")
    assert loop.now == pytest.approx(1_060, abs=0.1)
    assert made.writer.at_once == 0
    assert len(made.digestor.cache) == 0


def test_one_within_the_deadline_is_not(make, run) -> None:
    assert run(make(Writer(seconds=59)).digestor.digest(source(), QUERY)).status == "digested"


def test_cancelling_propagates_and_leaves_nothing(make, loop) -> None:
    made = make(Writer(seconds=30))

    async def main() -> None:
        task = asyncio.create_task(made.digestor.digest(source(), QUERY))
        await asyncio.sleep(1)
        assert made.writer.at_once == 1
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert made.writer.at_once == 0

    loop.run_until_complete(main())
    assert len(made.digestor.cache) == 0
    assert made.names() == ["digest.started"]


class Swallowing(Writer):
    """A client that turns the cancellation into an error of its own, as some do."""

    async def asummarise(self, text: str, *, query: str, max_chars: int = 2000) -> Summary:
        try:
            return await super().asummarise(text, query=query)
        except asyncio.CancelledError:
            raise ConnectionError(text) from None


def test_a_client_that_swallows_the_deadline_is_ended_all_the_same(make, run) -> None:
    result = run(make(Swallowing(seconds=99)).digestor.digest(source(), QUERY))

    assert (result.status, result.reason) == ("failed", "timeout")


def test_many_that_want_the_same_ask_once(make, loop) -> None:
    made = make(Writer(seconds=5))

    async def main() -> list:
        return await asyncio.gather(*(made.digestor.digest(source(), QUERY) for _ in range(4)))

    results = loop.run_until_complete(main())

    assert len(made.writer.asked) == 1
    assert len({result.payload.to_json() for result in results}) == 1


def test_one_of_many_that_is_cancelled_leaves_the_others_their_digest(make, loop) -> None:
    made = make(Writer(seconds=5))

    async def main() -> tuple:
        first, second = (asyncio.create_task(made.digestor.digest(source(), QUERY)) for _ in range(2))
        await asyncio.sleep(1)
        first.cancel()
        return await asyncio.gather(first, second, return_exceptions=True)

    first, second = loop.run_until_complete(main())

    assert isinstance(first, asyncio.CancelledError)
    assert second.status == "digested"
    assert len(made.writer.asked) == 1


class Blocking:
    """A summariser of somebody else's that knows no event loop."""

    def summarise(self, text: str, *, query: str | None = None, max_chars: int = 2000) -> Summary:
        return Summary(text=f"blocking {query}", method="blocking")


def test_a_summariser_that_blocks_does_so_in_a_thread() -> None:
    digestor = DocumentDigestor(Blocking(), config=DigestConfig(policy=DigestPolicy.ALWAYS))

    result = asyncio.run(digestor.digest(source(), QUERY))

    assert result.payload.summary == f"blocking {QUERY}"
    assert result.summariser.endswith("Blocking")


# -- archive ------------------------------------------------------------------------------------------------------


def test_what_is_digested_is_archived_first_and_verifies(make, run, tmp_path: Path) -> None:
    made = make(archive_content=True, archive_dir=tmp_path)

    result = run(made.digestor.digest(source(), QUERY))

    archived = tmp_path / source().id / f"{result.archive_hash}.txt"
    assert verify_digest(result.payload, archived.read_bytes().decode()).status == "verified"
    assert result.notes["_digest_archive_hash"] == result.payload.source_text_hash.removeprefix("sha256:")


def test_the_text_is_there_before_the_summariser_is_asked(make, run, tmp_path: Path) -> None:
    seen = []

    class Looking(Writer):
        async def asummarise(self, text: str, *, query: str, max_chars: int = 2000) -> Summary:
            seen.extend(tmp_path.rglob("*.txt"))
            return await super().asummarise(text, query=query)

    run(make(Looking(), archive_content=True, archive_dir=tmp_path).digestor.digest(source(), QUERY))

    assert len(seen) == 1


def test_without_an_archive_the_hash_is_still_there(make, run) -> None:
    result = run(make().digestor.digest(source(), QUERY))

    assert result.archive_hash is None
    assert "_digest_archive_hash" not in result.notes
    assert result.payload.source_text_hash


class FullDisk(Archive):
    def write(self, source_id: str, text: object) -> Path:
        raise StorageError("the disk is full")


def test_an_archive_that_fails_keeps_the_digest_and_says_so(make, run, tmp_path: Path) -> None:
    """R-5."""
    result = run(make(others={"archive": FullDisk(tmp_path)}).digestor.digest(source(), QUERY))

    assert result.status == "digested"
    assert result.archive_hash is None
    assert "cannot be verified: the disk is full" in result.warnings[0]


@pytest.mark.skipif(
    os.name != "posix" or os.geteuid() == 0, reason="root may write anywhere, Windows has no such modes"
)
def test_a_read_only_archive_keeps_the_digest(make, run, tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        result = run(make(archive_content=True, archive_dir=tmp_path / "x").digestor.digest(source(), QUERY))
    finally:
        tmp_path.chmod(0o700)
    assert result.status == "digested"
    assert result.archive_hash is None


def test_a_source_id_that_leads_out_of_the_archive_is_refused(make, run, tmp_path: Path) -> None:
    made = make(archive_content=True, archive_dir=tmp_path / "archive")

    with pytest.raises(UsageError, match="not a valid folder name"):
        run(made.digestor.digest(source(id="../../etc"), QUERY))
    assert list(tmp_path.iterdir()) == []


# -- settings -----------------------------------------------------------------------------------------------------

DEFAULTS = {
    "deep_research_digest_policy": ("policy", "auto"),
    "deep_research_digest_min_chars": ("min_chars", 10_000),
    "deep_research_digest_max_sources": ("max_sources", 8),
    "deep_research_digest_timeout": ("timeout", 60.0),
    "deep_research_digest_max_concurrent": ("max_concurrent", 3),
    "deep_research_digest_include_evidence": ("include_evidence", True),
    "deep_research_digest_evidence_max_chars": ("evidence_max_chars", 400),
    "deep_research_digest_max_evidence_snippets": ("max_evidence_snippets", 5),
    "deep_research_digest_fetch_pdfs": ("fetch_pdfs", False),
    "deep_research_archive_content": ("archive_content", False),
    "deep_research_archive_retention_days": ("archive_retention_days", 30),
    "deep_research_follow_links": ("follow_links", True),
}


@pytest.mark.parametrize("key", DEFAULTS)
def test_every_key_has_its_default_and_is_read(key: str) -> None:
    """DIG-25, DIG-33."""
    name, default = DEFAULTS[key]
    assert getattr(DigestConfig(), name) == default
    assert getattr(DigestConfig.read({key: default}), name) == default


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("deep_research_digest_policy", "sometimes"),
        ("deep_research_digest_policy", None),
        ("deep_research_digest_min_chars", -1),
        ("deep_research_digest_min_chars", "10"),
        ("deep_research_digest_min_chars", True),
        ("deep_research_digest_max_sources", 0),
        ("deep_research_digest_timeout", 0),
        ("deep_research_digest_timeout", float("nan")),
        ("deep_research_digest_timeout", "60"),
        ("deep_research_digest_max_concurrent", 0),
        ("deep_research_digest_include_evidence", 1),
        ("deep_research_digest_evidence_max_chars", 501),
        ("deep_research_digest_evidence_max_chars", 0),
        ("deep_research_digest_max_evidence_snippets", 11),
        ("deep_research_digest_max_evidence_snippets", 2.5),
        ("deep_research_digest_fetch_pdfs", "yes"),
        ("deep_research_archive_retention_days", -1),
        ("deep_research_archive_dir", 3),
        ("deep_research_digest_colour", "red"),
    ],
)
def test_a_value_that_does_not_fit_is_refused_by_the_keys_name(key: str, value: object) -> None:
    """DIG-25."""
    with pytest.raises(UsageError, match=key):
        DigestConfig.read({key: value})


def test_other_settings_of_the_host_are_none_of_ours() -> None:
    assert DigestConfig.read({"deep_research_max_iterations": 3, "colour": "red"}) == DigestConfig()
    assert DigestConfig.read({"deep_research_digest_timeout": 30, "deep_research_archive_dir": "~/x"}).timeout == 30.0


# -- sources ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "other"),
    [
        ("https://example.org/a", "HTTPS://EXAMPLE.org:443/a#part"),
        ("https://example.org/a?b=1&a=2", "https://example.org/a?a=2&b=1&utm_medium=mail"),
        ("https://example.org/%7Eme", "https://example.org/~me"),
        ("https://example.org", "https://example.org/"),
        ("http://[2001:db8::1]:80/x", "http://[2001:db8::1]/x"),
    ],
)
def test_urls_of_one_page_give_one_id(url: str, other: str) -> None:
    assert Source(url=url, content="a").id == Source(url=other, content="b").id


def test_without_a_url_the_content_gives_the_id() -> None:
    assert Source(content="a").id == Source(content="a").id != Source(content="b").id
    assert Source(content=canonicalise("a")).id == Source(content="a").id
    assert Source(url="http://[bad", content="a").id.startswith("url-")
    assert Source(url="no url", content="a").id.startswith("url-")
    assert Source(content="\ud800").id


def test_a_source_is_plain_text_unless_it_says_otherwise() -> None:
    assert Source(content="a").content_type == "text/plain"
    assert not Source(content="a").is_digest
    assert Source(content="{}", content_type="digest/v1").is_digest
