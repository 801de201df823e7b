"""`octavo reconvert`: convert a document of a library again, as a new version.

JSON:
    `--json` prints one object:

    - `document_id`: id of the document.
    - `version`: the new version: `version`, `tool`, `tool_version`, `created_at`, `quality_score`, `status`, `flags`,
      `is_active`, `condition` (stored, damaged or purged), `held_back` (null, or why it was not made the active one:
      `message`, `active`, `pages_before`, `pages_now`, `text_before`, `text_now`, `lost`).

    With `--outdated` it prints one object with `documents`, a list of these objects, each with `suggested`, why it was converted
    again, and `error`: null, or why that failed; then `version` is null.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from octavo_cli.toolkit.options import PROFILES, json_option, library_option, password_option, timeout_option
from octavo_cli.toolkit.running import octavo_command

if TYPE_CHECKING:
    from octavo_contracts import ExitCode


@octavo_command(name="reconvert")
@click.argument("document", metavar="[DOC]", required=False)
@click.option(
    "--with",
    "plugin",
    metavar="PLUGIN",
    help="The plugin; `octavo plugins` lists them. It stays the document's plugin if the version becomes active.",
)
@click.option(
    "--profile",
    metavar="PROFILE",
    help=f"The rules that choose, this time: {', '.join(PROFILES)}, or a .toml file.",
)
@click.option("--heavy", is_flag=True, help="As --profile thorough: engines that take longer and read more.")
@click.option("--light", is_flag=True, help="As --profile fast: the quickest engine.")
@click.option("--by-profile", is_flag=True, help="Remove the document's plugin: corpus and profile choose again.")
@click.option(
    "--outdated",
    is_flag=True,
    help="What `octavo list --outdated` lists: by the same plugin after its upgrade, by the rules after a change of type; with DOC, "
    "only that document.",
)
@click.option("--corpus", metavar="NAME", help="With --outdated: only the documents of this corpus.")
@library_option
@password_option
@timeout_option
@click.option(
    "--activate/--no-activate",
    default=None,
    help="Always or never make the new version the active one. By default, the new version "
    "becomes the active one unless it has fewer pages, or much less text on a page.",
)
@json_option
def command(
    document: str | None,
    plugin: str | None,
    profile: str | None,
    heavy: bool,
    light: bool,
    by_profile: bool,
    outdated: bool,
    corpus: str | None,
    library: str,
    password: str | None,
    timeout: float | None,
    activate: bool | None,
    as_json: bool,
) -> ExitCode:
    """Convert a document of a library again, as a new version.

    Its versions stay, and `octavo activate` goes back to any of them. DOC is as for `octavo show`. The exit code is 4
    if the new version is stored but not made the active one, because it lost pages or text.
    """
    from octavo_cli.toolkit.next_command import next_command
    from octavo_cli.toolkit.output import note, write_json, write_line
    from octavo_contracts import ExitCode, UsageError

    from ..document_text import activation_advice, version_keys, write_versions
    from ..opening import open_library

    if sum((plugin is not None, profile is not None, heavy, light, by_profile, outdated)) != 1:
        raise UsageError(
            "exactly one of --with, --profile, --heavy, --light, --by-profile and --outdated is required",
            remedy="Give one of them",
        )
    if outdated:
        from .outdated import reconvert_outdated

        options = {"password": password, "timeout": timeout, "activate": activate}
        with open_library(library, create=False) as opened:
            return reconvert_outdated(opened, document, corpus=corpus, as_json=as_json, **options)
    if document is None or corpus is not None:
        wrong = "no document was given" if document is None else "--corpus was given without --outdated"
        raise UsageError(wrong, remedy="Give a document; or --outdated, for all that may better be converted again")
    rules = "thorough" if heavy else "fast" if light else profile
    with open_library(library, create=False) as opened:
        found = opened.document(document)
        if by_profile:
            found.set_plugin(None)
        made = found.reconvert(plugin=plugin, profile=rules, password=password, timeout=timeout, activate=activate)
        held = made.held_back
        code = ExitCode.OK if held is None else ExitCode.DEGRADED
        if as_json:
            write_json({"document_id": found.id, "version": version_keys(made)})
        else:
            write_versions(found.versions)
        if held is not None:
            note(f"octavo: {activation_advice(document, made.version, held, library=library)}")
        elif not as_json and found.active_version and made.is_active:
            words = ["octavo", "activate", document, str(found.active_version)]
            write_line(f"\nTo go back: {next_command(words, library=library)}")
        return code
