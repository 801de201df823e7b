"""`octavo check-paths`: record which originals vanished from their paths, and which returned.

JSON:
    `--json` prints one object:

    - `checked`: number of checked paths.
    - `vanished`, `returned`: references of paths that were newly marked as stale, or as live again.
    - `unreachable`: ids of documents without a live path or stored original.
    - `elsewhere`: number of paths that lead to no document on this machine and are not marked, as the library has the originals.
"""

from __future__ import annotations

import click
from octavo_cli.toolkit.options import json_option, library_option
from octavo_cli.toolkit.running import octavo_command


@octavo_command(name="check-paths")
@library_option
@click.option("--read", is_flag=True, help="Hash every file, to detect also replacements of the same size.")
@json_option
def command(library: str, read: bool, as_json: bool) -> None:
    """Record which originals vanished from their paths, and which returned.

    Nothing is removed. A path is not marked in a library in an object store that has the original: it may be that of another
    machine. The versions of a document stay usable even if all its paths are gone.
    """
    from dataclasses import asdict

    from octavo_cli.toolkit.output import write_json, write_line

    from ..document_text import path_text
    from ..opening import open_library

    with open_library(library, create=False) as opened:
        found = opened.maintenance.check_paths(read_contents=read)
    if as_json:
        write_json(asdict(found))
        return
    write_line(f"{found.checked} paths checked: {len(found.vanished)} vanished, {len(found.returned)} returned")
    if found.elsewhere:
        write_line(f"  {found.elsewhere} are not on this machine; the library has their originals")
    for ref in found.vanished:
        write_line(f"  vanished  {path_text(ref)}")
    for ref in found.returned:
        write_line(f"  returned  {path_text(ref)}")
    for document_id in found.unreachable:
        write_line(f"  no path left: {document_id}; give one with `octavo relink`")
