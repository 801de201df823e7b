"""`octavo reconvert`: convert a document of a library again, as a new version.

JSON:
    `--json` prints one object:

    - `document_id`: id of the document.
    - `version`: the new version: `version`, `tool`, `tool_version`, `created_at`, `quality_score`, `status`, `flags`,
      `is_active`, `condition` (stored, damaged or purged).
"""

from __future__ import annotations

import click

from .options import json_option, library_option, password_option, timeout_option
from .running import octavo_command


@octavo_command(name="reconvert")
@click.argument("document", metavar="DOC")
@click.option("--with", "with_", metavar="PLUGIN", required=True, help="The plugin; `octavo plugins` lists them.")
@library_option
@password_option
@timeout_option
@click.option("--no-activate", is_flag=True, help="Leave the active version as it is.")
@json_option
def command(
    document: str,
    with_: str,
    library: str,
    password: str | None,
    timeout: float | None,
    no_activate: bool,
    as_json: bool,
) -> None:
    """Convert a document of a library again, as a new version.

    The versions it has stay, and `octavo activate` goes back to any of them. DOC is as for `octavo show`.
    """
    from .configured import open_library
    from .documents import version_keys, write_versions
    from .output import command_line, write_json, write_line

    with open_library(library, create=False) as opened:
        found = opened.document(document)
        made = found.reconvert(with_=with_, password=password, timeout=timeout, activate=not no_activate)
        if as_json:
            write_json({"document_id": found.id, "version": version_keys(made)})
            return
        write_versions(found.versions)
        if found.active_version and made.is_active:
            words = ["octavo", "activate", document, str(found.active_version), "--library", library]
            write_line(f"\nTo go back: {command_line(words)}")
