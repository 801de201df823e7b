"""Inputs with which the suite calls the hooks other than `convert`."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterator

from octavo_contracts import (
    Conversion,
    EntityRequest,
    HookName,
    Model,
    OCRRequest,
    Page,
    PageImage,
    QualityEvidence,
)

from .originals import AnyVector
from .subject import Subject
from .vectors import load_golden
from .vectors.fresh import make_fresh
from .vectors.fresh_page import make_full, make_series
from .vectors.fresh_text import make_text

Arguments = dict[str, Model | str]

TEXT = "🚀 漢字 first: Ada Quay met Ben Pier in Lisbon on 1 January 2026. 👩‍👩‍👧 Then Ada Quay sailed to Porto, where Ada Quay was known as Ada Quay."
"""Astral characters precede the names, so offsets in UTF-16 units or bytes are wrong."""
LABELS = ("person", "location")
DPI = 150.0
PAGE = 7
"""Page number used by the suite; not 1, so that a made-up number is detected."""
DOCUMENT = "6f1b0a52-7c1e-4d0f-9a43-5b7c2e8d9f10"
"""Document of all pages: a host renders a page again with another resolution or turned, so that number and document stay the same."""
TEXTS = 4
"""Other inputs of hooks that are no recognisers."""
SENTENCE = "The harbour office keeps a record of every ship that enters the bay. "
EVIDENCE = QualityEvidence(media_type="application/pdf", source_page_count=3, expected_chars=(len(SENTENCE) * 20,) * 3)
"""Evidence from a second reading of the document."""
LONG, _PAGES = 5_000, 30
"""Letters of a long text, and pages of a long conversion."""
_EXTRACT, PARAGRAPHS = 150, 5
"""Letters of a paragraph, and paragraphs of a text that an extractor reads between two readings of the same text."""


def image_of(data: bytes, *, dpi: float = DPI) -> PageImage:
    """Return a picture as the host passes it to the hook."""
    width, height = struct.unpack(">II", data[16:24])
    fingerprint = hashlib.sha256(data).hexdigest()
    return PageImage(page_number=PAGE, page_fingerprint=fingerprint, width=width, height=height, dpi=dpi, png=data)


def page_image(path: str, *, png: bytes | None = None) -> PageImage:
    """Return a golden image as the host passes it to the hook.

    Args:
        path: the vector.
        png: bytes to use instead of the vector's.
    """
    data = next(vector.data for vector in load_golden() if vector.path == path)
    image = image_of(data)
    return image if png is None else image.model_copy(update={"png": png})


def recognition(image: PageImage) -> Arguments:
    """Return the arguments of `ocr` for a page."""
    return {"image": image, "request": OCRRequest(languages=("en",), document_id=DOCUMENT)}


def conversion_keeping(share: float) -> Conversion:
    """Return a conversion of three pages that keeps a share of the text."""
    body = SENTENCE * 20
    text = body[: int(len(body) * share)]
    return Conversion(pages=tuple(Page(number=n, markdown=text, text=text) for n in (1, 2, 3)), paginated=True)


def extraction(text: str) -> Arguments:
    """Return the arguments of `extract_entities` for a text."""
    return {"text": text, "request": EntityRequest(labels=LABELS, threshold=0.0)}


def conversion_of(texts: list[str]) -> Conversion:
    """Return a conversion with a page for each text."""
    pages = tuple(Page(number=number, markdown=text, text=text) for number, text in enumerate(texts, start=1))
    return Conversion(pages=pages, paginated=True)


def evidence_of(texts: list[str]) -> QualityEvidence:
    """Return the evidence of a second reading that found these texts."""
    return QualityEvidence(
        media_type="application/pdf", source_page_count=len(texts), expected_chars=tuple(map(len, texts))
    )


def _scoring(share: float) -> Arguments:
    return {"conversion": conversion_keeping(share), "evidence": EVIDENCE}


def inputs(subject: Subject) -> Iterator[tuple[HookName, Arguments, AnyVector | None]]:
    """Yield the arguments for each of the plugin's hooks other than `convert`, as in the family of that hook."""
    arguments: dict[HookName, Arguments] = {
        "classify": {},
        "ocr": recognition(page_image("png/printed.png")),
        "extract_entities": extraction(TEXT),
        "score_quality": _scoring(0.5),
    }
    for hook in subject.manifest.hooks:
        if hook == "convert":
            continue
        vector = next(iter(_documents(subject)), None) if hook == "classify" else None
        if hook != "classify" or vector is not None:
            yield hook, arguments[hook], vector


def other_inputs(subject: Subject, hook: HookName) -> list[tuple[Arguments, AnyVector | None]]:
    """Return arguments for calls between two with those of `inputs`; for `ocr`, fresh pages."""
    seeds = range(subject.seed, subject.seed + TEXTS)
    if hook == "ocr":
        return [(recognition(image_of(page.png)), None) for page in make_series(subject.seed).pages]
    if hook == "classify":
        return [({}, vector) for vector in _documents(subject)]
    if hook == "extract_entities":
        return [(extraction("\n\n".join(_paragraphs(seed))), None) for seed in seeds]
    return [(_scoring(share), None) for share in (0.1, 0.9, 0.3, 1.0)]


def long_input(subject: Subject, hook: HookName) -> tuple[Arguments, AnyVector | None] | None:
    """Return the arguments for a call with much text: a text, a page or a document of thousands of letters; None if there is none."""
    if hook == "ocr":
        return recognition(image_of(make_full(subject.seed))), None
    if hook == "classify":
        vectors = make_fresh(subject.seed, subject.media_types)
        return next((({}, vector) for vector in vectors if "/large." in vector.path), None)
    if hook == "extract_entities":
        return extraction(make_text(subject.seed).text[:LONG]), None
    texts = [f"{SENTENCE * 20}{number}" for number in range(_PAGES)]
    return {"conversion": conversion_of(texts), "evidence": evidence_of(texts)}, None


def _paragraphs(seed: int) -> list[str]:
    """Return the beginnings of several texts, of which each is a paragraph."""
    return [make_text(seed + number).text[:_EXTRACT] for number in range(PARAGRAPHS)]


def _documents(subject: Subject) -> list[AnyVector]:
    return [vector for vector in load_golden() if vector.media_type in subject.media_types]
