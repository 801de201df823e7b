"""Which documents a listing shows (UI-1)."""

from __future__ import annotations

from dataclasses import dataclass

from octavo_contracts import IngestionState


@dataclass(frozen=True, kw_only=True, slots=True)
class DocumentFilter:
    """Which documents a listing shows. Each condition that is given must hold.

    Attributes:
        text: part of the title or of the file name, without regard to case.
        statuses: states of documents; empty: all.
        media_types: media types; empty: all.
        accepted: whether the active version is one that the user accepted with its flags; None: either.
        since: first ingested at or after this time, ISO 8601, UTC.
    """

    text: str = ""
    statuses: tuple[IngestionState, ...] = ()
    media_types: tuple[str, ...] = ()
    accepted: bool | None = None
    since: str | None = None

    @property
    def is_empty(self) -> bool:
        """Whether it lets every document through."""
        return self == DocumentFilter()
