"""Routing review: rules whose sampled conversions diverge, two conversions side by side, decisions (CNV-4). The owner's."""

from __future__ import annotations

import contextlib

from octavo_contracts import OctavoError, UsageError
from octavo_library.facade.routing_review.rules import RoutingRule
from octavo_library.facade.routing_review.side_by_side import rows
from octavo_library.storage import StoredComparison
from pydantic import Field

from ..problems import NotFound, public_text
from ..screen import Query, Reader, Screen, View
from .difference import RowView

MOST_COMPARISONS = 200
MOST_ROWS = 400
SECONDS = 120.0
"""Time limit of a conversion that is made for a comparison."""


class RoutingQuery(Query):
    """No parameters."""


class RuleQuery(Query):
    """A rule."""

    routing_type: str = Field(pattern=r"^[a-z_]{1,60}$", description="Routing type of the rule.")
    comparison: int | None = Field(default=None, ge=1, le=10**12, description="A comparison to show side by side.")
    page: int | None = Field(
        default=None, ge=1, le=10_000_000, description="Page; by default the one that agrees least."
    )


class DecisionView(View):
    """A decision about a rule."""

    action: str = Field(description="`prefer`, `keep` or `undo`.")
    tool: str | None = Field(description="The preferred plugin, or null.")
    note: str = Field(description="Why, or empty.")
    made_by: str = Field(description="Who decided.")
    at: str = Field(description="When, UTC.")


class MetricView(View):
    """A metric of two conversions."""

    name: str = Field(description="`text_yield`, `tables`, `headings` or `page_anchors`.")
    a: float | None = Field(description="Value of the first plugin, or null.")
    b: float | None = Field(description="Value of the second plugin, or null.")
    difference: float | None = Field(description="As a share of the larger, 0..1, or null.")
    diverges: bool = Field(description="Whether it is above the threshold.")


class ComparisonView(View):
    """A document that was converted by two plugins."""

    number: int = Field(description="Its number.")
    name: str = Field(description="The document, or that it was removed.")
    url: str | None = Field(description="The page of the document, or null.")
    tool_a: str = Field(description="The plugin that routing chose.")
    tool_b: str = Field(description="The second plugin.")
    agreement: float | None = Field(description="Agreement of the texts, 0..1, or null.")
    diverges: bool = Field(description="Whether a metric diverges.")
    failure: str | None = Field(description="Why the second plugin could not convert it, or null.")
    metrics: list[MetricView] = Field(description="The metrics.")
    at: str = Field(description="When, UTC.")
    is_pending: bool = Field(description="Whether it waits for a decision.")


class RuleRow(View):
    """A rule in the list."""

    routing_type: str = Field(description="The routing type.")
    url: str = Field(description="Its page.")
    plugins: list[str] = Field(
        description="Plugins in the order in which they are tried; those that cannot be used are left out."
    )
    decision: DecisionView | None = Field(description="The decision in force, or null.")
    comparisons: int = Field(description="Number of comparisons.")
    pending: int = Field(description="Comparisons that wait for a decision.")


class RoutingView(View):
    """The rules of the profile."""

    profile: str = Field(description="The profile.")
    description: str = Field(description="What it is for.")
    threshold: float = Field(description="Difference above which a metric diverges.")
    waiting: int = Field(description="Documents that a second plugin still has to convert.")
    rules: list[RuleRow] = Field(description="The rules.")


class SideView(View):
    """Two conversions side by side."""

    comparison: int = Field(description="The comparison.")
    tool_a: str = Field(description="The left plugin.")
    tool_b: str = Field(description="The right plugin.")
    pages: int = Field(description="Number of pages.")
    page: int | None = Field(description="The page that is shown, or null for the whole text.")
    agreement: float | None = Field(description="Agreement of this page, 0..1, or null.")
    rows: list[RowView] = Field(description="The differing lines.")
    problem: str | None = Field(description="Why the conversions cannot be shown, or null.")


class RuleView(RuleRow):
    """A rule with its comparisons."""

    readers: list[str] = Field(description="Plugins that can be preferred.")
    listed: list[ComparisonView] = Field(description="Its comparisons, newest first, up to 200.")
    history: list[DecisionView] = Field(description="All decisions, oldest first.")
    side: SideView | None = Field(description="The comparison that is shown side by side, or null.")


def build_list(reader: Reader, query: RoutingQuery) -> RoutingView:
    """List the rules of the profile.

    Raises:
        Refused: the asker is not the library's owner.
    """
    state = reader.owned.routing.rules()
    return RoutingView(
        profile=public_text(state.name),
        description=public_text(state.description),
        threshold=state.threshold,
        waiting=state.waiting,
        rules=[RuleRow(**_row(rule)) for rule in state.rules],
    )


def build_one(reader: Reader, query: RuleQuery) -> RuleView:
    """Show a rule; with a comparison, the two conversions, of which a missing one is made now.

    Raises:
        Refused: the asker is not the library's owner.
        NotFound: the profile has no such rule, or the rule no such comparison.
    """
    library = reader.owned
    rule = find_rule(reader, query.routing_type)
    waiting = {one.comparison_id for one in rule.pending}
    listed = list(reversed(rule.comparisons))[:MOST_COMPARISONS]
    chosen = None
    if query.comparison is not None:
        chosen = next((one for one in rule.comparisons if one.comparison_id == query.comparison), None)
        if chosen is None:
            raise NotFound("comparison", remedy="Go back to the rule")
    catalogue = library.context.runtime.catalogue
    tools = {plugin.name for plugin in rule.plugins} | {
        tool for one in rule.comparisons for tool in (one.tool_a, one.tool_b)
    }
    readers = [
        plugin.name for plugin in catalogue.having("convert") if plugin.name in tools and plugin.missing() is None
    ]
    return RuleView(
        **_row(rule),
        readers=sorted(readers),
        listed=[_comparison(reader, one, is_pending=one.comparison_id in waiting) for one in listed],
        history=[_decision(one) for one in rule.history],
        side=_side(reader, chosen, query.page) if chosen is not None else None,
    )


def find_rule(reader: Reader, routing_type: str) -> RoutingRule:
    """A rule of the profile.

    Raises:
        NotFound: no rule has this routing type.
    """
    for rule in reader.owned.routing.rules().rules:
        if rule.routing_type == routing_type:
            return rule
    raise NotFound("rule", remedy="Go back to the list of rules")


def _row(rule: RoutingRule) -> dict[str, object]:
    return {
        "routing_type": rule.routing_type,
        "url": f"/routing/{rule.routing_type}",
        "plugins": [plugin.name for plugin in rule.plugins if not plugin.lacking],
        "decision": _decision(rule.verdict) if rule.verdict is not None else None,
        "comparisons": len(rule.comparisons),
        "pending": len(rule.pending),
    }


def _decision(verdict: object) -> DecisionView:
    return DecisionView.model_validate(verdict, from_attributes=True)


def _comparison(reader: Reader, one: StoredComparison, *, is_pending: bool) -> ComparisonView:
    name, url = "a document that was removed", None
    if one.document_id is not None:
        catalogue = reader.library.catalogue
        with contextlib.suppress(UsageError):
            name, url = catalogue.name_of(catalogue.find(one.document_id)), f"/documents/{one.document_id}"
    return ComparisonView(
        number=one.comparison_id,
        name=name,
        url=url,
        tool_a=one.tool_a,
        tool_b=one.tool_b,
        agreement=one.agreement,
        diverges=one.diverges,
        failure=public_text(one.failure) if one.failure is not None else None,
        metrics=[
            MetricView(
                name=metric,
                **{key: values.get(key) for key in ("a", "b", "difference")},
                diverges=bool(values.get("diverges")),
            )
            for metric, values in one.metrics.items()
        ],
        at=one.at,
        is_pending=is_pending,
    )


def _side(reader: Reader, one: StoredComparison, page: int | None) -> SideView:
    shown = {"comparison": one.comparison_id, "tool_a": one.tool_a, "tool_b": one.tool_b}
    if one.document_id is None:
        return SideView(**shown, pages=0, page=None, agreement=None, rows=[], problem="The document was removed")
    try:
        found = reader.owned.routing.compare(one.document_id, plugins=(one.tool_a, one.tool_b), timeout=SECONDS)
    except OctavoError as error:
        problem = public_text(f"{error.message}. {error.remedy}".rstrip(". "))
        return SideView(**shown, pages=0, page=None, agreement=None, rows=[], problem=problem)
    agreements = found.measured.pages
    if not agreements or len(found.a.markdown) != len(found.b.markdown):
        lines = rows("\n".join(found.a.markdown), "\n".join(found.b.markdown))
        number, agreement = None, found.measured.agreement
    else:
        number = page or min(range(len(agreements)), key=lambda place: agreements[place]) + 1
        if number > len(agreements):
            raise NotFound("page")
        lines = rows(found.a.markdown[number - 1], found.b.markdown[number - 1])
        agreement = agreements[number - 1]
    return SideView(
        **shown,
        pages=max(len(found.a.markdown), len(found.b.markdown)),
        page=number,
        agreement=agreement,
        rows=[RowView(left=row.left, right=row.right, same=row.same, beyond=row.beyond) for row in lines[:MOST_ROWS]],
        problem=None,
    )


SCREENS = (
    Screen(
        path="/routing",
        template="routing.html",
        summary="Show the rules that choose plugins, with comparisons that wait for a decision.",
        query=RoutingQuery,
        view=RoutingView,
        build=build_list,
        is_owners=True,
    ),
    Screen(
        path="/routing/{routing_type}",
        template="routing_rule.html",
        summary="Show a rule with its comparisons, and two conversions side by side.",
        query=RuleQuery,
        view=RuleView,
        build=build_one,
        is_owners=True,
    ),
)
