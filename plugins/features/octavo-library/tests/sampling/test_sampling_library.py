"""The protocol in a library: who is sampled, what is counted, what a verdict does (CNV-4)."""

from __future__ import annotations

import io
import json
import os
import queue
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import octavo
import pytest
from octavo.settings.furniture import FURNITURE_APART
from octavo.settings.settings import Settings
from octavo_contracts import UsageError
from octavo_library import Library
from octavo_library.facade.routing_review import idle_sampling
from octavo_library.facade.routing_review.compare import compare
from octavo_library.facade.routing_review.idle_sampling import IdleSampling
from octavo_library.ingestion.events import EngineEvent, Sampled

SAMPLES = Path(__file__).parents[5] / "docs" / "samples"
HEAD = "from octavo_contracts import *\n@hookimpl\ndef convert(source, request, context):\n    text = source.read_bytes().decode()\n"
WHOLE = "    return Conversion(pages=(Page(number=1, kind='whole', markdown={markdown}),), paginated=False)\n"
FIRST = HEAD + WHOLE.format(markdown="text")
FLAT = HEAD + WHOLE.format(markdown="text.replace('#', '')")
SAME = HEAD + WHOLE.format(markdown="text")
FAILING = HEAD + "    raise SourceCorrupt('it has no heart', source=source.name)\n"
CRASHING = HEAD + "    import os\n    os._exit(3)\n"
ENDLESS = HEAD + "    import time\n    time.sleep(60)\n" + WHOLE.format(markdown="text")
OPENING = """\
from octavo_contracts import *
@hookimpl
def convert(source, request, context):
    if request.password != "open sesame":
        raise SourceEncrypted("it needs a password")
    text = "The keeper read the gauge at dawn and wrote the figure down."
    return Conversion(pages=(Page(number=1, markdown=text, text=text),), paginated=True)
"""
GARBLED = HEAD + (
    "    table = Table(rows=(('a', 'b'), ('1',), ('2',)))\n"
    "    return Conversion(pages=(Page(number=1, kind='whole', markdown=text, tables=(table,)),), paginated=False)\n"
)
RUNNING_HEAD = "Report of the keepers of the coast and its many lights"
HEADED = HEAD + (
    "    texts = [f'{head}\\nNight {{n}} of {{n * 7}} waves' for n in range(1, 6)]\n"
    "    pages = tuple(Page(number=n, markdown=text, text=text) for n, text in enumerate(texts, 1))\n"
    "    return Conversion(pages=pages, paginated=True)\n"
)
WHOLE_OF_PAGES = (
    "def _whole(pages, paginated):\n"
    "    text = '\\n\\n'.join(page.text for page in pages)\n"
    "    return Conversion(pages=(Page(number=1, kind='whole', markdown=text, text=text),), paginated=False)\n"
)
PROFILE = """\
name = "tested"
[routes]
plain_text = ["first"]
[escalate]
other = {heavier}
[sampling]
documents = {documents}
drift = {drift}
[sampling.pairs]
plain_text = ["first", "second"]
"""


@pytest.fixture
def profile(tmp_path: Path) -> Callable[..., str]:
    """A profile that has two plugins read plain texts; returns its path."""

    def write(*, documents: int = 3, drift: float = 0.0, heavier: tuple[str, ...] = ()) -> str:
        path = tmp_path / "tested.toml"
        path.write_text(PROFILE.format(documents=documents, drift=drift, heavier=list(heavier)))
        return str(path)

    return write


@pytest.fixture
def open_library(tmp_path: Path):
    """Open the library of the test with a profile."""

    def open_with(rules: str, **settings: object) -> Library:
        return Library.open(tmp_path / "library", settings=Settings(profile=rules, workers=2, **settings))  # type: ignore[arg-type]  # Settings' own fields

    return open_with


@pytest.fixture
def plugins(make_plugin):
    """The plugins `first` and `second`; the second one loses headings, or is what a test says."""

    def make(second: str = FLAT, first: str = FIRST) -> None:
        own = MANIFEST_ENGINE
        make_plugin("first", first, priority=90, manifest=own.format(name="first"))
        make_plugin("second", second, priority=10, manifest=own.format(name="second"))

    return make


MANIFEST_ENGINE = """\
[plugin]
name = "{name}"
contract = "1.0"
description = "A plugin of the tests."
hooks = ["convert"]
media_types = ["text/plain"]
[plugin.engine]
distribution = "octavo-{name}"
licence = "Apache-2.0"
"""


def texts(folder: Path, count: int, *, start: int = 0) -> list[Path]:
    """Notes with three headings and some words of their own."""
    folder.mkdir(exist_ok=True)
    made = []
    for number in range(start, start + count):
        path = folder / f"note{number:02}.txt"
        path.write_text(f"# Note {number}\n\nwords of {number}\n\n# Two\n\n# Three\n")
        made.append(path)
    return made


def sample(library: Library) -> int:
    """Make the comparisons that wait, as an idle library does; returns how many."""
    return len(list(library.routing.sample()))


def wait_for(condition: Callable[[], bool]) -> None:
    """Wait until a condition holds; fail after a minute."""
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


def heard(library: Library) -> list[Sampled]:
    """What the library samples from now on."""
    events: list[Sampled] = []

    def listen(event: EngineEvent) -> None:
        if isinstance(event, Sampled):
            events.append(event)

    library.engine.events.subscribe(listen)
    return events


def test_the_first_documents_are_converted_twice_and_later_ones_are_not(plugins, profile, open_library, tmp_path):
    plugins()
    with open_library(profile(documents=3)) as library:
        sampled = heard(library)
        assert len(list(library.ingest_many(texts(tmp_path / "in", 9)))) == 9
        assert (sampled, library.context.index.comparisons.all()) == ([], ()), "the run itself converts nothing twice"
        assert library.routing.rules().waiting == 3
        assert (sample(library), sample(library)) == (3, 0)
        assert len(sampled) == 3, "no later document cost anything"
        stored = library.context.index.comparisons.all()
        assert [one.slot for one in stored] == [1, 2, 3]
        assert {(one.tool_a, one.tool_b, one.routing_type, one.diverges) for one in stored} == {
            ("first", "second", "plain_text", True)
        }
        assert stored[0].metrics["headings"] == {"a": 3, "b": 0, "difference": 1.0, "diverges": True}
        assert {one.engine_a for one in stored} == {"1.2"}
        assert len({one.document_id for one in stored}) == 3
        assert {one.run_id for one in stored} == {library.runs.get("last").id}
    with open_library(profile(documents=3)) as library:
        sampled = heard(library)
        list(library.ingest_many(texts(tmp_path / "in", 3, start=20)))
        assert (sample(library), sampled) == (0, []), "nor does one after the library was opened again"


def test_what_routing_chose_is_taken_whatever_the_second_plugin_says(plugins, profile, open_library, tmp_path):
    plugins()
    with open_library(profile()) as library:
        done = library.ingest(texts(tmp_path / "in", 1)[0])
        assert [attempt.plugin for attempt in done.result.attempts] == ["first"]
        assert [version.tool for version in done.document.versions] == ["first"]
        assert sample(library) == 1
        assert done.document.markdown.startswith("# Note 0")
        assert len(done.document.versions) == 1
        assert [one.slot for one in library.context.index.comparisons.all()] == [1]


def test_text_kept_apart_as_furniture_counts_as_text_yield(plugins, profile, open_library, tmp_path):
    """The second plugin does not separate pages, so none of its lines is found to be furniture."""
    headed = HEADED.format(head=RUNNING_HEAD)
    plugins(first=headed, second=headed.replace("return Conversion(", "return _whole(") + WHOLE_OF_PAGES)
    with open_library(profile(), furniture=FURNITURE_APART) as library:
        done = library.ingest(texts(tmp_path / "in", 1)[0])
        assert RUNNING_HEAD not in done.document.markdown
        sample(library)
        sampled = library.context.index.comparisons.all()[0].metrics["text_yield"]
        again = library.routing.compare(done.document.id, plugins=("first", "second"))
        assert again.stored == {"first": 1}
        again_yield = again.measured.metrics["text_yield"]
    assert (sampled["a"], sampled["b"]) == (again_yield.a, again_yield.b)
    assert sampled["a"] > 5 * len(RUNNING_HEAD)
    assert not sampled["diverges"]


def test_known_documents_are_not_counted_again(plugins, profile, open_library, tmp_path):
    plugins()
    (path,) = texts(tmp_path / "in", 1)
    with open_library(profile()) as library:
        library.ingest(path)
        library.ingest(path)
        sample(library)
        library.ingest(path)
        library.ingest(path, reingest=True)
        sample(library)
        assert len(library.context.index.comparisons.all()) == 1


def test_nobody_is_sampled_who_did_not_follow_the_rule(plugins, profile, open_library, tmp_path):
    """A plugin that was asked for by name says nothing of the rule; without a library there is nobody to tell."""
    plugins()
    one, other = texts(tmp_path / "in", 2)
    with open_library(profile()) as library:
        sampled = heard(library)
        library.ingest(one, plugin="second")
        octavo.convert(other, runtime=library.context.runtime)
        sample(library)
        assert (sampled, library.context.index.comparisons.all()) == ([], ())
    with open_library(profile(), sampling=False) as library:
        sampled = heard(library)
        library.ingest(other)
        sample(library)
        assert (sampled, library.context.index.comparisons.all()) == ([], ())


def test_where_nobody_else_reads_the_type_nothing_is_counted(make_plugin, profile, open_library, tmp_path):
    make_plugin("first", FIRST)
    rules = Path(profile())
    # The second one is a plugin that is not installed here.
    rules.write_text(rules.read_text().replace("second", "gliner"))
    with open_library(str(rules)) as library:
        library.ingest(texts(tmp_path / "in", 1)[0])
        assert library.routing.rules().waiting == 0
        assert library.context.index.comparisons.all() == ()


def test_a_second_plugin_that_fails_is_evidence_and_no_cause_for_review(plugins, profile, open_library, tmp_path):
    plugins(FAILING)
    with open_library(profile(documents=2)) as library:
        sampled = heard(library)
        assert {done.result.ingestion_status for done in library.ingest_many(texts(tmp_path / "in", 5))} == {"complete"}
        sample(library)
        assert [event.compared for event in sampled] == [False, False]
        stored = library.context.index.comparisons.all()
        assert [(one.slot, one.failure, one.metrics) for one in stored] == [
            (1, "source_corrupt: it has no heart", {}),
            (2, "source_corrupt: it has no heart", {}),
        ]
        assert library.routing.pending() == ()


def test_a_second_plugin_that_crashes_uses_its_places_up(plugins, profile, open_library, tmp_path):
    """Else sampling would never end, and each document of the library would pay for two dead workers."""
    plugins(CRASHING)
    with open_library(profile(documents=2)) as library:
        sampled = heard(library)
        assert {done.result.ingestion_status for done in library.ingest_many(texts(tmp_path / "in", 3))} == {"complete"}
        sample(library)
        assert len(sampled) == 2
        stored = library.context.index.comparisons.all()
        assert [(one.slot, str(one.failure).partition(":")[0]) for one in stored] == [
            (1, "converter_crashed"),
            (2, "converter_crashed"),
        ]


def test_a_death_while_memory_is_short_is_no_evidence(plugins, profile, open_library, tmp_path, monkeypatch):
    plugins(CRASHING)
    monkeypatch.setattr("octavo_library.ingestion.throttle.Throttle.is_memory_low", lambda self: True)
    with open_library(profile(documents=2)) as library:
        library.ingest(texts(tmp_path / "in", 1)[0])
        assert sample(library) == 0
        assert library.routing.rules().waiting == 1, "it is tried again later"


def test_a_cancelled_comparison_waits_again(plugins, profile, open_library, tmp_path):
    plugins(ENDLESS)
    cancel = threading.Event()
    with open_library(profile(documents=1)) as library:
        library.ingest(texts(tmp_path / "in", 1)[0])
        threading.Timer(0.5, cancel.set).start()
        assert list(library.routing.sample(cancel=cancel)) == []
        assert library.routing.rules().waiting == 1


def test_an_idle_library_makes_the_comparisons(plugins, profile, open_library, tmp_path, monkeypatch):
    monkeypatch.setattr(idle_sampling, "IDLE_SECONDS", 0.1)
    plugins()
    with open_library(profile(documents=1)) as library:
        list(library.ingest_many(texts(tmp_path / "in", 2)))
        wait_for(lambda: library.routing.rules().waiting == 0)
        assert [made.slot for made in library.context.index.comparisons.all()] == [1]


def test_a_library_that_closes_ends_the_comparison_in_work(plugins, profile, open_library, tmp_path, monkeypatch):
    monkeypatch.setattr(idle_sampling, "IDLE_SECONDS", 0.0)
    plugins(ENDLESS)
    with open_library(profile(documents=1)) as library:
        library.ingest(texts(tmp_path / "in", 1)[0])
        time.sleep(1.0)  # the worker of the second plugin sleeps by now, or is about to be asked
    assert "octavo-sampling" not in {thread.name for thread in threading.enumerate()}
    with open_library(profile(documents=1)) as library:
        assert library.routing.rules().waiting == 1


def test_an_ingestion_puts_the_comparisons_off(monkeypatch):
    """What is in work is cancelled, and begins anew when no ingestion runs any more."""
    monkeypatch.setattr(idle_sampling, "IDLE_SECONDS", 0.0)
    begun: queue.Queue[threading.Event] = queue.Queue()
    ended: queue.Queue[bool] = queue.Queue()

    def sample_all(stop: threading.Event) -> None:
        begun.put(stop)
        ended.put(stop.wait(60))

    idle = IdleSampling()
    with idle.paused(sample_all), idle.paused(sample_all):
        pass
    assert not begun.get(timeout=60).is_set()
    with idle.paused(sample_all):
        assert ended.get(timeout=60), "cancelled"
        with pytest.raises(queue.Empty):
            begun.get(timeout=0.2)
    begun.get(timeout=60)
    idle.close()
    assert ended.get(timeout=60)
    with idle.paused(sample_all):
        pass
    with pytest.raises(queue.Empty):
        begun.get(timeout=0.2)


@pytest.fixture
def locked(tmp_path):
    """An encrypted PDF."""
    pypdf = pytest.importorskip("pypdf", reason="pypdf makes the encrypted document")
    writer = pypdf.PdfWriter(clone_from=SAMPLES / "annual-report.pdf")
    writer.encrypt("open sesame", algorithm="RC4-128")
    path = tmp_path / "locked.pdf"
    with path.open("wb") as target:
        writer.write(target)
    return path


@pytest.fixture
def openers(make_plugin):
    """Three plugins that read PDFs; the second one takes no passwords."""
    for name, capabilities in (("first", '["passwords"]'), ("second", "[]"), ("third", '["passwords"]')):
        make_plugin(
            name,
            OPENING,
            media_types=["application/pdf"],
            priority={"first": 90}.get(name, 10),
            more=f"capabilities = {capabilities}",
        )


def pdf_profile(folder: Path, *pair: str) -> str:
    kinds = ("text_native_pdf", "scanned_pdf", "image_heavy_pdf", "table_heavy_filing")
    routes = "".join(f'{kind} = ["first"]\n' for kind in kinds)
    pairs = "".join(f"{kind} = {list(pair)}\n" for kind in kinds)
    path = folder / "pdfs.toml"
    path.write_text(f'name = "pdfs"\n[routes]\n{routes}[sampling]\ndocuments = 2\n[sampling.pairs]\n{pairs}')
    return str(path)


@pytest.mark.parametrize(("pair", "chosen"), [(("second", "third"), ["third"]), (("second",), [])])
@pytest.mark.parametrize("given", [True, False], ids=["by the caller", "by the settings"])
def test_a_locked_document_is_sampled_by_plugins_that_take_passwords(
    openers, locked, open_library, tmp_path, pair, chosen, given
):
    """Another one could only fail: it would use a place up and say nothing. A caller's password is not kept."""
    rules = pdf_profile(tmp_path, "first", *pair)
    with open_library(rules, **({} if given else {"password": "open sesame"})) as library:
        done = library.ingest(locked, **({"password": "open sesame"} if given else {}))
        assert done.result.ingestion_status in ("complete", "degraded_complete")
        sample(library)
        stored = library.context.index.comparisons.all()
        assert [(one.tool_b, one.failure) for one in stored] == [(tool, None) for tool in chosen if not given]
        assert library.routing.rules().waiting == 0


def test_a_comparison_opens_documents_with_the_password_of_the_settings(openers, locked, open_library, tmp_path):
    rules = pdf_profile(tmp_path, "first", "third")
    with open_library(rules, sampling=False, password="open sesame") as library:
        outside = compare(locked, plugins=("first", "third"), runtime=library.context.runtime)
        assert (outside.a.tool, outside.b.tool, outside.measured.agreement) == ("first", "third", 1.0)
        document = library.ingest(locked).document
        assert library.routing.compare(document.id, plugins=("first", "third")).measured.agreement == 1.0


def test_a_conversion_that_escalation_made_anyway_costs_nothing(plugins, profile, open_library, tmp_path):
    plugins(SAME, GARBLED)
    with open_library(profile(heavier=("second",))) as library:
        done = library.ingest(texts(tmp_path / "in", 1)[0])
        assert [version.tool for version in done.document.versions] == ["first", "second"]
        stored = library.context.index.comparisons.all()
        assert [(one.slot, one.seconds, one.diverges) for one in stored] == [(1, 0.0, False)]
        assert sample(library) == 0


def test_a_change_of_an_engines_version_draws_a_sample_again(plugins, profile, open_library, tmp_path):
    plugins()
    with open_library(profile(documents=1, drift=1.0)) as library:
        list(library.ingest_many(texts(tmp_path / "in", 2)))
        assert sample(library) == 1, "the versions are those that were compared"
    metadata = tmp_path / "site" / "octavo_second-1.2.dist-info" / "METADATA"
    metadata.write_text(metadata.read_text().replace("1.2", "1.3"))
    with open_library(profile(documents=1, drift=1.0)) as library:
        list(library.ingest_many(texts(tmp_path / "in", 2, start=5)))
        sample(library)
        stored = library.context.index.comparisons.all()
        assert [(one.occasion, one.slot, one.engine_b) for one in stored] == [
            ("first", 1, "1.2"),
            ("drift:first 1.2 second 1.3", None, "1.3"),
            ("drift:first 1.2 second 1.3", None, "1.3"),
        ]


def test_a_verdict_leads_later_routings_and_tells_its_owner_who_when_and_why(plugins, profile, open_library, tmp_path):
    plugins()
    one, other, third, fourth = texts(tmp_path / "in", 4)
    with open_library(profile(documents=1)) as library:
        library.ingest(one)
        sample(library)
        (rule,) = library.routing.pending()
        assert (rule.routing_type, len(rule.pending), rule.verdict) == ("plain_text", 1, None)

        decided = library.routing.decide("plain_text", prefer="second", by="jane", note="no marks wanted")
        assert (decided.pending, library.routing.pending()) == ((), ())
        assert [ranked.name for ranked in decided.plugins] == ["second", "first"]
        done = library.ingest(other)
        report = done.result.quality_report
        assert report.selected_tool == "second"
        today = decided.verdict.at[:10]
        assert report.selected_tool_reason == "the library's owner chose it in a review"
        assert {attempt.chosen_because for attempt in done.result.attempts} == {report.selected_tool_reason}
        with zipfile.ZipFile(io.BytesIO(done.document.archive())) as archive:
            assert json.loads(archive.read("tool.json"))["because"] == (
                f"jane chose it on {today} for plain_text in profile tested (verdict 1): no marks wanted"
            )
        assert library.document(str(one)).versions[0].tool == "first", "documents that are there stay as they are"

        undone = library.routing.undo("plain_text", by="bo")
        assert (undone.verdict, len(undone.pending)) == (None, 1)
        assert [(entry.action, entry.made_by) for entry in undone.history] == [("prefer", "jane"), ("undo", "bo")]
        assert library.ingest(third).result.quality_report.selected_tool == "first"

        library.routing.decide("plain_text", prefer=None, by="jane", note="right as it is")
        assert library.routing.pending() == ()
        assert library.ingest(fourth).result.quality_report.selected_tool == "first"


def test_no_corpus_is_told_who_decided_a_review(plugins, profile, open_library, tmp_path):
    """Verdicts are the library owner's (STO-5)."""
    plugins()
    with open_library(profile(documents=1)) as library:
        library.routing.decide("plain_text", prefer="second", by="jane", note="Acme merger papers")
        (path,) = texts(tmp_path / "in", 1)
        told = [library.ingest(path, corpus="open").result.to_json()]
        document = library.document(str(path), corpus="open")
        told += [document.result.to_json(), document.archive().decode("utf-8", "replace")]
        library.document(document.id).reconvert()
        told.append(library.document(document.id, corpus="open").archive().decode("utf-8", "replace"))
        assert [word for word in ("jane", "Acme", "verdict") for text in told if word in text] == []


def test_an_undo_brings_back_the_verdict_before_it(plugins, profile, open_library):
    plugins()
    with open_library(profile()) as library:
        library.routing.decide("plain_text", prefer="second", by="jane")
        library.routing.decide("plain_text", prefer="first", by="bo")
        assert library.routing.undo("plain_text").verdict.made_by == "jane"
        assert library.routing.undo("plain_text").verdict is None
        with pytest.raises(UsageError, match="rule plain_text of profile tested"):
            library.routing.undo("plain_text")


def test_a_comparison_after_a_verdict_asks_again(plugins, profile, open_library, tmp_path):
    plugins()
    one, other = texts(tmp_path / "in", 2)
    with open_library(profile(documents=2)) as library:
        library.ingest(one)
        sample(library)
        library.routing.decide("plain_text", prefer=None)
        assert library.routing.pending() == ()
        library.ingest(other)
        sample(library)
        (rule,) = library.routing.pending()
        assert [comparison.slot for comparison in rule.pending] == [2]


def test_a_verdict_for_a_plugin_that_is_gone_is_passed_over_and_said_so(
    plugins, profile, open_library, tmp_path, monkeypatch
):
    plugins()
    with open_library(profile()) as library:
        library.routing.decide("plain_text", prefer="second")
    monkeypatch.setenv("OCTAVO_BLOCK", "second")
    with open_library(profile()) as library:
        report = library.ingest(texts(tmp_path / "in", 1)[0]).result.quality_report
        assert report.selected_tool == "first"
        assert "passed over second" in report.selected_tool_reason


def test_a_wish_for_a_plugin_stands_over_a_verdict(plugins, profile, open_library, tmp_path):
    plugins()
    with open_library(profile()) as library:
        library.routing.decide("plain_text", prefer="second")
        assert (
            library.ingest(texts(tmp_path / "in", 1)[0], plugin="first").result.quality_report.selected_tool == "first"
        )


@pytest.mark.parametrize(
    ("rule", "prefer", "words"),
    [("html", "second", "has no rule for 'html'"), ("plain_text", "secnd", "no plugin named 'secnd'")],
)
def test_a_verdict_that_makes_no_sense_is_refused(plugins, profile, open_library, rule, prefer, words):
    plugins()
    with open_library(profile()) as library, pytest.raises(UsageError, match=words):
        library.routing.decide(rule, prefer=prefer)


@pytest.mark.parametrize(
    ("media_types", "kind"),
    [
        (["application/pdf"], "table_heavy_filing"),
        (["text/html", "application/pdf"], "scanned_pdf"),
        (["text/x-octavo-test"], "plain_text"),
        (["application/xhtml+xml"], "html"),
    ],
)
def test_a_verdict_is_for_plugins_that_read_documents_of_the_kind(
    make_plugin, open_library, tmp_path, media_types, kind
):
    make_plugin("reader", FIRST, media_types=media_types)
    make_plugin("stranger", FIRST, media_types=["image/png", "text/markdown"])
    rules = tmp_path / "one.toml"
    rules.write_text(f'[routes]\n{kind} = ["reader"]\n')
    with open_library(str(rules)) as library:
        assert library.routing.decide(kind, prefer="reader").verdict.tool == "reader"
        with pytest.raises(UsageError, match=f"'stranger' cannot read documents of type '{kind}'") as refused:
            library.routing.decide(kind, prefer="stranger")
        assert refused.value.remedy == "It reads image/png, text/markdown"
        assert library.routing.undo(kind).verdict is None, "nothing was written down"


def test_a_verdict_belongs_to_its_profile(plugins, profile, open_library, tmp_path):
    """A file that carries the name of a profile is not that profile."""
    plugins()
    rules = profile()
    twin = tmp_path / "twin.toml"
    twin.write_text(Path(rules).read_text())
    with open_library(rules) as library:
        library.routing.decide("plain_text", prefer="second")
        assert (
            library.ingest(texts(tmp_path / "in", 1)[0], profile=str(twin)).result.quality_report.selected_tool
            == "first"
        )


def test_a_purge_frees_no_place(plugins, profile, open_library, tmp_path):
    plugins()
    one, other = texts(tmp_path / "in", 2)
    with open_library(profile(documents=1)) as library:
        document = library.ingest(one).document
        sample(library)
        library.maintenance.purge(document, confirm=document.id)
        library.ingest(other)
        assert sample(library) == 0
        (comparison,) = library.context.index.comparisons.all()
        assert (comparison.slot, comparison.document_id) == (1, None)


def test_a_purged_document_waits_no_longer(plugins, profile, open_library, tmp_path):
    plugins()
    with open_library(profile(documents=1)) as library:
        document = library.ingest(texts(tmp_path / "in", 1)[0]).document
        library.maintenance.purge(document, confirm=document.id)
        assert (library.routing.rules().waiting, sample(library)) == (0, 0)


INGEST = """\
import sys
from octavo_library import Library
from octavo.settings import Settings
if __name__ == "__main__":
    with Library.open(sys.argv[1], settings=Settings(profile=sys.argv[2], workers=2)) as library:
        print("open", flush=True)
        sys.stdin.readline()
        print(len(list(library.ingest_many(sys.argv[3:]))))
"""


def test_two_processes_that_fill_the_places_at_once_count_each_document_once(plugins, profile, open_library, tmp_path):
    plugins()
    rules = profile(documents=5)
    script = tmp_path / "ingest.py"
    script.write_text(INGEST)
    paths = texts(tmp_path / "in", 16)
    hosts = [
        subprocess.Popen(
            [sys.executable, str(script), str(tmp_path / "library"), rules, *map(str, part)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ,
        )
        for part in (paths[:8], paths[8:])
    ]
    for host in hosts:
        assert host.stdout is not None
        assert host.stdout.readline() == "open\n"
    ended = [host.communicate("go\n", timeout=120)[0] for host in hosts]
    assert ended == ["8\n", "8\n"]
    with open_library(rules) as library:
        sample(library)
        stored = library.context.index.comparisons.all()
        assert sorted(one.slot for one in stored if one.slot is not None) == [1, 2, 3, 4, 5]
        assert len({one.document_id for one in stored}) == len(stored)
        assert library.routing.rules().counted == 5
