"""The rules of literal extraction, each a table: candidates, dates, numbers, schema, verification (CNV-13)."""

from decimal import Decimal

import pytest
from octavo_contracts import ExtractedField, Span, UsageError
from octavo_fields import LiteralTask, literal_route, read_schema, verify
from octavo_fields.verifying import relaxed
from octavo_library.text.dates import coarse_reading, one_reading, readings
from octavo_library.text.numbers import number_reading


@pytest.mark.parametrize("target", ["literal", "metadata", "numeric", "citation", "source_span"])
def test_what_can_be_copied_is_a_literal_question(target: str) -> None:
    assert literal_route(LiteralTask(target=target)).literal
    assert literal_route(LiteralTask(target=target, output="normalised", wording="invoice date")).literal


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        pytest.param({"has_schema": False}, "no schema", id="no schema"),
        pytest.param({"verification": "entailment"}, "entailment", id="another verification"),
        pytest.param({"target": "judgement"}, "judgement", id="another target"),
        pytest.param({"target": "summary"}, "summary", id="a summary as target"),
        pytest.param({"judgement": True}, "asks for a judgement", id="judgement"),
        pytest.param({"output": "generated"}, "output", id="generated output"),
        pytest.param({"literal_only": False}, "more than literal", id="more than literal"),
        pytest.param({"sources": 2}, "several sources", id="weighing sources"),
        pytest.param({"counterfactual": True}, "counterfactual", id="counterfactual"),
        *[
            pytest.param({"wording": wording}, "interpretation", id=wording)
            for wording in (
                "misleading statement",
                "what supports the claim",
                "what it implies",
                "the holding",
                "relevance",
                "scienter",
                "Materiality of the omission",
                "summary_of_findings",
                "summarise the contract",
            )
        ],
    ],
)
def test_what_needs_a_judgement_is_not(given: dict[str, object], reason: str) -> None:
    route = literal_route(LiteralTask(**given))
    assert not route.literal
    assert reason in " ".join(route.reasons)


def test_every_reason_is_named() -> None:
    assert len(literal_route(LiteralTask(judgement=True, sources=3, wording="holding")).reasons) == 3


@pytest.mark.parametrize(
    "wording", ["supporter's name", "material", "shareholder", "implementation date", "simplified name"]
)
def test_words_that_only_look_interpretive_are_not(wording: str) -> None:
    assert literal_route(LiteralTask(wording=wording)).literal


@pytest.mark.parametrize(
    ("text", "order", "days"),
    [
        ("2025-03-04", None, {"2025-03-04"}),
        ("2025/3/4", None, {"2025-03-04"}),
        ("4 March 2025", None, {"2025-03-04"}),
        ("March 4th, 2025", None, {"2025-03-04"}),
        ("Tue, 4 Mar 2025 10:11:12 +0100", None, {"2025-03-04"}),
        ("2018-03-24T10:11:12Z", None, {"2018-03-24"}),
        ("4. Juli 1999", None, {"1999-07-04"}),
        ("1er mars 2020", None, {"2020-03-01"}),
        ("3 de mayo de 2021", None, {"2021-05-03"}),
        ("2024年3月5日", None, {"2024-03-05"}),
        ("4-Mar-25", None, {"2025-03-04"}),
        ("4-Mar-87", None, {"1987-03-04"}),
        ("13/04/2025", None, {"2025-04-13"}),
        ("04/13/2025", None, {"2025-04-13"}),
        ("04/04/2025", None, {"2025-04-04"}),
        ("03/04/2025", None, {"2025-03-04", "2025-04-03"}),
        ("03/04/2025", "dmy", {"2025-04-03"}),
        ("03/04/2025", "mdy", {"2025-03-04"}),
        ("03/04/2025", "ymd", set()),
        ("01/02/03", None, {"2003-01-02", "2003-02-01", "2001-02-03"}),
        ("01/02/03", "ymd", {"2001-02-03"}),
        ("24/03/18", "dmy", {"2018-03-24"}),
        ("30 February 2024", None, set()),
        ("2025-13-40", None, set()),
        ("99/99/9999", None, set()),
        ("March 2020", None, set()),
        ("yesterday", None, set()),
        ("", None, set()),
    ],
)
def test_dates_have_every_reading_that_their_words_allow(text: str, order: str | None, days: set[str]) -> None:
    assert set(readings(text, order=order)) == days
    assert one_reading(text, order=order) == (next(iter(days)) if len(days) == 1 else None)


def test_what_names_no_day_keeps_what_it_names() -> None:
    assert [coarse_reading(text) for text in ("March 2020", "1987", "5 May 2020", "soon")] == [
        "2020-03",
        "1987",
        "2020-05-05",
        None,
    ]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1234", "1234"),
        ("1,234", "1234"),
        ("1,234,567.89", "1234567.89"),
        ("1.234.567,89", "1234567.89"),
        ("1 234 567", "1234567"),
        ("9.20", "9.2"),
        ("0.125", "0.125"),
        ("12,5", "12.5"),
        ("$821.14", "821.14"),
        ("RM8.35", "8.35"),
        ("US$ 5.9 million", "5900000"),
        ("40,00 €", "40"),
        ("97.2%", "97.2"),
        ("-23", "-23"),
        ("$-50.00", "-50"),
        ("(1,234)", "-1234"),
        ("0.02-", "-0.02"),
        ("RM2.07−", "-2.07"),
        ("40,00 €-", "-40"),
        ("-0.02-", None),
        ("(5-)", None),
        ("1.234", None),
        ("12,34,567", None),
        ("1,23,4.5", None),
        ("(5", None),
        ("1-2", None),
        ("twelve", None),
        ("5 6.7.8", None),
    ],
)
def test_numbers_have_one_value_or_none(text: str, value: str | None) -> None:
    assert number_reading(text) == (Decimal(value) if value is not None else None)


TEXT = "Dated 4 March 2025, paid $1,234.50 by Ada Quay. Due 03/04/2025; Ada Quay, total 5 million, no. AB-12345. Sent 11/23/2024. Off -3.10, back 0.02- Ends $850-950 or 12.00 to 15.00; 5.20 $- net (3.40) till 2016-07-3113:48:37, or 31/07/1613:48"


def field(**given: object):
    extra = {key: given.pop(key) for key in ("kind", "date_order") if key in given}
    (spec,) = read_schema({"properties": {"x": {**given, "x-octavo": extra}}})
    return spec


def at(words: str, value: object, *, shift: int = 0, cut: int = 0) -> ExtractedField:
    start = TEXT.index(words)
    return ExtractedField(value=value, span=Span(start=start + shift, end=start + len(words) + shift - cut), method="m")


DATE = {"type": "string", "format": "date"}


@pytest.mark.parametrize(
    ("wanted", "given", "why"),
    [
        pytest.param(DATE, at("4 March 2025", "2025-03-04"), "", id="a date"),
        pytest.param(DATE, at("4 March 2025", "2025-03-05"), "another date", id="another date"),
        pytest.param(DATE, at("4 March 2025", "4 March 2025"), "another date", id="a date that is not normalised"),
        pytest.param(DATE, at("03/04/2025", "2025-04-03"), "may mean", id="a date that may mean two"),
        pytest.param({**DATE, "date_order": "dmy"}, at("03/04/2025", "2025-04-03"), "", id="its order is known"),
        pytest.param(
            {**DATE, "date_order": "dmy"},
            at("11/23/2024", "2024-11-23"),
            "is no date in the order dmy of `date_order`, but 2024-11-23 in the order mdy",
            id="it has another order",
        ),
        pytest.param(DATE, at("2016-07-31", "2016-07-31"), "", id="it runs into a time"),
        pytest.param(DATE, at("31/07/1613", "1613-07-31"), "may be the hour", id="its year may end in an hour"),
        pytest.param(DATE, at("2016-07-3", "2016-07-03"), "splits a word", id="not its whole day"),
        pytest.param({"type": "string"}, at("2016-07-31", "2016-07-31"), "splits a word", id="a text that is no date"),
        pytest.param({"type": "number"}, at("$1,234.50", 1234.5), "", id="an amount"),
        pytest.param({"type": "number"}, at("1,234.50", 1234.5), "", id="an amount without its sign"),
        pytest.param(
            {"type": "number"}, at("$1,234.50", 1234.05), "number at its span is different", id="digits swapped"
        ),
        pytest.param({"type": "number"}, at("234.50", 234.5), "splits a number", id="the end of a number"),
        pytest.param({"type": "number"}, at("$1,234", 1234), "splits a number", id="the beginning of a number"),
        pytest.param({"type": "number"}, at("total 5", 5, shift=6, cut=6), "splits a number", id="without its scale"),
        pytest.param({"type": "number"}, at("-3.10", -3.1), "", id="with the minus before it"),
        pytest.param({"type": "number"}, at("3.10", 3.1), "leaves out a minus", id="without the minus before it"),
        pytest.param({"type": "number"}, at("0.02-", -0.02), "", id="with the minus behind it"),
        pytest.param({"type": "number"}, at("0.02", 0.02), "leaves out a minus", id="without the minus behind it"),
        pytest.param({"type": "number"}, at("$850", 850), "one end of a range", id="the beginning of a range"),
        pytest.param({"type": "number"}, at("950", 950), "one end of a range", id="the end of a range"),
        pytest.param({"type": "number"}, at("12.00", 12), "one end of a range", id="a range in words"),
        pytest.param({"type": "number"}, at("5.20", 5.2), "leaves out a minus", id="a minus behind the sign"),
        pytest.param({"type": "number"}, at("3.40", 3.4), "may mean a minus", id="in parentheses"),
        pytest.param({"type": "number"}, at("(3.40)", -3.4), "", id="with its parentheses"),
        pytest.param({"type": "number"}, at("5 million", 5_000_000), "", id="with its scale"),
        pytest.param({"type": "integer"}, at("$1,234.50", 1234), "not whole", id="not whole"),
        pytest.param({"type": "number"}, at("Ada Quay", 7), "not a number, or is ambiguous", id="no number there"),
        pytest.param({"type": "number"}, at("$1,234.50", "1234.5"), "not a number", id="a text for a number"),
        pytest.param({"type": "number"}, at("$1,234.50", True), "not a number", id="a truth value"),
        pytest.param({"type": "string"}, at("AB-12345", "AB-12345"), "", id="an identifier"),
        pytest.param({"type": "string"}, at("AB-12345", "AB-12345", shift=1), "splits a word", id="off by one"),
        pytest.param({"type": "string"}, at("Ada Quay", "Ada Quay", cut=1), "splits a word", id="one short"),
        pytest.param({"type": "string"}, at("Ada Quay", "Ada  Quay"), "", id="white space is not the value's"),
        pytest.param({"type": "string"}, at("Ada Quay", "Ben Pier"), "text at its span is different", id="invented"),
        pytest.param({"type": "string"}, at("Ada Quay", 3), "not a string", id="a number for a text"),
        pytest.param({"type": "string", "enum": ["x"]}, at("Ada Quay", "Ada Quay"), "not one of", id="not allowed"),
        pytest.param(
            {"type": "string"}, ExtractedField(value="Ada", span=None, method="m"), "gave no position", id="no place"
        ),
        pytest.param(
            {"type": "string"},
            ExtractedField(value="Ada", span=Span(start=900, end=903), method="m"),
            "is outside the text",
            id="behind the end",
        ),
    ],
)
def test_a_value_holds_only_where_the_text_says_it(wanted: dict[str, object], given: ExtractedField, why: str) -> None:
    verdict = verify(TEXT, field(**wanted), given)
    assert verdict.verified is (not why)
    assert why in verdict.why


def test_a_value_that_stands_once_is_found_again_and_one_that_stands_twice_is_not() -> None:
    once = relaxed(TEXT, field(type="string"), at("AB-12345", "AB-12345", shift=1))
    assert (once.verified, once.span and once.span.of(TEXT)) == (True, "AB-12345")
    twice = relaxed(TEXT, field(type="string"), ExtractedField(value="Ada Quay", span=None, method="m"))
    assert (twice.verified, twice.why) == (False, "it occurs at 2 positions")
    never = relaxed(TEXT, field(type="string"), ExtractedField(value="Ben Pier", span=None, method="m"))
    assert (never.verified, never.why) == (False, "it does not occur in the text")
    empty = relaxed(TEXT, field(type="string"), ExtractedField(value=" ", span=None, method="m"))
    assert empty.why == "there is no value"
    part = relaxed(TEXT, field(type="string"), ExtractedField(value="12", span=None, method="m"))
    assert not part.verified


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        ({"type": "array"}, "not that of an object"),
        ({}, "not that of an object"),
        ({"properties": {}}, "not that of an object"),
        ({"properties": {"x": True}}, "not described by an object"),
        ({"properties": {"x": {"type": "string", "x-octavo": 3}}}, "is not an object"),
        ({"properties": {"x": {"type": "string", "x-octavo": {"date_order": "ydm"}}}}, "date_order"),
        (
            {"properties": {"x": {"type": "string", "x-octavo": {"label": "No."}}}},
            "no key 'label'; did you mean labels",
        ),
        ({"properties": {"x": {"type": "number", "x-octavo": {"kind": "money"}}}}, "no kind 'money'"),
        ({"properties": {f"f{n}": {"type": "string"} for n in range(501)}}, "501 fields"),
    ],
)
def test_a_schema_that_asks_for_no_literal_values_is_refused(schema: dict[str, object], why: str) -> None:
    with pytest.raises(UsageError, match=why):
        read_schema(schema)


def test_a_schema_of_a_model_is_read() -> None:
    """Optional fields of pydantic are `anyOf` with null."""
    specs = read_schema(
        {
            "type": "object",
            "required": ["paid"],
            "properties": {
                "paid": {"anyOf": [{"type": "number"}, {"type": "null"}]},
                "invoiceDate": {"type": ["string", "null"], "format": "date-time"},
                "total": {"x-octavo": {"kind": "amount"}},
                "who": {"type": "string", "enum": ["a", "b"]},
            },
        }
    )
    assert [(s.name, s.type, s.kind, s.required) for s in specs] == [
        ("paid", "number", "number", True),
        ("invoiceDate", "string", "date", False),
        ("total", "number", "amount", False),
        ("who", "string", "text", False),
    ]
    assert specs[1].task.wording.strip() == "invoice Date"
    assert specs[3].choices == ("a", "b")
