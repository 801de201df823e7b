"""Fresh notebooks whose cells were run in another order than they stand, with outputs, of the current format and of the one before."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from .truths import Truth
from .words import Words

NOTEBOOK_TYPE = "application/x-ipynb+json"
_PAIRS = 6
"""Texts of a notebook, each with code behind it."""
_TOLD = ("python", "python3", "code", "output", "Output", "text", "raw", "cell", "Cell", "In", "Out", "stdout", "plain")
"""Words with which a converter may mark cells and outputs."""


def _stored(text: str, words: Words) -> str | list[str]:
    """Return a text as notebooks store it: as one text, or as its lines."""
    return text if words.dice.random() < 0.5 else text.splitlines(keepends=True)


def _notebook(words: Words, *, outputs: bool) -> Truth:
    """Texts and code in turn; the counts of the code are in no order, and one cell was not run."""
    n = words.dice.randint
    counts: list[int | None] = list(words.dice.sample(range(1, 60), _PAIRS))
    if not outputs:
        counts[n(1, _PAIRS - 1)] = None
    if counts == sorted(counts, key=lambda one: one or 0):
        counts.reverse()
    cells: list[Mapping[str, Any]] = []
    parts, headings, text = [], [], []
    for number, count in enumerate(counts):
        heading, line, name, value = words.heading(), words.line(6), words.word(), n(100, 999)
        headings.append(heading)
        told = f"# {heading}\n\n{line}"
        source = f'{name} = {value}\nprint("{words.line(3)}")'
        parts += [heading, name]
        text += [heading, line, source]
        cells.append(_cell("markdown", _stored(told, words), number))
        code = {**_cell("code", _stored(source, words), number), "execution_count": count, "outputs": []}
        if outputs and number % 2 == 0:
            said = words.line(4)
            code["outputs"] = [_output(said, words, number, count)]
            text.append(said)
            parts.append(said)
        cells.append(code)
    about = {
        "kernelspec": {"name": "python3", "language": "python", "display_name": "Python 3"},
        "language_info": {"name": "python"},
    }
    data = json.dumps({"cells": cells, "metadata": about, "nbformat": 4, "nbformat_minor": 5}, ensure_ascii=False)
    numbers = (str(one) for one in counts if one)
    truth = {"headings": tuple(headings), "parts": tuple(parts), "allowed": (*_TOLD, *numbers)}
    return data.encode(), "whole", [" ".join(text)], truth


def _cell(kind: str, source: str | list[str], number: int) -> dict[str, Any]:
    return {"cell_type": kind, "id": f"{kind[0]}{number}", "metadata": {}, "source": source}


def _output(said: str, words: Words, number: int, count: int | None) -> dict[str, Any]:
    if number % 4:
        return {"output_type": "stream", "name": "stdout", "text": _stored(f"{said}\n", words)}
    data = {"text/plain": _stored(said, words)}
    return {"output_type": "execute_result", "execution_count": count, "metadata": {}, "data": data}


def _results(words: Words) -> Truth:
    """Outputs of every kind that has text: errors, warnings on another stream, results as tables and markdown, several of one cell."""
    cells: list[Mapping[str, Any]] = []
    text: list[str] = []
    kinds = ["error", "stderr", "several", "display", "raw", "error-in-colour"]
    words.dice.shuffle(kinds)
    for number, kind in enumerate(kinds, start=1):
        line, name, said = words.line(5), words.word(), words.line(4)
        cells.append(_cell("markdown", _stored(line, words), number))
        text.append(line)
        if kind == "raw":
            cells.append(_cell("raw", _stored(said, words), number))
            text.append(said)
            continue
        source = f"{name}({words.dice.randint(10, 99)})"
        outputs, told = _results_of(kind, words, said, number)
        cells.append({**_cell("code", source, number), "execution_count": number, "outputs": outputs})
        text += [source, *told]
    about = {"language_info": {"name": "python"}}
    data = json.dumps({"cells": cells, "metadata": about, "nbformat": 4, "nbformat_minor": 5}, ensure_ascii=False)
    allowed = (
        *_TOLD,
        "Traceback",
        "most",
        "recent",
        "call",
        "last",
        "line",
        "stderr",
        "error",
        "markdown",
        *map(str, range(10)),
    )
    return data.encode(), "whole", [" ".join(text)], {"allowed": allowed}


def _results_of(kind: str, words: Words, said: str, number: int) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the outputs of a cell, and what they say."""
    more = words.line(3)
    match kind:
        case "stderr":
            return [{"output_type": "stream", "name": "stderr", "text": _stored(f"{said}\n", words)}], [said]
        case "several":
            first = {"output_type": "stream", "name": "stdout", "text": _stored(f"{said}\n", words)}
            return [first, _output(more, words, 4, number)], [said, more]
        case "display":
            data = {"text/plain": _stored(said, words), "text/html": f"<p>{said}</p>"}
            return [{"output_type": "display_data", "metadata": {}, "data": data}], [said]
    name = f"{words.word().capitalize()}Error"
    red, off = ("\x1b[0;31m", "\x1b[0m") if kind == "error-in-colour" else ("", "")
    trace = [f"{red}Traceback (most recent call last){off}", f"{red}{name}{off}: {said}"]
    before = {"output_type": "stream", "name": "stdout", "text": _stored(f"{more}\n", words)}
    return [before, {"output_type": "error", "ename": name, "evalue": said, "traceback": trace}], [more, name, said]


NOTEBOOKS: dict[str, tuple[str, Callable[[Words], Truth]]] = {
    "ipynb/run.ipynb": (NOTEBOOK_TYPE, partial(_notebook, outputs=False)),
    "ipynb/results.ipynb": (NOTEBOOK_TYPE, _results),
    "ipynb/outputs.ipynb": (NOTEBOOK_TYPE, partial(_notebook, outputs=True)),
}
"""Path → media type, and the function that makes the document."""
