"""The tide table: a sum of four harmonic waves, as real tables are made."""

from __future__ import annotations

import csv
import io
import math
from datetime import datetime, timedelta

# Name: amplitude in metres, period in hours, phase in degrees. Of an invented harbour, with the periods of the real sky.
_WAVES = {
    "M2": (1.62, 12.4206012, 41.0),
    "S2": (0.55, 12.0, 88.0),
    "K1": (0.12, 23.9344721, 170.0),
    "O1": (0.09, 25.8193387, 15.0),
}
_MEAN_LEVEL = 2.71
_FIRST = datetime(2025, 11, 10)
_DAYS = 7
_NOTES = {
    datetime(2025, 11, 10): "Harbour office closed until noon",
    datetime(2025, 11, 13): "Slipway inspection, weather permitting; bring waders",
    datetime(2025, 11, 14): 'Storm watch: see "storm-warning.eml"\nGauge 2 on battery',
}


def height(hours: float) -> float:
    """Predicted height of the water, in metres above chart datum, so many hours after the first midnight."""
    return _MEAN_LEVEL + sum(
        amplitude * math.cos(2 * math.pi * hours / period - math.radians(phase))
        for amplitude, period, phase in _WAVES.values()
    )


def turns() -> list[tuple[datetime, str, float]]:
    """Every high and low water of the week: when, which, how many metres."""
    minutes = range(_DAYS * 24 * 60)
    found = []
    for minute in minutes:
        before, here, after = (height((minute + step) / 60) for step in (-1, 0, 1))
        if before < here >= after or before > here <= after:
            kind = "high" if here > before else "low"
            found.append((_FIRST + timedelta(minutes=minute), kind, here))
    return found


def tide_table() -> bytes:
    """A CSV with a header, quoted notes, a quote inside a quote and a line break inside a cell."""
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\r\n")
    writer.writerow(["Date", "Time (UTC)", "Water", "Height (m)", "Note"])
    noted: set[datetime] = set()
    for moment, kind, metres in turns():
        day = datetime(moment.year, moment.month, moment.day)
        note = "" if day in noted else _NOTES.get(day, "")
        noted.add(day)
        writer.writerow([f"{moment:%Y-%m-%d}", f"{moment:%H:%M}", kind, f"{metres:.2f}", note])
    return target.getvalue().encode()
