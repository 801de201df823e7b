"""The foot of a page, whose text is that of another reader than the first, stays on it."""

from __future__ import annotations

import pytest
from octavo_contracts import Page
from octavo_text.page_feet import with_foot

BODY = "The keepers of the coast sent these figures in."
FOOT = "Page 1 of 1"


def page(*lines):
    text = "\n\n".join(lines)
    return Page(number=1, markdown=text, text=text)


def test_a_foot_that_two_readings_have_is_put_back_into_both_texts():
    made = with_foot(page(BODY), [page(BODY, FOOT), page(FOOT, BODY)])
    assert (made.markdown, made.text) == (f"{BODY}\n\n{FOOT}", f"{BODY}\n\n{FOOT}")


@pytest.mark.parametrize(
    ("own", "others"),
    [
        ([BODY], [[BODY, FOOT], [BODY]]),
        ([FOOT, BODY], [[BODY, FOOT], [BODY, FOOT]]),
        ([BODY], [[BODY, f"# {FOOT}"], [BODY, FOOT]]),
        ([BODY], [[BODY, f"| {FOOT} |"], [BODY, FOOT]]),
        (["The keepers sent these."], [[BODY], [BODY]]),
        ([BODY], [[BODY, "Paid 3.60"], [BODY, "Paid 3.60"]]),
        ([BODY], []),
    ],
    ids=[
        "one reading alone",
        "it stands elsewhere",
        "a heading",
        "a row",
        "a sentence",
        "an amount",
        "no other reading",
    ],
)
def test_any_other_last_line_changes_nothing(own, others):
    assert with_foot(page(*own), [page(*lines) for lines in others]) == page(*own)
