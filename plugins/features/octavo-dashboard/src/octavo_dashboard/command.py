"""`octavo web`: show a library in the browser."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click
from octavo_cli.toolkit.options import library_option
from octavo_cli.toolkit.running import octavo_command


@octavo_command(name="web")
@click.option("--host", metavar="ADDRESS", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port",
    metavar="N",
    type=click.IntRange(0, 65_535),
    default=8321,
    show_default=True,
    help="TCP port. 0 selects a free one.",
)
@click.option("--corpus", metavar="NAME", help="Only the documents of this corpus, under its policy.")
@click.option(
    "--token-file",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File with the tokens, one a line, each optionally followed by a space and the name of its corpus. If it is "
    "missing, it is created with a new token.",
)
@click.option("--read-only", is_flag=True, help="Refuse changes.")
@click.option(
    "--allow-host",
    "allow_hosts",
    metavar="NAME:PORT",
    multiple=True,
    help="Additional host name that browsers may use.",
)
@click.option(
    "--max-upload",
    metavar="MB",
    type=click.IntRange(1, 2_000),
    default=256,
    show_default=True,
    help="Largest upload, in megabytes. An upload is held in memory while it is converted.",
)
@click.option(
    "--otlp",
    metavar="URL",
    help="Send metrics to this collector, such as http://127.0.0.1:4318/v1/metrics.",
)
@click.option(
    "--metrics-interval",
    metavar="S",
    type=click.FloatRange(1, 86_400),
    default=60,
    show_default=True,
    help="Seconds between two readings of the library's state for metrics, and between two sends of --otlp.",
)
@library_option
def command(
    host: str,
    port: int,
    corpus: str | None,
    token_file: Path | None,
    read_only: bool,
    allow_hosts: tuple[str, ...],
    max_upload: int,
    library: str,
    **metrics: Any,
) -> None:
    """Show a library in the browser.

    The server listens on this machine alone. For another address a token is needed: --token-file FILE. Each page has a
    JSON twin at the same address with .json appended. Stop it with Ctrl-C.
    """
    from octavo_cli.toolkit.output import note
    from octavo_library.commands.opening import open_library
    from octavo_library.telemetry import MetricsExport, otlp_reader

    from .access import Access, read_token_file
    from .http_server import serve
    from .options import DashboardOptions

    endpoint: str | None = metrics["otlp"]
    interval: float = metrics["metrics_interval"]
    access = Access.open_to(corpus=corpus)
    if token_file is not None:
        access, made = read_token_file(token_file, corpus=corpus)
        if made:
            note(f"octavo: created a new token in {token_file}")
    options = DashboardOptions(
        host=host,
        port=port,
        access=access,
        read_only=read_only,
        allow_hosts=allow_hosts,
        upload_limit=max_upload * 10**6,
        metrics_interval=interval,
    )
    options.check()
    reader = otlp_reader(endpoint, interval=interval) if endpoint is not None else None
    with ExitStack() as stack:
        opened = stack.enter_context(open_library(library, create=False))
        if reader is not None:
            stack.enter_context(MetricsExport(opened, reader, interval=interval))
        if not read_only:
            opened.routing.sample_when_idle()
        serve(opened, options, started=lambda url: note(f"octavo: serving at {url}"))
