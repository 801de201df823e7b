"""What a cache hit says of the archive and of pages; what a public serialisation holds; how long a file may take."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from pathlib import Path

import pytest
from digest_doubles import QUERY, TEXT, source
from octavo_contracts import resolve_locator
from octavo_digest import Archive, DigestCache, DigestConfig, PDFExtractor, Source, gather
from octavo_text.canonical import canonical_body, join_bodies

SAMPLES = Path(__file__).resolve().parents[4] / "docs" / "samples"
REPORT = (SAMPLES / "annual-report.pdf").read_bytes()


# -- cache and archive --------------------------------------------------------------------------------------------


def test_a_hit_archives_the_text_again_where_it_was_swept(make, run, tmp_path: Path) -> None:
    """DIG-9: it claimed a hash under which nothing was."""
    now = [1_000_000_000.0]
    archive = Archive(tmp_path, clock=lambda: now[0])
    made = make(others={"archive": archive})
    first = run(made.digestor.digest(source(), QUERY))
    now[0] += 31 * 86_400
    assert archive.sweep() == 1

    second = run(made.digestor.digest(source(), QUERY))

    assert second.cache_hit
    assert second.archive_hash == first.archive_hash
    assert archive.read(second.archive_hash) is not None


def test_a_hit_in_a_shared_cache_is_archived_by_who_has_an_archive(make, run, tmp_path: Path) -> None:
    cache = DigestCache()
    without = make(others={"cache": cache})
    run(without.digestor.digest(source(), QUERY))
    archive = Archive(tmp_path)

    hit = run(make(others={"cache": cache, "archive": archive}).digestor.digest(source(), QUERY))
    plain = run(without.digestor.digest(source(), QUERY))

    assert hit.cache_hit
    assert archive.read(hit.archive_hash, source_id=source().id) == " ".join(source().content.split())
    assert hit.notes["_digest_archive_hash"] == hit.payload.source_text_hash.removeprefix("sha256:")
    assert plain.cache_hit
    assert plain.archive_hash is None


def test_a_hit_that_can_not_be_archived_claims_no_hash(make, run, tmp_path: Path) -> None:
    archive = Archive(tmp_path / "kept")
    made = make(others={"archive": archive})
    first = run(made.digestor.digest(source(), QUERY))
    (tmp_path / "kept" / source().id / f"{first.archive_hash}.txt").write_text("other words")

    hit = run(made.digestor.digest(source(), QUERY))

    assert hit.cache_hit
    assert hit.archive_hash is None
    assert "cannot be verified" in hit.warnings[0]


def test_a_text_with_pages_and_one_without_have_digests_of_their_own(make, run) -> None:
    """DIG-19: one canonical text, whose locators count from its pages or from its start."""
    joined = join_bodies([canonical_body(TEXT), canonical_body("The second page.")], paginated=True)
    pages = source(content=joined)
    flat = source(content=replace(joined, paginated=False))
    blocks = source(content=replace(joined, breaks=()))
    made = make()

    first, second, third = (run(made.digestor.digest(item, QUERY)) for item in (pages, flat, blocks))

    assert [result.cache_hit for result in (first, second, third)] == [False] * 3
    assert all(snippet.locator.startswith("page:") for snippet in first.payload.evidence_snippets)
    assert all(snippet.locator.startswith("char:") for snippet in second.payload.evidence_snippets)
    for result in (first, second, third):
        assert all(resolve_locator(joined.text, one.locator) == one.text for one in result.payload.evidence_snippets)
    assert [run(made.digestor.digest(item, QUERY)).cache_hit for item in (pages, flat, blocks)] == [True] * 3


# -- private metadata ---------------------------------------------------------------------------------------------


def test_private_keys_are_left_out_at_any_depth() -> None:
    """DIG-31."""
    metadata = {
        "_raw_content": "secret",
        "a": {"_raw_content": "secret", "kept": 1, "list": [{"_raw_content": "secret", "kept": 2}]},
        "b": ({"_digest_note": 3, "_other": "secret"}, "text"),
        3: {"_x": "secret", 4: 5},
    }
    metadata["a"]["itself"] = metadata["a"]  # type: ignore[index]  # what is tried
    item = Source(content="x", metadata=metadata)

    public, state = item.to_dict()["metadata"], item.to_state()["metadata"]

    assert "secret" not in str((public, state))
    assert public == {"a": {"kept": 1, "list": [{"kept": 2}], "itself": None}, "b": ({}, "text"), 3: {4: 5}}
    assert state["b"] == ({"_digest_note": 3}, "text")


# -- files --------------------------------------------------------------------------------------------------------


def test_a_damaged_file_is_read_with_a_warning() -> None:
    """DIG-28: the flags of its conversion were dropped, so that half a file looked like a whole one."""
    damaged = REPORT.replace(b"/Pages", b"/Pogos")

    result = asyncio.run(PDFExtractor().extract(damaged))

    assert result.text
    assert any("[source_damaged]" in warning for warning in result.warnings)
    assert asyncio.run(PDFExtractor().extract(REPORT)).warnings == ()


def test_the_deadline_is_that_of_fetching_and_reading_together() -> None:
    class Slow:
        def fetch(self, url: str, **_: object) -> object:
            time.sleep(0.6)
            raise AssertionError("nobody waits for this")

    started = time.monotonic()

    result = asyncio.run(_timed(PDFExtractor(Slow(), timeout=0.3)))

    assert result == ("the PDF file was skipped: it took longer than 0.3 s",)
    assert time.monotonic() - started < 2


async def _timed(extractor: PDFExtractor) -> tuple[str, ...]:
    started = time.monotonic()
    result = await extractor.extract("https://x/a.pdf")
    assert time.monotonic() - started < 0.5
    return result.warnings


def test_reading_ends_at_the_deadline_however_many_converters_there_are() -> None:
    started = time.monotonic()
    result: list[object] = []

    async def main() -> None:
        result.append(await PDFExtractor(timeout=0.01).extract(REPORT))
        assert time.monotonic() - started < 1

    asyncio.run(main())

    assert "it took longer than 0.01 s" in result[0].warnings[0]


def test_an_extractor_that_raises_anything_becomes_a_warning() -> None:
    class Odd:
        def fetch(self, url: str, **_: object) -> object:
            raise KeyError("words of the page")

    result = asyncio.run(PDFExtractor(Odd()).extract("https://x/a.pdf"))

    assert result.warnings == ("the PDF file was skipped: KeyError",)
    found = asyncio.run(gather([Source(url="https://x/a.pdf")], DigestConfig(fetch_pdfs=True), fetcher=Odd()))
    assert found[0].warnings == result.warnings


@pytest.mark.parametrize("damage", ["gone", "unreadable"])
def test_a_source_of_a_library_is_not_needed_to_give_a_hit(make, run, tmp_path: Path, damage: str) -> None:
    """What stands in the archive's way costs the proof, never the digest (R-5)."""
    made = make(archive_content=True, archive_dir=tmp_path / "kept")
    run(made.digestor.digest(source(), QUERY))
    folder = tmp_path / "kept" / source().id
    for path in folder.iterdir():
        path.unlink()
    if damage == "unreadable":
        folder.rmdir()
        folder.write_text("a file in its place")

    hit = run(made.digestor.digest(source(), QUERY))

    assert hit.cache_hit
    assert (hit.archive_hash is None) is (damage == "unreadable")
