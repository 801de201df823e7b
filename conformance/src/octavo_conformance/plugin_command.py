"""`octavo plugin`: begins the project of a new plugin.

JSON:
    `octavo plugin new --json` prints one object: `folder` and `files`, a list of paths within it.
"""

from __future__ import annotations

from pathlib import Path

import click
from octavo_cli.toolkit.options import json_option
from octavo_cli.toolkit.running import octavo_command

from .project.kinds import KINDS


@click.group(name="plugin", short_help="Begin the project of a new plugin.")
def command() -> None:
    """Begin the project of a new plugin, for its author."""


@octavo_command(name="new", short_help="Write a typed, tested package for a plugin.")
@click.argument("name", metavar="NAME")
@click.option(
    "--hook",
    "kind",
    type=click.Choice(KINDS),
    required=True,
    help="The hook that it implements; a service that hosts call; or a feature with a command of its own.",
)
@click.option(
    "--media-type",
    metavar="TYPE",
    help="Media type that it reads; default: application/x-NAME, of a classifier text/plain.",
)
@click.option("--extension", metavar=".EXT", help="Extension of such files; default: the name, of a classifier .txt.")
@click.option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path(),
    help="Where the folder octavo-NAME is made; default: the current folder.",
)
@json_option
def new(name: str, kind: str, media_type: str | None, extension: str | None, folder: Path, as_json: bool) -> None:
    """Write a typed, tested package for a plugin: project file, manifest, code that works, tests.

    Install it with `pip install -e`, run its tests, and put your own code in the place of the example.
    """
    from octavo_cli.toolkit.output import clean, write_json, write_line

    from .project.new_project import NewProject, write_project

    files = write_project(NewProject(name=name, kind=kind, media_type=media_type, extension=extension), folder)
    root = folder / f"octavo-{name}"
    if as_json:
        write_json({"folder": clean(str(root)), "files": [path.relative_to(root).as_posix() for path in files]})
        return
    for path in files:
        write_line(f"wrote {clean(str(path))}")
    write_line(f"Next: pip install -e '{clean(str(root))}[test]' && python -m pytest {clean(str(root))}")


command.add_command(new)
