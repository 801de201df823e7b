"""Images, texts, mail, sound and the limits themselves."""

from __future__ import annotations

import struct
from dataclasses import fields

import pytest
from octavo_contracts import ContentTooLarge, SourceCorrupt, SourceEmpty
from octavo_sandbox.preflight import SOURCE_DAMAGED, PreflightLimits


def png(width: int, height: int, *, end: bytes = b"IEND") -> bytes:
    return b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + struct.pack(">II", width, height) + bytes(20) + end


def jpeg(width: int, height: int, *, end: bytes = b"\xff\xd9") -> bytes:
    app = b"\xff\xe0\x00\x04ab"
    frame = b"\xff\xc0\x00\x0b\x08" + struct.pack(">HH", height, width) + b"\x01\x01\x11\x00"
    return b"\xff\xd8" + app + frame + b"\xff\xda\x00\x02" + b"data" + end


def tiff(*sizes: tuple[int, int], order: str = "<", loop: bool = False) -> bytes:
    mark = b"II*\x00" if order == "<" else b"MM\x00*"
    data = bytearray(mark + struct.pack(order + "I", 8))
    for index, (width, height) in enumerate(sizes):
        last = index == len(sizes) - 1
        following = (8 if loop else 0) if last else len(data) + 30
        data += struct.pack(order + "H", 2)
        data += struct.pack(order + "HHII", 256, 4, 1, width) + struct.pack(order + "HHII", 257, 4, 1, height)
        data += struct.pack(order + "I", following)
    return bytes(data)


def webp(kind: bytes, body: bytes) -> bytes:
    return b"RIFF\x00\x00\x00\x00WEBP" + kind + bytes(4) + body.ljust(20, b"\x00")


def bmp(width: int, height: int) -> bytes:
    return b"BM" + bytes(12) + struct.pack("<Iii", 40, width, height)


def huge(side: int = 20_000) -> list[bytes]:
    small = (side - 1).to_bytes(3, "little")
    return [
        png(side, side),
        jpeg(side, side),
        tiff((10, 10), (side, side)),
        tiff((side, side), order=">"),
        b"GIF89a" + struct.pack("<HH", side, side),
        bmp(side, -side),
        webp(b"VP8X", bytes(4) + small + small),
    ]


def test_no_bytes_are_an_error_of_their_own(check):
    with pytest.raises(SourceEmpty) as caught:
        check(b"", "a.pdf")
    assert caught.value.remedy


@pytest.mark.parametrize("data", huge(), ids=["png", "jpeg", "tiff", "tiff-be", "gif", "bmp", "webp"])
def test_too_many_pixels_are_refused_by_the_header(check, data):
    with pytest.raises(ContentTooLarge, match="20,000 pixels wide and 20,000 pixels high"):
        check(data, "a")


@pytest.mark.parametrize(
    "data",
    [
        png(10, 20),
        jpeg(10, 20),
        b"GIF89a" + struct.pack("<HH", 10, 20),
        bmp(10, 20),
        b"BM" + bytes(12) + struct.pack("<IHH", 12, 10, 20) + bytes(4),
        webp(b"VP8L", b"\x2f" + struct.pack("<I", 9 | 19 << 14)),
        webp(b"VP8 ", bytes(6) + struct.pack("<HH", 10, 20)),
    ],
)
def test_ordinary_images_pass(check, data):
    report = check(data, "a")
    assert (report.findings, report.page_count) == ((), None)


@pytest.mark.parametrize(
    "data",
    [
        b"\x89PNG\r\n\x1a\n\x00",
        b"\xff\xd8\xff\xe0\x00",
        b"\xff\xd8\xff\xd9",
        b"\xff\xd8\xff\xda\x00\x02data",
        b"GIF89a\x01",
        b"BM" + bytes(12) + struct.pack("<I", 40),
        webp(b"VP8?", b""),
        b"II*\x00\xff\xff\xff\x0f",
        b"II*\x00\x08\x00\x00\x00\x02\x00abc",
        png(0, 10),
    ],
)
def test_an_image_without_a_size_is_corrupt(check, data):
    with pytest.raises(SourceCorrupt, match="declares no size"):
        check(data, "a")


@pytest.mark.parametrize("data", [png(10, 10, end=b""), jpeg(10, 10, end=b"")])
def test_an_image_cut_off_is_noted(check, data):
    assert [finding.flag for finding in check(data, "a").findings] == [SOURCE_DAMAGED]


def test_the_pages_of_a_tiff_are_counted_and_limited(check):
    assert check(tiff(*[(10, 10)] * 3), "a.tiff").page_count == 3
    with pytest.raises(ContentTooLarge, match="pages"):
        check(tiff(*[(10, 10)] * 3), "a.tiff", limits=PreflightLimits(max_pages=2))


def test_a_tiff_that_loops_ends(check):
    assert check(tiff((10, 10), (10, 10), loop=True), "a.tiff").page_count == 2


def test_a_bigtiff_is_read(check):
    entry = struct.pack("<HHQQ", 256, 4, 1, 10) + struct.pack("<HHQQ", 257, 3, 1, 20)
    data = b"II+\x00\x08\x00\x00\x00" + struct.pack("<Q", 16) + struct.pack("<Q", 2) + entry + bytes(8)
    assert check(data, "a.tiff").page_count == 1


def test_deep_html_is_refused_and_many_paragraphs_are_not(check):
    with pytest.raises(ContentTooLarge, match="10,000 levels deep"):
        check(b"<!doctype html>" + b"<div>" * 10_001, "a.html")
    assert check(b"<!doctype html>" + b"<p>x<br>" * 20_000, "a.html").findings == ()
    assert check(b"<!doctype html>" + b"<div>x</div>" * 20_000, "a.html").findings == ()


def test_depth_is_not_counted_in_scripts_comments_or_attributes(check):
    page = b"<!doctype html><!-- " + b"<b>" * 12_000 + b" --><script>" + b"<i>" * 12_000 + b"</script><p>"
    assert check(page, "a.html").findings == ()
    assert check(b"<!doctype html>" + b"<!-- <b> " * 60_000, "a.html").findings == ()
    assert check(b"<!doctype html><script>" + b"<b> " * 20_000, "a.html").findings == ()
    assert check(b"<!doctype html>" + b"< 3 " * 20_000, "a.html").findings == ()


def test_deep_xml_is_refused_and_long_xml_is_not(check):
    with pytest.raises(ContentTooLarge, match="1,000 levels deep"):
        check(b'<?xml version="1.0"?>' + b"<a>" * 1001, "a.xml")
    long = b'<?xml version="1.0"?><r>' + b"<a/><![CDATA[ <b><b> ]]><?p <b>?><b>x</b>" * 2000 + b"</r>"
    assert check(long, "a.xml").findings == ()


@pytest.mark.parametrize(
    "data",
    [
        b'<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "b">]><l>&a;</l>',
        b'<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a SYSTEM "file:///etc/passwd">]><l>&a;</l>',
        b'<!DOCTYPE svg [<!entity a "b">]><svg/>',
    ],
)
def test_xml_with_entities_is_refused(check, data):
    with pytest.raises(SourceCorrupt, match="entities") as caught:
        check(data, "a.xml")
    assert "never expands" in caught.value.remedy


def test_deep_json_is_refused_and_brackets_in_strings_are_not(check):
    with pytest.raises(ContentTooLarge, match="1,000 levels deep"):
        check(b"[" * 1001, "a.json")
    assert check(b'["' + b"[{" * 5000 + b'", "\\"' + b"[" * 2000 + b'"]', "a.json").findings == ()
    assert check(b"[" + b"[]," * 5000 + b"[]]", "a.json").findings == ()


def nested_mail(depth: int) -> bytes:
    head = b"From: a@example.org\r\nSubject: s\r\nMIME-Version: 1.0\r\nContent-Type: message/rfc822\r\n\r\n"
    return head * depth + b"From: a@example.org\r\nSubject: end\r\n\r\nbody\r\n"


def test_mail_within_mail_is_limited(check):
    with pytest.raises(ContentTooLarge, match="50 levels deep"):
        check(nested_mail(60), "a.eml")
    assert check(nested_mail(50), "a.eml").findings == ()


def test_a_digest_of_many_messages_is_not_deep(check):
    part = b"--b\r\nContent-Type: message/rfc822\r\n\r\nFrom: x@example.org\r\nSubject: s\r\n\r\nbody\r\n"
    head = b'From: a@example.org\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed;\r\n boundary="b"\r\n\r\n'
    assert check(head + part * 80 + b"--b--\r\n", "a.eml").findings == ()


def wav(length: int, *, held: int = 100, kind: bytes = b"data") -> bytes:
    fmt = b"fmt " + struct.pack("<IHHIIHH", 16, 1, 1, 8000, 16000, 2, 16)
    return b"RIFF" + bytes(4) + b"WAVE" + fmt + kind + struct.pack("<I", length) + bytes(held)


def test_a_wav_that_promises_more_than_it_holds_is_noted(check):
    (finding,) = check(wav(4_000_000_000), "a.wav").findings
    assert (finding.flag, "4,000,000,000" in finding.message) == (SOURCE_DAMAGED, True)
    assert check(wav(100), "a.wav").findings == ()
    assert check(wav(0xFFFFFFFF), "a.wav").findings == ()


def test_a_wav_without_sound_is_corrupt(check):
    with pytest.raises(SourceCorrupt, match="no sound"):
        check(wav(100, kind=b"LIST"), "a.wav")


def test_an_ole_file_within_its_header_is_corrupt(check):
    with pytest.raises(SourceCorrupt, match="within its header"):
        check(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(100), "a.doc")


def test_formats_without_a_check_pass(check):
    assert check(b"just words", "a.txt").findings == ()
    assert check(b"fLaC" + bytes(100), "a.flac").findings == ()


def test_every_limit_is_described():
    for limit in fields(PreflightLimits):
        assert limit.metadata["doc"].endswith("."), limit.name
        assert limit.metadata["unit"], limit.name
        assert isinstance(limit.default, int), limit.name
