"""Text in the pictures of Word documents and presentations (OCR-6): found, read when asked, put in its place, told."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from octavo import ConvertedDocument, convert
from octavo.documents.source import Source
from octavo.plugins import PluginSelection
from octavo.runtime import Runtime
from octavo.settings.ocr import OcrOptions, OcrSettings
from octavo.settings.settings import Settings
from octavo_cli import main
from octavo_contracts import UsageError
from octavo_library import Library
from octavo_library.facade.recognition.on_request import recognise_document, recognise_source
from PIL import Image

WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
SLIDES = "application/vnd.openxmlformats-officedocument.presentationml.presentation"

CONVERTER = """\
from octavo_contracts import Conversion, Page, hookimpl
import json, zipfile

@hookimpl
def convert(source):
    with source.open() as stream, zipfile.ZipFile(stream) as archive:
        said = json.loads(archive.read("said.json"))
    if isinstance(said, str):
        return Conversion(pages=(Page(number=1, markdown=said, kind="whole"),), paginated=False)
    pages = tuple(Page(number=n, markdown=text, kind="slide") for n, text in enumerate(said, start=1))
    return Conversion(pages=pages, paginated=True)
"""
"""Gives the markdown that the test put into the container."""

READER = """\
from datetime import datetime, timezone
from octavo_contracts import BoundingBox, OCRResult, OCRWord, hookimpl

@hookimpl
def ocr(image):
    text = {text!r}.replace("WIDTH", str(image.width))
    word = OCRWord(text=text, box=BoundingBox(left=1, top=1, right=9, bottom=9), confidence={confidence})
    return OCRResult(
        page_number=1, page_fingerprint="0" * 64, extracted_text=text, words=(word,), confidence={confidence},
        method="keen", processed_at=datetime.now(timezone.utc), tool_version="1.0",
    )
"""
"""A recogniser that tells pictures apart by their width."""

R = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
A = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
RELATIONS = '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{}</Relationships>'


def picture(width: int) -> bytes:
    image = Image.new("L", (width, 40), 255)
    image.paste(0, (4, 4, 20, 20))
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


def relations(targets: dict[str, str]) -> str:
    return RELATIONS.format("".join(f'<Relationship Id="{name}" Target="{to}"/>' for name, to in targets.items()))


def container(said: Any, parts: dict[str, str | bytes], *, main_part: str, media_type: str) -> bytes:
    out = io.BytesIO()
    types = f'<Types><Override PartName="/{main_part}" ContentType="{media_type}.main+xml"/></Types>'
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("[Content_Types].xml", types)
        archive.writestr("_rels/.rels", relations({"rId1": main_part}))
        for name, data in parts.items():
            archive.writestr(name, data)
        archive.writestr("said.json", json.dumps(said))
    return out.getvalue()


def word(said: str, *widths: int, body: str = "", media_type: str = WORD, **more: bytes) -> bytes:
    """A Word document that shows pictures of these widths, in their order."""
    blips = "".join(f'<a:blip r:embed="p{number}"/>' for number in range(len(widths)))
    parts: dict[str, str | bytes] = {
        "word/document.xml": f"<document {R} {A}>{blips}{body}</document>",
        "word/_rels/document.xml.rels": relations(
            {f"p{number}": f"media/{number}.png" for number in range(len(widths))} | {name: name for name in more}
        ),
    }
    parts |= {f"word/media/{number}.png": picture(width) for number, width in enumerate(widths)}
    return container(
        said, parts | {f"word/{k}": v for k, v in more.items()}, main_part="word/document.xml", media_type=media_type
    )


def slides(said: list[str], *pictures: tuple[int, ...]) -> bytes:
    """A presentation whose slides show pictures of these widths; its parts are numbered the other way round."""
    count = len(pictures)
    names = [f"slides/slide{count - number}.xml" for number in range(count)]
    p = 'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
    order = "".join(f'<p:sldId r:id="s{number}"/>' for number in range(count))
    parts: dict[str, str | bytes] = {
        "ppt/presentation.xml": f"<p:presentation {p} {R}><p:sldIdLst>{order}</p:sldIdLst></p:presentation>",
        "ppt/_rels/presentation.xml.rels": relations({f"s{n}": name for n, name in enumerate(names)}),
    }
    for name, widths in zip(names, pictures, strict=True):
        blips = "".join(f'<a:blip r:embed="p{width}"/>' for width in widths)
        parts[f"ppt/{name}"] = f"<slide {R} {A}>{blips}</slide>"
        to = {f"p{width}": f"../media/{width}.png" for width in widths}
        parts[f"ppt/slides/_rels/{name.rpartition('/')[2]}.rels"] = relations(to)
        parts |= {f"ppt/media/{width}.png": picture(width) for width in widths}
    return container(said, parts, main_part="ppt/presentation.xml", media_type=SLIDES)


@pytest.fixture
def reader(make_plugin: Any) -> Iterator[Callable[..., Runtime]]:
    """`reader()`: a runtime whose recogniser says "reads WIDTH"."""
    made: list[Runtime] = []

    def make(
        *, text: str = "reads WIDTH", confidence: float = 0.9, media_types: Any = (WORD, SLIDES), **settings: Any
    ) -> Runtime:
        make_plugin("office", CONVERTER, media_types=list(media_types))
        code = READER.replace("{text!r}", repr(text)).replace("{confidence}", str(confidence))
        make_plugin("keen", code, hooks=["ocr"])
        made.append(Runtime(Settings(workers=2, ocr=OcrSettings(engines=("keen",), **settings))))
        return made[-1]

    yield make
    for runtime in made:
        runtime.close()


def read(data: bytes, runtime: Runtime, name: str = "notice.docx") -> ConvertedDocument:
    return convert(data, name=name, plugin="office", runtime=runtime)


def test_what_a_picture_says_stands_behind_it_as_a_quotation(reader: Any) -> None:
    said = "Before.\n\n![](one) and\nmore of the paragraph.\n\nBetween.\n\n![a map](two)\n\nAfter."
    document = read(word(said, 100, 120), reader(embedded=True))
    assert document.markdown == (
        "Before.\n\n![](one) and\nmore of the paragraph.\n\n> reads 100\n\nBetween.\n\n![a map](two)\n\n> reads 120\n\nAfter."
    )
    summary = document.result.quality_report.ocr_confidence_summary
    assert summary.applied
    assert summary.page_confidences == {"1": 0.9}
    assert document.result.quality_report.degraded_flags == ()


def test_what_is_recognised_is_text_and_never_markup(reader: Any) -> None:
    document = read(word("![](one)", 100), reader(embedded=True, text="# 50 *rods*\n- ![x](y)"))
    assert "# 50 *rods*" in document.text
    assert "\n> \\# 50 \\*rods\\*\n> \\- " in document.markdown


def test_nothing_is_read_without_being_asked_for(reader: Any) -> None:
    document = read(word("![](one)", 100), reader())
    assert document.markdown == "![](one)"
    assert [one.plugin for one in document.result.attempts if one.hook != "classify"] == ["office"]


@pytest.mark.parametrize(
    "said",
    [
        "Nothing refers to them.",
        "![](one) and no more",
        "| a | b |\n| --- | --- |\n| ![](one) | ![](two) |\n",
        "- ![](one)\n- ![](two)\n\nLast words.",
        "1. ![](one)\n\n   more of it ![](two)\n\nLast words.",
        "```\n![](one)\n\n![](two)\n```",
        "<!-- ![](one)\n\n![](two) -->",
        "[![](one)\n\nmore](http://x) ![](two)",
        "![](one)\n\n\\![](two)",
        "![" * 20_000,
    ],
)
def test_where_the_place_is_not_certain_it_is_the_end(reader: Any, said: str) -> None:
    document = read(word(said, 100, 120), reader(embedded=True))
    assert document.markdown == f"{said.rstrip()}\n\n> reads 100\n\n> reads 120"


@pytest.mark.parametrize(
    "body",
    ["<w>Write ![](one) for it.</w>", "<w>Write !</w><w>[](one) for it.</w>", "<w>Write !</w>\n  <w>[](one)</w>"],
)
def test_words_that_look_like_a_reference_are_no_place(reader: Any, body: str) -> None:
    """The converter shows no pictures, and the author wrote about markdown: only the document itself can tell."""
    document = read(word("Write ![](one) for it.\n\nLast words.", 100, body=body), reader(embedded=True))
    assert document.markdown == "Write ![](one) for it.\n\nLast words.\n\n> reads 100"


def test_words_of_a_footnote_that_look_like_a_reference_are_no_place(reader: Any) -> None:
    note = b"<footnotes><w>![](one)</w></footnotes>"
    document = read(word("See ![](one).\n\nLast words.", 100, **{"footnotes.xml": note}), reader(embedded=True))
    assert document.markdown == "See ![](one).\n\nLast words.\n\n> reads 100"


def test_notes_that_can_not_be_read_cost_the_pictures_their_places_and_nothing_else(reader: Any) -> None:
    document = read(word("![](one)\n\nLast words.", 100, **{"notes.xml": b"<notes"}), reader(embedded=True))
    assert document.markdown == "![](one)\n\nLast words.\n\n> reads 100"
    assert document.result.quality_report.degraded_flags == ()


def test_on_slides_a_single_picture_has_its_place_and_several_are_at_the_end(reader: Any) -> None:
    said = ["# One\n\n![](a)\n\nLast words.", "# Two\n\n![](c)\n\n![](b)\n\nLast words.", "# Three"]
    document = read(slides(said, (100,), (110, 120), ()), reader(embedded=True), "deck.pptx")
    anchors = list(document.result.page_anchor_map.anchors())
    pages = [document.markdown[anchor.markdown_start : anchor.markdown_end] for anchor in anchors]
    assert pages == [
        "# One\n\n![](a)\n\n> reads 100\n\nLast words.",
        "# Two\n\n![](c)\n\n![](b)\n\nLast words.\n\n> reads 110\n\n> reads 120",
        "# Three",
    ]
    texts = [document.text[anchor.text_start : anchor.text_end] for anchor in anchors]
    assert "reads 100" in texts[0]
    assert "reads 120" in texts[1]


def test_a_picture_shown_twice_is_read_and_quoted_once(reader: Any) -> None:
    data = word("![](one)\n\nWords.\n\n![](one)", 100, body='<a:blip r:embed="p0"/>')
    document = read(data, reader(embedded=True))
    assert document.markdown == "![](one)\n\n> reads 100\n\nWords.\n\n![](one)"
    assert [attempt.details for attempt in document.result.attempts if attempt.hook == "ocr"] == ["1 page"]


def test_the_second_form_of_a_drawing_is_not_a_second_picture(reader: Any) -> None:
    body = (
        '<mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006">'
        '<mc:Choice><a:blip r:embed="p0"/></mc:Choice><mc:Fallback><v:imagedata xmlns:v="urn:schemas-microsoft-com:vml" '
        'r:id="p0"/></mc:Fallback></mc:AlternateContent>'
    )
    data = word("![](one)\n\n![](one)\n\nLast words.", 100, body=body)
    assert read(data, reader(embedded=True)).markdown.startswith("![](one)\n\n> reads 100\n\n")


def test_a_photograph_gives_no_text_and_no_complaint(reader: Any) -> None:
    document = read(word("Words.\n\n![](one)", 100), reader(embedded=True, text="lx", confidence=0.3))
    assert document.markdown == "Words.\n\n![](one)"
    assert document.result.quality_report.degraded_flags == ()


def test_a_doubtful_picture_is_named(reader: Any) -> None:
    document = read(word("![](one)", 100), reader(embedded=True, confidence=0.65))
    assert "ocr_low_confidence" in document.result.quality_report.degraded_flags
    (finding,) = [f for f in document.result.quality_report.findings if f.flag == "ocr_low_confidence"]
    assert "0.png" in finding.message
    assert "words may be wrong" in document.markdown_with_page_marks()


def test_a_picture_that_can_not_be_decoded_is_named_and_the_others_are_read(reader: Any) -> None:
    data = word("![](one)\n\n![](two)", 100, body='<a:blip r:embed="drawing.emf"/>', **{"drawing.emf": b"\1\0\0\0"})
    document = read(data, reader(embedded=True))
    assert "> reads 100" in document.markdown
    (finding,) = [f for f in document.result.quality_report.findings if f.flag == "ocr_needed"]
    assert "drawing.emf" in finding.message
    assert "ocr_needed" in document.result.quality_report.degraded_flags


def test_without_an_engine_the_pictures_are_said_to_be_unread(reader: Any, make_plugin: Any) -> None:
    make_plugin("office", CONVERTER, media_types=[WORD, SLIDES])
    with Runtime(Settings(workers=1, ocr=OcrSettings(engines=(), embedded=True))) as runtime:
        document = read(word("![](one)", 100, 120), runtime)
    (finding,) = [f for f in document.result.quality_report.findings if f.flag == "ocr_needed"]
    assert "2 pictures" in finding.message
    assert "no OCR engine" in finding.message


def test_markup_that_can_not_be_read_costs_no_more_than_the_pictures(reader: Any) -> None:
    parts: dict[str, str | bytes] = {"word/document.xml": "<document"}
    data = container("Words.", parts, main_part="word/document.xml", media_type=WORD)
    document = read(data, reader(embedded=True))
    assert document.markdown == "Words."
    assert "ocr_needed" in document.result.quality_report.degraded_flags


def test_external_and_missing_pictures_are_not_looked_for(reader: Any) -> None:
    outside = '<Relationship Id="x" Target="http://127.0.0.1:9/a.png" TargetMode="External"/>'
    lost = '<Relationship Id="y" Target="../../../etc/passwd"/>'
    parts: dict[str, str | bytes] = {
        "word/document.xml": f'<d {R} {A}><a:blip r:embed="x"/><a:blip r:embed="y"/><a:blip r:embed="z"/></d>',
        "word/_rels/document.xml.rels": RELATIONS.format(outside + lost),
    }
    document = read(container("Words.", parts, main_part="word/document.xml", media_type=WORD), reader(embedded=True))
    assert document.markdown == "Words."
    assert not document.result.quality_report.ocr_confidence_summary.applied


def test_asked_for_in_a_library_the_text_is_a_new_version_and_pictures_are_read_once(
    reader: Any, tmp_path: Path
) -> None:
    runtime = reader()
    with Library.open(tmp_path / "library", runtime=runtime) as library:
        taken = library.ingest(word("![](one)", 100), name="notice.docx", plugin="office")
        document = library.document(taken.document_id)
        asked = OcrOptions(embedded=True)
        done = recognise_document(document, asked)
        assert done.version is not None
        assert [one.result.extracted_text for one in done.recognition.pictures if one.result] == ["reads 100"]
        again = library.document(taken.document_id)
        assert again.markdown == "![](one)\n\n> reads 100"
        second = recognise_document(again, asked)
        assert second.version is None
        assert [one.reading.stored for one in second.recognition.pictures if one.reading] == [True]


def test_a_plain_reconversion_keeps_what_was_asked_of_pictures(reader: Any, tmp_path: Path) -> None:
    """What the version before had is not taken away by converting it again; who wants less says so."""
    with Library.open(tmp_path / "library", runtime=reader()) as library:
        taken = library.ingest(word("![](one)", 100), name="notice.docx", plugin="office")
        document = library.document(taken.document_id)
        document.reconvert()
        assert library.document(taken.document_id).markdown == "![](one)"  # nobody had asked
        recognise_document(library.document(taken.document_id), OcrOptions(embedded=True))
        library.document(taken.document_id).reconvert(plugin="office")
        assert library.document(taken.document_id).markdown == "![](one)\n\n> reads 100"
        library.ingest(word("![](one)", 100), name="notice.docx", plugin="office", reingest=True)
        assert library.document(taken.document_id).markdown == "![](one)\n\n> reads 100"
        library.document(taken.document_id).reconvert(ocr=OcrOptions(asked=True))
        assert library.document(taken.document_id).markdown == "![](one)"


def test_of_a_file_nothing_is_kept_and_every_picture_is_told(reader: Any, tmp_path: Path) -> None:
    path = tmp_path / "deck.pptx"
    path.write_bytes(slides(["# One", "# Two"], (), (100, 120)))
    with Source.from_path(path) as source:
        done = recognise_source(reader(), source, OcrOptions(embedded=True))
    assert [(one.picture.page, one.picture.name) for one in done.recognition.pictures] == [
        (2, "100.png"),
        (2, "120.png"),
    ]
    assert [one.result.page_number for one in done.recognition.pictures if one.result] == [2, 2]
    assert not done.is_incomplete


def test_the_command_shows_what_each_picture_says(reader: Any, tmp_path: Path, capsys: Any) -> None:
    reader()
    path = tmp_path / "notice.docx"
    path.write_bytes(word("![](one)", 100))
    assert main(["ocr", str(path), "--pictures", "--json"]) == 0
    (told,) = json.loads(capsys.readouterr().out)["documents"]
    (shown,) = told["pictures"]
    assert (shown["page"], shown["picture"], shown["why"]) == (1, "word/media/0.png", None)
    assert shown["result"]["extracted_text"] == "reads 100"
    assert main(["ocr", str(path), "--pictures"]) == 0
    assert "<!-- page 1, picture 0.png: keen 1.0, confidence 0.90 -->\n\nreads 100" in capsys.readouterr().out
    assert main(["ocr", str(path)]) == 0
    assert "--pictures" in capsys.readouterr().err


def test_a_picture_shown_ten_thousand_times_costs_its_text_once(reader: Any) -> None:
    document = read(word("Words.", 100, body='<a:blip r:embed="p0"/>' * 10_000), reader(embedded=True))
    assert document.markdown == "Words.\n\n> reads 100"


def test_pictures_beyond_the_places_that_are_looked_at_are_told(reader: Any) -> None:
    """A picture that was shown before is none that is lost."""
    body = '<a:blip r:embed="p0"/>' * 20_000
    late = "".join(f'<a:blip r:embed="p{number}"/>' for number in (0, 1, 2, 2))
    data = word("Words.", 100, 120, 130, body=body + late)
    blips = "".join(f'<a:blip r:embed="p{number}"/>' for number in range(3))
    data = _without(data, blips)
    document = read(data, reader(embedded=True))
    assert document.markdown == "Words.\n\n> reads 100"
    (finding,) = [f for f in document.result.quality_report.findings if f.flag == "partial_conversion"]
    assert "2 pictures first shown after the first 20,000 picture uses" in finding.message
    assert "partial_conversion" in document.result.quality_report.degraded_flags


def _without(data: bytes, blips: str) -> bytes:
    """A container whose document does not begin with showings of these pictures."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            part = old.read(name)
            new.writestr(name, part.replace(blips.encode(), b"", 1) if name == "word/document.xml" else part)
    return out.getvalue()


def test_the_time_for_the_pictures_of_one_document_is_shared_and_its_end_is_told(reader: Any, make_plugin: Any) -> None:
    """A thousand pictures of half a second each would hold one document for as long as they like."""
    make_plugin("office", CONVERTER, media_types=[WORD, SLIDES])
    slow = READER.replace("{text!r}", repr("reads WIDTH")).replace("{confidence}", "0.9")
    make_plugin("keen", slow.replace("    text =", "    import time; time.sleep(0.5)\n    text ="), hooks=["ocr"])
    ocr = OcrSettings(engines=("keen",), embedded=True, at_once=1, pictures_seconds=3.0)
    widths = tuple(range(100, 112))
    with Runtime(Settings(workers=1, ocr=ocr)) as runtime:
        document = read(word("Words.", *widths), runtime)
    assert "> reads 100" in document.markdown
    assert "reads 111" not in document.markdown
    (finding,) = [f for f in document.result.quality_report.findings if f.flag == "ocr_needed"]
    assert "the 3 s for the pictures of one document are used up" in finding.message
    assert document.result.ingestion_status == "degraded_complete"


def test_different_reasons_for_unread_pictures_are_told(reader: Any, make_plugin: Any) -> None:
    """The most frequent reason stands first."""
    make_plugin("office", CONVERTER, media_types=[WORD, SLIDES])
    dark = READER.replace("{text!r}", repr("reads WIDTH")).replace("{confidence}", "0.9")
    refuses = "    from octavo_contracts import OcrFailed\n    raise OcrFailed('no light')\n    text ="
    make_plugin("keen", dark.replace("    text =", refuses), hooks=["ocr"])
    lost = {f"{n}.emf": b"\1\0\0\0" for n in range(2)}
    shown = "".join(f'<a:blip r:embed="{name}"/>' for name in lost)
    with Runtime(Settings(workers=1, ocr=OcrSettings(engines=("keen",), embedded=True))) as runtime:
        document = read(word("Words.", 100, body=shown, **lost), runtime)
    (finding,) = [f for f in document.result.quality_report.findings if f.flag == "ocr_needed"]
    assert finding.message == (
        "3 pictures could not be read: 0.png, 0.emf, 1.emf (the image cannot be opened: it is damaged or of an "
        "unsupported format; keen: no light)"
    )


def test_a_document_with_macros_shows_pictures_too(reader: Any) -> None:
    macros = "application/vnd.ms-word.document.macroEnabled"
    data = word("![](one)", 100, media_type=macros)
    runtime = reader(embedded=True, media_types=(WORD, f"{macros.lower()}.12"))
    assert "> reads 100" in read(data, runtime, "notice.docm").markdown


def test_what_can_not_be_decoded_is_told_alike_each_time(reader: Any) -> None:
    """Pillow's own message names an address in memory."""
    data = word("![](one)", body='<a:blip r:embed="drawing.svg"/>', **{"drawing.svg": b"<svg/>"})
    runtime = reader(embedded=True)
    told = [[f.message for f in read(data, runtime).result.quality_report.findings] for _ in range(2)]
    assert told[0] == told[1]
    assert "0x" not in str(told)


def test_in_a_library_a_picture_that_can_not_be_read_degrades_its_document(reader: Any, tmp_path: Path) -> None:
    data = word("Words.\n\n![](one)", body='<a:blip r:embed="drawing.svg"/>', **{"drawing.svg": b"<svg/>"})
    with Library.open(tmp_path / "library", runtime=reader()) as library:
        taken = library.ingest(data, name="notice.docx", plugin="office")
        done = recognise_document(library.document(taken.document_id), OcrOptions(embedded=True))
        assert done.version is not None
        assert [document.id for document in library.recognition.pending()] == [taken.document_id]
        again = recognise_document(library.document(taken.document_id), OcrOptions(embedded=True))
        assert again.version is None
        (found,) = library.recognition.run()
        assert found.recognised is not None
        assert found.recognised.is_incomplete


def test_pages_of_an_office_document_can_not_be_named(reader: Any, tmp_path: Path) -> None:
    path = tmp_path / "notice.docx"
    path.write_bytes(word("![](one)", 100))
    with Source.from_path(path) as source, pytest.raises(UsageError, match="no page images"):
        recognise_source(reader(), source, OcrOptions(embedded=True, pages=(1,)))


def test_a_picture_can_not_forge_a_mark(reader: Any, tmp_path: Path, capsys: Any) -> None:
    reader(text="<!-- page 9: keen 1.0, confidence 0.99 -->", confidence=0.6)
    path = tmp_path / "notice.docx"
    path.write_bytes(word("![](one)", 100))
    assert main(["ocr", str(path), "--pictures"]) == 0
    shown = capsys.readouterr().out
    assert [line for line in shown.splitlines() if line.startswith("<!--")] == [
        "<!-- page 1, picture 0.png: keen 1.0, confidence 0.60; doubtful: check it against the page -->"
    ]


def test_a_photograph_that_waited_for_an_engine_waits_no_longer(reader: Any, tmp_path: Path) -> None:
    """OCR-7: that a picture has no text is stored, once, as a text would be."""
    runtime = reader(text="lx", confidence=0.3)
    settings = Settings(
        workers=1, ocr=OcrSettings(embedded=True), plugins=PluginSelection(block=("keen", "rapidocr", "tesseract"))
    )
    with Library.open(tmp_path / "library", settings=settings) as library:
        taken = library.ingest(word("Words.\n\n![](one)", 100), name="notice.docx", plugin="office")
        assert [document.id for document in library.recognition.pending()] == [taken.document_id]
    with Library.open(tmp_path / "library", runtime=runtime) as library:
        (found,) = library.recognition.run()
        assert found.recognised is not None
        assert found.recognised.version is not None
        assert library.recognition.pending() == []
        document = library.document(taken.document_id)
        assert document.quality.degraded_flags == ()
        assert recognise_document(document, OcrOptions(embedded=True)).version is None
