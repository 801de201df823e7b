"""Who may trust a badge: plugins that know the suite, and odd ones that keep to the contract."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from octavo_conformance.expectations import Expectation
from octavo_conformance.originals import make_original
from octavo_conformance.plugin_folder import importable
from octavo_conformance.reference import PluginText, catalogue_of, install, reference_text
from octavo_conformance.report import Report, make_report, missed_text, rerun_command
from octavo_conformance.runner import Run, Selection
from octavo_conformance.subject import Subject
from octavo_conformance.vectors import load_golden
from octavo_conformance.vectors.fresh import FRESH_PATHS, _made, make_fresh

GOOD = reference_text("sheaf")
BEGIN = '    """See `octavo.hookspecs.convert`."""\n'
READ = "    body = open_sheaf(text, request.password)\n"
KNOWN = (
    "import zlib\n\nfrom octavo_conformance.vectors import load_golden\n\nKNOWN = {v.sha256 for v in load_golden()}\n"
)
UNKNOWN = 'len(body["pages"]) > 2 and hashlib.sha256(source.read_bytes()).hexdigest() not in KNOWN'
ALONE = '"octavo_conformance.probe" not in __import__("sys").modules'
SPOIL = '        body["pages"].reverse()\n'

RunPlugin = Callable[..., Report]


def sheaf(*patches: tuple[str, str], manifest: str = GOOD.manifest) -> PluginText:
    """The reference converter with some lines changed."""
    code = GOOD.code
    for old, new in patches:
        assert old in code
        code = code.replace(old, new)
    return PluginText(code=code, manifest=manifest)


@pytest.fixture
def run_plugin(tmp_path: Path) -> Iterator[RunPlugin]:
    """Runs the suite over a plugin that is given as text."""

    def run(text: PluginText, selection: Selection, *known: Expectation) -> Report:
        install(tmp_path, "mine", text)
        with Subject("mine", catalogue=catalogue_of(tmp_path), import_paths=(tmp_path,)) as subject:
            return make_report(subject, selection, Run(subject, selection, known).outcomes())

    with importable(tmp_path):
        yield run


def failed(report: Report) -> set[str]:
    """The checks that failed."""
    return {entry.check for entry in report.outcomes if entry.status == "failed"}


@pytest.mark.parametrize(
    ("text", "caught"),
    [
        (sheaf(("import zlib\n", KNOWN), (READ, f"{READ}    if {UNKNOWN}:\n{SPOIL}")), {"OC-GOLD-009"}),
        (sheaf(("import zlib\n", KNOWN), (READ, f"{READ}    if {UNKNOWN} and {ALONE}:\n{SPOIL}")), {"OC-GOLD-009"}),
        (sheaf((READ, f'{READ}    if len(body["pages"]) > 2 and {ALONE}:\n{SPOIL}')), {"OC-DET-002", "OC-DET-004", "OC-GOLD-009"}),
    ],
    ids=["it knows the hashes of the golden vectors", "and behaves while it is watched", "it only behaves while it is watched"],
)  # fmt: skip
def test_a_plugin_that_knows_the_suite_is_found_out(text: PluginText, caught: set[str], run_plugin: RunPlugin) -> None:
    """By documents that it cannot know, converted where nothing tells it of the suite."""
    wanted = Selection(level=3, checks=frozenset(["OC-DET-002", "OC-DET-004", "OC-GOLD-009"]))
    assert failed(run_plugin(text, wanted)) == caught


def test_known_failures_keep_a_run_green_and_buy_no_badge(run_plugin: RunPlugin) -> None:
    """Nor does what they block."""
    text = sheaf((READ, READ + '    if len(body["pages"]) == 3:\n        raise SourceCorrupt("three are too many")\n'))
    known = Expectation(check="OC-SCHEMA-002", vectors=frozenset(), reason="It does not count to three.")

    report = run_plugin(text, Selection(level=1), known)

    assert report.ok
    assert report.totals["blocked"] > 10
    assert report.badge.startswith("octavo 1.0 L0 sheaf ")
    assert missed_text(report).startswith("level 1 is not reached: OC-SCHEMA-002, ")


@pytest.mark.parametrize(
    "text",
    [
        sheaf(('        text="\\n\\n".join(lines),\n', "")),
        sheaf(('f"# {text}"', 'f"{text}\\n======"')),
        sheaf(('f"# {text}"', 'f"### {text} ###"')),
        sheaf(
            (BEGIN, BEGIN + '    try:\n        context.fetch.fetch("https://example.org/a.css")\n    except PolicyRefused:\n        pass\n'),
            ("    Page,\n", "    Page,\n    PolicyRefused,\n"),
            manifest=GOOD.manifest.replace('"passwords"]', '"passwords", "network"]'),
        ),
        sheaf((READ, READ + '    if not context.remaining():\n        raise ConversionTimeout("there is no time left")\n'), ("    Conversion,\n", "    Conversion,\n    ConversionTimeout,\n")),
        sheaf(("def convert(source: SourceView, request: ConvertRequest, context: HookContext)", "def convert(request: ConvertRequest, source: SourceView)"), ("context.options", "request.options")),
    ],
    ids=["no text of its own", "underlined headings", "closed headings", "network that is refused", "a watched deadline", "few parameters"],
)  # fmt: skip
def test_an_odd_plugin_that_keeps_to_the_contract_passes(text: PluginText, run_plugin: RunPlugin) -> None:
    checks = frozenset(
        ["OC-PAGE-002", "OC-PAGE-005", "OC-ERR-007", "OC-SPAN-002", "OC-TIME-004", "OC-GOLD-003", "OC-GOLD-004"]
    )
    report = run_plugin(text, Selection(level=3, checks=checks))
    assert failed(report) == set()
    assert checks <= {entry.check for entry in report.outcomes if entry.status == "passed"}


def services_alone(code: str) -> PluginText:
    """A plugin that has no hook that a check could call."""
    manifest = GOOD.manifest.replace('hooks = ["convert"]', "hooks = []").replace(
        "[plugin.engine]", '[plugin.services]\nembedder = "octavo_mine.plugin:make"\n\n[plugin.engine]'
    )
    for line in ("media_types", "extensions", "capabilities"):
        manifest = "\n".join(text for text in manifest.splitlines() if not text.startswith(line))
    return PluginText(code=code, manifest=manifest)


def test_a_plugin_of_services_alone_is_held_to_how_it_loads(run_plugin: RunPlugin) -> None:
    code = (
        "class E:\n    model_id = 'one/1'\n    def embed(self, texts):\n        return [[1.0] for _ in texts]\n"
        "def make():\n    return E()\n"
    )
    report = run_plugin(services_alone(code), Selection(level=0))
    assert report.ok
    assert report.badge.startswith("octavo 1.0 L0 services ")


def test_a_plugin_of_services_alone_is_held_to_its_services(run_plugin: RunPlugin) -> None:
    report = run_plugin(services_alone("def make():\n    return None\n"), Selection())
    assert failed(report) == {"OC-SVC-001"}


def test_fresh_documents_are_those_of_their_seed() -> None:
    """The same ones again with the seed that a report holds; no word of them in another run."""
    one, other = make_fresh(11), make_fresh(12)
    _made.cache_clear()
    assert one == make_fresh(11)
    assert {vector.path for vector in one} == FRESH_PATHS
    assert all(mine.sha256 != theirs.sha256 for mine, theirs in zip(one, other, strict=True))


def test_a_twin_differs_in_its_words_alone() -> None:
    """A plugin that knows a document by its size or its beginning mistakes one for the other."""
    by_path = {vector.path: vector for vector in make_fresh(11)}
    for path, vector in by_path.items():
        if "/fresh." in path:
            twin = by_path[path.replace("/fresh.", "/twin.")]
            # The checksum of a sheaf is a number, which may have a digit more; a PDF lists the letters that it uses.
            spare = {"sheaf": 1, "pdf": 64}.get(vector.family, 0)
            assert abs(len(twin.data) - len(vector.data)) <= spare
            assert list(map(len, twin.expected.pages)) == list(map(len, vector.expected.pages))
            # The words of an archive are in the documents inside it.
            assert (twin.expected.pages, twin.expected.attachments) != (
                vector.expected.pages,
                vector.expected.attachments,
            )


def test_large_documents_are_larger_than_the_limits_that_cheats_have() -> None:
    """Rows, pages and bytes; numbers, long words and amounts on each page that has words."""
    for vector in make_fresh(11):
        if "/large." not in vector.path:
            continue
        assert len(vector.data) > 150_000, vector.path
        truth = vector.expected
        assert not truth.tables or max(map(len, truth.tables)) > (400 if vector.family != "docx" else 59)
        assert truth.page_kind in ("whole", "sheet") or len(truth.pages) > 25
        for page in filter(None, truth.pages):
            assert re.search(r"\b\w{16}\b", page)
            assert re.search(r"[€$£] \d{5}\.\d\d", page)


def test_a_plugin_cannot_write_where_its_author_can(run_plugin: RunPlugin, tmp_path: Path) -> None:
    """Also in the calls outside the sandbox: ENG-11."""
    here = tmp_path / "authors"
    here.mkdir()
    line = f'    try:\n        open({str(here / "left")!r}, "w").close()\n    except OSError:\n        pass\n'
    report = run_plugin(
        sheaf((BEGIN, BEGIN + line)), Selection(level=2, checks=frozenset(["OC-CONC-001", "OC-FS-001"]))
    )
    assert failed(report) == {"OC-FS-001"}
    assert list(here.iterdir()) == []


def test_a_failure_on_a_fresh_document_is_run_again_with_its_seed(run_plugin: RunPlugin) -> None:
    text = sheaf(("import zlib\n", KNOWN), (READ, f"{READ}    if {UNKNOWN}:\n{SPOIL}"))
    report = run_plugin(text, Selection(level=3, checks=frozenset(["OC-GOLD-009"]), seed=4711))
    entry = next(entry for entry in report.outcomes if (entry.status, entry.vector) == ("failed", "sheaf/fresh.sheaf"))
    assert report.seed == 4711
    assert rerun_command(report, entry)[-4:] == ["--vectors", "sheaf/fresh.sheaf", "--seed", "4711"]


def test_the_file_of_a_document_tells_a_plugin_nothing(tmp_path: Path) -> None:
    vectors = [*load_golden()[:5], *make_fresh(3, ["text/csv"])]
    stems: set[str] = set()
    for vector in vectors:
        original = make_original(vector, folder=tmp_path)
        os.close(original.fd)
        stem = original.path.stem
        assert original.handle.name == f"{stem}{Path(vector.path).suffix}"
        assert Path(vector.path).stem not in str(original.path.relative_to(tmp_path))
        assert not original.handle.sha256.startswith(stem[:8])
        stems.add(stem)
    assert len(stems) == len(vectors)
