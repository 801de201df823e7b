"""JSON documents: the gauges' readings, and the notebook that calibrates one by the other."""

from __future__ import annotations

import json
from typing import Any

_PAIRS = [(0.42, 0.45), (1.10, 1.12), (2.03, 2.06), (3.37, 3.41), (4.88, 4.92)]


def readings() -> bytes:
    """Five moments at which both gauges were read, as nested JSON."""
    document = {
        "station": "Brannoch Head",
        "datum": "chart datum",
        "unit": "m",
        "gauges": [{"id": 1, "kind": "float"}, {"id": 2, "kind": "pressure", "note": "on battery 🔋 since 2025-11-14"}],
        "readings": [{"moment": index, "gauge_1": one, "gauge_2": two} for index, (one, two) in enumerate(_PAIRS, 1)],
        "names": {"en": "Brannoch Head", "ja": "ブラノック岬", "ar": "رأس برانوخ"},
    }
    return (json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode()


def _lines(text: str) -> list[str]:
    return text.strip("\n").splitlines(keepends=True)


def _cell(name: str, kind: str, text: str, **more: Any) -> dict[str, Any]:
    return {"cell_type": kind, "id": name, "metadata": {}, "source": _lines(text), **more}


def calibration() -> bytes:
    """A notebook of four cells, one of them with an output."""
    mean = sum(two - one for one, two in _PAIRS) / len(_PAIRS)
    code = f"""
pairs = {_PAIRS}
offset = sum(two - one for one, two in pairs) / len(pairs)
print(f"gauge 2 reads {{offset * 100:.1f}} cm too high")
"""
    output = {"name": "stdout", "output_type": "stream", "text": [f"gauge 2 reads {mean * 100:.1f} cm too high\n"]}
    cells = [
        _cell(
            "aim", "markdown", "# Calibrating gauge 2\n\nThe float gauge is the reference; the pressure gauge drifts."
        ),
        _cell("offset", "code", code, execution_count=1, outputs=[output]),
        _cell(
            "result",
            "markdown",
            "## Result\n\nThe offset is *constant* within about 1 cm, so that one number corrects it.",
        ),
        _cell("correct", "code", "corrected = [two - offset for _, two in pairs]", execution_count=2, outputs=[]),
    ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    notebook = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    return (json.dumps(notebook, indent=1, ensure_ascii=False) + "\n").encode()
