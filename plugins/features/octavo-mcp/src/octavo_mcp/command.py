"""`octavo mcp`: serve a library to an assistant, over the Model Context Protocol.

The protocol uses stdin and stdout; all other output goes to stderr.
"""

from __future__ import annotations

import re
from pathlib import Path

import click
from octavo_cli.toolkit.options import library_option
from octavo_cli.toolkit.running import octavo_command

_ADDRESS = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^:\[\]]+):([0-9]{1,5})")
_GROUPS = ("documents", "memory", "ingest")


def _groups(ctx: click.Context, param: click.Parameter, value: str) -> tuple[str, ...]:
    groups = tuple(name.strip() for name in value.split(","))
    for name in groups:
        if name not in _GROUPS:
            raise click.BadParameter(f"{name!r} is not one of {', '.join(_GROUPS)}", ctx=ctx, param=param)
    return groups


def _address(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[str, int] | None:
    if value is None:
        return None
    match = _ADDRESS.fullmatch(value)
    if match is None or int(match[2]) > 65_535:
        raise click.BadParameter(f"{value!r} is not HOST:PORT", ctx=ctx, param=param)
    return match[1].strip("[]"), int(match[2])


@octavo_command(name="mcp")
@click.option("--corpus", metavar="NAME", help="Only the documents of this corpus, under its policy.")
@click.option(
    "--tools",
    "groups",
    metavar="GROUPS",
    default="documents,memory",
    show_default=True,
    callback=_groups,
    help="Tool groups to offer: documents, memory, ingest. Tools of ingest make new document versions.",
)
@click.option(
    "--http",
    "address",
    metavar="HOST:PORT",
    callback=_address,
    help="Serve over HTTP at /mcp instead of stdin and stdout, to clients that send the token. Port 0 selects a free port.",
)
@click.option(
    "--token-file",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="With --http: file with the bearer token. If it is missing, it is created with a new token.",
)
@click.option(
    "--allow-host",
    "allow_hosts",
    metavar="NAME:PORT",
    multiple=True,
    help="With --http: additional host name that clients may use.",
)
@click.option(
    "--allow-origin",
    "allow_origins",
    metavar="ORIGIN",
    multiple=True,
    help="With --http: origin of a web page that may call the server.",
)
@library_option
def command(
    corpus: str | None,
    groups: tuple[str, ...],
    address: tuple[str, int] | None,
    token_file: Path | None,
    allow_hosts: tuple[str, ...],
    allow_origins: tuple[str, ...],
    library: str,
) -> None:
    """Serve a library to an assistant, over the Model Context Protocol.

    The assistant starts this command: its configuration names `octavo mcp --library DIR`. One server has one library
    and one corpus. Without --corpus it serves every document except those that are only in firewalled corpora.
    """
    from octavo_cli.toolkit.output import note
    from octavo_contracts import UsageError
    from octavo_library.commands.opening import open_library
    from octavo_library.commands.token_file import read_or_create
    from octavo_retrieval import tools

    from .http_app import HttpOptions
    from .mcp_server import make_server
    from .transports import serve_http, serve_stdio

    if address is not None and token_file is None:
        raise UsageError("--http needs a token", remedy="Give --token-file FILE; it is made where it is not there")
    if address is None and (token_file is not None or allow_hosts or allow_origins):
        raise UsageError("--token-file, --allow-host and --allow-origin go with --http", remedy="Give --http HOST:PORT")
    with open_library(library, create=False) as opened:
        server = make_server(tools(opened, corpus=corpus), groups=groups)
        if address is None:
            serve_stdio(server)
            return
        assert token_file is not None  # checked above
        text, made = read_or_create(token_file)
        token = text.strip()
        if not token.isascii() or len(token.split()) != 1:
            raise UsageError(
                "the token file must have one token of ASCII characters",
                source=str(token_file),
                remedy="Remove the file; the command then creates one with a token of 43",
            )
        if made:
            note(f"octavo: created a new token in {token_file}")
        options = HttpOptions(
            host=address[0], port=address[1], token=token, allow_hosts=allow_hosts, allow_origins=allow_origins
        )
        serve_http(server, options, started=lambda url: note(f"octavo: serving at {url}"))
