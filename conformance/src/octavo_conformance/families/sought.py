"""OC-GOLD and OC-ENT on documents and texts with what the plugin's own code names.

A plugin that treats some content in another way than the rest has to recognise it, by a text, a pattern or a number in its
code. Documents that are made from the code meet conditions that nobody thought of when the suite was written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from ..checks import GENERATED, REGISTRY, Broken, Unproven, check, expect_none
from ..code_constants import CodeConstants, read_constants
from ..subject import Subject
from ..vectors import GoldenVector
from ..vectors.sought import make_sought
from ..vectors.sought_text import make_sought_text
from .entities import observe
from .parts import figures_keep_their_signs, links_lead_where_they_lead
from .unseen import (
    cells_of_unseen_tables_are_right,
    expect_words,
    headings_of_unseen_documents_are_right,
    markdown_says_nothing_else,
)

_SHOWN = 8
_LONGEST_TEXT = 60_000
"""Up to which number of the code a text for extractors has more letters."""


def _constants(subject: Subject) -> CodeConstants:
    return read_constants(subject.plugin.module, seed=subject.seed, import_paths=subject.import_paths)


@check(
    "OC-GOLD-035",
    scope="plugin",
    level=3,
    spec=("QLT-2", "QLT-3"),
    requires=(
        "OC-GOLD-004",
        "OC-GOLD-005",
        "OC-GOLD-008",
        "OC-GOLD-009",
        "OC-GOLD-010",
        "OC-GOLD-011",
        "OC-GOLD-012",
        "OC-GOLD-013",
        "OC-GOLD-017",
        "OC-GOLD-019",
        "OC-GOLD-020",
    ),
    hook="convert",
    vectors=GENERATED,
)
def what_the_code_names_is_read(subject: Subject) -> None:
    """What the plugin's own code names is read as anything else: its texts, what its patterns match, one more than its numbers.

    The documents have them in paragraphs, headings, lists, links and cells, between made-up words.

    Fix:
    Write the document with `octavo conformance vectors FOLDER --seed N --plugin NAME`, and convert it.
    Look for the place in your code that has the text, the pattern or the number of the words that differ.
    A document with it loses or changes something that is content.
    """
    for vector in sought_vectors(subject):
        for broken in differences(subject, vector):
            raise Broken(f"{vector.path}: {broken.what}", expected=broken.expected, actual=broken.actual)


def sought_vectors(subject: Subject) -> list[GoldenVector]:
    """Make the documents with what a plugin's code names, of the formats that it reads, for the seed of the run."""
    return make_sought(subject.seed, _constants(subject), subject.media_types)


def differences(subject: Subject, vector: GoldenVector) -> Iterator[Broken]:
    """Yield what the conversion of a document has not as the document has it."""
    try:
        conversion = subject.convert_as_host(vector).conversion()
    except Broken as broken:
        yield broken
        return
    compared: list[Callable[[], None]] = [
        partial(expect_words, subject, vector, conversion),
        partial(figures_keep_their_signs, subject, vector),
        partial(markdown_says_nothing_else, subject, vector),
        partial(links_lead_where_they_lead, subject, vector),
    ]
    for name, compare, truth in (
        ("OC-GOLD-011", cells_of_unseen_tables_are_right, vector.expected.tables),
        ("OC-GOLD-012", headings_of_unseen_documents_are_right, vector.expected.headings),
    ):
        if truth and REGISTRY[name].closed_by(subject.manifest) is None:
            compared.append(partial(compare, subject, vector))
    for one in compared:
        try:
            one()
        except Broken as broken:
            yield broken


@check(
    "OC-ENT-024",
    scope="plugin",
    level=3,
    spec=("ENT-2",),
    requires=("OC-ENT-022",),
    hook="extract_entities",
    vectors=GENERATED,
)
def what_the_code_names_hides_no_name(subject: Subject) -> None:
    """People are observed beside what the plugin's own code names, in a text as long as its numbers say, as beside other words.

    Fix:
    Look for the place in your code that has the word in front of the name.
    """
    constants = _constants(subject)
    words = [text for text in constants.texts if text.isprintable() and any(map(str.isalnum, text))]
    length = max((number for number in constants.numbers if number <= _LONGEST_TEXT), default=0)
    told = make_sought_text(subject.seed, words, length=length)
    known = {name for name in told.names if _is_observed(subject, told.plain, name)}
    if len(known) * 2 <= len(told.names):
        raise Unproven("it observed few people in plain sentences that name one each")
    hidden = []
    for word, names in told.beside.items():
        seen = [name for name in names if name in known]
        if len(seen) >= 2 and not any(_is_observed(subject, told.text, name) for name in seen):
            hidden.append(word)
    expect_none(hidden[:_SHOWN], "no person is observed behind such words", expected="people as behind other words")


def _is_observed(subject: Subject, text: str, name: str) -> bool:
    start = text.find(name)
    return any(
        one.label == "person" and one.start < start + len(name) and start < one.end for one in observe(subject, text)
    )
