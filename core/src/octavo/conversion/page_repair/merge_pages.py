"""Put the better page of two engines in each doubted place, and say which came from where (CNV-2, CNV-12)."""

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
    QualityEvidence,
    QualityFinding,
)

from ...builtins.quality import DEFAULT_THRESHOLDS, QualityThresholds
from ...text.words import words
from .page_suspects import PageState, PageSuspect, expected_on, partial_pages, state_of

REPAIRED = "page_repaired"
"""A note: a page came from another engine than the rest."""
TABLES_PUT_BACK = "tables_put_back"
"""A note: tables of a page came from another engine than its text."""
MAX_HIDDEN_SHARE = 0.2
"""A page that shows more than this share of a hidden text's word pairs shows the hidden text."""

MAX_HIDDEN_SEARCH = 50_000_000
"""Hidden texts of pages times the characters searched for each, over all pages of a document: what is above it stays
as it was. Real documents stay far below; searching this much takes a second or so."""

_PAGES, _TABLES = "repaired_pages", "tables_put_back"
"""Keys of `tool.json`."""
SHOWN = 8
"""Page numbers that a sentence names before it counts the rest."""

TOO_MUCH_HIDDEN = "it has too many hidden texts to look for each of them"


@dataclass(frozen=True, kw_only=True)
class PageRepair:
    """A page that came from another engine than the rest, or some tables of which did.

    Attributes:
        page: its number, from 1.
        engine: the plugin it came from.
        engine_version: of that plugin's engine, or None.
        instead_of: the plugin whose page it replaced.
        because: the doubt about that page.
        tells_hidden: whether that plugin keeps hidden text apart.
        tables: how many of its tables were put into the page; 0 where the page as a whole came from it.
    """

    page: int
    engine: str
    engine_version: str | None
    instead_of: str
    because: str
    tells_hidden: bool
    tables: int = 0


def pages_text(pages: Sequence[int]) -> str:
    """For example "page 3", "pages 3, 7" or "pages 1, 2, 3, 4, 5, 6, 7, 8 and 12 more"."""
    shown = ", ".join(map(str, pages[:SHOWN]))
    more = f" and {len(pages) - SHOWN} more" if len(pages) > SHOWN else ""
    return f"page{'s' if len(pages) > 1 else ''} {shown}{more}"


@dataclass(frozen=True, kw_only=True)
class Merged:
    """A conversion some of whose pages came from a second engine.

    Attributes:
        conversion: all pages.
        repairs: the pages that were replaced.
        kept: doubted pages that stayed as they were → why.
    """

    conversion: Conversion
    repairs: tuple[PageRepair, ...]
    kept: Mapping[int, str]

    @property
    def refusal(self) -> str:
        """Why doubted pages stayed as they were, for people: each reason with its pages."""
        pages: dict[str, list[int]] = {}
        for page, why in sorted(self.kept.items()):
            pages.setdefault(why, []).append(page)
        return "; ".join(f"{pages_text(numbers)}: {why}" for why, numbers in pages.items())


def check_part(part: Conversion, asked: Sequence[int], *, plugin: str) -> None:
    """Hold a conversion of some pages to what was asked for: it comes from a worker, and is not trusted.

    Raises:
        ContractViolation: it holds other pages than those.
    """
    if not part.paginated or part.source_pages != tuple(asked):
        given = "no pages" if not part.paginated else f"pages {part.source_pages}"
        raise ContractViolation(f"it was asked for pages {tuple(asked)} and gave {given}", plugin=plugin)


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
    """The first conversion with each doubted page replaced where the second engine did better.

    Args:
        first: the whole document.
        second: the doubted pages only, in order (`check_part`).
        doubts: page → the doubt about it.
        evidence: what is known of the source.
        engine: the plugin that made `second`.
        instead_of: the plugin that made `first`.
        tells_hidden: whether the plugin that made `second` keeps hidden text apart.
        thresholds: when a flag is raised.
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
            refusal = _shows_hidden(old, new) if searched <= MAX_HIDDEN_SEARCH else TOO_MUCH_HIDDEN
        if refusal:
            kept[number] = refusal
            continue
        places[place] = number
        pages[number - 1] = _in_place_of(old, new)
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
    """What the quality report says of pages and tables that came from another engine."""
    return tuple(
        QualityFinding(
            flag=TABLES_PUT_BACK if one.tables else REPAIRED, severity="note", message=_told(one), page=one.page
        )
        for one in repairs
    )


def _told(one: PageRepair) -> str:
    if one.tables:
        count = "a table" if one.tables == 1 else f"{one.tables} tables"
        return f"{count} by {one.engine} in the text by {one.instead_of}: {one.because}"
    blind = "" if one.tells_hidden else "; it cannot tell hidden text from visible text"
    return f"converted by {one.engine} in place of {one.instead_of}: {one.because}{blind}"


def origins(repairs: Sequence[PageRepair]) -> dict[str, dict[str, dict[str, str | int | None]]]:
    """The repairs as `tool.json` has them: pages, and tables put into pages; page → where it came from, and why."""
    found: dict[str, dict[str, dict[str, str | int | None]]] = {}
    for one in repairs:
        said: dict[str, str | int | None] = {
            "engine": one.engine,
            "engine_version": one.engine_version,
            "instead_of": one.instead_of,
            "because": one.because,
        }
        if one.tables:
            said["tables"] = one.tables
        found.setdefault(_TABLES if one.tables else _PAGES, {})[str(one.page)] = said
    return found


def has_origins(tool: Mapping[str, object]) -> bool:
    """Whether a version's `tool.json` says that a part of it came from another engine."""
    return _PAGES in tool or _TABLES in tool


@dataclass(frozen=True, kw_only=True)
class _Look:
    """How a page is looked at: the same way for both engines."""

    expected: int | None
    min_chars: int

    def at(self, page: Page, *, partial: bool) -> PageState:
        return state_of(page, expected=self.expected, min_chars=self.min_chars, partial=partial)


def _no_better(before: PageState, after: PageState, doubt: PageSuspect, thresholds: QualityThresholds) -> str:
    """Why a page is not taken; empty where it is better."""
    if after.chars < thresholds.same_yield * before.chars:
        return f"it has {after.chars} characters of text and the first one {before.chars}"
    if after.junk > before.junk:
        return "more of its characters are unmapped"
    if after.partial and not before.partial:
        return "a part of it was lost"
    if doubt.flag == "tables_garbled" and not after.tables:
        return "it has no table"
    if after.malformed > before.malformed:
        return "more rows of its tables are malformed"
    if _ills(after) < _ills(before):
        return ""
    return "it is no better"


def _ills(state: PageState) -> tuple[bool, float]:
    """What is wrong with a page, to be compared: a part that is known to be lost before everything else."""
    return state.partial, round(state.missing + state.malformed + state.junk, 4)


def _search_cost(old: Page, new: Page) -> int:
    return len(old.hidden_text) * (len(old.text or "") + len(new.text or ""))


def _shows_hidden(old: Page, new: Page) -> str:
    """Why a page is not taken for what it shows; empty where it shows nothing that was kept apart."""
    visible, dense = _squeezed(old.text or ""), _squeezed(new.text or "")
    seen, shown = _pairs(old.text or ""), _pairs(new.text or "")
    for item in old.hidden_text:
        # Not a difference of counters: that goes through all pairs of the page again for each hidden text.
        hidden = {pair: more for pair, count in _pairs(item.text).items() if (more := count - seen[pair]) > 0}
        again = sum(min(count, shown[pair]) for pair, count in hidden.items())
        text = _squeezed(item.text)
        whole = len(text) > 3 and dense.count(text) > visible.count(text)
        if whole or (hidden and again > MAX_HIDDEN_SHARE * sum(hidden.values())):
            return f"it shows text that is hidden ({item.why})"
    return ""


def _pairs(text: str) -> Counter[tuple[str, str]]:
    found = words(text)
    return Counter(pairwise(found))


def _squeezed(text: str) -> str:
    return "".join(text.split()).casefold()


def _in_place_of(old: Page, new: Page) -> Page:
    """A page in the place of another: that one's number, and everything that was known to be hidden on it."""
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
    """The warnings that still hold: the second engine's for the pages that it gave, the first one's for all others."""
    replaced = set(places.values())
    own = [warning for warning in first.warnings if warning.page not in replaced]
    other = [
        warning.model_copy(update={"page": places[warning.page]})
        for warning in second.warnings
        if warning.page is not None and warning.page in places
    ]
    return (*own, *other)
