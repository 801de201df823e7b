"""Types of documents that a profile registers: what tells them, what they change, what is refused (CLS-2, CLS-9)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import octavo
import pytest
from hypothesis import given
from hypothesis import strategies as st
from octavo.builtins.classification.registered_types import RegisteredType, folded, stands_in
from octavo.profiles.document_types import MAX_PHRASE, MAX_PHRASES, MAX_TYPES
from octavo.runtime import Runtime
from octavo_contracts import DocumentClassification, RoutingType, UsageError

LEASE = """
[types.lease]
title = ["lease agreement", "tenancy"]
words = ["landlord", "tenant", "rent"]
"""
TEXT = "LEASE\nAGREEMENT\n\nThe Landlord lets the house to the tenant. The rent is due on the first day.\n"
CONTRACT = (
    "LEASE AGREEMENT\n\nmade by and between A and B\n\nWHEREAS the Landlord owns the house\n\n"
    "Governing law: that of Nowhere.\n"
)
"""The shipped rules are sure that it is a contract: 0.95."""

Said = Callable[..., DocumentClassification]


@pytest.fixture
def said(runtime: Runtime, tmp_path: Path) -> Said:
    """What is said of a document under a profile, through the worker."""

    def convert(profile: str, data: str | bytes, *, name: str = "a.txt") -> DocumentClassification:
        number = len(list(tmp_path.glob("mine*.toml")))
        path = tmp_path / f"mine{number}.toml"  # a profile is read once a process
        path.write_text(profile, encoding="utf-8")
        content = data if isinstance(data, bytes) else data.encode()
        result = octavo.convert(content, name=name, profile=str(path), runtime=runtime).result
        assert result.classification is not None
        assert result.document_type == result.classification.document_type
        return result.classification

    return convert


def verdict(of: DocumentClassification) -> tuple[str, float]:
    return of.document_type, of.classification_confidence


def test_a_type_that_a_profile_registers_is_told_by_its_title_and_words(said: Said) -> None:
    """CLS-2. A phrase may run over a line; its case does not matter."""
    assert verdict(said(LEASE, TEXT)) == ("lease", 0.95)
    assert verdict(said("", TEXT)) == ("unknown", 0.3)


@pytest.mark.parametrize(
    ("table", "text", "expected"),
    [
        # A title with a third of the words is enough; a title without any of them, or all the words without it, is not.
        (LEASE, "A lease agreement about the rent.", ("lease", 0.58)),
        (LEASE, "A lease agreement.", ("unknown", 0.4)),
        (LEASE, "Landlord, tenant, rent.", ("unknown", 0.4)),
        # Whole words only.
        (LEASE, "Lease agreements of subtenants, renting from landlords.", ("unknown", 0.0)),
        # Without words the title tells; without titles more than half of the words do.
        ('[types.log]\ntitle = ["ship\'s log"]', "SHIP'S LOG", ("log", 0.55)),
        ('[types.log]\nwords = ["wind", "course", "10-K"]', "wind, course", ("log", 0.6)),
        ('[types.log]\nwords = ["wind", "course", "10-K"]', "the 10-k", ("unknown", 0.3)),
        # A type without either is only set by hand.
        ("[types.log]", "log", ("unknown", 0.0)),
        # Only of its types by content.
        (
            LEASE + 'media_types = ["application/pdf"]',
            TEXT,
            ("unknown", 0.3),
        ),  # "AGREEMENT", as the shipped rules have it
        (LEASE + 'media_types = ["application/pdf", "text/plain"]', TEXT, ("lease", 0.95)),
        # Of two that are as sure the first of the profile wins.
        ('[types.b]\ntitle = ["log"]\n[types.a]\ntitle = ["log"]', "log", ("b", 0.55)),
    ],
)
def test_the_score_follows_from_what_stands_there(
    said: Said, table: str, text: str, expected: tuple[str, float]
) -> None:
    """CLS-2, CLS-6: below 0.5 it is unknown."""
    assert verdict(said(table, text)) == expected


def test_a_shipped_type_with_more_evidence_wins_unless_it_is_refined(said: Said) -> None:
    """CLS-2: a lease is a contract, and its boilerplate is that of any contract."""
    assert verdict(said(LEASE, CONTRACT)) == ("contract", 0.95)
    assert verdict(said(LEASE + 'refines = "contract"', CONTRACT)) == ("lease", 0.58)
    # What it refines is what the shipped rules found: of another type it has to have more evidence.
    assert verdict(said(LEASE + 'refines = "paper"', CONTRACT)) == ("contract", 0.95)
    # A refinement that is not sure of itself changes nothing.
    assert verdict(said('[types.sale]\nrefines = "contract"\ntitle = ["bill of sale"]', CONTRACT)) == ("contract", 0.95)


def test_a_tie_with_a_shipped_type_is_the_profiles(said: Said) -> None:
    """CLS-2."""
    words = (
        '[types.house_contract]\ntitle = ["lease agreement"]\nwords = ["by and between", "whereas", "governing law"]'
    )
    assert verdict(said(words, CONTRACT)) == ("house_contract", 0.95)


def test_a_shipped_type_can_be_given_another_title(said: Said) -> None:
    """CLS-2: the better of the two rules counts."""
    table = '[types.contract]\ntitle = ["mietvertrag"]'
    assert verdict(said(table, "Mietvertrag")) == ("contract", 0.55)
    assert verdict(said(table, CONTRACT)) == ("contract", 0.95)


PDF_TYPES = """
[types.form_10k]
refines = "sec_filing"
title = ["form 10-k"]
words = ["annual report"]
[types.damages_schedule]
title = ["schedule of damages"]
table_heavy = true
"""
COVER = (
    "UNITED STATES",
    "SECURITIES AND EXCHANGE COMMISSION",
    "FORM 10-K",
    "ANNUAL REPORT",
    "Commission file number 1-2",
)


@pytest.mark.parametrize(
    ("profile", "lines", "document_type", "is_heavy"),
    [
        ("", COVER, "sec_filing", True),
        # A kind of filing is as heavy as filings are, unless the profile says otherwise.
        (PDF_TYPES, COVER, "form_10k", True),
        (PDF_TYPES.replace("refines", "table_heavy = false\nrefines"), COVER, "form_10k", False),
        ("[types.sec_filing]\ntable_heavy = false", COVER, "sec_filing", False),
        (PDF_TYPES, ("Roe v. Acme", "Schedule of damages"), "damages_schedule", True),
        ("", ("Roe v. Acme", "Schedule of damages"), "unknown", False),
    ],
)
def test_a_registered_type_can_be_table_heavy(
    said: Said,
    make_pdf: Any,
    page_text: Any,
    profile: str,
    lines: tuple[str, ...],
    document_type: str,
    is_heavy: bool,
) -> None:
    """CLS-9: 10-K, and filings with damages tables."""
    seen = said(profile, make_pdf(page_text(*lines), *[page_text()] * 3), name="a.pdf")
    routing = RoutingType.TABLE_HEAVY_FILING if is_heavy else RoutingType.TEXT_NATIVE_PDF
    assert (seen.document_type, seen.routing_type) == (document_type, routing)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("types = 1", r"types must be a table, got 1.*\[types\.lease\]"),
        ("[types]\nlease = 1", r"types\.lease must be a table, got 1.*\[types\.lease\] with title, words"),
        ("[types.Lease]", r"types\.Lease is not a valid type name.*lower-case letters"),
        ("[types.unknown]", r"types\.unknown is not a valid type name.*not 'unknown'"),
        (f"[types.{'a' * 65}]", "is not a valid type name.*at most 64"),
        ("[types.lease]\ntitel = []", r"types\.lease has the unknown key 'titel'; did you mean title\?"),
        ("[types.lease]\ntitle = 'lease'", r"types\.lease\.title must be a list of strings, got 'lease'"),
        ("[types.lease]\nwords = ['rent', 1]", r"types\.lease\.words must be a list of strings"),
        ("[types.lease]\nwords = [' ']", r"types\.lease\.words has ' ', which is not a valid phrase"),
        ("[types.lease]\nwords = ['...']", "which is not a valid phrase"),
        (f"[types.lease]\nwords = ['{'a' * (MAX_PHRASE + 1)}']", "at most 100 characters"),
        (
            f"[types.lease]\nwords = {['rent'] * (MAX_PHRASES + 1)}",
            f"has {MAX_PHRASES + 1} phrases; at most {MAX_PHRASES} are",
        ),
        ("[types.lease]\nmedia_types = ['pdf']", "'pdf', which is not a media type.*application/pdf"),
        ("[types.lease]\nrefines = 'contrakt'", "refines is 'contrakt'; did you mean contract.*deposition"),
        ("[types.lease]\nrefines = ['contract']", "refines is .*Name the shipped type"),
        ("[types.contract]\nrefines = 'contract'", "refines is 'contract'.*Name the shipped type"),
        ("[types.lease]\ntable_heavy = 'yes'", "table_heavy must be true or false, got 'yes'"),
        (
            "".join(f"[types.t{n}]\n" for n in range(MAX_TYPES + 1)),
            f"{MAX_TYPES + 1} document types; at most {MAX_TYPES} are",
        ),
        ("[type.lease]", "has the unknown key 'type'; did you mean types"),
    ],
)
def test_a_table_that_is_none_is_refused(said: Said, tmp_path: Path, text: str, words: str) -> None:
    """CLS-2: what is wrong, in which profile, and what to do, before any document is read."""
    with pytest.raises(UsageError, match=rf"(?s)mine0\.toml.*{words}") as refused:
        said(text, TEXT)
    assert refused.value.remedy


@given(st.lists(st.text(min_size=1), max_size=4), st.lists(st.text(min_size=1), max_size=4), st.text())
def test_any_phrases_give_a_score(title: list[str], words: list[str], text: str) -> None:
    """CLS-2: nothing that a profile writes is a pattern."""
    kind = RegisteredType(name="odd", title=tuple(title), words=tuple(words))
    assert 0 <= kind.score(folded(text), folded(text), media_type="text/plain") < 1


@given(st.text(min_size=1).filter(lambda phrase: folded(phrase) != ""))
def test_a_phrase_stands_in_a_text_that_is_the_phrase(phrase: str) -> None:
    assert stands_in(phrase, folded(f" \n{phrase}\t "))
