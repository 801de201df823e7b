"""Each requirement holds by tests that cite it, or the page says what is missing."""

from __future__ import annotations

import pytest
import requirements_page
from octavo_conformance.requirements import REQUIREMENTS

KNOWN = requirements_page.requirements()


@pytest.mark.parametrize("one", KNOWN, ids=lambda one: one.id)
def test_a_requirement_has_tests_or_says_what_is_missing(one: requirements_page.Requirement) -> None:
    assert one.text.endswith(".")
    if one.status == "open":
        assert one.missing.endswith(".")
        assert not one.tests, f"tests cite {one.id}, which is said to be open"
    else:
        assert one.tests, f"no test cites {one.id}"
        assert bool(one.missing) is (one.status == "in part")


def test_tests_and_checks_cite_requirements_that_exist() -> None:
    """R-1 to R-9 are decisions, which have numbers of their own."""
    known = {one.id for one in KNOWN} | {f"R-{number}" for number in range(1, 10)}

    assert {name: files for name, files in requirements_page.citations().items() if name not in known} == {}
    assert set(REQUIREMENTS) <= known


def test_the_whole_specification_is_on_the_page() -> None:
    """A number that is left out is a requirement that was forgotten."""
    numbers: dict[str, list[int]] = {}
    for one in KNOWN:
        prefix, _, number = one.id.partition("-")
        if prefix != "R":  # decisions: only those that checks hold
            numbers.setdefault(prefix, []).append(int(number))

    assert {prefix: found for prefix, found in numbers.items() if found != list(range(1, len(found) + 1))} == {}
    assert sum(map(len, numbers.values())) == 193


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("Text (CNV-12, DIG-6).", ["CNV-12", "DIG-6"]),
        ("Rules (CTX-1 to CTX-3).", ["CTX-1", "CTX-2", "CTX-3"]),
        ("Rules (CTX-1 to 3).", ["CTX-1", "CTX-2", "CTX-3"]),
        ("Pages (RET-1, 2, 12).", ["RET-1", "RET-2", "RET-12"]),
        ("OC-DIG-009 is a check; CLS-2: 100 pages.", ["CLS-2"]),
    ],
)
def test_ids_are_read_from_docstrings(text: str, ids: list[str]) -> None:
    assert list(requirements_page.ids_in(f'def test():\n    """{text}"""\n')) == ids
