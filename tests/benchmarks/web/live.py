"""The live page of a run in a browser while the run writes events: is it current, and does it answer?

A run ingests small files in one process, the server is another one, and a writer adds events of the run to the index at a
fixed rate, in transactions of a tenth of a second. Chromium has the page of the run open all the while. Measured are the longest time for
which the page's thread was busy, the time from a key press to its effect, the age of the count that the page shows, and the
time that another client's page of documents takes. The key presses show whether the page still answers its user.

Needs Playwright and a Chromium (`pip install playwright`, `apt-get install chromium`).

Usage:
    python -m tests.benchmarks.web.live [--rate N] [--seconds S] [--json]
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import re
import shutil
import sqlite3
import tempfile
import threading
import time
import uuid
from contextlib import closing
from pathlib import Path
from typing import Any

from octavo import Settings
from octavo_library import Library
from octavo_library.text.times import time_text, utc_now

from .load import at, fill, get, serving

NOTES = 20_000
"""Files of the run: more than it ingests while the page is watched."""
BUSY_TARGET_MS = 200.0
"""The page's thread is never busy for longer: a user notices no delay of a key press."""
AGE_TARGET_S = 4.0
"""The count on the page is never older: the page asks again a second after each answer."""
_WATCH = """() => {
    window.longest = 0;
    let last = performance.now();
    setInterval(() => { const now = performance.now(); window.longest = Math.max(window.longest, now - last - 20); last = now; }, 20);
}"""


class OpenRun:
    """A run that stays open, and a writer of its events.

    Args:
        folder: the library.
        rate: events a second.
    """

    def __init__(self, folder: Path, rate: int) -> None:
        self._folder = folder
        self._rate = rate
        self._end = threading.Event()
        self.written = 0
        self.run_id = ""
        self._ready = threading.Event()
        self._threads = [threading.Thread(target=self._ingest), threading.Thread(target=self._write)]

    def __enter__(self) -> OpenRun:
        for thread in self._threads:
            thread.start()
        assert self._ready.wait(120), "the run did not begin"
        return self

    def __exit__(self, *exc: object) -> None:
        self._end.set()
        for thread in self._threads:
            thread.join()

    def _ingest(self) -> None:
        folder = self._folder.parent / "notes"
        folder.mkdir()
        for number in range(NOTES):
            (folder / f"note-{number}.txt").write_text(f"Note {number} of the run.")
        with Library.open(self._folder, settings=Settings(sampling=False, workers=1)) as library:
            for _ in library.ingest_many(sorted(folder.iterdir())):
                if not self.run_id:
                    self.run_id = library.runs.list(limit=1)[0][0].run_id
                    self._ready.set()
                if self._end.is_set():
                    break

    def _write(self) -> None:
        self._ready.wait()
        with closing(sqlite3.connect(self._folder / "index.sqlite", timeout=60)) as connection:
            known = connection.execute("SELECT document_id FROM documents LIMIT 1000").fetchall()
            started = time.monotonic()
            while not self._end.is_set():
                wanted = int((time.monotonic() - started) * self._rate)
                rows = [
                    (known[number % len(known)][0], f"file:///{uuid.uuid4().hex}", time_text(utc_now()), self.run_id)
                    for number in range(self.written, wanted)
                ]
                with connection:
                    connection.executemany(
                        "INSERT INTO ingest_events (document_id, path, surface, outcome, at, run_id) "
                        "VALUES (?, ?, 'corpus', 'reused', ?, ?)",
                        rows,
                    )
                self.written = wanted
                time.sleep(0.1)


def watch(address: str, run: OpenRun, seconds: float) -> dict[str, Any]:
    """What a user of the page of the run meets with."""
    from playwright.sync_api import sync_playwright  # this benchmark alone needs it

    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    keys: list[float] = []
    ages: list[float] = []
    others: list[float] = []
    connection = http.client.HTTPConnection(address, timeout=60)
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page()
        page.goto(f"http://{address}/runs/{run.run_id}", wait_until="load")
        page.evaluate(_WATCH)
        begun, shown, changed_at = time.monotonic(), "", time.monotonic()
        while time.monotonic() - begun < seconds:
            page.locator("h1").click()
            pressed = time.perf_counter()
            page.keyboard.press("/")
            page.wait_for_selector("#find:focus", timeout=10_000)
            keys.append((time.perf_counter() - pressed) * 1000)
            page.keyboard.press("Tab")
            (text,) = re.findall(r"([\d,]+) known already", page.locator("dl.facts").first.inner_text())
            if text != shown:
                ages.append(time.monotonic() - changed_at)
                shown, changed_at = text, time.monotonic()
            asked = time.perf_counter()
            get(connection, "/documents")
            others.append((time.perf_counter() - asked) * 1000)
            time.sleep(0.2)
        longest = page.evaluate("window.longest")
        browser.close()
    connection.close()
    return {
        "updates": len(ages),
        "longest_between_updates_s": round(max([*ages, time.monotonic() - changed_at]), 2),
        "page_busy_longest_ms": round(longest, 1),
        "key_p95_ms": at(keys, 0.95),
        "other_client_p95_ms": at(others, 0.95),
        "shown": shown,
    }


def main() -> None:
    """Print what was measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=10_000)
    parser.add_argument("--rate", type=int, default=1_000, help="events a second")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "library"
        fill(folder, given.documents)
        with serving(folder) as (address, _), OpenRun(folder, given.rate) as run:
            begun = time.monotonic()
            before = run.written
            told = watch(address, run, given.seconds)
            rate = (run.written - before) / (time.monotonic() - begun)
    told = {"events_per_second": round(rate, 1), **told, "load_of_the_machine": round(os.getloadavg()[0], 1)}
    told["is_responsive"] = (
        told["page_busy_longest_ms"] <= BUSY_TARGET_MS and told["longest_between_updates_s"] <= AGE_TARGET_S
    )
    if given.json:
        print(json.dumps(told, indent=1))
        return
    for name, value in told.items():
        print(f"{name:<28}{value}")


if __name__ == "__main__":
    main()
