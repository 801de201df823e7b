"""The report: claims with citations, what failed, and its two forms, markdown and JSON (RES-1, RES-6)."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from typing import Any

from .source_fidelity import SourceFidelity

_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>#|~])")
_ENTITY = re.compile(r"&(?=#?\w+;)")


@dataclass(frozen=True, kw_only=True)
class Citation:
    """A quotation with its place.

    Attributes:
        document_id: the document.
        title: what the document is called.
        version: the conversion version.
        locator: the place in the version's canonical text (DIG-3).
        source_text_hash: `sha256:` and the hash of that text.
        quote: exactly the text at that place.
        is_cut_before: whether the quotation begins within a sentence; in the JSON only where it does.
        is_cut_after: whether it ends within one; in the JSON only where it does.
    """

    document_id: str
    title: str
    version: int
    locator: str
    source_text_hash: str
    quote: str
    is_cut_before: bool = False
    is_cut_after: bool = False


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A claim.

    Attributes:
        text: the claim.
        supported: whether a citation supports it.
        citations: its citations.
        sources_differ: whether its citations give different values for what is asked; in the JSON only where they do.
    """

    text: str
    supported: bool
    citations: tuple[Citation, ...] = ()
    sources_differ: bool = False


@dataclass(frozen=True, kw_only=True)
class Section:
    """A part of the report.

    Attributes:
        heading: the sub-query that it answers.
        claims: its claims, best first.
    """

    heading: str
    claims: tuple[Claim, ...]


@dataclass(frozen=True, kw_only=True)
class Failure:
    """What failed, so that no success is partial in silence.

    Attributes:
        step: the step that failed.
        reason: a reason code, such as `no_sources`, `source_unavailable`, `not_searched` or `time_ceiling`.
        message: what went wrong, for people.
        document_id: the document, or None.
    """

    step: str
    reason: str
    message: str
    document_id: str | None = None


@dataclass(frozen=True, kw_only=True)
class ResearchReport:
    """The report of a run.

    Attributes:
        research_id: the run.
        question: what was asked.
        status: the run's status.
        sections: the sections.
        failures: what failed.
        model: the model that wrote the claims; `none`: every claim is a quotation.
        content_fidelity: how much of each source was read (DIG-30); empty in a run of an older version.
    """

    research_id: str
    question: str
    status: str
    sections: tuple[Section, ...]
    failures: tuple[Failure, ...] = ()
    model: str = "none"
    content_fidelity: tuple[SourceFidelity, ...] = ()

    def citations(self) -> tuple[Citation, ...]:
        """All citations, in order."""
        return tuple(one for section in self.sections for claim in section.claims for one in claim.citations)

    def to_dict(self) -> dict[str, Any]:
        """The report as `report.json` has it."""
        found: dict[str, Any] = json.loads(
            json.dumps(asdict(self))
        )  # tuples become lists, as a reader of the file has them
        claims = [claim for section in found["sections"] for claim in section["claims"]]
        for held in [*claims, *(one for claim in claims for one in claim["citations"])]:
            for name in ("sources_differ", "is_cut_before", "is_cut_after"):
                if held.get(name) is False:
                    del held[name]
        if not self.content_fidelity:
            del found["content_fidelity"]  # a run that recorded none has the report that it always had
        return found

    def to_markdown(self) -> str:
        """The report for people. Quotation marks stand around citations alone."""
        sources: dict[tuple[str, int], int] = {}
        titles: dict[int, Citation] = {}
        lines = [f"# {_plain(self.question)}", ""]
        if self.status != "completed":
            lines += [f"The run is {self.status}: this report holds what it has found so far.", ""]
        wrote = "No language model wrote any of it."
        if self.model != "none":
            wrote = f"The claims before the quotations were written by the language model {_plain(self.model)}."
        lines += [f"Each quotation is an exact excerpt of its source. {wrote}", ""]
        for section in self.sections:
            lines += [f"## {_plain(section.heading)}", ""]
            for claim in section.claims:
                if not claim.citations:
                    lines += [f"- **Unsupported:** {_plain(claim.text)}"]
                is_written = bool(claim.citations) and claim.text != claim.citations[0].quote
                if claim.sources_differ:
                    lines += ["- **Sources differ:**"]
                elif is_written:
                    lines += [f"- {_plain(claim.text)}"]
                for cited in claim.citations:
                    number = sources.setdefault((cited.document_id, cited.version), len(sources) + 1)
                    titles.setdefault(number, cited)
                    lines += [
                        f"{'  ' if is_written or claim.sources_differ else ''}- {_quoted(cited)} [{number}, {cited.locator}]"
                    ]
            lines.append("")
        if titles:
            lines += ["## Sources", ""]
            lines += [
                f"{number}. {_plain(one.title)}, version {one.version}, document `{one.document_id}`, text "
                f"`{one.source_text_hash}`"
                for number, one in titles.items()
            ] + [""]
        if self.failures:
            lines += ["## What failed", ""]
            lines += [f"- {_plain(one.message)} (`{one.reason}`, step `{one.step}`)" for one in self.failures] + [""]
        return "\n".join(lines)


def _quoted(cited: Citation) -> str:
    """A quotation in its marks; an ellipsis outside of them says that its sentence goes on."""
    before, after = "… " * cited.is_cut_before, " …" * cited.is_cut_after
    return f"{before}“{_plain(cited.quote)}”{after}"


def _plain(text: str) -> str:
    """Text in which no character is markdown's: a source cannot forge a heading, a link, an image or a character reference."""
    # Not every reader of markdown takes a backslash before an ampersand; each takes the reference to it.
    return _MARKDOWN.sub(r"\\\1", _ENTITY.sub("&amp;", " ".join(text.split())))
