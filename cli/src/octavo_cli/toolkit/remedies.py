"""Remedies as they are shown: on one line, with install commands that fit how Octavo was installed."""

from __future__ import annotations

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
