"""Pages in a language that was not asked for (OCR-6)."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence

import pytest
from octavo_conformance.page_pictures import LINES, text_page
from octavo_contracts import HookContext, OCRRequest
from octavo_tesseract import plugin
from octavo_tesseract.page_languages import language_of_text

ENGLISH = OCRRequest(languages=("en",))
FRENCH = (
    "Le gardien est parti avec sa lampe pour la maison",
    "des marins, qui sont au port avec les bateaux.",
    "Les deux bateaux ne sont pas dans le port ce soir,",
    "et nous en parlons avec soin dans le livre de bord.",
)
"""Without accents, which the font of the page does not have."""


def _has(language: str) -> bool:
    listed = subprocess.run(["tesseract", "--list-langs"], capture_output=True, text=True, check=True).stdout.split()
    return language in listed


def test_a_page_in_another_language_is_read_in_it(context: HookContext) -> None:
    if not _has("fra"):
        pytest.skip("needs Tesseract's data of French: apt-get install tesseract-ocr-fra")
    result = plugin.ocr(text_page(FRENCH), ENGLISH, context)
    assert "avec soin dans le livre de bord" in result.extracted_text
    assert (result.language, result.remedy) == ("fr", None)


def test_a_language_without_its_data_is_named_and_the_reading_stays(
    context: HookContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("octavo_tesseract.recognise.installed_languages", lambda _program: frozenset({"eng"}))
    result = plugin.ocr(text_page(FRENCH), ENGLISH, context)
    assert "gardien" in result.extracted_text
    assert (result.language, result.remedy) == ("fr", "Run: apt-get install tesseract-ocr-fra")


def test_a_page_in_the_requested_language_is_read_once(context: HookContext) -> None:
    result = plugin.ocr(text_page(LINES * 2), ENGLISH, context)
    assert (result.language, result.remedy) == ("en", None)


TEXTS = {
    "de": "Der Wärter hat die Lampe nicht angezündet, und das Meer ist ruhig; auch für die Boote von gestern, die mit dem Wind ein und aus fahren.",
    "en": "The keeper of the light was not at home, and the boats that are in the harbour have to wait for the tide.",
    "es": "El barco que llegó por la tarde está en el puerto, y los marineros del otro barco no tienen más que una vela para su viaje, como las de su padre.",
    "fr": " ".join(FRENCH),
    "it": "Il guardiano non ha acceso la lampada della torre, che è più alta delle case; anche gli uomini nel porto sono tornati dal mare con il pesce.",
    "nl": "De wachter heeft het licht niet aangestoken, maar een van de boten wordt naar de haven gebracht met het tij, dat ook voor ons niet zijn werk doet.",
    "pl": "Latarnik nie zapalił lampy, która jest na wieży, tym razem od rana, jako że się ściemniło; oraz dla łodzi przez które na brzeg nie dotrą.",
    "pt": "O faroleiro não acendeu a lâmpada, mas os barcos que estão em um porto são para as pessoas da cidade, com uma vela mais alta pelo vento dos mares ao sul.",
    "sv": "Vakten har inte tänt lampan och det är mörkt på havet, för båten som var med till hamnen har inte den lykta som vi ser, och det är ett fel av dem.",
}


@pytest.mark.parametrize("language", sorted(TEXTS))
def test_a_language_is_told_by_its_common_words(language: str) -> None:
    assert language_of_text(TEXTS[language].split()) == language


@pytest.mark.parametrize(
    "parts",
    [
        (),
        ("Total", "12.50", "EUR", "12", "x", "Pilsner", "Wasser"),
        ("Dear", "Mr", "Martin,", "the", "firm", "of", "Le", "Monde", "and", "Les", "Echos"),
        (*TEXTS["de"].split(), *TEXTS["en"].split()),
    ],
)
def test_few_words_and_two_languages_tell_nothing(parts: Sequence[str]) -> None:
    assert language_of_text(parts) is None
