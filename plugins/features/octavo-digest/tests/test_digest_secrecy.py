"""Nothing of a source leaves by the side: serialisations, logs, events, metrics, errors (DIG-11, DIG-24, DIG-31, R-6)."""

from __future__ import annotations

import asyncio
import copy
import json
import logging
import pickle
import traceback

import pytest
from digest_doubles import QUERY, SECRET, TEXT, Writer, source
from octavo_contracts import Summary
from octavo_digest import (
    AuditEvent,
    DigestConfig,
    DigestedSource,
    DigestPolicy,
    DocumentDigestor,
    Metrics,
    Source,
    digest_batch,
)
from octavo_digest.observing import error_fields


def told(made, *more: object) -> str:
    """Everything that was said: events, metrics, what is given besides."""
    return repr((made.events, made.digestor.metrics.exposition(), vars(made.digestor.metrics), *more))


class Quoting(Writer):
    """A client whose error quotes what it was sent, in its text, its arguments and its cause."""

    async def asummarise(self, text: str, *, query: str, max_chars: int = 2000) -> Summary:
        await super().asummarise(text, query=query)
        raise RuntimeError(text, {"prompt": text}) from ValueError(text)


@pytest.mark.parametrize("how", ["success", "failure", "timeout", "cancellation"])
def test_a_planted_secret_is_told_nowhere(make, loop, caplog, capfd, how: str) -> None:
    caplog.set_level(logging.DEBUG)
    loop.set_debug(False)
    made = make(Quoting() if how == "failure" else Writer(seconds=99 if how == "timeout" else 10))
    item = source(metadata={"_raw_content": TEXT, "rank": 1})
    seen: list[str] = []

    async def main() -> object:
        task = asyncio.create_task(made.digestor.digest(item, QUERY))
        await asyncio.sleep(5)
        # In the middle of the work.
        seen.append(repr(made.digestor) + repr(vars(made.digestor)) + repr(task) + repr(item))
        if how == "cancellation":
            task.cancel()
        try:
            return await task
        except asyncio.CancelledError as error:
            return "".join(traceback.format_exception(error))

    result = loop.run_until_complete(main())

    said = told(made, result, seen) + caplog.text + "".join(capfd.readouterr())
    # The digest itself quotes the source, as it should; the secret is not what was asked for.
    assert SECRET not in said
    assert "_raw_content" not in said
    assert "_raw_content" not in json.dumps([item.to_dict(), item.to_state()])
    assert item.to_dict()["metadata"] == {"rank": 1}


def test_the_default_log_has_ids_and_numbers_alone(caplog) -> None:
    caplog.set_level(logging.DEBUG)
    digestor = DocumentDigestor(Quoting(), config=DigestConfig(policy=DigestPolicy.ALWAYS))

    asyncio.run(digestor.digest(source(), QUERY))

    assert "digest.error" in caplog.text
    assert SECRET not in caplog.text
    assert QUERY not in caplog.text
    assert {record.levelname for record in caplog.records if record.name == "octavo.digest"} == {"INFO", "WARNING"}


def test_a_result_of_a_failure_holds_no_error_that_quotes(make, run) -> None:
    result = run(make(Quoting()).digestor.digest(source(), QUERY))

    assert result.reason == "summary_failed"
    assert SECRET.encode() not in pickle.dumps(result)


def test_what_an_event_says_of_a_foreign_error_is_its_class() -> None:
    assert error_fields(ValueError(SECRET)) == {"error_type": "ValueError", "error_message": "ValueError"}


EVENT_FIELDS = {
    "digest.started": {"source_id", "content_size", "policy", "query_hash"},
    "digest.completed": {
        "source_id",
        "original_chars",
        "digest_chars",
        "compression_ratio",
        "cache_hit",
        "duration_ms",
    },
    "digest.skipped": {"source_id", "reason"},
    "digest.error": {"source_id", "error_type", "error_message"},
    "digest.circuit_breaker_triggered": {"window_failures", "window_size"},
}


def test_every_event_has_just_its_fields(make, run) -> None:
    made = make()
    run(made.digestor.digest(source(0), QUERY))
    run(made.digestor.digest(source(content=""), QUERY))
    made.writer.error = RuntimeError()
    for number in range(1, 8):
        run(made.digestor.digest(source(number), QUERY))

    assert {event.name: set(event.fields) for event in made.events} == EVENT_FIELDS
    assert all(isinstance(value, str | int | float | bool) for event in made.events for value in event.fields.values())


def test_metrics_have_their_names_labels_and_buckets(make, run) -> None:
    made = make()
    run(made.digestor.digest(source(), QUERY))
    run(made.digestor.digest(source(), QUERY))

    text = made.digestor.metrics.exposition()

    assert 'digest_sources_processed{outcome="completed"} 2\n' in text
    assert "digest_cache_hits 1\n" in text
    assert 'digest_duration_seconds_count{cache_hit="false",policy="always"} 1\n' in text
    assert 'digest_duration_seconds_count{cache_hit="true",policy="always"} 1\n' in text
    assert 'digest_evidence_snippets_bucket{le="5"} 2\n' in text
    assert 'digest_compression_ratio_bucket{le="+Inf"} 2\n' in text


def test_a_histogram_counts_up() -> None:
    metrics = Metrics()
    for value in (0, 1, 4, 11):
        metrics.observe("digest_evidence_snippets", value)

    histogram = metrics.histograms["digest_evidence_snippets", ()]
    assert histogram.counts == [1, 2, 2, 2, 3, 3, 4]
    assert (histogram.count, histogram.total) == (4, 16)


def test_a_digested_source_is_a_view_and_the_source_stays(make, run) -> None:
    """DIG-29: consumers read content and content type; the content that was found is still there."""
    item = source(metadata={"_private": 1, "rank": 2}, title="Log")
    view = run(digest_batch(make().digestor, [item], QUERY))[0].source

    assert isinstance(view, DigestedSource)
    assert (view.content_type, view.is_digest, view.id, view.url, view.title) == (
        "digest/v1",
        True,
        item.id,
        item.url,
        "Log",
    )
    assert json.loads(view.content)["summary"] == f"About {QUERY}."
    assert view.source.content == item.content
    assert view.metadata["_digest_cache_hit"] is False
    assert view.to_dict()["metadata"] == {"rank": 2}
    assert view.to_state()["metadata"] == {"rank": 2, "_digest_cache_hit": False}
    assert view.to_dict()["content"] == view.content
    assert view.citations()[0] == (view.payload.evidence_snippets[0].text, view.payload.evidence_snippets[0].locator)
    assert SECRET not in json.dumps(view.to_state())


def test_neither_serialiser_knows_raw_content() -> None:
    """R-6."""
    item = Source(content="x", metadata={"_raw_content": SECRET, "_digest_archive_hash": "ab", "_other": SECRET})

    assert SECRET not in json.dumps(item.to_dict())
    assert SECRET not in json.dumps(item.to_state())
    assert item.to_state()["metadata"] == {"_digest_archive_hash": "ab"}
    assert SECRET not in repr(item)


def test_a_source_can_not_be_changed() -> None:
    item = source(metadata={"a": 1})

    with pytest.raises(AttributeError):
        item.content = "other"  # type: ignore[misc]  # what the test is about
    with pytest.raises(TypeError):
        item.metadata["_raw_content"] = TEXT  # type: ignore[index]  # what the test is about


def test_events_are_data() -> None:
    event = AuditEvent(name="digest.skipped", fields={"reason": "no_gain"})

    assert copy.copy(event) == event
