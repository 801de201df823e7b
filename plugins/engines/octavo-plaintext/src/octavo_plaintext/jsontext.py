"""Converts JSON files; checks the nesting depth before parsing."""

from __future__ import annotations

import json
import re

from octavo_contracts import Conversion, ConversionWarning, Page
from octavo_contracts.authoring import fence

MAX_DEPTH = 200
"""Deepest JSON that is parsed; Python's parser is recursive, and a file of brackets would end it."""

PRETTY_CHARS = 200_000
"""Longest one-line file that is broken into lines, in characters."""

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"|[{}\[\],:]|[^\s{}\[\],:"]++')
_STRING_OR_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*+"|[{}\[\]]')


def read_json(text: str) -> Conversion:
    """A JSON file as a code block. A short one written on one line is laid out; its tokens stay as they are.

    Args:
        text: the decoded file.
    """
    problem = check(text)
    body = text.strip("\n")
    if problem is None and "\n" not in body.strip() and len(body) <= PRETTY_CHARS:
        body = lay_out(body)
    warnings = (ConversionWarning(code="json_not_valid", message=problem),) if problem else ()
    page = Page(number=1, kind="whole", markdown=fence(body, language="json"), text=body)
    return Conversion(pages=(page,), paginated=False, warnings=warnings)


def check(text: str) -> str | None:
    """What is wrong with the JSON, as a sentence, or None.

    Nothing is parsed that nests deeper than `MAX_DEPTH`.
    """
    deep = depth(text)
    if deep > MAX_DEPTH:
        return f"The JSON nests {deep} deep; it was kept as text and not checked."
    try:
        json.loads(text)
    except ValueError as error:  # also: a number of more digits than Python converts
        return f"The file is not valid JSON and was kept as text: {error}."
    return None


def depth(text: str) -> int:
    """How many brackets are open at once, at most; those inside strings do not count."""
    deepest = level = 0
    for match in _STRING_OR_BRACKET.finditer(text):
        sign = match[0]
        if sign in "[{":
            level += 1
            deepest = max(deepest, level)
        elif sign in "]}":
            level -= 1
    return deepest


def lay_out(text: str) -> str:
    """Valid JSON with a line for each member, no token changed: parsing it would round its long numbers."""
    tokens = _TOKEN.findall(text)
    pieces: list[str] = []
    level = 0
    for index, token in enumerate(tokens):
        following = tokens[index + 1] if index + 1 < len(tokens) else ""
        if token in "[{":
            level += 1
            empty = following in {"]", "}"}
            pieces.append(token if empty else f"{token}\n{'  ' * level}")
        elif token in "]}":
            level -= 1
            empty = index > 0 and tokens[index - 1] in "[{"
            pieces.append(token if empty else f"\n{'  ' * level}{token}")
        elif token == ",":
            pieces.append(f",\n{'  ' * level}")
        else:
            pieces.append(": " if token == ":" else token)
    return "".join(pieces)
