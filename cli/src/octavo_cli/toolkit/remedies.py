"""Remedies as they are shown: on one line, with install commands that fit how Octavo was installed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from .output import clean, complain

if TYPE_CHECKING:
    from octavo_contracts import QualityFinding


def remedy_text(remedy: str) -> str:
    """A remedy for people.

    Args:
        remedy: as an error or a receipt has it.
    """
    if "pip install" in remedy:
        from .install_command import fitting

        remedy = fitting(remedy)
    return clean(remedy)


def complain_by_remedy(lines: Iterable[tuple[str, str]]) -> None:
    """Print lines on stderr, those with the same remedy together and the remedy once below them.

    Args:
        lines: each line, as it is printed, with its remedy; an empty one is left out.
    """
    groups: dict[str, list[str]] = {}
    for line, remedy in lines:
        groups.setdefault(remedy, []).append(line)
    for remedy, group in groups.items():
        for line in group:
            complain(f"  {line}")
        if remedy:
            complain(f"    {remedy_text(remedy)}")


def note_empty(shown: str, why: QualityFinding | None) -> None:
    """Report on stderr why a document has no text; nothing if it has some.

    Args:
        shown: the document as the user named it.
        why: the finding that explains it, or None.
    """
    if why is not None:
        complain(f"octavo: {clean(shown)}: there is no text: {clean(why.message)} [{why.flag}]")
        if why.remedy:
            complain(f"  {remedy_text(why.remedy)}")
