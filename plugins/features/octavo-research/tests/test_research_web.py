"""Search providers over HTTP: real servers on loopback answer; pages go into the library like any document (RES-5)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from octavo import Settings
from octavo.settings.web import WebSettings
from octavo_conformance.loopback import Asked, Reply, serving
from octavo_contracts import AuthUnavailable, PolicyRefused, SearchHit, ToolUnavailable, UsageError
from octavo_library import Library
from octavo_library.facade.corpora import CorpusSettings
from octavo_research import Research, ResearchOptions, replay
from octavo_research.search_adapters import ADAPTERS
from octavo_research.web_gathering import web_of
from octavo_research.web_search import ConfiguredProvider, WebSearch, fused, normalised_url
from octavo_retrieval import Scope
from octavo_sandbox.egress import own_fetcher, parse_target

QUESTION = "When was the zeppelin mast of Brannoch raised?"
FACT = "The zeppelin mast of Brannoch was raised in the spring of 1911 by forty men with ropes."


class Site:
    """A web site with a search service. It counts the requests of each path."""

    def __init__(self) -> None:
        self.url = ""
        self.asked: list[Asked] = []
        self.answers: dict[str, Callable[[Asked], Reply]] = {}

    def __call__(self, asked: Asked) -> Reply:
        self.asked.append(asked)
        path = urlsplit(asked.path).path
        return self.answers.get(path, lambda _: Reply(status=404))(asked)

    def count(self, path: str) -> int:
        return sum(urlsplit(one.path).path == path for one in self.asked)


@pytest.fixture
def site() -> Iterator[Site]:
    made = Site()
    with serving(made) as port:
        made.url = f"http://127.0.0.1:{port}"
        made.answers["/mast.html"] = lambda _: html(f"<h1>The mast</h1><p>{FACT} It stood until the war.</p>")
        made.answers["/gulls.html"] = lambda _: html("<h1>Gulls</h1><p>Gulls nest on the roof of the school.</p>")
        made.answers["/search"] = lambda _: results([f"{made.url}/mast.html", f"{made.url}/gone.html"])
        made.answers["/sitemap.xml"] = lambda _: sitemap([f"{made.url}/gulls.html", f"{made.url}/mast.html"])
        yield made


@pytest.fixture
def online(site: Site, tmp_path: Path) -> Iterator[Library]:
    """A library whose settings let it fetch from the site."""
    host = site.url.removeprefix("http://")
    web = WebSettings(enabled=True, allow=("127.0.0.1",), private=(host,), robots=False, delay_seconds=0)
    with Library.open(tmp_path / "online", settings=Settings(workers=1, sampling=False, web=web)) as opened:
        yield opened


def html(body: str) -> Reply:
    page = f"<html><head><title>Page</title></head><body><article>{body}</article></body></html>"
    return Reply(body=page.encode(), headers={"Content-Type": "text/html; charset=utf-8"})


def results(urls: list[str], **more: Any) -> Reply:
    found = {"results": [{"url": url, "title": "T", "content": "c"} for url in urls], **more}
    return Reply(body=json.dumps(found).encode(), headers={"Content-Type": "application/json"})


def sitemap(urls: list[str]) -> Reply:
    listed = "".join(f"<url><loc>{url}</loc></url>" for url in urls)
    body = f'<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{listed}</urlset>'
    return Reply(body=body.encode(), headers={"Content-Type": "application/xml"})


def provider(site: Site, name: str, *, path: str = "", key: str | None = None) -> ConfiguredProvider:
    url = site.url + path
    target = parse_target(url, ports={int(site.url.rpartition(":")[2])})
    return ConfiguredProvider(name=name, adapter=ADAPTERS[name], base_url=url, fetcher=own_fetcher(target), key=key)


def search(*providers: ConfiguredProvider, waits: list[float] | None = None) -> WebSearch:
    waited: list[float] = waits if waits is not None else []
    return WebSearch(providers, interval=0.5, clock=lambda: sum(waited), sleep=waited.append)


@pytest.mark.parametrize("name", ["searxng", "urls"])
def test_a_run_cites_a_page_that_a_provider_found(site: Site, online: Library, tmp_path: Path, name: str) -> None:
    url = site.url + ("/sitemap.xml" if name == "urls" else "")
    research = Research(online)
    record = tmp_path / "run.jsonl"
    options = ResearchOptions(
        providers=("corpus", name), provider_urls=(f"{name}={url}",), max_rounds=1, record=str(record)
    )
    run = research.start(QUESTION, options=options).research_id
    research.run(run)
    report = research.report(run)
    assert any("1911" in one.quote for one in report.citations())
    assert research.verify(run).status == "verified"
    assert ("page_not_fetched" in {one.reason for one in report.failures}) is (name == "searxng"), "one page is gone"
    asked = len(site.asked)
    assert replay(record).is_identical is True
    assert len(site.asked) == asked, "a replay asks no server"


def test_a_page_is_fetched_by_the_url_that_the_provider_gave(site: Site, online: Library) -> None:
    """RES-5: the normalised URL is a key alone. This server knows the page with the slash at its end, and no other spelling."""
    site.answers["/mast/"] = site.answers.pop("/mast.html")
    site.answers["/search"] = lambda _: results([f"{site.url}/mast/?b=2&a=1"])
    options = ResearchOptions(providers=("searxng",), provider_urls=(f"searxng={site.url}",))
    web = web_of(Scope(online), options)
    assert web is not None
    gathered = web.gather("mast")
    assert gathered.failures == ()
    assert len(gathered.documents) == 1
    assert site.count("/mast") == 0
    assert [one.path for one in site.asked if one.path.startswith("/mast")] == ["/mast/?b=2&a=1"]


def test_without_the_corpus_only_fetched_pages_are_searched(site: Site, online: Library) -> None:
    online.ingest(f"# Copy\n\nAnother text: {FACT}\n".encode(), name="copy.md")
    research = Research(online)
    options = ResearchOptions(providers=("searxng",), provider_urls=(f"searxng={site.url}",), max_rounds=1)
    run = research.start(QUESTION, options=options).research_id
    research.run(run)
    assert {one.title for one in research.report(run).citations()} <= {"Page", "The mast"}
    assert research.report(run).citations()


@pytest.mark.parametrize(
    ("answer", "requests"),
    [
        (lambda _: Reply(status=429, headers={"Retry-After": "999999"}), 3),
        (lambda _: Reply(status=503), 3),
        (lambda _: Reply(status=400), 1),
        (lambda _: html("<p>no JSON</p>"), 1),
        (lambda _: Reply(body=b'{"results": 7}'), 1),
        (lambda _: Reply(body=b"[" * 100_000), 1),
        (lambda _: Reply(body=b"x" * 5_000_000), 1),
        (lambda _: Reply(status=401), 1),
    ],
)
def test_a_provider_that_fails_is_said_and_costs_no_other_provider(
    site: Site, answer: Callable[[Asked], Reply], requests: int
) -> None:
    site.answers["/search"] = answer
    waits: list[float] = []
    found = search(provider(site, "searxng"), provider(site, "urls", path="/sitemap.xml"), waits=waits).search("mast")
    assert set(found.failures) == {"searxng"}
    assert site.count("/search") == found.requests["searxng"] == requests
    assert [hit.url for hit in found.hits] == [f"{site.url}/mast.html"]
    assert all(wait <= 10 for wait in waits)


def test_a_busy_provider_is_asked_again_after_the_time_that_it_names(site: Site) -> None:
    replies = [Reply(status=429, headers={"Retry-After": "7"}), results([f"{site.url}/mast.html"])]
    site.answers["/search"] = lambda _: replies.pop(0)
    waits: list[float] = []
    found = search(provider(site, "searxng"), waits=waits).search("mast")
    assert [hit.url for hit in found.hits] == [f"{site.url}/mast.html"]
    assert not found.failures
    assert 7.0 in waits


def test_equal_queries_are_answered_from_the_cache_and_others_wait_for_their_turn(site: Site) -> None:
    waits: list[float] = []
    asking = search(provider(site, "searxng"), waits=waits)
    first = asking.search("the mast")
    assert asking.search(" The  MAST ").hits == first.hits
    assert site.count("/search") == 1
    assert waits == []
    asking.search("the gulls")
    assert waits == [0.5]


def test_results_of_providers_are_deduplicated_by_normalised_url_and_fused_by_rank() -> None:
    def hits(*urls: str) -> list[SearchHit]:
        return [SearchHit(url=url, title=url, snippet="") for url in urls]

    found = fused(
        {
            "a": hits("http://x.example/1", "http://x.example/2", "javascript:alert(1)", "http://X.example/1#top"),
            "b": hits("HTTP://x.example:80/2/?utm_source=b", "http://x.example/3"),
        }
    )
    best_spelling = "HTTP://x.example:80/2/?utm_source=b"
    assert [one.url for one in found] == [best_spelling, "http://x.example/1", "http://x.example/3"]
    assert [one.providers for one in found] == [("a", "b"), ("a",), ("b",)]
    assert found[0].score == pytest.approx(1 / 62 + 1 / 61)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("HTTPS://Example.org:443/a/?b=2&a=1&utm_campaign=x#part", "https://example.org/a?a=1&b=2"),
        ("http://example.org", "http://example.org/"),
        ("http://[::1]:8080/x/", "http://[::1]:8080/x"),
        ("http://example.org/?gclid=1", "http://example.org/"),
        ("ftp://example.org/", None),
        ("http://example.org:port/", None),
        ("/relative", None),
    ],
)
def test_urls_are_normalised(url: str, expected: str | None) -> None:
    assert normalised_url(url) == expected


def test_commercial_adapters_send_their_key_in_a_header_and_parse_their_answers(site: Site) -> None:
    site.answers["/search"] = lambda _: results(["https://a.example/"])
    web = {"web": {"results": [{"url": "https://b.example/", "title": "B", "description": "d"}, {"no": "url"}]}}
    site.answers["/res/v1/web/search"] = lambda _: Reply(body=json.dumps(web).encode())
    tavily, brave = provider(site, "tavily", key="k1"), provider(site, "brave", key="k2")
    found = search(tavily, brave).search("mast & chain", limit=5)
    assert {hit.url for hit in found.hits} == {"https://a.example/", "https://b.example/"}
    first = next(one for one in site.asked if one.method == "POST")
    assert first.headers["authorization"] == "Bearer k1"
    assert json.loads(first.body) == {"query": "mast & chain", "max_results": 5}
    second = next(one for one in site.asked if one.path.startswith("/res"))
    assert second.headers["x-subscription-token"] == "k2"
    assert parse_qs(urlsplit(second.path).query) == {"q": ["mast & chain"], "count": ["5"]}
    assert "k1" not in repr(tavily)
    for name in ("tavily", "brave"):
        without = search(provider(site, name)).search("x")
        assert name in without.failures["tavily" if name == "tavily" else "brave"]
    with pytest.raises(AuthUnavailable):
        ADAPTERS["brave"].search("x", base_url=site.url, fetcher=tavily.fetcher)


def test_a_query_goes_to_a_service_elsewhere_only_where_every_policy_allows_it(online: Library) -> None:
    """The cloud gate: a firewalled corpus, and words of documents that stay here."""
    online.corpora.create("closed", CorpusSettings(visibility="firewalled"))
    secret = str(online.ingest(b"The secret of the mast.\n", name="secret.txt").document_id)
    options = ResearchOptions(
        providers=("tavily",), provider_urls=("tavily=https://search.invalid",), provider_key_envs=("tavily=PATH",)
    )

    def refused(corpus: str | None, behind: tuple[str, ...]) -> str:
        web = web_of(Scope(online, corpus), options)
        assert web is not None
        ((reason, message),) = web.gather("mast", behind=behind).failures
        assert reason == "search_failed"
        return message

    assert "firewalled" in refused("closed", ())
    assert "was not called" in refused(None, (secret,))
    assert "was not called" not in refused(None, ()), "the owner of the library named the provider"


def priced(site: Site, **options: Any) -> ResearchOptions:
    """A run with a commercial provider, which the site is a double of."""
    return ResearchOptions(
        providers=("corpus", "tavily"),
        provider_urls=(f"tavily={site.url}",),
        provider_key_envs=("tavily=PATH",),
        search_prices=("tavily=0.01",),
        max_rounds=1,
        **options,
    )


def test_the_price_of_each_search_is_in_the_account_of_the_run(site: Site, online: Library, tmp_path: Path) -> None:
    """RES-5: requests by provider in each step that gathers, those that are repeated too; a replay has the same account."""
    replies = [Reply(status=429)]
    site.answers["/search"] = lambda _: replies.pop() if replies else results([f"{site.url}/mast.html"])
    research = Research(online)
    path = tmp_path / "run.jsonl"
    run = research.start("How high is the mast, and when was it raised?", options=priced(site, record=str(path)))
    research.run(run.research_id)
    steps = {one.name: json.loads(one.result_json) for one in research.steps(run.research_id)}
    gathered = {name: one["requests"] for name, one in steps.items() if name.startswith("gather:")}
    assert set(gathered) == {"gather:1:0", "gather:1:1"}
    assert sorted(one["tavily"] for one in gathered.values()) == [1, 2]
    usage = research.usage(run.research_id)
    assert (usage.searches, usage.requests, usage.total) == (site.count("/search"), 0, 0)
    assert usage.usd == pytest.approx(0.03)
    done = replay(path)
    assert done.is_identical is True
    assert done.usage == usage


def test_a_ceiling_of_money_leaves_searches_out_before_they_are_sent(site: Site, online: Library) -> None:
    """RES-5, RES-6: no more requests than there is money for, those that are repeated too."""
    site.answers["/search"] = lambda _: Reply(status=503)
    research = Research(online)
    for money, most in ((0.005, 0), (0.01, 1), (0.03, 3)):
        before = site.count("/search")
        run = research.start("How high is the mast, and when was it raised?", options=priced(site, max_usd=money))
        research.run(run.research_id)
        assert site.count("/search") - before == most
        assert research.usage(run.research_id).usd == pytest.approx(0.01 * most)
        reasons = [one.reason for one in research.report(run.research_id).failures]
        assert reasons.count("money_ceiling") == max(0, 2 - most), "each of the two searches that was left out is said"


@pytest.mark.parametrize(
    "given",
    [
        {"search_prices": ("tavily=0.01",)},
        {"providers": ("tavily",), "search_prices": ("tavily=cheap",)},
        {"providers": ("tavily",), "search_prices": ("tavily=-1",)},
        {"providers": ("tavily",), "search_prices": ("tavily=nan",)},
        {
            "providers": ("tavily", "brave"),
            "search_prices": ("tavily=1",),
            "provider_key_envs": ("brave=K",),
            "max_usd": 1.0,
        },
    ],
)
def test_a_price_is_a_number_and_every_commercial_provider_under_a_ceiling_has_one(given: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        ResearchOptions(**given)


@pytest.mark.parametrize(
    "given",
    [
        {"providers": ("absent",)},
        {"providers": ("searxng",)},
        {"providers": ("tavily",), "provider_key_envs": ("tavily=OCTAVO_NO_SUCH_KEY",)},
    ],
)
def test_a_provider_that_cannot_be_asked_is_refused(online: Library, given: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        web_of(Scope(online), ResearchOptions(**given))


@pytest.mark.parametrize(
    "given",
    [
        {"providers": ()},
        {"providers": ("corpus", "corpus")},
        {"provider_urls": ("searxng=http://127.0.0.1:1",)},
        {"providers": ("searxng",), "provider_urls": ("searxng",)},
    ],
)
def test_providers_are_names_each_once(given: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        ResearchOptions(**given)


def test_an_unreachable_server_is_given_up_after_three_tries() -> None:
    target = parse_target("http://127.0.0.1:9", ports={9})
    one = ConfiguredProvider(
        name="searxng", adapter=ADAPTERS["searxng"], base_url="http://127.0.0.1:9", fetcher=own_fetcher(target)
    )
    found = search(one).search("mast")
    assert set(found.failures) == {"searxng"}
    assert found.requests == {"searxng": 3}
    assert not issubclass(PolicyRefused, ToolUnavailable), "what is refused is not tried again"
