"""Remedies as they are shown: on one line, with install commands that fit how Octavo was installed."""

from __future__ import annotations

from .output import clean


def remedy_text(remedy: str) -> str:
    """A remedy for people.

    Args:
        remedy: as an error or a receipt has it.
    """
    if "pip install" in remedy:
        from .install_command import fitting

        remedy = fitting(remedy)
    return clean(remedy)
