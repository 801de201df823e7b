"""Ways to read a PDF that the router has beside single engines: one engine's text with the tables of others.

They are made from the readings of the single engines, by the code that puts tables back for a user, so that rules from other folds
can choose among them all.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import permutations

from octavo.conversion.page_repair import lost_tables, put_back, unseen_pages
from octavo.profiles.profile import DEFAULT_PROFILE, load_profile
from octavo.settings.repair import DEFAULT_REPAIR
from octavo_contracts import Conversion

from .collect import Row
from .scoring import score

PDF = "application/pdf"


def with_tables(rows: Iterable[Row], *, keepers: Sequence[str] | None = None) -> list[Row]:
    """A row for each reading of a PDF and each order of engines that may be asked for its tables.

    Args:
        rows: of installed engines. Those without evidence, as peers', give none.
        keepers: the engines to ask; by default those that the default profile names. Where they are not among the rows
            they are passed over.
    """
    read: dict[str, dict[str, Row]] = defaultdict(dict)
    for row in rows:
        if row.reading.evidence is not None and row.reading.evidence.media_type == PDF:
            read[row.document.id][row.engine] = row
    wanted = load_profile(DEFAULT_PROFILE).escalate.get("tables", ()) if keepers is None else keepers
    known = {engine for engines in read.values() for engine in engines}
    asked = [name for name in wanted if name in known]
    orders = [order for count in range(1, len(asked) + 1) for order in permutations(asked, count)]
    return [made for engines in read.values() for made in _of_document(engines, orders)]


def _of_document(engines: Mapping[str, Row], orders: Sequence[Sequence[str]]) -> Iterator[Row]:
    for engine, row in engines.items():
        for order in orders:
            if engine not in order:
                yield _mended(row, [engines[name] for name in order if name in engines], name=_name(engine, order))


def _name(engine: str, order: Sequence[str]) -> str:
    return f"{engine}, tables by {' and '.join(order)}"


def _mended(row: Row, keepers: Sequence[Row], *, name: str) -> Row:
    """The row with the tables that its conversion lost, as `octavo.conversion.escalation.put_tables_back` puts them back."""
    first, evidence, recognised = row.reading.conversion, row.reading.evidence, row.reading.recognised
    if first is None or evidence is None:
        return replace(row, engine=name)
    made: Conversion = first
    for asked, keeper in enumerate(keepers):
        lost = lost_tables(made, evidence, recognised)
        if not lost or len(made.pages) > (DEFAULT_REPAIR.all_plugins_up_to if asked else DEFAULT_REPAIR.tables_up_to):
            break
        if keeper.reading.conversion is None:
            continue
        wanted = lost if asked else unseen_pages(made, evidence, recognised) | lost
        made = put_back(
            made,
            keeper.reading.conversion,
            wanted,
            engine=keeper.engine,
            instead_of=row.engine,
            tells_hidden=False,
        ).conversion
    if made is first:
        return replace(row, engine=name)
    reading = replace(row.reading, conversion=made)
    return Row(document=row.document, engine=name, reading=reading, score=score(row.document, reading))
