"""The library against a perfect one in memory, under random ingest, reconvert, delete, relink and crash."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from octavo.settings.engine import CareSettings, EngineSettings
from octavo.settings.settings import Settings
from octavo_contracts import ref_path
from octavo_library import Library
from octavo_library.storage import ArtifactStore, verify

PLAIN = """\
from octavo_contracts import *
@hookimpl
def convert(source, request, context):
    return Conversion(pages=(Page(number=1, kind='whole', markdown=source.read_bytes().decode()),), paginated=False)
"""
CALM = CareSettings(memory_stop=101.0, memory_go=100.0, load_stop=1e6, load_go=1e5, disk_floor=0)
WORDS = ("tide", "harbour", "seal", "storm")
NAMES = tuple(f"{letter}.txt" for letter in "abcd")
MOMENTS = ("put_version", "put_chunks", "write_log", "complete", "start_many")


class PowerCut(BaseException):
    """Ends the process that is not one: nothing below may handle it."""


class LibraryMachine(RuleBasedStateMachine):
    """A few texts at a few paths: small enough that every collision of two operations happens.

    The model is two dictionaries: which text stands at which path, and how often each known text was converted.
    """

    def __init__(self):
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="octavo-model-"))
        self.sources = self.folder / "in"
        self.sources.mkdir()
        self.at: dict[str, str] = {}
        self.seen_at: dict[str, set[str]] = {}
        self.versions: dict[str, int] = {}
        self.library = self.open()

    def open(self):
        return Library.open(
            self.folder / "library", settings=Settings(workers=1, engine=EngineSettings(care=CALM)), runtime=RUNTIME[0]
        )

    def document(self, text):
        path = next(iter(sorted(self.seen_at[text])))
        [found] = [one for one in self.library.documents() if one.canonical_text.strip() == text]
        assert path in {ref_path(ref).name for ref in found.paths}
        return found

    @rule(name=st.sampled_from(NAMES), word=st.sampled_from(WORDS))
    def write(self, name, word):
        (self.sources / name).write_text(word)
        self.at[name] = word

    @rule()
    def ingest_all(self):
        paths = sorted(self.sources.iterdir())
        done = {Path(item.source).name: item for item in self.library.ingest_many(paths, plugin="plain")}
        assert set(done) == set(self.at)
        self.note_ingested(self.at)
        for name, text in self.at.items():
            assert done[name].document.canonical_text.strip() == text

    @rule(name=st.sampled_from(NAMES))
    def ingest_one(self, name):
        if name in self.at:
            item = self.library.ingest(self.sources / name, plugin="plain")
            assert item.reused == (self.at[name] in self.versions)
            self.note_ingested({name: self.at[name]})

    def note_ingested(self, at):
        for name, text in at.items():
            self.versions.setdefault(text, 1)
            self.seen_at.setdefault(text, set()).add(name)

    @rule(word=st.sampled_from(WORDS))
    def reconvert(self, word):
        if word in self.versions and word in self.at.values():
            number = self.document(word).reconvert(plugin="plain").version
            self.versions[word] += 1
            assert number >= self.versions[word]

    @rule(word=st.sampled_from(WORDS))
    def delete(self, word):
        if word in self.versions:
            document = self.document(word)
            self.library.maintenance.purge(document, confirm=document.id)
            del self.versions[word], self.seen_at[word]

    @rule(word=st.sampled_from(WORDS), name=st.sampled_from(NAMES))
    def relink(self, word, name):
        if word in self.versions and self.at.get(name) == word:
            self.document(word).original.relink(self.sources / name)
            self.seen_at[word].add(name)

    @rule()
    def reopen(self):
        self.library.close()
        self.library = self.open()

    @rule(moment=st.sampled_from(MOMENTS), after=st.booleans(), number=st.integers(0, 3))
    def crash_during_ingest(self, moment, after, number):
        """Everything in memory is gone at one moment; what the disk has is what the next opening finds."""
        if not self.at:
            return
        jobs = self.library.context.index.jobs
        owner = jobs if hasattr(jobs, moment) else ArtifactStore
        real = getattr(owner, moment)
        left = [number]

        def cut(*args, **options):
            left[0] -= 1
            if left[0] == -1 and not after:
                raise PowerCut
            made = real(*args, **options)
            if left[0] == -1:
                raise PowerCut
            return made

        setattr(owner, moment, cut)
        try:
            for _ in self.library.ingest_many(sorted(self.sources.iterdir()), plugin="plain"):
                pass
        except PowerCut:
            pass
        finally:
            if owner is ArtifactStore:
                setattr(owner, moment, real)
            else:
                delattr(owner, moment)
        self.library.close()
        self.library = self.open()
        for _ in self.library.ingest_many(sorted(self.sources.iterdir()), plugin="plain"):
            pass
        self.note_ingested(self.at)

    @invariant()
    def is_the_same_as_the_model(self):
        stored = self.library.documents()
        assert sorted(document.canonical_text.strip() for document in stored) == sorted(self.versions)
        for document in stored:
            text = document.canonical_text.strip()
            assert len(document.versions) == self.versions[text]
            assert sum(version.is_active for version in document.versions) == 1
            assert {ref_path(ref).name for ref in document.paths} == self.seen_at[text]
        assert verify(self.library.context.artifacts, self.library.context.index, read_contents=True).is_clean

    def teardown(self):
        self.library.close()
        shutil.rmtree(self.folder)


RUNTIME: list = []


@pytest.mark.usefixtures("make_plugin")
def test_a_library_is_what_a_perfect_one_would_be(make_plugin):
    from hypothesis.stateful import run_state_machine_as_test
    from octavo.runtime import Runtime

    make_plugin("plain", PLAIN)
    with Runtime(Settings(workers=1)) as runtime:
        RUNTIME[:] = [runtime]
        checks = settings(
            max_examples=8,
            stateful_step_count=12,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            derandomize=True,
        )
        run_state_machine_as_test(LibraryMachine, settings=checks)
