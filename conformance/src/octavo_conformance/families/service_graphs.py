"""OC-SVC of graph intakes: they keep what they were given, for each policy context apart."""

from __future__ import annotations

from typing import Any

from octavo.plugins import service_answers as answers
from octavo_contracts import DocumentGraph, GraphEdge, GraphNode

from ..checks import GENERATED, Broken, check, expect_equal
from ..service_calls import answers_of, refuse
from ..subject import Subject
from ..vectors.words import Words

OPEN, CLOSED = (f'{{"visibility":"{visibility}"}}' for visibility in ("ambient", "firewalled"))
"""Two policy contexts."""
FIRST, SECOND = "1" * 32, "2" * 32
"""Ids of two documents."""


def _graph(document_id: str, context: str, title: str, *people: str) -> DocumentGraph:
    """The graph of a document in which people appear."""
    nodes = [GraphNode(node_id=document_id, entity_type="document", name=title, properties={"pages": 3, "by": None})]
    nodes += [GraphNode(node_id=f"person:{name}", entity_type="person", name=name) for name in people]
    edges = [
        GraphEdge(source=f"person:{name}", target=document_id, relation="appears_in", properties={"mentions": number})
        for number, name in enumerate(people, start=1)
    ]
    return DocumentGraph(document_id=document_id, context=context, nodes=tuple(nodes), edges=tuple(edges))


def _putting(document_id: str, fingerprint: str, *graphs: DocumentGraph) -> dict[str, Any]:
    given = [{"model": "DocumentGraph", "json": graph.to_json()} for graph in graphs]
    return {"call": "put", "args": [document_id, given], "kwargs": {"fingerprint": fingerprint}}


def _removing(*document_ids: str) -> dict[str, Any]:
    return {"call": "remove", "args": [list(document_ids)]}


def _reading(document_id: str, context: str) -> dict[str, Any]:
    return {"call": "read", "args": [document_id], "kwargs": {"context": context}}


def _same(answer: object, expected: DocumentGraph, what: str) -> None:
    """Check the answer to a reading, whatever the order of its edges and of all nodes but the first.

    Raises:
        Broken: it is another graph, or none.
    """
    try:
        read = answers.checked_graph(answer, document_id=expected.document_id, context=expected.context)
    except answers.WrongAnswer as error:
        refuse(error)
    if read is None:
        raise Broken(what, expected="the graph as it was given", actual="None")
    expect_equal(read.nodes[:1], expected.nodes[:1], f"{what}: the first node")
    for name in ("nodes", "edges"):
        found, wanted = (sorted(one.to_json() for one in getattr(graph, name)) for graph in (read, expected))
        expect_equal(found, wanted, f"{what}: the {name}")


@check(
    "OC-SVC-016", scope="plugin", level=1, spec=("ENG-26", "STO-5"), requires=("OC-SVC-001",), service="graph_intake",
    vectors=GENERATED,
)  # fmt: skip
def graphs_are_kept_by_context(subject: Subject) -> None:
    """A graph intake returns each graph as it was given, to its own policy context alone; a context without one gets None.

    Fix:
    Keep nodes and edges with their properties, and the context with each of them; filter by it in the query.
    """
    words = Words(subject.seed)
    public, secret = words.line(), words.line()
    names = [words.long_word() for _ in range(3)]
    known = _graph(FIRST, OPEN, public, names[0])
    hidden = _graph(FIRST, CLOSED, secret, *names)
    other = _graph(SECOND, OPEN, "", names[0])
    _, _, to_open, to_closed, of_other, none, missing, held = answers_of(
        subject,
        "graph_intake",
        _putting(FIRST, "a1", known, hidden),
        _putting(SECOND, "b1", other),
        _reading(FIRST, OPEN),
        _reading(FIRST, CLOSED),
        _reading(SECOND, OPEN),
        _reading(SECOND, CLOSED),
        _reading("3" * 32, OPEN),
        {"call": "held"},
    )
    _same(to_open, known, "the graph of the first context")
    _same(to_closed, hidden, "the graph of the second context")
    _same(of_other, other, "the graph of another document with the same entity")
    expect_equal((none, missing), (None, None), "the graphs of a context and of a document that it does not have")
    expect_equal(_held(held), {FIRST: "a1", SECOND: "b1"}, "the documents with their fingerprints")


@check(
    "OC-SVC-017", scope="plugin", level=2, spec=("ENG-26", "ENG-6", "STO-12"), requires=("OC-SVC-016",),
    service="graph_intake", vectors=GENERATED,
)  # fmt: skip
def graphs_are_replaced_and_removed(subject: Subject) -> None:
    """A second `put` replaces all contexts of a document, a repeated one changes nothing, `remove` ignores unknown ids; a reopened intake agrees.

    Fix:
    Delete what is held of the document before writing, in one transaction, and write before `put` and `remove` return.
    """
    words = Words(subject.seed)
    first, second, kept = (_graph(FIRST, OPEN, words.line(), words.long_word()) for _ in range(3))
    hidden = _graph(FIRST, CLOSED, words.line(), words.long_word())
    other = _graph(SECOND, OPEN, words.line(), words.long_word())
    said = answers_of(
        subject,
        "graph_intake",
        _putting(FIRST, "a1", first, hidden),
        _putting(FIRST, "a2", second),
        _putting(FIRST, "a3", kept),
        _putting(FIRST, "a3", kept),
        _putting(SECOND, "b1", other),
        _reading(FIRST, OPEN),
        _reading(FIRST, CLOSED),
        _removing(SECOND, "unknown"),
        {"make": True},
        _reading(FIRST, OPEN),
        _reading(SECOND, OPEN),
        {"call": "held"},
    )
    before, lost, _, _, after, removed, held = said[5:]
    _same(before, kept, "the graph after it was replaced")
    expect_equal(lost, None, "the graph of a context that no longer knows the document")
    _same(after, kept, "the graph after the intake was opened again")
    expect_equal(removed, None, "the graph of a removed document")
    expect_equal(_held(held), {FIRST: "a3"}, "the documents with their fingerprints")


def _held(answer: object) -> dict[str, str]:
    try:
        return answers.checked_held(answer)
    except answers.WrongAnswer as error:
        refuse(error)
