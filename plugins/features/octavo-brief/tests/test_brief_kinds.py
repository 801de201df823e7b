"""A brief of an earnings release, an invoice, a letter and a contract: what is doubtful is not shown as found (INT-1)."""

from __future__ import annotations

import pytest
from octavo_brief import Brief, make_brief
from octavo_contracts import DocumentMetadata
from octavo_text.canonical import canonical_body, join_bodies
from octavo_text.markdown import plain_text

RELEASE = """\
# FOR IMMEDIATE RELEASE

## Tide Works reports fiscal 2023 results and provides outlook for fiscal 2024

LEITH, August 15, 2023 – Tide Works plc today reported its results for the year. Net sales were $14,694 million, in line with the year before.

### • Outlook for fiscal 2024: earnings of 67-71 cents per share. Free cash flow of $850-950 million.

The board expects capital expenditure of $1.2 to $1.4 billion and pays €2m in fees. Demand rose by 4-5% in the second half.

reconciliations to these measures can be found under "Presentation" in this release.

# Cash returns

During fiscal 2023 the company returned approximately $1.2 billion to its shareholders, and it repurchased shares for $431 million.

---PAGE---
## Condensed statements of income

| ($ million) | 2022 | 2023 |
|---|---|---|
| Net sales | $14,544 | $14,694 |
| Net income | $805 | $1,048 |

12.3 2019 $775 (5) 1 3 $215 14,694 1

---PAGE---
1 1 1 — 440 4,149 (5) (4)
"""

LETTER = """\
Harbour & Lowe LLP
14 Quay Street, Bristol BS1 4DB

12 March 2024

Dear Ms Whitcombe,

Thank you for your letter of 4 March 2024. We act for the landlord, Penrose Estates plc. Our client is willing to extend the
lease at a rent of £18,500 a year. The roof needs repairs of £850–950.

Yours sincerely,

Thomas Harbour
"""

CONTRACT = """\
# SERVICES AGREEMENT

This agreement is made on 1 February 2024 (the "Effective Date") between Brannoch Instruments Limited and Northern Harbour Trust.

## 1. Definitions

1.1 "Fee" means US$1.2-1.4 million in each contract year. 1.2 "Services" means the maintenance of tide gauges.

## 2. Governing law.

2.1 This agreement is governed by the law of Scotland and ends on 31 January 2027.
"""

INVOICE = """\
# Kraxi Systems, Inc.

17, Aviation Road Paperfield Phone 7079 4301

# INVOICE 2020-10 January 8, 2020

| ITEM | QUANTITY | AMOUNT |
|---|---|---|
| Super Kite | 2 | $40.00 |

Terms of payment: 30 days net. The goods stay ours until they are paid for.
"""


def brief_of(markdown: str, **metadata: str) -> Brief:
    pages = markdown.split("---PAGE---\n")
    text = join_bodies([canonical_body(plain_text(page)) for page in pages], paginated=len(pages) > 1)
    return make_brief(text, pages, metadata=DocumentMetadata(**metadata))


def values(quoted: object) -> list[str]:
    return [one.value for one in quoted]  # type: ignore[attr-defined]  # a tuple of `Quoted`


def test_a_range_is_one_amount_and_figures_of_scaled_tables_are_left_out() -> None:
    assert values(brief_of(RELEASE).amounts) == [
        "$14,694 million", "$850-950 million", "$1.2 to $1.4 billion", "€2m", "$1.2 billion", "$431 million",
    ]  # fmt: skip
    assert values(brief_of(LETTER).amounts) == ["£18,500", "£850–950"]
    assert values(brief_of(CONTRACT).amounts) == ["US$1.2-1.4 million"]
    assert values(brief_of(INVOICE).amounts) == ["$40.00"], "this table says nothing of thousands or millions"


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("between £3,000 and £4,000", ["£3,000", "£4,000"]),
        ("$5–$7 a share", ["$5–$7"]),
        ("EUR 3.5 - 4 bn", ["EUR 3.5 - 4 bn"]),
        ("3 to 4 million dollars", ["3 to 4 million dollars"]),
        ("$3bn-$4bn", ["$3bn-$4bn"]),
        ("$12-a-day", ["$12"]),
        ("a rise of 4-5%", []),
    ],
)
def test_ranges_and_scales(said: str, found: list[str]) -> None:
    assert values(brief_of(f"The figure is {said} this year.").amounts) == found


def test_a_notice_is_no_title_and_a_list_item_no_heading() -> None:
    made = brief_of(RELEASE)
    assert [section.title.value for section in made.sections] == [
        "FOR IMMEDIATE RELEASE",
        "Tide Works reports fiscal 2023 results and provides outlook for fiscal 2024",
        "Cash returns",
        "Condensed statements of income",
    ]
    assert made.facts.title is not None
    assert made.facts.title.value.startswith("Tide Works reports")
    assert [section.title.value for section in brief_of(CONTRACT).sections][1:] == [
        "Definitions",
        "Governing law.",
    ]


@pytest.mark.parametrize(
    ("metadata", "shown"),
    [
        ("8-K", None),
        ("Microsoft Word - letter_final.docx", None),
        ("untitled", None),
        ("scan0001.pdf", None),
        ("The lease of Unit 7", "The lease of Unit 7"),
        ("lease", "lease"),
    ],
)
def test_a_title_of_the_metadata_is_shown_if_it_is_one(metadata: str, shown: str | None) -> None:
    title = brief_of(LETTER, title=metadata).facts.title
    assert (title.value if title is not None else None) == shown


def test_a_title_of_the_metadata_that_the_text_only_mentions_does_not_replace_the_heading() -> None:
    title = brief_of(CONTRACT, title="Services").facts.title
    assert title is not None
    assert (title.value, title.page) == ("SERVICES AGREEMENT", 1)


@pytest.mark.parametrize("author", ["anonymous", "Microsoft Office User", "Unknown", "admin"])
def test_a_placeholder_is_no_author(author: str) -> None:
    assert brief_of(LETTER, author=author).facts.author is None


@pytest.mark.parametrize(
    ("markdown", "metadata", "day", "page"),
    [
        (RELEASE, None, "2023-08-15", 1),
        (LETTER, None, "2024-03-12", 1),
        (CONTRACT, None, "2024-02-01", 1),
        (INVOICE, None, None, None),
        (INVOICE, "2020-01-08T11:06:34+01:00", "2020-01-08", 1),
        (INVOICE, "2020-01-09T11:06:34+01:00", "2020-01-09", None),
        ("Open from 2 May 2024 – 3 June 2024 each day.\n", None, None, None),
    ],
    ids=["dateline", "own line", "made on", "doubtful", "metadata that is quoted", "metadata alone", "range"],
)
def test_the_date_of_a_document(markdown: str, metadata: str | None, day: str | None, page: int | None) -> None:
    date = brief_of(markdown, **({"date": metadata} if metadata else {})).facts.date
    assert (date.value if date else None, date.page if date else None) == (day, page)


def test_summaries_are_whole_sentences() -> None:
    made = brief_of(RELEASE)
    said = [made.summary.text, *values(made.key_points)]
    assert not any("reconciliations to" in one or "12.3 2019" in one for one in said)
    assert made.summary.text.endswith(".")
    assert not any(
        "Quay Street" in one for one in [brief_of(LETTER).summary.text, *values(brief_of(LETTER).key_points)]
    )
    assert values(brief_of(INVOICE).key_points) == [] or "Paperfield" not in values(brief_of(INVOICE).key_points)[0]


def test_a_page_of_figures_has_its_heading_or_nothing() -> None:
    assert [(one.page, one.value) for one in brief_of(RELEASE).page_summaries][1:] == [
        (2, "Condensed statements of income")
    ]


def test_a_document_without_sentences_still_has_a_summary() -> None:
    made = brief_of("buoys to be painted this year\n\nlanterns to be cleaned before the winter\n\n" * 4)
    assert made.summary.text


def test_a_release_that_mentions_a_form_is_no_filing() -> None:
    text = (
        RELEASE
        + "\nFurther risks are described in the documents that the company files with the Securities and Exchange Commission, "
    )
    assert brief_of(text + "including its reports on Form 8-K and Form 10-K.\n").filing is None


def test_the_head_of_a_message_is_no_sentence() -> None:
    """Sender, recipients and date are facts: neither the summary nor a page's sentence quotes them."""
    mail = (
        "# The gate\n\nFrom: Ines Halloran \\<ines@brannoch.example\\>\\\nTo: Office \\<office@brannoch.example\\>\\\n"
        "Date: 2025-03-03T10:00:00\n\nThe gate was closed at noon on Monday. It opens again when the surge is over.\n"
    )

    made = brief_of(mail)

    assert [one.value for one in made.page_summaries] == ["The gate was closed at noon on Monday."]
    assert "From:" not in made.summary.text


def test_a_contract_without_a_title_of_its_own_names_its_parties() -> None:
    contract = (
        'This LOAN AND SECURITY AGREEMENT dated January 27, 1999, between SILICON VALLEY BANK (" Bank "), a bank of 40 William St., Ste. '
        '350, Wellesley, and AKAMAI TECHNOLOGIES, INC. (" Borrower "), whose address is 201 Broadway, provides the terms of the loan.\n'
    )

    made = brief_of(contract)

    assert [(one.name.value, one.role and one.role.value) for one in made.contract] == [
        ("SILICON VALLEY BANK", "Bank"),
        ("AKAMAI TECHNOLOGIES, INC.", "Borrower"),
    ]


def test_a_bold_line_amid_the_text_of_a_release_is_not_its_title() -> None:
    release = (
        "# FOR IMMEDIATE RELEASE\n\nSales fell by 4.4% to $23.7 billion because of exchange rates; operational growth was, without\n\n"
        "# Vaccine of 4.6%*\n\nThe company has three business segments.\n"
    )

    assert brief_of(release).facts.title is None


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("Invoice for John Doe - Kraxi Systems, Inc.", "Invoice for John Doe - Kraxi Systems, Inc."),
        ("Template of the year 2011", "Kraxi Systems, Inc. Paper Planes"),
    ],
)
def test_a_title_of_the_metadata_whose_words_are_on_the_page_is_the_title(title: str, shown: str) -> None:
    page = "# Kraxi Systems, Inc. Paper Planes\n\nJohn Doe, 255 Customer Lane\n\n# INVOICE 2020-10\n\nPayment is due for all goods.\n"

    made = brief_of(page, title=title, author="(anonymous)")

    assert made.facts.title is not None
    assert made.facts.title.value == shown
    assert made.facts.author is None
