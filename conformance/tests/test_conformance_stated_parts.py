"""Documents that state their dates, types, labels and speakers, or do not: what makes them fit for their checks."""

from __future__ import annotations

import email
import hashlib
import io
import json
import zipfile

import pytest
from octavo_conformance.vectors.bare_mails import BARE_MAILS
from octavo_conformance.vectors.close_columns import COLUMNS, make_close_columns
from octavo_conformance.vectors.dated_cells import DATED_CELLS
from octavo_conformance.vectors.drawn_charts import make_charts
from octavo_conformance.vectors.guarded_files import GUARDED_FILES
from octavo_conformance.vectors.image_files import IMAGE_FILES
from octavo_conformance.vectors.notebooks import NOTEBOOKS
from octavo_conformance.vectors.printed_numbers import PRINTED_NUMBERS
from octavo_conformance.vectors.several_losses import make_several_losses
from octavo_conformance.vectors.sheaf_bytes import SHEAF
from octavo_conformance.vectors.subtitles import SUBTITLES
from octavo_conformance.vectors.truths import OFFICE
from octavo_conformance.vectors.words import Words
from PIL import Image, ImageOps
from pypdf import PdfReader


@pytest.mark.parametrize("path", sorted(IMAGE_FILES))
@pytest.mark.parametrize("seed", [3, 5, 7])
def test_images_are_shown_in_the_sizes_of_their_truths(path: str, seed: int) -> None:
    data, _, pages, truth = IMAGE_FILES[path][1](Words(seed))
    with Image.open(io.BytesIO(data)) as picture:
        assert getattr(picture, "n_frames", 1) == len(pages)
        for place, (width, height) in enumerate(truth["sizes"]):
            picture.seek(place)
            # Pillow turns a page of TIFF as it is decoded.
            shown = picture.copy() if picture.format == "TIFF" else ImageOps.exif_transpose(picture)
            across, down = picture.info["dpi"]
            assert shown.width * 72 / across == pytest.approx(width, abs=0.1)
            assert shown.height * 72 / down == pytest.approx(height, abs=0.1)


def test_turned_photographs_lie_on_their_side() -> None:
    data, *_ = IMAGE_FILES["jpg/turned.jpg"][1](Words(3))
    with Image.open(io.BytesIO(data)) as picture:
        assert picture.getexif()[274] >= 5
        assert picture.width > picture.height


def test_a_restricted_file_opens_without_a_password() -> None:
    data, _, pages, _ = GUARDED_FILES["pdf/guarded.pdf"][1](Words(3))
    reader = PdfReader(io.BytesIO(data))
    assert reader.is_encrypted
    assert reader.decrypt("").name == "USER_PASSWORD"
    assert reader.pages[0].extract_text().split() == pages[0].split()


def test_undated_mails_have_no_date_and_say_so() -> None:
    data, _, _, truth = BARE_MAILS["eml/undated.eml"][1](Words(3))
    assert email.message_from_bytes(data)["Date"] is None
    assert "date" not in truth


def test_types_of_attachments_are_not_those_of_their_names() -> None:
    data, _, _, truth = BARE_MAILS["eml/typed.eml"][1](Words(3))
    parts = email.message_from_bytes(data).get_payload()[1:]
    for part, told in zip(parts, truth["attachments"], strict=True):
        content = part.get_payload(decode=True)
        assert (part.get_filename(), part.get_content_type()) == (told.name, told.media_type)
        assert (hashlib.sha256(content).hexdigest(), len(content)) == (told.sha256, told.size)


def test_the_text_of_a_mail_stands_in_one_of_its_alternatives() -> None:
    for rich in ("alternative", "alternative-plain"):
        data, _, (text,), _ = BARE_MAILS[f"eml/{rich}.eml"][1](Words(3))
        holding = [part for part in email.message_from_bytes(data).walk() if text.split()[0] in str(part.get_payload())]
        kinds = {part.get_content_type() for part in holding if not part.is_multipart()}
        assert kinds == {"text/plain" if rich.endswith("plain") else "text/html"}


def test_numbers_at_the_edges_of_pages_are_not_their_own() -> None:
    for seed in range(20):
        _, _, pages, truth = PRINTED_NUMBERS["sheaf/folios.sheaf"][1](Words(seed))
        assert set(truth["labels"]) == {""}
        for number, page in enumerate(pages, start=1):
            assert str(number) not in (page.split()[0], page.split()[-1])


def test_cells_of_a_notebook_were_run_in_another_order() -> None:
    for seed in range(20):
        for path in ("ipynb/run.ipynb", "ipynb/outputs.ipynb"):
            _, make = NOTEBOOKS[path]
            cells = json.loads(make(Words(seed))[0])["cells"]
            counts = [cell["execution_count"] for cell in cells if cell.get("execution_count")]
            assert counts != sorted(counts)


def test_captions_without_a_speaker_stand_behind_some_with_one() -> None:
    _, _, _, truth = SUBTITLES["vtt/voiced.vtt"][1](Words(3))
    (first, _), (second, _), *_ = truth["voices"]
    assert first
    assert not second


def test_days_of_both_systems_are_counted_from_their_starts() -> None:
    parts = []
    for _, make in DATED_CELLS.values():
        with zipfile.ZipFile(io.BytesIO(make(Words(3))[0])) as package:
            parts.append(package.read("xl/worksheets/sheet1.xml").decode())
    first, second = (int(part.partition('s="1"><v>')[2].partition("<")[0]) for part in parts)
    assert first - second == 1462


def test_tables_without_rules_have_their_columns() -> None:
    for vector in make_close_columns(3, ["application/pdf", SHEAF]):
        assert all(len(page.split()) >= COLUMNS * 7 for page in vector.expected.pages)


def test_charts_have_their_words_in_a_part_of_their_own() -> None:
    for vector in make_charts(3, [f"{OFFICE}.wordprocessingml.document", f"{OFFICE}.presentationml.presentation"]):
        with zipfile.ZipFile(io.BytesIO(vector.data)) as package:
            chart = next(package.read(name).decode() for name in package.namelist() if "charts/" in name)
        assert sum(word in chart for page in vector.expected.pages for word in page.split()) == 6


def test_sealed_messages_of_a_mailbox_are_those_of_its_truth() -> None:
    ((document, *_),) = make_several_losses(3, ["application/mbox"])
    messages = document.vector.data.split(b"From ada@example.org")[1:]
    sealed = {number for number, message in enumerate(messages, start=1) if b"multipart/encrypted" in message}
    assert sealed == document.pages["encrypted parts"]
