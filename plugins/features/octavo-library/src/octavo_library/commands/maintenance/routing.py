"""`octavo routing`: the rules that choose plugins, their sampling results, and your verdicts.

JSON:
    `octavo routing show --json` prints one object: `profile`, `description`, `sampling` (`documents`: how many first
    documents to convert twice, `counted`: how many were, `waiting`: how many still will be, `seconds`: total duration,
    `threshold`, `drift`) and `rules`, a list. `octavo routing sample --json` prints the same object once the comparisons
    that waited are made. `octavo routing review --json` prints one object with `rules`: those to review, or the one that
    was decided on; so does `undo`. A rule has:

    - `routing_type`: the routing type.
    - `plugins`: in the order in which they are tried, a list of `name` and `lacking` (why it is skipped, or null).
    - `verdict`: the decision in force, or null: `verdict_id`, `action` (prefer, keep), `tool`, `by`, `at`, `note`.
    - `to_review`: ids of the comparisons to review.
    - `comparisons`: a list of `comparison_id`, `occasion` (`first`, or `drift:` and the engines), `counted`,
      `document_id` (null once it was purged), `version`, `a` and `b` (`tool`, `engine_version`), `metrics` (as
      `octavo compare --json`), `agreement`, `diverges`, `failure` (why the second plugin failed, or null), `seconds`,
      `at`.
    - `history`: all decisions, oldest first: as `verdict`, with `undoes` (a `verdict_id`, or null).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click
from octavo_cli.toolkit.options import json_option, library_option, profile_option
from octavo_cli.toolkit.running import octavo_command

if TYPE_CHECKING:
    from ...facade.routing_review.rules import ProfileState, RoutingRule
    from ...storage import StoredComparison, StoredVerdict


@click.group(name="routing", context_settings={"help_option_names": ["-h", "--help"]}, no_args_is_help=True)
def command() -> None:
    """Show the rules that choose plugins, and review them.

    The first documents of a profile are also converted by a second plugin: while `octavo watch` or `octavo web` is idle,
    or by `octavo routing sample`. If the two conversions differ too much, the rule needs a review; your verdict decides
    which plugin comes first from then on.
    """


@octavo_command(name="show")
@library_option
@profile_option
@json_option
def show(library: str, profile: str | None, as_json: bool) -> None:
    """Show a profile's rules, their sampling results, and the decisions."""
    from octavo_cli.toolkit.output import write_json

    from ..opening import open_library

    with open_library(library, create=False) as opened:
        state = opened.routing.rules(profile)
    if as_json:
        write_json(_state_keys(state))
    else:
        _write_state(state)


@octavo_command(name="sample")
@library_option
@profile_option
@json_option
def sample(library: str, profile: str | None, as_json: bool) -> None:
    """Convert the first documents by a second plugin too, where this still waits, and compare.

    Nothing but the figures is kept. `octavo watch` and `octavo web` do the same by themselves while they are idle.
    """
    from octavo_cli.toolkit.output import write_json
    from octavo_cli.toolkit.running import cancelled_by_interrupt

    from ..opening import open_library

    with cancelled_by_interrupt() as cancel, open_library(library, create=False) as opened:
        made = list(opened.routing.sample(profile, cancel=cancel))
        state = opened.routing.rules(profile)
    if as_json:
        write_json(_state_keys(state))
    else:
        _write_sampled(made, state)


@octavo_command(name="review")
@click.argument("rule", metavar="[RULE]", required=False)
@click.option("--prefer", metavar="PLUGIN", help="Use this plugin first for these documents from now on.")
@click.option("--keep", is_flag=True, help="Keep the rule as it is.")
@click.option("--by", metavar="WHO", default="user", show_default=True, help="Who says so.")
@click.option("--note", metavar="TEXT", default="", help="Why.")
@library_option
@profile_option
@json_option
def review(
    rule: str | None,
    prefer: str | None,
    keep: bool,
    by: str,
    note: str,
    library: str,
    profile: str | None,
    as_json: bool,
) -> None:
    """List the rules that need a review; with a RULE and a verdict, decide on one.

    RULE is a routing type, for example text_native_pdf. A verdict applies to documents ingested from now on, is
    recorded as the reason of their routing, and can be undone with `octavo routing undo`.
    """
    from octavo_cli.toolkit.output import write_json

    from ..opening import open_library

    if rule is None and (prefer or keep):
        raise click.UsageError("give a RULE: octavo routing review RULE --prefer PLUGIN")
    if rule is not None and (prefer is not None) == keep:
        raise click.UsageError("give --prefer PLUGIN or --keep")
    waiting = 0
    with open_library(library, create=False) as opened:
        if rule is None:
            state = opened.routing.rules(profile)
            rules: Sequence[RoutingRule] = tuple(one for one in state.rules if one.pending)
            waiting = state.waiting
        else:
            rules = [opened.routing.decide(rule, prefer=prefer, profile=profile, by=by, note=note)]
    if as_json:
        write_json({"rules": [_rule_keys(one) for one in rules]})
    elif rule is None:
        _write_reviews(rules, waiting)
    else:
        _write_decided(rules[0])


@octavo_command(name="undo")
@click.argument("rule", metavar="RULE")
@click.option("--by", metavar="WHO", default="user", show_default=True, help="Who says so.")
@click.option("--note", metavar="TEXT", default="", help="Why.")
@library_option
@profile_option
@json_option
def undo(rule: str, by: str, note: str, library: str, profile: str | None, as_json: bool) -> None:
    """Undo the last verdict on a rule; the one before it, or the profile, applies again."""
    from octavo_cli.toolkit.output import write_json

    from ..opening import open_library

    with open_library(library, create=False) as opened:
        now = opened.routing.undo(rule, profile=profile, by=by, note=note)
    if as_json:
        write_json({"rules": [_rule_keys(now)]})
    else:
        _write_decided(now)


for _one in (show, sample, review, undo):
    command.add_command(_one)


def _state_keys(state: ProfileState) -> dict[str, Any]:
    return {
        "profile": state.name,
        "description": state.description,
        "sampling": {
            "documents": state.places,
            "counted": state.counted,
            "waiting": state.waiting,
            "seconds": state.seconds,
            "threshold": state.threshold,
            "drift": state.drift,
        },
        "rules": [_rule_keys(rule) for rule in state.rules],
    }


def _rule_keys(rule: RoutingRule) -> dict[str, Any]:
    return {
        "routing_type": rule.routing_type,
        "plugins": [{"name": one.name, "lacking": one.lacking or None} for one in rule.plugins],
        "verdict": _verdict_keys(rule.verdict) if rule.verdict else None,
        "to_review": [one.comparison_id for one in rule.pending],
        "comparisons": [_comparison_keys(one) for one in rule.comparisons],
        "history": [{**_verdict_keys(one), "undoes": one.undoes} for one in rule.history],
    }


def _verdict_keys(verdict: StoredVerdict) -> dict[str, Any]:
    return {
        "verdict_id": verdict.verdict_id,
        "action": verdict.action,
        "tool": verdict.tool,
        "by": verdict.made_by,
        "at": verdict.at,
        "note": verdict.note,
    }


def _comparison_keys(one: StoredComparison) -> dict[str, Any]:
    return {
        "comparison_id": one.comparison_id,
        "occasion": one.occasion,
        "counted": one.slot is not None,
        "document_id": one.document_id,
        "version": one.version,
        "a": {"tool": one.tool_a, "engine_version": one.engine_a},
        "b": {"tool": one.tool_b, "engine_version": one.engine_b},
        "metrics": one.metrics,
        "agreement": one.agreement,
        "diverges": one.diverges,
        "failure": one.failure,
        "seconds": one.seconds,
        "at": one.at,
    }


def _write_state(state: ProfileState) -> None:
    from octavo_cli.toolkit.output import add_row, clean, make_table, write_line, write_table

    write_line(f"{clean(state.name)}: {clean(state.description)}")
    table = make_table("Kind of document", "Plugins", "#Compared", "#To review", "Verdict")
    for rule in state.rules:
        names = ", ".join(f"({one.name})" if one.lacking else one.name for one in rule.plugins)
        row = (rule.routing_type, names, str(len(rule.comparisons)), str(len(rule.pending)), _verdict_text(rule))
        add_row(table, row, style="yellow" if rule.pending else None)
    write_table(table)
    if any(one.lacking for rule in state.rules for one in rule.plugins):
        write_line("\nIn brackets: not installed, or its engine is missing.")
    write_line(f"\n{_sampling_text(state)}")


def _sampling_text(state: ProfileState) -> str:
    if not state.places:
        return "Sampling: off in this profile."
    waits = f"\n{_waiting_text(state.waiting)}" if state.waiting else ""
    return (
        f"Sampling: {state.counted} of the first {state.places} documents also converted by a second plugin, "
        f"{state.seconds:.1f} s in total.{waits}"
    )


def _write_sampled(made: Sequence[StoredComparison], state: ProfileState) -> None:
    from octavo_cli.toolkit.output import write_line

    if not made:
        write_line("No documents were compared.")
    for kind in sorted({one.routing_type for one in made}):
        mine = [one for one in made if one.routing_type == kind]
        differing = sum(one.diverges for one in mine)
        differ = f", {differing} {'differs' if differing == 1 else 'differ'} too much" if differing else ""
        write_line(f"{kind}: {_documents(len(mine))} compared{differ}")
    if state.waiting:
        write_line(
            f"{_documents(state.waiting)} could not be compared now: a plugin, a password or the file is missing"
        )
    if any(rule.pending for rule in state.rules):
        write_line("\nNext: octavo routing review")


def _waiting_text(count: int) -> str:
    return f"{_documents(count)} still to be compared. Run: octavo routing sample"


def _documents(count: int) -> str:
    return "1 document" if count == 1 else f"{count} documents"


def _verdict_text(rule: RoutingRule) -> str:
    verdict = rule.verdict
    if verdict is None:
        return ""
    said = f"{verdict.tool} first" if verdict.tool else "kept as it is"
    why = f": {verdict.note}" if verdict.note else ""
    return f"{said}, by {verdict.made_by}, {verdict.at[:10]}{why}"


def _write_reviews(rules: Sequence[RoutingRule], waiting: int) -> None:
    from octavo_cli.toolkit.output import write_line

    if not rules:
        write_line("No rules need a review.")
    for place, rule in enumerate(rules):
        count = len(rule.pending)
        differ = "differs" if count == 1 else "differ"
        blank = "\n" if place else ""
        write_line(f"{blank}{rule.routing_type}: {count} of {len(rule.comparisons)} comparisons {differ} too much")
        _write_comparisons(rule.pending)
    if rules:
        first = rules[0].pending[0]
        write_line(
            f"\nLook:   octavo compare {(first.document_id or 'DOC')[:8]} --with {first.tool_a} --with {first.tool_b}"
        )
        write_line(f"Decide: octavo routing review {rules[0].routing_type} --prefer PLUGIN --note WHY, or --keep")
    if waiting:
        write_line(f"\n{_waiting_text(waiting)}")


def _write_comparisons(comparisons: Sequence[StoredComparison]) -> None:
    from octavo_cli.toolkit.output import add_row, make_table, write_table

    from ..documents.compare import number_text

    table = make_table("Document", "Plugins", "#Agreement", "Characters", "Tables", "Headings", "Page anchors")
    for one in comparisons:
        cells = [(one.document_id or "purged")[:8], f"{one.tool_a} / {one.tool_b}"]
        cells.append("–" if one.agreement is None else f"{one.agreement:.0%}")
        for metric in one.metrics.values():
            mark = " !" if metric["diverges"] else ""
            cells.append(f"{number_text(metric['a'])} / {number_text(metric['b'])}{mark}")
        add_row(table, cells)
    write_table(table)


def _write_decided(rule: RoutingRule) -> None:
    from octavo_cli.toolkit.output import clean, write_line

    said = _verdict_text(rule) or "no verdict in force; the profile's own order applies"
    write_line(clean(f"{rule.routing_type}: {said}"))
    if rule.pending:
        count = len(rule.pending)
        write_line(f"{count} comparison needs a review." if count == 1 else f"{count} comparisons need a review.")
