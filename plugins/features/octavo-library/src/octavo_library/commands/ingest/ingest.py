"""`octavo ingest`: convert documents and store them in a library.

JSON:
    `--jsonl` prints one object per document, as it finishes:

    - `source`: the path or URL as given, or the path found in a given folder joined to that folder. Bytes that are not
      UTF-8 are shown as U+FFFD; `result.original_artifact_ref` has the exact bytes, percent-encoded.
    - `document_id`: id of the document, or null if its bytes could not be read.
    - `attached_to`: for an attachment, id of its parent document, which it follows; null for a given source.
    - `reused`: whether the document was known, so that nothing was converted.
    - `already_known`: where the user had it before: `corpora` (names) and `first_seen_at`; null for a new document, and
      for one that was ingested only under other policies.
    - `not_applied`: the requested plugin or profile that was not applied, because the document was known and not
      converted again; else null.
    - `held_back`: with `--reingest`, why the new version was not made the active one, as for `octavo reconvert`; else
      null.
    - `result`: an `IngestionResult` (`octavo schema ingestion_result`).

    `--json` prints one object: `documents`, a list of those objects, and `summary`:

    - `total`, `complete`, `degraded`, `failed`, `reused`, `attachments`, `not_attempted`: numbers of documents.
      `reused` ones and `attachments` are also counted by their status. Documents that an interrupted run did not
      attempt are counted but not listed.
    - `interrupted`: whether the run was interrupted.
    - `flags`: degraded flag → number of documents.
    - `notes`: code of a plugin's warning, such as `headers_left_out` → number of documents.
    - `failures`: a list of `reason`, `count`, `remedy`, one for each reason and each remedy.
    - `skipped`: a list of `source`, `why`: paths in a given folder that were skipped.
    - `library`: folder of the library.
    - `error`: the error that ended the run early, or null.
    - `exit_code`: the process's exit code.

    `--dry-run --json` prints one object: `new` and `known` (numbers of documents), `bytes` (size of the new ones),
    `disk_needed` (estimated growth of the library), `disk_free` and `disk_reserve` (bytes; null if unknown), and
    `is_short`: whether the run would be refused.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click
from octavo_cli.toolkit.options import F, conversion_options, json_option, library_option
from octavo_cli.toolkit.running import command_of
from octavo_sandbox.filesystem import globs

from ..executors import LOCAL, ExecutorCommand

if TYPE_CHECKING:
    from octavo_contracts import ExitCode

    from .run import Style


LOCATIONS = (
    "onedrive",
    "local",
    "email_attachment",
    "browser",
    "chat_attachment",
    "task_output",
    "web_fetch",
    "edgar_pull",
    "pacer_docket",
    "demonstration_capture",
    "direct_upload",
)
"""The values of `LocationType`, which need no import of the library here."""


def _patterns(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...]:
    for pattern in value:
        try:
            globs.check(pattern)
        except ValueError as error:
            raise click.BadParameter(str(error), ctx=ctx, param=param) from error
    return value


def metadata_pairs(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> dict[str, str]:
    """Read `NAME=VALUE` options."""
    if not all(name.partition("=")[0].strip() and "=" in name for name in value):
        raise click.BadParameter("write it as NAME=VALUE", ctx=ctx, param=param)
    return dict(name.split("=", 1) for name in value)


def glob_options(function: F) -> F:
    """Add `--include` and `--exclude`."""
    take = click.option(
        "--include",
        metavar="GLOB",
        multiple=True,
        callback=_patterns,
        help="In folders, only files that match, for example '*.pdf' or 'letters/**'. May be repeated.",
    )
    leave = click.option(
        "--exclude",
        metavar="GLOB",
        multiple=True,
        callback=_patterns,
        help="Leave out files and folders that match. May be repeated.",
    )
    return take(leave(function))


@command_of(ExecutorCommand, name="ingest")
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=click.Path(readable=False))
@click.option("--corpus", metavar="NAME", help="Corpus of the documents; created if it is missing.")
@click.option(
    "--surface",
    metavar="NAME",
    default="direct_upload",
    show_default=True,
    help="How the documents enter: corpus, email_attachment, browser_capture, chat_attachment, demonstration_capture, "
    "task_output, direct_upload, watched_folder or autonomous_gathering.",
)
@click.option(
    "--location",
    type=click.Choice(LOCATIONS),
    help="Kind of the place that the documents are from; by default it follows from path, URL and surface.",
)
@library_option
@conversion_options
@click.option(
    "--workers",
    metavar="N",
    type=click.IntRange(min=1),
    help="Documents converted in parallel, on each machine; by default one per core.",
)
@click.option(
    "--executor",
    metavar="NAME",
    default=LOCAL,
    show_default=True,
    help="What converts the documents: local, this machine; ray, the nodes of a Ray cluster. octavo-ray adds its options here.",
)
@click.option(
    "--entities/--no-entities",
    default=None,
    help="Extract entities from all documents of this run, or from none; by default as the corpus says.",
)
@click.option(
    "--entity-types",
    metavar="A,B",
    help="Extract entities of these types from all documents of this run; by default those of document type, corpus and settings.",
)
@click.option(
    "--briefs/--no-briefs",
    default=None,
    help="Make the brief of each document and store it, after the run; or of none; by default as corpus and settings say.",
)
@click.option("--retry", is_flag=True, help="Retry documents that failed before.")
@click.option(
    "--reingest",
    is_flag=True,
    help="Convert known documents again; the new version becomes the active one unless it has fewer pages, or much "
    "less text on a page. Existing versions stay.",
)
@click.option(
    "--activate/--no-activate",
    default=None,
    help="With --reingest: always or never make new versions the active ones.",
)
@click.option("--confirm-cost", is_flag=True, help="Go on although the run costs more than the limit of its corpus.")
@click.option("--title", metavar="TEXT", help="Title of the document; for a single PATH.")
@click.option("--date", metavar="DATE", help="Date of the documents: 2026-11-26, 2026-11 or 2026.")
@click.option("--source", metavar="TEXT", help="Where the documents are from: a docket, a sender, a publisher.")
@click.option(
    "--metadata",
    metavar="NAME=VALUE",
    multiple=True,
    callback=metadata_pairs,
    help="Further metadata of the documents. May be repeated.",
)
@click.option(
    "--known-metadata",
    type=click.Choice(["ask", "keep", "replace"]),
    default="ask",
    show_default=True,
    help="If known bytes were declared with another title, date or source: leave the decision to `octavo metadata`, keep "
    "the known metadata, or replace it.",
)
@glob_options
@click.option(
    "--fail-on", type=click.Choice(["degraded"]), help="Exit with code 4 if a document is degraded and none failed."
)
@click.option(
    "--dry-run", is_flag=True, help="Only estimate the run: new and known documents, and disk space. Nothing is stored."
)
@json_option
@click.option("--jsonl", "as_jsonl", is_flag=True, help="Print one JSON object per document as it finishes.")
def command(as_json: bool, as_jsonl: bool, dry_run: bool, **options: Any) -> ExitCode:
    """Convert documents and store them in a library.

    A PATH is a file, a folder or the URL of a page. Pages are fetched only if the settings allow their hosts
    (`web.enabled`, `web.allow`). Folders are walked in the order of names. Names that begin with a dot, links that
    leave the folder, linked folders and the library itself are left out. One bad file never stops a run. Files with
    known content are not converted again.

    Declared metadata is stored beside the documents, and changes no conversion. Known bytes that are declared with another
    title, date or source are not ingested until the user decides; the setting `duplicates.compare` is the rule.

    A run whose estimate does not fit the disk is refused before its first document.
    """
    from ...storage import DeclaredMetadata
    from ..executors import executor_values, load_executor
    from .outcome import Request
    from .run import ingest

    executor = load_executor(options.pop("executor"))
    values = executor_values(executor, options)

    if as_json and as_jsonl:
        raise click.UsageError("give --json or --jsonl, not both")
    if options["activate"] is not None and not options["reingest"]:
        raise click.UsageError("--activate and --no-activate need --reingest")
    if dry_run and as_jsonl:
        raise click.UsageError("--dry-run prints no documents: give --json, not --jsonl")
    if options["title"] is not None and (len(options["paths"]) > 1 or os.path.isdir(options["paths"][0])):
        raise click.UsageError("--title is of one document: give a single file or URL")
    style: Style = "json" if as_json else "jsonl" if as_jsonl else "text"
    fail_on_degraded = options.pop("fail_on") == "degraded"
    if (types := options.pop("entity_types")) is not None:
        options["entity_types"] = tuple(label.strip() for label in types.split(",") if label.strip())
    named = {name: options.pop(name) for name in ("title", "date", "source")}
    declared = DeclaredMetadata(**named, further=options.pop("metadata"))
    request = Request(**options, declared=declared or None, fail_on_degraded=fail_on_degraded)
    if dry_run:
        from .dry_run import dry_run as estimate

        return estimate(request, as_json=as_json)
    return ingest(request, executor, values, style=style)
