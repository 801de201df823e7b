"""The screens in a real browser: by keyboard, on a phone, in the dark; accessible, without errors and without other hosts.

Needs Playwright and a Chromium of the system (`apt-get install chromium`); axe-core is read from the file that
`OCTAVO_AXE` names (`npm install axe-core`).
"""

from __future__ import annotations

import io
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from octavo import Settings
from octavo_context import ContextManager
from octavo_library import Document, Library
from octavo_research import Research
from web_clients import SAMPLES, served

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install playwright")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
AXE = Path(os.environ.get("OCTAVO_AXE", "axe.min.js"))
PICTURES = os.environ.get("OCTAVO_SCREENSHOTS")
"""Folder to write screenshots into, for the documentation."""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed: apt-get install chromium"),
]
SWITCHES = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking")
SIZES = {"desktop": (1280, 900), "phone": (360, 740)}


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    folder = tmp_path_factory.mktemp("browser")
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7 and nothing else")
    names = ("annual-report.pdf", "field-notes.md", "storm-warning.eml", "tide-table.csv", "calibration.ipynb")
    with Library.open(folder / "brannoch", settings=Settings(sampling=True)) as opened:
        for _ in opened.ingest_many([*(SAMPLES / name for name in names), folder / "broken.pdf"]):
            pass
        opened.corpora.create("case")
        report = next(one for one in opened.documents() if one.media_type == "application/pdf" and one.active_version)
        report.reconvert(plugin="pypdf", activate=False)
        report.annotations.add("note", text="Compare with last year", page=2, by="anna")
        report.annotations.add("bookmark", text="The figures", page=2)
        record_use(opened, report)
        research = Research(opened)
        research.run(research.start("How high was the surge in November?").research_id)
        opened.document(report.id).versions.acceptance.set(note="Compared with the paper", by="anna")
        yield opened


def record_use(library: Library, document: Document) -> None:
    """Two turns of a conversation, as a program records them."""
    manager = ContextManager(library)
    for _ in range(2):
        block = manager.prepare_document_context(document, "chat-1", "claude-sonnet-4-5", "What happened?")
        manager.record_document_send(
            document, "chat-1", block.tier, block.token_estimate, block.prompt_cached, block=block
        )


@pytest.fixture(scope="module")
def address(shown: Library) -> Iterator[str]:
    with served(shown) as url:
        yield url


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=list(SWITCHES))
        yield browser
        browser.close()


class Visit:
    """A page, with what went wrong on it.

    Attributes:
        page: the page.
        problems: errors of the console and of scripts, and requests to other hosts.
    """

    def __init__(self, context: Any, address: str) -> None:
        self.page = context.new_page()
        self.address = address
        self.problems: list[str] = []
        self.page.on("console", lambda said: said.type == "error" and self.problems.append(said.text))
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on(
            "request",
            lambda sent: sent.url.startswith((address, "data:")) or self.problems.append(f"request: {sent.url}"),
        )

    def open(self, path: str) -> None:
        self.page.goto(self.address + path, wait_until="load")

    def violations(self) -> list[str]:
        self.page.evaluate(AXE.read_text(encoding="utf-8"))
        found = self.page.evaluate(
            "axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'], iframes: false})"
        )
        return [
            f"{one['id']}: {node['html'][:160]} {node['any'][0]['message'] if node['any'] else ''}"
            for one in found["violations"]
            for node in one["nodes"]
        ]


@pytest.fixture(params=["light", "dark"])
def scheme(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def visit(chromium: Any, address: str) -> Iterator[Visit]:
    context = chromium.new_context(viewport={"width": 1280, "height": 900})
    yield Visit(context, address)
    context.close()


def screens(library: Library) -> dict[str, str]:
    ids = {one.name: one.id for one in library.catalogue.page(limit=100).entries}
    report = next(one for name, one in ids.items() if name.startswith("Annual report"))
    broken = next(one for name, one in ids.items() if "broken" in name)
    flagged = next(one.id for one in library.catalogue.page(limit=100).entries if one.status == "degraded_complete")
    run = library.runs.list()[0][0].run_id
    return {
        "documents": "/documents",
        "empty": "/documents?q=nothing+has+this+name",
        "document": f"/documents/{report}",
        "failed": f"/documents/{broken}",
        "flagged": f"/documents/{flagged}",
        "page": f"/documents/{report}/pages/2",
        "difference": f"/documents/{report}/difference?left=1&right=2",
        "deletion": f"/documents/{report}/delete",
        "context": f"/documents/{report}/context?message=What+does+page+2+say",
        "routing": "/routing",
        "rule": "/routing/text_native_pdf" + compared(library, "text_native_pdf"),
        "usage": "/usage",
        "types": "/types",
        "research": "/research",
        "report": f"/research/{Research(library).list()[0].research_id}",
        "retention": "/retention",
        "formatted": f"/documents/{report}/pages/2?show=formatted",
        "search": "/search?q=surge",
        "activity": "/activity",
        "runs": "/runs",
        "run": f"/runs/{run}",
        "corpora": "/corpora",
        "corpus-settings": "/corpora/settings?corpus=case",
        "settings": "/settings",
        "problem": "/nothing",
    }


def compared(library: Library, routing_type: str) -> str:
    """The query that shows the first comparison of a rule side by side; empty without one."""
    list(library.routing.sample())
    rule = next(one for one in library.routing.rules().rules if one.routing_type == routing_type)
    done = [one for one in rule.comparisons if one.failure is None]
    return f"?comparison={done[0].comparison_id}" if done else ""


def visits(chromium: Any, address: str, library: Library, scheme: str) -> Iterator[tuple[str, str, Visit]]:
    """Each screen, on a desktop and on a phone."""
    for size, (width, height) in SIZES.items():
        context = chromium.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
        for name, path in screens(library).items():
            visit = Visit(context, address)
            visit.open(path)
            yield name, size, visit
            visit.page.close()
        context.close()


def test_every_screen_fits_and_asks_no_other_host(chromium: Any, address: str, shown: Library, scheme: str) -> None:
    """In light and dark, on a desktop and on a phone: no error, no sideways scrolling, no request that leaves."""
    missing = "Failed to load resource: the server responded with a status of 404 (Not Found)"
    for name, size, visit in visits(chromium, address, shown, scheme):
        assert visit.problems == ([missing] if name == "problem" else []), (name, size)
        assert visit.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (name, size)
        if PICTURES is not None and (scheme, size) == ("light", "desktop"):
            visit.page.evaluate("Promise.all([...document.images].map((one) => one.decode()))")
            keep_picture(visit.page.screenshot(), Path(PICTURES) / f"browser-{name}.png")


def keep_picture(png: bytes, path: Path) -> None:
    """Store a screenshot with few colours: a fifth of its size."""
    image = pytest.importorskip("PIL.Image", reason="pillow makes the screenshots small: pip install pillow")
    with image.open(io.BytesIO(png)) as opened:
        opened.convert("RGB").quantize(48).save(path, optimize=True)


FOCUSABLE = """[...document.querySelectorAll(
    'a[href], button, input:not([type=hidden]), select, textarea, summary, iframe, [tabindex="0"]'
)].filter((one) => !one.disabled && one.checkVisibility({visibilityProperty: true}))"""
TOUCHED = f"""() => {{
    const one = document.activeElement;
    const index = {FOCUSABLE}.indexOf(one);
    const style = getComputedStyle(one);
    return [index, style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0 || one.tagName === 'IFRAME'];
}}"""


def test_every_screen_is_walked_through_by_the_tab_key(visit: Visit, shown: Library) -> None:
    """Each link, button and field is reached, in its order, with a visible mark of the focus; nothing traps the focus."""
    for name, path in screens(shown).items():
        visit.open(path)
        expected = visit.page.evaluate(f"{FOCUSABLE}.length")
        reached: list[int] = []
        for _ in range(expected):
            visit.page.keyboard.press("Tab")
            index, is_marked = visit.page.evaluate(TOUCHED)
            assert is_marked, (name, index)
            reached.append(index)
            if name == "settings" and len(reached) > 60:  # it has more than a hundred rows of one kind
                expected = len(reached)
                break
        assert reached == list(range(expected)), name


def test_flags_are_accepted_and_the_mark_is_removed_by_keyboard(visit: Visit, shown: Library) -> None:
    flagged = next(one for one in shown.documents() if one.status == "degraded_complete")
    keys = visit.page.keyboard
    visit.open(f"/documents/{flagged.id}")
    visit.page.locator("form[action$='/accept'] button").focus()
    keys.press("Enter")
    remove = visit.page.locator("button", has_text="Remove the mark")
    playwright.expect(remove).to_be_visible()
    assert shown.document(flagged.id).versions.acceptance.current is not None
    remove.focus()
    keys.press("Enter")
    playwright.expect(remove).to_have_count(0)
    assert shown.document(flagged.id).versions.acceptance.current is None
    assert visit.problems == []


def test_a_type_is_confirmed_by_keyboard(visit: Visit, shown: Library) -> None:
    """MET-2."""
    visit.open("/types")
    visit.page.locator("tbody button").first.focus()
    visit.page.keyboard.press("Enter")
    playwright.expect(visit.page.locator("dd").nth(2)).to_have_text("100 %")
    for document in shown.documents():
        if document.document_type_by is not None:
            document.set_type(None)
    assert visit.problems == []


def test_a_rule_is_decided_and_the_decision_undone_by_keyboard(visit: Visit, shown: Library) -> None:
    keys = visit.page.keyboard
    visit.open("/routing/text_native_pdf")
    for letters in ("keep", "undo"):
        visit.page.locator("#action").focus()
        keys.type(letters)
        visit.page.locator("#note").focus()
        keys.type(f"{letters}: tables are whole")
        keys.press("Enter")
        playwright.expect(visit.page.locator("#note")).to_have_value("")
        has_decision = visit.page.locator("#action option[value=undo]")
        playwright.expect(has_decision).to_have_count(1 if letters == "keep" else 0)
    assert visit.problems == []


def test_a_message_is_previewed_by_keyboard(visit: Visit, shown: Library) -> None:
    visit.open(screens(shown)["context"].partition("?")[0])
    visit.page.locator("[name=message]").first.focus()
    visit.page.keyboard.type("What does page 2 say?")
    if visit.page.locator("textarea[name=message]").count():
        visit.page.locator("main form button").first.focus()
    visit.page.keyboard.press("Enter")
    visit.page.wait_for_url("**message=What*")
    assert visit.problems == []


@pytest.mark.skipif(not AXE.is_file(), reason="OCTAVO_AXE does not name axe.min.js of the npm package axe-core")
def test_no_screen_violates_wcag(chromium: Any, address: str, shown: Library, scheme: str) -> None:
    """Level AA of WCAG 2.2, as far as axe-core can tell, in light and dark, on a desktop and on a phone."""
    for name, size, visit in visits(chromium, address, shown, scheme):
        assert visit.violations() == [], (name, size)


def test_a_document_is_found_and_read_by_keyboard_alone(visit: Visit, shown: Library) -> None:
    keys = visit.page.keyboard
    visit.open("/documents")
    keys.press("Tab")
    assert visit.page.evaluate("document.activeElement.textContent") == "Skip to the content"
    keys.press("/")
    keys.type("highest surge")
    keys.press("Enter")
    visit.page.wait_for_url("**/search?q=highest+surge")
    link = visit.page.locator(".hits a").first
    link.focus()
    keys.press("Enter")
    visit.page.wait_for_url("**/pages/*")
    playwright.expect(visit.page.locator("#marked")).to_be_in_viewport()
    visit.open(screens(shown)["document"])
    keys.press("r")
    visit.page.wait_for_url("**/pages/1")
    keys.press("n")
    visit.page.wait_for_url("**/pages/2")
    keys.press("p")
    visit.page.wait_for_url("**/pages/1")
    assert visit.problems == []


def test_a_selection_becomes_a_highlight_by_its_code_points(visit: Visit, shown: Library) -> None:
    visit.open(screens(shown)["page"])
    document = shown.document(screens(shown)["document"].rpartition("/")[2])
    text = document.page(2).text
    start = text.index("surge")
    visit.page.evaluate(
        """([start, end]) => {
            const node = document.querySelector("#text").firstChild;
            getSelection().setBaseAndExtent(node, start, node, end);
        }""",
        [start, start + 5],
    )
    playwright.expect(visit.page.locator("#char")).to_have_value(f"{start}-{start + 5}")
    visit.page.select_option("#kind", "highlight")
    visit.page.fill("#annotation", "how high?")
    visit.page.click("text=Add")
    playwright.expect(visit.page.locator(".annotations blockquote")).to_have_text("surge")
    assert visit.problems == []
    highlight = next(one for one in document.annotations if one.kind == "highlight")
    document.annotations.remove(highlight.id)


def test_a_citation_of_a_report_opens_its_marked_page_by_keyboard(visit: Visit, shown: Library) -> None:
    """RES-6."""
    visit.open(screens(shown)["report"])
    quote = visit.page.locator("blockquote").first.inner_text()
    visit.page.locator(".hits a").first.focus()
    visit.page.keyboard.press("Enter")
    visit.page.wait_for_url("**/pages/*")
    playwright.expect(visit.page.locator("#marked")).to_have_text(quote)
    playwright.expect(visit.page.locator("#marked")).to_be_in_viewport()
    assert visit.problems == []


def test_a_deletion_is_reached_and_left_by_keyboard(visit: Visit, shown: Library) -> None:
    visit.open(screens(shown)["deletion"])
    visit.page.locator("text=Keep it").focus()
    visit.page.keyboard.press("Enter")
    visit.page.wait_for_url(f"**{screens(shown)['document']}")
    assert visit.problems == []


def test_filters_apply_when_they_are_chosen(visit: Visit) -> None:
    visit.open("/documents")
    visit.page.select_option("#status", "hard_failed")
    visit.page.wait_for_url("**status=hard_failed**")
    playwright.expect(visit.page.locator("tbody tr")).to_have_count(1)
    assert visit.problems == []


def test_a_document_leads_to_the_list_of_its_corpus_by_keyboard(visit: Visit, shown: Library) -> None:
    """UI-1: memberships on the page of a document, and the filter by corpus in the list."""
    notes = next(one for one in shown.documents() if one.paths[0].endswith("field-notes.md"))
    shown.ingest(SAMPLES / "field-notes.md", corpus="case")
    visit.open(f"/documents/{notes.id}")
    visit.page.locator("a", has_text="case").focus()
    visit.page.keyboard.press("Enter")
    visit.page.wait_for_url("**/documents?corpus=case")
    playwright.expect(visit.page.locator("tbody tr")).to_have_count(1)
    assert visit.page.input_value("#corpus") == "case"
    visit.page.select_option("#corpus", "")
    visit.page.wait_for_function("document.querySelectorAll('tbody tr').length > 1")
    assert visit.problems == []


def test_pages_work_without_scripts(chromium: Any, address: str, shown: Library) -> None:
    context = chromium.new_context(java_script_enabled=False)
    visit = Visit(context, address)
    visit.open("/documents")
    visit.page.fill("#q", "broken")
    visit.page.click("text=Show")
    playwright.expect(visit.page.locator("tbody tr")).to_have_count(1)
    visit.page.click("tbody a")
    playwright.expect(visit.page.locator("h1")).to_contain_text("broken")
    context.close()


def test_a_file_is_uploaded_and_its_task_is_followed_live(visit: Visit, shown: Library, tmp_path: Path) -> None:
    path = tmp_path / "pier.md"
    path.write_text("# Notes from the pier\n\nThe pier was closed in the storm.\n")
    visit.open("/documents")
    visit.page.set_input_files("#files", path)
    visit.page.click("text=Upload")
    visit.page.wait_for_url("**/activity")
    task = visit.page.locator(".tasks li").first
    playwright.expect(task).to_contain_text("pier.md")
    playwright.expect(task.locator(".badge")).to_have_text("finished", timeout=120_000)
    task.locator("a").click()
    playwright.expect(visit.page.locator("h1")).to_contain_text("Notes from the pier")
    assert visit.problems == []


def test_the_formatted_frame_shows_text_and_runs_nothing(visit: Visit, shown: Library) -> None:
    visit.open(screens(shown)["formatted"])
    frame = visit.page.frame_locator("iframe")
    playwright.expect(frame.locator("body")).to_contain_text("surge")
    assert visit.problems == []
