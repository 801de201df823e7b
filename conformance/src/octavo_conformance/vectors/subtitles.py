"""Fresh subtitles: times beyond an hour, times without length, captions of many lines, equal ones, tags and voices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from .model import words_of
from .sheaf_bytes import SHEAF, sheaf
from .truths import Truth
from .words import Words

_APART = 150
"""Least seconds between two captions: each is in a block of its own, where a converter writes blocks of a minute or two."""


class _Caption(NamedTuple):
    """A caption: its time in milliseconds, its lines as they are written, and the words that are said."""

    start: int
    end: int
    lines: list[str]
    said: str


def _clock(milliseconds: int, *, point: str = ".") -> str:
    seconds, rest = divmod(milliseconds, 1000)
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}{point}{rest:03}"


def _captions(words: Words, *, tags: tuple[str, ...], late: bool = False) -> list[_Caption]:
    """Generate captions over some hours; every fourth has no length, and every fifth ends before it begins.

    Args:
        words: the words.
        tags: of captions.
        late: whether the first one is long after the beginning, as in the second part of a recording.
    """
    n = words.dice.randint
    again = words.line(3)
    at = n(2_000_000, 12_000_000) if late else n(1_000, 50_000)
    made = []
    for number in range(30 if late else 60):
        lines = [words.line(n(2, 5)) for _ in range(1 + number % 5 * (number % 3))]
        if number % 7 == 3:
            lines = [again]
        said = " ".join(lines)
        if number % 4 == 1:
            lines = [tags[number % len(tags)].format(line) for line in lines]
        elif number % 4 == 2:
            lines[-1] += f" &amp; {(more := words.word())} &lt;"
            said += f" {more}"
        length = 0 if number % 4 == 0 else -500 if number % 5 == 0 else n(700, 6_000)
        made.append(_Caption(at, max(at + length, 0), lines, said))
        at += n(_APART * 1_000, _APART * 2_000)
    return made


def _told(captions: list[_Caption]) -> tuple[list[str], dict[str, object]]:
    times = {part for one in captions for time in one[:2] for part in words_of(_clock(time))}
    times |= {part.lstrip("0") or "0" for part in times} | {str(number) for number in range(len(captions) + 1)}
    truth: dict[str, object] = {
        "allowed": (*sorted(times), "WEBVTT", "align", "start", "position", "line"),
        "cues": tuple((one.start // 1000, one.said) for one in captions),
        "duration": max(time for one in captions for time in one[:2]) / 1000,
    }
    return [" ".join(one.said for one in captions)], truth


_VTT_TAGS = ("<i>{}</i>", "<c.yellow>{}</c>", "<b>{}</b>", "<00:00:01.000><u>{}</u>")
_SRT_TAGS = ("<i>{}</i>", '<font color="#ffff00">{}</font>', "{{\\an8}}{}")


def _vtt(words: Words, *, late: bool = False) -> Truth:
    captions = _captions(words, tags=_VTT_TAGS, late=late)
    blocks = ["WEBVTT"]
    for number, one in enumerate(captions, start=1):
        # Hours may be left out where there are none.
        times = [_clock(time).removeprefix("00:") if number % 2 else _clock(time) for time in one[:2]]
        settings = " align:start position:10%" if number % 3 == 0 else ""
        name = f"{number}\n" if number % 2 == 0 else ""
        blocks.append(f"{name}{times[0]} --> {times[1]}{settings}\n" + "\n".join(one.lines))
    told, truth = _told(captions)
    return ("\n\n".join(blocks) + "\n").encode(), None, told, truth


def _srt(words: Words, *, late: bool = False) -> Truth:
    captions = _captions(words, tags=_SRT_TAGS, late=late)
    blocks = [
        f"{number}\r\n{_clock(one.start, point=',')} --> {_clock(one.end, point=',')}\r\n" + "\r\n".join(one.lines)
        for number, one in enumerate(captions, start=1)
    ]
    told, truth = _told(captions)
    return ("\r\n\r\n".join(blocks) + "\r\n").encode("utf-8-sig"), None, told, truth


def _sheaf(words: Words, *, late: bool = False) -> Truth:
    """Pages that have the time of their only line for a label."""
    captions = [_Caption(*one[:2], [], one.said) for one in _captions(words, tags=("{}",), late=late)[::9]]
    pages = [{"label": _clock(one.start)[:8], "blocks": [["p", one.said]]} for one in captions]
    _, truth = _told(captions)
    return sheaf(pages=pages), "page", [one.said for one in captions], truth


_TURNS = 36
"""Captions of a conversation."""


def _turns(words: Words) -> list[tuple[str, str]]:
    """Generate what is said, each with the name of its speaker; '' where the caption names none: behind a named one too."""
    names = [words.heading() for _ in range(3)]
    made = [(words.dice.choice((*names, "", "")), words.line(words.dice.randint(3, 7))) for _ in range(_TURNS)]
    return [(names[0], words.line(5)), ("", words.line(5)), *made]


def _conversation(turns: Sequence[tuple[str, str]]) -> dict[str, object]:
    named = sorted({name for name, _ in turns if name})
    times = {part for number in range(_TURNS + 3) for part in words_of(_clock(number * 4_000))}
    times |= {part.lstrip("0") or "0" for part in times}
    return {"voices": tuple(turns), "allowed": (*(word for name in named for word in name.split()), *sorted(times))}


def _voiced(words: Words) -> Truth:
    """Captions of which some name their speaker."""
    turns = _turns(words)
    blocks = ["WEBVTT"]
    for number, (name, said) in enumerate(turns):
        mark = words.dice.choice(("", ".loud", ".first.loud"))
        written = f"<v{mark} {name}>{said}" + words.dice.choice(("", "</v>")) if name else said
        blocks.append(f"{_clock(number * 4_000)} --> {_clock(number * 4_000 + 3_500)}\n{written}")
    said = " ".join(text for _, text in turns)
    return ("\n\n".join(blocks) + "\n").encode(), None, [said], _conversation(turns)


def _voiced_sheaf(words: Words) -> Truth:
    turns = _turns(words)
    blocks = [["k", said, name] if name else ["p", said] for name, said in turns]
    return sheaf(pages=[{"blocks": blocks}]), "page", [" ".join(said for _, said in turns)], _conversation(turns)


def _answers(words: Words) -> list[str]:
    """Generate short answers: equal ones behind each other, one that begins the next, one that the one before ends or begins with."""
    yes, no, more = words.word().capitalize(), words.line(2), words.line(4)
    end = more.split(" ", 2)[2]
    asked = [f"{words.line(5)}?" for _ in range(5)]
    parts = [
        [f"{yes}.", f"{yes}."],
        [f"{yes}.", f"{yes}.", f"{yes}."],
        [f"{yes}. {no}.", f"{yes}."],
        [f"{yes}.", f"{yes}. {no}."],
        [f"{more}.", f"{end}."],
        [f"{no}.", f"{no.upper()}."],
    ]
    words.dice.shuffle(parts)
    made = [
        line for question, answers in zip([*asked, words.line(4)], parts, strict=True) for line in (question, *answers)
    ]
    return [*made, words.line(3)]


def _answered(words: Words, *, form: str) -> Truth:
    lines = _answers(words)
    point = "," if form == "srt" else "."
    blocks = [
        f"{number}\n{_clock(number * 3_000, point=point)} --> {_clock(number * 3_000 + 2_900, point=point)}\n{line}"
        for number, line in enumerate(lines, start=1)
    ]
    text = "\n\n".join(["WEBVTT", *blocks] if form == "vtt" else blocks) + "\n"
    times = {part for number in range(len(lines) + 2) for part in words_of(_clock(number * 3_000))}
    times |= {part for number in range(len(lines) + 2) for part in words_of(_clock(number * 3_000 + 2_900))}
    allowed = (*sorted(times), *(part.lstrip("0") or "0" for part in sorted(times)), *map(str, range(len(lines) + 1)))
    data = sheaf(pages=[{"blocks": [["p", line] for line in lines]}]) if form == "sheaf" else text.encode()
    return data, "page" if form == "sheaf" else None, [" ".join(lines)], {"allowed": allowed}


SUBTITLES: dict[str, tuple[str, Callable[[Words], Truth]]] = {
    "sheaf/answers.sheaf": (SHEAF, partial(_answered, form="sheaf")),
    "srt/answers.srt": ("application/x-subrip", partial(_answered, form="srt")),
    "vtt/answers.vtt": ("text/vtt", partial(_answered, form="vtt")),
    "sheaf/late.sheaf": (SHEAF, partial(_sheaf, late=True)),
    "sheaf/timed.sheaf": (SHEAF, _sheaf),
    "sheaf/voiced.sheaf": (SHEAF, _voiced_sheaf),
    "srt/late.srt": ("application/x-subrip", partial(_srt, late=True)),
    "srt/rare.srt": ("application/x-subrip", _srt),
    "vtt/late.vtt": ("text/vtt", partial(_vtt, late=True)),
    "vtt/rare.vtt": ("text/vtt", _vtt),
    "vtt/voiced.vtt": ("text/vtt", _voiced),
}
"""Path → media type, and the function that makes the document."""
