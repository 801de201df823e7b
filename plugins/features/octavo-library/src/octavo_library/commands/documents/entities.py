"""`octavo entities`: show the entities observed in documents, and confirm them.

JSON:
    `octavo entities DOC --json` and `octavo entities --corpus NAME --json` print one object with `entities`, a list by
    label and name, of:

    - `name`: its most frequent form; a date in ISO 8601.
    - `label`: its kind, for example `person`.
    - `status`: `observed`, or `confirmed`.
    - `reason`: why it is confirmed: `user`, `reuse` or `corroboration`, a colon and the details; or null.
    - `observations`: a list, by document and position, of `document_id`, `start` and `end` (code points of the
      document's canonical text), `text` (the text of this span, verbatim), `confidence` (0..1).

    `promote`, `demote` and `undo` with `--json` print one such object, with the one entity. `tag --json` prints one
    object with `runs`, a list of `document_id`, `version`, `engine`, `engine_version`, `found`, `kept`, `dropped`
    (reason → number of observations that do not match the text and are not kept).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from octavo_cli.toolkit.options import json_option, library_option
from octavo_cli.toolkit.running import octavo_command

if TYPE_CHECKING:
    from ...facade.entities import Entity
    from ...facade.library import Library

DEFAULT = "show"


class _Entities(click.Group):
    """A group whose first argument may be a document: `show` is then the default command."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        own = {*self.commands, *ctx.help_option_names}
        return super().parse_args(ctx, args if not args or args[0] in own else [DEFAULT, *args])


@click.group(
    name="entities", cls=_Entities, context_settings={"help_option_names": ["-h", "--help"]}, no_args_is_help=True
)
def command() -> None:
    """Show the entities observed in documents, and confirm them.

    `octavo entities DOC` is short for `octavo entities show DOC`. Entities are extracted if the corpus or
    `octavo ingest --entities` requests it, or by `octavo entities tag`.
    """


_label_option = click.option("--label", metavar="LABEL", help="Its kind, if the name alone is ambiguous.")
_corpus_option = click.option("--corpus", metavar="NAME", help="In this corpus; the decision applies there only.")
_by_option = click.option("--by", metavar="WHO", default="user", show_default=True, help="Author of the decision.")


@octavo_command(name="show")
@click.argument("document", metavar="[DOC]", required=False)
@click.option("--corpus", metavar="NAME", help="Entities observed in this corpus, under its policy.")
@click.option("--label", metavar="LABEL", help="Only this kind.")
@library_option
@json_option
def show(document: str | None, corpus: str | None, label: str | None, library: str, as_json: bool) -> None:
    """Show the entities observed in a document or in a corpus.

    DOC is as for `octavo show`. An entity is confirmed when it occurs in 3 documents, when the user
    confirms it, or when it was used downstream.
    """
    if (document is None) == (corpus is None):
        raise click.UsageError("give a document or --corpus")
    from octavo_cli.toolkit.output import note, write_json

    from ..opening import open_library

    with open_library(library, create=False) as opened:
        found = opened.entities.list(document=document, corpus=corpus, label=label)
        if not found and document is not None and not _was_tagged(opened, document):
            note("octavo: no entities were extracted from it; `octavo entities tag` extracts them now")
    if as_json:
        write_json({"entities": [_keys(entity) for entity in found]})
    else:
        _write(found)


@octavo_command(name="tag")
@click.argument("documents", metavar="[DOC]...", nargs=-1)
@click.option("--corpus", metavar="NAME", help="Every document of this corpus.")
@click.option("--engine", metavar="PLUGIN", help="The plugin; by default the first whose engine is installed.")
@click.option("--labels", metavar="A,B", help="Kinds of entities; by default person,organization,location,date.")
@click.option(
    "--model", metavar="DIR", type=click.Path(exists=True, file_okay=False), help="Folder of the engine's weights."
)
@library_option
@json_option
def tag(
    documents: tuple[str, ...],
    corpus: str | None,
    engine: str | None,
    labels: str | None,
    model: str | None,
    library: str,
    as_json: bool,
) -> None:
    """Extract entities of documents now, regardless of their corpus's settings.

    A version that the same engine has already processed with the same request is skipped.
    """
    if bool(documents) == (corpus is not None):
        raise click.UsageError("give documents or --corpus")
    from octavo_cli.toolkit.output import clean, write_json, write_line
    from octavo_cli.toolkit.running import cancelled_by_interrupt

    from ...facade.entities import run_summary
    from ..opening import open_library

    kinds = [label.strip() for label in labels.split(",") if label.strip()] if labels else None
    runs = []
    with cancelled_by_interrupt() as cancel, open_library(library, create=False) as opened:
        wanted = documents or tuple(document.id for document in opened.documents(corpus=corpus))
        for document in wanted:
            run = opened.entities.extract(document, engine=engine, labels=kinds, model=model, cancel=cancel)
            if run is not None:
                runs.append(run)
                if not as_json:
                    write_line(clean(f"{run.document_id}  {run_summary(run)}"))
    if as_json:
        write_json({"runs": [_run_keys(run) for run in runs]})


@octavo_command(name="promote")
@click.argument("name", metavar="NAME")
@_label_option
@_corpus_option
@_by_option
@click.option("--note", metavar="TEXT", default="", help="Why.")
@library_option
@json_option
def promote(name: str, library: str, as_json: bool, **said: Any) -> None:
    """Confirm an entity. The user's decision overrides all counts until it is undone."""
    from ..opening import open_library

    with open_library(library, create=False) as opened:
        entity = opened.entities.promote(name, **said)
    _write_one(entity, as_json=as_json)


@octavo_command(name="demote")
@click.argument("name", metavar="NAME")
@_label_option
@_corpus_option
@_by_option
@click.option("--note", metavar="TEXT", default="", help="Why.")
@library_option
@json_option
def demote(name: str, library: str, as_json: bool, **said: Any) -> None:
    """Undo a promotion, for whatever reason it was made: the entity is an observation again."""
    from ..opening import open_library

    with open_library(library, create=False) as opened:
        entity = opened.entities.demote(name, **said)
    _write_one(entity, as_json=as_json)


@octavo_command(name="undo")
@click.argument("name", metavar="NAME")
@_label_option
@_corpus_option
@_by_option
@library_option
@json_option
def undo(name: str, library: str, as_json: bool, **said: Any) -> None:
    """Undo the last effective decision or use of an entity; the earlier ones apply again."""
    from ..opening import open_library

    with open_library(library, create=False) as opened:
        entity = opened.entities.undo(name, **said)
    _write_one(entity, as_json=as_json)


for _command in (show, tag, promote, demote, undo):
    command.add_command(_command)


def _was_tagged(library: Library, document: str) -> bool:
    found = library.document(document)
    version = found.active_version
    return version is not None and library.context.index.entities.last_run(found.id, version=version) is not None


def _keys(entity: Entity) -> dict[str, Any]:
    shown = ("document_id", "start", "end", "text", "confidence")
    return {
        "name": entity.name,
        "label": entity.label,
        "status": entity.status,
        "reason": entity.reason,
        "observations": [{key: getattr(one, key) for key in shown} for one in entity.observations],
    }


def _run_keys(run: Any) -> dict[str, Any]:
    shown = ("document_id", "version", "engine", "engine_version", "found", "kept")
    return {**{key: getattr(run, key) for key in shown}, "dropped": dict(run.dropped)}


def _write_one(entity: Entity, *, as_json: bool) -> None:
    from octavo_cli.toolkit.output import clean, write_json, write_line

    if as_json:
        write_json({"entities": [_keys(entity)]})
    else:
        why = f" ({entity.reason})" if entity.reason else ""
        write_line(clean(f"{entity.name}, {entity.label}: {entity.status}{why}"))


def _write(found: list[Entity]) -> None:
    from octavo_cli.toolkit.output import add_row, make_table, write_line, write_table

    if not found:
        write_line("No entities were observed")
        return
    table = make_table("Name", "Label", "Status", "#Documents", "#Mentions", "Why")
    for entity in found:
        cells = (entity.name, entity.label, entity.status, str(entity.documents), str(len(entity.observations)))
        add_row(table, (*cells, entity.reason or ""))
    write_table(table)
