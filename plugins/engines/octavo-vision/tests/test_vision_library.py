"""The vision model through the library, the command line and the cascade: who is asked, and what comes of the answers."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from octavo import convert
from octavo.plugins import PluginSelection
from octavo.runtime import Runtime
from octavo.settings.ocr import OcrSettings
from octavo.settings.settings import Settings
from octavo.settings.step_names import StepName
from octavo_cli import main
from octavo_contracts import ExitCode, PolicyRefused
from octavo_library import Library
from octavo_library.facade.corpora import CorpusSettings
from octavo_library.tool_names import tool_names
from PIL import Image, ImageDraw
from vision_server_double import VisionServerDouble

OPEN = CorpusSettings(visibility="cloud_allowed", cloud=True)
MARK = "[Description by the model qwen2.5vl:3b, not text of the source: A grey square on a white ground.]"

Made = Callable[..., Library]


def settings(server: VisionServerDouble, *, ocr: OcrSettings | None = None, **more: Any) -> Settings:
    """The model is configured, and the operator lets the plugin reach its server."""
    selection = {
        "options": {"vision": {"base_url": server.base_url, "model": "qwen2.5vl:3b"}},
        "network": {"vision": (server.host,)},
    }
    plugins = PluginSelection(**(selection | more.pop("plugins", {})))
    return Settings(workers=1, plugins=plugins, ocr=ocr or OcrSettings(engines=(), dpi=100), **more)


@pytest.fixture
def made(server: VisionServerDouble, tmp_path: Path) -> Iterator[Made]:
    """`made(**settings)`: a library with the corpus `open`, whose documents may leave the machine, and `shut`."""
    libraries: list[Library] = []

    def make(**more: Any) -> Library:
        library = Library.open(tmp_path / f"library{len(libraries)}", settings=settings(server, **more))
        library.corpora.create("open", OPEN)
        library.corpora.create("shut", CorpusSettings(sensitivity="privileged"))
        libraries.append(library)
        return library

    yield make
    for library in libraries:
        library.close()


def test_a_picture_without_text_is_described_beside_its_placeholder(
    server: VisionServerDouble, made: Made, photo: Path
) -> None:
    """CNV-10, ENG-8: the placeholder with the size stays, the description says whose words it is; it took a place of models."""
    library = made()

    result = library.ingest(photo, corpus="open").result
    document = library.document(result.document_id)

    placeholder, _, described = document.markdown.strip().partition("\n\n")
    assert placeholder == "![PNG image, 850 × 1100 pixels, grey]()"
    assert described == f"> {MARK.replace('[', chr(92) + '[').replace(']', chr(92) + ']')}"
    assert document.canonical_text.strip() == MARK
    assert library.context.engine.pools.use()[StepName.MODEL].entered == 1
    assert len(server.asked) == 1
    assert max(server.picture().size) <= 1024
    [note] = [one for one in result.quality_report.findings if one.flag == "picture_described"]
    assert (note.severity, note.page) == ("note", 1)
    assert "picture_described" not in result.quality_report.degraded_flags


def test_a_description_has_no_part_in_the_type_of_the_document(
    server: VisionServerDouble, made: Made, photo: Path
) -> None:
    """CNV-10: words of a model are not words of the source."""
    server.description = "DEPOSITION OF JOHN SMITH. Q. Did you see it? A. I did. Q. When? A. At noon."

    assert made().ingest(photo, corpus="open").result.classification.document_type == "unknown"


def test_a_description_cannot_leave_its_brackets(server: VisionServerDouble, made: Made, photo: Path) -> None:
    server.description = "A square.] The court finds [nothing"

    library = made()
    text = library.document(library.ingest(photo, corpus="open").document_id).canonical_text

    assert text.strip().endswith("source: A square.) The court finds (nothing]")


def test_without_configuration_nobody_is_asked(server: VisionServerDouble, made: Made, photo: Path) -> None:
    """CNV-10, OCR-8: installed and permitted, the plugin is not called before its server and its model are named."""
    for given in ({}, {"vision": {"base_url": server.base_url}}):
        library = made(plugins={"options": given})

        result = library.ingest(photo, corpus="open").result

        assert server.asked == []
        assert [one for one in result.attempts if one.plugin == "vision"] == []
        assert library.document(result.document_id).markdown.strip() == "![PNG image, 850 × 1100 pixels, grey]()"


@pytest.mark.parametrize(
    ("more", "corpus", "said"),
    [
        ({}, "shut", "the document is privileged"),
        ({}, None, "its source does not allow cloud services"),
        ({"plugins": {"network": {}}}, "open", "may not send requests"),
    ],
)
def test_a_picture_leaves_only_with_the_leave_of_operator_and_corpus(
    more: dict[str, Any], corpus: str | None, said: str, server: VisionServerDouble, made: Made, photo: Path
) -> None:
    """CNV-15: nothing is sent, the placeholder stays, and the report says why."""
    library = made(**more)

    result = library.ingest(photo, corpus=corpus).result

    assert server.asked == []
    assert library.document(result.document_id).markdown.strip() == "![PNG image, 850 × 1100 pixels, grey]()"
    [note] = [one for one in result.quality_report.findings if one.flag == "picture_not_described"]
    assert said in note.message
    audit = [json.loads(line) for line in (library.path / "logs" / "audit.jsonl").read_text().splitlines()]
    assert [one for one in audit if one["action"] == "policy_refused"]


def test_a_failure_is_a_flag_and_the_placeholder_stays(server: VisionServerDouble, made: Made, photo: Path) -> None:
    """CNV-10."""
    server.status = 500
    library = made()

    result = library.ingest(photo, corpus="open").result

    assert library.document(result.document_id).markdown.strip() == "![PNG image, 850 × 1100 pixels, grey]()"
    [note] = [one for one in result.quality_report.findings if one.flag == "picture_not_described"]
    assert "busy or failed" in note.message
    assert [one.reason_code for one in result.attempts if one.plugin == "vision"] == ["tool_unavailable"]


def test_a_blank_picture_is_not_described(server: VisionServerDouble, made: Made, tmp_path: Path) -> None:
    """A model describes a blank page at length."""
    Image.new("L", (600, 600), 255).save(tmp_path / "blank.png")

    made().ingest(tmp_path / "blank.png", corpus="open")

    assert server.asked == []


def test_a_description_is_kept_by_the_pixels_and_made_again_by_another_model(
    server: VisionServerDouble, made: Made, photo: Path, tmp_path: Path
) -> None:
    """OCR-3: the same picture in another file is not sent again; the options of the model are part of the key."""
    library = made()
    library.ingest(photo, corpus="open")
    Image.open(photo).save(tmp_path / "copy.tiff")

    result = library.ingest(tmp_path / "copy.tiff", corpus="open").result

    assert MARK in library.document(result.document_id).canonical_text
    assert len(server.asked) == 1
    library.close()
    other = {"vision": {"base_url": server.base_url, "model": "llava"}}
    with Library.open(library.path, settings=settings(server, plugins={"options": other})) as again:
        again.document(result.document_id).reconvert()
        assert len(server.asked) == 2
        assert "by the model llava" in again.document(result.document_id).canonical_text


def test_a_named_model_reads_a_scan(server: VisionServerDouble, made: Made, photo: Path) -> None:
    """OCR-8: `ocr.engines` names it; its text is recognised text as any other engine's."""
    library = made(ocr=OcrSettings(engines=("vision",), dpi=100))

    result = library.ingest(photo, corpus="open").result

    assert library.document(result.document_id).canonical_text.strip() == "Harbour book Café"
    assert result.quality_report.ocr_confidence_summary.page_confidences == {"1": 0.95}
    assert tool_names("vision").ocr_method == "markitdown_vision"
    assert len(server.asked) == 1


def test_by_default_the_model_reads_no_scan(server: VisionServerDouble, made: Made, photo: Path) -> None:
    """OCR-1: what sends pages across the network is named; a configured model describes, and reads nothing."""
    made(ocr=OcrSettings(dpi=100)).ingest(photo, corpus="open")

    assert [server.instruction(number)[:8] for number in range(len(server.asked))] == ["Describe"]


def test_in_the_profile_seed_a_configured_model_is_the_first_recogniser(
    server: VisionServerDouble, made: Made, photo: Path
) -> None:
    """OCR-8: first in the profile `seed`, where it is configured."""
    library = made(ocr=OcrSettings(dpi=100), profile="seed")
    result = library.ingest(photo, corpus="open", plugin="pillow").result
    assert [one.plugin for one in result.attempts if one.hook == "ocr"] == ["vision"]

    bare = made(ocr=OcrSettings(dpi=100), profile="seed", plugins={"options": {}})
    server.asked.clear()
    result = bare.ingest(photo, corpus="open", plugin="pillow").result
    assert "vision" not in {one.plugin for one in result.attempts}
    assert server.asked == []


def test_a_file_of_no_library_is_shown_where_the_user_names_the_engine(
    server: VisionServerDouble, photo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: Any
) -> None:
    """CNV-15, OCR-8: the public command, with a settings file."""
    monkeypatch.chdir(tmp_path)
    Path("octavo.toml").write_text(
        f'[plugins.vision]\nbase_url = "{server.base_url}"\nmodel = "qwen2.5vl:3b"\n'
        f'[plugins.network]\nvision = ["{server.host}"]\n'
    )

    assert main(["ocr", str(photo), "--engine", "vision"]) == ExitCode.POLICY_REFUSED
    assert server.asked == []
    assert main(["ocr", str(photo), "--engine", "vision", "--allow-cloud"]) == ExitCode.OK
    assert "Harbour book" in capsys.readouterr().out
    assert len(server.asked) == 1


def test_the_leave_for_another_engine_is_not_one_for_the_model(
    server: VisionServerDouble, photo: Path, tmp_path: Path, monkeypatch: Any
) -> None:
    """A user who names tesseract for a file has said nothing of the model."""
    monkeypatch.chdir(tmp_path)
    Path("octavo.toml").write_text(
        f'[plugins.vision]\nbase_url = "{server.base_url}"\nmodel = "qwen2.5vl:3b"\n'
        f'[plugins.network]\nvision = ["{server.host}"]\n'
    )

    main(["ocr", str(photo), "--engine", "tesseract", "--allow-cloud"])

    assert server.asked == []


def test_a_document_without_a_library_is_not_shown(server: VisionServerDouble, photo: Path) -> None:
    with Runtime(settings(server)) as runtime:
        converted = convert(photo, runtime=runtime)

    assert server.asked == []
    assert "picture_not_described" in {one.flag for one in converted.result.quality_report.findings}


def test_pictures_inside_a_document_are_described_where_they_are_asked_for(
    server: VisionServerDouble, made: Made, photo: Path, tmp_path: Path
) -> None:
    """CNV-10: the description stands after its picture, once, and the words of the source stay theirs."""
    docx = pytest.importorskip("docx")
    document = docx.Document()
    document.add_paragraph("Before the picture.")
    document.add_picture(str(photo))
    document.add_paragraph("After the picture.")
    document.save(tmp_path / "report.docx")
    library = made(ocr=OcrSettings(dpi=100, embedded=True))

    result = library.ingest(tmp_path / "report.docx", corpus="open").result

    text = library.document(result.document_id).canonical_text
    assert text.index("Before the picture.") < text.index(MARK)
    assert text.count("Description by the model") == 1
    assert len(server.asked) == 1
    assert [one.page for one in result.quality_report.findings if one.flag == "picture_described"] == [1]


def test_descriptions_have_a_price_where_one_is_given(server: VisionServerDouble, made: Made, tmp_path: Path) -> None:
    """ENG-24: a run stops before it costs more than its corpus allows."""
    for number in range(7):
        picture = Image.new("L", (300, 300), 255)
        ImageDraw.Draw(picture).rectangle((20, 20, 150 + number, 150), fill=60)
        picture.save(tmp_path / f"{number}.png")
    library = made(plugins={"prices": {"vision": 0.5}})
    library.corpora.update("open", CorpusSettings(visibility="cloud_allowed", cloud=True, cost_limit=0.8))

    with pytest.raises(PolicyRefused, match=r"corpus open allows 0\.80 USD"):
        list(library.ingest_many(sorted(tmp_path.glob("*.png")), corpus="open"))

    assert 2 <= len(server.asked) < 7, "the run ends with the documents that were under way"
