"""The consensus of engines as a way to read a PDF beside single engines, made from the readings of the single engines.

Rules from other folds can then choose among them all. The code is the one that merges readings for a user.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from octavo.conversion.consensus.merge_readings import merge_readings, reading_of, shown_tables, unsettled
from octavo.conversion.consensus.page_consensus import TEXT_READERS
from octavo.conversion.consensus.reading_agreement import agreements
from octavo.conversion.consensus.readings import Reading
from octavo.profiles.profile import DEFAULT_PROFILE, load_profile
from octavo.settings.repair import DEFAULT_REPAIR

from .collect import Row
from .installed import assessed, is_router
from .scoring import score

PDF = "application/pdf"


def with_consensus(rows: Iterable[Row], *, readers: Sequence[str] | None = None) -> list[Row]:
    """A row for each PDF that two or more of the readers have read: what their consensus makes of it.

    Args:
        rows: of installed engines. Those without evidence, as peers', give none.
        readers: the engines in the order in which they are asked; by default those that the default profile names. Where they
            are not among the rows they are passed over.
    """
    read: dict[str, dict[str, Row]] = defaultdict(dict)
    for row in rows:
        if row.reading.evidence is not None and row.reading.evidence.media_type == PDF:
            read[row.document.id][row.engine] = row
    wanted = load_profile(DEFAULT_PROFILE).consensus.get("pdf", ()) if readers is None else readers
    made = (_of_document(engines, wanted) for engines in read.values())
    return [row for row in made if row is not None]


def with_agreements(rows: Iterable[Row], *, readers: Sequence[str] | None = None) -> list[Row]:
    """The rows; those of single engines that read a PDF have the agreement with other readings in their evidence.

    Where a host asks several readers, each of them is compared with the others. A router's row has what the host found.

    Args:
        rows: of installed engines.
        readers: see `with_consensus`.
    """
    given = list(rows)
    wanted = load_profile(DEFAULT_PROFILE).consensus.get("pdf", ()) if readers is None else readers
    finders = {row.engine for row in given if _has_tables(row)}
    read: dict[str, dict[str, Reading]] = defaultdict(dict)
    for row in given:
        conversion = row.reading.conversion
        if row.engine in wanted and conversion is not None and conversion.paginated:
            read[row.document.id][row.engine] = reading_of(
                conversion, engine=row.engine, tells_hidden=False, reads_tables=row.engine in finders
            )
    return [_with_agreement(row, read[row.document.id], wanted) for row in given]


def _has_tables(row: Row) -> bool:
    """Whether an engine found a table in a PDF, so that it counts where it finds none."""
    conversion, evidence = row.reading.conversion, row.reading.evidence
    if conversion is None or evidence is None or evidence.media_type != PDF:
        return False
    return any(page.tables for page in conversion.pages)


def _with_agreement(row: Row, read: Mapping[str, Reading], wanted: Sequence[str]) -> Row:
    reading = row.reading
    conversion, evidence = reading.conversion, reading.evidence
    if is_router(row.engine) or conversion is None or evidence is None or evidence.media_type != PDF:
        return row
    pages = [page.number for page in conversion.pages if page.number not in reading.recognised]
    others = [read[name] for name in wanted if name in read and name != row.engine][:TEXT_READERS]
    if not conversion.paginated or not others or not pages:
        return row
    own = reading_of(conversion, engine=row.engine, tells_hidden=False)
    found = agreements(conversion, [own, *others], pages, ())
    with_them = evidence.model_copy(update={"agreements": found})
    return replace(row, reading=assessed(replace(reading, evidence=with_them)))


def _of_document(engines: Mapping[str, Row], wanted: Sequence[str]) -> Row | None:
    """The consensus, as `octavo.conversion.consensus.consensus_readers.reach_consensus` reaches it."""
    rows = [engines[name] for name in wanted if name in engines and engines[name].reading.conversion is not None]
    if len(rows) < 2:
        return None
    name = f"consensus of {' and '.join(wanted)}"
    first = rows[0].reading
    assert first.conversion is not None  # rows without one were left out
    assert first.evidence is not None  # likewise
    count = len(first.conversion.pages)
    disputed = [page.number for page in first.conversion.pages if page.number not in first.recognised]
    if not first.conversion.paginated or count > DEFAULT_REPAIR.tables_up_to:
        return replace(rows[0], engine=name)
    decided: set[int] = set()
    shown = shown_tables(first.conversion, first.evidence)
    readings = [reading_of(first.conversion, engine=rows[0].engine, tells_hidden=False)]
    for row in rows[1:]:
        other = row.reading.conversion
        if not disputed:
            break
        is_many = len(disputed) > DEFAULT_REPAIR.all_plugins_up_to
        if is_many and len(readings) >= TEXT_READERS:
            continue
        if other is None or not other.paginated or len(other.pages) != count:
            continue
        whole = reading_of(other, engine=row.engine, tells_hidden=False)
        readings.append(replace(whole, pages={number: whole.pages[number] for number in disputed}))
        decided.update(disputed)
        disputed = unsettled(readings, disputed, tables_only=len(readings) >= TEXT_READERS, shown=shown)
    made = merge_readings(first.conversion, readings, decided, shown=shown)
    evidence = first.evidence.model_copy(update={"agreements": made.agreements})
    reading = assessed(replace(first, conversion=made.conversion, evidence=evidence))
    return Row(document=rows[0].document, engine=name, reading=reading, score=score(rows[0].document, reading))
