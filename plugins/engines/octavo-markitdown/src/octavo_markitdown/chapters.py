"""Prepares the chapters of an e-book for the engine, which reads formulas letter by letter and both branches of a switch."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from octavo_contracts import ToolUnavailable
from octavo_contracts.authoring.mathml import formula

from .engine import INSTALL, PLUGIN

if TYPE_CHECKING:
    from bs4 import BeautifulSoup, Tag

_OPEN, _CLOSE = "\ue07d", "\ue07e"
"""Around the number of a formula while the engine runs; from the private use area, so that nothing is escaped."""
_STAND_IN = re.compile(f"{_OPEN}(\\d{{1,6}}){_CLOSE}")
_MATHML = "http://www.w3.org/1998/Math/MathML"
_WORTH_PARSING = re.compile(r"<(?:[\w.-]+:)?(?:math|switch)\b|<code\b[^>]*>[^<]*<a\b", re.IGNORECASE)
_TAG = re.compile(r"(<[^<>]*>)")
_KEPT_LINES = re.compile(r"<(/?)(?:pre|textarea|script|style)\b[^<>]*(?<!/)>", re.IGNORECASE)
"""Tags of elements whose lines end where the source says."""
_LINE_ENDS = re.compile(r"[ \t]*\r?\n\s*")


def prepared(markup: str, formulas: list[str]) -> str:
    """Return a chapter with stand-ins for its formulas, one branch of each switch, and lines that end where the text wants it.

    Args:
        markup: the chapter's HTML.
        formulas: the formulas met so far, as markdown; those of the chapter are added.
    """
    if _WORTH_PARSING.search(markup):
        soup = _parsed(markup)
        _keep_one_branch(soup)
        _put_links_outside_code(soup)
        _take_formulas(soup, formulas)
        markup = str(soup)
    return _with_joined_lines(markup)


def with_formulas(markdown: str, formulas: list[str]) -> str:
    """Return the engine's markdown with the formulas in place of their stand-ins; pipes in rows of tables are escaped."""
    if not formulas:
        return markdown
    return "\n".join(_line_with_formulas(line, formulas) for line in markdown.split("\n"))


def _line_with_formulas(line: str, formulas: list[str]) -> str:
    in_table = line.lstrip().startswith("|")

    def shown(match: re.Match[str]) -> str:
        place = int(match[1])
        if place >= len(formulas):
            return match[0]
        return formulas[place].replace("|", r"\|") if in_table else formulas[place]

    return _STAND_IN.sub(shown, line)


def _parsed(markup: str) -> BeautifulSoup:
    try:
        from bs4 import BeautifulSoup
    except ImportError as error:
        raise ToolUnavailable(f"bs4 cannot be imported: {error}", plugin=PLUGIN, remedy=INSTALL) from error
    return BeautifulSoup(markup, "html.parser")


def _local(element: Tag) -> str:
    """Return the name of an element without its prefix."""
    return element.name.rpartition(":")[2]


def _keep_one_branch(soup: BeautifulSoup) -> None:
    """Keep of each switch the first case in MathML, which is the one foreign language that is read, else the default."""
    for switch in soup.find_all(lambda tag: tag.name.endswith(":switch")):
        branches = switch.find_all(True, recursive=False)
        cases = [one for one in branches if _local(one) == "case" and one.get("required-namespace") == _MATHML]
        defaults = [one for one in branches if _local(one) == "default"]
        kept = next(iter(cases or defaults), None)
        for branch in branches:
            if branch is kept:
                branch.unwrap()
            else:
                branch.decompose()
        switch.unwrap()


def _put_links_outside_code(soup: BeautifulSoup) -> None:
    """Make code in links of links in code: in markdown code holds no links."""
    import bs4

    for code in soup.find_all("code"):
        if code.find("a", recursive=False) is None or code.find_parent("pre") is not None:
            continue
        for child in list(code.children):
            inner = soup.new_tag("code")
            if isinstance(child, bs4.Tag) and child.name == "a":
                inner.extend(list(child.children))
                child.append(inner)
            elif str(child).strip():
                child.wrap(inner)
        code.unwrap()


def _take_formulas(soup: BeautifulSoup, formulas: list[str]) -> None:
    from lxml import etree

    parser = etree.XMLParser(
        recover=True, remove_comments=True, resolve_entities=False, no_network=True, load_dtd=False
    )
    for math in soup.find_all(lambda tag: _local(tag) == "math"):
        if math.decomposed or math.find_parent(lambda tag: _local(tag) == "math") is not None:
            continue
        root = etree.fromstring(str(math), parser)
        text = "" if root is None else formula(root)
        stand_in = soup.new_string(f"{_OPEN}{len(formulas)}{_CLOSE}" if text else "")
        formulas += [text] if text else []
        math.replace_with(stand_in)
        if text.startswith("$$") and stand_in.find_parent(["td", "th", "h1", "h2", "h3", "h4", "h5", "h6"]) is None:
            stand_in.wrap(soup.new_tag("p"))


def _with_joined_lines(markup: str) -> str:
    """Return a chapter whose texts outside of code stand on one line: where a line of the source ends means nothing."""
    pieces = _TAG.split(markup)
    is_kept = False
    for place, piece in enumerate(pieces):
        if place % 2:
            tag = _KEPT_LINES.fullmatch(piece)
            is_kept = not tag[1] if tag else is_kept
        elif not is_kept and "\n" in piece and not piece.isspace():
            pieces[place] = _LINE_ENDS.sub(" ", piece)
    return "".join(pieces)
