"""Doubtful words of a recognised page: lines whose words have low confidence, and what a second recogniser reads there.

The mean confidence of a page hides one ruined line among forty good ones, so that doubt is judged line by line.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from statistics import median
from typing import NamedTuple

from octavo_contracts import OCRResult, OCRWord

from .recognised_amounts import broken_amounts
from .recognised_lines import Token, lines_of
from .recognised_scripts import stray_lines

WEAK = 0.6
"""A word below this confidence is doubtful."""
FEWEST = 2
"""Doubtful words that make a line doubtful, and doubtful lines that make a page doubtful: single ones are mostly right."""
MANY = 3
"""Doubtful words of one line that make a page doubtful by themselves."""
LONG, WEAKEST = 10, 0.3
"""Letters and confidence of a doubtful word that makes its line doubtful by itself, such as an address."""
DIGITS = 3
"""Letters and digits of a doubtful word with a digit that makes its line doubtful by itself."""
NEAR = 2
"""Most words between two doubtful ones that are quoted together."""
SURE = 0.85
"""Confidence of words of a second result that replace doubtful ones."""
FULL = 0.75
"""Least share of the letters of doubtful words that their replacement has."""
SIMILAR = 0.6
"""Least share of common characters of two results of the same word."""
SURER = 0.1
"""Confidence that a second result of a word with digits has more than the first one, to be used."""
MAX_WORDS = 2_500
"""Pages with more words are not compared."""
MAX_PARTED = 2_500
"""Pairs of words of a difference that is divided at most: a line of a page has fewer."""


class Settled(NamedTuple):
    """The text of a page after the results of recognisers were compared.

    Attributes:
        result: the best result, with words of another one in the place of doubtful ones.
        doubts: the words that remain doubtful, quoted.
    """

    result: OCRResult
    doubts: tuple[str, ...] = ()


class _Difference(NamedTuple):
    """A part of a line that a second result has otherwise."""

    start: int
    stop: int
    others: tuple[Token, ...]


def has_doubtful_lines(result: OCRResult) -> bool:
    """Return whether so many lines of a page are doubtful that another recogniser should read it too."""
    return _has_doubtful(lines_of(result))


def _has_doubtful(lines: Sequence[Sequence[Token]]) -> bool:
    weak = [len(places) for places in map(_doubtful, lines) if places]
    return len(weak) >= FEWEST or max(weak, default=0) >= MANY


def settled(best: OCRResult, others: Sequence[OCRResult] = ()) -> Settled:
    """Replace doubtful words of a result by those that another result has in their place, where these are sure.

    Args:
        best: the result of a page.
        others: results of the same page by other recognisers, their boxes on the same page.
    """
    comparison = _Comparison(best)
    for other in others:
        comparison.add(other)
    lines, doubts = comparison.lines, [*comparison.doubts]
    for at, line in enumerate(lines if _has_doubtful(lines) else ()):
        doubts += [f"“{_text(run)}”" for run in _runs(line, comparison.certain[at])]
    for broken in broken_amounts(lines):
        token = lines[broken.line][broken.place]
        is_told = broken.place in comparison.told[broken.line]
        if not is_told and (broken.is_sure or not _is_confirmed(token, others)):
            doubts.append(f"“{token.text}”")
    result = _changed(best, lines, comparison.changes) if comparison.changes else best
    doubts += [f"“{line}”" for line in stray_lines(result.extracted_text.splitlines())]
    return Settled(result, tuple(dict.fromkeys(doubts)))


class _Comparison:
    """The lines of a result, and what other results of the same page have in the place of their words.

    Args:
        best: the result.

    Attributes:
        lines: its lines.
        doubts: words with digits of which another result differs, with both readings.
        changes: number of a line → the parts that another result replaces.
        certain: number of a line → places of its words that another result confirms, replaces or contradicts.
        told: number of a line → places of its words that another result replaces or contradicts.
    """

    def __init__(self, best: OCRResult) -> None:
        self._best = best
        self.lines = lines_of(best)
        self.doubts: list[str] = []
        self.changes: dict[int, list[_Difference]] = {}
        self.certain: dict[int, set[int]] = defaultdict(set)
        self.told: dict[int, set[int]] = defaultdict(set)

    def add(self, other: OCRResult) -> None:
        """Compare with one more result; results with too many words are left out."""
        if not (self._best.words and other.words) or max(len(self._best.words), len(other.words)) > MAX_WORDS:
            return
        tokens = [token for line in lines_of(other) for token in line]
        for at, line in enumerate(self.lines):
            for part in _differences(line, _beside(line, tokens), self.certain[at]):
                self._judge(at, part, by=other.method)

    def _judge(self, at: int, part: _Difference, *, by: str) -> None:
        """Take the words of another result in place of a part of a line, name both, or leave the part as it is."""
        places = range(part.start, part.stop)
        if self.certain[at].intersection(places):
            return
        old = self.lines[at][part.start : part.stop]
        replaces = _is_surer(part.others, old)
        # A recogniser that is unsure of its own word contradicts nothing.
        contradicts = _differ_in_figures(old, part.others) and part.others[0].confidence >= WEAK
        if contradicts:
            said = [f"“{_text(old)}” ({self._best.method})", f"“{_text(part.others)}” ({by})"]
            self.doubts.append(f"{said[replaces]} or {said[not replaces]}")
        if replaces:
            self.changes.setdefault(at, []).append(part)
        if replaces or contradicts:
            self.certain[at].update(places)
            self.told[at].update(places)


def _is_confirmed(token: Token, others: Iterable[OCRResult]) -> bool:
    """Return whether another result has a word with the same signs at the same place."""
    return any(
        word.text == token.text
        and word.box.left < token.box.right
        and token.box.left < word.box.right
        and word.box.top < token.box.bottom
        and token.box.top < word.box.bottom
        for other in others
        for word in other.words
    )


def _doubtful(line: Sequence[Token], certain: Collection[int] = ()) -> list[int]:
    """Return the places of the doubtful words of a doubtful line; none for other lines."""
    weak = [at for at, token in enumerate(line) if at not in certain and token.confidence < WEAK and token.letters > 1]
    if len(weak) >= FEWEST or any(_is_ruined(line[at]) for at in weak):
        return weak
    return []


def _is_ruined(token: Token) -> bool:
    if token.letters >= LONG and token.confidence < WEAKEST:
        return True
    return token.letters >= DIGITS and any(map(str.isdigit, token.text)) and any(map(str.isalpha, token.text))


def _runs(line: Sequence[Token], certain: Collection[int]) -> Iterator[Sequence[Token]]:
    """Return the doubtful words of a line, with the few words between them."""
    start = last = -1
    for at in _doubtful(line, certain):
        if start >= 0 and at - last > NEAR + 1:
            yield line[start : last + 1]
            start = -1
        start, last = (at if start < 0 else start), at
    if start >= 0:
        yield line[start : last + 1]


def _beside(line: Sequence[Token], tokens: Sequence[Token]) -> list[Token]:
    """Return the words of another result that stand where a line stands, in their order; none for upright lines."""
    if not line or median(token.height for token in line) > max(token.box.right - token.box.left for token in line):
        return []
    top, bottom = min(token.box.top for token in line), max(token.box.bottom for token in line)
    return [
        token
        for token in tokens
        if top <= (middle := (token.box.top + token.box.bottom) / 2) <= bottom
        and any(
            own.box.top <= middle <= own.box.bottom
            and own.box.left - 2 * own.height
            <= (token.box.left + token.box.right) / 2
            <= own.box.right + 2 * own.height
            for own in line
        )
    ]


def _differences(line: Sequence[Token], others: Sequence[Token], certain: set[int]) -> Iterator[_Difference]:
    """Return the parts of a line that another result has otherwise; add the words that it confirms to `certain`."""
    if not others:
        return
    matcher = SequenceMatcher(None, [_key(token) for token in line], [_key(token) for token in others], autojunk=False)
    for kind, start, stop, first, last in _parted(matcher.get_opcodes(), line, others):
        own, found = line[start:stop], others[first:last]
        if kind == "equal":
            for at, (one, token) in enumerate(zip(own, found, strict=True)):
                if one.confidence < WEAK and one.text != token.text and not _is_split(one, first + at, others):
                    yield _Difference(start + at, start + at + 1, (token,))
                certain.add(start + at)
        elif found and _joined(own) == _joined(found):
            certain.update(range(start, stop))
        elif kind != "replace":
            continue
        elif len(own) == len(found) and all(map(_are_alike, own, found)):
            yield from (_Difference(start + at, start + at + 1, (token,)) for at, token in enumerate(found))
        else:
            yield _Difference(start, stop, tuple(found))


def _is_split(own: Token, place: int, others: Sequence[Token]) -> bool:
    """Return whether a sign of a word is a word of its own beside the same word of another result."""
    text = others[place].text
    beside = [other.text for other in others[max(0, place - 1) : place + 2]]
    return any(own.text in (sign + text, text + sign) for sign in beside)


def _parted(
    codes: Iterable[tuple[str, int, int, int, int]], line: Sequence[Token], others: Sequence[Token]
) -> Iterator[tuple[str, int, int, int, int]]:
    """Divide each difference where its beginning or end is the same but for blanks, such as `at night` and `atnight`."""
    for kind, start, stop, first, last in codes:
        if kind == "replace" and (stop - start) * (last - first) <= MAX_PARTED:
            ends = [(at, place) for at in range(start + 1, stop) for place in range(first + 1, last)]
            same = [end for end in ends if _joined(line[start : end[0]]) == _joined(others[first : end[1]])]
            if same:
                yield "replace", start, same[-1][0], first, same[-1][1]
                start, first = same[-1]
            ends = [(at, place) for at in range(start + 1, stop) for place in range(first + 1, last)]
            same = [end for end in ends if _joined(line[end[0] : stop]) == _joined(others[end[1] : last])]
            if same:
                yield "replace", start, same[0][0], first, same[0][1]
                start, first = same[0]
        yield kind, start, stop, first, last


def _is_surer(new: Sequence[Token], old: Sequence[Token]) -> bool:
    """Return whether words replace those of the best result: these are doubtful, and the others sure."""
    confidence = min(token.confidence for token in new)
    if confidence < SURE or sum(token.letters for token in new) < FULL * sum(token.letters for token in old):
        return False
    weakest = min(token.confidence for token in old)
    return weakest < WEAK or (_differ_in_figures(old, new) and confidence >= weakest + SURER)


def _differ_in_figures(old: Sequence[Token], new: Sequence[Token]) -> bool:
    """Return whether two results have the same word, but not the same digits or letters beside them."""
    if len(old) != 1 or len(new) != 1 or not any(map(str.isdigit, old[0].text + new[0].text)):
        return False
    return _key(old[0]) != _key(new[0]) and _are_alike(old[0], new[0])


def _are_alike(one: Token, other: Token) -> bool:
    return SequenceMatcher(None, _key(one), _key(other)).ratio() >= SIMILAR


def _key(token: Token) -> str:
    """Return what of a word is compared: its letters and digits; its signs if it has none."""
    return _joined([token])


def _joined(tokens: Sequence[Token]) -> str:
    text = "".join(token.text for token in tokens)
    return "".join(filter(str.isalnum, text)).lower() or text


def _text(tokens: Sequence[Token]) -> str:
    return " ".join(token.text for token in tokens)


def _changed(result: OCRResult, lines: Sequence[Sequence[Token]], changes: dict[int, list[_Difference]]) -> OCRResult:
    """Return a result with parts of its lines replaced, and its mean confidence."""
    texts = result.extracted_text.splitlines()
    replaced: dict[int, tuple[int, list[OCRWord]]] = {}
    for at, parts in changes.items():
        tokens = [token.text for token in lines[at]]
        for part in sorted(parts, reverse=True):
            tokens[part.start : part.stop] = [token.text for token in part.others]
            words = [OCRWord(text=one.text, box=one.box, confidence=one.confidence) for one in part.others]
            replaced[lines[at][part.start].start] = (lines[at][part.stop - 1].stop, words)
        texts[at] = " ".join(tokens)
    words = []
    at = 0
    while at < len(result.words):
        stop, new = replaced.get(at, (at + 1, [result.words[at]]))
        words += new
        at = stop
    confidence = round(sum(word.confidence for word in words) / len(words), 4)
    return result.model_copy(
        update={"extracted_text": "\n".join(texts), "words": tuple(words), "confidence": confidence}
    )
