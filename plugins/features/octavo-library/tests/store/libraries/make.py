"""Make the library that a release's schema is remembered by: `python make.py`, with octavo and octavo-plaintext.

It goes into the folder of the schema's number, next to this file, and is committed once, with the release that
brings the schema. It is never made again for a schema that was released: what counts is what that release wrote.

    0001/library/…      the library's folder without its index
    0001/index.sql      the index, as SQL, so that a person can read what a release wrote
"""

from __future__ import annotations

import re
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path

from octavo_library import Library
from octavo_library.storage.index.schema import REVISION

HERE = Path(__file__).resolve().parent

NOTES = "# Harbour notes\n\nThe tide turned at noon.\n\n## Boats\n\n- Petrel\n- Dunlin\n"
READINGS = b"station,height\npier,3.2\nlock,1.9\n"
FIRST_PATH = Path("/srv/documents/notes.md")
"""Made up, and made for as long as this runs: paths stand in what a library holds, and it is published."""


def main() -> None:
    """Ingest a file twice converted, bytes in a corpus, and a file that fails."""
    target = HERE / REVISION
    if target.exists():
        raise SystemExit(f"{target} is there already: a released schema's library is not made again")
    if FIRST_PATH.parent.exists():
        raise SystemExit(f"{FIRST_PATH.parent} is in use; run this where it is free, for example in a container")
    FIRST_PATH.parent.mkdir(parents=True)
    try:
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder) / "library"
            fill(root)
            keep(root, target)
    finally:
        shutil.rmtree(FIRST_PATH.parent)


def fill(root: Path) -> None:
    """Take the documents in, through the public interface."""
    FIRST_PATH.write_text(NOTES, encoding="utf-8")
    empty = FIRST_PATH.with_name("empty.txt")
    empty.touch()
    with Library.open(root) as library:
        notes = library.ingest(FIRST_PATH, plugin="plaintext")
        library.document(notes.document_id).reconvert(plugin="plaintext", activate=False)
        library.ingest(READINGS, name="readings.csv", corpus="tides", plugin="plaintext")
        library.ingest(empty)


def keep(root: Path, target: Path) -> None:
    """Store the folder and the index."""
    with sqlite3.connect(root / "index.sqlite") as connection:
        dump = "\n".join(dumped(connection))
    connection.close()
    shutil.copytree(root, target / "library", ignore=shutil.ignore_patterns("index.sqlite*", "locks", "tmp"))
    (target / "index.sql").write_text(f"{dump}\n", encoding="utf-8")


def dumped(connection: sqlite3.Connection) -> Iterator[str]:
    """The statements of an index. An index of words is built from its table: a dump of its own tables cannot be loaded."""
    found = connection.execute("SELECT name, sql FROM sqlite_master WHERE sql LIKE 'CREATE VIRTUAL TABLE%'")
    virtual = dict(found.fetchall())
    own = re.compile(rf"(?:CREATE TABLE|INSERT INTO) [\"'](?:{'|'.join(virtual)})") if virtual else None
    for statement in connection.iterdump():
        if "sqlite_master" in statement or "writable_schema" in statement or (own is not None and own.match(statement)):
            continue
        if statement == "COMMIT;":
            for name, sql in virtual.items():
                yield f"{sql};"
                yield f"INSERT INTO {name}({name}) VALUES ('rebuild');"
        yield statement


if __name__ == "__main__":
    main()
