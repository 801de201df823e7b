"""OC-GOLD on what fresh documents have to keep letter by letter: code and typed signs, addresses, dates as they are meant."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..checks import Broken, check, expect_none
from ..evidence import page_texts
from ..subject import Subject
from ..truth import without_escapes, without_references
from ..vectors import GoldenVector
from ..vectors.link_targets import common_spelling

_URL = re.compile(r"(?:https?|ftp)://[^\s<>\"|]+")


def _spelt(text: str) -> str:
    """Return a text with one blank for each run of white space."""
    return " ".join(text.split())


def _readings(markdown: str) -> Iterable[str]:
    """Yield a markdown text as it is, for code, and without the marks that stand for signs, for other text."""
    yield markdown
    yield without_references(without_escapes(markdown))
    # Several signs are one escaped sign: the marks are taken off first.
    yield without_escapes(without_references(markdown))


@check(
    "OC-GOLD-050",
    scope="fresh",
    level=3,
    spec=("QLT-2", "QLT-3", "DIG-6"),
    requires=("OC-GOLD-009", "OC-GOLD-019"),
    hook="convert",
    vectors="code",
)
def typed_signs_stay(subject: Subject, vector: GoldenVector) -> None:
    """Lines of code and typed lines of a fresh document are kept sign by sign, in the text and in the markdown.

    Two hyphens are no dash, straight quotes no curly ones, three dots no ellipsis, `(c)` no ©. A line in a block of code keeps
    its indent in the markdown.

    Fix:
    Turn off the typographic replacements of the engine ("smart" punctuation); copy code as it stands.
    """
    conversion = subject.convert_as_host(vector).conversion()
    text = _spelt("\n".join(page_texts(conversion)))
    markdown = "\n".join(page.markdown for page in conversion.pages)
    readings = list(_readings(markdown))
    flowing = [_spelt(one) for one in readings]
    lost = [line for line in vector.expected.code if _spelt(line) not in text]
    expect_none(lost[:6], "lines are changed in the text", expected="each line, sign by sign")
    lost = [line for line in vector.expected.code if not any(_spelt(line) in one for one in flowing)]
    expect_none(lost[:6], "lines are changed in the markdown", expected="each line, sign by sign")
    indented = [line for line in vector.expected.code if line[:1].isspace()]
    flat = [line for line in indented if not any(line.expandtabs(4) in one.expandtabs(4) for one in readings)]
    expect_none(flat[:6], "lines of code lose their indent", expected="each line with the blanks in front of it")


@check(
    "OC-GOLD-051",
    scope="fresh",
    level=3,
    spec=("CNV-6", "QLT-2"),
    requires=("OC-GOLD-009",),
    hook="convert",
    vectors="addresses",
)
def addresses_keep_their_parts(subject: Subject, vector: GoldenVector) -> None:
    """Addresses of a fresh document that are in its markdown are whole, wherever they stand there: with path, parameters and fragment.

    Where one is there, all are.

    Fix:
    Write the address as the document has it; cut off no parameter, whatever its name.
    """
    markdown = "\n".join(page.markdown for page in subject.convert_as_host(vector).conversion().pages)
    stated = [common_spelling(one) for one in vector.expected.addresses]
    texts = [common_spelling(one) for one in _readings(markdown.replace("\\_", "_"))]
    hosts = {one.split("/")[2]: one for one in stated}
    lost = [one for one in stated if not any(_is_whole(one, text) for text in texts)]
    if len(lost) < len(stated) or any(f"//{host}" in texts[0] for host in hosts):
        expect_none(lost[:6], "addresses are cut, changed or missing", expected="each address of the document")
        found = {common_spelling(one.rstrip(").,;\\]>*")) for text in _readings(markdown) for one in _URL.findall(text)}
        known = {common_spelling(one.rstrip(").,;\\]>*")) for one in vector.expected.addresses}
        cut = [
            one
            for one in sorted(found)
            if one.split("/")[2] in hosts and not any(one.startswith(whole) or whole in one for whole in known)
        ]
        expect_none(cut[:6], "addresses are cut or changed", expected="each address as it is in the document")


def _is_whole(address: str, text: str) -> bool:
    return re.search(re.escape(address) + r"(?![\w/?&=#])", text) is not None


@check(
    "OC-GOLD-052",
    scope="fresh",
    level=3,
    spec=("ENG-23",),
    requires=("OC-GOLD-009", "OC-GOLD-018"),
    hook="convert",
    vectors="stated_dates",
)
def written_dates_are_read_as_they_are_meant(subject: Subject, vector: GoldenVector) -> None:
    """The date in the metadata of a fresh document, if given, is the one that is written there, in figures or in words.

    A date in figures is read in the order of the document's language. Of a month, or a year, no day is made.

    Fix:
    Read figures in an order that the document states, by its language or a dot; leave the date null where none is stated.
    """
    found = subject.convert_as_host(vector).conversion().metadata.date
    if found is not None and not any(
        re.fullmatch(re.escape(one) + r"(T.*)?", found) for one in vector.expected.stated_dates
    ):
        raise Broken("the date is another one", expected=vector.expected.stated_dates or "no date", actual=found)
