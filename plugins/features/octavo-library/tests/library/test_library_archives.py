"""A library ingests the files of a zip archive as documents of their own."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

from octavo_library import Library


def test_files_of_an_archive_are_documents_of_the_library(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as made:
        made.writestr("letters/a.txt", "The tide turns at noon.\n")
        made.writestr("b.csv", "day,height\nMonday,3.2\n")
    (tmp_path / "post.zip").write_bytes(buffer.getvalue())
    with Library.open(tmp_path / "library") as library:
        archive = library.ingest(tmp_path / "post.zip").document
        inside = {one.title: one.markdown.strip() for one in archive.attachments}
        letter = next(one.id for one in archive.attachments if one.title == "a.txt")
        (hit,) = library.search("noon")

    assert inside["a.txt"] == "The tide turns at noon."
    assert set(inside) == {"a.txt", "b.csv"}
    assert hit.document_id == letter
    assert {path.name for path in tmp_path.iterdir()} == {"post.zip", "library"}
