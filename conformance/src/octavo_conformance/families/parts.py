"""OC-GOLD on fresh documents of many parts: figures and signs, links, numbers of items, levels of headings.

A plugin need not keep every part. It must not keep some of a kind and lose or change the others: whoever reads its output
takes the ones that are there for all of them.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from pathlib import PurePosixPath

from octavo_contracts import Capability, Conversion
from octavo_text.canonical import canonical_body

from ..checks import GENERATED, Broken, check, expect_equal, expect_none
from ..evidence import page_texts
from ..outside_calls import convert_alone
from ..subject import Subject
from ..truth import headings_of, phrase_of
from ..vectors import GoldenVector, words_of
from ..vectors.fresh import make_fresh
from ..vectors.link_targets import common_spelling
from .determinism import expect_same

_EDGES = "|*_`~\"'“”„‘’«»,.;:!?()[]{}…。「」"
"""What may stand around a figure: punctuation of the sentence, and the marks of markdown."""
_MARKUP = set("#*_`|\\>-+~=[]()!<\"'&.:/?%$\u2010\u2011↑↩")
"""Signs that converters add, take away or write in another way in markup."""
_LOSS = re.compile(r"\([^\s()]*\d[.,]\d[^\s()]*\)")
_TARGET = r"<[^<>\n]*>|(?:\\.|\([^\s()]*\)|[^\s()\\<])+"
_LINK = re.compile(rf"(?<!!)\[((?:[^\[\]\\]|\\.)*)\]\(({_TARGET})(?:\s+\"[^\"]*\")?\)")
_DEFINITION = re.compile(r"(?m)^ {0,3}\[([^\]^\n][^\]\n]*)\]:[ \t]+<?([^\s<>]+)>?[ \t]*$")
_REFERENCE = re.compile(r"(?<![!\]\\])\[([^\[\]\n^]+)\](?:\[([^\[\]\n]*)\])?(?![(:\[])")
"""A link whose target is defined elsewhere, under its label or under its text."""
_NOTES = re.compile(r"^[ \t]*\[\^([^\]]+)\]:(.*(?:\n[ \t]+\S.*)*)", re.MULTILINE)
"""A note with its label."""
_LINES = re.compile(r"^[ \t>]*(?:(\d+)\\?[.)]|[-*+•])[ \t]+(.*)$", re.MULTILINE)


def _conversion(subject: Subject, vector: GoldenVector) -> Conversion:
    return subject.convert_as_host(vector).conversion()


def _markdown(conversion: Conversion) -> str:
    return "\n\n".join(page.markdown for page in conversion.pages)


def _links(markdown: str) -> list[tuple[str, str]]:
    """Return text and target of each link, in order; the first definition of a label counts."""
    defined: dict[str, str] = {}
    for label, target in _DEFINITION.findall(markdown):
        defined.setdefault(label.casefold(), target)
    found = [(one.start(), one[1], one[2]) for one in _LINK.finditer(markdown)]
    for one in _REFERENCE.finditer(markdown) if defined else ():
        target = defined.get((one[2] or one[1]).casefold())
        if target:
            found.append((one.start(), one[1], target))
    return [(text, target) for _, text, target in sorted(found)]


@lru_cache(maxsize=1024)
def figures_of(text: str) -> tuple[str, ...]:
    """Return the words with a digit or with a mark on a letter, with their signs, and without the punctuation around them.

    An amount in brackets keeps them: in accounts they say that it is below zero.
    """
    text = unicodedata.normalize("NFC", re.sub("[\u2010\u2011]", "-", text))
    words = map(_bare, re.split(r"[\s|]+", text))
    return tuple(word for word in words if any(unicodedata.category(sign)[0] in "NM" for sign in word))


def _bare(part: str) -> str:
    loss = _LOSS.search(part)
    return loss[0] if loss else part.strip(_EDGES)


def lost_in_order(wanted: Sequence[str], found: Sequence[str]) -> list[str]:
    """Return what is missing in `found`, if both are read in order."""
    lost, at = [], 0
    for one in wanted:
        try:
            at = found.index(one, at) + 1
        except ValueError:
            lost.append(one)
    return lost


@check(
    "OC-GOLD-019",
    scope="fresh",
    level=3,
    spec=("QLT-2", "QLT-3"),
    requires=("OC-GOLD-009",),
    hook="convert",
    vectors="has_figures",
)
def figures_keep_their_signs(subject: Subject, vector: GoldenVector) -> None:
    """Figures of a fresh document keep their signs, separators, units and leading zeros, letters their marks; it keeps its currency and other signs.

    Fix:
    Copy numbers, dates and codes as they are written; a sign, a comma or a zero in front changes what they say.
    Drop no mark that Unicode does not compose with its letter: it is a vowel or a tone of the word.
    Do not replace quotes, dashes, fractions or symbols by others that look alike.
    """
    found, wanted = (
        "\n".join(pages) for pages in (page_texts(_conversion(subject, vector)), map(_canonical, vector.expected.pages))
    )
    lost = lost_in_order(figures_of(wanted), figures_of(found))
    expect_none(
        lost[:12], "figures or words with marks are lost or changed", expected="those of the document, sign by sign"
    )
    signs = _signs(wanted) - _signs(found)
    expect_none(
        sorted(f"U+{ord(sign):04X} {sign} ({count})" for sign, count in signs.items()),
        "signs are lost or changed",
        expected="every sign of the document",
    )


def _canonical(text: str) -> str:
    """Return a text in the form that canonical texts have."""
    return canonical_body(text).text


def _signs(text: str) -> Counter[str]:
    return Counter(
        c for c in text if not c.isspace() and not c.isalnum() and c not in _MARKUP and not unicodedata.combining(c)
    )


@check(
    "OC-GOLD-020",
    scope="fresh",
    level=3,
    spec=("CNV-11", "CNV-6"),
    requires=("OC-GOLD-009", "OC-GOLD-010"),
    hook="convert",
    vectors="links",
)
def links_lead_where_they_lead(subject: Subject, vector: GoldenVector) -> None:
    """Links of a fresh document have their own targets, also where several have the same label; where one of a scheme is kept, all are.

    Fix:
    Take the target from the link itself, not from a table by label or place; write it as it is.
    """
    wanted = [(label, common_spelling(target)) for label, target in vector.expected.links]
    known = {label for label, _ in wanted}
    found = [
        (label.replace("\\", ""), common_spelling(target.strip("<>").replace("&amp;", "&").replace("\\", "")))
        for label, target in _links(_markdown(_conversion(subject, vector)))
    ]
    found = [one for one in found if one[0] in known]
    if found:
        schemes = {target.partition(":")[0] for _, target in found}
        wanted = [one for one in wanted if one[1].partition(":")[0] in schemes]
        # Of many links, those that differ.
        lost, changed = (
            [one for one in side if one not in other] for side, other in ((wanted, found), (found, wanted))
        )
        expect_equal(changed, lost, "labels and targets of links")
        expect_equal(found, wanted, "labels and targets of the links, in order")


@check(
    "OC-GOLD-021",
    scope="fresh",
    level=3,
    spec=("CNV-11", "CNV-6"),
    requires=("OC-GOLD-009",),
    hook="convert",
    vectors="items",
)
def items_keep_their_numbers(subject: Subject, vector: GoldenVector) -> None:
    """Items of a numbered list that begins with another number than 1 have their own numbers, if they have any.

    Fix:
    Begin a list with its own number: other places of the document refer to it.
    """
    numbers = {" ".join(words_of(text)): number for number, text in vector.expected.items}
    found = {
        " ".join(words_of(text)): number
        for number, text in _LINES.findall(_markdown(_conversion(subject, vector)))
        if " ".join(words_of(text)) in numbers and number
    }
    if found:
        expect_equal(found, numbers, "the numbers of the items")


@check(
    "OC-GOLD-031",
    scope="fresh",
    level=3,
    spec=("CNV-11", "CNV-7", "QLT-2"),
    requires=("OC-GOLD-009",),
    hook="convert",
    vectors="parts",
)
def tables_stay_between_their_paragraphs(subject: Subject, vector: GoldenVector) -> None:
    """In the markdown too, each table of a fresh document stands behind the paragraph before it and before the one behind it.

    Fix:
    Walk through the children of the body in one loop; do not read all paragraphs first, and all tables then.
    """
    text = phrase_of(_markdown(_conversion(subject, vector)))
    places = [text.find(phrase_of(part)) for part in vector.expected.parts]
    wrong = [
        part
        for part, at, before in zip(vector.expected.parts[1:], places[1:], places, strict=False)
        if at < before or -1 in (at, before)
    ]
    expect_none(wrong[:8], "paragraphs or tables are in another place", expected="the order of the document")


@check(
    "OC-GOLD-023",
    scope="fresh",
    level=3,
    spec=("CNV-6", "QLT-2"),
    requires=("OC-GOLD-009", "OC-GOLD-010"),
    hook="convert",
    vectors="notes",
)
def notes_keep_their_order(subject: Subject, vector: GoldenVector) -> None:
    """Notes of a fresh document are in the order of their marks, each under the label of its mark; where one is there, all are.

    Fix:
    Take a note by the id of its mark; ids are neither texts to be sorted nor places.
    """
    markdown = _markdown(_conversion(subject, vector))
    text = " ".join(words_of(markdown))
    notes = [" ".join(words_of(note)) for note in vector.expected.notes]
    places = {note: text.find(note) for note in notes}
    found = sorted((note for note in notes if places[note] >= 0), key=places.__getitem__)
    if found:
        expect_equal(found, notes, "the notes, in order")
    labelled = {label: " ".join(words_of(note)) for label, note in _NOTES.findall(markdown)}
    wrong = [
        f"{note!r} for {sentence!r}"
        for sentence, note in vector.expected.marked
        for label in re.findall(re.escape(sentence) + r"\s*\[\^([^\]]+)\](?!:)", markdown)
        if " ".join(words_of(note)) not in labelled.get(label, "")
    ]
    expect_none(wrong, "marks lead to other notes", expected="each note under the label of its mark")


@check(
    "OC-GOLD-033",
    scope="fresh",
    level=3,
    spec=("CNV-6", "QLT-2"),
    requires=("OC-GOLD-009",),
    hook="convert",
    vectors="deleted",
)
def listed_changes_are_all_listed(subject: Subject, vector: GoldenVector) -> None:
    """Where the insertions of a fresh document are listed beside its text, so are the deletions, there or as hidden text.

    Fix:
    List each tracked change, with what it did; a list of some is read as that of all.
    """
    conversion = _conversion(subject, vector)
    hidden = " ".join(item.text for page in conversion.pages for item in page.hidden_text)
    text = phrase_of(_markdown(conversion))
    # An insertion that is listed stands there twice: in the text and in the list.
    if all(text.count(phrase_of(one)) > 1 for one in vector.expected.inserted):
        told = text + phrase_of(hidden)
        lost = [one for one in vector.expected.deleted if phrase_of(one) not in told]
        expect_none(lost, "deletions are missing in the list of changes", expected="each of the changes")


@check(
    "OC-GOLD-034",
    scope="fresh",
    level=3,
    spec=("CNV-6", "QLT-2"),
    requires=("OC-GOLD-009",),
    hook="convert",
    vectors="comments",
)
def comments_are_all_there(subject: Subject, vector: GoldenVector) -> None:
    """Where one of the comments in a fresh document is in its markdown, all are.

    Fix:
    Read each comment of the part that holds them, by its id.
    """
    text = phrase_of(_markdown(_conversion(subject, vector)))
    lost = [one for one in vector.expected.comments if phrase_of(one) not in text]
    if len(lost) < len(vector.expected.comments):
        expect_none(lost, "comments are missing", expected="each of the comments")


@check(
    "OC-GOLD-024",
    scope="fresh",
    level=3,
    spec=("CNV-6", "QLT-2"),
    requires=("OC-GOLD-009",),
    hook="convert",
    vectors="names",
)
def names_stay_with_their_values(subject: Subject, vector: GoldenVector) -> None:
    """The keys of a fresh document's records are in its text, each in its own letters.

    Fix:
    Write the key of each value, also of one that few records have; change neither its case nor its signs.
    """
    found = set(words_of("\n".join(page_texts(_conversion(subject, vector)))))
    expect_none([name for name in vector.expected.names if name not in found][:12], "keys are lost or changed")


@check(
    "OC-GOLD-025",
    scope="fresh",
    level=3,
    spec=("STO-1", "QLT-2"),
    requires=("OC-GOLD-007", "OC-GOLD-009", "OC-SCHEMA-005"),
    hook="convert",
    vectors="attachments",
)
def documents_inside_are_there(subject: Subject, vector: GoldenVector) -> None:
    """Each document inside a fresh document is an attachment with its own name and bytes, or its words are in the text.

    So are empty ones, those without a name, and messages attached to a message. A plugin that does not declare `attachments`
    may name them instead, in the text or in a warning.

    Fix:
    Take every part by its place, not by its name or its content: several have the same.
    An attached message is a part of which the content is the message as it stands in the mail, with its headers.
    """
    conversion = _conversion(subject, vector)
    left = Counter((PurePosixPath(item.name or "").name, item.sha256) for item in conversion.attachments)
    text = " ".join(words_of("\n".join(page_texts(conversion))))
    named = f"{text} {' '.join(one.message for one in conversion.warnings)}"
    may_name = Capability.ATTACHMENTS not in subject.manifest.capabilities
    lost = []
    for item in vector.expected.attachments:
        key = PurePosixPath(item.name).name, item.sha256
        left[key] -= 1
        said = " ".join(words_of(item.text))
        is_told = (said and said in text) or (may_name and " ".join(words_of(item.name)) in named)
        if left[key] < 0 and not is_told:
            lost.append(item.name)
    expect_none(lost, "documents inside the document are lost or changed", expected="each of them")


@check(
    "OC-GOLD-022",
    scope="fresh",
    level=3,
    spec=("CNV-11", "CNV-6"),
    requires=("OC-GOLD-012",),
    hook="convert",
    has=Capability.HEADINGS,
    vectors="levels",
)
def levels_of_headings_agree(subject: Subject, vector: GoldenVector) -> None:
    """Headings of one level of a fresh document have one level in the markdown, and those of another level another one, in the same order.

    Fix:
    Write one `#` for each level of a heading, the same number for equal levels on every page.
    """
    truth = dict(
        zip((" ".join(words_of(text)) for text in vector.expected.headings), vector.expected.levels, strict=True)
    )
    found: dict[int, set[int]] = {}
    for level, text in headings_of(_markdown(_conversion(subject, vector))):
        if text in truth:
            found.setdefault(truth[text], set()).add(level)
    told = {level: sorted(levels) for level, levels in sorted(found.items())}
    if any(len(levels) > 1 for levels in told.values()):
        raise Broken("headings of one level have several", expected="one level for each", actual=told)
    order = [levels[0] for levels in told.values()]
    expect_equal(order, sorted(set(order)), "the levels of the markdown, in the order of the document's")


@check(
    "OC-DET-006",
    scope="plugin",
    level=3,
    spec=("ENG-18", "QLT-2"),
    requires=("OC-DET-002", "OC-DET-004", "OC-IDEM-001", "OC-IDEM-003"),
    hook="convert",
    vectors=GENERATED,
    deterministic=True,
)
def the_suite_need_not_be_there(subject: Subject) -> None:
    """Fresh documents of many parts are converted in the same way at another date, by another user, where no suite is installed.

    Fix:
    Let the bytes of a document decide alone: neither the date, nor the age of a file, nor the packages that are installed.
    """
    vectors = [one for one in make_fresh(subject.seed, subject.media_types) if "/mixed." in one.path]
    for vector, seen in zip(vectors, convert_alone(subject, vectors), strict=False):
        if seen.error is not None and subject.convert_as_host(vector).error is not None:
            continue
        expect_same(seen, subject.convert_as_host(vector), f"{vector.path} is converted in another way elsewhere")
