"""The state machine of a job, compared with ENG-3 written out a second time by hand."""

from __future__ import annotations

import itertools

import pytest
from octavo_contracts import (
    HAPPY_PATH,
    LEGAL_TRANSITIONS,
    TERMINAL_STATES,
    IllegalTransition,
    IngestionState,
    Intent,
    check_transition,
)

# One line a state: where it may lead. `hard_failed` is open from everywhere but a terminal state (ENG-7).
TABLE = """
registered             hash_checked hard_failed
hash_checked           source_stored hard_failed
source_stored          conversion_pending hard_failed
conversion_pending     converted conversion_failed hard_failed
converted              classified classification_failed hard_failed
conversion_failed      conversion_pending hard_failed
classified             summarized summary_failed hard_failed
classification_failed  summarized summary_failed hard_failed
summarized             indexed indexing_failed hard_failed
summary_failed         indexed indexing_failed hard_failed
indexed                extraction_pending hard_failed
indexing_failed        indexed indexing_failed hard_failed
extraction_pending     extracted extraction_failed hard_failed
extracted              verified verification_failed hard_failed
extraction_failed      extraction_pending hard_failed
verified               written write_failed hard_failed
verification_failed    extraction_pending verified hard_failed
written                complete degraded_complete hard_failed
write_failed           written write_failed hard_failed
complete
degraded_complete
hard_failed
"""
EXPECTED = {line.split()[0]: set(line.split()[1:]) for line in TABLE.strip().splitlines()}


def test_the_table_is_exactly_the_one_of_eng_3() -> None:
    """No state and no arrow more, none less."""
    assert {str(state): {str(after) for after in afters} for state, afters in LEGAL_TRANSITIONS.items()} == EXPECTED


@pytest.mark.parametrize(("before", "after"), list(itertools.product(IngestionState, IngestionState)))
def test_a_transition_is_allowed_or_raises(before: IngestionState, after: IngestionState) -> None:
    """Every pair of states, the same state twice among them."""
    if after in EXPECTED[before]:
        check_transition(before, after)
    else:
        with pytest.raises(IllegalTransition, match=f"may not go from {before} to {after}"):
            check_transition(before, after)


def test_terminal_states_are_final() -> None:
    """A reconversion is a new job: nothing leads out of the three ends, and the message says so."""
    assert {"complete", "degraded_complete", "hard_failed"} == TERMINAL_STATES
    for state in TERMINAL_STATES:
        assert not LEGAL_TRANSITIONS[state]
        with pytest.raises(IllegalTransition, match="none, the state is terminal"):
            check_transition(state, IngestionState.REGISTERED)


def test_the_happy_path_is_legal_from_the_first_state_to_complete() -> None:
    """The states of a job in which nothing fails, each once."""
    assert HAPPY_PATH[0] is IngestionState.REGISTERED
    assert HAPPY_PATH[-1] is IngestionState.COMPLETE
    assert len(set(HAPPY_PATH)) == len(HAPPY_PATH)
    for before, after in itertools.pairwise(HAPPY_PATH):
        check_transition(before, after)
    assert not [state for state in HAPPY_PATH if state.endswith("failed")]


def test_every_state_can_be_reached_and_can_end() -> None:
    """No state stands apart, and none is a trap."""

    def reachable(start: IngestionState) -> set[IngestionState]:
        found: set[IngestionState] = set()
        todo = [start]
        while todo:
            for after in LEGAL_TRANSITIONS[todo.pop()] - found:
                found.add(after)
                todo.append(after)
        return found

    assert reachable(IngestionState.REGISTERED) == set(IngestionState) - {IngestionState.REGISTERED}
    for state in set(IngestionState) - TERMINAL_STATES:
        assert IngestionState.COMPLETE in reachable(state) or state is IngestionState.HARD_FAILED


def test_a_failed_classification_or_summary_can_still_end_degraded() -> None:
    """ENG-3: both go on towards degraded_complete; neither costs the document."""
    way = ["converted", "classification_failed", "summary_failed", "indexed", "extraction_pending"]
    way += ["extracted", "verified", "written", "degraded_complete"]
    for before, after in itertools.pairwise(IngestionState(name) for name in way):
        check_transition(before, after)


def test_the_table_can_not_be_changed() -> None:
    """A plugin cannot open a way for itself."""
    with pytest.raises(TypeError):
        LEGAL_TRANSITIONS[IngestionState.COMPLETE] = frozenset(IngestionState)  # type: ignore[index]  # what is tested


def test_the_intents() -> None:
    """What a job may be for (ENG-3)."""
    assert set(Intent) == {"ingest", "reconvert", "extract"}
