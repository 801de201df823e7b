"""What the commands print of a run, and their exit codes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from octavo_contracts import ExitCode
    from octavo_library.storage import ResearchRecord

    from ..research import Research


def run_and_print(research: Research, research_id: str, *, as_json: bool) -> ExitCode:
    """Execute a run, and print its report, or with `--json` its status."""
    record = research.run(research_id)
    if as_json:
        return print_state(research, record, as_json=True)
    print_report(research, record.research_id, as_json=False)
    return exit_code(research, record)


def print_state(research: Research, record: ResearchRecord, *, as_json: bool) -> ExitCode:
    """Print a run's id and what it is in now."""
    from octavo_cli.toolkit.output import write_json, write_line

    state = research.state(record)
    if as_json:
        write_json({"research_id": record.research_id, "status": state})
    else:
        write_line(f"{record.research_id}  {state}")
    return exit_code(research, record)


def exit_code(research: Research, record: ResearchRecord) -> ExitCode:
    """OK; `DEGRADED` where something failed, which the report says."""
    from octavo_contracts import ExitCode

    if record.status == "completed" and research.report(record.research_id).failures:
        return ExitCode.DEGRADED
    return ExitCode.OK


def facts(research: Research, record: ResearchRecord) -> dict[str, Any]:
    """What `list --json` says of a run."""
    return {
        "research_id": record.research_id,
        "question": record.question,
        "status": research.state(record),
        "phase": record.phase,
        "reason": record.reason,
        "created_at": record.created_at,
        "updated_at": record.updated_at,
    }


def print_report(research: Research, research_id: str, *, as_json: bool) -> None:
    """Print a report as markdown or JSON."""
    from octavo_cli.toolkit.output import clean, write_json, write_line

    report = research.report(research_id)
    if as_json:
        write_json(report.to_dict())
        return
    for line in report.to_markdown().splitlines():
        write_line(clean(line))
