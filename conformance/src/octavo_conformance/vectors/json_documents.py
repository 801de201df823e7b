"""Fresh JSON documents: objects and lists in each other, with values of every type, equal ones too, under keys that are made up."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from .model import words_of
from .prose import prose
from .truths import Truth
from .words import Words

_CONSTANTS = ("true", "false", "null", "True", "False", "None", "json")
"""What a converter may write for values that are no texts and no numbers."""
_DEPTH = 7
"""Levels of the deepest value."""
_RECORDS, _MANY = 14, 1_500
"""Records of a document, and of a large one."""


def _json(words: Words) -> Truth:
    return _written({words.word(): _record(words, _shape(words)), words.word(): [words.word(), words.word()]})


def _mixed(words: Words) -> Truth:
    shape = _shape(words)
    records = [_record(words, shape) for _ in range(_RECORDS)]
    # Records that differ in one value, and some that do not differ.
    records.insert(3, {**records[2], shape[0]: words.word()})
    records += [records[1], records[1]]
    odd = {**records[4], words.word(): words.line(2)}
    rows = [{key: words.short() for key in shape[:3]} for _ in range(words.dice.randint(40, 70))]
    _add_rare_members(words, rows)
    body: dict[str, Any] = {
        words.word(): rows,
        words.word(): {f"{words.word()} {words.word()}": words.heading(), words.word().upper(): ""},
        words.word(): [*records[:8], odd, *records[8:]],
        words.word(): _nested(words, _DEPTH),
        words.word(): [[words.dice.randint(1, 99) for _ in range(3)] for _ in range(4)],
        words.word(): [words.line(3), True, words.word(), None, False, [], {}, 0, -1, 0.5, [[words.word()], []]],
        words.word(): [line for line in prose(words.dice) if not set(line) & set('"\\')],
        words.word(): words.heading(),
    }
    return _written(body)


def _large(words: Words) -> Truth:
    shape = _shape(words)
    records = [_record(words, shape, short=True) for _ in range(_MANY)]
    _add_rare_members(words, records)
    _add_rare_members(words, [record[shape[4]] for record in records])
    return _written({words.word(): records, words.word(): words.word()})


def _add_rare_members(words: Words, records: list[dict[str, Any]]) -> None:
    """Add members that only a few late records have, as those of an error or a refund are, one of them to the last record."""
    late = words.dice.sample(range(len(records) * 4 // 5, len(records) - 1), 4)
    for place, value in zip(
        (*late, -1),
        (words.line(2), words.dice.randint(100, 999), [words.word()], {words.word(): words.word()}, words.word()),
        strict=True,
    ):
        records[place][words.word()] = value


def _numbers(words: Words) -> Truth:
    """Numbers in forms that binary floating-point numbers do not keep: zeros at the end, many digits, exponents."""
    n = words.dice.randint
    forms = [
        f"{n(1, 99)}.{n(1, 9)}0", f"{n(1, 99)}.00", f"-{n(1, 9)}.0", "-0.0", f"0.{n(1, 9)}000000000000000055", f"{n(1, 9)}E400", f"{n(1, 9)}e+2",
        f"{n(1, 9)}.{n(1, 9)}0e-7", f"{n(10**21, 10**22)}", f"-{n(10**17, 10**18)}1", f"{n(10**9, 10**10)}.{n(10**9, 10**10)}1", f"{n(1, 9)}E0",
        f"0.{n(1, 9)}0", "1.0", "0.1", f"{n(100, 999)}000000.00", f"{n(2**53, 2**54) | 1}", f"0.000000{n(1, 9)}",
    ]  # fmt: skip
    words.dice.shuffle(forms)
    # Written as texts behind a mark, as Python would write the numbers in another form.
    marked = [f"#{form}" for form in forms]
    body = {words.word(): one for one in marked[:9]}
    data, kind, (text,), truth = _written({**body, words.word(): marked[9:], words.word(): {words.word(): marked[0]}})
    return re.sub(rb'"#([^"]+)"', rb"\1", data), kind, [text.replace("#", "")], truth


def _shape(words: Words) -> list[str]:
    """Generate the keys of a record, in the forms that programs use."""
    one = [words.word() for _ in range(9)]
    return [*one[:5], f"{one[5]}{words.word().capitalize()}", f"{one[6]}_{words.word()}", one[7].capitalize(), one[8]]


def _record(words: Words, shape: list[str], *, short: bool = False) -> dict[str, Any]:
    dice, word = words.dice, words.short if short else words.word
    cents = dice.randint(1, 99)
    values: list[Any] = [
        f"{word()} {words.long_word()} {words.amount()}",
        dice.randint(-9_999, 9_999),
        float(f"{dice.randint(-99_999, 99_999)}.{cents:02}"),
        [word() for _ in range(dice.randint(0, 4))],
        {word(): f"0{dice.randint(100, 999)}", word(): {word(): [dice.randint(0, 9), dice.randint(0, 9)]}},
        f"{dice.randint(1, 28):02}/{dice.randint(1, 12):02}/20{dice.randint(10, 29)}",
        dice.choice((True, False, None, "", int(words.number()))),
        f"{dice.choice('€$£')}{dice.randint(1, 9)},{dice.randint(100, 999)}.{cents:02}",
        dice.choice((0.1, 1e-3, 12.75, 0, -0.5, 2024)),
    ]
    return dict(zip(shape, values, strict=True))


def _nested(words: Words, depth: int) -> Any:
    if depth == 0:
        return [words.word(), words.dice.randint(100, 999), words.line(3)]
    return {words.word(): words.word(), words.word(): [_nested(words, depth - 1), words.word()]}


def _written(body: dict[str, Any]) -> Truth:
    values, keys = list(json_values(body)), list(dict.fromkeys(json_keys(body)))
    parts = tuple(dict.fromkeys(part for key in keys for part in words_of(key)))
    truth = {"allowed": (*parts, *_CONSTANTS), "names": parts, "has_figures": True}
    # A line for each value, as programs write JSON that people read.
    return json.dumps(body, ensure_ascii=False, indent=2).encode(), "whole", ["\n".join(values)], truth


def json_values(value: Any) -> Iterator[str]:
    """Yield the texts and numbers of a value, as JSON writes them."""
    if isinstance(value, dict):
        for one in value.values():
            yield from json_values(one)
    elif isinstance(value, list):
        for one in value:
            yield from json_values(one)
    elif isinstance(value, str):
        yield value
    elif value is not None and not isinstance(value, bool):
        yield json.dumps(value)


def json_keys(value: Any) -> Iterator[str]:
    """Yield the names of members: those of an object, then those of the values inside."""
    if isinstance(value, dict):
        yield from value
    for one in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from json_keys(one)


JSON_TYPE = "application/json"
JSON_MAKERS: dict[str, tuple[str, Callable[[Words], Truth]]] = {
    "json/mixed.json": (JSON_TYPE, _mixed),
    "json/large.json": (JSON_TYPE, _large),
    "json/numbers.json": (JSON_TYPE, _numbers),
}
"""Path → media type, and the function that makes the document."""
FRESH_JSON = (JSON_TYPE, _json)
"""Media type and function of the small document, of which there is a twin."""
