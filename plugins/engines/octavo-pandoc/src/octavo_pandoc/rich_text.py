"""Rich text as Pandoc 2.17 reads it whole: it drops the text of a link whose parts are not groups of their own."""

from __future__ import annotations

import re
from urllib.parse import quote

from octavo_contracts import SourceCorrupt

from .program import PLUGIN
from .rich_groups import BRACES, LONGEST_LABEL, end_of_group, plain_text
from .shown_labels import ShownLabels

_UNICODE_NUMBER = re.compile(rb"(?<!\\)((?:\\\\)*\\u-?\d+)(?=[^\\{}\s\d])")
_EMPHASIS = re.compile(rb"\\(?:b|i|strike|scaps|caps|super|sub|ul[a-z]*)(?![a-z])(?:-?\d+)?")
_HEADING_STYLE = re.compile(
    rb"\{\\s(\d{1,4})(?=[\\ \r\n])[^{};]{0,1000}?[ \r\n](heading [1-9]|title);\}", re.IGNORECASE
)
_STYLE = re.compile(rb"(?<!\\)\\s(\d{1,4})(?=[\\ \r\n{}])")
_PARAGRAPH_END = re.compile(rb"(?<!\\)\\par(?![a-z])")
_LIST = re.compile(rb"(?<!\\)\\ls\d{1,5} ?")
_FIELD = re.compile(rb"\{\s*\\field(?![a-z])")
_LETTER = re.compile(rb"\\u(-?\d{1,5}) ?(?:\\'[0-9a-fA-F]{2}|\?)|\\'([89a-fA-F][0-9a-fA-F])")
"""A letter beyond ASCII by its number, with the sign that older readers show, or by its byte."""
_RESULT = re.compile(rb"\{\s*\\fldrslt(?![a-z])[ ]?")
_LABEL = re.compile(rb"\{\\(listtext|pntext)(?![a-z])")
_PROPERTIES = re.compile(
    rb"(?:\\(?!(?:par|sect|page|line|tab|cell|nestcell|row|bullet|emdash|endash|lquote|rquote|ldblquote|rdblquote|u-?\d)(?![a-z]))"
    rb"[a-z]+(?:-?\d+)? ?|[\r\n])*+"
)
"""Control words that do not end a paragraph and are no text."""
_LONGEST_FIELD = 50_000
"""Bytes of a field up to which its result is looked for."""
_PART_OF_FIELD = re.compile(rb"\{\s*(?:\\\*\s*)?\\fld(?:inst|rslt)(?![a-z])(?![ \r\n]*\{)[ \r\n]*")


def ready_rich_text(data: bytes, labels: ShownLabels) -> bytes:
    """Return rich text with what Pandoc 2.17 passes over put right.

    Each Unicode number has a blank behind it, without which two characters are taken for one. Fields other than links
    are replaced by their results; the parts of links are groups of their own. The text of a list item's label is replaced by a mark
    of `labels`. Paragraphs of the styles "heading 1" to "heading 9" and "Title" have the outline level by which headings are known.

    Raises:
        SourceCorrupt: the bytes do not begin as rich text does.
    """
    if not data.lstrip().startswith(b"{\\rtf"):
        raise SourceCorrupt("the document does not begin as rich text does", plugin=PLUGIN)
    return _with_labels(_with_levels(_with_groups(_with_results(_UNICODE_NUMBER.sub(rb"\1 ", data)))), labels)


def _plain_styles(styles: bytes) -> bytes:
    """The definitions of styles without emphasis: Pandoc would give it to the cells of tables, whatever their style.

    Rich text repeats the formatting of a style wherever the style is used.
    """
    return _EMPHASIS.sub(b"", styles)


def _with_labels(data: bytes, labels: ShownLabels) -> bytes:
    r"""`{\listtext 2.\tab}` → `{mark }`, and `{\pntext}` of older programs: Pandoc drops both, and counts by itself."""
    pieces: list[bytes] = []
    done = 0
    for start in _LABEL.finditer(data):
        if start.start() < done:
            continue
        end = end_of_group(data, start.start(), most=LONGEST_LABEL)
        label = plain_text(data[start.end() : end - 1])
        # A letter alone is a bullet: "o" of Courier, and those that Wingdings draws as signs.
        is_number = any(map(str.isdigit, label)) or (len(label) > 1 and any(map(str.isalnum, label)))
        if end >= start.start() + LONGEST_LABEL or not (is_number or start[1] == b"pntext"):
            continue
        # Pandoc takes the properties of a paragraph, its level in the list too, from what is before its first letter.
        properties = _PROPERTIES.match(data, end)
        text = properties.end() if properties else end
        mark = labels.mark(label if is_number else "")
        pieces += [data[done : start.start()], data[end:text], b"{", mark.encode(), b" }"]
        done = text
    return b"".join(pieces) + data[done:]


def _with_levels(data: bytes) -> bytes:
    start = data.find(b"{\\stylesheet")
    if start < 0:
        return data
    end = end_of_group(data, start)
    levels = {
        number: 0 if name.lower() == b"title" else int(name[-1:]) - 1
        for number, name in _HEADING_STYLE.findall(data, start, end)
    }
    pieces: list[bytes] = [data[:start], _plain_styles(data[start:end])]
    done = end
    for found in _STYLE.finditer(data, end):
        level = levels.get(found[1])
        if level is None or found.start() < done:
            continue
        paragraph = _PARAGRAPH_END.search(data, found.end())
        stop = paragraph.start() if paragraph else len(data)
        # A heading that is numbered is in a list as well, and Pandoc would make an item of it.
        pieces += [data[done : found.end()], b"\\outlinelevel%d" % level, _LIST.sub(b"", data[found.end() : stop])]
        done = stop
    return b"".join(pieces) + data[done:]


def _with_results(data: bytes) -> bytes:
    """Put the results of fields in their place, hyperlinks apart: Pandoc drops the others with all their content."""
    pieces: list[bytes] = []
    done = 0
    for start in _FIELD.finditer(data):
        if start.start() < done:
            continue
        end = end_of_group(data, start.start(), most=_LONGEST_FIELD)
        result = _RESULT.search(data, start.end(), end)
        instruction = data[start.end() : result.start() if result else end]
        if end >= start.start() + _LONGEST_FIELD:
            continue
        if b"HYPERLINK" in instruction.upper():
            stop = start.end() + len(instruction)
            pieces += [data[done : start.end()], _LETTER.sub(_in_address, instruction)]
            done = stop
            continue
        pieces.append(data[done : start.start()])
        if result:
            pieces += [b"{", data[result.end() : end_of_group(data, result.start(), most=_LONGEST_FIELD)]]
        done = end
    return b"".join(pieces) + data[done:]


def _in_address(match: re.Match[bytes]) -> bytes:
    """Write a letter of an address as browsers send it: at a letter by its number Pandoc ends the address."""
    letter = chr(int(match[1]) % 0x10000) if match[1] else bytes.fromhex(match[2].decode()).decode("cp1252", "replace")
    return quote(letter, errors="replace").encode()


def _with_groups(data: bytes) -> bytes:
    r"""`{\fldrslt text}` → `{\fldrslt{text}}`, for instructions and results of fields that begin with text."""
    if b"\\fld" not in data:
        return data
    pieces: list[bytes] = []
    done = 0
    is_part: list[bool] = []  # of each open group: whether it is a part of a field
    for brace in BRACES.finditer(data):
        if brace[0] == b"{":
            start = _PART_OF_FIELD.match(data, brace.start())
            is_part.append(start is not None)
            if start is not None:
                pieces += [data[done : start.end()], b"{"]
                done = start.end()
        elif brace[0] == b"}" and is_part and is_part.pop():
            pieces += [data[done : brace.start()], b"}"]
            done = brace.start()
    return b"".join(pieces) + data[done:]
