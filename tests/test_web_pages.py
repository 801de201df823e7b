"""Pages of the web come into a library as documents: what is kept, what is said, what is refused; a site on loopback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from octavo.settings.settings import Settings
from octavo.settings.web import WebSettings
from octavo_conformance import loopback
from octavo_conformance.loopback import Asked, Reply
from octavo_library import Library

ARTICLE = (
    "<html><head><title>Spring tides</title><meta name=author content='A. Keeper'></head><body><nav><a href=/>Home</a></nav>"
    "<article><h1>Spring tides</h1>"
    + "".join(
        f"<p>On day {day} the water rose to {day % 5 + 2} metres, and the ferry left at noon.</p>" for day in range(40)
    )
    + "</article></body></html>"
)


@dataclass
class Site:
    """Path → status, media type and body."""

    pages: dict[str, tuple[int, str, bytes]]
    port: int = 0
    asked: list[str] = field(default_factory=list)

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}{path}"

    @property
    def web(self) -> WebSettings:
        return WebSettings(enabled=True, private=(f"127.0.0.1:{self.port}",), delay_seconds=0.0)

    @property
    def environment(self) -> dict[str, str]:
        return {
            "OCTAVO_WEB__ENABLED": "true",
            "OCTAVO_WEB__PRIVATE": f"127.0.0.1:{self.port}",
            "OCTAVO_WEB__DELAY_SECONDS": "0",
        }


@pytest.fixture
def site() -> Iterator[Site]:
    with serving({"/tides/spring": (200, "text/html; charset=utf-8", ARTICLE.encode())}) as served:
        yield served


@contextmanager
def serving(pages: dict[str, tuple[int, str, bytes]]) -> Iterator[Site]:
    served = Site(pages)

    def answer(asked: Asked) -> Reply:
        served.asked.append(asked.path)
        status, kind, body = served.pages.get(asked.path, (404, "text/plain", b"no"))
        return Reply(status=status, body=body, headers={"Content-Type" if status != 302 else "Location": kind})

    with loopback.serving(answer) as served.port:
        yield served


def test_a_page_is_kept_as_it_came_and_known_by_its_url(site: Site, tmp_path: Path) -> None:
    with Library.open(tmp_path / "library", settings=Settings(web=site.web)) as library:
        done = library.ingest(site.url("/tides/spring#top"))
        assert done.result.ingestion_status == "complete", done.result.failure_receipts
        document = library.document(site.url("/tides/spring"))

        assert document.id == done.document_id
        assert "On day 39 the water rose" in document.markdown
        assert "Home" not in document.markdown
        assert done.result.metadata.title == "Spring tides"
        (path,) = document.paths
        assert path == f"url:{site.url('/tides/spring')}"
        original = done.result.original_artifact_ref
        assert original.startswith("store:")
        assert library.context.artifacts.path(original).read_bytes() == ARTICLE.encode()
        again = document.reconvert(plugin="markitdown")
        assert again.version == 2
    assert site.asked == ["/robots.txt", "/tides/spring"]  # a reconversion asks nobody


def test_a_page_that_did_not_change_is_known_and_one_that_did_is_a_new_document(site: Site, tmp_path: Path) -> None:
    with Library.open(tmp_path / "library", settings=Settings(web=site.web)) as library:
        first = library.ingest(site.url("/tides/spring"))
        assert library.ingest(site.url("/tides/spring")).reused
        site.pages["/tides/spring"] = (200, "text/html", ARTICLE.replace("noon", "six").encode())
        second = library.ingest(site.url("/tides/spring"))

        assert not second.reused
        assert second.document_id != first.document_id


def test_files_and_pages_come_in_together(site: Site, tmp_path: Path) -> None:
    note = tmp_path / "note.txt"
    note.write_text("The tide came in.")
    site.pages["/a.csv"] = (200, "text/csv", b"day,tide\n1,2\n2,3\n")
    sources = [str(note), site.url("/tides/spring"), site.url("/a.csv"), site.url("/missing")]
    with Library.open(tmp_path / "library", settings=Settings(web=site.web, workers=2)) as library:
        found = {item.source: item.result for item in library.ingest_many(sources)}

        assert {source: result.ingestion_status for source, result in found.items()} == {
            str(note): "complete",
            site.url("/tides/spring"): "complete",
            site.url("/a.csv"): "complete",
            site.url("/missing"): "hard_failed",
        }
        failed = found[site.url("/missing")].failure_receipts[0]
        assert failed.reason_code == "source_missing"
        assert "status 404" in failed.details

        site.pages["/missing"] = site.pages["/tides/spring"]
        (run, _, _), *_ = library.runs.list()
        (retried,) = library.runs.retry(run.run_id)
        assert retried.source == site.url("/missing")
        assert retried.result.ingestion_status == "complete"


def test_a_page_is_converted_anew_by_reingesting_it(site: Site, tmp_path: Path) -> None:
    with Library.open(tmp_path / "library", settings=Settings(web=site.web)) as library:
        first = library.ingest(site.url("/tides/spring"))
        library.ingest(site.url("/tides/spring"), reingest=True)
        list(library.ingest_many([site.url("/tides/spring")], reingest=True))

        assert len(library.document(first.document_id).versions) == 3


def test_a_page_that_changes_meanwhile_is_not_mixed_up(site: Site, tmp_path: Path) -> None:
    """What is converted anew is the document that was found to be known, and it is asked for once."""
    with Library.open(tmp_path / "library", settings=Settings(web=site.web)) as library:
        first = library.ingest(site.url("/tides/spring"))
        before = len(site.asked)
        again = library.ingest(site.url("/tides/spring"), reingest=True)

        assert again.document_id == first.document_id
        assert len(site.asked) == before + 1
        assert len(library.documents()) == 1


def test_a_name_and_a_password_in_a_url_are_written_down_nowhere(tmp_path: Path) -> None:
    with Library.open(tmp_path / "library", settings=Settings(web=WebSettings(enabled=True, allow=("*",)))) as library:
        done = library.ingest("http://user:S3CRET@example.org/#TOKEN")
        shown = done.result.to_json() + done.source

    assert done.result.failure_receipts[0].reason_code == "policy_refused"
    kept = b"".join(path.read_bytes() for path in (tmp_path / "library").rglob("*") if path.is_file())
    assert not any(word in shown or word.encode() in kept for word in ("S3CRET", "TOKEN"))


def test_a_file_with_a_name_like_a_url_is_not_taken_for_it(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "http:" / "example.org").mkdir(parents=True)
    (tmp_path / "http:" / "example.org" / "a.txt").write_text("a file")
    with Library.open(tmp_path / "library", settings=Settings(web=site.web)) as library:
        (done,) = library.ingest_many(["http://example.org/a.txt"])

    assert done.result.failure_receipts[0].reason_code == "policy_refused"


def test_a_redirect_to_a_machine_s_secrets_is_refused_and_stored_as_such(site: Site, tmp_path: Path) -> None:
    site.pages["/go"] = (302, "http://169.254.169.254/latest/meta-data/", b"")
    with Library.open(tmp_path / "library", settings=Settings(web=site.web)) as library:
        done = library.ingest(site.url("/go"))

    assert done.document_id is None
    assert done.result.failure_receipts[0].reason_code == "policy_refused"


def test_a_site_in_trouble_is_not_said_to_be_tried_again_by_itself(site: Site, tmp_path: Path) -> None:
    site.pages["/busy"] = (503, "text/plain", b"")
    with Library.open(tmp_path / "library", settings=Settings(web=site.web)) as library:
        (receipt,) = library.ingest(site.url("/busy")).result.failure_receipts

    assert (receipt.reason_code, receipt.retry) == ("tool_unavailable", "manual")


@pytest.mark.parametrize(
    "url",
    [
        "http://0x7f000001/",
        "http://2130706433/",
        "http://127.1/",
        "http://[::1]/",
        "http://[::ffff:127.0.0.1]/",
        "http://localhost/",
        "http://169.254.169.254/",
        "http://user@example.org/",
        "http://example.org\\@127.0.0.1/",
        "https://example.org:22/",
        "HTTP://127.0.0.1/",
    ],
)
def test_urls_that_lead_inside_are_refused_by_a_library_that_allows_every_public_host(url: str, tmp_path: Path) -> None:
    settings = Settings(web=WebSettings(enabled=True, allow=("*",), robots=False))
    with Library.open(tmp_path / "library", settings=settings) as library:
        done = library.ingest(url)

    assert done.result.failure_receipts[0].reason_code == "policy_refused", done.result.failure_receipts


# -- the command line ---------------------------------------------------------------------------------------------


def octavo(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "octavo", *words],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )


def test_the_command_line_takes_urls(site: Site, tmp_path: Path) -> None:
    library = ("--library", str(tmp_path / "library"))
    done = octavo("ingest", site.url("/tides/spring"), *library, "--jsonl", **site.environment)

    assert done.returncode == 0, done.stderr
    row = json.loads(done.stdout)
    assert row["source"] == site.url("/tides/spring")
    assert "On day 3 the water rose" in octavo("show", row["source"], *library).stdout
    assert site.url("/tides/spring") in octavo("list", *library, "--json").stdout
    checked = octavo("check-paths", *library, "--json")
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_with_the_network_off_nothing_is_asked_and_no_library_is_made(site: Site, tmp_path: Path) -> None:
    done = octavo("ingest", site.url("/tides/spring"), "--library", str(tmp_path / "library"))

    assert done.returncode == 5
    assert "web.enabled" in done.stderr
    assert site.asked == []
    assert not (tmp_path / "library").exists()


def test_a_host_that_is_not_allowed_ends_with_the_code_of_a_policy(site: Site, tmp_path: Path) -> None:
    done = octavo(
        "ingest", "https://example.org/", "--library", str(tmp_path / "library"), "--jsonl", **site.environment
    )

    assert json.loads(done.stdout)["result"]["failure_receipts"][0]["reason_code"] == "policy_refused"
    assert done.returncode == 5
