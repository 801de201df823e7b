"""OC-ERR: documents that cannot be converted are refused with the right error class, a message and a remedy."""

from __future__ import annotations

from octavo_contracts import (
    Capability,
    ContentTooLarge,
    Conversion,
    ConverterCrashed,
    DegradedFlag,
    DocumentError,
    OctavoError,
    SourceCorrupt,
    SourceEmpty,
    SourceEncrypted,
    UnsupportedFormat,
)

from ..checks import Broken, check, expect_equal
from ..evidence import Observed, describe, page_texts
from ..subject import Subject
from ..vectors import GoldenVector, HostileVector
from ..vectors.hostile import SECRET

UNKNOWN_TYPE = "application/x-octavo-unheard-of"
WRONG_PASSWORD = "not the password"
MIN_MESSAGE = 10
"""Minimum letters of a message that can explain a failure."""

_LOADS = ("OC-LOAD-004",)


def _raises(seen: Observed, *classes: type[OctavoError]) -> None:
    if not isinstance(seen.error, classes) or isinstance(seen.error, ConverterCrashed):
        names = " or ".join(cls.__name__ for cls in classes)
        raise Broken("the document is not refused with the right error", expected=names, actual=describe(seen.error))


def _raises_or_tells(seen: Observed, *classes: type[OctavoError]) -> None:
    """Like `_raises`, but also accept a conversion that is marked as partial."""
    if seen.answer is not None and _is_partial(seen.conversion()):
        return
    _raises(seen, *classes)


def _is_partial(conversion: Conversion) -> bool:
    return any(warning.code == DegradedFlag.PARTIAL_CONVERSION.value for warning in conversion.warnings)


@check("OC-ERR-001", scope="hostile", level=1, spec=("ENG-7",), requires=_LOADS, hook="convert", vectors="empty")
def empty_is_empty(subject: Subject, vector: HostileVector) -> None:
    """A file without bytes is SourceEmpty.

    Fix:
    Raise SourceEmpty if `source.size` is 0, before calling the engine.
    """
    _raises(subject.convert(vector), SourceEmpty)


@check(
    "OC-ERR-002",
    scope="hostile",
    level=1,
    spec=("ENG-7", "QLT-2"),
    requires=_LOADS,
    hook="convert",
    vectors="truncated",
)
def truncated_is_corrupt(subject: Subject, vector: HostileVector) -> None:
    """Half a document is SourceCorrupt, or a conversion with the warning `partial_conversion`; the damage is never silent.

    So is an intact archive of which the part with the text ends too early, within a word or behind an element, and a feed or
    another file in XML that is cut off there, or in which an element is not closed.

    Fix:
    Turn the engine's parse errors into SourceCorrupt; let no parser recover, or ask it for what it has repaired.
    If the engine repairs the file, add ConversionWarning(code="partial_conversion").
    """
    _raises_or_tells(subject.convert(vector), SourceCorrupt)


@check(
    "OC-ERR-003",
    scope="hostile",
    level=1,
    spec=("ENG-7", "CLS-8"),
    requires=_LOADS,
    hook="convert",
    vectors="wrong_type",
)
def wrong_type_is_refused(subject: Subject, vector: HostileVector) -> None:
    """Bytes of another format under a declared type are SourceCorrupt or UnsupportedFormat.

    Fix:
    Check the first bytes, or turn the engine's error into SourceCorrupt.
    """
    _raises(subject.convert(vector), SourceCorrupt, UnsupportedFormat)


@check("OC-ERR-004", scope="golden", level=1, spec=("CNV-5", "ENG-7"), requires=("OC-SCHEMA-002",), hook="convert")
def undeclared_type_is_refused(subject: Subject, vector: GoldenVector) -> None:
    """A media type that the manifest does not name is UnsupportedFormat.

    Fix:
    Compare `request.media_type` with the types in your manifest before anything else.
    """
    _raises(subject.convert(vector, media_type=UNKNOWN_TYPE), UnsupportedFormat)


@check("OC-ERR-005", scope="hostile", level=1, spec=("ENG-7",), requires=_LOADS, hook="convert", vectors="encrypted")
def encrypted_is_told(subject: Subject, vector: HostileVector) -> None:
    """An encrypted document without a password is SourceEncrypted.

    Fix:
    Check with the engine whether the document is encrypted; an encrypted Office file is an OLE file with `EncryptedPackage`.
    """
    _raises(subject.convert(vector), SourceEncrypted)


@check(
    "OC-ERR-006",
    scope="hostile",
    level=1,
    spec=("ENG-7",),
    requires=("OC-ERR-005",),
    hook="convert",
    has=Capability.PASSWORDS,
    vectors="encrypted",
)
def wrong_password_is_encrypted(subject: Subject, vector: HostileVector) -> None:
    """A wrong password is SourceEncrypted.

    Fix:
    Turn the engine's password error into SourceEncrypted.
    """
    _raises(subject.convert(vector, password=WRONG_PASSWORD), SourceEncrypted)


@check(
    "OC-ERR-007",
    scope="hostile",
    level=1,
    spec=("ENG-7",),
    requires=("OC-ERR-005",),
    hook="convert",
    has=Capability.PASSWORDS,
    vectors="encrypted",
)
def right_password_opens(subject: Subject, vector: HostileVector) -> None:
    """The right password opens the document, and does not stand in the answer.

    Fix:
    Pass `request.password` to the engine, and write it nowhere else.
    """
    seen = subject.convert(vector, password=vector.password)
    if seen.answer is None:
        raise Broken("the right password is refused", expected="a Conversion", actual=describe(seen.error))
    text = " ".join(page_texts(seen.conversion()))
    expect_equal(SECRET in text, True, f"{SECRET!r} in the text")
    if vector.password is not None and vector.password in seen.answer:
        raise Broken("the answer reveals the password", expected="an answer without it", actual="the password")


@check(
    "OC-ERR-008",
    scope="hostile",
    level=1,
    spec=("ENG-7",),
    requires=("OC-ERR-005",),
    hook="convert",
    lacks=Capability.PASSWORDS,
    vectors="encrypted",
)
def undeclared_password_opens_nothing(subject: Subject, vector: HostileVector) -> None:
    """Without the capability `passwords` an encrypted document stays SourceEncrypted, whatever password is given.

    Fix:
    Declare the capability `passwords`, or ignore `request.password`.
    """
    _raises(subject.convert(vector, password=vector.password), SourceEncrypted)


@check(
    "OC-ERR-009", scope="hostile", level=1, spec=("ENG-7", "ENG-11"), requires=_LOADS, hook="convert", vectors="bomb"
)
def bombs_are_too_large(subject: Subject, vector: HostileVector) -> None:
    """A small file that unpacks to hundreds of megabytes is ContentTooLarge.

    Fix:
    Check the sizes in the container's directory before the engine unpacks it: at most 100:1 above 1 MB.
    """
    _raises_or_tells(subject.convert(vector), ContentTooLarge)


@check(
    "OC-ERR-010",
    scope="golden",
    level=1,
    spec=("ENG-7",),
    requires=("OC-PAGE-001",),
    hook="convert",
    has=Capability.PAGES,
    vectors="paginated",
)
def max_pages_is_a_limit(subject: Subject, vector: GoldenVector) -> None:
    """More pages than `request.max_pages` is ContentTooLarge.

    Fix:
    Count the pages before reading them, and raise ContentTooLarge above the limit.
    """
    count = len(vector.expected.pages)
    if count > 1:
        _raises(subject.convert(vector, max_pages=count - 1), ContentTooLarge)


@check(
    "OC-ERR-013",
    scope="golden",
    level=1,
    spec=("QLT-2", "ENG-23"),
    requires=("OC-SCHEMA-002",),
    hook="convert",
    vectors="exact",
)
def intact_documents_are_whole(subject: Subject, vector: GoldenVector) -> None:
    """An intact document converts without the warning `partial_conversion`: it is for content that is missing.

    Fix:
    Add the warning where the engine reports a loss, and nowhere else.
    """
    if _is_partial(subject.convert(vector).conversion()):
        raise Broken(
            "an intact document is said to be partial", expected="no such warning", actual="partial_conversion"
        )


@check("OC-ERR-011", scope="hostile", level=1, spec=("ENG-7", "ENG-23"), requires=_LOADS, hook="convert", vectors="any")
def errors_explain_themselves(subject: Subject, vector: HostileVector) -> None:
    """An error states the problem in a sentence and has a remedy; it contains no traceback and no password.

    Fix:
    Write the message for the owner of the document; keep the class's default remedy or give a better one.
    """
    secret = WRONG_PASSWORD
    error = subject.convert(vector, password=secret).error
    if not isinstance(error, DocumentError):
        return
    if len(error.message) < MIN_MESSAGE or not error.remedy:
        raise Broken(
            "the error lacks a sentence or a remedy",
            expected="a sentence and a remedy",
            actual=f"{error.message!r}, remedy {error.remedy!r}",
        )
    if "Traceback" in error.message or secret in str(error):
        raise Broken(
            "the message reveals too much", expected="no traceback, no password", actual="one of them in the message"
        )


@check(
    "OC-ERR-012", scope="hostile", level=1, spec=("ENG-7", "ENG-11"), requires=_LOADS, hook="convert", vectors="damaged"
)
def damage_never_crashes(subject: Subject, vector: HostileVector) -> None:
    """A document with a few changed bytes converts or raises a typed error, not another exception or a dead worker.

    Fix:
    Catch the engine's own exceptions around every call to it and raise SourceCorrupt from them.
    """
    error = subject.convert(vector).error
    if isinstance(error, ConverterCrashed):
        raise Broken("the converter crashes", expected="a Conversion or a typed error", actual=describe(error))
