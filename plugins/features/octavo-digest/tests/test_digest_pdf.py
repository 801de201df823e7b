"""Texts of sources that have none: the matrix of DIG-26, the limits of DIG-28. Servers on loopback alone."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from octavo_conformance.loopback import Asked, Reply, serving
from octavo_contracts import resolve_locator
from octavo_digest import (
    DigestConfig,
    DigestPolicy,
    DocumentDigestor,
    Gathered,
    PDFExtractor,
    Source,
    SourceQuality,
    gather,
)
from octavo_digest.gathering import decide
from octavo_digest.pdf import MAX_CHARS, limited
from octavo_sandbox.egress import EgressPolicy, GuardedFetcher
from octavo_text.canonical import canonical_body, join_bodies

SAMPLES = Path(__file__).resolve().parents[4] / "docs" / "samples"
REPORT = (SAMPLES / "annual-report.pdf").read_bytes()
PAGE = b"<title>Log</title><p>High water &amp; wind.</p><script>no()</script><p>caf\xc3\xa9</p>"
FILES = {
    "/report.pdf": ("application/pdf", REPORT),
    "/no-type": ("", REPORT),
    "/lie.pdf": ("application/pdf", b"<html>not a file</html>"),
    "/page.pdf": ("text/html", REPORT),
    "/broken.pdf": ("application/pdf", b"%PDF-1.7\nnothing follows"),
    "/late-mark.pdf": ("application/pdf", b"x" * 1_025 + REPORT),
    "/page": ("text/html; charset=utf-8", PAGE),
    "/plain": ("text/plain", b"one\n\ntwo"),
    "/picture": ("image/png", b"\x89PNG"),
}


def answer(asked: Asked) -> Reply:
    media_type, body = FILES.get(asked.path, ("text/plain", b""))
    headers = {"Content-Type": media_type} if media_type else {}
    return Reply(status=200 if asked.path in FILES else 404, body=body, headers=headers)


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with serving(answer) as number:
        yield number


@pytest.fixture
def way(port: int) -> GuardedFetcher:
    return GuardedFetcher(
        EgressPolicy(enabled=True),
        resolver=lambda host, number: ["127.0.0.1"],
        vetting=lambda address: None if address == "127.0.0.1" else "elsewhere",
        ports={port},
    )


def read(extractor: PDFExtractor, what: str | bytes):
    return asyncio.run(extractor.extract(what, source_id="s"))


def test_a_file_is_fetched_and_read_with_its_pages(way, port: int) -> None:
    extractor = PDFExtractor(way)

    result = read(extractor, f"http://papers.test:{port}/report.pdf")

    assert len(result.page_offsets) == 3
    assert result.warnings == ()
    assert result.text[result.page_offsets[0] :].startswith("Brannoch Head")
    assert result.canonical.page_text(2) == result.text[result.page_offsets[1] :].partition("\n\n---PAGE 3---")[0]
    assert extractor.metrics.value("pdf_extraction_pages_total") == 3
    assert extractor.metrics.histograms["pdf_extraction_duration_seconds", ()].count == 1


def test_bytes_are_read_without_any_way_out() -> None:
    assert len(read(PDFExtractor(), REPORT).page_offsets) == 3


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/lie.pdf", "bytes are not a PDF"),
        ("/late-mark.pdf", "bytes are not a PDF"),
        ("/page.pdf", "sent the media type 'text/html'"),
        ("/broken.pdf", "cannot be read [source_corrupt]"),
        ("/gone.pdf", "status 404"),
    ],
)
def test_what_is_no_file_gives_an_empty_text_and_a_warning(way, port: int, path: str, said: str) -> None:
    events = []

    result = read(PDFExtractor(way, events=events.append), f"http://papers.test:{port}{path}")

    assert (result.text, result.page_offsets) == ("", ())
    assert said in result.warnings[0]
    assert [event.name for event in events] == ["digest.pdf_extract_error"]
    assert set(events[0].fields) == {"source_id", "error_type", "error_message"}


def test_a_type_that_says_nothing_is_left_to_the_bytes(way, port: int) -> None:
    assert read(PDFExtractor(way), f"http://papers.test:{port}/no-type").page_offsets


def test_too_long_a_file_is_skipped(way, port: int, monkeypatch) -> None:
    monkeypatch.setattr("octavo_digest.pdf.MAX_BYTES", 1_000)

    assert "longer than 1000 bytes" in read(PDFExtractor(way), f"http://papers.test:{port}/report.pdf").warnings[0]
    assert "longer than 1000 bytes" in read(PDFExtractor(), REPORT).warnings[0]


@pytest.mark.parametrize("url", ["http://10.0.0.1/a.pdf", "http://papers.test:22/a.pdf", "file:///etc/passwd.pdf"])
def test_addresses_inside_are_not_asked(way, url: str) -> None:
    result = read(PDFExtractor(way), url)

    assert result.text == ""
    assert result.warnings


def test_without_a_way_out_nothing_is_fetched() -> None:
    assert "network access is disabled" in read(PDFExtractor(), "http://papers.test/a.pdf").warnings[0]


def text_of(pages: int, chars: int):
    return join_bodies([canonical_body("word " * (chars // 5)) for _ in range(pages)], paginated=True)


def test_the_first_five_hundred_pages_are_taken() -> None:
    result = limited(text_of(502, 10))

    assert len(result.page_offsets) == 500
    assert result.warnings == ("only the first 500 of 502 pages were taken",)
    assert "---PAGE 500---" in result.text
    assert "---PAGE 501---" not in result.text


def test_the_first_half_million_characters_are_taken_and_cut_at_a_word() -> None:
    result = limited(text_of(30, 20_000))

    assert len(result.text) <= MAX_CHARS
    assert result.text.endswith("word")
    assert "of 600" in result.warnings[0]
    long_word = limited(join_bodies([canonical_body("x" * 600_000)], paginated=True))
    assert len(long_word.text) == MAX_CHARS


def test_what_is_within_its_limits_is_untouched() -> None:
    text = text_of(3, 100)

    assert limited(text).text == text.text
    assert limited(text).page_offsets == tuple(page.start for page in text.pages)


# -- the matrix ---------------------------------------------------------------------------------------------------

PDF_URL = "https://example.org/paper.PDF?download=1"
ROWS = [
    (Source(content="text", url=PDF_URL), True, True, "use"),
    (Source(content="text"), False, False, "use"),
    (Source(url=PDF_URL), True, False, "fetch_pdf"),
    (Source(url=PDF_URL), False, True, "snippet_only"),
    (Source(url="https://example.org/p", metadata={"pdf_url": "https://example.org/x"}), True, True, "fetch_pdf"),
    (Source(url="https://example.org/p", metadata={"pdf_url": "https://example.org/x"}), False, True, "snippet_only"),
    (Source(url="https://example.org/p"), True, True, "fetch_page"),
    (Source(url="https://example.org/p"), True, False, "snippet_only"),
    (Source(), True, True, "snippet_only"),
    (Source(url="http://[bad"), True, False, "snippet_only"),
]


@pytest.mark.parametrize(("source", "fetch_pdfs", "follow_links", "action"), ROWS)
def test_the_decision_matrix(source: Source, fetch_pdfs: bool, follow_links: bool, action: str) -> None:
    config = DigestConfig(fetch_pdfs=fetch_pdfs, follow_links=follow_links)

    assert decide(source, config)[0] == action


def gathered(way, *sources: Source, **config) -> list[Gathered]:
    return asyncio.run(gather(sources, DigestConfig(**{"fetch_pdfs": True, **config}), fetcher=way))


def test_texts_are_gathered_in_the_order_of_the_sources(way, port: int) -> None:
    base = f"http://papers.test:{port}"
    sources = [
        Source(url=f"{base}/page"),
        Source(url=f"{base}/report.pdf"),
        Source(url=f"{base}/plain"),
        Source(url=f"{base}/picture"),
        Source(url=f"{base}/nothing"),
        Source(url="http://10.0.0.1/", snippet="seen"),
        Source(content="here"),
    ]

    found = gathered(way, *sources)

    assert [item.action for item in found] == ["fetch_page", "fetch_pdf", *["fetch_page"] * 4, "use"]
    assert found[0].source.content.text == "Log High water & wind. café"
    assert found[1].source.content.paginated
    assert found[2].source.content.text == "one two"
    assert [bool(item.warnings) for item in found] == [False, False, False, True, True, True, False]
    assert found[5].source == sources[5]
    assert [item.source.id for item in found] == [source.id for source in sources]


def test_a_gathered_file_is_digested_with_page_locators(way, port: int) -> None:
    item = gathered(way, Source(url=f"http://papers.test:{port}/report.pdf", quality=SourceQuality.HIGH))[0].source
    digestor = DocumentDigestor(config=DigestConfig(policy=DigestPolicy.ALWAYS, max_evidence_snippets=2))

    result = asyncio.run(digestor.digest(item, "How high was the surge?"))

    assert result.payload.evidence_snippets
    for snippet in result.payload.evidence_snippets:
        assert snippet.locator.startswith("page:")
        assert resolve_locator(item.content.text, snippet.locator) == snippet.text


def test_a_source_without_text_is_not_eligible() -> None:
    digestor = DocumentDigestor(config=DigestConfig(policy=DigestPolicy.ALWAYS))

    assert not digestor.is_eligible(Source(url="https://example.org/p", snippet="only this"))
    assert digestor.is_eligible(replace(Source(url="https://example.org/p"), content="text"))
