"""Documents whose signs, addresses, dates, rows and orders are compared: what makes them fit for their checks."""

from __future__ import annotations

import email
import io
import itertools
import json
import re
import zipfile

import pytest
from octavo_conformance.families.parts import _links
from octavo_conformance.truth import without_references
from octavo_conformance.vectors.bare_addresses import BARE_ADDRESSES
from octavo_conformance.vectors.forwarded_mails import FORWARDED_MAILS
from octavo_conformance.vectors.notebooks import NOTEBOOKS
from octavo_conformance.vectors.numbered_lists import NUMBERED_LISTS
from octavo_conformance.vectors.reading_order import READING_ORDER
from octavo_conformance.vectors.repeated_cells import REPEATED_CELLS
from octavo_conformance.vectors.seen_forms import SEEN_FORMS
from octavo_conformance.vectors.shared_labels import SHARED_LABELS
from octavo_conformance.vectors.subtitles import SUBTITLES
from octavo_conformance.vectors.typed_lines import TYPED_LINES
from octavo_conformance.vectors.unequal_parts import UNEQUAL_PARTS
from octavo_conformance.vectors.uneven_rows import UNEVEN_ROWS
from octavo_conformance.vectors.words import Words
from octavo_conformance.vectors.written_dates import WRITTEN_DATES
from octavo_text.canonical import canonical_body


@pytest.mark.parametrize("path", sorted(TYPED_LINES))
def test_typed_lines_have_signs_that_fine_printing_replaces(path: str) -> None:
    _, _, _, truth = TYPED_LINES[path][1](Words(3))
    lines = "\n".join(truth["code"])
    assert all(sign in lines for sign in ("--", "...", "'"))
    assert not set(lines) & set("–—“”‘’…©")


def test_code_has_indents() -> None:
    for path in ("md/code.md", "html/code.html", "ipynb/code.ipynb"):
        assert any(line.startswith("    ") for line in TYPED_LINES[path][1](Words(3))[3]["code"])


def test_links_by_reference_lead_to_their_definitions() -> None:
    data, _, _, truth = SHARED_LABELS["md/labels-1.md"][1](Words(3))
    assert _links(data.decode()) == list(truth["links"])


def test_documents_share_their_labels_and_not_their_targets() -> None:
    links = [
        SHARED_LABELS[path][1](Words(3 + number))[3]["links"] for number, path in enumerate(sorted(SHARED_LABELS)[3:])
    ]
    first, second, third = (dict(one) for one in links)
    assert set(first) == set(second) == set(third)
    assert all(len({one[label] for one in (first, second, third)}) == 3 for label in first)


@pytest.mark.parametrize("path", sorted(BARE_ADDRESSES))
def test_addresses_have_parameters(path: str) -> None:
    data, _, _, truth = BARE_ADDRESSES[path][1](Words(3))
    assert sum("?" in one for one in truth["addresses"]) >= 3
    assert all(one in data.decode().replace("&amp;", "&") for one in truth["addresses"])


@pytest.mark.parametrize(
    ("markdown", "read"),
    [
        ("a &amp; b &#38; c &lt;", "a & b & c <"),
        ("?m=&regoka&k=1", "?m=&regoka&k=1"),
        ("?a=1&copy=2;&regoka;", "?a=1&copy=2;&regoka;"),
    ],
)
def test_a_name_without_a_semicolon_is_no_reference(markdown: str, read: str) -> None:
    assert without_references(markdown) == read


def test_days_of_written_dates_may_be_months() -> None:
    for seed in range(30):
        data, _, _, truth = WRITTEN_DATES["md/british.md"][1](Words(seed))
        day, month, year = map(int, re.search(r"(\d+)/(\d+)/(\d+)", data.decode()).groups())  # type: ignore[union-attr]  # it is there
        assert truth["stated_dates"] == (f"{year}-{month:02}-{day:02}",)
        assert day <= 12
        assert day != month


def test_late_records_have_members_that_the_first_lacks() -> None:
    records = json.loads(UNEVEN_ROWS["json/records.json"][1](Words(3))[0])
    assert set(records[-1]) - set(records[0])
    assert set(records[0]) - {key for record in records for key in record if record != records[0]} == set()


@pytest.mark.parametrize("path", ["csv/uneven.csv", "tsv/uneven.tsv"])
def test_rows_are_longer_than_the_first(path: str) -> None:
    widths = [len(re.split("[,\t]", row)) for row in UNEVEN_ROWS[path][1](Words(3))[0].decode().splitlines()]
    assert max(widths) > widths[0] > min(widths)


def test_first_parts_are_the_longest() -> None:
    for _, make in UNEQUAL_PARTS.values():
        _, _, pages, _ = make(Words(3))
        assert len(pages[0]) > 4 * max(map(len, pages[1:]))


def test_chapters_of_a_book_stand_in_another_order_than_its_manifest() -> None:
    data, _, _, truth = READING_ORDER["epub/spine.epub"][1](Words(3))
    with zipfile.ZipFile(io.BytesIO(data)) as book:
        package = book.read("book.opf").decode()
        listed = re.findall(r'<item id="(part\d)" href="(text/\w+\.xhtml)"', package)
        headings = {number: re.findall("<h1>(.*?)</h1>", book.read(name).decode())[0] for number, name in listed}
    assert [number for number, _ in listed] != sorted(headings)
    assert [headings[number] for number in re.findall('idref="(part.)"', package)] == list(truth["headings"])


def test_columns_are_read_one_after_the_other() -> None:
    _, _, pages, _ = READING_ORDER["pdf/columns.pdf"][1](Words(3))
    assert len(pages) == 3


def test_answers_repeat_what_was_said_before() -> None:
    for path in ("vtt/answers.vtt", "srt/answers.srt"):
        lines = [block.split("\n")[-1] for block in SUBTITLES[path][1](Words(3))[0].decode().strip().split("\n\n")]
        assert sum(one == other for one, other in itertools.pairwise(lines)) >= 3


def test_errors_of_cells_are_outputs() -> None:
    cells = json.loads(NOTEBOOKS["ipynb/results.ipynb"][1](Words(3))[0])["cells"]
    kinds = [output["output_type"] for cell in cells for output in cell.get("outputs", ())]
    assert kinds.count("error") == 2


def test_files_of_mails_have_bytes_of_their_own() -> None:
    for path in ("eml/forwarded.eml", "eml/forwarded-crlf.eml"):
        data, _, _, truth = FORWARDED_MAILS[path][1](Words(3))
        contents = [part.get_payload(decode=True) for part in email.message_from_bytes(data).walk()]
        told = [one for one in contents if isinstance(one, bytes)]
        assert any(b"\r\n" in one and "Größe".encode() in one for one in told)
        assert any(one.startswith((b"\xff\xfe", b"\xfe\xff")) for one in told)
        assert len(truth["attachments"]) >= 14


def test_cells_are_written_once() -> None:
    data, _, pages, _ = REPEATED_CELLS["ods/repeated.ods"][1](Words(3))
    with zipfile.ZipFile(io.BytesIO(data)) as book:
        content = book.read("content.xml").decode()
    assert "number-columns-repeated" in content.partition("<table:table-row")[2]
    assert "number-rows-repeated" in content
    assert all("mark" not in page for page in pages)


@pytest.mark.parametrize("path", sorted(SEEN_FORMS))
def test_visible_lines_are_canonical(path: str) -> None:
    _, _, (text,), _ = SEEN_FORMS[path][1](Words(3))
    assert canonical_body(text).text.split() == text.split()


def test_items_state_numbers_of_their_own() -> None:
    data, _, _, truth = NUMBERED_LISTS["html/lists.html"][1](Words(3))
    assert data.decode().count(" value=") == 2
    numbers = [int(number) for number, _ in truth["items"]]
    assert any(after - before > 3 for before, after in itertools.pairwise(numbers))
