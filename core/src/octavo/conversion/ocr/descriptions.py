"""Descriptions of pictures without text by a vision model (CNV-10).

A description stands after the placeholder of its picture, in brackets that name the model: it is never part of the words of
the source.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from octavo_contracts import Conversion, OCRResult, Page, QualityFinding
from octavo_text.recognised_markdown import as_markdown
from pydantic import JsonValue

from .recognition import Recognition

DESCRIBED = "picture_described"
"""Code of the note that a page or picture has a description by a model."""
NOT_DESCRIBED = "picture_not_described"
"""Code of the note that a configured model did not describe a picture."""
DESCRIPTIONS = "octavo.descriptions"
"""Extension of a conversion that lists its descriptions."""


def with_descriptions(conversion: Conversion, described: Mapping[int, OCRResult]) -> Conversion:
    """Return the conversion with the description of each described page after its placeholder."""
    if not described:
        return conversion
    pages = tuple(
        _described(page, described[page.number]) if page.number in described else page for page in conversion.pages
    )
    recorded = [record(result, page=number) for number, result in sorted(described.items())]
    return conversion.model_copy(
        update={"pages": pages, "extensions": {**conversion.extensions, DESCRIPTIONS: recorded}}
    )


def record(result: OCRResult, *, page: int, picture: str | None = None) -> dict[str, JsonValue]:
    """Return the entry of a description in the extension `octavo.descriptions`."""
    return {
        **({"picture": picture} if picture is not None else {}),
        "page": page,
        "engine": result.method,
        "model": result.tool_version,
        "confidence": result.confidence,
        "page_fingerprint": result.page_fingerprint,
    }


def marked(result: OCRResult) -> str:
    """Return a description in the brackets that tell it from words of the source."""
    said = " ".join(result.extracted_text.replace("[", "(").replace("]", ")").split())
    return f"[Description by the model {result.tool_version}, not text of the source: {said}]"


def quoted(result: OCRResult) -> str:
    """Return a marked description as a quotation in markdown."""
    return "\n".join(f"> {line}".rstrip() for line in as_markdown(marked(result)).splitlines())


def findings(recognition: Recognition) -> list[QualityFinding]:
    """Build the notes about descriptions; a description does not change the quality of the source's text."""
    found = [
        QualityFinding(
            flag=DESCRIBED,
            severity="note",
            message=f"a description by the model {result.tool_version} was added; it is not text of the source",
            page=page,
        )
        for page, result in _all(recognition)
    ]
    by_reason: dict[str, list[int]] = {}
    for page, reason in recognition.undescribed.items():
        by_reason.setdefault(reason, []).append(page)
    for reason, pages in by_reason.items():
        many = "a picture was" if len(pages) == 1 else f"{len(pages)} pictures were"
        message = f"{many} not described ({reason})"
        found.append(QualityFinding(flag=NOT_DESCRIBED, severity="note", message=message, page=min(pages)))
    return found


def _all(recognition: Recognition) -> Iterable[tuple[int, OCRResult]]:
    yield from sorted(recognition.descriptions.items())
    shown: set[str] = set()
    for one in recognition.pictures:
        if one.description is not None and one.picture.part not in shown:
            shown.add(one.picture.part)
            yield one.picture.page, one.description


def _described(page: Page, result: OCRResult) -> Page:
    markdown = "\n\n".join(part for part in (page.markdown.rstrip(), quoted(result)) if part)
    text = "\n\n".join(part for part in ((page.text or "").rstrip(), marked(result)) if part)
    return page.model_copy(update={"markdown": markdown, "text": text})
