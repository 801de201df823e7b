"""From bytes to characters (through text/plain)."""

from __future__ import annotations

import sys

import pytest
from octavo_contracts import ToolUnavailable

FRENCH = "L'été était très chaud cette année. J'ai acheté un café au lait."


def codes(conversion):
    return [warning.code for warning in conversion.warnings]


@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_utf_with_or_without_a_mark_is_read_without_a_word(convert, codec):
    conversion = convert(FRENCH.encode(codec), "text/plain")
    assert conversion.pages[0].text == FRENCH
    assert codes(conversion) == []


@pytest.mark.parametrize(
    ("text", "codec"),
    [
        (FRENCH, "cp1252"),
        ("Die schöne Frau hat einen Kaffee für 15,50 € gegessen. Grüße!", "cp1252"),
        ("He said “yes” – it’s fine.", "cp1252"),
        ("Zażółć gęślą jaźń. Wszystko będzie dobrze, łódź płynie.", "cp1250"),
        ("Příliš žluťoučký kůň úpěl ďábelské ódy.", "cp1250"),
        ("Привет, мир. Это короткий текст для проверки кодировки.", "cp1251"),
        ("これは日本語のテキストです。文字コードの判定を確認します。", "cp932"),
        ("这是一个用于测试编码检测的中文文本。请确认结果正确。", "gb18030"),
        ("Plain English in wide characters", "utf-16-le"),
        ("Plain English in wide characters", "utf-16-be"),
    ],
)
def test_legacy_encodings_are_found_and_owned_up_to(convert, text, codec):
    conversion = convert(text.encode(codec), "text/plain")
    assert conversion.pages[0].text == text
    assert codes(conversion) == ["encoding_guessed"]


def test_broken_utf8_keeps_what_is_whole(convert):
    data = "Größe, Übung, Äpfel: überall gut".encode() + b"\xff end"
    conversion = convert(data, "text/plain")
    assert conversion.pages[0].text == "Größe, Übung, Äpfel: überall gut\ufffd end"
    assert codes(conversion) == ["encoding_repaired"]
    assert "1 characters" in conversion.warnings[0].message


def test_a_few_odd_bytes_do_not_make_a_text_russian(convert):
    text = convert(b"Caf\xe9 ouvert \xff\xfe le 3 mai. \xc3\x28 Fin.\n\xed\xa0\x80", "text/plain").pages[0].text
    assert text.startswith("Café ouvert")
    assert "Fin." in text


def test_nul_becomes_the_replacement_character(convert):
    conversion = convert(b"one\x00two", "text/plain")
    assert conversion.pages[0].text == "one\ufffdtwo"
    assert codes(conversion) == ["encoding_repaired"]


def test_line_ends_are_one_kind(convert):
    assert convert(b"a\r\nb\rc\nd", "text/plain").pages[0].text == "a\nb\nc\nd"


def test_without_the_detector_the_error_names_the_command(convert, monkeypatch):
    monkeypatch.setitem(sys.modules, "charset_normalizer", None)
    with pytest.raises(ToolUnavailable, match="pip install") as caught:
        convert("Привет, мир. Это текст.".encode("cp1251"), "text/plain")
    assert caught.value.plugin == "plaintext"
