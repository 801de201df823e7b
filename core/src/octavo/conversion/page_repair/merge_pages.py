"""Replaces suspect pages by another engine's better versions, and records their provenance (CNV-2, CNV-12)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from octavo_contracts import (
    ContractViolation,
    Conversion,
    ConversionWarning,
    HiddenText,
    Page,
    PageAgreement,
    QualityEvidence,
    QualityFinding,
)
from octavo_text.page_spans import pages_text
from octavo_text.words import words

from ...builtins.quality.thresholds import DEFAULT_THRESHOLDS, QualityThresholds
from .page_suspects import PageState, PageSuspect, expected_on, partial_pages, state_of

REPAIRED = "page_repaired"
"""Code of the note that a page came from another engine than the rest."""
TABLES_PUT_BACK = "tables_put_back"
"""Code of the note that tables of a page came from another engine than its text."""
MAX_HIDDEN_SHARE = 0.2
"""A page that shows more than this share of a hidden text's word pairs counts as showing the hidden text."""

MAX_HIDDEN_SEARCH = 50_000_000
"""Limit of a document's search cost: hidden texts of a page times characters searched for each, over all pages.

Pages above it are kept as they were. Real documents are far below; a search of this size takes about a second.
"""

TABLES_UNDONE = "tables_undone"
"""Code of the note that tables of a page are running text, since one engine alone sees tables there."""
HEADINGS_VOTED = "headings_voted"
"""Code of the note that headings of a page were marked by the vote of several engines."""
LETTERS_PUT_BACK = "letters_put_back"
"""Code of the note that words of a page have letters or digits of several other engines."""
_KEYS = {REPAIRED: "repaired_pages"}
"""Keys in `tool.json`."""

TOO_MUCH_HIDDEN = "the page has too many hidden texts to search for each of them"


@dataclass(frozen=True, kw_only=True)
class PageRepair:
    """A page that came from another engine than the rest, as a whole or for some of its tables.

    Attributes:
        page: its number, from 1.
        engine: the plugin that converted it.
        engine_version: version of that plugin's engine, or None.
        instead_of: the plugin whose page it replaced.
        because: why that page was suspect.
        tells_hidden: whether the plugin separates hidden text.
        tables: number of its tables that were put into the page; 0 if the whole page came from it.
        headings: number of lines that became headings, or are none any more, by the vote of engines; then `engine` names
            the voters, and nothing else came from them.
        tables_undone: number of the page's own tables that became running text, as no other engine sees a table there.
        words: number of words that lacked letters or digits; then `engine` names the others, of which two at least agree.
    """

    page: int
    engine: str
    engine_version: str | None
    instead_of: str
    because: str
    tells_hidden: bool
    tables: int = 0
    headings: int = 0
    tables_undone: int = 0
    words: int = 0

    @property
    def kind(self) -> str:
        """Code of its note, and key of its record in `tool.json`."""
        if self.tables_undone:
            return TABLES_UNDONE
        if self.headings:
            return HEADINGS_VOTED
        if self.words:
            return LETTERS_PUT_BACK
        return TABLES_PUT_BACK if self.tables else REPAIRED


@dataclass(frozen=True, kw_only=True)
class Merged:
    """A conversion with some pages from a second engine.

    Attributes:
        conversion: all pages.
        repairs: the pages that were replaced.
        kept: suspect pages that were not replaced → reason.
        agreements: how far several readings of pages agree; empty if there was no consensus.
    """

    conversion: Conversion
    repairs: tuple[PageRepair, ...]
    kept: Mapping[int, str]
    agreements: tuple[PageAgreement, ...] = ()

    @property
    def refusal(self) -> str:
        """Why suspect pages were not replaced: each reason with its pages, for display."""
        pages: dict[str, list[int]] = {}
        for page, why in sorted(self.kept.items()):
            pages.setdefault(why, []).append(page)
        return "; ".join(f"{pages_text(numbers)}: {why}" for why, numbers in pages.items())


def check_part(part: Conversion, asked: Sequence[int], *, plugin: str) -> None:
    """Validate a conversion of some pages against the request: it comes from a worker and is not trusted.

    Raises:
        ContractViolation: the conversion contains other pages than requested.
    """
    if not part.paginated or part.source_pages != tuple(asked):
        given = "no pages" if not part.paginated else f"pages {part.source_pages}"
        raise ContractViolation(f"pages {tuple(asked)} were requested, but the conversion has {given}", plugin=plugin)


def merge(
    first: Conversion,
    second: Conversion,
    doubts: Mapping[int, PageSuspect],
    evidence: QualityEvidence,
    *,
    engine: str,
    instead_of: str,
    tells_hidden: bool,
    thresholds: QualityThresholds = DEFAULT_THRESHOLDS,
) -> Merged:
    """Replace each suspect page of the first conversion for which the second engine did better.

    Args:
        first: the whole document.
        second: the suspect pages only, in order (`check_part`).
        doubts: page → why it is suspect.
        evidence: facts about the source.
        engine: the plugin that made `second`.
        instead_of: the plugin that made `first`.
        tells_hidden: whether the plugin that made `second` separates hidden text.
        thresholds: when flags are raised.
    """
    lost_first, lost_second = partial_pages(first), partial_pages(second)
    pages, repairs, kept = list(first.pages), [], {}
    places: dict[int, int] = {}
    searched = 0
    for place, number in enumerate(second.source_pages or (), start=1):
        old, new, doubt = first.pages[number - 1], second.pages[place - 1], doubts[number]
        look = _Look(expected=expected_on(evidence, number), min_chars=thresholds.min_chars_a_page)
        before, after = look.at(old, partial=number in lost_first), look.at(new, partial=place in lost_second)
        refusal = _no_better(before, after, doubt, thresholds)
        if not refusal:
            searched += _search_cost(old, new)
            refusal = shows_hidden(old, new) if searched <= MAX_HIDDEN_SEARCH else TOO_MUCH_HIDDEN
        if refusal:
            kept[number] = refusal
            continue
        places[place] = number
        pages[number - 1] = in_place_of(old, new)
        repairs.append(
            PageRepair(
                page=number,
                engine=engine,
                engine_version=second.engine_version,
                instead_of=instead_of,
                because=doubt.why,
                tells_hidden=tells_hidden,
            )
        )
    merged = first.model_copy(update={"pages": tuple(pages), "warnings": _warnings(first, second, places)})
    return Merged(conversion=merged, repairs=tuple(repairs), kept=kept)


def findings(repairs: Sequence[PageRepair]) -> tuple[QualityFinding, ...]:
    """Build the notes about pages and tables that came from another engine."""
    return tuple(
        QualityFinding(flag=one.kind, severity="note", message=_message(one), page=one.page) for one in repairs
    )


def _message(one: PageRepair) -> str:
    if one.tables_undone:
        count = "a table is" if one.tables_undone == 1 else f"{one.tables_undone} tables are"
        return f"{count} written as running text, not as {one.instead_of} read it: {one.because}"
    if one.headings:
        count = "a heading is" if one.headings == 1 else f"{one.headings} headings are"
        return f"{count} written as most readers of the page do, not as {one.instead_of} did"
    if one.words:
        count = "a word has" if one.words == 1 else f"{one.words} words have"
        return f"{count} letters or digits that {one.instead_of} left out: {one.because}"
    if one.tables:
        count = "a table is" if one.tables == 1 else f"{one.tables} tables are"
        return f"{count} taken from {one.engine}, and the text from {one.instead_of}: {one.because}"
    blind = "" if one.tells_hidden else "; this plugin does not detect hidden text"
    return f"the page's text is taken from {one.engine}, not from {one.instead_of}: {one.because}{blind}"


def origins(repairs: Sequence[PageRepair]) -> dict[str, dict[str, dict[str, str | int | None]]]:
    """Format the repairs for `tool.json`: replaced pages, inserted tables, voted headings; page → provenance and reason."""
    found: dict[str, dict[str, dict[str, str | int | None]]] = {}
    for one in repairs:
        record: dict[str, str | int | None] = {
            "engine": one.engine,
            "engine_version": one.engine_version,
            "instead_of": one.instead_of,
            "because": one.because,
        }
        if one.tables:
            record["tables"] = one.tables
        of_kind = found.setdefault(_KEYS.get(one.kind, one.kind), {})
        # Tables of one page may come from several engines: the key of the second one names it.
        key = str(one.page)
        of_kind[key if key not in of_kind else f"{key} {one.engine}"] = record
    return found


def has_origins(tool: Mapping[str, object]) -> bool:
    """Return whether a version's `tool.json` records parts from another engine."""
    return not {_KEYS[REPAIRED], TABLES_PUT_BACK, TABLES_UNDONE, HEADINGS_VOTED, LETTERS_PUT_BACK}.isdisjoint(tool)


@dataclass(frozen=True, kw_only=True)
class _Look:
    """Parameters of judging a page, the same for both engines."""

    expected: int | None
    min_chars: int

    def at(self, page: Page, *, partial: bool) -> PageState:
        return state_of(page, expected=self.expected, min_chars=self.min_chars, partial=partial)


def _no_better(before: PageState, after: PageState, doubt: PageSuspect, thresholds: QualityThresholds) -> str:
    """Return why a page is not used; empty if it is better."""
    if after.chars < thresholds.same_yield * before.chars:
        return f"the page has {after.chars} characters of text, the first engine's {before.chars}"
    if after.junk > before.junk:
        return "more of its characters are unmapped"
    if after.partial and not before.partial:
        return "a part of the page was lost"
    if doubt.flag == "tables_garbled" and not after.tables:
        return "the page has no table"
    if after.malformed > before.malformed:
        return "more rows of its tables are malformed"
    if _defects(after) < _defects(before):
        return ""
    return "the page is not better"


def _defects(state: PageState) -> tuple[bool, float]:
    """Return the defects of a page as a sort key: a reported loss weighs more than everything else."""
    return state.partial, round(state.missing + state.malformed + state.junk, 4)


def _search_cost(old: Page, new: Page) -> int:
    return len(old.hidden_text) * (len(old.text or "") + len(new.text or ""))


def shows_hidden(old: Page, new: Page) -> str:
    """Return why a page is rejected for showing hidden text; empty if it shows none."""
    visible, dense = _squeezed(old.text or ""), _squeezed(new.text or "")
    seen, shown = _pairs(old.text or ""), _pairs(new.text or "")
    for item in old.hidden_text:
        # Do not subtract counters: that would iterate over all pairs of the page for each hidden text.
        hidden = {pair: more for pair, count in _pairs(item.text).items() if (more := count - seen[pair]) > 0}
        again = sum(min(count, shown[pair]) for pair, count in hidden.items())
        text = _squeezed(item.text)
        whole = len(text) > 3 and dense.count(text) > visible.count(text)
        if whole or (hidden and again > MAX_HIDDEN_SHARE * sum(hidden.values())):
            return f"the page shows text that is hidden ({item.why})"
    return ""


def _pairs(text: str) -> Counter[tuple[str, str]]:
    found = words(text)
    return Counter(pairwise(found))


def _squeezed(text: str) -> str:
    return "".join(text.split()).casefold()


def in_place_of(old: Page, new: Page) -> Page:
    """Give a page the number of the page that it replaces, and everything that was known to be hidden on that one."""
    hidden: tuple[HiddenText, ...] = tuple(dict.fromkeys((*old.hidden_text, *new.hidden_text)))
    return new.model_copy(
        update={
            "number": old.number,
            "label": old.label or new.label,
            "hidden_text": hidden,
            "width": new.width or old.width,
            "height": new.height or old.height,
            "has_images": old.has_images or new.has_images,
        }
    )


def _warnings(first: Conversion, second: Conversion, places: Mapping[int, int]) -> tuple[ConversionWarning, ...]:
    """Select the valid warnings: the second engine's for its pages, the first one's for all others."""
    replaced = set(places.values())
    own = [warning for warning in first.warnings if warning.page not in replaced]
    other = [
        warning.model_copy(update={"page": places[warning.page]})
        for warning in second.warnings
        if warning.page is not None and warning.page in places
    ]
    return (*own, *other)
