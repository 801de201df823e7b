"""`octavo corpus`: create, list, show and change the corpora of a library.

JSON:
    `octavo corpus list --json` prints one object with `corpora`, a list; `create`, `show` and `set` with `--json` print
    one object with `corpus`. A corpus has:

    - `id`, `name`, `created_at`, `documents` (their number).
    - `settings`: `visibility`, `sensitivity`, `profile`, `chunking`, `retention`, `entities` (true, false, or null: as
      the profile says), `entity_types` (a list; empty: those of the settings), `briefs` (true, false, or null: as the settings say), `cloud`, `plugin`; null if the library's setting applies; `limits`: name → number;
      `cost_limit` in US dollars, or null.

    `show` adds `status`: `documents`, `standing` (complete, degraded, failed, in_progress, waiting, interrupted →
    number), `failures` and `waiting` (reason → number), `phases`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click
from octavo_cli.toolkit.options import json_option, library_option, named_limit
from octavo_cli.toolkit.running import octavo_command

if TYPE_CHECKING:
    from ...facade.corpora import Corpus, CorpusSettings
    from ...storage import Status

F = TypeVar("F", bound=Callable[..., object])

NONE = "none"
"""The value that resets a setting."""

_SWITCH = {"on": True, "off": False, "default": None}


def _settings_options(function: F) -> F:
    """Add the options for the settings of a corpus."""
    options = (
        click.option(
            "--visibility",
            type=click.Choice(["ambient", "cloud_allowed", "firewalled"]),
            help="Who may see its documents; firewalled: only searches in this corpus.",
        ),
        click.option(
            "--sensitivity",
            type=click.Choice(["normal", "privileged", "local_only"]),
            help="How its documents must be handled.",
        ),
        click.option("--profile", metavar="PROFILE", help=f"Routing rules of its documents; {NONE}: the library's."),
        click.option(
            "--chunking",
            metavar="CONFIG",
            help="Chunk sets for searches in it: fixed-TARGET-MAXIMUM-MINIMUM in characters; "
            f"{NONE}: the library's. Documents are chunked again by the next `octavo search --wait`.",
        ),
        click.option(
            "--retention",
            metavar="RULE",
            help="How long to keep older versions: everything (keep all), active_only, or a number of days.",
        ),
        click.option(
            "--entities",
            type=click.Choice(list(_SWITCH)),
            help="Whether to extract entities; default: as profile and document type say.",
        ),
        click.option(
            "--entity-types",
            metavar="A,B",
            help=f"The entity types to extract from its documents, in lower case; {NONE}: those of the settings.",
        ),
        click.option(
            "--briefs",
            type=click.Choice(list(_SWITCH)),
            help="Whether briefs of its documents are made in the background; default: as the settings say.",
        ),
        click.option("--cloud", type=click.Choice(["on", "off"]), help="Whether cloud services may be used."),
        click.option(
            "--plugin", metavar="PLUGIN", help=f"The plugin that converts its documents; {NONE}: routing chooses."
        ),
        click.option(
            "--cost-limit",
            metavar="USD",
            help="US dollars that the paid calls of one run into it may cost; a run above it stops until it is given "
            f"--confirm-cost; {NONE}: no limit.",
        ),
        click.option(
            "--limit",
            "limits",
            metavar="NAME=NUMBER",
            multiple=True,
            help="A limit on the size of its documents, such as max_pages=20000 or max_bytes=50000000; "
            f"NAME={NONE}: the library's. May be repeated.",
        ),
    )
    for option in reversed(options):
        function = option(function)
    return function


@click.group(name="corpus", context_settings={"help_option_names": ["-h", "--help"]}, no_args_is_help=True)
def command() -> None:
    """Create, list, show and change the corpora of a library.

    A corpus is a named set of documents; `octavo ingest --corpus NAME` adds documents to one, and creates it with
    default settings if it is missing.
    """


@octavo_command(name="create")
@click.argument("name", metavar="NAME")
@_settings_options
@library_option
@json_option
def create(name: str, library: str, as_json: bool, **given: Any) -> None:
    """Create a corpus. A missing library is created too."""
    from dataclasses import replace

    from ...facade.corpora import CorpusSettings
    from ..opening import open_library

    with open_library(library) as opened:
        settings = CorpusSettings()
        made = opened.corpora.create(name, replace(settings, **_changes(given, settings)))
        _note_unsupported(opened.corpora.unsupported(made.settings))
    _write(made, as_json=as_json)


@octavo_command(name="list")
@library_option
@json_option
def list_(library: str, as_json: bool) -> None:
    """List the corpora of a library."""
    from octavo_cli.toolkit.output import add_row, clean, make_table, write_json, write_line, write_table

    from ..document_text import moment
    from ..opening import open_library

    with open_library(library, create=False) as opened:
        corpora = opened.corpora.list()
    if as_json:
        write_json({"corpora": [_keys(corpus) for corpus in corpora]})
        return
    if not corpora:
        write_line(f"No corpora in {clean(library)}")
        return
    table = make_table("Name", "#Documents", "Visibility", "Sensitivity", "Profile", "Created (UTC)")
    for corpus in corpora:
        settings = corpus.settings
        cells = (corpus.name, str(corpus.documents), settings.visibility, settings.sensitivity, settings.profile or "")
        add_row(table, (*cells, moment(corpus.created_at)))
    write_table(table)


@octavo_command(name="show")
@click.argument("name", metavar="NAME")
@library_option
@json_option
def show(name: str, library: str, as_json: bool) -> None:
    """Show a corpus, its settings, and the status of its documents."""
    from ..opening import open_library

    with open_library(library, create=False) as opened:
        corpus = opened.corpora.get(name)
        status = opened.status(corpus=name)
        _note_unsupported(opened.corpora.unsupported(corpus.settings))
    _write(corpus, as_json=as_json, status=status)


@octavo_command(name="set")
@click.argument("name", metavar="NAME")
@_settings_options
@library_option
@json_option
def set_(name: str, library: str, as_json: bool, **given: Any) -> None:
    """Change settings of a corpus; the other settings stay.

    A new visibility or sensitivity applies to its documents immediately. Nothing is converted again.
    """
    from dataclasses import replace

    from ..opening import open_library

    with open_library(library, create=False) as opened:
        settings = opened.corpora.get(name).settings
        changed = opened.corpora.update(name, replace(settings, **_changes(given, settings)))
        _note_unsupported(opened.corpora.unsupported(changed.settings))
    _write(changed, as_json=as_json)


for _command in (create, list_, show, set_):
    command.add_command(_command)


def _note_unsupported(sentences: tuple[str, ...]) -> None:
    from octavo_cli.toolkit.output import note

    for sentence in sentences:
        note(f"octavo: {sentence}")


def _changes(given: dict[str, Any], settings: CorpusSettings) -> dict[str, Any]:
    """The given settings, by their names in `CorpusSettings`."""
    changes: dict[str, Any] = {key: value for key, value in given.items() if value is not None}
    limits = dict(settings.limits)
    for text in changes.pop("limits", ()):
        name, _, number = text.partition("=")
        if number == NONE:
            limits.pop(name, None)
        else:
            limits.update([named_limit(text)])
    changes["limits"] = limits
    for key in ("profile", "chunking", "plugin", "cost_limit"):
        if changes.get(key) == NONE:
            changes[key] = None
    if "entity_types" in changes:
        changes["entity_types"] = entity_types(changes["entity_types"])
    for key in ("entities", "briefs", "cloud"):
        if key in changes:
            changes[key] = _SWITCH[changes[key]]
    if changes.get("cost_limit") is not None:
        try:
            changes["cost_limit"] = float(changes["cost_limit"])
        except ValueError:
            raise click.BadParameter(f"{changes['cost_limit']!r} is no number", param_hint="--cost-limit") from None
    if str(changes.get("retention", "")).isdecimal():
        changes["retention"] = int(changes["retention"])
    return changes


def entity_types(given: str) -> tuple[str, ...]:
    """Entity types from a list separated by commas; empty for the value that resets the setting."""
    return () if given == NONE else tuple(label.strip() for label in given.split(",") if label.strip())


def _keys(corpus: Corpus) -> dict[str, Any]:
    from dataclasses import asdict

    return asdict(corpus)


def _write(corpus: Corpus, *, as_json: bool, status: Status | None = None) -> None:
    from dataclasses import asdict

    from octavo_cli.toolkit.output import add_row, make_table, write_json, write_table

    from ..document_text import moment

    if as_json:
        write_json({"corpus": _keys(corpus), **({"status": asdict(status)} if status else {})})
        return
    standing = (
        ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in sorted(status.standing.items()))
        if status
        else ""
    )
    entities = {True: "on", False: "off", None: "as the profile says"}
    settings = corpus.settings
    table = make_table("Corpus", corpus.name)
    for name, value in (
        ("id", corpus.id),
        ("documents", str(corpus.documents)),
        ("created (UTC)", moment(corpus.created_at)),
        ("visibility", settings.visibility),
        ("sensitivity", settings.sensitivity),
        ("profile", settings.profile or "the library's"),
        ("chunking", settings.chunking or "the library's"),
        ("retention", str(settings.retention)),
        ("entities", entities[settings.entities]),
        ("entity types", ", ".join(settings.entity_types) or "those of the settings"),
        ("briefs", {**entities, None: "as the settings say"}[settings.briefs]),
        ("cloud", "on" if settings.cloud else "off"),
        ("plugin", settings.plugin or "as routing chooses"),
        ("cost limit", "none" if settings.cost_limit is None else f"{settings.cost_limit:.2f} USD a run"),
        ("limits", ", ".join(f"{name}={value}" for name, value in settings.limits.items()) or "the library's"),
        *([("standing", standing)] if standing else []),
    ):
        add_row(table, (name, value))
    write_table(table)
