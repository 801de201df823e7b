"""The makers of summaries, which features register by entry point."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.metadata import entry_points
from typing import Final, Protocol, cast

from octavo_contracts import ToolUnavailable
from pydantic import JsonValue

from .version_texts import VersionTexts

SUMMARIES_GROUP: Final = "octavo.summaries"
"""Entry-point group of the makers; each entry point is a `SummaryMaker`."""


class SummaryMaker(Protocol):
    """Makes one kind of summary from the texts of a version. Thread-safe."""

    @property
    def name(self) -> str:
        """What it makes, in letters, digits and hyphens: part of the name of the stored file."""

    @property
    def version(self) -> str:
        """Version of its rules: a summary made by another version is made again."""

    def make(self, texts: VersionTexts, /) -> Mapping[str, JsonValue]:
        """Make the summary.

        Args:
            texts: the texts and the metadata of the version; nothing else may show in the summary, which every policy
                context with the document gets (STO-5).

        Returns:
            JSON values.

        Raises:
            OctavoError: no summary can be made of these texts.
        """


@cache
def installed_makers() -> tuple[SummaryMaker, ...]:
    """The makers that installed features register, by name.

    Raises:
        ToolUnavailable: a registered maker cannot be imported.
    """
    found = []
    for point in sorted(entry_points(group=SUMMARIES_GROUP), key=lambda one: one.name):
        try:
            found.append(cast(SummaryMaker, point.load()))
        except ImportError as error:
            raise ToolUnavailable(
                f"{point.value}, which makes summaries, cannot be imported: {error}",
                remedy="Install the distribution that registers it again",
            ) from error
    return tuple(found)
