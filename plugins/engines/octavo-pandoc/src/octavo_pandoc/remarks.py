"""Moves tracked changes and comments from the text to a list after it (CNV-6)."""

from __future__ import annotations

from dataclasses import dataclass, field

from octavo_contracts.authoring import collapse, escape

CHANGES = {"insertion": "Inserted", "deletion": "Deleted"}
"""Pandoc's class of a tracked change → how it is called in the list."""


@dataclass(kw_only=True)
class Remark:
    """A tracked change or a comment.

    Attributes:
        kind: 'Inserted', 'Deleted' or 'Comment'.
        author: as the document names them; empty where it does not.
        date: ISO 8601 day; empty where it is not given.
        text: what was changed, or the comment.
        about: the text that a comment stands at, piece by piece.
    """

    kind: str
    author: str
    date: str
    text: str
    about: list[str] = field(default_factory=list)

    def line(self) -> str:
        """The remark as an item of a markdown list."""
        who = ", ".join(escape(part) for part in (self.author, self.date) if part)
        head = f"{self.kind} by {who}" if self.author else f"{self.kind}{f', {who}' if who else ''}"
        about = collapse("".join(self.about)).strip()
        stands = f" on “{escape(about)}”" if about else ""
        return f"- {head}{stands}: {escape(collapse(self.text).strip())}"


class Review:
    """Tracked changes and comments of a document, collected while its text is written."""

    def __init__(self) -> None:
        self.changes: list[Remark] = []
        self.comments: list[Remark] = []
        self._open: dict[str, Remark] = {}

    def change(self, kind: str, *, author: str, date: str, text: str) -> None:
        """Note a tracked change."""
        if text.strip():
            self.changes.append(Remark(kind=kind, author=author, date=date[:10], text=text))

    def open_comment(self, identifier: str, *, author: str, date: str, text: str) -> None:
        """A comment begins here."""
        remark = Remark(kind="Comment", author=author, date=date[:10], text=text)
        self.comments.append(remark)
        self._open[identifier] = remark

    def close_comment(self, identifier: str) -> None:
        """The text that a comment is about ends here."""
        self._open.pop(identifier, None)

    def saw(self, text: str) -> None:
        """Text that stays: what open comments are about."""
        for remark in self._open.values():
            remark.about.append(text)

    def sections(self) -> list[str]:
        """Return markdown blocks to append to the body; none if there are no remarks."""
        blocks = []
        for heading, remarks in (("Tracked changes", self.changes), ("Comments", self.comments)):
            if remarks:
                blocks += [f"## {heading}", "\n".join(remark.line() for remark in remarks)]
        return blocks
