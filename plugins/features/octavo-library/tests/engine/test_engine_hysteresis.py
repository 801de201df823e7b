"""When work is held back: a table of readings over time, and what is decided at each (ENG-12, ENG-13)."""

from __future__ import annotations

import pytest
from octavo_library.ingestion.hysteresis import FREE, Backpressure, Watermarks, evaluate

MEMORY = Watermarks(pause=85.0, resume=75.0)
DISK = Watermarks(pause=5.0, resume=6.0, low_is_bad=True)
HEAT = Watermarks(pause=95.0, resume=90.0, patience=30.0)


@pytest.mark.parametrize(
    ("band", "readings", "expected"),
    [
        pytest.param(
            MEMORY, [50, 84.9, 85, 80, 75, 74.9, 84], [0, 0, 1, 1, 1, 0, 0], id="memory: 85 stops, under 75 goes"
        ),
        pytest.param(DISK, [9, 5.0, 4.9, 5.5, 5.99, 6.0, 5.5], [0, 0, 1, 1, 1, 0, 0], id="disk: below 5 stops, 6 goes"),
        pytest.param(
            Watermarks(pause=0, resume=0, low_is_bad=True), [1, 0, 0], [0, 0, 0], id="no floor holds nothing back"
        ),
        pytest.param(MEMORY, [None, 90, None, 80], [0, 1, 0, 0], id="a sensor that is gone holds nothing back"),
        pytest.param(HEAT, [96, 96, 96, 96, 92, 89], [0, 0, 0, 1, 1, 0], id="heat: only after 30 s of it"),
        pytest.param(
            HEAT, [96, 96, 94, 96, 96, 96, 96], [0, 0, 0, 0, 0, 0, 1], id="heat: a cool moment starts it anew"
        ),
    ],
)
def test_work_stops_at_one_value_and_goes_on_at_another(band, readings, expected):
    """One reading every ten seconds."""
    decided = []
    held = FREE
    for number, value in enumerate(readings):
        held = evaluate(band, held, value, now=10.0 * number)
        decided.append(int(held.is_paused))
    assert decided == expected


def test_a_pause_remembers_when_it_began():
    held = evaluate(MEMORY, FREE, 90.0, now=100.0)
    assert evaluate(MEMORY, held, 80.0, now=160.0) == Backpressure(is_paused=True, since=100.0, bad_since=None)
