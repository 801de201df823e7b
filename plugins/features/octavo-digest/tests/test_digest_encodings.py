"""Fetched pages in other encodings than UTF-8, from a server that says so, says nothing, or lies (DIG-26)."""

from __future__ import annotations

import asyncio

import pytest
from octavo_conformance.loopback import Reply, serving
from octavo_digest import DigestConfig, Source
from octavo_digest.gathering import Gathered, gather
from octavo_sandbox.egress import own_fetcher, parse_target

RUSSIAN = "Смотритель маяка записал высоту прилива в третий день. Вода поднялась на двенадцать сантиметров."
FRENCH = "Le gardien a noté la marée à l'été – « douze centimètres », déjà près du môle où l'eau était élevée."
JAPANESE = "灯台守は三日目の潮位を記録した。水位は十二センチメートル上がった。港の船は正午に出た。"


def fetched(body: bytes, content_type: str) -> Gathered:
    with serving(lambda asked: Reply(body=body, headers={"Content-Type": content_type})) as port:
        url = f"http://127.0.0.1:{port}/page"
        way = own_fetcher(parse_target(url, ports={port}))
        (got,) = asyncio.run(gather([Source(url=url)], DigestConfig(), fetcher=way))
    return got


def text_of(got: Gathered) -> str:
    content = got.source.content
    return content if isinstance(content, str) else content.text


def page(text: str, head: str = "") -> str:
    return f"<html><head>{head}<title>t</title></head><body><p>{text}</p></body></html>"


CASES = [
    (RUSSIAN, "windows-1251"),
    (FRENCH, "windows-1252"),
    (JAPANESE, "shift_jis"),
    (RUSSIAN, "koi8-r"),
    (RUSSIAN, "utf-16"),
]


@pytest.mark.parametrize(("text", "encoding"), CASES)
@pytest.mark.parametrize("how", ["header", "meta", "http-equiv"])
def test_what_server_or_page_say_is_read(text: str, encoding: str, how: str) -> None:
    heads = {
        "header": "",
        "meta": f'<meta charset="{encoding}">',
        "http-equiv": f'<meta http-equiv="Content-Type" content="text/html; charset={encoding}">',
    }
    content_type = f"text/html; charset={encoding}" if how == "header" else "text/html"

    got = fetched(page(text, heads[how]).encode(encoding), content_type)

    assert text in text_of(got)
    assert got.warnings == ()


@pytest.mark.parametrize("label", ["iso-8859-1", "latin1", "ISO_8859-1", '"iso-8859-1"'])
def test_latin_1_is_windows_1252_as_browsers_have_it(label: str) -> None:
    got = fetched(page(FRENCH).encode("cp1252"), f"text/html; Charset={label}")

    assert FRENCH in text_of(got)


@pytest.mark.parametrize("said", ["windows-1251", "iso-8859-1", "shift_jis", "utf-16", "no-such-charset"])
def test_a_server_that_lies_about_utf_8_is_not_believed(said: str) -> None:
    got = fetched(page(RUSSIAN).encode(), f"text/html; charset={said}")

    assert RUSSIAN in text_of(got)


def test_the_server_goes_before_the_page() -> None:
    """The order of the HTML standard."""
    got = fetched(page(RUSSIAN, '<meta charset="windows-1252">').encode("cp1251"), "text/html; charset=windows-1251")

    assert RUSSIAN in text_of(got)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_byte_order_mark_goes_before_everything(encoding: str) -> None:
    got = fetched(page(RUSSIAN, '<meta charset="windows-1252">').encode(encoding), "text/html; charset=iso-8859-1")

    assert RUSSIAN in text_of(got)
    assert "\ufeff" not in text_of(got)


@pytest.mark.parametrize(("text", "encoding"), [(RUSSIAN * 5, "windows-1251"), (FRENCH * 5, "windows-1252")])
@pytest.mark.parametrize("content_type", ["text/html", "text/plain", "text/html; charset=utf-8"])
def test_a_guess_is_owned_up_to(text: str, encoding: str, content_type: str) -> None:
    body = text if "plain" in content_type else page(text)

    got = fetched(body.encode(encoding), content_type)

    assert text in text_of(got)
    assert [warning for warning in got.warnings if "does not declare its encoding" in warning]


def test_what_could_not_be_decoded_is_told() -> None:
    body = page(RUSSIAN * 3).encode().replace(b"</p>", b" \xff</p>")

    got = fetched(body, "text/html; charset=utf-8")

    assert RUSSIAN in text_of(got)
    assert "\ufffd" in text_of(got)
    assert [warning for warning in got.warnings if "U+FFFD" in warning]
