"""Pages in a script that the requested languages do not read."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from octavo_conformance.page_pictures import page_image, text_page
from octavo_contracts import HookContext, OCRRequest
from octavo_tesseract import plugin
from octavo_tesseract.page_scripts import SCRIPTS
from PIL import Image, ImageDraw, ImageFont

Fake = Callable[..., None]
ENGLISH = OCRRequest(languages=("en",))
RUSSIAN = (
    "Смотритель зажёг лампу в сумерках",
    "и записал час в большую книгу.",
    "Ветер с севера, семь баллов,",
    "видимость плохая, море бурное.",
    "Две лодки укрылись в гавани",
    "до утра девятого числа.",
)

FAKE = """\
#!{python}
import sys
arguments = sys.argv[1:]
if "--version" in arguments:
    print("tesseract 5.3.0")
elif "--list-langs" in arguments:
    print("eng\\nosd\\n{installed}")
elif arguments[arguments.index("--psm") + 1] == "0":
    print("Script: Cyrillic\\nScript confidence: {sureness}")
else:
    sys.stdin.buffer.read()
    reads_it = arguments[arguments.index("-l") + 1].split("+")[0] in {{"rus", "script/Cyrillic"}}
    words, sure = ("видимость плохая море бурное", 95) if reads_it else ("BugumocTb nnoxaa Mope 6ypHoe", 48)
    for number, word in enumerate(words.split()):
        print("\\t".join(map(str, (5, 1, 1, 1, 1, number, 10 + 90 * number, 10, 80, 20, sure, word))))
"""
"""Fake of the program: language data other than English is not installed where the tests run."""


def _russian_page() -> Image.Image:
    try:
        font = ImageFont.truetype("DejaVuSans.ttf", 44)
    except OSError:
        pytest.skip("the font DejaVu Sans, which has Cyrillic letters, is not installed")
    page = Image.new("L", (1200, 800), 255)
    for place, line in enumerate(RUSSIAN):
        ImageDraw.Draw(page).text((100, 70 + 110 * place), line, fill=0, font=font)
    return page


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Fake:
    """`fake(installed="rus")`: puts the fake program on the PATH."""

    def make(*, installed: str = "", sureness: float = 13.7) -> None:
        program = tmp_path / "tesseract"
        program.write_text(FAKE.format(python=sys.executable, installed=installed, sureness=sureness))
        program.chmod(0o755)
        monkeypatch.setenv("PATH", str(tmp_path))

    return make


def test_a_script_without_its_model_is_named_and_not_guessed(context: HookContext) -> None:
    """OCR-6: no letters of another script are passed off as the page's text."""
    listed = subprocess.run(["tesseract", "--list-langs"], capture_output=True, text=True, check=True).stdout.split()
    if "osd" not in listed or "rus" in listed:
        pytest.skip("needs Tesseract with the data osd and without Russian")
    result = plugin.ocr(page_image(_russian_page()), ENGLISH, context)
    assert (result.extracted_text, result.words, result.confidence) == ("", (), 0.0)
    assert result.script == "Cyrl"
    assert "apt-get install tesseract-ocr-script-cyrl" in (result.remedy or "")


def test_a_page_in_the_requested_script_has_no_remedy(context: HookContext) -> None:
    result = plugin.ocr(text_page(), ENGLISH, context)
    assert (result.script, result.remedy) == (None, None)


@pytest.mark.parametrize(("installed", "language"), [("rus", "ru"), ("script/Cyrillic", None), ("rus\\nukr", None)])
def test_installed_languages_of_the_script_are_used(
    installed: str, language: str | None, fake: Fake, context: HookContext
) -> None:
    """The request names English; the data of Russian is installed."""
    fake(installed=installed)
    result = plugin.ocr(text_page(), ENGLISH, context)
    assert result.extracted_text == "видимость плохая море бурное"
    assert (result.script, result.language, result.remedy) == ("Cyrl", language, None)
    assert result.confidence == pytest.approx(0.95)


def test_an_unsure_script_leaves_the_doubtful_reading(fake: Fake, context: HookContext) -> None:
    """Receipts in small print are taken for Cyrillic, with a confidence of nearly nothing."""
    fake(sureness=0.4)
    result = plugin.ocr(text_page(), ENGLISH, context)
    assert result.extracted_text.startswith("BugumocTb")
    assert result.script is None
    assert result.confidence == pytest.approx(0.48)


def test_languages_are_preferred_to_the_model_of_a_script() -> None:
    cyrillic, han = SCRIPTS["Cyrillic"], SCRIPTS["Han"]
    assert cyrillic.installed_files({"eng", "rus", "script/Cyrillic"}) == ("rus",)
    assert cyrillic.installed_files({"mon", "kaz", "ukr", "rus"}) == ("rus", "ukr", "kaz")
    assert han.installed_files({"script/HanS"}) == ("script/HanS",)
    assert cyrillic.installed_files({"eng", "osd"}) == ()
    assert SCRIPTS["Latin"].is_read_by({"deu"})
    assert not cyrillic.is_read_by({"eng"})
