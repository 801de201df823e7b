"""Tools are asked for only while they are there and well; a tool's death is never the document's (ENG-10)."""

from __future__ import annotations

import time

import pytest
from octavo.plugins import load_catalogue
from octavo.settings.engine import LEASE_SECONDS, POOL_SIZES, RetrySettings
from octavo.settings.step_names import StepName
from octavo_contracts import (
    AuthUnavailable,
    ConversionTimeout,
    ConverterCrashed,
    RetryableToolFailure,
    SourceCorrupt,
    StorageExhausted,
    ToolUnavailable,
)
from octavo_library.ingestion.circuit_breaker import SUSPECT_AFTER, ToolBreaker
from octavo_library.ingestion.events import EventHub, ToolHealth
from octavo_library.ingestion.pools import StepPools
from octavo_library.ingestion.retry_policy import RetryDecision, verdict
from octavo_library.ingestion.throttle import ReserveReached

NOTHING = "from octavo_contracts import hookimpl\n@hookimpl\ndef convert(source): ...\n"


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def plugin(make_plugin):
    make_plugin("frail", NOTHING)
    return load_catalogue().get("frail")


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def told():
    return []


@pytest.fixture
def verdicts():
    """What the examination of the tool says, one after the other."""
    return []


@pytest.fixture
def desk(clock, told, verdicts):
    events = EventHub()
    events.subscribe(told.append)
    pools = StepPools(POOL_SIZES, LEASE_SECONDS, cores=2, events=events)
    return ToolBreaker(pools, heavy=frozenset({"giant"}), examine=lambda _: verdicts.pop(0), events=events, clock=clock)


def die(desk, plugin):
    with pytest.raises(RetryableToolFailure), desk.admit(plugin, None):
        raise RetryableToolFailure("its worker died")


def live(desk, plugin):
    with desk.admit(plugin, None):
        pass


def test_a_tool_that_dies_in_a_row_is_examined_and_left_alone_until_it_recovers(desk, plugin, clock, told, verdicts):
    for _ in range(SUSPECT_AFTER):
        die(desk, plugin)
    verdicts[:] = [ToolUnavailable("its model is gone")]
    with pytest.raises(ToolUnavailable, match=r"died 3 times in a row and cannot be loaded: its model is gone"):
        live(desk, plugin)
    with pytest.raises(ToolUnavailable):
        live(desk, plugin)  # at rest: not examined again at once
    clock.now += 5.0
    verdicts[:] = [None]
    live(desk, plugin)
    live(desk, plugin)  # well again: no examination
    assert [(event.tool, event.healthy) for event in told if isinstance(event, ToolHealth)] == [
        ("frail", False),
        ("frail", True),
    ]


def test_a_success_in_between_makes_it_no_suspect(desk, plugin):
    for _ in range(SUSPECT_AFTER - 1):
        die(desk, plugin)
    live(desk, plugin)
    die(desk, plugin)
    live(desk, plugin)


def test_deaths_in_calls_for_a_comparison_make_it_no_suspect(desk, plugin, told):
    for _ in range(SUSPECT_AFTER):
        with pytest.raises(RetryableToolFailure), desk.visit(plugin, None):
            raise RetryableToolFailure("its worker died")
    live(desk, plugin)  # an examination would fail: none is prepared
    assert told == []


def test_a_success_in_a_call_for_a_comparison_clears_no_suspect(desk, plugin, verdicts):
    for _ in range(SUSPECT_AFTER - 1):
        die(desk, plugin)
    with desk.visit(plugin, None):
        pass
    die(desk, plugin)
    verdicts.append(ConverterCrashed("it cannot be loaded"))
    with pytest.raises(ToolUnavailable, match="cannot be loaded"), desk.visit(plugin, None):
        raise AssertionError("a tool that is ill is not called")


def test_a_tool_that_is_not_installed_is_refused_before_dispatch_and_quickly(desk, make_plugin):
    make_plugin("absent", NOTHING, more='[[plugin.system]]\ncommand = "no-such-program"\ninstall = "apt install it"\n')
    plugin = load_catalogue().get("absent")
    with pytest.raises(ToolUnavailable, match="no-such-program"):
        live(desk, plugin)
    started = time.perf_counter()
    for _ in range(10):
        with pytest.raises(ToolUnavailable):
            live(desk, plugin)
    assert (time.perf_counter() - started) / 10 < 0.1


def test_heavy_tools_have_places_of_their_own(desk):
    assert desk.step_of("giant") is StepName.CONVERT_HEAVY
    assert desk.step_of("frail") is StepName.CONVERT


@pytest.mark.parametrize(
    ("error", "tries", "pressed", "expected"),
    [
        (StorageExhausted("full"), 1, False, RetryDecision.AGAIN),
        (StorageExhausted("full"), 3, False, RetryDecision.WAIT),
        (ReserveReached("full for long"), 1, False, RetryDecision.WAIT),
        (ToolUnavailable("not there"), 1, False, RetryDecision.WAIT),
        (AuthUnavailable("no key"), 1, False, RetryDecision.WAIT),
        (RetryableToolFailure("died twice"), 1, False, RetryDecision.END),
        (RetryableToolFailure("died twice"), 2, True, RetryDecision.AGAIN),
        (RetryableToolFailure("died twice"), 3, True, RetryDecision.END),
        (ConverterCrashed("raised"), 1, True, RetryDecision.END),
        (ConversionTimeout("hung"), 1, True, RetryDecision.END),
        (SourceCorrupt("no document"), 1, True, RetryDecision.END),
    ],
)
def test_only_what_may_pass_is_tried_again_and_not_for_ever(error, tries, pressed, expected):
    assert verdict(error, tries=tries, pressed=pressed, settings=RetrySettings()) is expected


def test_delays_grow():
    assert [RetrySettings().delay(attempt) for attempt in (1, 2, 3)] == [1.0, 4.0, 16.0]
