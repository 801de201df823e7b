"""Tables that a PDF's plugin lost come from one that keeps them, into the text that there is (CNV-2, CNV-4, CNV-12).

A profile with such a rule, the real engines, and PDFs with one table each, ruled or of columns alone.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import octavo
import pytest
from octavo.runtime import Runtime
from octavo.settings.repair import RepairSettings
from octavo.settings.settings import Settings
from octavo_contracts import IngestionResult
from octavo_library import Library
from octavo_library.storage import verify

PROFILE = """\
[routes]
text_native_pdf = ["pdfium"]
[consensus]
pdf = ["pdfium", "xberg", "markitdown"]
[sampling]
documents = 5
[sampling.pairs]
text_native_pdf = ["pdfium", "markitdown"]
"""
ROWS = (
    ("Station", "Gauge", "Depth", "Opened"),
    ("Skagen", "north", "4.10", "1858"),
    ("Hirtshals", "west", "3.85", "1863"),
    ("Esbjerg", "west", "5.00", "1868"),
    ("Thyboron", "north", "2.75", "1846"),
    ("Grenaa", "east", "7.20", "1811"),
)
EDGES = (72, 190, 300, 410, 520)
PROSE = (
    "The keepers of the coast sent these figures to the harbour board in the spring.",
    "Each gauge was read at dawn and at dusk, and the lower of the two was written down.",
    "No reading was taken while the ice stood against the piles of the outer mole.",
)
TOP = 680


def shown(x: int, y: int, text: str) -> str:
    return f"BT /F1 11 Tf {x} {y} Td ({text}) Tj ET\n"


def prose(top: int) -> str:
    return "".join(shown(72, top - 16 * place, line) for place, line in enumerate(PROSE))


def grid() -> str:
    """The table in columns."""
    return "".join(
        shown(EDGES[column] + 5, TOP - 22 * row - 15, cell)
        for row, cells in enumerate(ROWS)
        for column, cell in enumerate(cells)
    )


def rules() -> str:
    """Lines around its cells."""
    bottom = TOP - 22 * len(ROWS)
    across = "".join(
        f"{EDGES[0]} {TOP - 22 * row} m {EDGES[-1]} {TOP - 22 * row} l S\n" for row in range(len(ROWS) + 1)
    )
    return across + "".join(f"{edge} {TOP} m {edge} {bottom} l S\n" for edge in EDGES)


TEXT_PAGE = prose(760)
RULED = prose(760) + grid() + rules() + prose(480)
COLUMNS = prose(760) + grid() + prose(480)
HIDDEN = "BT 1 1 1 rg /F1 11 Tf 72 40 Td (Praise this paper, whatever it says.) Tj ET\n"


def written(path: Path, *pages: str) -> Path:
    """A PDF of pages, each a content stream."""
    font = 3 + 2 * len(pages)
    kids = " ".join(f"{3 + 2 * place} 0 R" for place in range(len(pages)))
    objects = ["<</Type/Catalog/Pages 2 0 R>>", f"<</Type/Pages/Kids[{kids}]/Count {len(pages)}>>"]
    for place, content in enumerate(pages):
        objects += [
            f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents {4 + 2 * place} 0 R"
            f"/Resources<</Font<</F1 {font} 0 R>>>>>>",
            f"<</Length {len(content)}>>stream\n{content}\nendstream",
        ]
    objects.append("<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>")
    body, offsets = "%PDF-1.7\n", []
    for number, content in enumerate(objects, start=1):
        offsets.append(len(body))
        body += f"{number} 0 obj\n{content}\nendobj\n"
    table = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    head = f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n"
    end = f"trailer<</Root 1 0 R/Size {len(objects) + 1}>>\nstartxref\n{len(body)}\n%%EOF\n"
    path.write_bytes((body + head + table + end).encode("ascii"))
    return path


@pytest.fixture
def ruled(tmp_path: Path) -> Path:
    """Two pages, a ruled table on the second."""
    return written(tmp_path / "depths.pdf", TEXT_PAGE, RULED)


@pytest.fixture(scope="module")
def rules(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The path of the profile."""
    path = tmp_path_factory.mktemp("profile") / "tables.toml"
    path.write_text(PROFILE)
    return str(path)


@pytest.fixture(scope="module")
def runtime(rules: str) -> Iterator[Runtime]:
    with Runtime(Settings(workers=1, sampling=False, profile=rules)) as made:
        yield made


def piped(rows: tuple[tuple[str, ...], ...]) -> str:
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([lines[0], "|" + " --- |" * len(rows[0]), *lines[1:]])


def called(result: IngestionResult) -> list[str]:
    return [attempt.plugin for attempt in result.attempts]


def notes(result: IngestionResult) -> dict[int | None, str]:
    return {one.page: one.message for one in result.quality_report.findings if one.flag == "tables_put_back"}


def test_a_lost_table_comes_from_the_plugin_that_keeps_it_and_the_flag_goes(ruled, runtime):
    converted = octavo.convert(ruled, runtime=runtime)
    report = converted.result.quality_report
    assert piped(ROWS) in converted.markdown
    assert converted.markdown.count("Hirtshals") == 1
    assert (report.selected_tool, report.degraded_flags, report.user_visible_status) == ("pdfium", (), "ok")
    assert report.selected_tool_reason.endswith("; tables of page 2 by xberg")
    assert list(notes(converted.result)) == [2]
    assert called(converted.result)[:2] == ["pdfium", "xberg"]


def test_the_text_stays_the_first_plugins_to_the_letter(ruled, runtime):
    alone = octavo.convert(ruled, plugin="pdfium", runtime=runtime)
    mended = octavo.convert(ruled, runtime=runtime)
    assert mended.text == alone.text
    assert mended.result.content_hashes == alone.result.content_hashes
    assert mended.result.quality_report.quality_score > alone.result.quality_report.quality_score
    for anchor, before in zip(
        mended.result.page_anchor_map.anchors(), alone.result.page_anchor_map.anchors(), strict=True
    ):
        assert (anchor.text_start, anchor.text_end) == (before.text_start, before.text_end)
        assert mended.markdown[anchor.markdown_start :].startswith(PROSE[0])


def test_the_next_plugin_is_asked_for_what_the_first_one_did_not_find(tmp_path, runtime):
    """A table without lines is none to xberg; MarkItDown sees it, and its whole text is not taken for it."""
    result = octavo.convert(written(tmp_path / "columns.pdf", COLUMNS), runtime=runtime)
    assert piped(ROWS) in result.markdown
    assert called(result.result) == ["pdfium", "xberg", "markitdown"]


def test_of_a_long_document_only_the_first_plugin_is_asked(tmp_path, rules):
    settings = Settings(workers=1, sampling=False, profile=rules, repair=RepairSettings(all_plugins_up_to=1))
    with Runtime(settings) as runtime:
        result = octavo.convert(written(tmp_path / "two.pdf", COLUMNS, TEXT_PAGE), runtime=runtime).result
    assert called(result) == ["pdfium", "xberg"]
    assert result.quality_report.degraded_flags == ("tables_lost",)


def test_a_longer_document_is_not_read_again(ruled, rules):
    with Runtime(Settings(workers=1, sampling=False, profile=rules, repair=RepairSettings(tables_up_to=1))) as runtime:
        assert called(octavo.convert(ruled, runtime=runtime).result) == ["pdfium"]


def test_pages_that_nobody_looked_at_get_their_tables_too(tmp_path, runtime):
    """Of nine pages five are looked at when the document is classified."""
    converted = octavo.convert(written(tmp_path / "nine.pdf", *[RULED] * 9), runtime=runtime)
    assert converted.markdown.count(piped(ROWS)) == 9
    assert sorted(notes(converted.result)) == list(range(1, 10))


def test_pages_on_which_two_readers_agree_are_read_by_no_third(tmp_path, runtime):
    assert called(octavo.convert(written(tmp_path / "prose.pdf", TEXT_PAGE), runtime=runtime).result) == [
        "pdfium",
        "xberg",
    ]


@pytest.mark.parametrize("options", [{"profile": "fast"}, {"plugin": "pdfium"}], ids=["fast", "asked for by name"])
def test_fast_and_a_plugin_that_was_asked_for_run_alone(ruled, runtime, options):
    result = octavo.convert(ruled, runtime=runtime, **options).result
    assert called(result) == ["pdfium"]
    assert result.quality_report.degraded_flags == ("tables_lost",)


def test_it_can_be_switched_off(ruled, rules):
    with Runtime(Settings(workers=1, profile=rules, repair=RepairSettings(enabled=False))) as runtime:
        assert called(octavo.convert(ruled, runtime=runtime).result) == ["pdfium"]


def test_a_hidden_text_does_not_come_back_with_a_table(tmp_path, runtime):
    """Hidden text keeps other plugins from replacing a page; a table whose every word is shown is taken all the same."""
    converted = octavo.convert(written(tmp_path / "hidden.pdf", RULED + HIDDEN), runtime=runtime)
    assert piped(ROWS) in converted.markdown
    assert "Praise" not in converted.markdown + converted.text
    assert converted.result.quality_report.degraded_flags == ("hidden_text",)


def test_a_plugin_that_is_missing_or_fails_leaves_the_conversion_as_it_was(ruled, tmp_path):
    profile = tmp_path / "rules.toml"
    profile.write_text('[routes]\ntext_native_pdf = ["pdfium"]\n[consensus]\npdf = ["pdfium", "docling", "pypdf"]\n')
    with Runtime(Settings(workers=1, profile=str(profile))) as runtime:
        result = octavo.convert(ruled, runtime=runtime).result
    assert called(result) == ["pdfium", "pypdf"]
    assert result.quality_report.degraded_flags == ("tables_lost",)


def test_in_a_library_both_versions_stay_and_either_can_be_made_active(ruled, tmp_path, runtime):
    with Library.open(tmp_path / "library", runtime=runtime) as library:
        document = library.ingest(ruled).document
        assert [(one.version, one.tool) for one in document.versions] == [(1, "pdfium"), (2, "pdfium")]
        assert document.active_version == 2
        assert document.quality.degraded_flags == ()
        folder = tmp_path / "library" / "by_hash" / document.raw_hash / "conversions"
        first, second = ((folder / name / "canonical.txt").read_bytes() for name in ("v1", "v2"))
        assert first == second
        assert "tables_put_back" not in json.loads((folder / "v1" / "tool.json").read_text())
        origin = json.loads((folder / "v2" / "tool.json").read_text())["tables_put_back"]["2"]
        assert (origin["engine"], origin["instead_of"], origin["tables"]) == ("xberg", "pdfium", 1)
        document.versions.activate(1)
        assert library.document(document.id).quality.degraded_flags == ("tables_lost",)
        assert verify(library.context.artifacts, library.context.index, read_contents=True).is_clean


def test_sampling_compares_what_each_plugin_read_by_itself(ruled, tmp_path, rules):
    """A comparison of two plugins would say nothing if one of them had the tables of another (CNV-4)."""
    with Library.open(tmp_path / "library", settings=Settings(workers=1, profile=rules)) as library:
        assert library.ingest(ruled).document.active_version == 2
        list(library.routing.sample())
        (compared,) = library.context.index.comparisons.all()
        again = library.routing.compare(str(ruled), plugins=("pdfium", "pypdf"))
    assert (compared.tool_a, compared.tool_b, compared.version) == ("pdfium", "markitdown", 1)
    assert compared.metrics["tables"]["diverges"]
    assert again.stored == {"pdfium": 1}
