"""Pages through a Firecrawl server: a double of its public API on loopback, for a real one is not to be had here."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from octavo.settings.settings import Settings
from octavo.settings.web import WebSettings
from octavo_conformance.loopback import Asked, Reply, serving
from octavo_contracts import AuthUnavailable, Crawler, OctavoError, PolicyRefused, ToolUnavailable
from octavo_firecrawl.plugin import make_crawler
from octavo_library import Library
from octavo_library.facade.corpora import CorpusSettings
from octavo_sandbox.egress import EgressPolicy, GuardedFetcher

RENDERED = "<html><head><title>Tide tables</title></head><body><h1>Tide tables</h1>" + "".join(
    f"<p>On day {day} the water of the harbour rose to {day % 5 + 2} metres, and the ferry left at noon as planned.</p>"
    for day in range(30)
)
SCRIPTED = "<html><head><script>" + "draw('tide');" * 200 + "</script></head><body><div id=app></div></body></html>"
LINKS = "<title>All</title>" + "".join(f"<li><a href=/{n}>a page of the harbour number {n}</a>" for n in range(80))

Answer = Callable[[dict[str, Any]], tuple[int, bytes]]


@dataclass
class FirecrawlDouble:
    """Answers as Firecrawl's documentation says it does; keeps what it was asked."""

    answer: Answer
    paths: tuple[str, ...] = ("/v2/scrape",)
    port: int = 0
    asked: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    pages: dict[str, tuple[int, str]] = field(default_factory=dict)
    """A site that stands on the same port."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


def gives(html: str = RENDERED, *, status: int = 200, url: str | None = None) -> Answer:
    def answer(asked: dict[str, Any]) -> tuple[int, bytes]:
        facts = {"title": "Tide tables", "sourceURL": asked["url"], "url": url or asked["url"], "statusCode": status}
        return 200, json.dumps({"success": True, "data": {"rawHtml": html, "metadata": facts}}).encode()

    return answer


@contextmanager
def firecrawl(answer: Answer, **more: Any) -> Iterator[FirecrawlDouble]:
    double = FirecrawlDouble(answer, **more)

    def replied(asked: Asked) -> Reply:
        if asked.method == "GET":
            status, text = double.pages.get(asked.path, (404, "no"))
            kind = "text/html" if status == 200 else "text/plain"
            return Reply(status=status, body=text.encode(), headers={"Content-Type": kind})
        if asked.path not in double.paths:
            return Reply(status=404, body=b"Cannot POST")
        double.asked.append(json.loads(asked.body))
        double.keys.append(asked.headers.get("authorization"))
        status, body = double.answer(double.asked[-1])
        return Reply(status=status, body=body, headers={"Content-Type": "application/json"})

    with serving(replied) as double.port:
        yield double


def way_to(double: FirecrawlDouble) -> GuardedFetcher:
    policy = EgressPolicy(enabled=True)
    return GuardedFetcher(policy, vetting=lambda address: None, ports={double.port})


def crawled(double: FirecrawlDouble, **more: Any) -> Any:
    return make_crawler().crawl("https://example.org/a", base_url=f"{double.url}/", fetcher=way_to(double), **more)


def test_the_service_is_a_crawler() -> None:
    assert isinstance(make_crawler(), Crawler)


def test_a_page_comes_as_the_browser_shows_it() -> None:
    with firecrawl(gives(url="https://example.org/b", status=203)) as double:
        page = crawled(double, key="fc-secret", timeout=7.0)

    assert page.body.decode() == RENDERED
    assert (page.url, page.status) == ("https://example.org/b", 203)
    assert double.keys == ["Bearer fc-secret"]
    (asked,) = double.asked
    assert asked["url"] == "https://example.org/a"
    assert asked["formats"] == ["rawHtml"]
    assert asked["timeout"] == 7000
    assert asked["maxAge"] == 0


def test_an_older_server_is_asked_in_its_own_way() -> None:
    with firecrawl(gives(), paths=("/v1/scrape",)) as double:
        assert crawled(double).body.decode() == RENDERED
    assert double.keys == [None]


@pytest.mark.parametrize(
    ("answer", "error", "said"),
    [
        ((500, b'{"success": false, "error": "SCRAPE_TIMEOUT"}'), ToolUnavailable, "SCRAPE_TIMEOUT"),
        (
            (200, b'{"success": false, "error": "no engine", "code": "SCRAPE_SSL_ERROR"}'),
            ToolUnavailable,
            "SCRAPE_SSL_",
        ),
        ((402, b'{"success": false}'), ToolUnavailable, "status 402"),
        ((200, b"<html>a proxy</html>"), ToolUnavailable, "not a JSON object"),
        ((200, b"[]"), ToolUnavailable, "not a JSON object"),
        ((200, b"[" * 200_000), ToolUnavailable, "not a JSON object"),
        ((200, b'{"success": true}'), ToolUnavailable, "has no page"),
        ((200, b'{"success": true, "data": {"markdown": "x"}}'), ToolUnavailable, "has no page"),
        ((401, b"{}"), AuthUnavailable, "rejects the key"),
        ((404, b"{}"), ToolUnavailable, "no Firecrawl API"),
    ],
)
def test_a_failure_says_what_failed(answer: tuple[int, bytes], error: type[OctavoError], said: str) -> None:
    with firecrawl(lambda asked: answer) as double, pytest.raises(error, match=said) as caught:
        crawled(double)

    assert caught.value.plugin == "firecrawl" or error is AuthUnavailable


def test_the_words_of_the_server_are_not_told() -> None:
    """They quote the page and its address, and stand in a receipt."""
    said = b'{"success": false, "error": "http://intern/path says: the file of Jane Doe"}'
    with firecrawl(lambda asked: (200, said)) as double, pytest.raises(ToolUnavailable) as caught:
        crawled(double)

    assert caught.value.message == "the server could not render the page (status 200)"


@pytest.mark.parametrize("metadata", ["{}", "null", '{"statusCode": "200", "url": 5}', "[]"])
def test_facts_that_are_missing_or_odd_are_not_believed(metadata: str) -> None:
    body = f'{{"success": true, "data": {{"rawHtml": "<p>x</p>", "metadata": {metadata}}}}}'.encode()
    with firecrawl(lambda asked: (200, body)) as double:
        page = crawled(double)

    assert (page.url, page.status) == ("https://example.org/a", 200)


# -- through a library --------------------------------------------------------------------------------------------


def ingested(folder: Path, double: FirecrawlDouble, path: str, **settings: Any) -> Any:
    web = WebSettings(
        enabled=True,
        private=(f"127.0.0.1:{double.port}",),
        delay_seconds=0.0,
        **({"crawler": double.url} | settings),
    )
    with Library.open(folder / "library", settings=Settings(web=web, workers=1)) as library:
        done = library.ingest(f"{double.url}{path}")
        return done.result, library.document(done.document_id).markdown if done.document_id else ""


def said_of_the_way(result: Any) -> list[str]:
    return [f"{item.severity}: {item.message}" for item in result.quality_report.findings if item.flag == "web_page"]


@pytest.mark.parametrize(
    ("page", "why"), [((200, SCRIPTED), "generated by scripts"), ((200, LINKS), "are links"), ((503, ""), "status 503")]
)
def test_a_page_that_does_not_show_itself_is_rendered(tmp_path: Path, page: tuple[int, str], why: str) -> None:
    with firecrawl(gives()) as double:
        double.pages["/app"] = page
        result, markdown = ingested(tmp_path, double, "/app")

    assert result.ingestion_status in ("complete", "degraded_complete"), result.failure_receipts
    assert "On day 29 the water" in markdown
    (said,) = said_of_the_way(result)
    assert said.startswith("note: rendered by the crawler firecrawl")
    assert why in said
    assert [asked["url"] for asked in double.asked] == [f"{double.url}/app"]


def test_a_good_page_is_not_rendered(tmp_path: Path) -> None:
    with firecrawl(gives()) as double:
        double.pages["/good"] = (200, RENDERED)
        result, markdown = ingested(tmp_path, double, "/good")

    assert "On day 29 the water" in markdown
    assert said_of_the_way(result) == []
    assert double.asked == []


def test_some_hosts_are_always_rendered(tmp_path: Path) -> None:
    with firecrawl(gives()) as double:
        double.pages["/good"] = (200, RENDERED.replace("harbour", "port"))
        _, markdown = ingested(tmp_path, double, "/good", crawl_always=("127.0.0.1",))

    assert "water of the harbour" in markdown


def test_a_page_that_could_not_be_rendered_is_kept_as_it_came_and_says_so(tmp_path: Path) -> None:
    with firecrawl(lambda asked: (500, b'{"success": false, "error": "SCRAPE_TIMEOUT"}')) as double:
        double.pages["/list"] = (200, LINKS)
        result, markdown = ingested(tmp_path, double, "/list")

    assert "harbour number 79" in markdown
    (said,) = said_of_the_way(result)
    assert said.startswith("degraded: ")
    assert "SCRAPE_TIMEOUT" in said
    assert "web_page" in result.quality_report.degraded_flags


def test_where_neither_way_gives_the_page_both_are_named(tmp_path: Path) -> None:
    with firecrawl(gives(status=502)) as double:
        double.pages["/app"] = (503, "")
        result, _ = ingested(tmp_path, double, "/app")

    (receipt,) = result.failure_receipts
    assert receipt.reason_code == "tool_unavailable"
    assert "status 502" in receipt.details
    assert "status 503" in receipt.details


def test_a_crawler_is_no_way_round_a_refusal(tmp_path: Path) -> None:
    with firecrawl(gives()) as double:
        double.pages["/robots.txt"] = (200, "User-agent: *\nDisallow: /")
        double.pages["/app"] = (200, SCRIPTED)
        result, _ = ingested(tmp_path, double, "/app")

    assert result.failure_receipts[0].reason_code == "policy_refused"
    assert double.asked == []


def test_where_the_crawler_was_led_to_is_vetted(tmp_path: Path) -> None:
    with firecrawl(gives(url="http://169.254.169.254/latest/")) as double:
        double.pages["/app"] = (503, "")
        result, _ = ingested(tmp_path, double, "/app")

    assert result.failure_receipts[0].reason_code == "policy_refused"


def test_a_crawler_elsewhere_is_a_cloud_service_and_hears_nothing(tmp_path: Path) -> None:
    """CNV-15: refused by default. The listener stands at an address that nobody called private."""
    with firecrawl(gives()) as double, socket.create_server(("127.0.0.2", 0)) as elsewhere:
        double.pages["/app"] = (503, "")
        result, _ = ingested(tmp_path, double, "/app", crawler=f"http://127.0.0.2:{elsewhere.getsockname()[1]}")
        elsewhere.settimeout(0.2)
        with pytest.raises(TimeoutError):
            elsewhere.accept()

    (receipt,) = result.failure_receipts
    assert receipt.reason_code == "policy_refused"
    assert "cloud services are disabled" in receipt.details


@pytest.mark.parametrize(
    ("corpus", "heard"),
    [
        ({"cloud": True, "visibility": "cloud_allowed"}, True),
        ({"cloud": True}, True),
        ({}, False),
        ({"visibility": "firewalled"}, False),
        ({"sensitivity": "privileged"}, False),
    ],
)
def test_a_corpus_says_whether_a_crawler_elsewhere_is_asked(
    tmp_path: Path, corpus: dict[str, Any], heard: bool
) -> None:
    with firecrawl(gives()) as double, socket.create_server(("127.0.0.2", 0)) as elsewhere:
        double.pages["/app"] = (503, "")
        web = WebSettings(
            enabled=True,
            private=(f"127.0.0.1:{double.port}",),
            delay_seconds=0.0,
            seconds=1.0,
            crawler=f"http://127.0.0.2:{elsewhere.getsockname()[1]}",
        )
        with Library.open(tmp_path / "library", settings=Settings(web=web, workers=1)) as library:
            library.corpora.create("pages", CorpusSettings(**corpus))
            library.ingest(f"{double.url}/app", corpus="pages")
        elsewhere.settimeout(0.2)
        if heard:
            elsewhere.accept()[0].close()
        else:
            with pytest.raises(TimeoutError):
                elsewhere.accept()


def test_a_host_that_is_always_rendered_is_asked_for_its_rules_all_the_same(tmp_path: Path) -> None:
    with firecrawl(gives()) as double:
        double.pages["/robots.txt"] = (200, "User-agent: *\nDisallow: /")
        result, _ = ingested(tmp_path, double, "/a", crawl_always=("127.0.0.1",))

    assert result.failure_receipts[0].reason_code == "policy_refused"
    assert double.asked == []


@pytest.mark.parametrize("final", ["http://127.0.0.1/x", "http://10.0.0.1/", "http://[::1]/", "http://h/\ud800"])
def test_nothing_is_kept_of_a_place_that_a_plain_fetch_would_refuse(tmp_path: Path, final: str) -> None:
    with firecrawl(gives(url=final)) as double:
        double.pages["/app"] = (503, "")
        result, _ = ingested(tmp_path, double, "/app", allow=("*",))

    assert result.failure_receipts[0].reason_code == "policy_refused"


def test_a_host_that_nobody_named_and_nobody_knows_is_not_given_to_the_crawler(tmp_path: Path) -> None:
    with firecrawl(gives()) as double:
        web = WebSettings(enabled=True, allow=("*",), crawler=double.url, robots=False, delay_seconds=0.0, seconds=5.0)
        with Library.open(tmp_path / "library", settings=Settings(web=web, workers=1)) as library:
            result = library.ingest("http://no-such-host.invalid/x").result

    assert result.failure_receipts[0].reason_code == "policy_refused"
    assert double.asked == []


def test_a_rendered_page_is_no_longer_than_a_fetched_one_may_be(tmp_path: Path) -> None:
    with firecrawl(gives()) as double:
        double.pages["/app"] = (503, "")
        result, _ = ingested(tmp_path, double, "/app", max_bytes=1000)

    assert result.failure_receipts[0].reason_code == "content_too_large"


def test_the_key_is_never_shown() -> None:
    settings = Settings(web=WebSettings(crawler="http://127.0.0.1:3002", crawler_key="fc-secret"))  # type: ignore[arg-type]  # wrapped when it is made

    assert "fc-secret" not in repr(settings)


def test_a_way_that_is_not_allowed_is_said() -> None:
    with firecrawl(gives()) as double, pytest.raises(PolicyRefused):
        make_crawler().crawl("https://example.org/", base_url=double.url, fetcher=GuardedFetcher(EgressPolicy()))


@pytest.mark.parametrize("names_corpus", [True, False])
def test_what_the_way_to_a_page_showed_is_told_in_its_own_context(tmp_path: Path, names_corpus: bool) -> None:
    """The bytes are shared; how they came is not (STO-5)."""
    with firecrawl(lambda asked: (500, b'{"success": false, "error": "SCRAPE_TIMEOUT"}')) as double:
        double.pages["/list"] = (200, LINKS)
        web = WebSettings(enabled=True, private=(f"127.0.0.1:{double.port}",), delay_seconds=0.0, crawler=double.url)
        with Library.open(tmp_path / "library", settings=Settings(web=web, workers=1)) as library:
            library.corpora.create("sealed", CorpusSettings(visibility="firewalled"))
            sealed = library.ingest(f"{double.url}/list", corpus="sealed")
            path = tmp_path / "mine.html"
            path.write_text(LINKS)
            done = library.ingest(path, corpus="open" if names_corpus else None)
            mine = library.document(str(path), corpus="open" if names_corpus else None)
            theirs = library.document(str(sealed.document_id), corpus="sealed")
            again = library.ingest(f"{double.url}/list", corpus="sealed")

            assert said_of_the_way(done.result) == []
            assert done.result.ingestion_status == "complete"
            for told in (sealed.result, theirs.result, again.result):
                (said,) = said_of_the_way(told)
                assert said.startswith("degraded: ")
                assert (told.ingestion_status, told.quality_report.user_visible_status) == (
                    "degraded_complete",
                    "degraded",
                )
            assert b"SCRAPE_TIMEOUT" in theirs.archive()
            if names_corpus:
                assert said_of_the_way(mine.result) == []
                assert b"web_page" not in mine.archive()
                assert b"127.0.0.1" not in mine.archive()
