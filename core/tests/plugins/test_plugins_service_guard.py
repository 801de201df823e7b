"""Services behind their guard: a deadline, errors with the plugin's name, answers that fit the contract."""

from __future__ import annotations

import asyncio
import importlib
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from octavo.plugins import Catalogue
from octavo.plugins.services import ServiceInfo, Services, load_services
from octavo.runtime import Runtime
from octavo.settings.settings import Settings
from octavo_contracts import (
    ContractViolation,
    ConversionTimeout,
    ConverterCrashed,
    HardFailReason,
    OctavoError,
    StorageError,
    ToolUnavailable,
)
from octavo_sandbox import Cancelled, SandboxLimits

MANIFEST = """
[plugin]
name = "{name}"
contract = "1.0"
description = "A service of the tests."
[plugin.engine]
licence = "MIT"
{more}
[plugin.services]
{kind} = "octavo_{name}_of_tests.made:make"
"""
SCORER = "class S:\n    name = 'reversed/v1'\n    def score(self, query, chunks):\n        {body}\ndef make():\n    return S()\n"
EMBEDDER = (
    "class E:\n    model_id = 'known/1'\n    def embed(self, texts):\n        {body}\ndef make():\n    return E()\n"
)
INDEX = (
    "from octavo_contracts import VectorHit as Hit\nclass I:\n    def add(self, items): pass\n"
    "    def remove(self, ids): pass\n    def search(self, vector, *, limit=10, among=None):\n        {body}\n"
    "def make(settings):\n    return I()\n"
)
DIGESTOR = (
    "from octavo_contracts import DigestOutcome\nclass D:\n    async def digest_text(self, text, query, *, source_id):\n"
    "        {body}\ndef make(settings):\n    return D()\n"
)
SUMMARISER = (
    "from octavo_contracts import Span, Summary\nclass S:\n    def summarise(self, text, *, query=None, max_chars=2000):\n"
    "        {body}\ndef make():\n    return S()\n"
)
CRAWLER = (
    "from octavo_contracts import CrawledPage\nclass C:\n"
    "    def crawl(self, url, *, base_url, fetcher, key=None, timeout=60.0):\n        {body}\ndef make():\n    return C()\n"
)

Make = Callable[..., ServiceInfo]


@pytest.fixture
def offer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Make]:
    """Makes a package that offers a service, and finds it by its manifest."""
    monkeypatch.syspath_prepend(tmp_path)

    def add(code: str, *, kind: str = "scorer", name: str = "mine", more: str = "") -> ServiceInfo:
        package = tmp_path / f"octavo_{name}_of_tests"
        package.mkdir()
        (package / "__init__.py").touch()
        (package / "made.py").write_text(code, encoding="utf-8")
        text = MANIFEST.format(name=name, kind=kind, more=more)
        (package / "octavo-plugin.toml").write_text(text, encoding="utf-8")
        importlib.invalidate_caches()
        point = metadata.EntryPoint(name, f"octavo_{name}_of_tests.made", "octavo.features")
        found = load_services(features=[point], engines=Catalogue(())).find(kind)
        assert found is not None
        return found

    yield add
    for module in [module for module in sys.modules if module.partition(".")[0].endswith("_of_tests")]:
        del sys.modules[module]


def of_vectors(service: Any) -> object:
    return service.embed(["a", "b"])


def of_scores(service: Any) -> object:
    return service.score("tide", ["high tide", "low tide"])


def of_hits(service: Any) -> object:
    return service.search([1.0, 0.0], limit=2, among=["1", "2"])


def of_digest(service: Any) -> object:
    return asyncio.run(service.digest_text("High water is at noon.", "tide", source_id="one"))


def of_summary(service: Any) -> object:
    return service.summarise("High water is at noon.", max_chars=20)


def of_page(service: Any) -> object:
    return service.crawl("https://example.org/", base_url="http://127.0.0.1:1", fetcher=None)


KINDS = {
    "scorer": (SCORER, of_scores),
    "embedder": (EMBEDDER, of_vectors),
    "vector_index": (INDEX, of_hits),
    "digestor": (DIGESTOR, of_digest),
    "summariser": (SUMMARISER, of_summary),
    "crawler": (CRAWLER, of_page),
}


def made(offer: Make, kind: str, body: str) -> tuple[Any, Callable[[Any], object]]:
    code, ask = KINDS[kind]
    return offer(code.format(body=body), kind=kind).make({} if kind in ("digestor", "vector_index") else None), ask


@pytest.mark.parametrize(
    ("kind", "answer"),
    [
        ("scorer", "None"),
        ("scorer", "['high', 'low']"),
        ("scorer", "[0.5]"),
        ("scorer", "[0.5, float('nan')]"),
        ("scorer", "[0.5, 1e9]"),
        ("scorer", "[0.5, -5]"),
        ("embedder", "None"),
        ("embedder", "[[1.0, 0.0]]"),
        ("embedder", "[[1.0, 0.0], [1.0]]"),
        ("embedder", "[[1.0, 0.0], [float('nan'), 0.0]]"),
        ("embedder", "[[1.0, 0.0], [9.0, 0.0]]"),
        ("embedder", "[[], []]"),
        ("vector_index", "None"),
        ("vector_index", "[('1', 0.5)]"),
        ("vector_index", "[Hit(embedding_id='1', score=float('nan'))]"),
        ("vector_index", "[Hit(embedding_id='1', score=0.1), Hit(embedding_id='2', score=0.9)]"),
        ("vector_index", "[Hit(embedding_id='1', score=0.5)] * 2"),
        ("vector_index", "[Hit(embedding_id=str(n), score=0.5) for n in range(3)]"),
        ("digestor", "None"),
        ("digestor", "DigestOutcome(payload=None, status='banana')"),
        ("digestor", "DigestOutcome(payload=None, status='digested')"),
        ("digestor", "DigestOutcome(payload={'summary': 'x'}, status='digested')"),
        ("summariser", "'a summary'"),
        ("summariser", "Summary(text='x' * 21)"),
        ("summariser", "Summary(text=7)"),
        ("summariser", "Summary(text='noon', spans=(Span(start=0, end=900),))"),
        ("crawler", "None"),
        ("crawler", "CrawledPage(url='u', status=200, body='text')"),
        ("crawler", "CrawledPage(url=None, status=200, body=b'')"),
        ("crawler", "CrawledPage(url='u', status=0, body=b'')"),
    ],
)
def test_an_answer_that_the_contract_does_not_allow_is_refused(offer: Make, kind: str, answer: str) -> None:
    service, ask = made(offer, kind, f"return {answer}")

    with pytest.raises(ContractViolation) as caught:
        ask(service)
    assert (caught.value.plugin, caught.value.reason) == ("mine", HardFailReason.DOC25_CONTRACT_VIOLATION)


@pytest.mark.parametrize(
    ("kind", "answer"),
    [
        ("scorer", "[0, 1.0]"),
        ("embedder", "[[1.0, 0.0], [0.6, 0.8]]"),
        ("vector_index", "[Hit(embedding_id='2', score=0.9)]"),
        ("digestor", "DigestOutcome(payload=None, status='skipped', reason='no_gain')"),
        ("summariser", "Summary(text='noon', spans=(Span(start=0, end=4),))"),
        ("crawler", "CrawledPage(url='u', status=404, body=b'')"),
    ],
)
def test_an_answer_that_fits_the_contract_is_returned(offer: Make, kind: str, answer: str) -> None:
    service, ask = made(offer, kind, f"return {answer}")

    assert ask(service) is not None


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("body", "error"),
    [
        ("raise RuntimeError('boom')", ConverterCrashed),
        ("raise SystemExit(3)", ConverterCrashed),
        ("raise KeyboardInterrupt", ConverterCrashed),
        ("__import__('sys').exit()", ConverterCrashed),
        ("raise __import__('octavo_contracts').UsageError('no')", ContractViolation),
        ("raise __import__('octavo_contracts').StorageError('the disk is full')", StorageError),
    ],
)
def test_an_exception_of_a_service_is_its_plugins_failure(offer: Make, kind: str, body: str, error: type) -> None:
    """A digestor's `KeyboardInterrupt` alone is not told from the user's: it runs in the thread of its caller."""
    if kind == "digestor" and "KeyboardInterrupt" in body:
        pytest.skip("a digestor runs in the thread of its caller")
    service, ask = made(offer, kind, body)

    with pytest.raises(error) as caught:
        ask(service)
    assert caught.value.plugin == "mine"


def test_words_of_the_document_are_not_in_the_message(offer: Make) -> None:
    service, _ = made(offer, "summariser", "raise RuntimeError(text)")

    with pytest.raises(ConverterCrashed) as caught:
        service.summarise("the harbour master sleeps")
    assert "harbour" not in str(caught.value)


def test_a_caller_who_cancels_is_told_so(offer: Make) -> None:
    service, ask = made(offer, "scorer", "raise __import__('octavo_sandbox').Cancelled('closed')")

    with pytest.raises(Cancelled):
        ask(service)


@pytest.mark.parametrize("kind", ["scorer", "embedder", "summariser"])
def test_a_call_ends_at_the_deadline_of_the_host(offer: Make, kind: str) -> None:
    code, ask = KINDS[kind]
    info = offer(code.format(body="__import__('threading').Event().wait()"), kind=kind)
    service = replace(info, seconds=0.2).make()

    with pytest.raises(ConversionTimeout) as caught:
        ask(service)
    assert caught.value.plugin == "mine"
    with pytest.raises(ToolUnavailable, match="has not ended an earlier call"):
        ask(service)


def test_a_digestor_that_waits_ends_at_the_deadline(offer: Make) -> None:
    info = offer(DIGESTOR.format(body="await __import__('asyncio').sleep(60)"), kind="digestor")

    with pytest.raises(ConversionTimeout) as caught:
        of_digest(replace(info, seconds=0.2).make({}))
    assert caught.value.plugin == "mine"


def test_a_cancelled_task_is_no_failure_of_the_plugin(offer: Make) -> None:
    service, _ = made(offer, "digestor", "await __import__('asyncio').sleep(60)")

    async def cancel() -> None:
        task = asyncio.create_task(service.digest_text("text", "query", source_id="one"))
        await asyncio.sleep(0)
        task.cancel()
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(cancel())


def test_the_manifest_may_have_a_shorter_deadline(offer: Make) -> None:
    more = "[plugin.limits]\ntimeout_seconds = 0.2"
    info = offer(SCORER.format(body="__import__('threading').Event().wait()"), more=more)

    with pytest.raises(ConversionTimeout, match=r"0\.2 s"):
        of_scores(info.make())


@pytest.mark.parametrize("code", ["raise SystemExit", "def make():\n    raise SystemExit"])
def test_a_factory_that_exits_is_unavailable(offer: Make, code: str) -> None:
    with pytest.raises(ToolUnavailable) as caught:
        offer(code).make()
    assert caught.value.plugin == "mine"


def test_a_factory_that_hangs_ends_at_the_deadline(offer: Make) -> None:
    info = offer("import threading\ndef make():\n    threading.Event().wait()")

    with pytest.raises(ConversionTimeout):
        replace(info, seconds=0.2).make()


@pytest.mark.parametrize("kind", ["vector_index", "digestor"])
def test_a_factory_without_the_settings_that_its_kind_needs_is_the_plugins_failure(offer: Make, kind: str) -> None:
    code = KINDS[kind][0].format(body="return None").replace("make(settings)", "make()")

    with pytest.raises(ContractViolation) as caught:
        offer(code, kind=kind).make({"folder": "x", "model": "m"})
    assert caught.value.plugin == "mine"


def test_a_factory_gets_the_other_services_of_the_host(offer: Make) -> None:
    code = SCORER.format(body="return [len(OTHERS.offered) / 2] * len(chunks)")
    code = code.replace("def make():", "def make(services):\n    global OTHERS\n    OTHERS = services")
    info = offer(code)

    assert of_scores(info.make()) == [0.0, 0.0]
    assert of_scores(info.make(services=Services((info,)))) == [0.5, 0.5]


def test_the_runtime_has_the_services_with_its_own_limit() -> None:
    with Runtime(Settings(limits=SandboxLimits(wall_seconds=7.0))) as runtime:
        assert {service.seconds for service in runtime.services.offered} <= {7.0}
        assert runtime.services is runtime.services


def test_every_error_of_the_guard_is_one_of_octavos(offer: Make) -> None:
    service, ask = made(offer, "scorer", "raise RecursionError")

    with pytest.raises(OctavoError):
        ask(service)
