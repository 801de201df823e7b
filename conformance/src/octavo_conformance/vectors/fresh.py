"""Fresh documents: their words are generated when the suite runs, so that no plugin can know them in advance.

The golden vectors are published with their expected content, which a plugin could return without reading them. It knows
as little about a fresh document as about a user's. The same seed gives the same documents.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from .apart_words import APART_WORDS
from .archives import ZIP_MAKERS
from .bare_addresses import BARE_ADDRESSES
from .bare_mails import BARE_MAILS
from .correspondents import CORRESPONDENTS
from .dated_cells import DATED_CELLS
from .edited_office import EDITED_OFFICE
from .feeds import FEEDS
from .forwarded_mails import FORWARDED_MAILS
from .guarded_files import GUARDED_FILES
from .image_files import IMAGE_FILES
from .json_documents import JSON_MAKERS
from .large import LARGE_MAKERS
from .late_letters import LATE_LETTERS
from .ledgers import LEDGERS
from .many import MANY_MAKERS
from .mixed import MIXED_MAKERS
from .model import GoldenVector
from .notebooks import NOTEBOOKS
from .noted import NOTED
from .numbered_lists import NUMBERED_LISTS
from .once import generated_once
from .placed_grids import PLACED_GRIDS
from .plain_documents import PLACED, PLAIN
from .printed_numbers import PRINTED_NUMBERS
from .rare_files import RARE_FILES
from .rare_texts import RARE_TEXTS
from .reading_order import READING_ORDER
from .repeated_cells import REPEATED_CELLS
from .scripts import SCRIPTS
from .seen_forms import SEEN_FORMS
from .sequences import SEQUENCES
from .shared_labels import SHARED_LABELS
from .small_print import SMALL_PRINT
from .subtitles import SUBTITLES
from .truths import Truth
from .typed_lines import TYPED_LINES
from .unequal_parts import UNEQUAL_PARTS
from .uneven_rows import UNEVEN_ROWS
from .words import Words
from .written_codes import WRITTEN_CODES
from .written_dates import WRITTEN_DATES
from .xml_documents import XML_MAKERS
from .zoned_dates import ZONED_DATES

FIRST_WORDS = 2
"""Words that all documents of a series have."""
SEEDS = 1_000_000
"""Upper bound of seeds, so that they are short enough to type."""


def make_fresh(seed: int, media_types: Sequence[str] | None = None) -> tuple[GoldenVector, ...]:
    """Generate the documents of a run, several for each format: `FAMILY/NAME.EXTENSION`.

    Most formats have those with the names fresh, twin, mixed, rare, sequence, many and large. Of PDF there are two more: one of which an
    editor replaced pages, and one with turned and cropped pages.

    The twin has the same bytes as the fresh one but for letters of the words in its last quarter: the same size and structure,
    and the same beginning.

    Args:
        seed: the same seed gives the same documents.
        media_types: only documents of these types; None for all.
    """
    return _fresh(seed, _TYPES if media_types is None else media_types)


@generated_once
def _fresh(seed: int, media_types: Sequence[str]) -> Iterator[GoldenVector]:
    paths = [path for path, (media_type, _) in _ALL.items() if media_type in media_types]
    return (_made(path, seed) for path in sorted(paths, key=_place))


def _place(path: str) -> tuple[str, bool, str]:
    """Return the place of a document: in each folder the plain one is first, so that it is the first that a worker reads."""
    return path.partition("/")[0], "/fresh." not in path, path


@generated_once
def make_alike(seed: int, media_types: Sequence[str], *, count: int) -> tuple[GoldenVector, ...]:
    """Generate documents that differ in words of equal length: those of one format have the same size and the same beginning.

    They begin to differ at their third word, or at a quarter, at half or at three quarters of their words.

    Args:
        seed: the same seed gives the same documents.
        media_types: only documents of these types, the formats in turn.
        count: number of documents, at most 48 of each format.
    """
    paths = sorted(path for path, (media_type, _) in PLAIN.items() if media_type in media_types)
    made = []
    for number in range(count if paths else 0):
        path, place = paths[number % len(paths)], number // len(paths)
        media_type, make = PLAIN[path]
        words = Words(seed)
        make(words)
        # The name of a column may be the first one that differs.
        start = words.count * (place % 4) // 4 or FIRST_WORDS
        later = Words(seed, others_after=start, turn=1 + place // 4)
        made.append((path.replace("/fresh.", f"/alike-{number}."), media_type, make(later)))
    # The fonts of a PDF file have as many letters as its words: its size differs.
    sizes = {one: max(len(truth[0]) for _, other, truth in made if other == one) for _, one, _ in made}
    return tuple(
        _vector(path, media_type, (truth[0].ljust(sizes[media_type], b"\n"), *truth[1:]))
        for path, media_type, truth in made
    )


@lru_cache(maxsize=1024)
def _made(path: str, seed: int) -> GoldenVector:
    media_type, make = _ALL[path]
    words = Words(seed)
    truth = make(words)
    if path in _TWINS:
        truth = make(Words(seed, others_after=words.count * 3 // 4))
    return _vector(path, media_type, truth)


def _vector(path: str, media_type: str, made: Truth) -> GoldenVector:
    data, kind, pages, truth = made
    about = "A document of made-up words."
    return GoldenVector.of(path, media_type, data, about=about, kind=kind, pages=pages, **truth)


_TWINS = {path.replace("/fresh.", "/twin."): maker for path, maker in PLAIN.items()}
_ALL = (
    PLAIN
    | _TWINS
    | PLACED
    | APART_WORDS
    | BARE_ADDRESSES
    | BARE_MAILS
    | CORRESPONDENTS
    | DATED_CELLS
    | EDITED_OFFICE
    | FEEDS
    | FORWARDED_MAILS
    | GUARDED_FILES
    | IMAGE_FILES
    | LATE_LETTERS
    | RARE_FILES
    | RARE_TEXTS
    | READING_ORDER
    | REPEATED_CELLS
    | SCRIPTS
    | SEEN_FORMS
    | SEQUENCES
    | SMALL_PRINT
    | MIXED_MAKERS
    | LARGE_MAKERS
    | MANY_MAKERS
    | JSON_MAKERS
    | LEDGERS
    | NOTEBOOKS
    | NOTED
    | NUMBERED_LISTS
    | PLACED_GRIDS
    | PRINTED_NUMBERS
    | SUBTITLES
    | SHARED_LABELS
    | TYPED_LINES
    | UNEQUAL_PARTS
    | UNEVEN_ROWS
    | WRITTEN_CODES
    | WRITTEN_DATES
    | XML_MAKERS
    | ZONED_DATES
    | ZIP_MAKERS
)
_TYPES = sorted({media_type for media_type, _ in _ALL.values()})
FRESH_PATHS = frozenset(_ALL)
"""Paths of the fresh documents, the same in every run, so that an expectations file can name them."""
