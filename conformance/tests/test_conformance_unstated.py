"""Documents with late letters, dates with zones, attachments, languages and missing ends: what makes them fit for their checks."""

from __future__ import annotations

import email
import hashlib
from datetime import UTC, datetime

import pytest
from lxml import etree
from octavo_conformance.vectors import words_of
from octavo_conformance.vectors.coded_texts import LETTERS, make_coded_texts
from octavo_conformance.vectors.cut_markup import make_cut_off
from octavo_conformance.vectors.feeds import ATOM_TYPE, FEEDS, RSS_TYPE
from octavo_conformance.vectors.forwarded_mails import FORWARDED_MAILS
from octavo_conformance.vectors.hostile import load_hostile
from octavo_conformance.vectors.late_letters import LATE_LETTERS
from octavo_conformance.vectors.sheaf_bytes import SHEAF
from octavo_conformance.vectors.stated_languages import make_languages
from octavo_conformance.vectors.unreadable import make_hidden
from octavo_conformance.vectors.words import Words
from octavo_conformance.vectors.xml_documents import XML_TYPE
from octavo_conformance.vectors.zoned_dates import ZONED_DATES, moment

_XML_TYPES = [
    "application/jats+xml", "application/docbook+xml", "application/x-fictionbook+xml", "text/x-opml+xml", XML_TYPE, RSS_TYPE, ATOM_TYPE,
]  # fmt: skip


@pytest.mark.parametrize("path", sorted(LATE_LETTERS))
def test_late_letters_come_behind_more_than_four_thousand_others(path: str) -> None:
    data, *_ = LATE_LETTERS[path][1](Words(3))
    assert data[:4096].isascii()
    assert not data.isascii()


@pytest.mark.parametrize("is_west", [True, False])
def test_a_moment_is_on_another_day_in_utc(is_west: bool) -> None:
    for seed in range(200):
        when = moment(Words(seed), is_west=is_west)
        days = (when.astimezone(UTC).date() - when.date()).days
        assert days == (1 if is_west else -1)


def test_documents_with_dates_state_them_with_their_zones() -> None:
    for _, make in (*ZONED_DATES.values(), *FEEDS.values()):
        when = datetime.fromisoformat(make(Words(3))[3]["date"])
        assert when.utcoffset()
        assert when.astimezone(UTC).date() != when.date()


def test_attachments_of_a_mail_are_of_every_kind() -> None:
    data, _, _, truth = FORWARDED_MAILS["eml/forwarded.eml"][1](Words(3))
    attachments = truth["attachments"]
    parts = email.message_from_bytes(data).get_payload()
    assert len(parts) == len(attachments) + 1
    assert sum(part.get_content_type() == "message/rfc822" for part in parts) == 3
    assert hashlib.sha256(b"").hexdigest() in {one.sha256 for one in attachments}
    names = [one.name for one in attachments]
    assert "" in names
    assert len(set(names)) < len(names)


def test_a_long_document_hides_text_behind_its_third_page_alone() -> None:
    for seed in range(9):
        _, late = make_hidden(seed, [SHEAF])
        pages = late.vector.data.decode().split("blocks")[1:]
        hiding = [number for number, page in enumerate(pages, start=1) if '[\\"x\\"' in page]
        assert hiding
        assert min(hiding) > 3


def test_languages_are_stated_by_half_of_the_documents() -> None:
    made = make_languages(3, ["text/html", SHEAF])
    assert [one.stated is None for one in made] == [False, True, False, True] * 2
    assert all(one.stated is None or one.stated.startswith(one.language) for one in made)
    assert all("en" not in (one.stated, one.language) for one in made)


def test_texts_in_an_encoding_are_no_utf_8() -> None:
    made = make_coded_texts(3, ["text/plain"])
    assert [one.encoding for one in made] == list(LETTERS)
    for one in made:
        with pytest.raises(UnicodeDecodeError):
            one.vector.data.decode()
        assert one.vector.data.decode(one.encoding).split() == one.vector.expected.pages[0].split()


def test_xml_that_is_cut_off_is_not_well_formed_and_lacks_words() -> None:
    for seed in range(5):
        made = make_cut_off(seed, _XML_TYPES)
        assert len(made) == 4 * len(_XML_TYPES)
        for vector in made:
            with pytest.raises(etree.XMLSyntaxError):
                etree.fromstring(vector.data)
            assert set(words_of(vector.expected.pages[0])) - set(words_of(vector.data.decode()))


@pytest.mark.parametrize("family", ["atom", "rss", "xml"])
def test_broken_feeds_of_every_run_are_not_well_formed(family: str) -> None:
    broken = [one for one in load_hostile(family) if one.kind == "truncated"]
    assert len(broken) == 6
    for vector in broken:
        with pytest.raises(etree.XMLSyntaxError):
            etree.fromstring(vector.data)
