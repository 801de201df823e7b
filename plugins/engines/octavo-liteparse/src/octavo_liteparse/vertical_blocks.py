"""Paragraphs of a page in vertical writing, of which liteparse makes horizontal lines across its columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from octavo_contracts.authoring import escape
from octavo_contracts.authoring.vertical_lines import VerticalLine, vertical_paragraphs

if TYPE_CHECKING:
    from liteparse.types import LayoutBlock


def vertical_blocks(lines: Sequence[VerticalLine]) -> list[LayoutBlock]:
    """Return a block for each paragraph, its lines one below the other."""
    from liteparse.types import LayoutBlock

    return [LayoutBlock(kind="vertical", text=escape(paragraph)) for paragraph in vertical_paragraphs(lines)]
