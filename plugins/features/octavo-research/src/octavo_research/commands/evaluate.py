"""`octavo research evaluate`: judge a report, and compare two."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from octavo_cli.toolkit.options import json_option, library_option
from octavo_cli.toolkit.running import octavo_command

from .options import ceiling_options, model_key_env_option, model_url_option

if TYPE_CHECKING:
    from octavo_contracts import ExitCode

    from ..evaluation import Evaluation


@octavo_command(name="evaluate")
@click.argument("research_id", metavar="ID")
@click.option("--against", metavar="ID", help="Compare with the report of this run, on the same question.")
@click.option(
    "--model",
    metavar="MODEL",
    default="none",
    show_default=True,
    help="The model that judges, at --model-url. none: only what needs no model is decided.",
)
@model_url_option
@model_key_env_option
@ceiling_options
@library_option
@json_option
def evaluate(
    research_id: str,
    against: str | None,
    model: str,
    model_url: str | None,
    model_key_env: str | None,
    max_tokens: int | None,
    max_usd: float | None,
    input_price: float | None,
    output_price: float | None,
    max_minutes: float | None,
    library: str,
    as_json: bool,
) -> ExitCode:
    """Judge the claims of a report against what they cite.

    Each quotation is compared with its archived text first. Ends with 3 where a quotation does not hold, and with 4 where the model could
    not be asked or a ceiling was reached.
    """
    from octavo_cli.toolkit.output import clean, write_json, write_line
    from octavo_contracts import ExitCode
    from octavo_library.commands.opening import open_library

    from ..language_model import models_of
    from ..options import ResearchOptions
    from ..research import Research

    options = ResearchOptions(
        model=model,
        model_url=model_url,
        model_key_env=model_key_env,
        max_tokens=max_tokens,
        max_usd=max_usd,
        input_price=input_price,
        output_price=output_price,
        max_minutes=max_minutes,
    )
    models = models_of(options)
    judge = models.synthesis if models is not None else None
    evaluations: tuple[Evaluation, ...]
    with open_library(library, create=False) as opened:
        research = Research(opened)
        if against is None:
            evaluation = research.evaluate(research_id, judge=judge, ceilings=options.ceilings)
            evaluations, failures, told = (evaluation,), evaluation.failures, evaluation.to_dict()
        else:
            comparison = research.compare(research_id, against, judge=judge, ceilings=options.ceilings)
            evaluations, told = (comparison.first, comparison.second), comparison.to_dict()
            failures = (*comparison.first.failures, *comparison.second.failures, *comparison.failures)
    if as_json:
        write_json(told)
    else:
        for one in evaluations:
            for line in _lines(one):
                write_line(clean(line))
        if against is not None:
            write_line(clean(f"winner: {told['winner'] or 'not judged'}"))
        for reason, message in dict.fromkeys(failures):
            write_line(clean(f"failed: {message} ({reason})"))
    if any(one.has_failed_quotations for one in evaluations):
        return ExitCode.HARD_FAILURES
    return ExitCode.DEGRADED if failures else ExitCode.OK


def _lines(evaluation: Evaluation) -> list[str]:
    """An evaluation for people."""
    fact, race, grounded = evaluation.fact, evaluation.race, evaluation.groundedness
    accuracy = f"{fact.citation_accuracy:.3f}" if fact.citation_accuracy is not None else "not judged"
    lines = [f"{evaluation.research_id}: {evaluation.status}, judge: {evaluation.judge}"]
    lines += [f"{one.verdict} ({one.checked_by}): {one.text[:100]}" for one in evaluation.claims]
    lines += [f"citation accuracy: {accuracy} ({fact.judged} of {fact.citations} citations)"]
    lines += [f"effective citations: {fact.effective_citations}"]
    lines += [f"RACE: {race.overall:.2f} of 10"] if race is not None else []
    lines += [f"groundedness: {grounded.score} of 10"] if grounded is not None else []
    lines += [f"not judged: {', '.join(evaluation.not_judged)}"] if evaluation.not_judged else []
    return lines
