"""Screens about rules, models and research: routing review, context preview, usage, retention, reports."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from octavo import Settings
from octavo_context import ContextManager
from octavo_contracts import resolve_locator
from octavo_dashboard import Access, DashboardOptions
from octavo_dashboard.screens.research import cited_place
from octavo_library import Library
from octavo_research import Research
from octavo_retrieval import tools
from starlette.testclient import TestClient
from web_clients import BROWSER, SAMPLES, csrf_of, open_client

SAME = {"sec-fetch-site": "same-origin", "accept": "text/html"}
TOKEN = "t" * 40


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    folder = tmp_path_factory.mktemp("review")
    with Library.open(folder / "library", settings=Settings(sampling=True, workers=1)) as opened:
        names = ("annual-report.pdf", "field-notes.md", "storm-warning.eml")
        for _ in opened.ingest_many([SAMPLES / name for name in names], corpus="harbour"):
            pass
        yield opened


@pytest.fixture
def program(own: Library) -> Iterator[TestClient]:
    with open_client(own) as client:
        yield client


@pytest.fixture
def scoped(own: Library) -> Iterator[TestClient]:
    """A client that sees another corpus alone."""
    if "empty" not in {one.name for one in own.corpora.list()}:
        own.corpora.create("empty")
    options = DashboardOptions(access=Access.of_tokens([(TOKEN, "empty")]))
    with open_client(own, options, authorization=f"Bearer {TOKEN}") as client:
        yield client


def report_of(library: Library) -> Any:
    return next(one for one in library.documents() if one.media_type == "application/pdf")


def test_rules_show_two_conversions_side_by_side_and_take_a_decision(program: TestClient, own: Library) -> None:
    """CNV-4."""
    waiting = own.routing.rules().waiting
    assert program.get("/routing.json").json()["waiting"] == waiting
    assert len(list(own.routing.sample())) == waiting
    rules = {one["routing_type"]: one for one in program.get("/routing.json").json()["rules"]}
    compared = next((one for one in rules.values() if one["comparisons"]), None)
    if compared is None:
        pytest.skip("only one plugin is installed for each format, so that nothing is sampled")
    view = program.get(f"{compared['url']}.json").json()
    assert view["side"] is None
    one = next(each for each in view["listed"] if each["failure"] is None)
    assert {metric["name"] for metric in one["metrics"]} == {"text_yield", "tables", "headings", "page_anchors"}
    side = program.get(f"{compared['url']}.json?comparison={one['number']}").json()["side"]
    assert (side["problem"], side["tool_a"], side["tool_b"]) == (None, one["tool_a"], one["tool_b"])
    assert side["rows"]
    answer = program.post(
        compared["url"], data={"action": "prefer", "tool": one["tool_b"], "note": "tables", "by": "anna"}
    )
    assert answer.json() == {"routing_type": compared["routing_type"], "action": "prefer", "tool": one["tool_b"]}
    rule = next(each for each in own.routing.rules().rules if each.routing_type == compared["routing_type"])
    assert rule.verdict is not None
    assert (rule.verdict.tool, rule.verdict.note, rule.verdict.made_by) == (one["tool_b"], "tables", "anna")
    assert program.post(compared["url"], data={"action": "undo"}).status_code == 200
    for bad in ({"action": "prefer"}, {"action": "burn"}, {"action": "prefer", "tool": "gliner"}):
        assert program.post(compared["url"], data=bad).status_code == 400
    with open_client(own, **BROWSER) as user:
        page = user.get(compared["url"]).text
        assert user.post(compared["url"], data={"action": "keep"}, headers=SAME).status_code == 403
        assert (
            user.post(compared["url"], data={"action": "keep", "csrf": csrf_of(page)}, headers=SAME).status_code == 303
        )
    assert program.get("/routing/nothing.json").status_code == 404
    assert program.get(f"{compared['url']}.json?comparison=999999").status_code == 404


def test_the_preview_is_what_the_manager_prepares(program: TestClient, own: Library) -> None:
    """UI-4: tier, tokens, cost and override; UI-8: a price that is unknown is not made up."""
    document = report_of(own)
    url = f"/documents/{document.id}/context.json"
    view = program.get(f"{url}?model=claude-sonnet-4-5&message=What+does+page+2+say").json()
    block = ContextManager(own).prepare_document_context(
        document, "octavo-web-preview", "claude-sonnet-4-5", "What does page 2 say"
    )
    assert (view["tier"], view["tokens"], view["cost"]) == (block.tier, block.token_estimate, block.estimated_cost)
    assert (view["is_automatic"], view["problem"]) == (True, None)
    text = program.get(f"{url}?tier=2").json()
    assert (text["tier"], text["is_automatic"]) == (2, False)
    assert text["badge"] == f"Text extracted ({len(document.pages)} pages)"
    unknown = program.get(f"{url}?model=unknown-model-1").json()
    assert (unknown["cost"], unknown["tokens"] > 0) == (None, True)
    with open_client(own, **BROWSER) as user:
        assert "price unknown" in user.get(f"/documents/{document.id}/context?model=unknown-model-1").text
    assert program.get(f"{url}?budget=1").json()["problem"]
    assert own.context.index.conversations.of_conversation("octavo-web-preview") == ()


def test_a_conversation_shows_its_cache_and_its_use_counts(program: TestClient, own: Library) -> None:
    """UI-6: tokens, savings and the costliest documents; UI-8: the badge of a warm cache."""
    document, manager = report_of(own), ContextManager(own)
    for _ in range(2):
        block = manager.prepare_document_context(document, "chat-1", "claude-sonnet-4-5", "What happened?")
        manager.record_document_send(
            document, "chat-1", block.tier, block.token_estimate, block.prompt_cached, block=block
        )
    url = f"/documents/{document.id}/context.json?conversation=chat-1"
    assert program.get(url).json()["badge"] in ("Using cached version", "Full document", "Text extracted (3 pages)")
    switched = program.get(f"{url}&model=claude-opus-4-5").json()
    assert switched["cache"] != "read"
    state = manager.get_document_state(document, "chat-1")
    assert state is not None
    usage = program.get("/usage.json").json()
    assert (usage["tokens"], usage["saved"]) == (state.total_tokens_sent, state.total_tokens_saved)
    (costliest,) = usage["costliest"]
    assert (costliest["url"], costliest["tokens"]) == (f"/documents/{document.id}", state.total_tokens_sent)
    assert costliest["cost"] == pytest.approx(state.total_tokens_sent * 3e-6)
    assert program.get("/usage.json?days=0").status_code == 400


def test_metrics_count_what_models_were_sent_and_which_tools_were_called(program: TestClient, own: Library) -> None:
    """MET-1."""
    document, manager = report_of(own), ContextManager(own)
    block = manager.prepare_document_context(document, "chat-2", "claude-sonnet-4-5", "What happened?")
    manager.record_document_send(document, "chat-2", block.tier, block.token_estimate, block.prompt_cached, block=block)
    tools(own).call("retrieve_document_pages", {"document_id": document.id, "pages": [1]})
    text = program.get("/metrics").text
    assert f'octavo_context_tokens_total{{cache="{block.cache}",tier="{block.tier}"}} {block.token_estimate}' in text
    assert f'octavo_context_cost_total{{cache="{block.cache}",tier="{block.tier}"}}' in text
    assert 'octavo_retrieval_duration_seconds_count{outcome="ok",tool="retrieve_document_pages"} 1' in text


def test_a_corpus_sees_neither_the_usage_nor_the_rules_of_others(scoped: TestClient, own: Library) -> None:
    """STO-5."""
    assert scoped.get("/usage.json").json()["conversations"] == 0
    for path in ("/routing.json", "/retention.json"):
        assert scoped.get(path).status_code == 403
    for path in ("/routing/html", "/retention", "/corpora/retention"):
        assert scoped.post(path, data={"action": "keep"}).status_code == 403
    assert scoped.get("/research.json").json()["runs"] == []
    assert scoped.get(f"/documents/{report_of(own).id}/context.json").status_code == 404
    view = scoped.get("/corpora.json").json()
    assert (view["library"], [one["original_bytes"] for one in view["corpora"]]) == (None, [0])


def test_a_report_leads_to_the_marked_quotation(program: TestClient, own: Library) -> None:
    """RES-6: each citation opens the page with the quotation highlighted, in the version that it cites."""
    research = Research(own)
    run = research.run(research.start("How high was the surge in November?").research_id)
    listed = program.get("/research.json").json()["runs"]
    assert [(one["id"], one["state"]) for one in listed] == [(run.research_id, "completed")]
    view = program.get(f"/research/{run.research_id}.json").json()
    cited = [one for section in view["sections"] for claim in section["claims"] for one in claim["citations"]]
    assert cited
    for one in cited:
        address = one["url"].partition("#")[0].replace("?", ".json?")
        page = program.get(address).json()
        text = own.document(page["document_id"], version=one["version"]).canonical_text
        assert page["marked"] == one["quote"] == resolve_locator(text, one["locator"])
    with open_client(own, **BROWSER) as user:
        assert f'href="{cited[0]["url"].replace("&", "&amp;")}"' in user.get(f"/research/{run.research_id}").text
    assert program.get("/research/00000000-0000.json").status_code == 404


def test_a_report_shows_sources_that_differ_side_by_side(program: TestClient, own: Library) -> None:
    """RES-6."""
    for name, days in (("contract", 90), ("minutes", 60)):
        own.ingest(
            f"# The {name}\n\nThe notice period of the Quillfeather ferry is {days} days.\n".encode(), name=f"{name}.md"
        )
    research = Research(own)
    run = research.run(research.start("What is the notice period of the Quillfeather ferry?").research_id)
    view = program.get(f"/research/{run.research_id}.json").json()
    (claim,) = [one for section in view["sections"] for one in section["claims"] if one["sources_differ"]]
    assert len(claim["citations"]) == 2
    with open_client(own, **BROWSER) as user:
        assert "Sources differ:" in user.get(f"/research/{run.research_id}").text


def test_a_locator_without_pages_leads_to_the_first_page() -> None:
    assert cited_place("d", 2, "char:4-9") == "/documents/d/pages/1?version=2&char=4-9#marked"
    assert cited_place("d", 2, "elsewhere") == "/documents/d"


def test_storage_and_retention_are_shown_set_and_applied(program: TestClient, own: Library) -> None:
    """UI-5, ENG-29: sizes first, and exactly what was shown is removed."""
    document = own.ingest(b"# Retained\n\nOnce.\n", name="retained.md", corpus="short").document
    document.reconvert()
    view = program.get("/corpora.json").json()
    corpus = next(one for one in view["corpora"] if one["name"] == "short")
    assert (corpus["original_bytes"], corpus["versions"]) == (len(b"# Retained\n\nOnce.\n"), 1)
    assert view["library"]["versions"] >= 2
    assert program.post("/corpora/retention", data={"corpus": "short", "retention": "soon"}).status_code == 400
    answer = program.post("/corpora/retention", data={"corpus": "short", "retention": "active_only"})
    assert answer.json() == {"corpus": "short", "retention": "active_only"}
    assert own.corpora.get("short").settings == replace(own.corpora.get("short").settings, retention="active_only")
    shown = program.get("/retention.json").json()
    assert [(one["document_id"], one["version"]) for one in shown["versions"]] == [(document.id, 1)]
    assert program.post("/retention", data={"confirm": "0" * 32}).status_code == 400
    done = program.post("/retention", data={"confirm": shown["confirm"]}).json()
    assert (done["versions"], done["bytes"]) == (1, shown["bytes"])
    assert program.get("/retention.json").json()["version_count"] == 0
