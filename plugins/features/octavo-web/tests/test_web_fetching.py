"""Pages are fetched only where the settings say so, as their sites ask for it, and no faster; over real sockets on loopback."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from octavo.documents.location import place_ref
from octavo.settings.settings import Settings
from octavo.settings.web import WebSettings
from octavo_conformance.loopback import Asked, Reply, serving
from octavo_contracts import (
    AuthUnavailable,
    ContentTooLarge,
    FetchResponse,
    OctavoError,
    PolicyRefused,
    SourceMissing,
    ToolUnavailable,
)
from octavo_library import Library
from octavo_sandbox import Cancelled
from octavo_sandbox.egress import EgressPolicy, own_fetcher
from octavo_web.fetching import WebFetcher
from octavo_web.robots import Robots, rules_for_us


@dataclass
class Site:
    """A site on loopback: path → status, headers and body; what is not in it is not found."""

    pages: Mapping[str, tuple[int, Mapping[str, str], bytes]]
    port: int = 0
    asked: list[tuple[str, float]] = field(default_factory=list)

    @property
    def paths(self) -> list[str]:
        return [path for path, _ in self.asked]

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}{path}"

    def settings(self, **more: Any) -> WebSettings:
        return WebSettings(enabled=True, private=(f"127.0.0.1:{self.port}",), **({"delay_seconds": 0.0} | more))


@contextmanager
def site(pages: Mapping[str, tuple[int, Mapping[str, str], bytes]]) -> Iterator[Site]:
    served = Site(pages)

    def answer(asked: Asked) -> Reply:
        served.asked.append((asked.path, time.monotonic()))
        status, headers, body = served.pages.get(asked.path, (404, {}, b"no"))
        return Reply(status=status, body=body, headers=headers)

    with serving(answer) as served.port:
        yield served


PAGE = (200, {"Content-Type": "text/html"}, b"<p>tide</p>")


def fetched(where: Site, path: str, **settings: Any) -> bytes:
    fetcher = WebFetcher(where.settings(**settings))
    return fetcher.page(fetcher.target(where.url(path))).body


def test_nothing_is_fetched_until_the_settings_say_so() -> None:
    with site({"/a": PAGE}) as here:
        fetcher = WebFetcher(WebSettings(private=(f"127.0.0.1:{here.port}",)))

        with pytest.raises(PolicyRefused, match="web access is disabled") as caught:
            fetcher.page(fetcher.target(here.url("/a")))

        assert "web.enabled" in caught.value.remedy
        assert here.asked == []


@pytest.mark.parametrize("allow", [(), ("example.net",), ("ample.org",)])
def test_a_host_that_is_not_named_is_not_asked(allow: tuple[str, ...]) -> None:
    fetcher = WebFetcher(WebSettings(enabled=True, allow=allow))

    with pytest.raises(PolicyRefused, match="not in the allow list") as caught:
        fetcher.check(fetcher.target("https://example.org/"))

    assert "web.allow" in caught.value.remedy


@pytest.mark.parametrize("allow", [("example.org",), ("*",), ("www.example.org", "EXAMPLE.org")])
def test_a_named_host_stands_for_its_subdomains_and_a_denied_one_for_nothing(allow: tuple[str, ...]) -> None:
    fetcher = WebFetcher(WebSettings(enabled=True, allow=allow, deny=("bad.example.org",)))

    fetcher.check(fetcher.target("https://www.example.org/"))
    with pytest.raises(PolicyRefused):
        fetcher.check(fetcher.target("https://bad.example.org/"))


def test_any_public_host_is_no_private_one() -> None:
    fetcher = WebFetcher(WebSettings(enabled=True, allow=("*",), private=("127.0.0.2",)))

    with pytest.raises(PolicyRefused, match="not public"):
        fetcher.page(fetcher.target("http://127.0.0.1/a"))


def test_a_port_that_no_private_host_has_is_no_page() -> None:
    with pytest.raises(PolicyRefused, match="port"):
        WebFetcher(WebSettings(enabled=True, allow=("*",))).target("http://example.org:8080/")


@pytest.mark.parametrize(
    "location",
    [
        "http://169.254.169.254/latest/meta-data/",
        "http://127.0.0.1/elsewhere",
        "http://example.org/",
        "file:///etc/passwd",
    ],
)
def test_a_private_host_leads_nowhere_else(location: str) -> None:
    with site({"/a": (302, {"Location": location}, b"")}) as here, pytest.raises(PolicyRefused):
        fetched(here, "/a", robots=False)


@pytest.mark.parametrize("address", ["169.254.169.254", "100.100.100.200", "192.0.0.192", "0.0.0.0", "168.63.129.16"])
def test_the_places_of_machines_secrets_are_nobody_s_own(address: str) -> None:
    """They are refused before anything is connected to, even where somebody names them."""
    fetcher = WebFetcher(WebSettings(enabled=True, private=(address,), robots=False))

    with pytest.raises(PolicyRefused, match="not public"):
        fetcher.page(fetcher.target(f"http://{address}/"))


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (404, SourceMissing),
        (410, SourceMissing),
        (400, SourceMissing),
        (401, AuthUnavailable),
        (403, AuthUnavailable),
        (429, ToolUnavailable),
        (500, ToolUnavailable),
        (503, ToolUnavailable),
        (304, SourceMissing),
    ],
)
def test_a_status_is_a_reason(status: int, error: type[OctavoError]) -> None:
    with site({"/a": (status, {}, b"" if status == 304 else b"no")}) as here, pytest.raises(error) as caught:
        fetched(here, "/a")

    assert caught.value.reason is not None


def test_an_answer_that_is_too_long_is_not_read() -> None:
    with site({"/a": (200, {"Content-Length": str(2 << 30)}, b"x")}) as here, pytest.raises(ContentTooLarge):
        fetched(here, "/a")


def test_what_robots_txt_forbids_is_not_asked_for() -> None:
    rules = b"User-agent: *\nDisallow: /private\nAllow: /private/open$\nUser-agent: octavo\nDisallow: /secret/*.html\n"
    with site({"/robots.txt": (200, {}, rules), "/secret/a.html": PAGE, "/private": PAGE}) as here:
        with pytest.raises(PolicyRefused, match=r"robots\.txt"):
            fetched(here, "/secret/a.html")
        assert here.paths == ["/robots.txt"]

        assert fetched(here, "/private")  # the rules for us are the only ones that count
        assert fetched(here, "/secret/a.html", robots=False)


def test_what_is_not_about_us_is_dropped_before_it_is_parsed() -> None:
    """A reader's work grows with names times rules, and a site may send as many as it likes."""
    crowd = "".join(f"User-agent: robot{n}\n" for n in range(20_000))
    rules = "".join(f"Disallow: /{n}\n" for n in range(20_000))

    kept = rules_for_us(f"{crowd}User-agent: *\n{rules}").splitlines()

    assert kept[:2] == ["User-agent: *", "Disallow: /0"]
    assert len(kept) == 5001


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("User-agent: a\nUser-agent: Octavo/1.0\nDisallow: /x # why\n\nUser-agent: *\nDisallow: /", ["Disallow: /x"]),
        ("user-agent: *\nAllow: /\nSitemap: http://h/s.xml\nCrawl-delay: 2\nUser-agent: b\nDisallow: /", None),
        ("Disallow: /", []),
        ("<html>no: rules</html>", []),
    ],
)
def test_the_rules_for_us_are_those_of_our_name_else_those_for_everybody(text: str, wanted: list[str] | None) -> None:
    assert rules_for_us(text).splitlines()[1:] == (["Allow: /", "Crawl-delay: 2"] if wanted is None else wanted)


def test_a_byte_order_mark_hides_no_rules() -> None:
    rules = b"\xef\xbb\xbfUser-agent: *\nDisallow: /\n"
    with site({"/robots.txt": (200, {}, rules), "/a": PAGE}) as here, pytest.raises(PolicyRefused):
        fetched(here, "/a")


def test_a_redirect_is_no_way_round_the_rules() -> None:
    pages = {
        "/robots.txt": (200, {}, b"User-agent: *\nDisallow: /secret\n"),
        "/go": (302, {"Location": "/secret"}, b""),
        "/secret": PAGE,
    }
    with site(pages) as here:
        with pytest.raises(PolicyRefused, match=r"robots\.txt"):
            fetched(here, "/go")

        assert "/secret" not in here.paths


@pytest.mark.parametrize("location", ["http://[x", "//]", "http://[1.2.3.4]/", "http://a\u2100b/"])
def test_a_redirect_that_can_not_be_read_is_a_refusal(location: str) -> None:
    with (
        site({"/a": (302, {"Location": location.encode().decode("latin-1")}, b"")}) as here,
        pytest.raises(PolicyRefused),
    ):
        fetched(here, "/a", robots=False)


@pytest.mark.parametrize("url", ["http://h/\udc80", "http://\ud800/"])
def test_half_a_character_is_no_url(url: str) -> None:
    with pytest.raises(PolicyRefused):
        WebFetcher(WebSettings(enabled=True, allow=("*",))).target(url)
    assert place_ref(url).startswith("url:http://")


def test_what_was_cancelled_asks_nobody() -> None:
    stop = threading.Event()
    stop.set()
    with site({"/a": PAGE}) as here:
        fetcher = WebFetcher(here.settings())
        with pytest.raises(Cancelled):
            fetcher.page(fetcher.target(here.url("/a")), cancel=stop)

        assert here.asked == []


@pytest.mark.parametrize(
    ("status", "may"), [(404, True), (403, True), (401, True), (400, True), (500, False), (503, False)]
)
def test_rules_that_can_not_be_had(status: int, may: bool) -> None:
    """RFC 9309: a missing file forbids nothing, a site in trouble forbids everything."""
    with site({"/robots.txt": (status, {}, b""), "/a": PAGE}) as here:
        if may:
            assert fetched(here, "/a") == PAGE[2]
        else:
            with pytest.raises(PolicyRefused, match="cannot be fetched"):
                fetched(here, "/a")


def test_a_site_that_can_not_be_reached_is_no_refusal_of_its_own() -> None:
    """Nobody forbade anything: the page may be tried again, or by a crawler in another network."""
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    fetcher = WebFetcher(WebSettings(enabled=True, private=(f"127.0.0.1:{port}",)))

    with pytest.raises(ToolUnavailable):
        fetcher.page(fetcher.target(f"http://127.0.0.1:{port}/a"))


def test_a_site_in_trouble_is_asked_again_after_a_minute() -> None:
    now, status = [0.0], [503]

    def fetch(url: str, cancel: threading.Event | None) -> FetchResponse:
        return FetchResponse(url=url, status=status[0], media_type="text/plain", body=b"")

    robots = Robots(fetch, clock=lambda: now[0])
    target = WebFetcher(WebSettings()).target("https://example.org/a")
    assert robots.refusal(target) is not None
    status[0], now[0] = 404, 59.0
    assert robots.refusal(target) is not None
    now[0] = 61.0
    assert robots.refusal(target) is None


def test_rules_are_asked_for_once_a_day() -> None:
    now, asked = [0.0], []

    def fetch(url: str, cancel: threading.Event | None) -> FetchResponse:
        asked.append(url)
        return FetchResponse(url=url, status=200, media_type="text/plain", body=b"User-agent: *\nCrawl-delay: 90\n")

    robots = Robots(fetch, clock=lambda: now[0])
    target = WebFetcher(WebSettings()).target("https://example.org/a")
    assert robots.refusal(target) is None
    assert robots.delay(target) == 30.0  # no slower than that
    now[0] = 24 * 3600 - 1
    assert robots.refusal(target) is None
    assert asked == ["https://example.org/robots.txt"]
    now[0] = 24 * 3600 + 1
    assert robots.refusal(target) is None
    assert len(asked) == 2


def test_one_host_is_not_asked_faster_than_the_settings_and_its_rules_say() -> None:
    with site({"/robots.txt": (200, {}, b"User-agent: *\nCrawl-delay: 0.4\n"), "/a": PAGE}) as here:
        fetcher = WebFetcher(here.settings(delay_seconds=0.1))
        target = fetcher.target(here.url("/a"))
        for _ in range(2):
            fetcher.page(target)

        pages = [at for path, at in here.asked if path == "/a"]
        assert pages[1] - pages[0] >= 0.4


def test_a_wait_for_a_host_s_turn_can_be_cancelled() -> None:
    with site({"/a": PAGE}) as here:
        fetcher = WebFetcher(here.settings(delay_seconds=60.0))
        target = fetcher.target(here.url("/a"))
        fetcher.page(target)
        stop = threading.Event()
        threading.Timer(0.2, stop.set).start()

        begun = time.monotonic()
        with pytest.raises(Cancelled):
            fetcher.page(target, cancel=stop)

        assert time.monotonic() - begun < 30


def test_an_own_host_is_that_host_alone() -> None:
    policy = EgressPolicy(enabled=True, allow=frozenset({"wiki.lan"}), exact=True)

    policy.check("wiki.lan")
    with pytest.raises(PolicyRefused):
        policy.check("admin.wiki.lan")


def test_an_own_fetcher_knows_one_port() -> None:
    with site({"/a": PAGE}) as here, site({"/a": PAGE}) as there:
        fetcher = own_fetcher(WebFetcher(here.settings()).target(here.url("/a")))

        assert fetcher.fetch(here.url("/a")).body == PAGE[2]
        with pytest.raises(PolicyRefused):
            fetcher.fetch(there.url("/a"))


def test_closing_the_library_ends_a_fetch_in_flight(tmp_path: Path) -> None:
    """The caller is told that it was cancelled, and nothing of it is in the library."""
    asked, over = threading.Event(), threading.Event()

    def answer(asked_for: Asked) -> Reply:
        asked.set()
        over.wait(30)
        return Reply()

    with serving(answer) as port:
        web = WebSettings(enabled=True, private=(f"127.0.0.1:{port}",), robots=False, seconds=25.0)
        library = Library.open(tmp_path / "library", settings=Settings(workers=1, web=web))
        answers: list[Any] = []
        url = f"http://127.0.0.1:{port}/page"
        thread = threading.Thread(target=lambda: answers.append(library.ingest(url)), daemon=True)
        thread.start()
        assert asked.wait(10)
        started = time.monotonic()
        library.close()
        thread.join(10)
        assert time.monotonic() - started < 5.0
        over.set()
    (done,) = answers
    assert [one.reason_code for one in done.result.failure_receipts] == ["not_attempted"]
    with Library.open(tmp_path / "library") as again:
        assert again.documents() == []
        assert again.context.index.jobs.open_jobs() == ()


def test_a_cancellation_ends_the_wait_for_rules() -> None:
    """A site that never answers for its robots.txt holds nobody; what it might have said is not taken for known."""
    asked, over, stop = threading.Event(), threading.Event(), threading.Event()

    def answer(asked_for: Asked) -> Reply:
        asked.set()
        over.wait(30)
        return Reply()

    with serving(answer) as port:
        fetcher = WebFetcher(WebSettings(enabled=True, private=(f"127.0.0.1:{port}",), seconds=25.0))
        threading.Thread(target=lambda: (asked.wait(10), stop.set()), daemon=True).start()
        started = time.monotonic()
        with pytest.raises(Cancelled):
            fetcher.page(fetcher.target(f"http://127.0.0.1:{port}/page"), cancel=stop)
        assert time.monotonic() - started < 10
        over.set()
