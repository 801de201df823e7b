"""What preflight must know of a file's type; `octavo.formats.Detected` has it."""

from __future__ import annotations

from typing import Protocol


class FormatFamily(Protocol):
    """A format of files."""

    @property
    def name(self) -> str:
        """Display name with its article, as used in messages."""

    @property
    def family(self) -> str:
        """Encoding family: pdf, zip, ole, text, image, audio or binary. It selects the check."""

    @property
    def sub_kind(self) -> str | None:
        """Kind within the family: `archive` for a container of documents, or None."""


class DetectedType(Protocol):
    """The type of a file, as detected from its bytes."""

    @property
    def media_type(self) -> str:
        """Its media type."""

    @property
    def encrypted(self) -> bool:
        """Whether the content is encrypted, as far as known."""

    @property
    def format(self) -> FormatFamily:
        """Its format."""
