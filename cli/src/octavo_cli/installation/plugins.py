"""`octavo plugins`: list the installed plugins and features, and the problems of those that fail.

JSON:
    `--json` prints one object:

    - `plugins`: a list, in the order in which they are tried if a profile does not rank them, of `name`, `version`,
      `distribution`, `description`, `contract`, `hooks`, `media_types`, `extensions`, `priority`, `capabilities`,
      `determinism`, `engine` (`distribution`, `module`, `versions`: the supported versions, `licence`, `installed`:
      the version found, or null), `missing` (what its engine lacks, or null), `loads` (whether a worker could load it;
      null if it was not tried), `problem` (null, or `reason`, `message`, `remedy`).
    - `failures`: a list of plugins that cannot be used at all: `name`, `distribution`, `stage` (blocked, manifest,
      contract, name), `message`, `remedy`.
    - `services`: a list of what plugins and features offer besides hooks, best first within a kind, of `kind`
      (digestor, scorer, literal_extractor …), `name`, `distribution`, `missing` (what it lacks, or null).
    - `commands`: a list of the commands that other distributions add, of `name`, `distribution`, `problem`
      (null, or `message`, `remedy`; also null if the command was not tried).

    `octavo plugins trace FILE --json` prints one object: `routing_type`, `calls` (a list of `hook`, `plugin`, `because`, `outcome`,
    `answer`, `reason`, `milliseconds`), `selected_tool`, `selected_tool_reason`, `status`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ..toolkit.installed_commands import CommandFault, distributions_of, find_commands, try_command
from ..toolkit.options import json_option
from ..toolkit.running import octavo_group
from .trace import trace

if TYPE_CHECKING:
    from collections.abc import Iterable

    from octavo.plugins import Catalogue, PluginInfo, PluginLoadFailure
    from octavo.plugins.services import Services
    from octavo_contracts import ExitCode, OctavoError


@octavo_group(name="plugins")
@click.pass_context
@json_option
@click.option(
    "--check/--no-check",
    default=None,
    help="Load each plugin in a worker, or read manifests only. Loaded by default; with --check a plugin that fails "
    "makes the exit code 6.",
)
def command(context: click.Context, as_json: bool, check: bool | None) -> ExitCode | None:
    """List the installed plugins and features, and the problems of those that fail.

    Plugins that OCTAVO_PLUGINS or OCTAVO_BLOCK exclude are listed as blocked.
    """
    if context.invoked_subcommand is not None:
        return None
    from octavo.runtime import Runtime
    from octavo_contracts import ExitCode

    from ..app import COMMANDS
    from ..toolkit.configured import settings
    from ..toolkit.output import write_json

    faults = {
        name: tried if check is not False and isinstance(tried := try_command(name), CommandFault) else None
        for name in find_commands()
        if name not in COMMANDS
    }
    with Runtime(settings()) as runtime:
        catalogue = runtime.catalogue
        services = runtime.services
        problems = {} if check is False else {plugin.name: runtime.dispatcher.check(plugin) for plugin in catalogue}
    failures = [*catalogue.failures, *services.failures]
    if as_json:
        write_json(
            {
                "plugins": [plugin_keys(plugin, problems) for plugin in catalogue],
                "failures": failure_keys(failures),
                "services": service_keys(services),
                "commands": command_keys(faults),
            }
        )
    else:
        _write(catalogue, problems)
        _write_services(services)
        _write_commands(faults)
        _write_failures(failures)
    failed = any(failure.stage != "blocked" for failure in failures)
    broken = failed or any(problems.values()) or any(faults.values())
    return ExitCode.TOOL_UNAVAILABLE if check and broken else ExitCode.OK


command.add_command(trace)


def plugin_keys(plugin: PluginInfo, problems: dict[str, OctavoError | None]) -> dict[str, Any]:
    """Return a plugin as JSON values; `problems` has an entry for each plugin that was tried."""
    manifest = plugin.manifest
    problem = problems.get(plugin.name)
    return {
        "name": manifest.name,
        "version": manifest.version,
        "distribution": plugin.distribution,
        "description": manifest.description,
        "contract": manifest.contract,
        "hooks": list(manifest.hooks),
        "media_types": list(manifest.media_types),
        "extensions": list(manifest.extensions),
        "priority": manifest.priority,
        "capabilities": sorted(manifest.capabilities),
        "determinism": manifest.determinism,
        "engine": {
            "distribution": manifest.engine.distribution,
            "module": manifest.engine.module,
            "versions": manifest.engine.versions,
            "licence": manifest.engine.licence,
            "installed": plugin.engine_version,
        },
        "missing": plugin.missing(),
        "loads": problem is None if plugin.name in problems else None,
        "problem": problem
        and {
            "reason": problem.reason and problem.reason.value,
            "message": problem.message,
            "remedy": problem.remedy,
        },
    }


def failure_keys(failures: Iterable[PluginLoadFailure]) -> list[dict[str, str]]:
    """Return the plugins that cannot be used, as JSON values."""
    return [
        {
            "name": failure.name,
            "distribution": failure.distribution,
            "stage": failure.stage,
            "message": failure.message,
            "remedy": failure.remedy,
        }
        for failure in failures
    ]


def service_keys(services: Services) -> list[dict[str, Any]]:
    """Return the services as JSON values."""
    return [
        {
            "kind": service.kind,
            "name": service.name,
            "distribution": service.plugin.distribution,
            "missing": service.plugin.missing(),
        }
        for service in services.offered
    ]


def command_keys(faults: dict[str, CommandFault | None]) -> list[dict[str, Any]]:
    """Return the commands of other distributions as JSON values."""
    return [
        {
            "name": name,
            "distribution": distributions_of(name),
            "problem": fault and {"message": fault.message, "remedy": fault.remedy},
        }
        for name, fault in faults.items()
    ]


def _write(catalogue: Catalogue, problems: dict[str, OctavoError | None]) -> None:
    from ..toolkit.output import add_row, clean, make_table, write_line, write_table

    if not catalogue.plugins and not catalogue.failures:
        write_line("No plugins are installed; octavo needs one for each format.")
        write_line("  Run: pip install octavo-plaintext octavo-pdfium")
        return
    table = make_table("Plugin", "Version", "Engine", "Reads", "Hooks", "Capabilities", "State")
    for plugin in catalogue:
        manifest = plugin.manifest
        engine = manifest.engine.distribution or "Python"
        problem = problems.get(plugin.name)
        state = "fails" if problem else "loads" if plugin.name in problems else "not tried"
        cells = (
            plugin.name,
            manifest.version,
            f"{engine} {plugin.engine_version or ''}".rstrip(),
            " ".join(manifest.extensions or manifest.media_types),
            " ".join(manifest.hooks),
            " ".join(sorted(manifest.capabilities)),
            state,
        )
        add_row(table, cells, style="red" if problem else None)
    if catalogue.plugins:
        write_table(table)
    for name, problem in problems.items():
        if problem is not None:
            write_line(f"\n{name} fails: {clean(problem.message)}\n  {clean(problem.remedy)}")


def _write_services(services: Services) -> None:
    from ..toolkit.output import clean, write_line

    offered: dict[str, list[str]] = {}
    for service in services.offered:
        offered.setdefault(service.kind, []).append(service.name)
    if offered:
        write_line("\nServices: " + clean("; ".join(f"{kind} by {', '.join(by)}" for kind, by in offered.items())))
    for service in services.offered:
        if lacking := service.plugin.missing():
            write_line(f"\n{service.name} cannot offer its {service.kind}: {clean(lacking)}")


def _write_commands(faults: dict[str, CommandFault | None]) -> None:
    from ..toolkit.output import clean, write_line

    if faults:
        listed = ", ".join(f"{name} ({distributions_of(name)})" for name in faults)
        write_line(f"\nCommands added: {clean(listed)}")
    for name, fault in faults.items():
        if fault is not None:
            write_line(f"\n{name} cannot be used: {clean(fault.message)}\n  {clean(fault.remedy)}")


def _write_failures(failures: Iterable[PluginLoadFailure]) -> None:
    from ..toolkit.output import clean, write_line

    for failure in failures:
        kind = "is blocked" if failure.stage == "blocked" else f"cannot be used ({failure.stage})"
        write_line(
            f"\n{clean(failure.name)} ({failure.distribution}) {kind}: {clean(failure.message)}"
            f"\n  {clean(failure.remedy)}"
        )
