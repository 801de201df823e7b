"""`octavo graph`: show a document as a node with its corpora, entities and links.

JSON:
    `octavo graph DOC --json` prints one object:

    - `document_id`: id of the document.
    - `graphs`: a list, one for each policy context that knows the document, of `document_id`, `context` (the policy
      context as canonical JSON), `nodes` and `edges`.

    A node has `node_id`, `node_type` (`world_entity`), `entity_type` (`document`, `corpus`, or the kind of an observed
    entity), `name`, `properties`; the first one is the document's. An edge has `source`, `target`, `relation` (`member_of`, `appears_in`,
    `attached_to`, `revises`, `related_to`), `properties`.

    `octavo graph --sync --json` prints one object with `put`, `removed` and `unchanged`: numbers of documents.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from octavo_cli.toolkit.options import json_option, library_option
from octavo_cli.toolkit.running import octavo_command

if TYPE_CHECKING:
    from octavo_contracts import DocumentGraph


@octavo_command(name="graph")
@click.argument("document", metavar="[DOC]", required=False)
@click.option("--corpus", metavar="NAME", help="Only what this corpus may see, under its policy.")
@click.option("--sync", is_flag=True, help="Give the plugin of the setting graph_intake all graphs that it lacks.")
@library_option
@json_option
def command(document: str | None, corpus: str | None, sync: bool, library: str, as_json: bool) -> None:
    """Show a document as a node with its corpora, entities and links.

    DOC is as for `octavo show`. The graph is read from the library's index. The setting `graph_intake` names a plugin that gets the graph
    of each document in the background; `--sync` gives it those of a library that was filled before.
    """
    from octavo_cli.toolkit.output import write_json, write_line

    from ..opening import open_library

    if sync == (document is not None) or (sync and corpus is not None):
        raise click.UsageError("give a document, with or without --corpus, or only --sync")
    with open_library(library, create=False) as opened:
        if document is None:
            done = opened.graph.sync()
            if as_json:
                write_json({"put": done.put, "removed": done.removed, "unchanged": done.unchanged})
            else:
                write_line(f"{done.put} put, {done.removed} removed, {done.unchanged} unchanged")
            return
        graphs = opened.graph.of(document, corpus=corpus)
        document_id = graphs[0].document_id
    if as_json:
        write_json({"document_id": document_id, "graphs": [graph.model_dump(mode="json") for graph in graphs]})
    else:
        for graph in graphs:
            _write(graph)


def _write(graph: DocumentGraph) -> None:
    from octavo_cli.toolkit.output import clean, write_line

    names = {node.node_id: f"{node.name or node.node_id} ({node.entity_type})" for node in graph.nodes}
    write_line(f"{clean(names[graph.document_id])}  {clean(graph.context)}")
    for edge in graph.edges:
        source, target = (clean(names.get(end, end)) for end in (edge.source, edge.target))
        write_line(f"  {source} {edge.relation} {target}")
