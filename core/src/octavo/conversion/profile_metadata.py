"""Metadata that a profile asks for beyond what converters report, such as the case number of a court document (ENG-23).

A profile names fields: `metadata = ["case_number"]`. Installed distributions register a reader for each field under the
entry-point group `octavo.metadata_readers`. What they read follows from the texts, and is never stored with a version:
other readers of the same bytes may have another profile (STO-5).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cache
from importlib import metadata as distributions
from typing import Final, Protocol, cast

from octavo_contracts import DocumentMetadata, IngestionResult, ToolUnavailable
from octavo_text.canonical import CanonicalText
from pydantic import JsonValue

from ..profiles.profile import Profile

METADATA_READERS_GROUP: Final = "octavo.metadata_readers"
"""Entry-point group of the readers; the name of an entry point is that of the field."""


class MetadataReader(Protocol):
    """Reads one field from the texts of a document."""

    def __call__(self, text: CanonicalText, markdown_pages: Sequence[str], /) -> JsonValue:
        """Read the field.

        Args:
            text: the canonical text, with its pages.
            markdown_pages: the markdown of each page; of the whole document if it has no pages.

        Returns:
            The value; None if the document does not state it.
        """


def check_metadata_readers(profile: Profile) -> None:
    """Refuse a profile that asks for a field that nothing installed reads.

    Raises:
        ToolUnavailable: there is no reader for a field.
    """
    missing = sorted(set(profile.metadata) - set(_readers()))
    if missing:
        raise ToolUnavailable(
            f"profile {profile.name} asks for the metadata {', '.join(missing)}, which nothing installed reads",
            remedy="Run: pip install octavo-brief, or remove the fields from the profile",
        )


def with_metadata(
    result: IngestionResult, names: Collection[str], text: CanonicalText, markdown_pages: Sequence[str]
) -> IngestionResult:
    """Add the fields of a profile to the metadata of a result. What the converter reports is kept.

    Args:
        result: the result of a converted document.
        names: the fields; those without an installed reader are passed over.
        text: the canonical text.
        markdown_pages: the markdown of its pages.
    """
    readers = _readers()
    read = {name: readers[name](text, markdown_pages) for name in dict.fromkeys(names) if name in readers}
    told = result.metadata.fields
    added = {name: value for name, value in read.items() if value is not None and name not in told}
    if not added:
        return result
    extended: DocumentMetadata = result.metadata.model_copy(update={"fields": {**told, **added}})
    return result.model_copy(update={"metadata": extended})


def markdown_pages_of(result: IngestionResult, text: CanonicalText, markdown: str) -> tuple[str, ...]:
    """The markdown of each page of the canonical text; that of the whole document if it has no pages."""
    anchors = result.page_anchor_map.anchors()
    pages = tuple(markdown[one.markdown_start : one.markdown_end] for one in anchors)
    return pages if len(pages) == len(text.pages) else (markdown,)


@cache
def _readers() -> dict[str, MetadataReader]:
    found: dict[str, MetadataReader] = {}
    for point in sorted(distributions.entry_points(group=METADATA_READERS_GROUP), key=lambda one: one.value):
        try:
            found.setdefault(point.name, cast(MetadataReader, point.load()))
        except ImportError as error:
            raise ToolUnavailable(
                f"{point.value}, which reads the field {point.name}, cannot be imported: {error}",
                remedy="Install the distribution that registers it again",
            ) from error
    return found
