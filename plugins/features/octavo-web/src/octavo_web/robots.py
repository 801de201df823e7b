"""What a site asks of visitors that are programs: its robots.txt (RFC 9309), read by Protego."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from octavo.egress.exchange import USER_AGENT
from octavo.egress.targets import Target
from octavo_contracts import AuthUnavailable, ContentTooLarge, FetchResponse
from protego import Protego

MAX_BYTES = 512_000
"""As much of a robots.txt is read; RFC 9309 asks for 500 KiB at least."""
KEEP_SECONDS = 24 * 3600.0
TROUBLE_SECONDS = 60.0
"""A site that was in trouble is asked again after so long."""
MAX_RULES = 5_000
EVERYBODY = "*"
_AGENT = re.compile(r"user[ -]?agent", re.IGNORECASE)
_RULE = re.compile(r"allow|disallow|crawl[ -]?delay", re.IGNORECASE)
MAX_DELAY = 30.0
"""A site that asks for longer pauses is asked no slower than this."""


Fetch = Callable[[str, threading.Event | None], FetchResponse]


@dataclass(frozen=True)
class _Known:
    rules: Protego | None
    """None: the site cannot be asked for its rules, so that nothing of it is fetched."""
    until: float


class Robots:
    """The rules of the sites that were visited, each asked for once a day. Thread-safe.

    Args:
        fetch: fetches a URL, and ends when an event is set; raises as `Fetcher` does.
        clock: seconds that never go back.
    """

    def __init__(self, fetch: Fetch, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._fetch = fetch
        self._clock = clock
        self._known: dict[tuple[str, str, int], _Known] = {}
        self._lock = threading.Lock()

    def refusal(self, target: Target, *, cancel: threading.Event | None = None) -> str | None:
        """Why a page is not to be fetched, or None.

        Args:
            target: the page.
            cancel: set it to end the fetch of the rules; nothing is kept of it then.

        Raises:
            PolicyRefused: the site may not be asked for anything.
            ToolUnavailable: it cannot be reached at all.
        """
        rules = self._rules(target, cancel=cancel)
        if rules is None:
            return "its robots.txt cannot be had or is too long, which counts as a refusal"
        return None if rules.can_fetch(target.url, USER_AGENT) else "its robots.txt asks programs not to fetch it"

    def delay(self, target: Target) -> float:
        """Seconds that the site wants between two requests, 0 where it says nothing."""
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
    """The rules that concern this program, as one group: those of its own name, else those for everybody.

    The rest is dropped before anything is parsed: the reader's work grows with the number of names times that of rules, and a site
    may send as many of both as it likes.

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
    """Which of the two names that matter a line gives."""
    word = value.lower()
    return [EVERYBODY] if word == EVERYBODY else [USER_AGENT] if word.split("/")[0].strip() == USER_AGENT else []
