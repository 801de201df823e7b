"""One document has one time for all the plugins that are tried on it (ENG-11)."""

from __future__ import annotations

import time

import octavo
import pytest
from octavo.plugins.budget import TimeBudget
from octavo.runtime import Runtime
from octavo.settings.settings import Settings
from octavo_contracts import ConversionTimeout, UsageError
from octavo_sandbox import SandboxLimits
from octavo_text.chunking import ChunkingConfig

HANG = "import time\nfrom octavo_contracts import *\n@hookimpl\ndef convert(source):\n    time.sleep(600)\n"
CRASH_LATE = "import os, time\nfrom octavo_contracts import *\n@hookimpl\ndef convert(source):\n    time.sleep(1.2)\n    os._exit(9)\n"
GARBLED = (
    "from octavo_contracts import *\n@hookimpl\ndef convert(source):\n"
    "    table = Table(rows=(('a', 'b'), ('1',), ('2',), ('3',)))\n"
    "    return Conversion(pages=(Page(number=1, kind='whole', markdown='t', tables=(table,)),), paginated=False)\n"
)


def routes(tmp_path, names, escalate=()):
    path = tmp_path / "profile.toml"
    path.write_text(f"[routes]\nplain_text = {list(names)}\n[escalate]\nother = {list(escalate)}\n")
    return str(path)


def convert(tmp_path, names, *, escalate=(), document_seconds, wall_seconds=30.0, timeout=None):
    settings = Settings(
        workers=1,
        limits=SandboxLimits(wall_seconds=wall_seconds),
        document_seconds=document_seconds,
        profile=routes(tmp_path, names, escalate),
    )
    with Runtime(settings) as runtime:
        return octavo.convert(b"hello", name="a.txt", runtime=runtime, timeout=timeout).result


def test_engines_that_hang_share_one_deadline(make_plugin, tmp_path):
    for name in ("first", "second", "third"):
        make_plugin(name, HANG)
    result = convert(tmp_path, ["first", "second", "third"], document_seconds=2.0, wall_seconds=1.4)
    assert result.failure_receipts[0].reason_code == "conversion_timeout"
    assert [attempt.plugin for attempt in result.attempts] == ["first", "second"]
    given = [float(attempt.details.partition(" within ")[2].split()[0]) for attempt in result.attempts]
    assert given[0] == 1.4
    assert 0 < given[1] <= 0.6
    first, second = result.quality_report.fallback_attempts
    assert (first.tool, first.outcome) == ("first", "fallback_to_second")
    assert (second.tool, second.outcome) == ("second", "abandoned")
    assert second.reason.endswith("; the 2 s for all plugins together are used up")


def test_a_worker_that_dies_late_is_not_given_the_time_twice(make_plugin, tmp_path):
    make_plugin("late", CRASH_LATE)
    result = convert(tmp_path, ["late"], document_seconds=2.0)
    assert [attempt.reason_code for attempt in result.attempts] == ["converter_crashed", "conversion_timeout"]
    assert result.failure_receipts[0].reason_code == "conversion_timeout"


def test_an_escalation_has_what_is_left_and_its_end_is_recorded(make_plugin, tmp_path):
    make_plugin("light", GARBLED)
    make_plugin("heavy", HANG)
    result = convert(tmp_path, ["light"], escalate=["heavy"], document_seconds=1.5)
    assert result.ingestion_status == "degraded_complete"
    assert result.quality_report.selected_tool == "light"
    assert [(attempt.plugin, attempt.outcome) for attempt in result.attempts] == [("light", "ok"), ("heavy", "failed")]
    (tried,) = result.quality_report.fallback_attempts
    assert (tried.tool, tried.outcome) == ("heavy", "abandoned")
    assert tried.reason.startswith("conversion_timeout: ")


@pytest.mark.parametrize(
    ("settings", "timeout", "seconds"),
    [
        (Settings(), None, 600),
        (Settings(), 20, 40),
        (Settings(limits=SandboxLimits(wall_seconds=10)), None, 20),
        (Settings(document_seconds=90), 60, 90),
    ],
)
def test_the_time_of_a_document_is_the_settings_or_that_of_two_calls(settings, timeout, seconds):
    assert settings.budget(timeout).seconds == seconds


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), float("inf")])
def test_a_time_that_is_none_is_refused(seconds):
    with pytest.raises(UsageError, match="document_seconds"):
        Settings(document_seconds=seconds)


def test_waiting_counts_for_no_more_than_the_limit_of_the_call():
    budget = TimeBudget(1.0)
    with budget.call(SandboxLimits(wall_seconds=0.1)) as limits:
        assert limits.wall_seconds == 0.1
        time.sleep(0.4)
    with budget.call(SandboxLimits()) as limits:
        assert 0.85 < limits.wall_seconds <= 0.91
        time.sleep(1.0)
    assert budget.is_used_up
    with (
        pytest.raises(ConversionTimeout, match="the 1 s for all plugins together are used up"),
        budget.call(SandboxLimits()),
    ):
        raise AssertionError("no call is made")


WIDE = (
    "from octavo_contracts import *\n@hookimpl\ndef convert(source):\n    text = 'tide ' * 2_000_000\n"
    "    return Conversion(pages=(Page(number=1, kind='whole', markdown=text, text=text),), paginated=False)\n"
)


def test_what_the_host_makes_of_an_answer_counts_against_the_documents_time(make_plugin, tmp_path):
    """The engine answers at once; the host would take a minute to cut its text into two million chunks."""
    make_plugin("wide", WIDE)
    settings = Settings(
        workers=1,
        document_seconds=6.0,
        profile=routes(tmp_path, ["wide"]),
        chunking=ChunkingConfig(version="fixed-4-5-1", target=4, maximum=5, minimum=1),
    )
    with Runtime(settings) as runtime:
        result = octavo.convert(b"hello", name="a.txt", runtime=runtime).result
    assert result.ingestion_status == "hard_failed"
    assert result.failure_receipts[0].reason_code == "conversion_timeout"
    assert result.chunk_manifest == ()
