"""The maker of briefs that a library stores: what follows from the texts of a version alone, as JSON values (INT-1, INT-2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from octavo_library.summaries import VersionTexts
from pydantic import TypeAdapter

from .making import Brief, make_brief

VERSION = "2"
"""Version of the rules. Every change of what a brief shows raises it, so that stored briefs are made again."""

_BRIEFS: TypeAdapter[Brief] = TypeAdapter(Brief)


class BriefMaker:
    """Makes briefs; see `octavo_library.summaries.SummaryMaker`."""

    name = "brief"
    version = VERSION

    def make(self, texts: VersionTexts) -> Mapping[str, Any]:
        """The brief of a version, without the type of the document: a type set by hand is a policy context's own (STO-5)."""
        return to_content(make_brief(texts.text, texts.markdown_pages, metadata=texts.metadata))


MAKER = BriefMaker()
"""Entry point of `octavo.summaries`."""


def to_content(made: Brief) -> dict[str, Any]:
    """A brief as JSON values."""
    content: dict[str, Any] = _BRIEFS.dump_python(replace(made, document_type=None), mode="json")
    return content


def from_content(content: Mapping[str, Any], *, document_type: str | None) -> Brief:
    """Read a brief from JSON values.

    Args:
        content: what `to_content` returned.
        document_type: the effective type for the asker.

    Raises:
        ValueError: the values are no brief.
    """
    return replace(_BRIEFS.validate_python(dict(content)), document_type=document_type)
