"""The graph of a library (ENG-26): read from the index, and given to a plugin that takes it.

The plugin is the conformance suite's reference of all kinds of services: it keeps graphs in a JSON file.
"""

from __future__ import annotations

import json
import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from octavo.settings.settings import Settings
from octavo_cli.app import cli
from octavo_conformance.reference import install, reference_text
from octavo_contracts import DocumentGraph, UsageError
from octavo_library import Document, Library
from octavo_library.facade.corpora import CorpusSettings
from octavo_library.storage import PolicyContext

OPEN = PolicyContext(scope_basis="corpus").canonical()
CLOSED = PolicyContext(visibility="firewalled", sensitivity="privileged", scope_basis="corpus").canonical()
ALONE = PolicyContext().canonical()
HOLD = "        by_context = {graph.context"
"""Where the plugin can be held, or made to fail."""


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with two installed plugins: one takes graphs, one finds entities."""
    folder = tmp_path / "site"
    for name in ("steward", "tagger"):
        install(folder, name, reference_text(name))
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setenv("PYTHONPATH", str(folder))
    yield folder
    for module in [one for one in sys.modules if one.startswith(("octavo_steward", "octavo_tagger"))]:
        del sys.modules[module]


def _change(site: Path, code: str) -> None:
    """Insert code into the plugin's `put`."""
    path = site / "octavo_steward" / "plugin.py"
    path.write_text(path.read_text().replace(HOLD, f"{code}\n{HOLD}"))


def _open(folder: Path, **settings: Any) -> Library:
    return Library.open(folder / "library", settings=Settings(workers=1, **{"graph_intake": "steward", **settings}))


def _ingest(library: Library, text: str, **more: Any) -> Document:
    document = library.ingest(text.encode(), name="log.md", **more).document
    assert document is not None
    return document


def _held(folder: Path) -> dict[str, dict[str, DocumentGraph]]:
    """What the plugin's file has: document id → policy context → graph."""
    path = folder / "library" / "search" / "graph" / "intake-steward" / "graphs.json"
    told = json.loads(path.read_text()) if path.exists() else {}
    return {
        one: {context: DocumentGraph.read(graph) for context, graph in held["graphs"].items()}
        for one, held in told.items()
    }


def _names(graph: DocumentGraph) -> list[tuple[str, str]]:
    return [(node.entity_type, node.name) for node in graph.nodes]


def _edges(graph: DocumentGraph) -> list[tuple[str, str]]:
    """The relations of a graph with the names of their other ends."""
    names = {node.node_id: node.name for node in graph.nodes}
    return [
        (edge.relation, names.get(other := edge.target if edge.source == graph.document_id else edge.source, other))
        for edge in graph.edges
    ]


def test_a_document_is_a_node_with_its_corpora_entities_and_links(tmp_path: Path, site: Path) -> None:
    """ENG-26: a world_entity of entity_type document; linked entities with `appears_in`; read from the index without a plugin."""
    with _open(tmp_path, graph_intake=None) as library:
        library.corpora.create("harbour")
        one = _ingest(library, "# Log\n\nAda Lovelace met Ada Lovelace and Alan Turing.", corpus="harbour")
        other = _ingest(library, "# Old log\n\nNobody came.", corpus="harbour")
        library.entities.extract(one.id, engine="tagger")
        one.links.add(other.id, kind="revises")
        (graph,) = library.graph.of(one.id)
        assert graph.context == OPEN
        assert (graph.nodes[0].node_id, graph.nodes[0].node_type) == (one.id, "world_entity")
        assert _names(graph)[:2] == [("document", "Log"), ("corpus", "harbour")]
        found = {entity.name for entity in library.entities.list(document=one.id)}
        assert found
        assert {node.name for node in graph.nodes[2:]} == found
        assert _edges(graph) == [
            ("member_of", "harbour"),
            *[("appears_in", node.name) for node in graph.nodes[2:]],
            ("revises", other.id),
        ]
        assert _edges(library.graph.of(other.id)[0]) == [("member_of", "harbour"), ("revises", one.id)]
        with pytest.raises(UsageError, match="no plugin takes the graph"):
            library.graph.sync()
    assert not (tmp_path / "library" / "search" / "graph").exists()


def test_a_policy_context_learns_nothing_of_another_one(tmp_path: Path, site: Path) -> None:
    """STO-5: names of corpora and linked documents of another context appear in no graph of a context, and in no intake's either."""
    with _open(tmp_path) as library:
        library.corpora.create("open-corpus")
        library.corpora.create("secret-corpus", CorpusSettings(visibility="firewalled", sensitivity="privileged"))
        shared = _ingest(library, "# Shared\n\nBoth know it.", corpus="open-corpus")
        _ingest(library, "# Shared\n\nBoth know it.", corpus="secret-corpus")
        secret = _ingest(library, "# Canary\n\nOne knows it.", corpus="secret-corpus")
        library.document(shared.id, corpus="secret-corpus").links.add(secret.id)
        graphs = {graph.context: graph for graph in library.graph.of(shared.id)}
        assert _edges(graphs[OPEN]) == [("member_of", "open-corpus")]
        assert _edges(graphs[CLOSED]) == [("member_of", "secret-corpus"), ("related_to", secret.id)]
        assert library.graph.of(shared.id, corpus="open-corpus") == (graphs[OPEN],)
        with pytest.raises(UsageError):
            library.graph.of(secret.id, corpus="open-corpus")
    held = _held(tmp_path)
    assert held[shared.id] == graphs
    assert list(held[secret.id]) == [CLOSED]
    told = "".join(graph.to_json() for one in held.values() for context, graph in one.items() if context == OPEN)
    assert "secret-corpus" not in told
    assert secret.id not in told


def test_each_change_reaches_the_intake_and_nothing_is_put_twice(tmp_path: Path, site: Path) -> None:
    """ENG-26, ENG-18, STO-12: ingest, another corpus, a link, a removal from a corpus and a purge; ingesting again changes nothing."""
    (tmp_path / "log.md").write_text("# Log\n\nHigh water at noon.")
    with _open(tmp_path) as library:
        one = library.ingest(tmp_path / "log.md").document
        other = _ingest(library, "# Other\n\nLow water.")
    assert {document: list(graphs) for document, graphs in _held(tmp_path).items()} == {
        one.id: [ALONE],
        other.id: [ALONE],
    }
    before = _held(tmp_path)
    with _open(tmp_path) as library:
        library.ingest(tmp_path / "log.md")
        assert library.graph.sync().put == 0
    assert _held(tmp_path) == before
    with _open(tmp_path) as library:
        library.corpora.create("harbour")
        library.ingest(tmp_path / "log.md", corpus="harbour")
        library.document(one.id).links.add(other.id)
    assert [edge[0] for edge in _edges(_held(tmp_path)[one.id][ALONE])] == ["related_to"]
    assert _edges(_held(tmp_path)[one.id][OPEN]) == [("member_of", "harbour")]
    with _open(tmp_path) as library:
        library.corpora.remove_document(one.id, "harbour")
        library.maintenance.purge(other.id, confirm=other.id)
    held = _held(tmp_path)
    assert list(held) == [one.id]
    assert all(_edges(graph) == [] for graph in held[one.id].values())


def test_a_crash_before_the_delivery_loses_no_graph(
    tmp_path: Path, site: Path, index_argument: Callable[[Library], str]
) -> None:
    """ENG-6: the host is killed while the plugin has not answered; the next process delivers the graph."""
    with _open(tmp_path) as library:
        index = index_argument(library)
    hold = tmp_path / "hold"
    hold.touch()
    _change(site, f'        while Path("{hold}").exists():\n            __import__("time").sleep(0.01)')
    code = (
        "import sys, time\nfrom octavo_library import Library\nfrom octavo.settings.settings import Settings\n"
        'settings = Settings(workers=1, graph_intake="steward")\n'
        "library = Library.open(sys.argv[1], settings=settings, index=sys.argv[2] or None)\n"
        'print(library.ingest(b"# Log\\n\\nHigh water.", name="log.md").document.id, flush=True)\ntime.sleep(60)\n'
    )
    command = [sys.executable, "-c", code, str(tmp_path / "library"), index]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ}) as child:
        assert child.stdout is not None
        document_id = child.stdout.readline().strip()
        child.send_signal(signal.SIGKILL)
    assert document_id
    assert _held(tmp_path) == {}
    hold.unlink()
    _open(tmp_path).close()
    assert list(_held(tmp_path)) == [document_id]


def test_a_plugin_that_fails_delays_no_ingestion_and_gets_its_graphs_later(
    tmp_path: Path, site: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ENG-26: a failure is logged and never fails a document; `sync` and the next opening catch up."""
    from octavo_library.graph import graph_feed

    monkeypatch.setattr(graph_feed, "RETRY_SECONDS", 0.01)
    broken = tmp_path / "broken"
    broken.touch()
    _change(site, f'        if Path("{broken}").exists():\n            raise RuntimeError("out of order")')
    with _open(tmp_path) as library, caplog.at_level(logging.WARNING, logger="octavo.graph"):
        document = _ingest(library, "# Log\n\nHigh water.")
        assert document.status == "complete"
        deadline = time.monotonic() + 20
        while not caplog.records and time.monotonic() < deadline:
            time.sleep(0.01)
        assert "plugin steward" in caplog.text
        assert _held(tmp_path) == {}
        broken.unlink()
        done = library.graph.sync()
        assert (done.put, done.removed, done.unchanged) == (1, 0, 0)
    assert list(_held(tmp_path)) == [document.id]


def test_a_library_that_was_filled_before_is_synchronised(
    tmp_path: Path, site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ENG-26: `octavo graph --sync` gives an intake what it lacks, and removes what the library does not have."""
    with _open(tmp_path, graph_intake=None) as library:
        one = _ingest(library, "# One\n\nHigh water.")
        two = _ingest(library, "# Two\n\nLow water.")
    with _open(tmp_path) as library:
        assert library.graph.sync().put == 2
    with _open(tmp_path, graph_intake=None) as library:
        library.maintenance.purge(two.id, confirm=two.id)
    monkeypatch.setenv("OCTAVO_GRAPH_INTAKE", "steward")

    def told(*args: str) -> Any:
        done = CliRunner().invoke(cli, ["graph", *args, "--library", str(tmp_path / "library"), "--json"])
        assert done.exit_code == 0, done.output
        return json.loads(done.stdout)

    assert told("--sync") == {"put": 0, "removed": 1, "unchanged": 1}
    assert list(_held(tmp_path)) == [one.id]
    (graph,) = told(one.id)["graphs"]
    assert DocumentGraph.read(graph) == _held(tmp_path)[one.id][ALONE]


def test_a_setting_that_names_no_intake_is_refused(tmp_path: Path, site: Path) -> None:
    """An unknown plugin, and one without this service, are named with those that have it."""
    for name in ("nobody", "tagger"):
        with pytest.raises(UsageError, match=f"no plugin named '{name}' offers a graph_intake; available: steward"):
            _open(tmp_path, graph_intake=name)
