"""Research runs and their reports, each quotation with a link to its marked place (RES-6); needs octavo-research."""

from __future__ import annotations

import re
from importlib.util import find_spec
from typing import TYPE_CHECKING

from octavo_contracts import UsageError
from pydantic import Field

from ..problems import NotFound, public_text
from ..screen import Query, Reader, Screen, View

if TYPE_CHECKING:
    from octavo_research import Citation, Research

MOST_RUNS = 200
_LOCATOR = re.compile(r"(?:page:(\d+):)?char:(\d+-\d+)")


class ResearchListQuery(Query):
    """No parameters."""


class ResearchQuery(Query):
    """A research run."""

    research_id: str = Field(pattern=r"^[0-9a-f-]{8,64}$", description="Id of the run.")


class ResearchRow(View):
    """A research run in the list."""

    id: str = Field(description="Its id.")
    url: str = Field(description="Its page.")
    question: str = Field(description="The question.")
    state: str = Field(description="`waiting`, `running`, `interrupted`, `completed`, `failed` or `cancelled`.")
    phase: str = Field(description="The phase that it is in.")
    created_at: str = Field(description="When it was asked, UTC.")
    updated_at: str = Field(description="When it changed last, UTC.")


class ResearchListView(View):
    """The research runs of the asker, newest first."""

    is_installed: bool = Field(description="Whether octavo-research is installed.")
    runs: list[ResearchRow] = Field(description="The runs.")


class CitationView(View):
    """A quotation with its place."""

    title: str = Field(description="The document.")
    version: int = Field(description="The version.")
    locator: str = Field(description="The place in its canonical text.")
    quote: str = Field(description="Exactly the text at that place.")
    is_cut_before: bool = Field(description="Whether the quotation begins within a sentence.")
    is_cut_after: bool = Field(description="Whether the quotation ends within a sentence.")
    url: str = Field(description="The page with the place marked.")


class ClaimView(View):
    """A claim."""

    text: str = Field(description="The claim.")
    sources_differ: bool = Field(description="Whether its citations give different values for what is asked.")
    supported: bool = Field(description="Whether a quotation supports it.")
    citations: list[CitationView] = Field(description="Its quotations.")


class SectionView(View):
    """A part of the report."""

    heading: str = Field(description="The sub-query that it answers.")
    claims: list[ClaimView] = Field(description="Its claims, best first.")


class ResearchFailureView(View):
    """What failed."""

    reason: str = Field(description="Reason code.")
    message: str = Field(description="What went wrong.")
    step: str = Field(description="The step.")


class ResearchView(ResearchRow):
    """A research run with its report."""

    reason: str = Field(description="Why it failed, or empty.")
    steps: int = Field(description="Number of finished steps.")
    sections: list[SectionView] = Field(description="The report, as far as the run is.")
    failures: list[ResearchFailureView] = Field(description="What failed.")


def is_installed() -> bool:
    """Whether the feature is installed."""
    return find_spec("octavo_research") is not None


def build_list(reader: Reader, query: ResearchListQuery) -> ResearchListView:
    """List research runs."""
    if not is_installed():
        return ResearchListView(is_installed=False, runs=[])
    research = _research(reader)
    return ResearchListView(
        is_installed=True, runs=[_row(research, one.research_id) for one in research.list()[:MOST_RUNS]]
    )


def build_one(reader: Reader, query: ResearchQuery) -> ResearchView:
    """Show a research run and its report.

    Raises:
        NotFound: the asker has no such run, or octavo-research is not installed.
    """
    if not is_installed():
        raise NotFound("research run", remedy="Install the feature: pip install octavo-research")
    research = _research(reader)
    try:
        record = research.get(query.research_id)
    except UsageError:
        raise NotFound("research run", remedy="Go back to the list of research runs") from None
    report = research.report(record.research_id)
    row = _row(research, record.research_id)
    return ResearchView(
        **row.model_dump(),
        reason=public_text(record.reason or ""),
        steps=len(research.steps(record.research_id)),
        sections=[
            SectionView(
                heading=section.heading,
                claims=[
                    ClaimView(
                        text=claim.text,
                        supported=claim.supported,
                        sources_differ=claim.sources_differ,
                        citations=[_citation(one) for one in claim.citations],
                    )
                    for claim in section.claims
                ],
            )
            for section in report.sections
        ],
        failures=[
            ResearchFailureView(reason=one.reason, message=public_text(one.message), step=one.step)
            for one in report.failures
        ],
    )


def _research(reader: Reader) -> Research:
    from octavo_research import Research

    return Research(reader.library, corpus=reader.corpus)


def _row(research: Research, research_id: str) -> ResearchRow:
    record = research.get(research_id)
    return ResearchRow(
        id=record.research_id,
        url=f"/research/{record.research_id}",
        question=record.question,
        state=research.state(record),
        phase=record.phase,
        created_at=record.created_at,
        updated_at=record.updated_at,
    )


def _citation(one: Citation) -> CitationView:
    return CitationView(
        title=one.title,
        version=one.version,
        locator=one.locator,
        quote=one.quote,
        is_cut_before=one.is_cut_before,
        is_cut_after=one.is_cut_after,
        url=cited_place(one.document_id, one.version, one.locator),
    )


def cited_place(document_id: str, version: int, locator: str) -> str:
    """The page of a quotation in the version that it cites, with the place marked."""
    found = _LOCATOR.fullmatch(locator)
    if found is None:
        return f"/documents/{document_id}"
    return f"/documents/{document_id}/pages/{found[1] or 1}?version={version}&char={found[2]}#marked"


SCREENS = (
    Screen(
        path="/research",
        template="research.html",
        summary="List research runs, newest first.",
        query=ResearchListQuery,
        view=ResearchListView,
        build=build_list,
    ),
    Screen(
        path="/research/{research_id}",
        template="research_run.html",
        summary="Show a research run with its report; each quotation leads to its place.",
        query=ResearchQuery,
        view=ResearchView,
        build=build_one,
    ),
)
