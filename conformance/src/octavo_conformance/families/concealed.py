"""OC-GOLD on text that readers do not see, on letters that a document does not explain, and on warnings about both."""

from __future__ import annotations

from octavo_contracts import Capability, DegradedFlag

from ..checks import GENERATED, Broken, check, expect_none
from ..evidence import page_texts
from ..subject import Subject
from ..truth import compare_words
from ..vectors import words_of
from ..vectors.cut_markup import make_cut_off
from ..vectors.drawn_charts import make_charts
from ..vectors.several_losses import make_several_losses
from ..vectors.unreadable import CODES, make_hidden, make_undecodable, make_unmapped
from ..vectors.xml_documents import XML_TYPE

_LOSSES = {DegradedFlag.PARTIAL_CONVERSION.value, DegradedFlag.ENCODING_REPAIRED.value}
"""Warnings that something was left out or replaced."""


@check(
    "OC-GOLD-027",
    scope="plugin",
    level=3,
    spec=("QLT-2", "QLT-3"),
    requires=("OC-GOLD-009",),
    hook="convert",
    vectors=GENERATED,
)
def unexplained_letters_are_told(subject: Subject) -> None:
    """Letters whose font does not say what they are, bytes that are no letters, undeclared references and formulas without a value are told.

    They become characters of the text, such as U+FFFD, or one of the warnings `encoding_repaired` and `partial_conversion`.
    A warning that the encoding was guessed does not say that anything is missing.

    Fix:
    Write U+FFFD for a letter that you cannot read, and add the warning `partial_conversion` with the page.
    Decode with `errors="replace"`, never with `errors="ignore"`; do not let an XML parser recover in silence.
    """
    for vector in make_unmapped(subject.seed, subject.media_types):
        seen = subject.convert_as_host(vector)
        if seen.error is not None and vector.media_type.startswith(("text/", XML_TYPE)):
            continue  # a text that is no text, and XML that is not well-formed, may be refused
        conversion = seen.conversion()
        codes = {one.code for one in conversion.warnings}
        if codes & _LOSSES:
            continue
        texts = page_texts(conversion) if conversion.paginated else []
        if not conversion.paginated:
            texts, wanted = [" ".join(page_texts(conversion))], [" ".join(vector.expected.pages)]
        else:
            wanted = list(vector.expected.pages)
        silent = [
            number
            for number, (text, known) in enumerate(zip(texts, wanted, strict=False), start=1)
            if (number != 1 or len(texts) == 1) and _size(text) < _size(known) + CODES // 4
        ]
        expect_none(
            silent,
            "pages lose letters in silence",
            expected="characters, or the warning partial_conversion or encoding_repaired",
        )


@check(
    "OC-GOLD-032",
    scope="plugin",
    level=3,
    spec=("QLT-2", "QLT-3"),
    requires=("OC-GOLD-009",),
    hook="convert",
    vectors=GENERATED,
)
def pages_that_cannot_be_read_are_told(subject: Subject) -> None:
    """A page of a fresh document that is stored in an unknown form is read all the same, or told with `partial_conversion`, or refused.

    So is a damaged file of an archive, what is missing at the end of a file in XML that is cut off, and the words of a chart in
    an office document. A warning with a code of the plugin's own tells no loss: it degrades nothing.

    Fix:
    Let no parser mend what is cut off, or add the warning where it does.
    Add the warning `partial_conversion`, with the page, for each page that the engine cannot read; do not drop the engine's own warnings.
    """
    makers = (make_undecodable, make_cut_off, make_charts)
    for vector in (vector for make in makers for vector in make(subject.seed, subject.media_types)):
        seen = subject.convert_as_host(vector)
        if seen.error is not None:
            continue
        conversion = seen.conversion()
        lost, _ = compare_words(
            words_of(" ".join(page_texts(conversion))), words_of(" ".join(vector.expected.pages)), ()
        )
        kept = {one.sha256 for one in conversion.attachments}
        lost += [one.name for one in vector.expected.attachments if one.sha256 not in kept]
        codes = [one.code for one in conversion.warnings]
        if lost and DegradedFlag.PARTIAL_CONVERSION.value not in codes:
            raise Broken(
                f"a part of {vector.path} is lost in silence",
                expected="the warning partial_conversion",
                actual=codes or "no warning",
            )


def _size(text: str) -> int:
    return len("".join(text.split()))


@check(
    "OC-GOLD-028",
    scope="plugin",
    level=3,
    spec=("QLT-2",),
    requires=("OC-GOLD-001", "OC-GOLD-009"),
    hook="convert",
    has=Capability.HIDDEN_TEXT,
    vectors=GENERATED,
)
def no_way_of_hiding_is_overlooked(subject: Subject) -> None:
    """Text of a fresh document that is hidden in another way than the usual one is not in the content either, and all visible text is.

    Some of it is in `hidden_text`, also of pages with much visible text, and of late pages of a document that hides nothing before.

    Fix:
    Judge what a reader sees: attributes, styles of the element and of those around it, styles of paragraphs and runs.
    Look at every page, not at the first ones.
    """
    for document in make_hidden(subject.seed, subject.media_types):
        vector = document.vector
        conversion = subject.convert_as_host(vector).conversion()
        found = words_of(" ".join(page_texts(conversion)))
        shown = [way for way, text in document.hidden.items() if set(words_of(text)) & set(found)]
        expect_none(shown, f"hidden text of {vector.path} is in the content", expected="in hidden_text alone")
        told = words_of(" ".join(one.text for page in conversion.pages for one in page.hidden_text))
        kept = [way for way, text in document.hidden.items() if set(words_of(text)) & set(told)]
        if not kept:
            raise Broken(f"hidden text of {vector.path} is told nowhere", expected="in hidden_text", actual="left out")
        lost, invented = compare_words(found, words_of(vector.expected.pages[0]), ())
        if lost or invented:
            raise Broken(
                f"visible words of {vector.path} differ", expected=lost or "no other word", actual=invented or "omitted"
            )


@check(
    "OC-GOLD-042",
    scope="plugin",
    level=3,
    spec=("QLT-2", "QLT-3"),
    requires=("OC-GOLD-009", "OC-GOLD-027", "OC-ERR-013"),
    hook="convert",
    vectors=GENERATED,
)
def each_loss_is_told_with_its_page(subject: Subject) -> None:
    """Where a warning names one of the pages of a fresh document with a loss of one kind, or a hidden one, each of these pages is named.

    A kind that is told where it is alone is told beside another kind too. A warning about a loss names no page that loses nothing.

    Fix:
    Count the pages of warnings from 1, as those of the conversion. Add a warning for each page; do not keep one for each code, and do not stop at the first.
    """
    for series in make_several_losses(subject.seed, subject.media_types):
        told: set[str] = set()
        for document in series:
            conversion = subject.convert_as_host(document.vector).conversion()
            warnings = conversion.warnings
            for kind, pages in document.pages.items():
                named = {
                    code: {one.page for one in warnings if one.code == code and one.page in pages}
                    for code in {one.code for one in warnings}
                }
                known = max(named.values(), key=len, default=set())
                if known:
                    told.add(kind)
                lost = sorted(pages - known) if kind in told else []
                expect_none(
                    lost,
                    f"{kind} on these pages of {document.vector.path} are told nowhere",
                    expected="a warning for each page",
                )
            places = {page for pages in document.pages.values() for page in pages}
            # A document without pages has its losses on its first.
            losses = {
                one.page for one in warnings if conversion.paginated and one.page is not None and one.code in _LOSSES
            }
            expect_none(
                sorted(losses - places),
                f"a loss is told of these pages of {document.vector.path}, which lose nothing",
                expected="the pages with a loss",
            )
