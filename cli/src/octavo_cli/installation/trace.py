"""`octavo plugins trace`: shows which plugins are asked about a document, in which order, and what each answers."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from ..toolkit.options import json_option
from ..toolkit.running import octavo_command

if TYPE_CHECKING:
    from octavo_contracts import ExitCode


@octavo_command(name="trace")
@click.argument("file", metavar="FILE", type=click.Path(exists=True, dir_okay=False))
@click.option("--with", "plugin", metavar="PLUGIN", help="Convert with this plugin and no other.")
@click.option("--profile", metavar="NAME", help="The routing profile, by name or as the path of a file.")
@click.option("--password", metavar="TEXT", help="Password of an encrypted document.")
@json_option
def trace(file: str, plugin: str | None, profile: str | None, password: str | None, as_json: bool) -> ExitCode:
    """Convert a document and show each call of a plugin: hook, plugin, why it was asked, what it answered.

    Nothing is stored, and no word of the document is shown. The last line gives the outcome.
    """
    import octavo
    from octavo.conversion.inspection import CLAIMED_BY
    from octavo_contracts import ExitCode

    from ..toolkit.configured import settings
    from ..toolkit.output import add_row, clean, make_table, write_json, write_line, write_table
    from .traced_runtime import TracedRuntime

    with TracedRuntime(settings()) as runtime:
        result = octavo.convert(file, plugin=plugin, profile=profile, password=password, runtime=runtime).result
        calls = list(runtime.calls)
    report = result.quality_report
    classified = result.classification
    routed = classified.routing_type.value if classified is not None else None
    media_type = classified.media_type if classified is not None else None
    claimed_by = classified.extensions.get(CLAIMED_BY) if classified is not None else None
    if as_json:
        write_json(
            {
                "media_type": media_type,
                "claimed_by": claimed_by,
                "routing_type": routed,
                "calls": [asdict(call) for call in calls],
                "selected_tool": report.selected_tool,
                "selected_tool_reason": report.selected_tool_reason,
                "status": result.ingestion_status,
            }
        )
    else:
        table = make_table("#No.", "Hook", "Plugin", "Asked because", "Answer", "#ms")
        for number, call in enumerate(calls, start=1):
            answer = call.answer if call.reason is None else f"{call.answer} [{call.reason}]"
            add_row(
                table,
                (str(number), call.hook, call.plugin, call.because, clean(answer), f"{call.milliseconds:.0f}"),
            )
        write_table(table)
        chosen = f"{report.selected_tool}: {report.selected_tool_reason}" if report.selected_tool else "no plugin"
        claimed = f", a format of {claimed_by}" if claimed_by else ""
        read_as = clean(f"{media_type or 'unknown type'}{claimed}, routed as {routed or 'unknown'}")
        write_line(f"\n{result.ingestion_status}: {read_as}; {clean(chosen)}")
    return ExitCode.HARD_FAILURES if result.ingestion_status == "hard_failed" else ExitCode.OK
