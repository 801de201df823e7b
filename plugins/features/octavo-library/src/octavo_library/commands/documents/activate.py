"""`octavo activate`: choose which version of a document is the active one."""

from __future__ import annotations

import click
from octavo_cli.toolkit.options import library_option
from octavo_cli.toolkit.running import octavo_command


@octavo_command(name="activate")
@click.argument("document", metavar="DOC")
@click.argument("version", metavar="VERSION", type=click.IntRange(min=1))
@library_option
def command(document: str, version: int, library: str) -> None:
    """Choose which version of a document is the active one.

    Nothing is deleted; use it for a rollback too. DOC is as for `octavo show`, which lists the versions with
    --versions.
    """
    from octavo_cli.toolkit.next_command import next_command
    from octavo_cli.toolkit.output import clean, note, write_line

    from ...facade.document_names import document_name
    from ..opening import open_library

    with open_library(library, create=False) as opened:
        found = opened.document(document)
        found.versions.activate(version)
        # Its title may be that of the version.
        write_line(f"Version {version} of {clean(document_name(opened.document(found.id)))} is active")
        by = next(one.tool for one in found.versions if one.version == version)
        if found.plugin is not None and found.plugin != by:
            words = ["octavo", "reconvert", document, "--by-profile"]
            note(
                f"octavo: later conversions still use {found.plugin}; to change that: {next_command(words, library=library)}"
            )
