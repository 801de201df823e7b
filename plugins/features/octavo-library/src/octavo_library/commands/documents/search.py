"""`octavo search`: find passages in the documents of a library.

JSON:
    `--json` prints one object:

    - `query`: the query.
    - `corpus`: the corpus searched, or null for the whole library.
    - `pending`: number of documents that could not be searched: not indexed yet, or with unreadable chunks.
    - `method`: `fts`, by words alone; `hybrid`, by words and meaning.
    - `reason`: why meaning was not compared, or null.
    - `without_vectors`: number of documents in a hybrid search that were compared by words alone: not embedded yet.
    - `hits`: a list, best first, of `document_id`, `title`, `version`, `chunk_id`, `page` (or null), `locator`
      (`page:N:char:START-END` or `char:START-END` in the document's canonical text), `snippet` (that text, verbatim),
      `score` (higher is better), `markdown_span` (`start` and `end` in the version's markdown, or null), `embedding_id`
      (the passage's entry in the vector index, or null).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from octavo_cli.toolkit import immediate_exit
from octavo_cli.toolkit.options import json_option, library_option
from octavo_cli.toolkit.running import octavo_command

if TYPE_CHECKING:
    from ...facade.document import Document
    from ...facade.library import Library
    from ...search import SearchHit, SearchResults


@octavo_command(name="search")
@click.argument("query", metavar="QUERY...", nargs=-1, required=True)
@click.option("--corpus", metavar="NAME", help="Only the documents of this corpus, under its policy.")
@click.option(
    "--limit",
    metavar="N",
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    help="Maximum number of passages.",
)
@click.option("--wait", is_flag=True, help="Index all pending documents first, however long it takes.")
@click.option(
    "--vectors/--no-vectors",
    default=None,
    help="Compare meaning and words, or words alone; by default meaning too if plugins for it are installed.",
)
@library_option
@json_option
def command(
    query: tuple[str, ...],
    corpus: str | None,
    limit: int,
    wait: bool,
    vectors: bool | None,
    library: str,
    as_json: bool,
) -> None:
    """Find passages in the documents of a library.

    QUERY is words, at least one of which a passage must have, and "phrases in quotation marks". A word or phrase after
    a minus sign excludes passages; write -- before a QUERY that begins with one. Passages with rarer words come first.
    If plugins provide vectors, passages of similar meaning are found too, unless the QUERY has a phrase in quotation
    marks.
    """
    from octavo_cli.toolkit.output import note, write_json

    from ..opening import open_library

    immediate_exit.skip_teardown()
    text = " ".join(query)
    with open_library(library, create=False) as opened:
        if wait:
            opened.search_index.update(corpus=corpus, vectors=vectors)
        found = opened.search(text, corpus=corpus, limit=limit, vectors=vectors)
        if found.pending:
            hint = "`octavo verify-store` finds the cause" if wait else "--wait indexes them first"
            note(f"octavo: documents that could not be searched: {found.pending}; {hint}")
        if found.without_vectors:
            note(
                f"octavo: documents compared by words alone: {found.without_vectors}; --wait makes their vectors first"
            )
        if vectors and found.reason:
            note(f"octavo: compared by words alone: {found.reason}")
        if not found and (unread := len(opened.recognition.pending(corpus=corpus))):
            note(f"octavo: documents that need OCR: {unread}; `octavo ocr --needed` reads them")
        if as_json:
            hits = [_keys(hit) for hit in found]
            facts = {"pending": found.pending, "method": found.method, "reason": found.reason}
            counts = {"without_vectors": found.without_vectors}
            write_json({"query": text, "corpus": corpus, **facts, **counts, "hits": hits})
        else:
            _write_hits(opened, found, text)


def _keys(hit: SearchHit) -> dict[str, Any]:
    from dataclasses import asdict

    return asdict(hit)


def _write_hits(library: Library, found: SearchResults, text: str) -> None:
    import shutil
    import textwrap

    from octavo_cli.toolkit.output import clean, write_line

    from ..document_text import short_ids

    if not found:
        write_line(f"Nothing found for {clean(text)}")
        return
    ids = short_ids([hit.document_id for hit in found])
    width = max(40, min(shutil.get_terminal_size().columns, 120))
    for rank, hit in enumerate(found, start=1):
        name = clean(hit.title) if hit.title else _untitled(library.document(hit.document_id))
        write_line(f"{rank}. {name} ({ids[hit.document_id]})  {hit.locator}  score {hit.score:.3g}")
        write_line(textwrap.fill(clean(hit.snippet), width=width, initial_indent="   ", subsequent_indent="   "))


def _untitled(document: Document) -> str:
    """The display name of a document without a title: its path, as `octavo list` shows it, or its name in a message."""
    from octavo_cli.toolkit.output import clean

    from ..document_text import near_path, path_text

    return near_path(path_text(document.paths[0])) if document.paths else clean(document.title or "untitled")
