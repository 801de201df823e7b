"""`octavo search`: find passages in the documents of a library.

JSON:
    `--json` prints one object:

    - `query`: the query.
    - `corpus`: the corpus searched, or null for the whole library.
    - `pending`: number of documents that could not be searched: not indexed yet, or with unreadable chunks.
    - `method`: `fts`, by words alone; `hybrid`, by words and meaning.
    - `reason`: why meaning was not compared, or null.
    - `without_vectors`: number of documents in a hybrid search that were compared by words alone: not embedded yet.
    - `hits`: a list, best first (compared by words alone: first those with all words of the query), of `document_id`, `title`, `path` (the reference where the document was last seen, or null),
      `superseded_by` (the id of the document that is now at its path, if its file has other content now, or null), `version`, `chunk_id`, `page` (or null), `locator`
      (`page:N:char:START-END` or `char:START-END` in the document's canonical text), `snippet` (that text, verbatim),
      `score` (higher is better), `markdown_span` (`start` and `end` in the version's markdown, or null), `embedding_id`
      (the passage's entry in the vector index, or null).
"""

from __future__ import annotations

from collections.abc import Container
from typing import TYPE_CHECKING

import click
from octavo_cli.toolkit import immediate_exit
from octavo_cli.toolkit.options import json_option, library_option
from octavo_cli.toolkit.running import Command, command_of

if TYPE_CHECKING:
    from ...facade.document import Document
    from ...facade.library import Library
    from ...search import SearchHit, SearchResults

_EXAMINED = 50
"""Documents that need OCR whose quality reports are read for remedies."""


class _SearchCommand(Command):
    """Takes a word behind a minus sign, such as `-insurance`, as a part of the query, wherever it stands."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put the excluded words behind `--`, where click looks for no options."""
        end = args.index("--") if "--" in args else len(args)
        known = {name for parameter in self.get_params(ctx) for name in (*parameter.opts, *parameter.secondary_opts)}
        excluded = [one for one in args[:end] if _is_excluded_word(one, known)]
        if excluded:
            args = [one for one in args[:end] if one not in excluded] + ["--", *args[end + 1 :], *excluded]
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            message = f"{error.message.rstrip('.')}; to exclude a word, write it in one text with the others: 'storm -insurance'."
            raise click.NoSuchOption(error.option_name, message, ctx=error.ctx) from error


def _is_excluded_word(argument: str, options: Container[str]) -> bool:
    """Return whether an argument is neither one of the options nor several of one letter, such as `-qv`."""
    if not argument.startswith("-") or argument.startswith("--") or len(argument) < 3:
        return False
    # `-limit` is a mistake for `--limit`, which click refuses.
    is_long = f"-{argument.partition('=')[0]}" in options
    return not is_long and not all(f"-{letter}" in options for letter in argument[1:])


@command_of(_SearchCommand, name="search")
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
    a minus sign excludes passages. Passages with all words come first, then those with rarer words.

    If plugins provide vectors, passages of similar meaning are found too, unless the QUERY has a phrase in quotation
    marks.
    """
    from dataclasses import asdict

    from octavo_cli.toolkit.output import note, write_json

    from ...search import SearchMethod
    from ...search.all_words import all_words_first, looked_at
    from ..opening import open_library

    immediate_exit.skip_teardown()
    text = " ".join(query)
    if not any(map(str.isalnum, text)):
        raise click.UsageError("the query has no word")
    with open_library(library, create=False) as opened:
        if wait:
            opened.search_index.update(corpus=corpus, vectors=vectors)
        found = opened.search(text, corpus=corpus, limit=looked_at(text, limit), vectors=vectors)
        whole = None
        if found.method is SearchMethod.FTS:
            found[:], whole = all_words_first(found, text)
        del found[limit:]
        if found.pending:
            hint = "`octavo verify-store` finds the cause" if wait else "--wait indexes them first"
            note(f"octavo: documents that could not be searched: {found.pending}; {hint}")
        if found.without_vectors:
            note(
                f"octavo: documents compared by words alone: {found.without_vectors}; --wait makes their vectors first"
            )
        if vectors and found.reason:
            note(f"octavo: compared by words alone: {found.reason}")
        if not found and (unread := opened.recognition.pending(corpus=corpus)):
            _note_unread(unread, library=library)
        if as_json:
            documents = _documents(opened, found, corpus)
            later = _superseded(opened, documents)
            hits = [
                asdict(hit)
                | {
                    "path": (documents[hit.document_id].paths or (None,))[-1],
                    "superseded_by": later.get(hit.document_id),
                }
                for hit in found
            ]
            facts = {"pending": found.pending, "method": found.method, "reason": found.reason}
            counts = {"without_vectors": found.without_vectors}
            write_json({"query": text, "corpus": corpus, **facts, **counts, "hits": hits})
        else:
            _write_hits(opened, found, text, corpus, whole=whole)


def _note_unread(unread: list[Document], *, library: str) -> None:
    """Print the number of documents that need OCR, and how to read them."""
    from octavo_cli.toolkit.output import note

    from ..unread_pages import engine_remedies, reading_advice

    findings = (finding for document in unread[:_EXAMINED] for finding in document.quality.findings)
    note(f"octavo: documents that need OCR: {len(unread)}")
    note(f"  {reading_advice(engine_remedies(findings), library=library)}")


def _documents(library: Library, found: SearchResults, corpus: str | None) -> dict[str, Document]:
    """The documents of the hits, as the search may tell of them: without a corpus, under a context that is not firewalled."""
    documents: dict[str, Document] = {}
    for document_id in dict.fromkeys(hit.document_id for hit in found):
        contexts = [] if corpus is not None else library.context.index.documents.contexts(document_id)
        is_open = [one for one in contexts if one.visibility != "firewalled"]
        policy = next((one for one in is_open if one.scope_basis == "default"), is_open[0] if is_open else None)
        documents[document_id] = library.document(document_id, corpus=corpus, policy=policy)
    return documents


def _superseded(library: Library, documents: dict[str, Document]) -> dict[str, str]:
    """Document id → the document that is now at its path, for documents whose files have other content now."""
    later: dict[str, str] = {}
    for document_id, document in documents.items():
        later |= library.catalogue.successors([document_id], policy=document.policy)
    return later


def _write_hits(library: Library, found: SearchResults, text: str, corpus: str | None, *, whole: int | None) -> None:
    """Print the hits.

    Args:
        library: the library.
        found: the hits.
        text: the query.
        corpus: the corpus that was searched.
        whole: number of hits that have all words of the query and come first; None if that was not asked.
    """
    import shutil
    import textwrap

    from octavo_cli.toolkit.output import clean, write_line

    from ..document_text import EARLIER_CONTENT, short_ids

    if not found:
        write_line(f"Nothing found for {clean(text)}")
        return
    ids = short_ids([hit.document_id for hit in found])
    documents = _documents(library, found, corpus)
    later = _superseded(library, documents)
    width = max(40, min(shutil.get_terminal_size().columns, 120))
    for rank, hit in enumerate(found, start=1):
        if whole is not None and rank == whole + 1:
            write_line("The passages below have only some of the words" if whole else "No passage has all of the words")
        mark = f", {EARLIER_CONTENT}" if hit.document_id in later else ""
        write_line(
            f"{rank}. {_shown_name(hit, documents[hit.document_id])} ({ids[hit.document_id]}{mark})  {hit.locator}  score {hit.score:.3g}"
        )
        write_line(textwrap.fill(clean(hit.snippet), width=width, initial_indent="   ", subsequent_indent="   "))


def _shown_name(hit: SearchHit, document: Document) -> str:
    """The title of a hit with the name of its file; without a title the name alone, as `octavo list` shows it."""
    from octavo_cli.toolkit.output import clean

    from ...facade.document_names import file_name

    name = file_name(document)
    title = hit.title or document.title or name
    return clean(title) if name in (title, document.title, document.id) else clean(f"{title} · {name}")
