"""The site builds without a warning and without the network, and its links lead somewhere."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LINK = re.compile(r"\]\(([^)\s]+)\)")
EXTERNAL = re.compile(r"""<(?:script|img|iframe|link)\b[^>]*\b(?:src|href)="(?:https?:)?//([^/"]+)""")

needs_mkdocs = pytest.mark.skipif(
    not (find_spec("mkdocs") and find_spec("material")),
    reason="mkdocs and mkdocs-material are not installed: they are the extra `docs`",
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built strictly: a warning is an error."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "-q", "--strict", "--site-dir", folder]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    return folder


@needs_mkdocs
@pytest.mark.slow
def test_no_page_of_the_site_loads_anything_from_elsewhere(site: Path) -> None:
    pages = list(site.rglob("*.html"))

    for page in pages:
        if "samples" not in page.parts:
            assert not EXTERNAL.findall(page.read_text(encoding="utf-8")), page
    assert len(pages) > 20


@needs_mkdocs
@pytest.mark.slow
def test_every_page_of_the_four_groups_is_in_the_navigation(site: Path, docs: Path) -> None:
    home = (site / "index.html").read_text(encoding="utf-8")

    for group in ("tutorials", "how-to", "reference", "explanation"):
        for page in (docs / group).glob("*.md"):
            place = f"{group}/" if page.stem == "index" else f"{group}/{page.stem}/"
            assert f'href="{place}"' in home, page


def test_every_decision_is_listed_by_their_index(docs: Path) -> None:
    linked = set(LINK.findall((docs / "decisions" / "index.md").read_text(encoding="utf-8")))

    assert {page.name for page in (docs / "decisions").glob("0*.md")} <= linked


def test_links_between_pages_lead_to_files_and_headings(docs: Path) -> None:
    """As the repository shows them, without a site: a link is a path from the page, an anchor one of its headings."""
    pages = [page for page in docs.rglob("*.md") if "samples" not in page.parts]

    checked = 0
    for page in pages:
        for target in LINK.findall(without_code(page)):
            if "://" in target:
                continue
            path, _, anchor = target.partition("#")
            leads_to = (page.parent / path).resolve() if path else page
            assert leads_to.exists(), f"{page.relative_to(docs)} links to {target}"
            assert not anchor or anchor in anchors(leads_to), f"{page.relative_to(docs)} links to {target}"
            checked += 1
    assert checked > 30


def without_code(page: Path) -> str:
    return re.sub(r"^```.*?^```$|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in headings}
