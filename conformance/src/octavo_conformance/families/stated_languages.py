"""OC-GOLD on the language of documents that state it, and of documents that do not."""

from __future__ import annotations

from ..checks import GENERATED, Broken, check
from ..subject import Subject
from ..vectors.stated_languages import make_languages


@check(
    "OC-GOLD-044",
    scope="plugin",
    level=3,
    spec=("ENG-23", "CNV-13"),
    requires=("OC-GOLD-009",),
    hook="convert",
    vectors=GENERATED,
)
def languages_are_those_of_the_document(subject: Subject) -> None:
    """The language in the metadata of a fresh document, if given, is the stated one, with or without its region.

    Where the document states none, the language is that of its text: a default is the language of other documents.

    Fix:
    Leave the language null where the document states none, or recognise it from the text; have no default.
    Read it where the format states it: `lang` of the root element, `/Lang` of the catalogue, `dc:language` of the properties.
    """
    for document in make_languages(subject.seed, subject.media_types):
        found = subject.convert_as_host(document.vector).conversion().metadata.language
        if found is None:
            continue
        told, stated = found.lower().replace("_", "-"), (document.stated or document.language).lower()
        # A language that the converter recognises has no region.
        if told not in (stated, stated.partition("-")[0]) and (document.stated or told.partition("-")[0] != stated):
            raise Broken(
                f"the language of {document.vector.path} is another one",
                expected=document.stated or f"none, or {document.language}: the document states none",
                actual=found,
            )
