"""The rules of entities, each a table: opt-in, promotion, checking, normal forms (ENT-1, ENT-2)."""

import pytest
from octavo_contracts import EntityObservation, EntityRequest
from octavo_library.entities import check_observations, judge, normal_form, opted_in, standing
from octavo_library.entities.opt_in import could_opt_in
from octavo_library.storage.index.entity_records import Decision


def word(number: int, action: str, *, reason: str = "user", note: str = "", undoes: int | None = None) -> Decision:
    return Decision(
        number=number, action=action, reason=reason, by="ada", note=note, at="2026-01-01T00:00:00Z", undoes=undoes
    )


PROMOTE, DEMOTE = word(1, "promote"), word(2, "demote")
USED = word(3, "promote", reason="reuse", note="report 7")


@pytest.mark.parametrize(
    ("decisions", "documents", "status", "reason"),
    [
        pytest.param([], 0, "observed", None, id="seen nowhere"),
        pytest.param([], 2, "observed", None, id="too few documents"),
        pytest.param([], 3, "confirmed", "corroboration", id="just enough documents"),
        pytest.param([], 9, "confirmed", "corroboration", id="more than enough"),
        pytest.param([USED], 1, "confirmed", "reuse", id="used"),
        pytest.param([USED], 9, "confirmed", "reuse", id="used, and corroborated"),
        pytest.param([PROMOTE], 1, "confirmed", "user", id="promoted"),
        pytest.param([PROMOTE, USED], 9, "confirmed", "user", id="promoted, used and corroborated"),
        pytest.param([DEMOTE], 9, "observed", "user", id="demoted, though corroborated"),
        pytest.param([DEMOTE, USED], 1, "observed", "user", id="demoted, though used later"),
        pytest.param([PROMOTE, DEMOTE], 9, "observed", "user", id="the last word counts: demote"),
        pytest.param([DEMOTE, word(4, "promote")], 0, "confirmed", "user", id="the last word counts: promote"),
        pytest.param([PROMOTE, word(4, "undo", undoes=1)], 1, "observed", None, id="a promotion undone"),
        pytest.param([DEMOTE, word(4, "undo", undoes=2)], 3, "confirmed", "corroboration", id="a demotion undone"),
        pytest.param(
            [PROMOTE, DEMOTE, word(4, "undo", undoes=2)], 1, "confirmed", "user", id="back to the word before"
        ),
        pytest.param([USED, word(4, "undo", reason="reuse", undoes=3)], 1, "observed", None, id="a use undone"),
    ],
)
def test_the_promotion_table(decisions: list[Decision], documents: int, status: str, reason: str | None) -> None:
    verdict = judge(decisions, documents=documents)
    assert (verdict.status, verdict.reason and verdict.reason.partition(":")[0]) == (status, reason)


def test_reasons_tell_the_particulars() -> None:
    assert judge([], documents=4, needed=2).reason == "corroboration: seen in 4 documents; 2 are enough"
    assert judge([word(1, "promote", note="my client")], documents=0).reason == "user: confirmed by ada (my client)"
    assert judge([DEMOTE], documents=0).reason == "user: demoted by ada"
    assert judge([USED], documents=0).reason == "reuse: used in report 7"


def test_the_order_in_which_the_log_is_read_does_not_matter() -> None:
    log = [word(4, "undo", undoes=2), DEMOTE, PROMOTE]
    assert standing(log) == (PROMOTE,)


@pytest.mark.parametrize(
    ("said", "wanted", "because"),
    [
        pytest.param({}, False, "not enabled", id="nobody said anything"),
        pytest.param({"run": True, "corpus": False}, True, "the run", id="the run over the corpus"),
        pytest.param({"run": False, "corpus": True}, False, "the run", id="the run says no"),
        pytest.param({"corpus": True, "category": "audio"}, True, "the corpus", id="a corpus means all its documents"),
        pytest.param({"corpus": False, "profile": "legal"}, False, "the corpus", id="a corpus over its profile"),
        pytest.param({"profile": "legal"}, True, "the profile legal", id="legal"),
        pytest.param({"profile": "research"}, True, "the profile research", id="research"),
        pytest.param({"profile": "profiles/case-file.toml"}, True, "the profile case_file", id="a profile's file"),
        pytest.param({"profile": "transcript"}, True, "the profile transcript", id="transcript"),
        pytest.param({"profile": "measured"}, False, "the profile measured", id="routing rules say nothing of it"),
        pytest.param({"profile": "notes"}, False, "the profile notes", id="notes"),
        pytest.param({"profile": "legal", "category": "audio"}, False, "category audio", id="audio"),
        pytest.param({"profile": "legal", "category": "image"}, False, "category image", id="images"),
        pytest.param({"profile": "legal", "sub_kind": "email"}, False, "correspondence", id="correspondence"),
        pytest.param({"profile": "legal", "media_type": "text/x-python"}, False, "code", id="code"),
        pytest.param(
            {"corpus": False, "by_document_type": {"deposition": True}, "document_type": "deposition"},
            True,
            "the document type deposition",
            id="a document type over the corpus",
        ),
        pytest.param(
            {"corpus": True, "by_document_type": {"manual": False}, "document_type": "manual"},
            False,
            "the document type manual",
            id="a document type that is left out",
        ),
    ],
)
def test_the_opt_in_table(said: dict[str, object], wanted: bool, because: str) -> None:
    answer = opted_in(**said)
    assert answer.wanted is wanted
    assert because in answer.because


@pytest.mark.parametrize(
    ("run", "types", "corpus", "profile", "may"),
    [
        (None, {}, None, None, False),
        (True, {}, False, None, True),
        (False, {"paper": True}, True, "legal", False),
        (None, {"paper": True}, False, None, True),
        (None, {"paper": False}, True, None, True),
        (None, {}, None, "legal", True),
    ],
)
def test_what_may_want_entities_is_known_before_a_document_is_opened(run, types, corpus, profile, may) -> None:
    assert could_opt_in(run=run, by_document_type=types, corpus=corpus, profile=profile) is may


TEXT = "Ada Quay met Ben Pier, and ... Ada Quay."


def seen(start: int, end: int, text: str, *, label: str = "person", confidence: float = 0.9) -> EntityObservation:
    return EntityObservation(label=label, text=text, start=start, end=end, confidence=confidence)


@pytest.mark.parametrize(
    ("given", "why"),
    [
        pytest.param([seen(1, 9, "Ada Quay")], "span_mismatch", id="a span off by one"),
        pytest.param([seen(90, 98, "Ada Quay")], "span_mismatch", id="a span behind the end"),
        pytest.param([seen(0, 8, "Ada Quiy")], "span_mismatch", id="an invented spelling"),
        pytest.param([seen(0, 8, "Ada Quay", label="ship")], "label_not_asked", id="a label nobody asked for"),
        pytest.param([seen(0, 8, "Ada Quay", confidence=0.2)], "below_threshold", id="too uncertain"),
        pytest.param([seen(27, 30, "...")], "blank", id="no letter in it"),
        pytest.param([seen(0, 8, "Ada Quay")] * 2, "duplicate", id="said twice"),
    ],
)
def test_what_is_not_true_of_the_text_is_dropped_and_counted(given: list[EntityObservation], why: str) -> None:
    checked = check_observations(TEXT, EntityRequest(), given)
    assert checked.dropped == {why: 1}
    assert checked.found == len(given)
    assert all(TEXT[m.observation.start : m.observation.end] == m.observation.text for m in checked.kept)


def test_mentions_come_by_their_place() -> None:
    checked = check_observations(TEXT, EntityRequest(), [seen(31, 39, "Ada Quay"), seen(13, 21, "Ben Pier")])
    assert [(m.observation.start, m.key) for m in checked.kept] == [(13, "ben pier"), (31, "ada quay")]
    assert checked.dropped == {}


@pytest.mark.parametrize(
    ("text", "label", "key"),
    [
        ("Dr. Ada  Quay’s", "person", "ada quay"),
        ("Quay, Ada", "person", "ada quay"),
        ("Judge Pier", "person", "pier"),
        ("Sir", "person", "sir"),
        ("The Acme Co., Ltd.", "organization", "acme"),
        ("ACME", "organization", "acme"),
        ("Limited", "organization", "limited"),
        ("“Lisbon”,", "location", "lisbon"),
        ("The Hague", "location", "the hague"),
        ("1 January 2026", "date", "2026-01-01"),
        ("January 1st, 2026", "date", "2026-01-01"),
        ("March 2020", "date", "2020-03"),
        ("1987", "date", "1987"),
        ("03/04/2025", "date", "03/04/2025"),
        ("last week", "date", "last week"),
        ("''", "person", "''"),
    ],
)
def test_names_and_dates_get_one_form(text: str, label: str, key: str) -> None:
    assert normal_form(text, label=label).key == key


@pytest.mark.parametrize(
    ("text", "label", "kept"),
    [
        *((said, "date", True) for said in (
            "12 March 2024", "2024-03-12", "03/04/2025", "June", "June 2023", "Sept. 7", "12 May", "2019", "fiscal 2023",
            "fiscal 2023 and 2024", "Q4 2022", "the 1990s", "2019-2021", "2023/24", "2024年3月12日", "31. Dezember 2025",
        )),
        *((said, "date", False) for said in (
            "14,694 1", "1 1 1", "12345", "180.00", "14.1", "12.3 2019", "2022 2023", "2019 4,149", "30 days", "the day",
            "annual", "2-3 years", "each Contract Year", "may", "(126984)",
        )),
        ("Ines Halloran", "person", True),
        ("Dark Flyer 1", "person", False),
        ("Dear Ms Whitcombe", "person", False),
        ("Dear Ms Whitcombe", "organization", False),
        ("EUR 104,166.67", "organization", False),
        ("3M", "organization", True),
        ("20th Century Fox", "organization", True),
        ("BS1 4DB", "location", True),
        ("12345", "location", False),
        ("30 days", "duration", True),
        ("an Equipment Advance", "organization", False),
        ("Our Lady of Lourdes", "location", True),
        ("Commission File Number", "organization", False),
        ("Inventory Review: Product Code", "organization", False),
        ("ACTUAL Segments Consumer Health Pharmaceutical MedTech Total WW As Reported Total Sales", "organization", False),
    ],
)  # fmt: skip
def test_what_cannot_be_what_its_label_says_is_dropped(text: str, label: str, kept: bool) -> None:
    request = EntityRequest(labels=(label,))
    seen = EntityObservation(text=text, label=label, start=0, end=len(text), confidence=1.0)
    checked = check_observations(text, request, [seen])
    assert (len(checked.kept), checked.dropped) == ((1, {}) if kept else (0, {"implausible": 1}))


def test_a_thing_that_a_contract_defines_is_no_name() -> None:
    """ENT-2: `Equipment Advance` is not an organisation because a bank writes it with capitals; `Bank` is the bank's name here."""
    text = (
        'Between Silicon Bank ("Bank") and Tide Works, Inc. (the "Borrower"). Bank makes equipment advances (each an '
        '"Equipment Advance" and collectively the "Equipment Advances"). "Collateral" means all goods. The Collateral secures '
        "each Equipment Advance, and Bank tells the Borrower so. Filings go to the commission (the “SEC”)."
    )
    said = ("Bank", "Borrower", "Equipment Advance", "Equipment Advances", "The Collateral", "SEC", "Silicon Bank")
    seen = [
        EntityObservation(
            text=name, label="organization", start=(at := text.rindex(name)), end=at + len(name), confidence=1.0
        )
        for name in said
    ]

    checked = check_observations(text, EntityRequest(labels=("organization",)), seen)

    assert {one.observation.text for one in checked.kept} == {"Bank", "Borrower", "SEC", "Silicon Bank"}
    assert checked.dropped == {"implausible": 3}
