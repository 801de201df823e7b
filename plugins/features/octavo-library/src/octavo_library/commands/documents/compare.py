"""`octavo compare`: compare the conversions of a document by two plugins, measured and side by side.

JSON:
    `--json` prints one object:

    - `name`: the document's name; `document_id`: its id, or null for a file outside the library.
    - `routing_type`: its routing type.
    - `threshold`: difference, 0..1, above which a metric diverges.
    - `metrics`: `text_yield`, `tables`, `headings`, `page_anchors` → `a`, `b` (null if the metric does not apply),
      `difference` (as a share of the larger, 0..1, or null) and `diverges`.
    - `diverging`: names of the metrics that diverge.
    - `agreement`: agreement of the two texts, 0..1: the share of word pairs that both have.
    - `pages`: a list of `page` and `agreement`, if both have the same number of pages; else empty.
    - `a`, `b`: `tool`, `engine_version`, `version` (the stored version that was read, or null if the document was
      converted now), `quality_score`, `markdown` (a list, one text per page).
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from octavo_cli.toolkit.options import json_option, library_option, password_option, profile_option, timeout_option
from octavo_cli.toolkit.running import octavo_command

if TYPE_CHECKING:
    from ...facade.routing_review.compare import Comparison
    from ...ingestion.sampling.measures import Reading

MAX_PAGES = 3
"""Pages to show side by side without --page: those that agree least."""
MAX_ROWS = 40
"""Maximum rows to show per page."""

_LABELS = {"text_yield": "Characters", "tables": "Tables", "headings": "Headings", "page_anchors": "Page anchors"}


@octavo_command(name="compare")
@click.argument("document", metavar="DOC")
@click.option("--with", "plugins", metavar="PLUGIN", multiple=True, required=True, help="A plugin; given twice.")
@click.option("--page", "pages", metavar="N", type=click.IntRange(min=1), multiple=True, help="Show this page.")
@library_option
@profile_option
@password_option
@timeout_option
@json_option
def command(
    document: str, plugins: tuple[str, ...], pages: tuple[int, ...], library: str, as_json: bool, **options: Any
) -> None:
    """Compare the conversions of a document by two plugins, measured and side by side.

    DOC is a document of the library, as for `octavo show`, or any file. Stored versions are reused; missing ones are
    converted now. Nothing is stored.
    """
    from octavo_cli.toolkit.output import write_json
    from octavo_cli.toolkit.running import cancelled_by_interrupt

    with cancelled_by_interrupt() as cancel:
        found, document_id = _compare(document, library, plugins=plugins, cancel=cancel, **options)
    if as_json:
        write_json(_keys(found, document_id))
    else:
        _write(found, pages)


def _compare(document: str, library: str, **options: Any) -> tuple[Comparison, str | None]:
    """The comparison, and the document's id if it is in the library."""
    from octavo_contracts import UsageError

    from ...storage import has_index
    from ..opening import open_library

    if has_index(Path(library)):
        with open_library(library, create=False) as opened:
            try:
                known = opened.document(document).id
            except UsageError:
                if not os.path.isfile(document):
                    raise
            else:
                return opened.routing.compare(known, **options), known
    return _compare_file(document, **options), None


def _compare_file(path: str, **options: Any) -> Comparison:
    from octavo.runtime import Runtime
    from octavo_cli.toolkit.configured import settings

    from ...facade.routing_review.compare import compare

    with Runtime(settings()) as runtime:
        return compare(path, runtime=runtime, **options)


def _keys(found: Comparison, document_id: str | None) -> dict[str, Any]:
    from ...ingestion.sampling.sampler import metrics_json

    return {
        "name": found.name,
        "document_id": document_id,
        "routing_type": found.routing_type,
        "threshold": found.threshold,
        "metrics": metrics_json(found.measured),
        "diverging": found.measured.diverging,
        "agreement": found.measured.agreement,
        "pages": [{"page": page, "agreement": one} for page, one in enumerate(found.measured.pages, start=1)],
        "a": _reading_keys(found, found.a),
        "b": _reading_keys(found, found.b),
    }


def _reading_keys(found: Comparison, reading: Reading) -> dict[str, Any]:
    return {
        "tool": reading.tool,
        "engine_version": reading.engine_version,
        "version": found.stored.get(reading.tool),
        "quality_score": reading.quality_score,
        "markdown": reading.markdown,
    }


def _write(found: Comparison, pages: tuple[int, ...]) -> None:
    from octavo_cli.toolkit.output import add_row, clean, make_table, write_line, write_table

    a, b = found.a, found.b
    write_line(f"{clean(found.name)}: {found.routing_type}")
    table = make_table("Metric", f"#{a.tool}", f"#{b.tool}", "#Difference", "Verdict")
    for name, one in found.measured.metrics.items():
        difference = "–" if one.difference is None else f"{one.difference:.0%}"
        verdict = f"more than {found.threshold:.0%}" if one.diverges else ""
        add_row(table, (_LABELS[name], number_text(one.a), number_text(one.b), difference, verdict))
    add_row(table, ("Quality", *(_score(one.quality_score) for one in (a, b)), "", ""))
    write_table(table)
    write_line(f"\nThe texts agree to {found.measured.agreement:.0%}.")
    for page in _shown(found, pages):
        _write_page(found, page)


def number_text(value: float | None) -> str:
    """A metric's value for display: an integer or a decimal; a dash if the metric does not apply."""
    if value is None:
        return "–"
    return str(int(value)) if value == int(value) and value != 1.0 else f"{value:g}"


def _score(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def _shown(found: Comparison, asked: tuple[int, ...]) -> list[int]:
    """The pages to show: the requested ones, else those that agree least."""
    from octavo_contracts import UsageError

    count = max(len(found.a.markdown), len(found.b.markdown))
    if asked:
        if beyond := [page for page in asked if page > count]:
            raise UsageError(f"there is no page {beyond[0]}; the document has {count}", source=found.name)
        return list(dict.fromkeys(asked))
    marks = found.measured.pages or (found.measured.agreement,) * min(count, MAX_PAGES)
    worst = sorted(range(1, len(marks) + 1), key=lambda page: (marks[page - 1], page))
    return sorted(worst[:MAX_PAGES])


def _write_page(found: Comparison, page: int) -> None:
    from octavo_cli.toolkit.output import add_row, make_table, write_line, write_table

    from ...facade.routing_review.side_by_side import rows

    sides = [one.markdown[page - 1] if page <= len(one.markdown) else "" for one in (found.a, found.b)]
    marks = found.measured.pages
    agree = f", agreeing to {marks[page - 1]:.0%}" if marks else ""
    write_line(f"\nPage {page}{agree}:" if found.a.paginated or found.b.paginated else "")
    different = rows(*sides)
    table = make_table(found.a.tool, found.b.tool)
    beyond = different.pop().beyond if different and different[-1].beyond else 0
    for row in different[:MAX_ROWS]:
        if row.same:
            lines = f"{row.same} equal line{'s' if row.same > 1 else ''}"
            add_row(table, (f"… {lines}", f"… {lines}"), style="dim")
        else:
            add_row(table, (row.left, row.right))
    write_table(table)
    if (more := len(different) - MAX_ROWS) > 0:
        write_line(f"… and {more} more rows; --json has both texts")
    if beyond:
        lines = "line follows that was" if beyond == 1 else "lines follow that were"
        write_line(
            f"… {beyond} more {lines} not compared: the page is too long or repeats itself; --json has both texts"
        )
