"""Rules of a site for programs: its robots.txt (RFC 9309), parsed by Protego."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from octavo_contracts import AuthUnavailable, ContentTooLarge, FetchResponse
from octavo_sandbox.egress.exchange import USER_AGENT
from octavo_sandbox.egress.targets import Target
from protego import Protego

MAX_BYTES = 512_000
"""Maximum bytes of a robots.txt; RFC 9309 requires at least 500 KiB."""
KEEP_SECONDS = 24 * 3600.0
TROUBLE_SECONDS = 60.0
"""Retry interval after a server error, seconds."""
MAX_RULES = 5_000
EVERYBODY = "*"
_AGENT = re.compile(r"user[ -]?agent", re.IGNORECASE)
_RULE = re.compile(r"allow|disallow|crawl[ -]?delay", re.IGNORECASE)
MAX_DELAY = 30.0
"""Upper limit for the delay that a site requests, seconds."""


Fetch = Callable[[str, threading.Event | None], FetchResponse]


@dataclass(frozen=True)
class _Known:
    rules: Protego | None
    """None: the rules cannot be fetched, so no page of the site is."""
    until: float


class Robots:
    """Cache of the rules of visited sites, fetched once a day. Thread-safe.

    Args:
        fetch: fetches a URL and ends when an event is set; raises like `Fetcher`.
        clock: a monotonic clock, seconds.
    """

    def __init__(self, fetch: Fetch, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._fetch = fetch
        self._clock = clock
        self._known: dict[tuple[str, str, int], _Known] = {}
        self._lock = threading.Lock()

    def refusal(self, target: Target, *, cancel: threading.Event | None = None) -> str | None:
        """Return why a page must not be fetched, or None.

        Args:
            target: the page.
            cancel: set it to end the fetch of the rules; then nothing is cached.

        Raises:
            PolicyRefused: the site must not be contacted.
            ToolUnavailable: the site cannot be reached.
        """
        rules = self._rules(target, cancel=cancel)
        if rules is None:
            return "robots.txt cannot be fetched or is too long, which counts as a refusal"
        return None if rules.can_fetch(target.url, USER_AGENT) else "robots.txt disallows this URL"

    def delay(self, target: Target) -> float:
        """Delay between requests that the site asks for, seconds; 0 if unspecified."""
        rules = self._rules(target)
        wanted = rules.crawl_delay(USER_AGENT) if rules is not None else None
        return min(MAX_DELAY, float(wanted or 0.0))

    def _rules(self, target: Target, *, cancel: threading.Event | None = None) -> Protego | None:
        with self._lock:
            known = self._known.get(target.origin)
        if known is None or known.until <= self._clock():
            rules = self._ask(target, cancel)
            known = _Known(rules, self._clock() + (KEEP_SECONDS if rules is not None else TROUBLE_SECONDS))
            with self._lock:
                self._known[target.origin] = known
        return known.rules

    def _ask(self, target: Target, cancel: threading.Event | None) -> Protego | None:
        url = f"{target.scheme}://{target.authority}/robots.txt"
        try:
            answer = self._fetch(url, cancel)
        except AuthUnavailable:
            return Protego.parse("")  # RFC 9309, 2.3.1.3: a file that is "unavailable" forbids nothing
        except ContentTooLarge:
            return None
        if 200 <= answer.status < 300:
            return Protego.parse(rules_for_us(answer.body.decode("utf-8-sig", "replace")))
        return Protego.parse("") if 400 <= answer.status < 500 else None


def rules_for_us(text: str) -> str:
    """Return the rules for this program as one group: those for its own name, else those for all programs.

    Other rules are dropped before parsing: the parser's time grows with the number of names times that of rules, and a site
    can send any number of both.

    Args:
        text: a robots.txt.
    """
    groups: dict[str, list[str]] = {}
    named: set[str] = set()
    is_open = False
    for line in text.splitlines():
        key, colon, value = (part.strip() for part in line.partition("#")[0].partition(":"))
        if not colon:
            continue
        if _AGENT.fullmatch(key):
            named = {*(named if is_open else ()), *_names(value)}
            is_open = True
        elif _RULE.fullmatch(key):
            is_open = False
            for name in named:
                own = groups.setdefault(name, [])
                if len(own) < MAX_RULES:
                    own.append(f"{key}: {value}")
    rules = groups.get(USER_AGENT) or groups.get(EVERYBODY) or []
    return "\n".join([f"User-agent: {EVERYBODY}", *rules])


def _names(value: str) -> list[str]:
    """Return which of the two relevant names a line has."""
    word = value.lower()
    return [EVERYBODY] if word == EVERYBODY else [USER_AGENT] if word.split("/")[0].strip() == USER_AGENT else []
