"""`octavo research`: research a question over the library.

JSON:
    `octavo research start --json` and `resume --json` print one object: `research_id` and `status`.

    `octavo research status ID --json` prints one object: `research_id`, `question`, `status` (waiting, running, interrupted,
    completed, failed or cancelled), `phase`, `reason`, `created_at`, `updated_at`, `steps`, a list of `name`, `phase`, `at`, and
    `usage`: `requests`, `input_tokens` and `output_tokens` of the model, `estimated` (how many of the requests have estimated tokens, because
    the server counted none), `searches` (requests to search providers) and `usd` of model and searches.

    `octavo research list --json` prints one object: `runs`, a list of the same without `steps` and `usage`.

    `octavo research cancel ID --json` prints one object: `research_id` and `cancelled`.

    `octavo research report ID --json` prints the report: `research_id`, `question`, `status`, `sections` (`heading`, `claims`:
    `text`, `supported`, `citations`: `document_id`, `title`, `version`, `locator`, `source_text_hash`, `quote`), `failures`
    (`step`, `reason`, `message`, `document_id`) and `model` (`none`, or the model that wrote the claims).

    `octavo research export ID --json` prints one object: `research_id` and `folder`.

    `octavo research replay FILE --json` prints one object: `research_id`, `identical` (null where the recorded run had not completed) and
    `usage`.

    `octavo research evaluate ID --json` prints one object: `research_id`, `status` (judged, partly_judged or not_applicable), `judge`, `claims`
    (`text`, `verdict`: supported, unsupported or not_judged, `checked_by`, `reason`, `documents`, `has_failed_quotation`), `fact` (`citations`, `judged`,
    `citation_accuracy`, `effective_citations`), `race` and `groundedness` (null where not judged), `not_judged`, `failures` and `usage`.
    With `--against` it prints `first`, `second` (each as above), `winner`, `relative_score`, `failures` and `usage`.

    `octavo research verify ID --json` prints one object: `status`, `quotations`, `problem` and `not_shown`.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click
from octavo_cli.toolkit.options import json_option, library_option
from octavo_cli.toolkit.running import octavo_command

from .evaluate import evaluate
from .options import ceiling_options, model_key_env_option, model_url_option
from .progress import ProgressLines
from .replay import replay_command
from .run_output import facts, print_report, print_state, run_and_print

if TYPE_CHECKING:
    from octavo_contracts import ExitCode

corpus_option = click.option(
    "--corpus", metavar="NAME", help="Ask as this corpus: only its documents, under its policy."
)
id_argument = click.argument("research_id", metavar="ID")


@click.group(name="research", context_settings={"help_option_names": ["-h", "--help"]}, no_args_is_help=True)
def command() -> None:
    """Research a question over the library, with a report whose quotations can be verified."""


@octavo_command(name="start")
@click.argument("question")
@corpus_option
@click.option(
    "--providers",
    metavar="NAMES",
    default="corpus",
    show_default=True,
    help="Search providers, separated by commas: corpus, searxng, urls, tavily, brave, or a plugin's.",
)
@click.option("--provider-url", metavar="NAME=URL", multiple=True, help="The server of a search provider.")
@click.option(
    "--provider-key-env", metavar="NAME=VARIABLE", multiple=True, help="The environment variable with a provider's key."
)
@click.option(
    "--model",
    metavar="MODEL",
    default="none",
    show_default=True,
    help="none: extractive; no model is asked, and nothing leaves this machine. Else the name of a model at --model-url.",
)
@model_url_option
@model_key_env_option
@click.option("--compression-model", metavar="MODEL", help="The model that compresses findings; by default --model.")
@click.option(
    "--summarization-model",
    metavar="MODEL",
    help="The model that summarises sources; by default the one that compresses.",
)
@click.option(
    "--model-window",
    metavar="N",
    type=click.IntRange(min=1),
    default=32_000,
    show_default=True,
    help="Tokens that the model reads at once.",
)
@click.option(
    "--model-timeout",
    metavar="SECONDS",
    type=click.FloatRange(min=0, min_open=True),
    default=60.0,
    show_default=True,
    help="The time that one request to the model may take.",
)
@click.option(
    "--answer-tokens",
    metavar="N",
    type=click.IntRange(min=1),
    help="Tokens of one answer at most; by default the server's limit.",
)
@click.option("--no-supervision", is_flag=True, help="Ask the model for the report alone: fewer calls.")
@click.option("--no-tools", is_flag=True, help="Let the model neither search nor read by itself: fewer calls.")
@click.option(
    "--search-price", metavar="NAME=USD", multiple=True, help="US dollars for one request to a search provider."
)
@ceiling_options
@click.option(
    "--record", metavar="FILE", type=click.Path(dir_okay=False), help="Record the run in a new file, for `replay`."
)
@click.option("--background", is_flag=True, help="Return at once; a process of its own executes the run.")
@library_option
@json_option
def start(
    question: str,
    corpus: str | None,
    providers: str,
    provider_url: tuple[str, ...],
    provider_key_env: tuple[str, ...],
    model: str,
    model_url: str | None,
    model_key_env: str | None,
    compression_model: str | None,
    summarization_model: str | None,
    model_window: int,
    model_timeout: float,
    answer_tokens: int | None,
    no_supervision: bool,
    no_tools: bool,
    search_price: tuple[str, ...],
    max_tokens: int | None,
    max_usd: float | None,
    input_price: float | None,
    output_price: float | None,
    max_minutes: float | None,
    record: str | None,
    background: bool,
    library: str,
    as_json: bool,
) -> ExitCode:
    """Research a question, and print the report.

    The run is stored step by step: after a crash `octavo research resume ID` continues it.
    """
    from octavo_cli.toolkit.output import note
    from octavo_library.commands.opening import open_library

    from ..background_run import start_in_background
    from ..options import ResearchOptions
    from ..research import Research

    options = ResearchOptions(
        model=model,
        model_url=model_url,
        model_key_env=model_key_env,
        compression_model=compression_model,
        summarization_model=summarization_model,
        model_window=model_window,
        model_timeout=model_timeout,
        answer_tokens=answer_tokens,
        supervision=not no_supervision,
        tools=not no_tools,
        search_prices=search_price,
        input_price=input_price,
        output_price=output_price,
        max_tokens=max_tokens,
        max_usd=max_usd,
        max_minutes=max_minutes,
        providers=tuple(one.strip() for one in providers.split(",") if one.strip()),
        provider_urls=provider_url,
        provider_key_envs=provider_key_env,
        record=os.path.abspath(record) if record is not None else None,
    )
    asked = question.encode("utf-8", "replace").decode()
    with open_library(library, create=False) as opened:
        research = Research(opened, corpus=corpus, observer=ProgressLines())
        started = research.start(asked, options=options)
        if not background:
            note(f"octavo: research {started.research_id}")
            return run_and_print(research, started.research_id, as_json=as_json)
        log = research.crash_file(started.research_id).with_suffix(".log")
        start_in_background(library, started.research_id, log=log)
        return print_state(research, started, as_json=as_json)


@octavo_command(name="resume")
@id_argument
@library_option
@json_option
def resume(research_id: str, library: str, as_json: bool) -> ExitCode:
    """Continue a run that was interrupted, failed or was cancelled, with its first unfinished step."""
    from octavo_library.commands.opening import open_library

    from ..research import Research

    with open_library(library, create=False) as opened:
        return run_and_print(Research(opened, observer=ProgressLines()), research_id, as_json=as_json)


@octavo_command(name="status")
@id_argument
@library_option
@json_option
def status(research_id: str, library: str, as_json: bool) -> None:
    """Show how far a run is."""
    from octavo_cli.toolkit.output import clean, write_json, write_line
    from octavo_library.commands.opening import open_library

    from ..research import Research

    with open_library(library, create=False) as opened:
        research = Research(opened)
        record = research.get(research_id)
        steps = research.steps(record.research_id)
        if as_json:
            told = [{"name": step.name, "phase": step.phase, "at": step.at} for step in steps]
            usage = research.usage(record.research_id).to_json()
            write_json({**facts(research, record), "steps": told, "usage": usage})
            return
        write_line(clean(f"{research.state(record)}: {record.phase}, {len(steps)} steps: {record.question}"))
        if record.reason is not None:
            write_line(clean(record.reason))


@octavo_command(name="list")
@corpus_option
@library_option
@json_option
def list_command(corpus: str | None, library: str, as_json: bool) -> None:
    """List the runs, the newest first."""
    from octavo_cli.toolkit.output import clean, write_json, write_line
    from octavo_library.commands.opening import open_library

    from ..research import Research

    with open_library(library, create=False) as opened:
        research = Research(opened, corpus=corpus)
        runs = research.list()
        if as_json:
            write_json({"runs": [facts(research, record) for record in runs]})
            return
        for record in runs:
            write_line(clean(f"{record.research_id}  {research.state(record):<11}  {record.question}"))


@octavo_command(name="cancel")
@id_argument
@library_option
@json_option
def cancel(research_id: str, library: str, as_json: bool) -> None:
    """Cancel a run: no further step is executed; its finished steps stay."""
    from octavo_cli.toolkit.output import write_json, write_line
    from octavo_library.commands.opening import open_library

    from ..research import Research

    with open_library(library, create=False) as opened:
        research = Research(opened)
        record = research.get(research_id)
        cancelled = research.cancel(record.research_id)
        if as_json:
            write_json({"research_id": record.research_id, "cancelled": cancelled})
        else:
            write_line("cancelled" if cancelled else f"not cancelled: it is {record.status}")


@octavo_command(name="report")
@id_argument
@library_option
@json_option
def report(research_id: str, library: str, as_json: bool) -> None:
    """Print the report of a run."""
    from octavo_library.commands.opening import open_library

    from ..research import Research

    with open_library(library, create=False) as opened:
        print_report(Research(opened), research_id, as_json=as_json)


@octavo_command(name="export")
@id_argument
@click.option(
    "-o", "--output", metavar="DIR", required=True, type=click.Path(file_okay=False), help="A new or empty folder."
)
@library_option
@json_option
def export(research_id: str, output: str, library: str, as_json: bool) -> None:
    """Write the report and the texts that it cites to a folder.

    `octavo verify DIR/report.json --archive DIR/archive` checks it, on any machine.
    """
    from octavo_cli.toolkit.output import clean, write_json, write_line
    from octavo_library.commands.opening import open_library

    from ..research import Research

    with open_library(library, create=False) as opened:
        research = Research(opened)
        record = research.get(research_id)
        folder = research.export(record.research_id, output)
        if as_json:
            write_json({"research_id": record.research_id, "folder": str(folder)})
        else:
            write_line(clean(f"{folder}: report.md, report.json and archive"))


@octavo_command(name="verify")
@id_argument
@library_option
@json_option
def verify(research_id: str, library: str, as_json: bool) -> ExitCode:
    """Check every quotation of a run's report against the library's texts.

    The exit code is 3 if something differs, and 6 if nothing could be verified: the report has no quotation, or no more.
    """
    from dataclasses import asdict

    from octavo_cli.toolkit.output import clean, write_json, write_line
    from octavo_contracts import ExitCode
    from octavo_library.commands.opening import open_library

    from ..research import Research

    with open_library(library, create=False) as opened:
        verification = Research(opened).verify(research_id)
    if as_json:
        write_json(asdict(verification))
    else:
        write_line(clean(f"{verification.status}: {verification.problem or f'{verification.quotations} quotations'}"))
        if verification.not_shown is not None:
            write_line(clean(verification.not_shown))
    codes = {"verified": ExitCode.OK, "failed": ExitCode.HARD_FAILURES, "unavailable": ExitCode.TOOL_UNAVAILABLE}
    return codes[verification.status]


for _each in (start, resume, status, list_command, cancel, report, export, verify, evaluate, replay_command):
    command.add_command(_each)
