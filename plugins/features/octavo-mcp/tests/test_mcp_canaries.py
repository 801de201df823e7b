"""Two corpora with different policies: no answer to one contains a word from the other's documents (STO-5, RET-5)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, MCPError
from octavo import Settings
from octavo_library import Library
from octavo_library.facade.corpora import CorpusSettings
from octavo_mcp import make_server
from octavo_retrieval import tools

SHARED = b"# Harbour notes\n\nThe tide turned at noon, and the boats came in with it.\n"
KINDS = {
    "firewalled": CorpusSettings(visibility="firewalled"),
    "privileged": CorpusSettings(sensitivity="privileged"),
    "ambient": CorpusSettings(),
}


def own(mark: str) -> dict[str, bytes]:
    """Documents of one side only; every word contains the side's marker."""
    return {
        f"{mark}name.md": f"# {mark}heading\n\nThe tide is {mark}word at {mark}place.\n".encode(),
        f"{mark}table.csv": f"station,{mark}column\npier,3.2\n".encode(),
        f"{mark}blank.txt": b"",
    }


@pytest.fixture(
    scope="module",
    params=[("firewalled", "ambient"), ("ambient", "firewalled"), ("privileged", "ambient")],
    ids="-".join,
)
def library(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    """A library in which each side has its own documents, and both have one document with equal bytes under different names."""
    tmp_path = tmp_path_factory.mktemp("sides")
    with Library.open(tmp_path / "library", settings=Settings(sampling=False, workers=1)) as opened:
        for mark, kind in zip(("canary", "sparrow"), request.param, strict=True):
            opened.corpora.create(f"{mark}corpus", KINDS[kind])
            folder = tmp_path / f"{mark}folder"
            folder.mkdir()
            for name, data in {**own(mark), f"{mark}shared.md": SHARED}.items():
                (folder / name).write_bytes(data)
            for _ in opened.ingest_many(sorted(folder.iterdir()), corpus=f"{mark}corpus", plugin="plaintext"):
                pass
        yield opened


def canaries(library: Library, mark: str) -> set[str]:
    corpus = library.corpora.get(f"{mark}corpus")
    mine = {one.id for one in library.documents(corpus=corpus.name)}
    others = {
        one.id for each in library.corpora.list() if each.id != corpus.id for one in library.documents(corpus=each.name)
    }
    return {mark, corpus.id, *(mine - others)}


async def everything_told(client: Client, refs: list[str], convert: list[str]) -> list[tuple[str, str]]:
    """Answers to all kinds of calls, including errors."""
    told: list[tuple[str, str]] = []

    async def ask(name: str, **arguments: Any) -> None:
        answer = await client.call_tool(name, arguments)
        # Answers repeat the query, so its words are removed: only what the server adds counts.
        text = answer.model_dump_json().replace(json.dumps(arguments.get("query", "\0")).strip('"'), "")
        told.append((f"{name} {arguments}", text))

    for ref in refs:
        await ask("retrieve_document_pages", document_id=ref, pages=[1])
        await ask("retrieve_document_pages", document_id=ref, section_query="heading")
        await ask("retrieve_full_document", document_id=ref)
        try:
            read = await client.read_resource(f"octavo://document/{ref}")
            told.append((f"resource {ref}", read.model_dump_json()))
        except MCPError as error:
            told.append((f"resource {ref}", f"{error.code} {error.message}"))
    for ref in convert:
        await ask("convert_to_markdown", document_id=ref)
        await ask("ocr_document", document_id=ref)
    for query in ("tide", "canaryword", "sparrowword", "canaryheading", "station", '"tide turned"'):
        await ask("search_documents", query=query)
    await ask("list_documents")
    await ask("list_documents", limit=1)
    await ask("retrieve_memory_source", memory_id="mem-1")
    for listing in (client.list_tools, client.list_resources, client.list_resource_templates, client.list_prompts):
        told.append((listing.__name__, (await listing()).model_dump_json()))
    return told


@pytest.mark.parametrize("mark", ["canary", "sparrow"])
def test_answers_disclose_nothing_of_the_other_corpus(library: Library, mark: str) -> None:
    other = {"canary": "sparrow", "sparrow": "canary"}[mark]
    foreign = [one.id for one in library.documents(corpus=f"{other}corpus")]
    mine = [one.id for one in library.documents(corpus=f"{mark}corpus")]
    hidden = [one for one in foreign if one not in mine]
    shared = next(one for one in foreign if one in mine)
    paths = [str(path) for path in (library.path.parent / f"{other}folder").iterdir()]
    hashes = [library.document(one).raw_hash for one in hidden]
    refs = [*mine, *hidden, *(one[:8] for one in hidden), *hashes, *paths]

    async def run() -> list[tuple[str, str]]:
        server = make_server(tools(library, corpus=f"{mark}corpus"), groups=("documents", "memory", "ingest"))
        async with Client(server, mode="auto") as client:
            return await everything_told(client, refs, [*hidden, shared])

    words = canaries(library, other)
    for what, text in asyncio.run(run()):
        for word in words:
            assert word not in text, f"{what} discloses {word}: {text[:400]}"


@pytest.mark.parametrize("mark", ["canary", "sparrow"])
def test_a_hidden_document_gets_the_same_answer_as_a_missing_one(library: Library, mark: str) -> None:
    other = {"canary": "sparrow", "sparrow": "canary"}[mark]
    mine = {one.id for one in library.documents(corpus=f"{mark}corpus")}
    hidden = next(one.id for one in library.documents(corpus=f"{other}corpus") if one.id not in mine)
    absent = hidden[:-1] + ("0" if hidden[-1] != "0" else "1")

    async def run() -> None:
        server = make_server(tools(library, corpus=f"{mark}corpus"), groups=("documents", "ingest"))
        async with Client(server, mode="auto") as client:
            for name, more in (
                ("retrieve_document_pages", {"pages": [1]}),
                ("retrieve_full_document", {}),
                ("convert_to_markdown", {}),
                ("ocr_document", {}),
            ):
                answers = [
                    (await client.call_tool(name, {"document_id": ref, **more})).model_dump(mode="json")
                    for ref in (hidden, absent)
                ]
                assert answers[0] == answers[1]

    asyncio.run(run())


def test_without_a_corpus_firewalled_documents_are_not_disclosed(library: Library) -> None:
    sealed = [one for one in library.corpora.list() if one.settings.visibility == "firewalled"]
    if not sealed:
        return
    mark = sealed[0].name.removesuffix("corpus")
    refs = [one.id for one in library.documents()]

    async def run() -> list[tuple[str, str]]:
        async with Client(make_server(tools(library)), mode="auto") as client:
            return await everything_told(client, refs, [])

    words = canaries(library, mark)
    for what, text in asyncio.run(run()):
        for word in words:
            assert word not in text, f"{what} discloses {word}: {text[:400]}"


def test_two_corpora_of_one_policy_are_two_scopes(tmp_path: Path) -> None:
    """RET-5: the scope is the corpus, even if another corpus has the same policy."""
    with Library.open(tmp_path / "library", settings=Settings(sampling=False, workers=1)) as opened:
        for name in ("first", "second"):
            opened.corpora.create(name)
            opened.ingest(f"# Of the {name}\n\nText.\n".encode(), name=f"{name}.md", corpus=name)
        (document,) = opened.documents(corpus="second")
        offered = tools(opened, corpus="first")
        listed: Any = offered.call("list_documents", {}).value
        assert [one.document_title for one in listed.documents] == ["Of the first"]
        with pytest.raises(Exception, match="There is no document with this id"):
            offered.call("retrieve_full_document", {"document_id": document.id})
