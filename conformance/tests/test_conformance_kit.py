"""What authors write their own tests with: calls of hooks, plugins in a folder, written documents, fixtures."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tomllib
import zipfile
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path

import pytest
from octavo_conformance.hook_calls import ConvertCall, hook_context, source_of
from octavo_conformance.office_writer import docx_parts, zipped
from octavo_conformance.page_pictures import LINES, giant_png, page_image, text_page
from octavo_conformance.pdf_writer import PdfFile, PdfPage, show_lines, show_text
from octavo_conformance.plugin_folder import TEXT_CONVERTER, install_plugin, manifest_text, plugin_folder
from octavo_contracts import Conversion, ConvertRequest, HookContext, Page, PluginManifest, SourceView, UsageError


def kept(text: str) -> Conversion:
    return Conversion(pages=(Page(number=1, kind="whole", markdown=text),), paginated=False)


def echo(source: SourceView) -> Conversion:
    """A hook that names one parameter of three."""
    return kept(f"{source.name} {source.media_type} {source.read_bytes().decode()}")


def converted(call: ConvertCall, *arguments: object, **options: object) -> str:
    return call(*arguments, **options).pages[0].markdown  # type: ignore[arg-type] # the call's own arguments


def test_a_hook_is_given_the_parameters_that_it_names(tmp_path: Path) -> None:
    """As pluggy gives them: by name, in any order."""

    def convert(context: HookContext, request: ConvertRequest) -> Conversion:
        return kept(f"{request.media_type} {request.max_pages} {context.remaining() > 50}")

    assert converted(ConvertCall(echo, tmp_path), b"x") == "document application/octet-stream x"
    assert converted(ConvertCall(convert, tmp_path), b"x", "text/csv", max_pages=3) == "text/csv 3 True"


def test_a_parameter_that_no_host_gives_is_an_error(tmp_path: Path) -> None:
    def convert(source: SourceView, settings: object) -> Conversion:
        raise AssertionError("it is not called")

    with pytest.raises(KeyError, match="settings"):
        ConvertCall(convert, tmp_path)(b"x")


def test_the_media_type_is_the_calls_then_the_suffixs_then_the_usual_one(tmp_path: Path) -> None:
    call = ConvertCall(echo, tmp_path, media_type="text/plain", media_types={".csv": "text/csv"})
    (tmp_path / "b.csv").write_text("2", encoding="utf-8")

    assert converted(call, "1") == "document text/plain 1"
    assert converted(call, "1", name="a.csv") == "a.csv text/csv 1"
    assert converted(call, tmp_path / "b.csv") == "b.csv text/csv 2"
    assert converted(call, tmp_path / "b.csv", "text/html", name="c.txt") == "c.txt text/html 2"


def test_each_call_has_a_work_folder_of_its_own_and_its_deadline(tmp_path: Path) -> None:
    seen: list[HookContext] = []

    def convert(source: SourceView, context: HookContext) -> Conversion:
        assert not list(context.work_dir.iterdir())
        assert source.path.parent == context.work_dir
        seen.append(context)
        return kept("")

    call = ConvertCall(convert, tmp_path, seconds=5)
    call(b"x")
    call(b"x", seconds=500)
    call(b"x", seconds=-1)

    assert len({context.work_dir for context in seen}) == 3
    assert [context.remaining() > 0 for context in seen] == [True, True, False]
    assert seen[0].remaining() <= 5 < seen[1].remaining() <= 500


def test_what_a_hook_raises_is_raised(tmp_path: Path) -> None:
    def convert(source: SourceView) -> Conversion:
        raise UsageError("no")

    with pytest.raises(UsageError, match="no"):
        ConvertCall(convert, tmp_path)(b"x")


def test_a_source_may_have_a_name_that_no_file_has(tmp_path: Path) -> None:
    one, other = (source_of(text, tmp_path, media_type="text/plain", name="../a/é.txt") for text in ("1", "2"))

    assert (one.name, one.read_bytes(), other.read_bytes()) == ("../a/é.txt", b"1", b"2")
    assert one.path.suffix == ".txt"
    assert all(path.is_relative_to(tmp_path) for path in tmp_path.rglob("*.txt"))
    assert len(list(tmp_path.rglob("*.txt"))) == 2


def test_a_deadline_that_has_passed_can_be_asked_for(tmp_path: Path) -> None:
    assert hook_context(tmp_path, seconds=-1).remaining() == 0


def test_a_plugin_in_a_folder_is_found_by_its_entry_point_while_the_block_runs(tmp_path: Path) -> None:
    before = (list(sys.path), os.environ.get("PYTHONPATH"))
    with plugin_folder(tmp_path / "site") as install:
        install("kit-echo", TEXT_CONVERTER, version="3.4", media_types=["text/x-kit"], entry_name="kit")
        (point,) = [point for point in entry_points(group="octavo") if point.name == "kit"]
        conversion = ConvertCall(point.load().convert, tmp_path)("fog")
        assert point.dist is not None
        found = (point.dist.name, point.dist.version)
        elsewhere = subprocess.run([sys.executable, "-c", "import octavo_kit_echo.plugin"], check=False)

    assert conversion.pages[0].markdown == "fog"
    assert found == ("octavo-kit-echo", "3.4")
    assert elsewhere.returncode == 0
    assert (sys.path, os.environ.get("PYTHONPATH")) == (before[0], before[1])
    assert not [name for name in sys.modules if name.startswith("octavo_kit_echo")]
    assert not [point for point in entry_points(group="octavo") if point.name == "kit"]


def test_plugins_of_one_name_in_two_folders_do_not_meet(tmp_path: Path) -> None:
    """The second test of a module would otherwise import the first one's code."""
    words = []
    for word in ("one", "two"):
        with plugin_folder(tmp_path / word) as install:
            install("kit-twice", f"WORD = {word!r}\n")
            words.append(import_module("octavo_kit_twice.plugin").WORD)

    assert words == ["one", "two"]


def test_the_manifest_is_made_of_the_fields_that_are_given() -> None:
    made = PluginManifest.from_toml(
        manifest_text("mine", hooks=["ocr", "convert"], priority=7, description='"é" \\ 🚀', contract="1.1", capabilities=["pages"])
    )  # fmt: skip

    assert (made.name, made.hooks, made.priority, made.contract) == ("mine", ("ocr", "convert"), 7, "1.1")
    assert made.description == '"é" \\ 🚀'
    assert made.media_types == ("text/plain",)
    odd = tomllib.loads(manifest_text("mine", more="[plugin.odd]\nkey = 1\n", hooks="no list"))["plugin"]
    assert (odd["hooks"], odd["odd"]) == ("no list", {"key": 1})


def test_a_manifest_is_written_as_it_is_given(tmp_path: Path) -> None:
    folder = install_plugin(tmp_path, "mine", "", manifest="no manifest", priority=4)
    assert (folder / "octavo-plugin.toml").read_text(encoding="utf-8") == "no manifest"


def test_a_pdf_holds_its_pages_texts_and_information(tmp_path: Path) -> None:
    pikepdf = pytest.importorskip("pikepdf", reason="pikepdf comes with the extra `ocr`")
    file = PdfFile(
        [
            PdfPage(show_text(r"a (b) \c", 72, 700), width=300, height=400, rotate=90, extra="/CropBox [1 2 3 4]"),
            PdfPage(show_lines(["one", "two"], y=500, leading=20), resources="/XObject << /Im0 4 0 R >>"),
        ],
        info={"Title": "Fög"},
        catalog="/Lang (de)",
    )
    data = file.to_bytes(reserved=[b"(the object 4)"])

    with pikepdf.open(io.BytesIO(data)) as pdf:
        first, second = pdf.pages
        assert [float(number) for number in first.MediaBox] == [0, 0, 300, 400]
        assert (int(first.Rotate), len(first.CropBox)) == (90, 4)
        assert rb"Tm (a \(b\) \\c) Tj" in first.Contents.read_bytes()
        assert b"72 500 Tm (one)" in second.Contents.read_bytes()
        assert b"72 480 Tm (two)" in second.Contents.read_bytes()
        assert str(second.Resources.XObject.Im0) == "the object 4"
        assert (str(pdf.docinfo.Title), str(pdf.Root.Lang)) == ("Fög", "de")
        assert not pdf.check_pdf_syntax()
    assert data == file.to_bytes(reserved=[b"(the object 4)"])


def test_parts_of_a_word_document_are_packed_in_order() -> None:
    parts = docx_parts("<w:p/>", comments="<w:comment/>")
    with zipfile.ZipFile(io.BytesIO(zipped({**parts, "more.bin": bytes(1000)}))) as package:
        assert package.namelist() == [*parts, "more.bin"]
        assert b"<w:body><w:p/></w:body>" in package.read("word/document.xml")
        assert package.read("word/comments.xml").endswith(b"<w:comment/></w:comments>")
        assert b'Target="comments.xml"' in package.read("word/_rels/document.xml.rels")
        assert package.getinfo("more.bin").compress_size < 100
    with zipfile.ZipFile(io.BytesIO(zipped({"a": bytes(1000)}, compress=False))) as package:
        assert package.getinfo("a").compress_size == 1000


def test_a_page_is_turned_and_its_size_is_the_pictures() -> None:
    pytest.importorskip("PIL", reason="Pillow comes with the extra `ocr`")
    upright, turned = text_page(), text_page(turn=90, dpi=300, number=2)

    assert (upright.width, upright.height) == (1200, 140 + 110 * len(LINES))
    assert (turned.width, turned.height) == (upright.height, upright.width)
    assert (turned.page_number, turned.dpi) == (2, 300)
    assert upright.page_fingerprint != turned.page_fingerprint
    assert upright == text_page()


def test_a_giant_states_a_size_and_has_no_pixels() -> None:
    data = giant_png(60_000, 50_000)
    assert len(data) < 200
    assert data[16:24] == (60_000).to_bytes(4, "big") + (50_000).to_bytes(4, "big")
    image = page_image(data)
    assert (image.width, image.height, image.png) == (100, 100, data)
    assert page_image(data, size=(3, 4)).width == 3


SUITE = """\
import sys

def test_context(context):
    assert context.remaining() > 30 and not list(context.work_dir.iterdir())

def test_source(source):
    first, second = (source(text, media_type="text/plain", name="a.txt") for text in ("1", "2"))
    assert (first.name, first.read_bytes(), second.read_bytes()) == ("a.txt", b"1", b"2")

def test_make_plugin(make_plugin, make_lasting_plugin, good_plugin):
    make_plugin("fixture-one", good_plugin)
    make_lasting_plugin("fixture-two", good_plugin)
    import octavo_fixture_one.plugin, octavo_fixture_two.plugin

def test_lasting():
    import octavo_fixture_two.plugin
    assert "octavo_fixture_one" not in sys.modules

def test_corpus(corpus):
    assert (corpus / "manifest.json").is_file()
"""


def pytest_ends(folder: Path, *arguments: str, corpus: str = "", **conftest: str) -> str:
    """What pytest says of `SUITE` in a folder of its own, in a process of its own."""
    for name, text in conftest.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    (folder / "test_suite.py").write_text(SUITE, encoding="utf-8")
    (folder / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    environment = {**os.environ, "OCTAVO_CORPUS": corpus}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return done.stdout


def test_the_fixtures_are_there_for_a_conftest_that_asks_for_them(tmp_path: Path) -> None:
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "manifest.json").write_text("{}", encoding="utf-8")
    asked = 'pytest_plugins = ["octavo_conformance.fixtures"]\n'

    assert "5 passed" in pytest_ends(tmp_path, corpus=str(tmp_path / "papers"), conftest=asked)
    without = pytest_ends(tmp_path, "test_suite.py::test_corpus", "-rs", corpus=str(tmp_path), conftest=asked)
    assert "1 skipped" in without
    assert "set OCTAVO_CORPUS" in without


def test_a_run_that_does_not_ask_has_none_of_them_and_imports_nothing_for_them(tmp_path: Path) -> None:
    shown = (
        "import sys\n\ndef pytest_unconfigure():\n"
        "    print(sorted(name for name in sys.modules if name.startswith('octavo')))\n"
    )
    said = pytest_ends(tmp_path, conftest=shown)

    assert "4 errors" in said
    assert "fixture 'make_plugin' not found" in said
    loaded = ["octavo_conformance", "octavo_conformance.pytest_options", "octavo_conformance.version"]
    assert said.rstrip().endswith(str(loaded))
