"""The title of a document: the one that its metadata states, unless that says nothing of the document; else its first heading.

Programs write a title of their own if the author gives none. These titles are left out:

- placeholders, such as `untitled`, `(anonymous)` or `PowerPoint Presentation`;
- names that tools derive from files, such as `Microsoft Word - x.doc` or `paper.dvi`;
- numbers alone, such as the accession number `0000764478-23-000006`; a year is a title.

Then the first heading of level 1 near the beginning of the first page is the title. Without one the document has no title, and
is shown by the name of its file.
"""

from __future__ import annotations

import re

from octavo_contracts import Conversion, DocumentMetadata

from .heading_lines import headings_in, is_no_title
from .markdown import plain_text

MOST_CHARACTERS = 200
"""Characters of a heading that may be a title."""

OPENING = 3_000
"""Characters at the beginning of the first page in which a title stands: a document without pages is one long page."""

_PLACEHOLDER = re.compile(
    r"""anonymous|unspecified|unknown|unnamed|none|null|n/?a|(?:no|document)[ ]title|title
    |untitled(?:[ ]?(?:document|page|spreadsheet|presentation))?(?:[ -]?\d+)?
    |(?:new[ ])?(?:doc|document|book|sheet|presentation|drawing|slide|page|scan|image)[ -]?\d*
    |powerpoint[ ]presentation|(?:microsoft[ ])?word[ ]document|about:blank|print|layout[ ]?\d+""",
    re.VERBOSE | re.IGNORECASE,
)
_TOOL = re.compile(
    r"""(?:microsoft[ ](?:office[ ])?(?:word|powerpoint|excel|publisher|visio|outlook)|adobe[ ]photoshop|quarkxpress|full[ ]page[ ]photo)
    (?:[ ]*[-\N{EN DASH}].*)?""",
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
_SOURCE_FILE = re.compile(
    r"(?:\S+|[a-z]:\\.+)\.(?:docx?|dotx?|dvi|fm|indd|odt|p65|pmd|pptx?|qxd|rtf|tex|wp[ds]?|xlsx?)", re.IGNORECASE
)
_FRAMES = (("(", ")"), ("[", "]"), ("<", ">"))
_DIGITS = 9
"""Digits from which on a number alone is that of a register."""


def titled(conversion: Conversion) -> DocumentMetadata:
    """Return the metadata of a conversion with the title of the document, or with none."""
    stated = conversion.metadata.title
    if stated is not None and is_title(stated):
        return conversion.metadata
    return conversion.metadata.model_copy(update={"title": first_heading(conversion.pages[0].markdown)})


def is_title(text: str) -> bool:
    """Return whether a stated title says something of its document; see the module's docstring."""
    bare = " ".join(text.split())
    for opening, closing in _FRAMES:
        if bare.startswith(opening) and bare.endswith(closing):
            bare = bare[1:-1].strip()
    if not any(map(str.isalnum, bare)):
        return False
    if any(pattern.fullmatch(bare) for pattern in (_PLACEHOLDER, _TOOL, _SOURCE_FILE)):
        return False
    return any(map(str.isalpha, bare)) or sum(map(str.isdigit, bare)) < _DIGITS


def first_heading(markdown: str) -> str | None:
    """Return the text of the first heading of level 1 near the beginning of a page, if it can be a title; else None."""
    opening = markdown[:OPENING]
    lines = opening.split("\n")
    if len(markdown) > len(opening):
        lines.pop()  # it may be cut
    first = next((one for one in headings_in("\n".join(lines)) if one.level == 1), None)
    if first is None:
        return None
    text = " ".join(plain_text(lines[first.line]).split())
    return text if len(text) <= MOST_CHARACTERS and is_title(text) and not is_no_title(text) else None
