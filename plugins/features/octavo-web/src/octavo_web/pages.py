"""Opens a URL as a source: fetches it plainly, or with a crawler if the page needs a browser (CNV-14)."""

from __future__ import annotations

import threading
from dataclasses import replace
from functools import cached_property
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from octavo.conversion.options import ConvertOptions
from octavo.conversion.results import convert_source
from octavo.documents.location import place_ref, shown_url
from octavo.documents.source import Source
from octavo.formats import sniff
from octavo.runtime import Runtime
from octavo.settings.web import WebSettings
from octavo_contracts import (
    AuthUnavailable,
    OctavoError,
    PolicyRefused,
    QualityFinding,
)
from octavo_sandbox import WorkerGroup
from octavo_sandbox.egress import Target
from octavo_sandbox.egress.gate import Owners
from octavo_sandbox.egress.policy import within
from octavo_sandbox.task import task_name
from pydantic import ValidationError

from .crawling import CrawlerClient
from .doubts import doubts
from .fetching import FetchedPage, WebFetcher
from .looking import PageLook, look
from .request import PageRequest

LOOK = task_name(look)
LOOK_SECONDS = 20.0
FLAG = "web_page"
"""Flag of findings about how a page was fetched."""
_HTML = frozenset({"text/html", "application/xhtml+xml"})


class WebPages:
    """Opens pages of the web. Thread-safe.

    Args:
        runtime: supplies settings and workers.
        closing: set it to end all fetches.
    """

    def __init__(self, runtime: Runtime, *, closing: threading.Event | None = None) -> None:
        self._runtime = runtime
        self._settings: WebSettings = runtime.settings.web
        self._fetcher = WebFetcher(self._settings, closing=closing)

    def open(self, url: str, options: ConvertOptions, owners: Owners) -> Source:
        """Fetch a page. The bytes are stored as the original, with the URL as their location.

        Args:
            url: http or https.
            options: conversion options, also used to convert a doubtful page.
            owners: owners of the document, who decide about crawlers that are cloud services.

        Raises:
            PolicyRefused: settings, robots.txt, an address or a redirect forbid it.
            SourceMissing: the page does not exist.
            AuthUnavailable: the server requires credentials.
            ContentTooLarge: the page is too long.
            ToolUnavailable: the server cannot be reached, or the settings name a crawler and none is installed.
            UsageError: the web settings are invalid.
            Cancelled: the caller cancelled, or the library was closed.
        """
        asked = PageRequest(options=options, owners=owners)
        try:
            return self._open(self._fetcher.target(url), asked, cancel=asked.options.cancel)
        except OctavoError as error:
            raise error.located(source=shown_url(url)) from None

    def _open(self, target: Target, asked: PageRequest, *, cancel: threading.Event | None) -> Source:
        self._fetcher.check(target)
        if self._settings.crawler is None:
            return _source(self._fetcher.page(target, cancel=cancel), target, ())
        if within(target.host, self._settings.crawl_always):
            with self._fetcher.turn(target, cancel=cancel):
                return self._crawled(target, asked, why="the settings say so")
        try:
            page = self._fetcher.page(target, cancel=cancel)
        except (PolicyRefused, AuthUnavailable):
            raise  # a crawler must not bypass a refusal
        except OctavoError as error:
            if error.reason is None:
                raise
            return self._crawled_instead(target, asked, error)
        why = self._doubts(page, target, asked)
        if not why:
            return _source(page, target, ())
        try:
            return self._crawled(target, asked, why="; ".join(why))
        except OctavoError as error:
            if error.reason is None:
                raise
            message = f"the fetched page is doubtful ({'; '.join(why)}), and the crawler failed: {error.message}"
            finding = QualityFinding(flag=FLAG, message=message, severity="degraded", remedy=error.remedy)
            return _source(page, target, (finding,))

    def _crawled_instead(self, target: Target, asked: PageRequest, failed: OctavoError) -> Source:
        try:
            return self._crawled(target, asked, why=f"the plain fetch failed: {failed.message}")
        except OctavoError as error:
            error.message = f"{error.message}; before that, the plain fetch failed: {failed.message}"
            raise

    def _crawled(self, target: Target, asked: PageRequest, *, why: str) -> Source:
        client = self._client
        owners = asked.owners
        client.check(owners)
        self._fetcher.check_addresses(target)
        crawled = client.page(
            target,
            timeout=self._settings.seconds,
            max_bytes=self._settings.max_bytes,
            owners=owners,
            stopped=self._fetcher.stopped(asked.options.cancel),
        )
        final = self._fetcher.target(crawled.url)
        self._fetcher.check(final)
        self._fetcher.check_addresses(final)
        self._fetcher.check_rules(final)
        page = FetchedPage(url=final.url, media_type="text/html", body=crawled.body)
        note = QualityFinding(flag=FLAG, message=f"rendered by the crawler {client.name}: {why}", severity="note")
        return _source(page, target, (note,))

    @cached_property
    def _client(self) -> CrawlerClient:
        return CrawlerClient(self._settings, self._runtime.services)

    def _doubts(self, page: FetchedPage, target: Target, asked: PageRequest) -> tuple[str, ...]:
        """Return why the page should be rendered. Only workers examine and convert its markup."""
        with _source(page, target, ()) as source:
            if sniff(source.head, name=source.name).media_type not in _HTML:
                return ()
            limits = replace(self._runtime.settings.limits, wall_seconds=LOOK_SECONDS)
            handle = source.handle(media_type="text/html")
            try:
                reply = self._runtime.pool.run(
                    LOOK, b"", source=handle, limits=limits, lane=WorkerGroup(), cancel=asked.options.cancel
                )
                seen = PageLook.read(reply.payload)
            except (OctavoError, ValidationError):
                return ("its markup cannot be examined",)
        converted = convert_source(page.body, asked.options, name=_name(target, page), runtime=self._runtime)
        words = len(converted.text.split())
        return doubts(seen, main_words=words, has_title=bool(converted.result.metadata.title))


def _source(page: FetchedPage, target: Target, findings: tuple[QualityFinding, ...]) -> Source:
    source = Source.from_bytes(page.body, name=_name(target, page))
    source.place = place_ref(target.url)
    source.findings = findings
    return source


def _name(target: Target, page: FetchedPage) -> str:
    """Return a file name for a page: the last part of its path, with the extension of a web page if it is one."""
    last = PurePosixPath(unquote(urlsplit(target.url).path)).name.replace("\0", "") or target.host
    is_page = page.media_type in _HTML and not last.lower().endswith((".html", ".htm", ".xhtml"))
    return f"{last}.html" if is_page else last
