"""A brief is stored with the version that it was made of, and made again when it no longer is that version's (INT-1 to INT-3)."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from octavo.settings.briefs import BriefSettings
from octavo.settings.settings import Settings
from octavo_brief import brief
from octavo_cli import main
from octavo_library import Library
from octavo_library.facade.corpora import CorpusSettings

NOTE = "# The lease of Unit 7\n\nHigh water is at 16:33 on 4 March 2024. The rent is $1,200 a year, and it is paid in advance.\n"
SECONDS = 60.0


@pytest.fixture
def note(tmp_path: Path) -> Path:
    path = tmp_path / "note.md"
    path.write_text(NOTE)
    return path


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with Library.open(tmp_path / "library", settings=Settings(workers=1)) as opened:
        yield opened


def stored(folder: Path, *, version: int = 1) -> list[Path]:
    """The files of the summaries of the one document of a library."""
    return sorted(folder.glob(f"by_hash/*/conversions/v{version}/summaries/*"))


def rewrite(path: Path, **fields: Any) -> None:
    """Change fields of a stored summary, with the hash that its content then has."""
    told = json.loads(path.read_text()) | fields
    content = json.dumps(told["content"], ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    path.write_text(json.dumps(told | {"content_sha256": sha256(content.encode()).hexdigest()}))


def test_a_brief_is_made_in_the_background_where_the_run_asks_for_it(library: Library, note: Path) -> None:
    """The document is complete and readable before its brief exists, and afterwards `brief` reads what is stored (INT-1)."""
    done = library.ingest(note, briefs=True)
    assert done.result.ingestion_status == "complete"
    assert library.engine.wait_for_follow_ups(seconds=SECONDS)

    (path,) = stored(library.path)
    told = json.loads(path.read_text())
    assert (told["maker"], told["version"]) == ("brief", 1)
    assert told["content"]["facts"]["title"]["value"] == "The lease of Unit 7"
    title = told["content"]["facts"]["title"] | {"value": "as it was stored"}
    rewrite(path, content=told["content"] | {"facts": told["content"]["facts"] | {"title": title}})
    made = brief(library.document(str(done.document_id)))
    assert made.facts.title is not None
    assert made.facts.title.value == "as it was stored"
    assert [one.value for one in made.amounts] == ["$1,200"]
    assert library.maintenance.verify().is_clean


@pytest.mark.parametrize(
    ("settings", "corpus", "run", "wanted"),
    [
        (False, None, None, False),
        (True, None, None, True),
        (True, False, None, False),
        (False, True, None, True),
        (False, True, False, False),
        (False, False, True, True),
    ],
)
def test_the_run_decides_before_the_corpus_and_the_corpus_before_the_settings(
    tmp_path: Path, note: Path, settings: bool, corpus: bool | None, run: bool | None, wanted: bool
) -> None:
    """A plain ingestion makes no brief (INT-1)."""
    background = Settings(workers=1, briefs=BriefSettings(in_background=settings))
    with Library.open(tmp_path / "library", settings=background) as library:
        library.corpora.create("case", CorpusSettings(briefs=corpus))
        library.ingest(note, corpus="case", briefs=run)
        assert library.engine.wait_for_follow_ups(seconds=SECONDS)
        assert bool(stored(library.path)) is wanted
        assert library.corpora.get("case").settings.briefs is corpus


def test_a_brief_that_is_asked_for_is_stored(library: Library, note: Path) -> None:
    done = library.ingest(note)
    assert stored(library.path) == []
    first = brief(library.document(str(done.document_id)))
    assert len(stored(library.path)) == 1
    assert brief(library.document(str(done.document_id))) == first


@pytest.mark.parametrize(
    "fields",
    [
        {"made_at": (datetime.now(UTC) - timedelta(days=31)).isoformat()},
        {"made_at": (datetime.now(UTC) + timedelta(days=400)).isoformat()},
        {"maker_version": "0"},
        {"source_sha256": "0" * 64},
        {"version": 2},
        {"content": {"facts": None}},
    ],
    ids=["31 days", "wrong clock", "maker", "other files", "other version", "no brief"],
)
def test_a_brief_that_is_no_longer_valid_is_made_again(library: Library, note: Path, fields: dict[str, Any]) -> None:
    """After 30 days, for other bytes or another version, and by other rules (INT-2)."""
    document = library.document(str(library.ingest(note).document_id))
    first = brief(document)
    (path,) = stored(library.path)
    rewrite(path, **fields)
    spoilt = path.read_bytes()
    assert brief(document) == first
    assert path.read_bytes() != spoilt


def test_the_days_are_a_setting(tmp_path: Path, note: Path) -> None:
    """INT-2: an ingestion of known bytes makes an old brief again too."""
    with Library.open(tmp_path / "library", settings=Settings(workers=1, briefs=BriefSettings(max_days=3))) as library:
        library.ingest(note, briefs=True)
        assert library.engine.wait_for_follow_ups(seconds=SECONDS)
        (path,) = stored(library.path)
        before = json.loads(path.read_text())["made_at"]
        library.ingest(note, briefs=True)
        assert library.engine.wait_for_follow_ups(seconds=SECONDS)
        assert json.loads(path.read_text())["made_at"] == before
        old = (datetime.now(UTC) - timedelta(days=4)).isoformat()
        rewrite(path, made_at=old)
        assert library.ingest(note, briefs=True).reused
        assert library.engine.wait_for_follow_ups(seconds=SECONDS)
        assert json.loads(path.read_text())["made_at"] > before


def test_a_reconversion_makes_the_brief_of_the_new_version(library: Library, note: Path) -> None:
    """A document with a brief gets one of its new version without being asked; chunks stay those of the config (INT-3)."""
    document = library.document(str(library.ingest(note).document_id))
    document.reconvert()
    assert library.engine.wait_for_follow_ups(seconds=SECONDS)
    assert stored(library.path, version=2) == [], "a document without a brief needs none"
    brief(library.document(document.id))
    assert len(stored(library.path, version=2)) == 1

    document.reconvert(plugin="plaintext")
    assert library.engine.wait_for_follow_ups(seconds=SECONDS)
    assert len(stored(library.path, version=3)) == 1
    assert json.loads(stored(library.path, version=3)[0].read_text())["version"] == 3
    sets = [sorted(path.name for path in library.path.glob(f"by_hash/*/conversions/v{n}/chunks/*")) for n in (2, 3)]
    assert sets[0] == sets[1]


def test_an_altered_brief_is_found_and_removed(library: Library, note: Path) -> None:
    """A check reads summaries too; the version itself stays whole, since a brief can be made again (STO-8)."""
    document = library.document(str(library.ingest(note).document_id))
    first = brief(document)
    (path,) = stored(library.path)
    path.write_text(path.read_text().replace("$1,200", "$9,999"))

    report = library.maintenance.verify()
    assert report.altered == (f"store:{path.relative_to(library.path).as_posix()}",)
    repaired = library.maintenance.repair()
    assert repaired.removed == report.altered
    assert repaired.damaged == ()
    assert repaired.remaining == ()
    assert library.maintenance.verify().is_clean
    assert brief(document) == first


def test_a_purge_removes_it_and_an_export_has_it(library: Library, note: Path, tmp_path: Path) -> None:
    """STO-12 and STO-14; another policy context does not learn from an export that somebody asked (STO-5)."""
    library.corpora.create("quiet", CorpusSettings(visibility="firewalled"))
    library.corpora.create("open")
    library.ingest(note, corpus="quiet")
    done = library.ingest(note, corpus="open")
    document = library.document(str(done.document_id))
    brief(library.document(document.id, corpus="quiet"))

    def exported(corpus: str | None) -> list[str]:
        library.document(document.id, corpus=corpus).export(tmp_path / "out.zip")
        return [name for name in zipfile.ZipFile(tmp_path / "out.zip").namelist() if "summaries" in name]

    assert exported(None) == [f"summaries/{stored(library.path)[0].name}"]
    assert exported("open") == []
    preview = library.maintenance.purge_preview(document.id)
    assert any("/summaries/" in ref for ref in preview.files)
    assert library.maintenance.purge(document.id, confirm=preview.digest).kept == ()
    assert list(library.path.glob("by_hash/*")) == []


def test_a_type_set_by_hand_stays_in_its_context(library: Library, note: Path) -> None:
    """What is stored follows from the bytes: each context gets its own type (STO-5)."""
    library.corpora.create("quiet", CorpusSettings(visibility="firewalled"))
    library.corpora.create("open")
    document_id = str(library.ingest(note, corpus="quiet").document_id)
    library.ingest(note, corpus="open")
    library.document(document_id, corpus="quiet").set_type("correspondence")
    types = [brief(library.document(document_id, corpus=name)).document_type for name in ("quiet", "open", "quiet")]
    assert types == ["correspondence", "unknown", "correspondence"]
    assert "correspondence" not in stored(library.path)[0].read_text()


KILLED = """\
import os, sys
from octavo_library import Library
from octavo_library.ingestion.events import JobEnded

def die(event):
    if isinstance(event, JobEnded):
        os._exit(9)

library = Library.open(sys.argv[1])
library.engine.events.subscribe(die)
library.ingest(sys.argv[2], briefs=True)
"""


def test_a_host_that_is_killed_owes_the_brief(tmp_path: Path, note: Path) -> None:
    """The job of the brief is committed with the version, and the next process makes it (ENG-6)."""
    folder = tmp_path / "library"
    killed = subprocess.run([sys.executable, "-c", KILLED, folder, note], capture_output=True, timeout=120, check=False)
    assert killed.returncode == 9, killed.stderr
    assert stored(folder) == []
    with Library.open(folder) as library:
        assert library.engine.wait_until_resumed(seconds=SECONDS)
        assert len(stored(folder)) == 1
        assert [job.state for job in library.runs.jobs(library.documents()[0].id)][-1] == "complete"


def test_the_command_waits_for_the_briefs(
    tmp_path: Path, note: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["corpus", "create", "case", "--briefs", "on"]) == 0
    assert main(["ingest", str(note), "--corpus", "case"]) == 0
    assert len(stored(tmp_path / "octavo-library")) == 1
    assert main(["corpus", "show", "case", "--json"]) == 0
    assert main(["corpus", "set", "case", "--briefs", "default"]) == 0
    out = capfd.readouterr().out
    assert '"briefs": true' in out
    (tmp_path / "other.md").write_text(NOTE + "\nAnother line.\n")
    assert main(["ingest", "other.md", "--corpus", "case"]) == 0
    assert len(stored(tmp_path / "octavo-library")) == 1
    assert main(["ingest", "other.md", "--corpus", "case", "--briefs"]) == 0
    assert len(stored(tmp_path / "octavo-library")) == 2


def test_the_record_of_a_document_has_its_stored_brief_for_the_owner_alone(library: Library, note: Path) -> None:
    """STO-15: another context must not learn from it that somebody asked for a brief (STO-5)."""
    done = library.ingest(note, corpus="leases", briefs=True)
    assert library.engine.wait_for_follow_ups(seconds=SECONDS)
    own = library.catalogue.entity(library.document(str(done.document_id)))
    assert own.structured_summary is not None
    assert json.loads(own.structured_summary)["facts"]["title"]["value"] == "The lease of Unit 7"
    assert own.page_summaries
    assert own.summary_model == "brief 2"
    told = datetime.fromisoformat(str(own.summary_generated_at))
    assert abs(datetime.now(UTC) - told) < timedelta(minutes=5)
    corpus = library.catalogue.entity(library.document(str(done.document_id), corpus="leases"))
    assert (corpus.structured_summary, corpus.summary_generated_at) == (None, None)
