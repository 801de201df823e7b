"""The guard of the active version: what counts as a loss, and that no way around it is left (STO-6)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from octavo.runtime import Runtime
from octavo.settings.settings import Settings
from octavo_library import Library
from octavo_library.ingestion.activation import TextExtent, compared, letters
from octavo_library.storage import ArtifactStore
from octavo_library.storage.index.commits import JobRepository

HEAD = "from octavo_contracts import Conversion, DocumentMetadata, HiddenText, Page, hookimpl\n@hookimpl\ndef convert(source):\n"
PAGES = HEAD + (
    "    parts = source.read_bytes().decode().split('|')\n"
    "    pages = [Page(number=n, markdown=p, text=p) for n, p in enumerate(parts, 1)]\n"
)
"""A converter that makes a page of each part."""
WHOLE = "    return Conversion(pages=tuple(pages), paginated=True, metadata=DocumentMetadata(title='{title}'))\n"
CONVERTERS = {
    "whole": PAGES + WHOLE.replace("{title}", "Whole"),
    "first": PAGES + "    pages = pages[:1]\n" + WHOLE.replace("{title}", "First"),
    "blank": PAGES + "    pages[1] = Page(number=2, markdown='', text='')\n" + WHOLE.replace("{title}", "Blank"),
    "flat": PAGES
    + "    text = ' '.join(p.text for p in pages)\n"
    + "    return Conversion(pages=(Page(number=1, kind='whole', markdown=text, text=text),), paginated=False)\n",
    "apart": PAGES
    + "    hidden = HiddenText(text=pages[1].text, why='white')\n"
    + "    pages[1] = Page(number=2, markdown='', text='', hidden_text=(hidden,))\n"
    + WHOLE.replace("{title}", "Apart"),
}
TEXT = "The tide turned at noon today|The harbour was full of boats|Nobody had told him to write"


@pytest.fixture(scope="module")
def runtime(make_lasting_plugin: Any) -> Iterator[Runtime]:
    for place, (name, code) in enumerate(CONVERTERS.items()):
        make_lasting_plugin(name, code, priority=90 - place)
    with Runtime(Settings(workers=1)) as made:
        yield made


@pytest.fixture
def library(runtime: Runtime, tmp_path: Path) -> Iterator[Library]:
    with Library.open(tmp_path / "library", runtime=runtime) as opened:
        yield opened


def taken(library: Library) -> Any:
    return library.ingest(TEXT.encode(), name="tides.txt", plugin="whole").document


class TestMeasure:
    """By hand: what is lost, and what is not."""

    @pytest.mark.parametrize(
        ("before", "now"),
        [
            ((100, 100), (100,)),
            ((100, 100), ()),
            ((0, 0), (0,)),
            ((100, 20), (100, 9)),
            ((100, 100), (49, 100)),
        ],
    )
    def test_a_loss(self, before: tuple[int, ...], now: tuple[int, ...]) -> None:
        assert compared(_extent(before), _extent(now), active=1) is not None

    @pytest.mark.parametrize(
        ("before", "now"),
        [
            ((100, 100), (100, 100)),
            ((100, 100), (50, 100)),
            ((100, 19), (100, 0)),
            ((100, 100), (10, 100, 90)),
            ((), (5,)),
        ],
    )
    def test_no_loss(self, before: tuple[int, ...], now: tuple[int, ...]) -> None:
        assert compared(_extent(before), _extent(now), active=1) is None

    def test_a_document_without_pages_is_measured_as_a_whole(self) -> None:
        assert compared(TextExtent(pages=(), whole=100), TextExtent(pages=(), whole=50), active=1) is None
        assert compared(TextExtent(pages=(), whole=100), TextExtent(pages=(), whole=49), active=1) is not None
        assert compared(TextExtent(pages=(), whole=100), TextExtent(pages=(10, 20), whole=30), active=1) is not None

    def test_letters_and_digits_alone_count(self) -> None:
        assert letters("A b-1. …… ½\ufffd\ue000") == 4
        assert letters("(cid:12)(cid:345) ok") == 2
        assert letters("日本語 здесь") == 8

    def test_the_sentence_has_both_figures(self) -> None:
        held = compared(_extent((100, 80, 90)), _extent((100, 3, 0)), active=4)
        assert held is not None
        assert held.message == (
            "version 4 stays active: page 2 has 80 letters and digits, now 3; page 3 has 90 letters and digits, now 0"
        )
        fewer = compared(_extent((100, 80)), _extent((100,)), active=4)
        assert fewer is not None
        assert fewer.message == "version 4 stays active: it has 2 pages, the new version has 1"
        none = compared(_extent((100, 80)), TextExtent(pages=(), whole=180), active=4)
        assert none is not None
        assert none.message == "version 4 stays active: it has 2 pages, the new version has none"


def _extent(pages: tuple[int, ...]) -> TextExtent:
    return TextExtent(pages=pages, whole=sum(pages))


@pytest.mark.parametrize(("plugin", "pages_now"), [("first", 1), ("flat", 0), ("blank", 3)])
def test_a_version_with_fewer_pages_or_less_text_is_stored_and_not_activated(
    library: Library, plugin: str, pages_now: int
) -> None:
    document = taken(library)
    made = document.reconvert(plugin=plugin)
    assert (made.version, made.is_active) == (2, False)
    assert made.held_back is not None
    assert (made.held_back.active, made.held_back.pages_before, made.held_back.pages_now) == (1, 3, pages_now)
    after = library.document(document.id)
    assert (after.active_version, after.title, after.canonical_text) == (1, "Whole", document.canonical_text)
    # It can be looked at and activated by hand, and its own report says why it was not.
    after.versions.activate(2)
    now = library.document(document.id)
    assert now.active_version == 2
    assert [finding.severity for finding in now.quality.findings if finding.flag == "held_back"] == ["note"]


def test_text_kept_apart_as_hidden_is_not_lost(library: Library) -> None:
    made = taken(library).reconvert(plugin="apart")
    assert made.is_active
    assert made.held_back is None


def test_whoever_asks_for_it_gets_it(library: Library) -> None:
    document = taken(library)
    assert document.reconvert(plugin="blank", activate=True).is_active
    assert not document.reconvert(plugin="whole", activate=False).is_active
    assert library.document(document.id).active_version == 2


def test_what_was_lost_is_measured_against_the_version_that_is_active(library: Library) -> None:
    document = taken(library)
    document.reconvert(plugin="blank", activate=True)
    assert document.reconvert(plugin="blank").is_active


class PowerCut(BaseException):
    """Ends the process that is not one: nothing below may handle it."""


@pytest.mark.parametrize("moment", ["put_version", "complete"])
@pytest.mark.parametrize("activate", [None, True, False])
def test_a_crash_changes_nothing_of_it(
    library: Library, runtime: Runtime, monkeypatch: pytest.MonkeyPatch, moment: str, activate: bool | None
) -> None:
    """Cut short before its files or before its row, a reconversion that goes on is held back, or not, as it would have been."""
    document = taken(library)
    owner = ArtifactStore if moment == "put_version" else JobRepository

    def cut(*_: Any, **__: Any) -> None:
        raise PowerCut

    with monkeypatch.context() as patch:
        patch.setattr(owner, moment, cut)
        with pytest.raises(PowerCut):
            document.reconvert(plugin="blank", activate=activate)
    library.close()
    with Library.open(library.path, runtime=runtime) as again:
        assert again.engine.wait_until_resumed(seconds=60)
        after = again.document(document.id)
        assert [version.tool for version in after.versions] == ["whole", "blank"]
        assert after.active_version == (2 if activate else 1)
        assert (after.versions[1].held_back is not None) == (activate is None)


def test_a_repair_takes_the_version_that_was_active_last(library: Library) -> None:
    """The newest one may be a version that was held back."""
    document = taken(library)
    document.reconvert(plugin="whole")
    assert not document.reconvert(plugin="first").is_active
    damaged = library.path / "by_hash" / document.raw_hash / "conversions" / "v2" / "canonical.txt"
    damaged.chmod(0o600)
    damaged.write_text("something else")
    library.maintenance.repair()
    assert library.document(document.id).active_version == 1


def test_a_damaged_active_version_has_nothing_to_lose(library: Library) -> None:
    document = taken(library)
    (library.path / "by_hash" / document.raw_hash / "conversions" / "v1" / "canonical.txt").unlink()
    assert document.reconvert(plugin="blank").is_active
