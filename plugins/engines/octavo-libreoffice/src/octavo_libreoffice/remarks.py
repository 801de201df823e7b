"""Lists tracked changes and comments after the text (CNV-6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from octavo_contracts.authoring import collapse, escape


@dataclass(frozen=True, kw_only=True)
class Remark:
    """A tracked change or a comment.

    Attributes:
        kind: 'Inserted', 'Deleted' or 'Comment'.
        author: as the document names them; empty where it does not.
        date: ISO 8601 day; empty where it is not given.
        text: what was changed, or the comment.
    """

    kind: str
    author: str
    date: str
    text: str

    def line(self) -> str:
        """The remark as an item of a markdown list."""
        who = ", ".join(escape(part) for part in (self.author, self.date) if part)
        head = f"{self.kind} by {who}" if self.author else f"{self.kind}{f', {who}' if who else ''}"
        return f"- {head}: {escape(collapse(self.text).strip())}"


def sections(changes: Sequence[Remark], comments: Sequence[Remark]) -> list[str]:
    """Return markdown blocks to append to the text; none if there are no remarks."""
    blocks = []
    for heading, remarks in (("Tracked changes", changes), ("Comments", comments)):
        if remarks:
            blocks += [f"## {heading}", "\n".join(remark.line() for remark in remarks)]
    return blocks


def remark_blocks(comments: Sequence[Remark]) -> list[str]:
    """Return the comments on a slide as markdown blocks, under a label that is no heading of the document."""
    return ["**Comments:**", "\n".join(remark.line() for remark in comments)] if comments else []
