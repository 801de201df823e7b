"""PDF: nothing without weights, and quickly; with weights the whole standard pipeline runs."""

from __future__ import annotations

import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import pytest
from octavo_contracts import ContentTooLarge, SourceCorrupt, SourceEncrypted, ToolUnavailable

needs_docling = pytest.mark.skipif(not find_spec("docling"), reason="docling is not installed: half a gigabyte")
needs_runtime = pytest.mark.skipif(
    not all(map(find_spec, ("docling", "torch", "torchvision", "transformers"))),
    reason="what runs layout models is not installed: it comes with octavo-docling[models]",
)
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # docling and torch warn of their own fields

WITHOUT = """
import sys, time
from octavo_contracts import FileSource, ConvertRequest, HookContext, ToolUnavailable
from pathlib import Path
from octavo_docling import plugin
path = Path("a.pdf")
path.write_bytes(b"%PDF-1.7 ")
started = time.monotonic()
try:
    plugin.convert(
        FileSource(path, media_type="application/pdf"),
        ConvertRequest(media_type="application/pdf", options={options}),
        HookContext(work_dir=Path("."), deadline=started + 9),
    )
except ToolUnavailable as error:
    print(error)
assert time.monotonic() - started < 2
assert not {"docling", "torch", "lxml", "bs4"} & set(sys.modules)
"""


@pytest.mark.parametrize("options", ["{}", "{'model': '/nowhere'}", "{'model': '.'}"])
def test_without_weights_a_pdf_is_refused_before_anything_is_imported(options, tmp_path):
    pytest.importorskip("octavo_docling", reason="octavo-docling is not installed: half a gigabyte")
    script = WITHOUT.replace("{options}", options)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=tmp_path, timeout=60)
    assert done.returncode == 0, done.stderr
    assert "layout.model" in done.stdout or "octavo-docling[models]" in done.stdout


def test_bytes_that_are_no_pdf_are_corrupt_whether_or_not_there_are_weights(read):
    with pytest.raises(SourceCorrupt, match="does not begin"):
        read(b"PK\x03\x04 nothing of the kind", ".pdf")


@needs_runtime
def test_a_folder_without_the_layout_model_is_named_with_what_it_lacks(read, tmp_path):
    with pytest.raises(
        ToolUnavailable, match=r"lacks config\.json, preprocessor_config\.json, model\.safetensors"
    ) as e:
        read("annual-report.pdf", options={"model": str(tmp_path)})
    assert "docling-tools models download" in e.value.remedy


@needs_runtime
def test_weights_that_can_not_be_loaded_are_a_missing_tool(read, tmp_path):
    """The document is not blamed for a folder of wrong content."""
    folder = tmp_path / "docling-project--docling-layout-heron"
    folder.mkdir()
    for name in ("config.json", "preprocessor_config.json", "model.safetensors"):
        (folder / name).write_text("{}")
    with pytest.raises(ToolUnavailable, match="cannot be loaded"):
        read("annual-report.pdf", options={"model": str(tmp_path)})


@needs_runtime
class TestWithWeights:
    """The real pipeline on a model of random weights: what it takes for a heading is chance, where text stands is not."""

    def test_pages_boxes_and_text_come_from_the_standard_pipeline(self, read, weights):
        conversion = read("annual-report.pdf", options={"model": str(weights)})
        assert [page.number for page in conversion.pages] == [1, 2, 3]
        assert {page.kind for page in conversion.pages} == {"page"}
        first = conversion.pages[0]
        assert (round(first.width or 0), round(first.height or 0)) == (595, 842)
        assert "The storm of 14 November 2025 raised the highest surge" in first.markdown
        assert all(0 <= box.box.left <= 596 and 0 <= box.box.top <= 843 for box in first.boxes)
        tops = {box.text[:8]: box.box.top for box in first.boxes}
        assert tops["The stor"] < tops["for six "]
        assert "table_structure_lost" in {warning.code for warning in conversion.warnings}

    def test_the_same_bytes_give_the_same_conversion(self, read, weights):
        options = {"model": str(weights)}
        assert read("annual-report.pdf", options=options) == read("annual-report.pdf", options=options)

    def test_more_pages_than_allowed_are_too_many(self, read, weights):
        with pytest.raises(ContentTooLarge, match="3 pages"):
            read("annual-report.pdf", options={"model": str(weights)}, max_pages=2)

    def test_a_password_opens_a_locked_pdf_and_a_wrong_one_does_not(self, read, weights, tmp_path):
        pypdf = pytest.importorskip("pypdf", reason="pypdf, which locks the test's document, is not installed")
        sample = Path(__file__).parents[4] / "docs" / "samples" / "annual-report.pdf"
        writer = pypdf.PdfWriter(clone_from=sample)
        writer.encrypt("harbour", algorithm="RC4-128")
        writer.write(tmp_path / "locked.pdf")
        locked, options = (tmp_path / "locked.pdf").read_bytes(), {"model": str(weights)}
        assert len(read(locked, ".pdf", options=options, password="harbour").pages) == 3
        for password in (None, "wrong"):
            with pytest.raises(SourceEncrypted):
                read(locked, ".pdf", options=options, password=password)

    def test_half_a_pdf_is_corrupt(self, read, weights):
        with pytest.raises(SourceCorrupt):
            read(b"%PDF-1.7\n1 0 obj\n<<", ".pdf", options={"model": str(weights)})


@needs_docling
def test_the_environment_is_as_it_was(read):
    import os

    before = dict(os.environ)
    read("# A\n", ".md")
    assert dict(os.environ) == before


@needs_docling
def test_a_second_call_of_a_process_is_quick(read):
    read("# A\n", ".md")
    started = time.monotonic()
    read("# B\n", ".md")
    assert time.monotonic() - started < 5
