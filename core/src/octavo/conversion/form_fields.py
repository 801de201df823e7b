"""Adds filled-in form values to the end of their pages if the converter's text lacks them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from octavo_contracts import Conversion, ConversionWarning, DegradedFlag, Page, QualityFinding
from octavo_contracts.authoring.markdown import escape

from ..builtins.pdf_forms.fields import FilledField, FilledForm, squeezed

FORM_FIELDS = "form_fields"
"""Code of the warning on a page to which values were added, and of the note in the report."""
TELLING = 8
"""Shorter values may occur in a text by chance, and do not show whether the converter reads fields."""


def with_fields(conversion: Conversion, form: FilledForm) -> Conversion:
    """Add the missing values, and a warning with the code `FORM_FIELDS` for each page that received some.

    Args:
        conversion: of the whole document or, with `source_pages`, of some of its pages.
        form: the filled-in values.
    """
    by_place: dict[int, list[FilledField]] = defaultdict(list)
    for field in form.fields:
        place = _place(conversion, field.page)
        if place is not None:
            by_place[place].append(field)
    pages = list(conversion.pages)
    warnings = list(conversion.warnings)
    for place, fields in sorted(by_place.items()):
        lacking = _lacking(pages[place], fields)
        if lacking:
            pages[place] = _added(pages[place], lacking)
            message = f"{_count(lacking)} filled in and missing from the converter's text"
            number = pages[place].number if conversion.paginated else None
            warnings.append(ConversionWarning(code=FORM_FIELDS, message=message, page=number))
    return conversion.model_copy(update={"pages": tuple(pages), "warnings": tuple(warnings)})


def findings(conversion: Conversion, form: FilledForm) -> list[QualityFinding]:
    """Build the findings about the form: which values were added where, and what could not be read.

    Args:
        conversion: the stored conversion.
        form: the filled-in values.
    """
    found = [
        QualityFinding(
            flag=FORM_FIELDS,
            severity="note",
            message=f"{warning.message}; added at the end of the page.",
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
                message="The PDF is an XFA form: only Adobe's programs render its XML content, and its own pages may "
                "contain only a placeholder.",
                remedy="Open it in Adobe Acrobat Reader, print it to a PDF, and ingest that PDF",
            )
        )
    if form.is_lost:
        found.append(_partial("No form values were read: the form is too large and reading it timed out."))
    elif left := _left(form):
        found.append(_partial(f"The form is too large to be read completely: {left}."))
    for number, count in form.unseen.items():
        place = _place(conversion, number)
        if place is not None:
            found.append(
                QualityFinding(
                    flag=DegradedFlag.HIDDEN_TEXT.value,
                    severity="note",
                    message=f"{_values(count)} filled in but invisible on the page, and left out.",
                    page=conversion.pages[place].number if conversion.paginated else None,
                    remedy="",
                )
            )
    return found


def _partial(message: str) -> QualityFinding:
    return QualityFinding(
        flag=DegradedFlag.PARTIAL_CONVERSION.value, message=message, remedy="Split the PDF, and ingest its parts"
    )


def _left(form: FilledForm) -> str:
    """Describe what the limits excluded; empty if nothing was excluded."""
    parts = []
    if form.unread_fields:
        parts.append(
            "1 field was not read" if form.unread_fields == 1 else f"{form.unread_fields} fields were not read"
        )
    if form.unread_pages:
        last = "the last page was" if form.unread_pages == 1 else f"the last {form.unread_pages} pages were"
        parts.append(f"{last} not read")
    if form.cut_values:
        parts.append(f"{_values(form.cut_values)} truncated")
    return ", ".join(parts)


def _place(conversion: Conversion, page: int) -> int | None:
    """Return the index of a page in the conversion, or None if the conversion does not contain it."""
    if conversion.source_pages is not None:
        return conversion.source_pages.index(page) if page in conversion.source_pages else None
    if not conversion.paginated:
        return len(conversion.pages) - 1
    return page - 1 if page <= len(conversion.pages) else None


def _lacking(page: Page, fields: Sequence[FilledField]) -> list[FilledField]:
    """Return fields whose values the converter did not extract: an extracted value occurs oftener than it is printed.

    Short values differ by chance between converters. They count as extracted only if a longer value shows that the
    converter reads fields at all. A tick has no value, and is always missing.
    """
    texts = (squeezed(page.markdown), squeezed(page.text or ""))
    wanted = Counter(squeezed(field.value) for field in fields)
    printed = {squeezed(field.value): field.printed for field in fields}
    given = {
        value: min(max(text.count(value) for text in texts) - printed[value], count)
        for value, count in wanted.items()
        if value
    }
    if not any(count > 0 and len(value) >= TELLING for value, count in given.items()):
        return list(fields)
    lacking = []
    for field in fields:
        value = squeezed(field.value)
        if given.get(value, 0) > 0:
            given[value] -= 1
        else:
            lacking.append(field)
    return lacking


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
    return _values(len(fields))


def _values(count: int) -> str:
    return "1 value is" if count == 1 else f"{count} values are"
