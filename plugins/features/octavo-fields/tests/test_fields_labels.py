"""`octavo fields`: labels as they are written, the rest of a line, and the reason where a value is not found."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from octavo_cli import main

RECEIPT = """```
GUARD AND SONS
Company Reg #1101083-T
SUBTOTAL 45.37
Member Discount (15%)-$7.00
TOTAL (GST INCL) 38.37
Paid: 12.00
Paid: 13.00
Cashier: Emily Quay
Due (€) none
Share 97.2% of all
Clerk: Ada Till: 4
Excl Tax Amt 41.02
Register:
16:58 19/05/18
```
"""
PAGE = Path(__file__).parents[4] / "docs/how-to/extract-entities.md"


def amount(*labels: str, pattern: str | None = None) -> dict[str, Any]:
    """A field that is an amount."""
    return {
        "type": "number",
        **({"pattern": pattern} if pattern else {}),
        "x-octavo": {"kind": "amount", "labels": list(labels)},
    }


def words(*, pattern: str | None = None, **extra: Any) -> dict[str, Any]:
    """A field that is a text."""
    return {"type": "string", **({"pattern": pattern} if pattern else {}), "x-octavo": extra}


def test_an_amount_is_shown_with_the_decimals_that_it_has(fields: Callable[..., Any]) -> None:
    text = "Total Amount: RM 234.40\n\nPaid Amount: 300.00"
    properties = {name: amount(name) for name in ("Total Amount", "Paid Amount")}
    shown = fields(text, properties, as_json=False)
    values = {
        line.split("  ")[0]: line.removeprefix(line.split("  ")[0]).split()[0] for line in shown.splitlines()[2:4]
    }
    assert values == {"Total Amount": "234.40", "Paid Amount": "300.00"}
    assert fields(text, properties)["Total Amount"]["value"] == 234.4


def test_labels_match_as_they_are_written(fields: Callable[..., Any]) -> None:
    found = fields(
        RECEIPT,
        {
            "total": amount("TOTAL (GST INCL)"),
            "discount": amount("Member Discount (15%)"),
            "registration": words(kind="identifier", labels=["Company Reg #"]),
            "reg": {"type": "string", "title": "Company Reg", "x-octavo": {"kind": "identifier"}},
        },
    )
    assert {name: (one["value"], one["verified"], one["why"]) for name, one in found.items()} == {
        "total": (38.37, True, ""),
        "discount": (-7, True, ""),
        "registration": ("1101083-T", True, ""),
        "reg": ("1101083-T", True, ""),
    }


def test_several_values_behind_a_label_are_said_to_be_several(fields: Callable[..., Any]) -> None:
    """The line break behind the first one is a blank in the canonical text."""
    receipt, number = "Account No.: 1000004587104\n10.3 0\nCopy", r"Account No\.: ([0-9]{13})"
    found = fields(
        receipt,
        {
            "plain": words(kind="identifier", labels=["Account No."]),
            "chosen": words(kind="identifier", labels=["Account No."], pattern=number),
        },
    )
    assert found["plain"]["why"].endswith(
        'there stands "1000004587104 10.3 0 Copy"; more than one value may stand there: a `pattern` chooses one'
    )
    assert (found["chosen"]["value"], found["chosen"]["verified"]) == ("1000004587104", True)


def test_a_text_is_the_rest_of_the_line_behind_its_label(fields: Callable[..., Any]) -> None:
    """The canonical text has no lines, so that nothing else tells where a name ends."""
    found = fields(RECEIPT, {"cashier": words(kind="text"), "who": words(kind="text", labels=["Served by", "Cashier"])})
    assert {name: (one["value"], one["verified"]) for name, one in found.items()} == {
        "cashier": ("Emily Quay", True),
        "who": ("Emily Quay", True),
    }
    assert found["cashier"]["span"]["end"] - found["cashier"]["span"]["start"] == len("Emily Quay")


@pytest.mark.parametrize(
    ("field", "why"),
    [
        (words(kind="text", labels=["Waiter"]), 'the text has no label "Waiter", with a colon behind it'),
        (words(kind="text", labels=["Register"]), 'nothing stands behind "Register:"'),
        (words(kind="text", labels=["Clerk"]), 'the line behind "Clerk:" has another label: "Till:"'),
        (words(kind="text", labels=["Paid"]), 'behind "Paid:" stand different texts: "12.00" and "13.00"'),
        (amount("Grand total"), 'the text has no label "Grand total"'),
        ({"type": "number", "title": "Sum"}, 'the text has no label "Sum" or "x": give `labels`'),
        (amount("Paid"), 'no single amount behind "Paid": there stands "12.00 Paid: 13.00 Cashier:"'),
        (amount("Paid:"), "; to choose a place, give its whole label: the words before it, those behind it"),
        (amount("Paid"), "; to choose a place, give its whole label: the words before it, those behind it, its colon"),
        (amount("Share:"), "a percentage is found by a `pattern`, such as `([0-9.,]+) ?%`"),
        (amount("due (€)"), 'no single amount behind "Due (€)": there stands "none Share'),
        (
            amount("Register"),
            "; an amount is found directly behind its label, and in the usual forms; a `pattern` may find others",
        ),
        ({"type": "string", "format": "date", "x-octavo": {"labels": ["16:58"]}}, '"19/05/18" may mean 2018-05-19 or'),
        ({"type": "string", "format": "date"}, '"19/05/18" may mean 2018-05-19 or 2019-05-18: give `date_order`'),
        ({"type": "string", "pattern": "X-[0-9]+"}, "nothing in the text matches its pattern"),
        ({"type": "string", "pattern": "Emily [A-Z][a-z]+"}, 'the text has no label "x": give `labels`'),
        (
            words(pattern="SUBTOTAL ([0-9])", labels=["SUBTOTAL"]),
            'its pattern takes "4" of "45.37": a value is never a part of a longer word or number',
        ),
        (
            words(pattern="Paid: ([0-9.]+)", labels=["Paid"]),
            'its pattern matches "Paid: 12.00" and "Paid: 13.00": a label',
        ),
        (
            words(pattern="Tax Amt ([0-9.]+)", labels=["Tax Amt"]),
            'its pattern matches "Tax Amt 41.02" behind "Excl", which makes another label of it: begin the pattern with that word',
        ),
        (words(pattern="Till: [0-9]", labels=["Till"]), "with a label: put the value in parentheses"),
        (words(pattern="Ada\nPaid"), "the text has a blank where the document has a line break"),
        (words(pattern="Ada(x?)", labels=["Clerk"]), 'its pattern matches "Ada", where its group has no text'),
        (
            {"type": "string", "format": "date", "pattern": r"16:58 (\S+)", "x-octavo": {"labels": ["16:58"]}},
            '"19/05/18" may mean 2018-05-19 or 2019-05-18: give `date_order`',
        ),
        (words(labels=["Cashier"]), 'no single text behind "Cashier": there stands "Emily Quay'),
    ],
)
def test_a_field_without_a_value_says_why(fields: Callable[..., Any], field: dict[str, Any], why: str) -> None:
    found = fields(RECEIPT, {"x": field})["x"]
    assert (found["value"], found["method"]) == (None, "none")
    assert found["why"].startswith(why) or why in found["why"]


@pytest.mark.parametrize(
    ("text", "field", "value", "quoted"),
    [
        ("TOTAL RM8.35", amount("TOTAL", pattern=r"TOTAL RM([\d.]+)"), 8.35, "8.35"),
        ("TOTAL RM8.35", words(pattern=r"RM([\d.]+)", labels=["TOTAL"]), "8.35", "8.35"),
        ("Weight 12kg net", words(pattern=r"Weight (\d+)kg", labels=["Weight"]), "12", "12"),
        ("GST\nS 6% 36.20 2.17", amount("GST", pattern=r"GST\s+S\s+6%\s+36[.]20\s+([\d.]+)"), 2.17, "2.17"),
        ("Due date: 4-A", words(pattern=r"Due date: (\S+)", labels=["date"]), "4-A", "4-A"),
    ],
)
def test_a_pattern_may_have_the_label_and_what_stands_before_the_value(
    fields: Callable[..., Any], text: str, field: dict[str, Any], value: Any, quoted: str
) -> None:
    found = fields(f"```\nShop\n{text}\n```", {"x": field})["x"]
    assert (found["value"], found["verified"], found["why"]) == (value, True, "")
    assert found["span"]["end"] - found["span"]["start"] == len(quoted)


@pytest.mark.parametrize(
    ("field", "is_told"),
    [(words(), True), (words(kind="text"), False), (words(kind="phone"), False), ({"type": "number"}, False)],
)
def test_only_a_field_without_a_kind_is_told_to_give_one(
    fields: Callable[..., Any], field: dict[str, Any], is_told: bool
) -> None:
    assert ("`kind`" in fields(RECEIPT, {"x": field})["x"]["why"]) == is_told


def test_the_table_says_why_too(fields: Callable[..., Any]) -> None:
    shown = " ".join(fields(RECEIPT, {"x": amount("Grand total")}, as_json=False).split())
    assert 'the text has no label "Grand total"' in shown


def test_a_pattern_that_is_no_regular_expression_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], fields: Callable[..., Any]
) -> None:
    fields(RECEIPT, {"x": words()})
    (tmp_path / "schema.json").write_text(json.dumps({"properties": {"x": {"type": "string", "pattern": "("}}}))
    library = ["--library", str(tmp_path / "library")]
    assert main(["fields", str(tmp_path / "document.md"), "--schema", str(tmp_path / "schema.json"), *library]) == 2
    assert "the pattern of the field 'x' is no regular expression" in capsys.readouterr().err


INVOICE = """# Quay Pumps Ltd

Invoice no. QP-2025-017

Invoice date: 4 March 2025

Due date: 3 April 2025

Bill to: Harbour Board

| Item | Amount |
| --- | --- |
| Pump | $100.00 |

Subtotal: $100.00

VAT (20%): $20.00

Total due: $120.00
"""
SLIP = """```
QUAY STORE
Receipt no: 4711-A
Date: 03/04/2025
Cashier: Emily Quay
Tea 2.50
Bun 1.50
SUBTOTAL 4.00
Sales Tax (5%) 0.20
TOTAL $4.20
CASH 5.00
CHANGE 0.80
```
"""


@pytest.mark.parametrize(
    ("name", "text", "values"),
    [
        (
            "invoice.json",
            INVOICE,
            {
                "invoice_number": "QP-2025-017",
                "invoice_date": "2025-03-04",
                "due_date": "2025-04-03",
                "customer": "Harbour Board",
                "subtotal": 100,
                "tax": 20,
                "total": 120,
            },
        ),
        (
            "receipt.json",
            SLIP,
            {
                "number": "4711-A",
                "date": "2025-04-03",
                "cashier": "Emily Quay",
                "subtotal": 4,
                "tax": 0.2,
                "total": 4.2,
                "paid": 5,
                "change": 0.8,
            },
        ),
        ("pattern.json", "```\nGrand Total RM8.35\nGST Amt\nS 6% 36.20 2.17\n```", {"total": 8.35, "gst": 2.17}),
    ],
)
def test_the_schemas_of_the_how_to_read_their_documents(
    fields: Callable[..., Any], name: str, text: str, values: dict[str, Any]
) -> None:
    block = PAGE.read_text(encoding="utf-8").partition(f'```json title="{name}"\n')[2].partition("\n```")[0]
    found = fields(text, json.loads(block)["properties"])
    assert {key: one["value"] for key, one in found.items()} == values
    assert all(one["verified"] for one in found.values())
