"""Every command and every block of code in the documentation runs, and prints what the page says.

`tox -e guides` follows guides and tutorials, each in an environment with exactly the install that the page names. With
OCTAVO_TEST_PAGES=1 or OCTAVO_UPDATE=1 these tests follow them too, without the engines that a reader would not have.
"""

from __future__ import annotations

import os
import re
import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest
from docs_runner import UPDATE, PageRun, blocks_of
from octavo.runtime import default_runtime
from page_needs import PageNeeds, commands, distributions, extras_of_the_checkout, page_needs

HOW_TO = Path(__file__).resolve().parents[2] / "docs" / "how-to"
PAGES = (
    "explanation/documents-and-offsets.md",
    "how-to/assistant.md",
    "how-to/brief.md",
    "how-to/browser.md",
    "how-to/choose-engines.md",
    "how-to/convert.md",
    "how-to/context.md",
    "how-to/digest.md",
    "how-to/document-types.md",
    "how-to/embed.md",
    "how-to/extract-entities.md",
    "how-to/from-docling.md",
    "how-to/from-markitdown.md",
    "how-to/from-unstructured.md",
    "how-to/loaders.md",
    "how-to/memory.md",
    "how-to/operate.md",
    "how-to/recordings.md",
    "how-to/research.md",
    "how-to/review-routing.md",
    "how-to/sandbox.md",
    "how-to/scans.md",
    "how-to/search.md",
    "how-to/test-a-host.md",
    "how-to/test-a-plugin.md",
    "how-to/web-pages.md",
    "tutorials/first-library.md",
)
SCANS = "how-to/scans.md"
"""The page whose recogniser is a program."""
TUTORIAL = frozenset({"octavo-pypdf"})
"""What a tutorial's own first step installs beside the extra `run`."""
MEANINGS = "how-to/search.md"
"""The page that needs the extra `vectors`."""
LOADERS = "how-to/loaders.md"
"""The page that needs the extra `llama-index`."""
ALWAYS = ("explanation/documents-and-offsets.md", MEANINGS, LOADERS)
"""Pages that `tox -e guides` does not follow, or not with all that they can show."""
ELSEWHERE = {
    "explanation/accuracy.md": "../test_accuracy_harness.py",
    "how-to/add-a-format.md": "test_docs_formats.py",
    "how-to/back-up.md": "../../plugins/features/octavo-library/tests/objects/test_objects_backup.py",
    "how-to/begin-a-plugin.md": "test_docs_project.py",
    "how-to/container.md": "../release/test_container_file.py",
    "how-to/several-machines.md": "../release/test_deployment_files.py",
    "how-to/write-a-classifier-or-scorer.md": "test_docs_verdicts.py",
    "how-to/write-a-converter.md": "test_docs_converter.py",
    "how-to/write-a-feature.md": "test_docs_feature.py",
    "how-to/write-a-recogniser.md": "test_docs_hooks.py",
    "how-to/write-a-service.md": "test_docs_hooks.py",
    "how-to/write-an-entity-extractor.md": "test_docs_hooks.py",
    "tutorials/publish-a-converter.md": "test_docs_publish.py",
}
"""Pages that a test of their own follows."""


@pytest.mark.slow
@pytest.mark.parametrize("name", PAGES)
def test_what_a_page_shows_is_what_happens(
    name: str, docs: Path, checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Blocks run in the order of the page, in a new folder that holds nothing but the samples."""
    if name not in ALWAYS and not {"OCTAVO_TEST_PAGES", UPDATE} & os.environ.keys():
        pytest.skip("tox -e guides follows it; OCTAVO_TEST_PAGES=1 has it followed here as well")
    # The process's runtime remembers the plugins that the page before was given: each page gets one of its own.
    monkeypatch.setattr("octavo.runtime._default", None)
    if name == MEANINGS and not all(find_spec(module) for module in ("lancedb", "onnxruntime", "all_minilm_l6_v2")):
        pytest.skip("the extra `vectors` and the package of the model's tokenizer are not installed")
    if name == LOADERS and not find_spec("llama_index"):
        pytest.skip("the extra `llama-index` is not installed: run `tox -e loaders`")
    run = PageRun(docs / name, checkout)
    if name == SCANS and shutil.which("tesseract") is None:
        pytest.skip("the program tesseract is not installed: apt-get install tesseract-ocr")
    left_out = ",".join(sorted(engines_left_out(docs / name)))
    run.environment["OCTAVO_BLOCK"] = left_out
    monkeypatch.setenv("OCTAVO_BLOCK", left_out)

    try:
        run.run()
    finally:
        default_runtime().close()

    assert any(block.skipped is None for block in blocks_of(docs / name))


def engines_left_out(page: Path) -> frozenset[str]:
    """The plugins that a reader does not have who installed what the page says, or the extra `run` where it says nothing."""
    if page.parent.name == "how-to" and (needs := page_needs(page)) is not None:
        return needs.engines_left_out
    return PageNeeds((), distributions("run") | TUTORIAL, ()).engines_left_out


@pytest.mark.parametrize("page", sorted(HOW_TO.glob("*.md")), ids=lambda page: str(page.stem))
def test_a_how_to_begins_with_what_it_needs(page: Path) -> None:
    """Its line installs every distribution whose command the page's code runs."""
    needs = page_needs(page)
    code = "\n".join(block.body for block in blocks_of(page) if block.language in ("console", "sh"))
    run = {name for name in re.findall(r"\boctavo ([a-z][a-z-]*)", code) if name in commands()}

    if needs is None:
        assert not run
    else:
        assert set(needs.extras) <= set(extras_of_the_checkout())
        assert {commands()[name] for name in run} <= needs.distributions


def test_no_page_with_code_is_left_out(docs: Path) -> None:
    """A new page with code has to be added above; the reference is made from the code, and the samples are data."""
    written = [page for page in docs.rglob("*.md") if page.relative_to(docs).parts[0] not in ("samples", "reference")]

    with_code = {str(page.relative_to(docs)) for page in written if any(block.language for block in blocks_of(page))}

    assert with_code <= {*PAGES, *ELSEWHERE}
    assert {*PAGES, *ELSEWHERE} <= with_code


def test_a_block_that_is_not_run_says_why(docs: Path) -> None:
    for name in (*PAGES, *ELSEWHERE):
        for block in blocks_of(docs / name):
            assert block.skipped is None or len(block.skipped.split()) >= 3, f"{name}: {block.body}"


def test_an_output_that_differs_fails_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OCTAVO_UPDATE", raising=False)
    page = tmp_path / "page.md"
    page.write_text("```python\nprint('high water')\n```\n\n```text\nlow water\n```\n", encoding="utf-8")

    with pytest.raises(AssertionError, match="an output differs"):
        PageRun(page, tmp_path).run()


def test_the_switch_writes_the_output_into_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "page.md"
    page.write_text("```console\n$ echo high; echo water\nlow\n```\n\nText.\n", encoding="utf-8")
    monkeypatch.setenv("OCTAVO_UPDATE", "1")

    PageRun(page, tmp_path).run()

    assert page.read_text(encoding="utf-8") == "```console\n$ echo high; echo water\nhigh\nwater\n```\n\nText.\n"


def test_a_block_that_nobody_would_run_fails_the_page(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```rust\nfn main() {}\n```\n", encoding="utf-8")

    with pytest.raises(AssertionError, match="nobody runs this rust block"):
        PageRun(page, tmp_path).run()
