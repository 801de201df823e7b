"""`octavo brief`: shows what to know about a document before reading it, quoted from the document.

JSON:
    `--json` prints one object. A quotation is an object of `value`, `page` (from 1, or null) and `span` (`start` and `end`
    in code points of the canonical text; null for values from the file's metadata).

    - `document_type`, `tokens` (estimated), `pages`.
    - `facts`: `title`, `date` (ISO 8601), `author`, `source`: quoted, or null.
    - `summary`: `text`, `method` and the `spans` of its sentences; `key_points`: quoted.
    - `page_summaries`: quoted, one sentence for each page.
    - `parties`, `dates`, `amounts`, `case_numbers`: quoted; of legal documents also `legal_standards` and `provisions`.
    - `contract`: the parties of a contract: a list of `name` and `role` (what the contract calls it, or null), quoted.
    - `sections`: a list of `title` (quoted), `level`, `page`, `span`.
    - `caption`: of a court document: `court`, `first_parties`, `second_parties`, `case_number`, `title`; else null.
    - `filing`: of a filing: `form`, `company`, `period`, `file_number`, `employer_number`; else null.
    - `testimony`: of a deposition: `witness` and `exchanges`, a list of `question`, `answer`, `page`, `line`,
      `clock` (the time in a recording), `witness`, `citation`; and `topics`, a list of `name` (quoted), `witness` and
      `exchanges` (places in that list, from 0); else null.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click
from octavo_cli.toolkit.options import json_option, library_option
from octavo_cli.toolkit.running import octavo_command

if TYPE_CHECKING:
    from . import Brief, Quoted
    from .depositions import Testimony

_CITED = 5
"""Maximum citations of a topic in the text output."""
_SHOWN = 12
"""Maximum rows of a list in the text output; `--json` has all."""


@octavo_command(name="brief")
@click.argument("document", metavar="DOC")
@library_option
@click.option("--corpus", metavar="NAME", help="Show only documents visible to the policy of this corpus.")
@click.option(
    "--summariser",
    metavar="PLUGIN",
    help="Let a plugin's summariser write summary and key points; by default they are quoted.",
)
@json_option
def command(document: str, library: str, corpus: str | None, summariser: str | None, as_json: bool) -> None:
    """Show what to know about a document before reading it.

    DOC is as for `octavo show`. Shows title, date, author and source, a summary in the document's own
    sentences, one sentence for each page, mentions and sections; for court documents the caption, for filings the cover,
    for contracts the parties, for depositions the topics, and the questions and answers with page and line.
    """
    from octavo_cli.toolkit.output import write_json
    from octavo_cli.toolkit.remedies import note_empty
    from octavo_library.commands.opening import open_library

    from . import brief

    with open_library(library, create=False) as opened:
        written_by = None
        if summariser is not None:
            from .summarisers import summariser_named

            written_by = summariser_named(opened.context.runtime.services, summariser)
        found = opened.document(document, corpus=corpus)
        made = brief(found, summariser=written_by)
        note_empty(document, found.why_empty)
    if as_json:
        write_json(_as_json(made))
    else:
        _write(made)


def _as_json(made: Brief) -> dict[str, Any]:
    values = asdict(made)
    values["summary"] = {
        "text": made.summary.text,
        "method": made.summary.method,
        "spans": [_span(span) for span in made.summary.spans],
    }
    values["parties"] = [asdict(one) for one in made.parties]
    if made.testimony is not None:
        for one, exchange in zip(values["testimony"]["exchanges"], made.testimony.exchanges, strict=True):
            one["citation"] = exchange.citation
    return {key: _plain(value) for key, value in values.items()}


def _plain(value: Any) -> Any:
    from octavo_contracts import Span

    if isinstance(value, Span):
        return _span(value)
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return value


def _span(span: Any) -> dict[str, int]:
    return {"start": span.start, "end": span.end}


def _write(made: Brief) -> None:
    from octavo_cli.toolkit.output import clean, write_line
    from octavo_library.commands.document_text import kind_text

    for name, quoted in _facts(made):
        write_line(clean(f"{name + ':':9}{quoted.value}{_place(quoted)}"))
    write_line(
        clean(
            f"{'Type:':9}{kind_text(made.document_type)}, {made.pages} page{'' if made.pages == 1 else 's'}, about {made.tokens} tokens"
        )
    )
    if made.summary.text:
        write_line("")
        write_line(clean(made.summary.text))
    _caption(made)
    _list("Key points", made.key_points)
    _list("Dates", made.dates)
    _list("Amounts", made.amounts)
    _list("Case numbers", made.case_numbers)
    _list("Legal standards", made.legal_standards)
    _list("Provisions of law", made.provisions)
    if made.testimony is not None:
        exchanges = made.testimony.exchanges
        _topics(made.testimony)
        rows = [f"{one.citation:>7}  {one.question.value[:100]}" for one in exchanges]
        _rows(f"Questions ({len(exchanges)})", rows)
    _rows("Sections", [f"{'  ' * (one.level - 1)}{one.title.value[:100]}  p. {one.page}" for one in made.sections])
    _rows("Page by page", [f"{one.page:>4}  {one.value[:160]}" for one in made.page_summaries])


def _facts(made: Brief) -> list[tuple[str, Quoted]]:
    """Return the known facts with their display names."""
    facts = made.facts
    named = (("Title", facts.title), ("Date", facts.date), ("Author", facts.author), ("Source", facts.source))
    return [(name, quoted) for name, quoted in named if quoted is not None]


def _topics(said: Testimony) -> None:
    """Print the topics by witness, each with the first places that mention it."""
    for witness in dict.fromkeys(topic.witness for topic in said.topics):
        rows = []
        for topic in (one for one in said.topics if one.witness == witness):
            cited = [said.exchanges[place].citation for place in topic.exchanges]
            more = f" … ({len(cited)})" if len(cited) > _CITED else ""
            rows.append(f"{topic.name.value}  {', '.join(cited[:_CITED])}{more}")
        _rows(f"Topics of {witness}" if witness else "Topics", rows)


def _caption(made: Brief) -> None:
    if made.contract:
        _rows("Parties", [f"{one.name.value}{f' ({one.role.value})' if one.role else ''}" for one in made.contract])
    if made.caption is None:
        return
    one = ", ".join(party.value for party in made.caption.first_parties)
    two = ", ".join(party.value for party in made.caption.second_parties)
    _rows("Parties", [f"{one or '?'} v. {two or '?'}"])


def _list(title: str, quoted: tuple[Quoted, ...]) -> None:
    _rows(title, [f"{one.value}{_place(one)}" for one in quoted])


def _rows(title: str, rows: list[str]) -> None:
    from octavo_cli.toolkit.output import clean, write_line

    if not rows:
        return
    write_line("")
    write_line(f"{title}:")
    for row in rows[:_SHOWN]:
        write_line(clean(f"  {row}"))
    if len(rows) > _SHOWN:
        write_line(f"  … and {len(rows) - _SHOWN} more (--json has all)")


def _place(quoted: Quoted) -> str:
    return f"  (p. {quoted.page})" if quoted.page is not None else "  (metadata)"
