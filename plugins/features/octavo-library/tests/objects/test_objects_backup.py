"""Follows docs/how-to/back-up.md: a library in an object store is backed up and restored (STO-8)."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from octavo.settings.object_store import ObjectStoreSettings
from octavo.settings.settings import Settings
from octavo_cli import main
from octavo_library import Library
from sqlalchemy import create_engine, make_url, text

PAGE = Path(__file__).resolve().parents[5] / "docs" / "how-to" / "back-up.md"
Opener = Callable[[str, str], Library]

UNIQUE_PATH = "uq_document_original_paths_document_id_path"


def program(name: str) -> str:
    found = shutil.which(name) or next(iter(sorted(map(str, Path("/usr/lib/postgresql").glob(f"*/bin/{name}")))), None)
    if found is None:
        pytest.skip(f"needs {name} of PostgreSQL")
    return found


@pytest.fixture
def databases(postgres_url: str) -> Iterator[tuple[str, str]]:
    """The URLs of two empty databases."""
    engine = create_engine(postgres_url, isolation_level="AUTOCOMMIT")
    names = [f"o{uuid.uuid4().hex[:20]}" for _ in range(2)]
    place = make_url(postgres_url).set(drivername="postgresql")
    with engine.connect() as connection:
        for name in names:
            connection.exec_driver_sql(f"CREATE DATABASE {name}")
    one, two = (place.set(database=name).render_as_string(hide_password=False) for name in names)
    yield one, two
    with engine.connect() as connection:
        for name in names:
            connection.exec_driver_sql(f"DROP DATABASE {name} WITH (FORCE)")
    engine.dispose()


@pytest.fixture
def opened(tmp_path: Path) -> Opener:
    """Opens a library with a workspace of its own."""

    def open_it(url: str, index: str) -> Library:
        workspace = tmp_path / url.rpartition("/")[2]
        objects = ObjectStoreSettings(workspace=str(workspace), originals="stored")
        return Library.open(url, index=index, settings=Settings(workers=2, sampling=False, objects=objects))

    return open_it


@pytest.fixture
def papers(tmp_path: Path) -> dict[str, Path]:
    paths = {name: tmp_path / f"{name}.md" for name in ("kept", "purged", "waiting", "late")}
    for name, path in paths.items():
        path.write_text(f"# {name.title()}\n\nWhat {name} says about seals.\n")
    return paths


def run(variables: dict[str, str], *, containing: str) -> None:
    """Run the commands of the page's block that contains a text."""
    blocks = re.findall(r"```sh\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    (block,) = [one for one in blocks if containing in one]
    folder = str(Path(program("pg_dump")).parent)
    variables = {**os.environ, **variables, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
    subprocess.run(["bash", "-euc", block], env=variables, cwd=variables["HERE"], check=True)


def dump(index: str, tmp_path: Path) -> None:
    run({"OCTAVO_INDEX": index, "HERE": str(tmp_path)}, containing="pg_dump")


def restore(index: str, tmp_path: Path) -> None:
    run({"OCTAVO_INDEX": index, "HERE": str(tmp_path)}, containing="pg_restore")


def test_the_database_first_and_then_the_bucket(
    url: str,
    copied: Callable[[], str],
    databases: tuple[str, str],
    opened: Opener,
    papers: dict[str, Path],
    tmp_path: Path,
) -> None:
    first, second = databases
    with opened(url, first) as library:
        library.ingest(papers["kept"])
        purged = library.ingest(papers["purged"]).document
        library.queue.submit(papers["waiting"])
        dump(first, tmp_path)
        library.maintenance.purge(purged.id, confirm=purged.id)
        late = library.ingest(papers["late"]).document
        copy = copied()
    restore(second, tmp_path)
    for path in papers.values():
        path.unlink()
    with opened(copy, second) as restored:
        report = restored.maintenance.verify()
        assert {ref.split("/")[1].partition(".")[0] for ref in report.unindexed} == {late.raw_hash}
        assert {ref.split("/")[1].partition(".")[0] for ref in report.missing} == {purged.raw_hash}
        done = restored.maintenance.repair(report)
        assert done.unreadable == (purged.id,), "it was purged after the dump"
        restored.maintenance.purge(purged.id, confirm=purged.id)
        assert restored.maintenance.verify().is_clean
        assert restored.queue.work(until_empty=True, slots=1).ended == 1
        texts = {document.title: document.canonical_text for document in restored.documents()}
        assert texts.keys() == {"Kept", "Late", "Waiting"}
        assert all("about seals" in text for text in texts.values())


def test_the_bucket_first_lacks_what_was_converted_between(
    url: str,
    copied: Callable[[], str],
    databases: tuple[str, str],
    opened: Opener,
    papers: dict[str, Path],
    tmp_path: Path,
) -> None:
    first, second = databases
    with opened(url, first) as library:
        library.ingest(papers["kept"])
        purged = library.ingest(papers["purged"]).document
        copy = copied()
        library.maintenance.purge(purged.id, confirm=purged.id)
        late = library.ingest(papers["late"]).document
        dump(first, tmp_path)
    restore(second, tmp_path)
    words = papers["late"].read_text()
    papers["late"].unlink()
    with opened(copy, second) as restored:
        report = restored.maintenance.verify()
        assert report.unindexed == ()
        assert {purged.raw_hash} == {ref.split("/")[1].partition(".")[0] for ref in report.orphans}
        assert restored.maintenance.repair(report).unreadable == (late.id,)
        papers["late"].write_text(words)
        assert restored.ingest(papers["late"]).document.canonical_text.endswith("about seals.")
        restored.maintenance.repair()
        restored.maintenance.purge_expired(restored.maintenance.expired())
        assert restored.maintenance.verify().is_clean


def test_a_restored_database_belongs_to_its_library(
    url: str, databases: tuple[str, str], opened: Opener, papers: dict[str, Path], tmp_path: Path
) -> None:
    """The library notes the identity of its index, not the address of the server."""
    first, second = databases
    with opened(url, first) as library:
        library.ingest(papers["kept"])
    dump(first, tmp_path)
    restore(second, tmp_path)
    with opened(url, second) as moved:
        assert [document.title for document in moved.documents()] == ["Kept"]
        assert moved.maintenance.verify().is_clean


def test_the_first_process_of_a_newer_version_migrates_the_index(
    url: str,
    databases: tuple[str, str],
    opened: Opener,
    papers: dict[str, Path],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """The schema of revision 0018 differs from the newest one by indexes and the titles of versions."""
    first, _ = databases
    with opened(url, first) as library:
        library.queue.submit(papers["waiting"])
        library.ingest(papers["kept"])
    engine = create_engine(make_url(first).set(drivername="postgresql+psycopg"))
    with engine.begin() as connection:
        newest = connection.scalar(text("SELECT version_num FROM alembic_version"))
        titles = connection.execute(text("SELECT document_id, title FROM conversions")).all()
        connection.exec_driver_sql("ALTER TABLE conversions DROP COLUMN title")
        connection.exec_driver_sql("DROP INDEX ix_documents_status_type_listing")
        connection.exec_driver_sql(f"DROP INDEX {UNIQUE_PATH}")
        connection.exec_driver_sql(
            f"ALTER TABLE document_original_paths ADD CONSTRAINT {UNIQUE_PATH} UNIQUE (document_id, path)"
        )
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '0018'")
    monkeypatch.setenv("OCTAVO_OBJECTS__WORKSPACE", str(tmp_path / "doctor"))
    main(["doctor", "--library", url, "--index", first])
    told = capsys.readouterr().out
    assert "0018" in told
    with engine.begin() as connection:
        assert connection.scalar(text("SELECT version_num FROM alembic_version")) == "0018", "doctor migrates nothing"
    with opened(url, first) as library:
        with engine.begin() as connection:
            for document, title in titles:  # the records beside the documents are those of the newer version
                change = text("UPDATE conversions SET title = :title WHERE document_id = :document")
                connection.execute(change, {"title": title, "document": document})
        assert library.queue.work(until_empty=True, slots=1).ended == 1
        assert library.maintenance.verify().is_clean
    with engine.begin() as connection:
        assert connection.scalar(text("SELECT version_num FROM alembic_version")) == newest
    engine.dispose()
