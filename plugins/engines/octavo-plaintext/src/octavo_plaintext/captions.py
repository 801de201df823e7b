"""Converts subtitles (WebVTT, SubRip) to a transcript in blocks of about a minute."""

from __future__ import annotations

import html
import re
from typing import NamedTuple

from octavo_contracts import Conversion, DocumentMetadata, HiddenText, Page, SourceCorrupt
from octavo_contracts.authoring import PAUSE_SECONDS, clock, escape, escape_line_starts, in_blocks

_TIMING = re.compile(
    r"^\s*(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})[.,](\d{1,3})\s*-->\s*(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})[.,](\d{1,3})"
)
_VOICE = re.compile(r"<v(?:\.[^\s<>]*+)?\s++([^>]{1,200})>")
_DASHED = re.compile(r"(?m)^\s*-\s*(?=\S)")
_TAG = re.compile(r"</?(?:v|c|i|b|u|lang|ruby|rt|font|s)\b[^<>]*>|<\d[\d:.]*>|\{\\an?\d\}", re.IGNORECASE)


class Cue(NamedTuple):
    """One caption.

    Attributes:
        start: seconds from the beginning.
        end: seconds from the beginning.
        speaker: who speaks, where the caption says so.
        text: what is said, on one line.
    """

    start: float
    end: float
    speaker: str | None
    text: str


def read_captions(text: str, *, name: str) -> Conversion:
    """Captions as time blocks; a paragraph for each turn, with its time, and "Name: " where the captions name the speaker.

    The plain text of a block has the words only, as that of a recording has.

    Args:
        text: the decoded file, line ends as line feeds.
        name: the file's name, for messages.

    Raises:
        SourceCorrupt: there is no caption in it.
    """
    cues, notes = _parse(text)
    if not cues:
        raise SourceCorrupt("no caption with a time was found in the file", source=name, plugin="plaintext")
    speakers = list(dict.fromkeys(cue.speaker for cue in cues if cue.speaker))
    fields: dict[str, object] = {"duration_seconds": max(cue.end for cue in cues), "captions": len(cues)}
    if speakers:
        fields["speakers"] = speakers
    blocks = in_blocks(cues)
    pages = tuple(
        Page(
            number=number,
            label=clock(block[0].start),
            kind="time_block",
            markdown="\n\n".join(f"[{clock(at)}] {escape_line_starts(escape(turn))}" for at, turn in _turns(block)),
            text="\n\n".join(turn for _, turn in _turns(block)),
            hidden_text=notes if number == 1 else (),
        )
        for number, block in enumerate(blocks, start=1)
    )
    metadata = DocumentMetadata.model_validate({"fields": fields})
    return Conversion(pages=pages, paginated=True, metadata=metadata)


def _parse(text: str) -> tuple[list[Cue], tuple[HiddenText, ...]]:
    cues: list[Cue] = []
    notes: list[HiddenText] = []
    for block in re.split(r"\n[ \t]*\n", text):
        lines = block.strip("\n").split("\n")
        at = next((index for index, line in enumerate(lines[:3]) if _TIMING.match(line)), None)
        if at is not None:
            cues += _cues(lines[at], "\n".join(lines[at + 1 :]))
        elif re.match(r"NOTE(?:\s|$)", lines[0]) and (note := " ".join(block.split())[5:]):
            notes.append(HiddenText(text=note, why="comment"))
    return sorted(cues, key=lambda cue: cue.start), tuple(notes)


def _cues(timing: str, payload: str) -> list[Cue]:
    """A caption's turns: one for each voice in it."""
    match = _TIMING.match(timing)
    if match is None:
        return []
    start, end = _seconds(match.groups()[:4]), _seconds(match.groups()[4:])
    pieces = _VOICE.split(payload)
    found = []
    for speaker, words in [(None, pieces[0]), *zip(pieces[1::2], pieces[2::2], strict=True)]:
        line = " ".join(html.unescape(_TAG.sub("", _DASHED.sub("", words))).split())
        if line:
            found.append(Cue(start, end, " ".join(speaker.split()) if speaker else None, line))
    return found


def _seconds(parts: tuple[str | None, ...]) -> float:
    hours, minutes, seconds, fraction = (part or "0" for part in parts)
    return int(hours) * 3600 + int(minutes) * 60 + int(seconds) + int(fraction.ljust(3, "0")) / 1000


def _turns(cues: list[Cue]) -> list[tuple[float, str]]:
    """Paragraphs with their time: captions of one speaker run on until another speaks or a pause follows."""
    turns: list[tuple[float, str]] = []
    previous: Cue | None = None
    for cue in cues:
        if previous and cue.speaker == previous.speaker and cue.start - previous.end < PAUSE_SECONDS:
            turns[-1] = (turns[-1][0], f"{turns[-1][1]} {cue.text}")
        else:
            turns.append((cue.start, f"{cue.speaker}: {cue.text}" if cue.speaker else cue.text))
        previous = cue
    return turns
