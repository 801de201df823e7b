"""Values by patterns and labels: what is plain is found at its place, what is doubtful is left out."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from octavo_literal.extractor import make_extractor


def one(text: str, **wanted: Any) -> tuple[Any, str] | None:
    """The value and the words it was read from, or None."""
    name = wanted.pop("name", "x")
    extra = {key: wanted.pop(key) for key in ("kind", "labels", "date_order", "pages") if key in wanted}
    found = make_extractor().extract(text, {"properties": {name: {**wanted, "x-octavo": extra}}})
    if name not in found:
        return None
    span = found[name].span
    assert span is not None
    return found[name].value, text[span.start : span.end]


@pytest.mark.parametrize(
    ("text", "wanted", "value"),
    [
        ("Invoice date: 4 March 2025.", {"name": "invoice_date", "format": "date"}, ("2025-03-04", "4 March 2025")),
        ("Invoice Date 2025-03-04T10:00:00Z", {"name": "invoiceDate", "format": "date"}, ("2025-03-04", "2025-03-04T10:00:00Z")),
        ("Datum: 4. Juli 1999", {"labels": ["Datum"], "format": "date"}, ("1999-07-04", "4. Juli 1999")),
        ("Date:2016-07-3113:48:37", {"name": "date", "format": "date"}, ("2016-07-31", "2016-07-31")),
        ("Date 31/07/201613:48 Till 2", {"name": "date", "format": "date"}, ("2016-07-31", "31/07/2016")),
        ("Dt 2016-07-3113:48", {"labels": ["Dt"], "format": "date", "pattern": r"Dt ([\d-]{10})"}, ("2016-07-31", "2016-07-31")),
        ("dated on the 13/04/2025", {"labels": ["dated"], "format": "date"}, ("2025-04-13", "13/04/2025")),
        ("Signed July 1, 2022 here", {"name": "date", "format": "date"}, ("2022-07-01", "July 1, 2022")),
        ("Total: $1,234.50 paid", {"name": "total", "kind": "amount"}, (1234.5, "$1,234.50")),
        ("Revenue of $5.9 million", {"labels": ["Revenue"], "kind": "amount"}, (5900000, "$5.9 million")),
        ("TOTAL 18.90", {"name": "total", "kind": "amount"}, (18.9, "18.90")),
        ("Loss: -€40.00", {"labels": ["loss"], "kind": "amount"}, (-40, "-€40.00")),
        ("Rounding 0.02- Credit 2.07- DUE 2.00", {"name": "rounding", "kind": "amount"}, (-0.02, "0.02-")),
        ("Net result (3.10) Other 4.00", {"name": "net_result", "kind": "amount"}, (-3.1, "(3.10)")),
        ("Tax (incl. 3.10) 4.00", {"name": "tax", "labels": ["incl"], "kind": "amount"}, (3.1, "3.10")),
        ("Credit RM2.07-", {"name": "credit", "kind": "amount"}, (-2.07, "RM2.07-")),
        ("Credit 1,200.50−", {"name": "credit", "kind": "number"}, (-1200.5, "1,200.50−")),
        ("Discount -3.10", {"name": "discount", "kind": "amount"}, (-3.1, "-3.10")),
        ("Total - 3.10", {"name": "total", "kind": "amount"}, (3.1, "3.10")),
        ("TaxInv:14072 16:58", {"name": "TaxInv", "kind": "identifier"}, ("14072", "14072")),
        ("TaxInv:14072 16:58", {"name": "TaxInv", "kind": "number"}, (14072, "14072")),
        ("Critical Items: 12 of 40", {"name": "critical_items", "type": "integer"}, (12, "12")),
        ("From: Ada <ada@quay.example> To: b@c.example", {"name": "from", "format": "email"}, ("ada@quay.example",) * 2),
        ("write to info@quay.example.", {"name": "email", "format": "email"}, ("info@quay.example",) * 2),
        ("See www.quay.example/a, please", {"name": "website", "format": "uri"}, ("www.quay.example/a",) * 2),
        ("TEL:03-40211233", {"labels": ["TEL"], "kind": "phone"}, ("03-40211233",) * 2),
        ("Mobile: +60 3-4021 1233", {"name": "mobile", "kind": "phone"}, ("+60 3-4021 1233",) * 2),
        ("Phone: +44 117 9753200 Fax", {"name": "phone", "kind": "phone"}, ("+44 117 9753200",) * 2),
        ("(408) 536-6000 (Telephone number, with area code)", {"labels": ["Telephone number, with area code"], "kind": "phone"}, ("(408) 536-6000",) * 2),
        ("Case No. 1:21-cv-01234-ABC", {"name": "case_number", "kind": "case_number"}, ("1:21-cv-01234-ABC",) * 2),
        ("See Roe v. Wade, 410 U.S. 113 (1973)", {"name": "citation", "kind": "citation"}, ("410 U.S. 113",) * 2),
        ("under 17 C.F.R. § 240.10b-5 only", {"name": "citation", "kind": "citation"}, ("17 C.F.R. § 240.10b-5",) * 2),
        ("INVOICE # : OR180324 ITEM", {"labels": ["Invoice"], "kind": "identifier"}, ("OR180324",) * 2),
        ("no. 77-0019522 (State) (I.R.S. No.)", {"pattern": r"\d{2}-\d{7}", "labels": ["I.R.S. No"]}, ("77-0019522",) * 2),
        ('made on 1 February 2024 (the "Effective Date") between', {"name": "effective_date", "format": "date"}, ("2024-02-01", "1 February 2024")),
        ("Harbour Phone 7079 4301 Fax 7079 4302", {"name": "fax", "type": "string"}, ("7079 4302",) * 2),
        ("INVOICE 2020-10 January 8, 2020", {"name": "invoice_number", "type": "string"}, ("2020-10",) * 2),
        ("Ref: HL/2024/0318", {"name": "our_reference", "type": "string", "labels": ["Ref"]}, ("HL/2024/0318",) * 2),
        ("Ref: HL/2024/0318", {"name": "reference", "type": "string"}, ("HL/2024/0318",) * 2),
        ("Tel. +44 117 496 0123", {"name": "telephone", "type": "string"}, ("+44 117 496 0123",) * 2),
        ("write to info@quay.example.", {"name": "email_address", "type": "string"}, ("info@quay.example",) * 2),
        ("Total 63.60 net, Total: 60.00", {"labels": ["Total:"], "kind": "amount"}, (60, "60.00")),
        ("Policy: AX-77 x", {"pattern": r"(AX-\d+) x", "labels": ["Policy"]}, ("AX-77",) * 2),
    ],
)  # fmt: skip
def test_what_is_plain_is_found_at_its_place(text: str, wanted: dict[str, Any], value: tuple[Any, str]) -> None:
    assert one(text, **wanted) == value


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        pytest.param("Date: 03/04/2025", {"name": "date", "format": "date"}, id="a date in two orders"),
        pytest.param("Date: 01/02/03", {"name": "date", "format": "date"}, id="a date in three orders"),
        pytest.param("Date: 4 May 2020. Date: 5 May 2020.", {"name": "date", "format": "date"}, id="two dates"),
        pytest.param("Due date: 4 May 2020", {"labels": ["date"], "format": "date"}, id="another date's label"),
        pytest.param("on 4 May 2020", {"name": "signed_on", "format": "date"}, id="a date without its label"),
        pytest.param("4 May 2020 and 5 May 2020", {"name": "date", "format": "date"}, id="two dates without a label"),
        pytest.param("Total: 5.00 ... Total: 6.00", {"name": "total", "kind": "amount"}, id="two totals"),
        pytest.param("Sub total: 5.00", {"name": "total", "kind": "amount"}, id="a sub-total"),
        pytest.param("Total (incl. GST) 27.27", {"labels": ["GST"], "kind": "amount"}, id="a total with tax"),
        pytest.param("To: a@b.example, c@d.example", {"name": "to", "format": "email"}, id="two addressees"),
        pytest.param("a@b.example c@d.example", {"name": "email", "format": "email"}, id="two addresses"),
        pytest.param(
            "Total of all that we have ever had to pay: 5.00", {"name": "total", "kind": "amount"}, id="too far"
        ),
        pytest.param(
            "x77-0019522 (I.R.S. No.)", {"pattern": r"\d{2}-\d{7}", "labels": ["I.R.S. No"]}, id="inside a word"
        ),
        pytest.param("77-0019522", {"pattern": r"\d{2}-\d{7}"}, id="a pattern without a label"),
        pytest.param("Fee: $5.00- per month", {"name": "fee", "kind": "amount"}, id="a dash or a minus"),
        pytest.param("Flow of $850-950 million", {"labels": ["Flow"], "kind": "amount"}, id="a range"),
        pytest.param("Flow of $850 to $950 million", {"labels": ["Flow"], "kind": "amount"}, id="a range in words"),
        pytest.param("Range 12.00-15.00", {"name": "range", "kind": "amount"}, id="a range without a sign"),
        pytest.param("Range $12-$15", {"name": "range", "kind": "amount"}, id="a range with two signs"),
        pytest.param("Span 12.00 – 15.00", {"name": "span", "kind": "amount"}, id="a range with blanks"),
        pytest.param("Fee 12.00/15.00", {"name": "fee", "kind": "amount"}, id="two amounts"),
        pytest.param("Fee 12.00 or 15.00", {"name": "fee", "kind": "amount"}, id="two amounts in words"),
        pytest.param("Fee 12.00...15.00", {"name": "fee", "kind": "amount"}, id="two amounts with dots"),
        pytest.param("Fee: 5.00- 7.00", {"name": "fee", "kind": "number"}, id="a range or a minus"),
        pytest.param("Class of 10- years", {"labels": ["Class"], "kind": "number"}, id="a hyphen or a minus"),
        pytest.param("Total RM845", {"pattern": r"Total RM(\d)", "labels": ["Total"]}, id="a part of a number"),
        pytest.param("Total RM845", {"pattern": r"Total RM8(\d+)", "labels": ["Total"]}, id="the end of a number"),
        pytest.param("Total 8.45", {"pattern": r"Total (\d+)", "labels": ["Total"]}, id="the whole part of a number"),
        pytest.param("Total RM8kg", {"pattern": r"Total RM(\d)", "labels": ["Total"]}, id="a match within a word"),
        pytest.param("Due date: A-4", {"pattern": r"date: (\S+)", "labels": ["date"]}, id="a pattern of another label"),
        pytest.param("Name: Ada Quay", {"name": "name", "type": "string"}, id="running text"),
        pytest.param("Tax: 8.5 %", {"name": "tax", "type": "number"}, id="a rate for an amount"),
        pytest.param("Net sales 3,909 3,673", {"name": "net_sales", "type": "number"}, id="a row of a table"),
        pytest.param("2 x 15.57 15.57", {"name": "phone", "kind": "phone"}, id="two prices for a phone"),
        pytest.param(
            "Date: 2022-12-16T17:04:16-05:00", {"name": "phone", "type": "string"}, id="the end of a time for a phone"
        ),
        pytest.param(
            "Agreement of 4 May 2020. At maturity, all is due.",
            {"name": "maturity_date", "format": "date"},
            id="a far word",
        ),
        pytest.param(
            "Maturity. On 4 May 2020", {"name": "maturity_date", "format": "date"}, id="a word of another sentence"
        ),
        pytest.param(
            "INVOICE 2020-10 January 8, 2020, paid January 9, 2020",
            {"name": "invoice_date", "format": "date"},
            id="two days",
        ),
        pytest.param("Items: 2.5", {"name": "items", "type": "integer"}, id="not whole"),
        pytest.param("Date: 2016-07-311:48:37", {"name": "date", "format": "date"}, id="a date in a time of one digit"),
        pytest.param("Date: 2016-07-3199:48:37", {"name": "date", "format": "date"}, id="a date in no time of day"),
        pytest.param("Date: 31/07/1613:48:37", {"name": "date", "format": "date"}, id="a year of two digits in a time"),
        pytest.param("Date: 4 Maybe 2020", {"name": "date", "format": "date"}, id="no month"),
    ],
)
def test_what_is_doubtful_is_left_out(text: str, wanted: dict[str, Any]) -> None:
    assert one(text, **wanted) is None


@pytest.mark.parametrize(
    ("text", "wanted", "value"),
    [
        ("INVOICE 2020-10 January 8, 2020", {"name": "invoice_date", "format": "date"}, "2020-01-08"),
        ("This LOAN AGREEMENT dated January 27, 1999, ...", {"name": "agreement_date", "format": "date"}, "1999-01-27"),
        ("Date of issue: 4 May 2020. Paid: 5 May 2020.", {"name": "issue_date", "format": "date"}, "2020-05-04"),
        ("Sales Tax (8.5%) $66.23", {"name": "sales_tax", "type": "number"}, 66.23),
        ("Interest rate: 8.5 %", {"name": "interest_rate", "type": "number"}, 8.5),
        ("11/23/2024 (415) 555-0199 TXN-98765-2024", {"name": "phone", "type": "string"}, "(415) 555-0199"),
    ],
)
def test_what_a_document_prints_without_a_colon_is_found(text: str, wanted: dict[str, Any], value: object) -> None:
    """Real invoices, receipts and contracts: the day after `INVOICE`, the amount after a rate, the number that is no date."""
    found = one(text, **wanted)

    assert found is not None
    assert found[0] == value


def test_an_order_of_dates_that_is_known_decides() -> None:
    assert one("Date: 03/04/2025", name="date", format="date", date_order="dmy") == ("2025-04-03", "03/04/2025")
    assert one("Date: 03/04/2025", name="date", format="date", date_order="mdy") == ("2025-03-04", "03/04/2025")


def test_only_the_first_pages_are_looked_at_where_the_schema_says_so() -> None:
    text = "Date: 4 May 2020\n\n---PAGE 2---\n\nDate: 5 May 2020"
    assert one(text, name="date", format="date") is None
    assert one(text, name="date", format="date", pages=1) == ("2020-05-04", "4 May 2020")


def test_a_schema_of_a_model_is_read() -> None:
    schema = {"properties": {"paid": {"anyOf": [{"type": "number"}, {"type": "null"}], "title": "Amount paid"}}}
    assert make_extractor().extract("Amount paid: 12.50", schema)["paid"].value == 12.5
    assert make_extractor().extract("x", {"properties": {"a": True, "b": {"type": "string"}}}) == {}
    assert make_extractor().extract("x", {}) == {}


def test_hostile_texts_take_no_time() -> None:
    """Patterns that backtrack would run for minutes on these."""
    schema = {
        "properties": {
            kind: {"type": "string", "x-octavo": {"kind": kind, "labels": ["a"]}}
            for kind in ("date", "amount", "number", "email", "url", "phone", "case_number", "citation", "identifier")
        }
    }
    for text in ("1" * 20_000, "1," * 10_000, "a." * 10_000, "(" * 20_000, "1 " * 10_000, "a@" * 10_000, "-1" * 10_000):
        make_extractor().extract(text, schema)


def test_importing_the_package_imports_no_parser() -> None:
    code = "import sys, octavo_literal.plugin, octavo_literal.extractor; sys.exit('dateparser' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
