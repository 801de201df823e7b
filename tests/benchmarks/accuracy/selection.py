"""What rules by kind of document are worth on documents they were not made from: the router's honest figure.

A profile's order for a kind, and whether a consensus is asked for, were chosen by looking at figures of the same corpus. Here they are
chosen anew from four folds, by the same rule (the better mean first, the next one where an engine fails), and tried on the fifth.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from . import peers
from .collect import Row
from .folds import COUNT, fold_of
from .installed import is_router
from .manifest import Document
from .ways import with_consensus

Read = Mapping[str, Row]
"""Engine, or the consensus of several → what it made of one document."""


def out_of_fold(rows: Iterable[Row]) -> dict[str, float]:
    """Document → the accuracy of the engine that rules from the other folds choose; documents without a fold are left out.

    Args:
        rows: of installed engines; those of routers and of peers are passed over.
    """
    documents: dict[str, Document] = {}
    read: dict[str, dict[str, Row]] = defaultdict(dict)
    single = [row for row in rows if not is_router(row.engine) and row.engine not in peers.PEERS]
    for row in (*single, *with_consensus(single)):
        documents[row.document.id] = row.document
        read[row.document.id][row.engine] = row
    folds = {name: fold_of(document) for name, document in documents.items()}
    found: dict[str, float] = {}
    for fold in range(COUNT):
        rules = _rules([read[name] for name, of in folds.items() if of is not None and of != fold])
        for name, of in folds.items():
            if of == fold:
                found[name] = _follow(rules, read[name])
    return found


def routing_type(read: Read) -> str:
    """The kind that the classifier saw; empty where it was asked in vain."""
    return next((row.reading.routing_type for row in read.values() if row.reading.routing_type), "")


def _rules(known: Sequence[Read]) -> dict[str, list[str]]:
    """Kind → engines, the best mean first. The empty kind has the order over all documents."""
    sums: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for read in known:
        for engine, row in read.items():
            for kind in {routing_type(read), ""}:
                sums[kind][engine] += row.score.accuracy
    return {kind: sorted(engines, key=lambda name: (-engines[name], name)) for kind, engines in sums.items()}


def _follow(rules: Mapping[str, Sequence[str]], read: Read) -> float:
    order = rules.get(routing_type(read)) or rules.get("") or sorted(read)
    tried = [read[engine] for engine in order if engine in read]
    first = next((row for row in tried if row.reading.conversion is not None), None)
    # Where every engine failed, the first that reads the type has the word: failing may be what was asked.
    first = first or next((row for row in tried if row.reading.status != "unsupported"), None)
    return first.score.accuracy if first else 0.0
