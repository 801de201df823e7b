"""`octavo memory`: write, search and verify statements that are anchored in documents.

JSON:
    A memory is an object: `memory_id`, `text`, `type`, `confidence`, `document_id`, `version`, `page`, `span` (`start`, `end`),
    `quote`, `source_ref`, `content_ref`, `conversion_artifact_ref`, `entities` (`name`, `label`, `relationship`, `entity_id`),
    `made_by`, `created_at`, `last_verified_at` and `last_verification`.

    `octavo memory add --json` prints one object: `memory`, and `links`, a list of `memory`, `edge_type`, `edge_confidence` and
    `depth`, among them the links to near-duplicates.

    `octavo memory show ID --json` prints one object: `memory` and `links`.

    `octavo memory search --json` prints one object: `query`, and `results`, a list of `memory` and `relevance_score`.

    `octavo memory related ID --json` prints one object: `memory_id`, and `related`, a list as `links`.

    `octavo memory cluster SOURCE --json` prints one object: `memories` and `total`.

    `octavo memory entity ENTITY --json` prints one object: `memories`, each with `relationship`.

    `octavo memory verify ID --json` prints one object: `memory_id`, `source_resolvable`, `verification_result`, `notes`,
    `source_excerpt`, `document_id`, `version` and `locator`.

    `octavo memory remove ID --json` prints one object: `removed`, the id.

    A command without a result prints `error` (`code`, `message`, `remedy`), and exits with the code of the error.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click
from octavo_cli.toolkit.options import json_option, library_option
from octavo_cli.toolkit.running import octavo_command

if TYPE_CHECKING:
    from octavo_contracts import ExitCode

    from ..memory_store import MemoryStore
    from ..models import Memory, RelatedMemory

corpus_option = click.option("--corpus", metavar="NAME", help="Only memories of this corpus, under its policy.")
id_argument = click.argument("memory_id", metavar="ID")
limit_option = click.option(
    "--limit", metavar="N", type=click.IntRange(1, 10_000), default=20, show_default=True, help="Most memories."
)


@click.group(name="memory", context_settings={"help_option_names": ["-h", "--help"]}, no_args_is_help=True)
def command() -> None:
    """Write, search and verify statements that are anchored in documents."""


@octavo_command(name="add")
@click.argument("document")
@click.argument("text")
@click.option("--quote", metavar="TEXT", help="The passage that says it; it must occur once in the document.")
@click.option("--locator", metavar="LOCATOR", help="The place of the passage, such as page:3:char:10-80.")
@click.option("--type", "kind", metavar="TYPE", default="fact", show_default=True, help="A lower-case word.")
@click.option("--confidence", metavar="0..1", type=float, default=1.0, show_default=True, help="How certain it is.")
@click.option("--entity", "entities", metavar="LABEL:NAME", multiple=True, help="An entity that it is about.")
@click.option("--link", "links", metavar="KIND:ID", multiple=True, help="A link to another memory: supports:mem-….")
@click.option("--by", metavar="NAME", default="user", show_default=True, help="Who writes it.")
@corpus_option
@library_option
@json_option
def add(document: str, text: str, corpus: str | None, library: str, as_json: bool, **given: Any) -> ExitCode | None:
    """Write a memory of DOCUMENT that says TEXT.

    A memory has the passage that it was extracted from: give --quote or --locator. Memories of almost the same words are
    linked; nothing is merged.
    """
    from ..failures import no_anchor

    def run(store: MemoryStore) -> dict[str, Any]:
        if given["quote"] is None and given["locator"] is None:
            raise no_anchor("A memory needs the passage that it was extracted from", remedy="Give --quote or --locator")
        anchor = store.anchor(document, quote=given["quote"], locator=given["locator"])
        added = store.add(
            text,
            anchor=anchor,
            type=given["kind"],
            confidence=given["confidence"],
            entities=[_entity(one) for one in given["entities"]],
            links=[_link(one) for one in given["links"]],
            by=given["by"],
        )
        return added.model_dump(mode="json")

    return _answer(library, corpus, as_json, run, _shown_with_links)


@octavo_command(name="show")
@id_argument
@corpus_option
@library_option
@json_option
def show(memory_id: str, corpus: str | None, library: str, as_json: bool) -> ExitCode | None:
    """Show a memory with its passage and its links."""

    def run(store: MemoryStore) -> dict[str, Any]:
        memory = store.get(memory_id)
        return {"memory": _plain(memory), "links": _links(store.related(memory.memory_id, limit=1_000))}

    return _answer(library, corpus, as_json, run, _shown_with_links)


@octavo_command(name="search")
@click.argument("query")
@click.option("--type", "kinds", metavar="TYPE", multiple=True, help="Only memories of this type.")
@click.option("--low-confidence", is_flag=True, help="Search memories of a confidence below 0.5 too.")
@limit_option
@corpus_option
@library_option
@json_option
def search(
    query: str,
    kinds: tuple[str, ...],
    low_confidence: bool,
    limit: int,
    corpus: str | None,
    library: str,
    as_json: bool,
) -> ExitCode | None:
    """Search memories by their words, best first."""

    def run(store: MemoryStore) -> dict[str, Any]:
        found = store.search(query, types=kinds or None, include_low_confidence=low_confidence, limit=limit)
        return {"query": query, "results": [one.model_dump(mode="json") for one in found]}

    def shown(answer: dict[str, Any]) -> list[str]:
        return [f"{one['relevance_score']:.2f}  {_line(one['memory'])}" for one in answer["results"]]

    return _answer(library, corpus, as_json, run, shown)


@octavo_command(name="related")
@id_argument
@click.option("--kind", "kinds", metavar="KIND", multiple=True, help="Only links of this kind, such as contradicts.")
@click.option(
    "--depth", metavar="N", type=click.IntRange(1, 5), default=1, show_default=True, help="Most links of a path."
)
@limit_option
@corpus_option
@library_option
@json_option
def related(
    memory_id: str,
    kinds: tuple[str, ...],
    depth: int,
    limit: int,
    corpus: str | None,
    library: str,
    as_json: bool,
) -> ExitCode | None:
    """Show the memories that links lead to."""

    def run(store: MemoryStore) -> dict[str, Any]:
        found = store.related(memory_id, edge_types=kinds or None, max_depth=depth, limit=limit)
        return {"memory_id": memory_id, "related": _links(found)}

    return _answer(library, corpus, as_json, run, lambda answer: _link_lines(answer["related"]))


@octavo_command(name="cluster")
@click.argument("source")
@limit_option
@corpus_option
@library_option
@json_option
def cluster(source: str, limit: int, corpus: str | None, library: str, as_json: bool) -> ExitCode | None:
    """Show the memories of SOURCE, a document or DOCUMENT:FIRST-LAST, in the order of the text."""

    def run(store: MemoryStore) -> dict[str, Any]:
        return store.cluster(source, limit=limit).model_dump(mode="json")

    return _answer(library, corpus, as_json, run, lambda answer: [_line(one) for one in answer["memories"]])


@octavo_command(name="entity")
@click.argument("entity")
@click.option("--relationship", "relationships", metavar="WORD", multiple=True, help="Only memories with this one.")
@limit_option
@corpus_option
@library_option
@json_option
def entity(
    entity: str, relationships: tuple[str, ...], limit: int, corpus: str | None, library: str, as_json: bool
) -> ExitCode | None:
    """Show the memories about ENTITY, an id or LABEL:NAME such as person:Ada Lovelace."""

    def run(store: MemoryStore) -> dict[str, Any]:
        found = store.by_entity(entity, relationships=relationships or None, limit=limit)
        return {"memories": [{**_plain(memory), "relationship": named.relationship} for memory, named in found]}

    return _answer(library, corpus, as_json, run, lambda answer: [_line(one) for one in answer["memories"]])


@octavo_command(name="verify")
@id_argument
@click.option(
    "--context-pages",
    metavar="N",
    type=click.IntRange(0, 10),
    default=1,
    show_default=True,
    help="Pages around the passage that are compared too.",
)
@corpus_option
@library_option
@json_option
def verify(memory_id: str, context_pages: int, corpus: str | None, library: str, as_json: bool) -> ExitCode | None:
    """Compare a memory with its passage, where it was anchored and in the active version.

    The exit code is 0 if the source supports the memory, 3 if it contradicts it or has changed or cannot be read, and 4
    if it supports a part of it or the comparison cannot decide.
    """
    from octavo_contracts import ExitCode

    codes = {
        "supported": None,
        "partially_supported": ExitCode.DEGRADED,
        None: ExitCode.DEGRADED,
    }
    results: list[str | None] = []

    def run(store: MemoryStore) -> dict[str, Any]:
        answer = store.verify(memory_id, context_pages=context_pages)
        results.append(answer.verification_result)
        return answer.model_dump(mode="json")

    def shown(answer: dict[str, Any]) -> list[str]:
        return [f"{answer['verification_result'] or 'undecided'}: {answer['notes']}"]

    failed = _answer(library, corpus, as_json, run, shown)
    return failed if not results else codes.get(results[0], ExitCode.HARD_FAILURES)


@octavo_command(name="remove")
@id_argument
@corpus_option
@library_option
@json_option
def remove(memory_id: str, corpus: str | None, library: str, as_json: bool) -> ExitCode | None:
    """Delete a memory with its links."""

    def run(store: MemoryStore) -> dict[str, Any]:
        whole = store.get(memory_id).memory_id
        store.remove(whole)
        return {"removed": whole}

    return _answer(library, corpus, as_json, run, lambda answer: [f"removed {answer['removed']}"])


for _each in (add, show, search, related, cluster, entity, verify, remove):
    command.add_command(_each)


def _answer(
    library: str,
    corpus: str | None,
    as_json: bool,
    run: Callable[[MemoryStore], dict[str, Any]],
    shown: Callable[[dict[str, Any]], list[str]],
) -> ExitCode | None:
    """Run a command over the memories in scope, and print its answer, or with `--json` its error."""
    from octavo_cli.toolkit.output import clean, write_json, write_line
    from octavo_contracts import OctavoError
    from octavo_library.commands.opening import open_library
    from octavo_retrieval.failures import failure_of

    from ..memory_store import MemoryStore

    with open_library(library, create=False) as opened:
        try:
            answer = run(MemoryStore(opened, corpus=corpus))
        except OctavoError as error:
            if not as_json:
                raise
            write_json({"error": failure_of(error).failure.model_dump(mode="json")})
            return error.exit_code
        if as_json:
            write_json(answer)
            return None
        for line in shown(answer):
            write_line(clean(line))
        return None


def _entity(given: str) -> Any:
    from octavo_retrieval.failures import invalid_arguments
    from pydantic import ValidationError

    from ..models import EntityRef

    label, _, name = given.partition(":")
    try:
        return EntityRef(label=label.strip(), name=name.strip())
    except ValidationError as error:
        raise invalid_arguments("--entity", error) from None


def _link(given: str) -> Any:
    from ..failures import invalid
    from ..models import LinkKind

    kind, _, memory_id = given.partition(":")
    if kind not in set(LinkKind) or not memory_id:
        raise invalid(
            f"{given[:80]!r} is not KIND:ID", remedy=f"Use one of {', '.join(LinkKind)}, such as supports:mem-…"
        )
    return LinkKind(kind), memory_id


def _plain(memory: Memory) -> dict[str, Any]:
    return memory.model_dump(mode="json")


def _links(found: tuple[RelatedMemory, ...]) -> list[dict[str, Any]]:
    return [one.model_dump(mode="json") for one in found]


def _line(memory: dict[str, Any]) -> str:
    return f"{memory['memory_id']}  {memory['type']} {memory['confidence']:.2f}  {memory['text']}"


def _link_lines(links: list[dict[str, Any]]) -> list[str]:
    return [f"{one['edge_type']} {one['edge_confidence']:.2f}  {_line(one['memory'])}" for one in links]


def _shown_with_links(answer: dict[str, Any]) -> list[str]:
    memory = answer["memory"]
    return [_line(memory), f"  {memory['source_ref']}", f"  “{memory['quote']}”", *_link_lines(answer["links"])]
