"""Values of fields at the end of the pages on which they were filled in, where a converter does not have them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from octavo_contracts import Conversion, ConversionWarning, DegradedFlag, Page, QualityFinding
from octavo_contracts.authoring.markdown import escape

from .fields import FilledField, FilledForm

FORM_FIELDS = "form_fields"
"""Of the warning on a page to which values were added, and of the note in the report."""
TELLING = 8
"""A value of fewer signs may stand in a text by chance, and says nothing of whether the converter reads fields."""


def with_fields(conversion: Conversion, form: FilledForm) -> Conversion:
    """The conversion with the values that it lacks, and a warning with the code `FORM_FIELDS` for each page that has some now.

    Args:
        conversion: of the whole document or, with `source_pages`, of some of its pages.
        form: what was filled in.
    """
    by_place: dict[int, list[FilledField]] = defaultdict(list)
    for field in form.fields:
        place = _place(conversion, field.page)
        if place is not None:
            by_place[place].append(field)
    pages = list(conversion.pages)
    warnings = list(conversion.warnings)
    for place, fields in sorted(by_place.items()):
        if not _has_them(pages[place], fields):
            pages[place] = _added(pages[place], fields)
            message = f"{_count(fields)} filled in above the page and not in the converter's text"
            number = pages[place].number if conversion.paginated else None
            warnings.append(ConversionWarning(code=FORM_FIELDS, message=message, page=number))
    return conversion.model_copy(update={"pages": tuple(pages), "warnings": tuple(warnings)})


def findings(conversion: Conversion, form: FilledForm) -> list[QualityFinding]:
    """What the report says of the form: which values were added where, and what could not be read.

    Args:
        conversion: as stored.
        form: what was filled in.
    """
    found = [
        QualityFinding(
            flag=FORM_FIELDS,
            severity="note",
            message=f"{warning.message}: they stand at the end of it.",
            page=warning.page,
            remedy="",
        )
        for warning in conversion.warnings
        if warning.code == FORM_FIELDS
    ]
    if form.is_xfa:
        found.append(
            QualityFinding(
                flag=DegradedFlag.PARTIAL_CONVERSION.value,
                message="The PDF is an XFA form: what it shows is drawn from XML by Adobe's programs alone, and its own pages "
                "may hold no more than a placeholder.",
                remedy="Open it in Adobe Acrobat Reader, print it to a PDF, and ingest that",
            )
        )
    if form.unread_pages:
        found.append(
            QualityFinding(
                flag=DegradedFlag.PARTIAL_CONVERSION.value,
                message=f"What is filled in on the last {form.unread_pages} pages was not looked for: the form is too large.",
                remedy="Split the PDF, and ingest its parts",
            )
        )
    return found


def _place(conversion: Conversion, page: int) -> int | None:
    """Where the page stands in the conversion; None where it is not in it."""
    if conversion.source_pages is not None:
        return conversion.source_pages.index(page) if page in conversion.source_pages else None
    if not conversion.paginated:
        return len(conversion.pages) - 1
    return page - 1 if page <= len(conversion.pages) else None


def _has_them(page: Page, fields: Sequence[FilledField]) -> bool:
    """Whether the converter reads fields: every value stands in its text, and one of them not by chance."""
    text = _squeezed(page.markdown) + _squeezed(page.text or "")
    values = [_squeezed(field.value) for field in fields if field.value]
    return any(len(value) >= TELLING for value in values) and all(value in text for value in values)


def _squeezed(text: str) -> str:
    return "".join(text.split()).casefold()


def _added(page: Page, fields: Sequence[FilledField]) -> Page:
    markdown = "\n".join(f"- {_line(field, escaped=True)}" for field in fields)
    text = "\n".join(_line(field, escaped=False) for field in fields)
    return page.model_copy(
        update={
            "markdown": f"{page.markdown.rstrip()}\n\n{markdown}".lstrip("\n"),
            "text": f"{(page.text or '').rstrip()}\n\n{text}".lstrip("\n"),
        }
    )


def _line(field: FilledField, *, escaped: bool) -> str:
    name, value = (escape(field.name), escape(field.value)) if escaped else (field.name, field.value)
    if not value:
        return f"[x] {name}"
    return f"{name}: {value}" if name else value


def _count(fields: Sequence[FilledField]) -> str:
    return "1 value is" if len(fields) == 1 else f"{len(fields)} values are"
