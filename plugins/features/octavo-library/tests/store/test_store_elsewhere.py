"""Where a library's index is: in its folder, or in a database that the folder has a note of (STO-3)."""

from __future__ import annotations

import subprocess
import sys

import pytest
from octavo_contracts import REASONS, ExitCode, LibraryReadOnly, OctavoError, StorageError, UsageError
from octavo_library import Library
from octavo_library.storage import ArtifactStore, IndexUnreachable, NewJob, has_index, open_index
from octavo_library.storage.index.dialect import open_engine
from sqlalchemy import make_url

NO_DRIVER = """
import sys
sys.modules["psycopg"] = None
from octavo_library import Library
from octavo_contracts import ToolUnavailable
try:
    Library.open(sys.argv[1], index="postgresql://user:secret@localhost/octavo")
except ToolUnavailable as error:
    print(error)
"""


@pytest.fixture
def server(empty_server):
    """The URL of an empty database."""
    return empty_server.replace("+psycopg", "")


@pytest.fixture
def other(tmp_path):
    with ArtifactStore(tmp_path / "other") as opened:
        yield opened


def test_without_a_url_it_is_in_the_folder(store, root):
    assert not has_index(root)
    with open_index(store):
        assert has_index(root)


def test_with_a_url_it_is_there_and_the_folder_has_a_note_of_it(store, root, server):
    with open_index(store, url=server) as index:
        made = index.library_id()
    assert has_index(root)
    assert not (root / "index.sqlite").exists()
    assert "postgres" not in (root / "index-elsewhere.json").read_text()
    with open_index(store, url=server) as index:
        assert index.library_id() == made
    with pytest.raises(UsageError, match="is in a database on a server") as caught:
        open_index(store)
    assert "OCTAVO_INDEX" in caught.value.remedy


def test_a_database_is_the_index_of_one_library(store, other, server, raw_hash, begin):
    with open_index(store, url=server) as index:
        index.jobs.start(NewJob(raw_hash=raw_hash("one"), steps=begin), owner=store.owner)
    with pytest.raises(UsageError, match="is the index of a different library than"):
        open_index(other, url=server)


def test_a_folder_that_has_its_index_takes_no_other(store, server):
    open_index(store).close()
    with pytest.raises(UsageError, match=r"has its index in index\.sqlite"):
        open_index(store, url=server)


def test_a_note_that_can_not_be_read_is_no_empty_library(store, root):
    (root / "index-elsewhere.json").write_text("{")
    with pytest.raises(StorageError, match=r"index-elsewhere\.json cannot be read"):
        open_index(store)


@pytest.mark.parametrize(
    ("url", "said"),
    [("nonsense", "is not a database URL"), ("mysql://u:secret@h/d", "'mysql' databases are not supported")],
)
def test_a_url_of_something_else_is_refused_without_being_repeated(store, url, said):
    with pytest.raises(UsageError, match=said) as caught:
        open_index(store, url=url)
    assert "secret" not in str(caught.value)


def test_a_server_that_is_not_there_is_named_without_its_password(store):
    pytest.importorskip("psycopg", reason="needs octavo-library[postgres]")
    with pytest.raises(StorageError, match="cannot be reached") as caught:
        open_index(store, url="postgresql://user:secret@127.0.0.1:9/octavo")
    assert "secret" not in str(caught.value)


SECRETS = ("sekrit", "sesame")


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("127.0.0.1:1/x?password=sekrit&sslpassword=sesame", IndexUnreachable),
        ("me:sekrit@127.0.0.1:1/x?connect_timeout=2", IndexUnreachable),
        ("me:p%40sekrit@127.0.0.1:1/x", IndexUnreachable),
        ("me@127.0.0.1:1/x?sslmode=sesame", IndexUnreachable),
        ("me:p@sekrit@127.0.0.1:1/x", UsageError),
        ("me/sekrit:p@127.0.0.1:1/x", UsageError),
        ("me:sekrit@127.0.0.1:notaport/x", UsageError),
        ("me:sekrit@127.0.0.1:99999/x", UsageError),
        ("me:sekrit@[::1/x", UsageError),
        ("127.0.0.1/x?port=zz&password=sekrit", UsageError),
        ("127.0.0.1:1/x?connect_timeout=abc&password=sekrit", UsageError),
        ("127.0.0.1:1/x?foo=sekrit", UsageError),
        ("127.0.0.1:1/x?autocommit=sekrit", UsageError),
    ],
)
def test_no_message_about_a_url_repeats_a_secret_of_it_and_nothing_is_left_behind(tmp_path, url, kind):
    pytest.importorskip("psycopg", reason="needs octavo-library[postgres]")
    with pytest.raises(kind) as caught:
        Library.open(tmp_path / "new" / "library", index=f"postgresql://{url}")
    said = str(caught.value)
    assert not any(secret in said for secret in SECRETS)
    assert "\n" not in said
    assert caught.value.remedy
    assert list(tmp_path.iterdir()) == []
    if kind is IndexUnreachable:
        assert "127.0.0.1:1/x" in said
        assert REASONS[caught.value.reason].exit_code is caught.value.exit_code is ExitCode.TOOL_UNAVAILABLE


def test_a_failed_opening_removes_nothing_that_was_there(tmp_path):
    pytest.importorskip("psycopg", reason="needs octavo-library[postgres]")
    with Library.open(tmp_path / "library"):
        pass
    (tmp_path / "empty").mkdir()
    for folder in ("library", "empty"):
        before = sorted((tmp_path / folder).rglob("*"))
        with pytest.raises(OctavoError):
            Library.open(tmp_path / folder, index="postgresql://127.0.0.1:1/x")
        assert sorted((tmp_path / folder).rglob("*")) == before
        assert (tmp_path / folder).is_dir()


def test_a_password_that_the_server_refuses_is_said_to_be_that(tmp_path, server):
    url = make_url(server).set(username="nobody_of_that_name", password="sekrit")
    with pytest.raises(IndexUnreachable) as caught:
        Library.open(tmp_path / "library", index=url.render_as_string(hide_password=False))
    assert "sekrit" not in str(caught.value)


@pytest.mark.postgresql
def test_a_library_in_a_folder_is_read_with_a_role_that_may_not_write(tmp_path, server):
    with Library.open(tmp_path / "library", index=server) as library:
        document_id = library.ingest(b"# A note\n\nThe tide.\n", name="note.md").document_id
    reading = f"{server}{'&' if '?' in server else '?'}options=-cdefault_transaction_read_only%3Don"
    with Library.open(tmp_path / "library", index=reading) as library:
        assert [hit.document_id for hit in library.search("tide")] == [document_id]
        assert library.document(document_id).canonical_text.endswith("The tide.")
        assert library.maintenance.verify().is_clean
        with pytest.raises(LibraryReadOnly, match="cannot be written"):
            library.ingest(b"# Another\n", name="another.md")


def test_a_missing_driver_is_named_with_what_installs_it(tmp_path):
    command = [sys.executable, "-c", NO_DRIVER, str(tmp_path / "library")]
    said = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout
    assert "its driver psycopg is not installed" in said
    assert "pip install 'octavo-library[postgres]'" in said
    assert "secret" not in said


@pytest.mark.parametrize(("asked", "set_to"), [("off", "on"), ("local", "local"), ("remote_apply", "remote_apply")])
def test_a_server_confirms_no_commit_that_it_may_forget(server, asked, set_to):
    """ENG-6: a confirmed commit outlives a crash of the server, whatever the server's own setting is."""
    engine = open_engine(make_url(server).update_query_dict({"options": f"-csynchronous_commit={asked}"}))
    try:
        with engine.connect() as connection:
            assert connection.exec_driver_sql("SHOW synchronous_commit").scalar() == set_to
    finally:
        engine.dispose()
