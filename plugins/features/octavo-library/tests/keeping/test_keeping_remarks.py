"""Annotations that survive reconversion (STO-17), links (STO-9), and the export that carries them (STO-14)."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from octavo_cli import main
from octavo_contracts import Span, StorageError, UsageError
from octavo_library import Library
from octavo_library.facade.document_annotations import find_again


def test_annotations_find_their_place_in_another_version(library: Library, file: Path) -> None:
    first = library.ingest(file, plugin="pages").document
    text = first.canonical_text
    start = text.rindex("the tide")
    marked = first.annotations.add("highlight", span=Span(start=start, end=start + 8), text="which tide?", by="anna")
    bookmark = first.annotations.add("bookmark", page=2)
    note = first.annotations.add("note", text="the whole")
    assert (marked.page, marked.quote, marked.made_in, marked.made_by) == (3, "the tide", 1, "anna")
    assert (bookmark.page, bookmark.span, note.page) == (2, None, None)

    first.reconvert(plugin="flat", activate=True)
    second = library.document(first.id)

    kept = {one.kind: one for one in second.annotations}
    moved = kept["highlight"]
    assert moved.span is not None
    assert moved.span.of(second.canonical_text) == "the tide"
    assert moved.span.start == second.canonical_text.rindex("the tide")
    assert (moved.page, moved.made_in, moved.is_lost) == (None, 1, False)
    assert (kept["bookmark"].page, kept["note"].text) == (2, "the whole")
    assert first.annotations[0].span == marked.span


def test_a_place_that_is_gone_is_shown_as_lost_and_kept(library: Library) -> None:
    document = library.ingest(b"alpha|beta", name="a.txt", plugin="pages").document
    across = document.canonical_text.index("beta") - 1
    document.annotations.add("highlight", span=Span(start=across, end=across + 3))
    document.reconvert(plugin="flat", activate=True)
    (lost,) = library.document(document.id).annotations
    assert (lost.is_lost, lost.span, lost.page) == (True, None, 1)
    document.versions.activate(1)
    (found,) = library.document(document.id).annotations
    assert not found.is_lost


def test_annotations_are_changed_and_removed(library: Library, file: Path) -> None:
    document = library.ingest(file, plugin="pages").document
    note = document.annotations.add("note", text="one")
    document.annotations.update(note.id, text="two")
    assert [(one.text, one.updated_at >= one.created_at) for one in document.annotations] == [("two", True)]
    document.annotations.remove(note.id)
    assert tuple(document.annotations) == ()
    with pytest.raises(UsageError, match="has no annotation"):
        document.annotations.remove(note.id)
    with pytest.raises(UsageError, match="has no annotation"):
        document.annotations.update(note.id, text="three")


def test_an_annotation_without_a_right_place_is_refused(library: Library, file: Path) -> None:
    document = library.ingest(file, plugin="pages").document
    end = len(document.canonical_text)
    with pytest.raises(UsageError, match="a highlight needs a span"):
        document.annotations.add("highlight", page=1)
    with pytest.raises(UsageError, match="a bookmark needs a page or a span"):
        document.annotations.add("bookmark")
    with pytest.raises(UsageError, match="there is no page 4; the document has 3"):
        document.annotations.add("bookmark", page=4)
    for span in (Span(start=3, end=3), Span(start=0, end=end + 1)):
        with pytest.raises(UsageError, match="is empty or outside the text"):
            document.annotations.add("highlight", span=span)
    failed = library.ingest(b"", name="empty.txt").document
    with pytest.raises(UsageError, match="no converted content"):
        failed.annotations.add("note", text="why?")
    with pytest.raises(UsageError, match="no converted content"):
        failed.archive()


@given(before=st.text(max_size=20), quote=st.text(min_size=1, max_size=8), after=st.text(max_size=20), shift=st.text())
def test_a_quote_is_found_where_its_surroundings_are(before: str, quote: str, after: str, shift: str) -> None:
    """Whatever stands before it now, the place found holds the quote, and holds all of its surroundings."""
    text = shift + before + quote + after
    span = find_again(text, quote, near=len(before), before=before, after=after)
    assert span is not None
    assert span.of(text) == quote
    assert text[max(0, span.start - len(before)) : span.start] == before
    assert text[span.end : span.end + len(after)] == after


def test_links_are_kept_and_never_merge(library: Library, file: Path) -> None:
    old = library.ingest(file, plugin="pages").document
    new = library.ingest(b"harbour notes, second edition", name="b.txt", plugin="pages").document
    new.links.add(old, kind="revises", by="anna")
    new.links.add(old.id)
    old.links.add(new)  # the same link: it has no direction
    assert {(one.kind, one.made_by) for one in old.links} == {("revises", "anna"), ("related_to", "user")}
    assert [(one.document_id, one.other_id) for one in old.links if one.kind == "revises"] == [(new.id, old.id)]
    assert tuple(new.links) == tuple(old.links)
    assert old.links.remove(new)
    assert not old.links.remove(new)
    assert len(library.documents()) == 2
    with pytest.raises(UsageError, match="cannot link a document to itself"):
        old.links.add(old)
    with pytest.raises(UsageError, match="there is no document"):
        library.context.index.links.add(old.id, "absent", kind="revises", by="user")


def test_an_export_holds_everything_with_its_hashes_and_is_the_same_each_time(
    library: Library, file: Path, tmp_path: Path
) -> None:
    document = library.ingest(file, plugin="pages").document
    document.annotations.add("highlight", span=Span(start=0, end=7), text="Ö")
    target = tmp_path / "out.zip"

    digest = document.export(target)

    data = target.read_bytes()
    assert digest == hashlib.sha256(data).hexdigest()
    assert data == library.document(document.id).archive()
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(files.pop("manifest.json"))
    assert sorted(files) == [
        "anchors.json",
        "annotations.json",
        "canonical.txt",
        "converted.md",
        "metadata.json",
        "quality_report.json",
        "tool.json",
    ]
    assert manifest["files"] == {
        name: {"size": len(content), "sha256": hashlib.sha256(content).hexdigest()} for name, content in files.items()
    }
    assert (manifest["document_id"], manifest["version"]) == (document.id, 1)
    assert files["canonical.txt"].decode() == document.canonical_text
    assert files["converted.md"].decode() == document.markdown
    assert json.loads(files["metadata.json"])["document"]["title"] == "harbour notes"
    (annotation,) = json.loads(files["annotations.json"])
    assert (annotation["quote"], annotation["text"], annotation["span"]) == ("harbour", "Ö", [0, 7])


def test_an_export_never_replaces_the_document(library: Library, file: Path, tmp_path: Path) -> None:
    document = library.ingest(file, plugin="pages").document
    before = file.read_bytes()
    with pytest.raises(UsageError, match="would replace the document itself"):
        document.export(file)
    with pytest.raises(UsageError, match=r"folder .* does not exist"):
        document.export(tmp_path / "none" / "a.zip")
    with pytest.raises(StorageError, match="cannot be written"):
        document.export(tmp_path)
    assert file.read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["library", "notes.txt"]


def test_the_command_exports(
    library: Library, root: Path, file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = library.ingest(file, plugin="pages").document
    target = tmp_path / "out.zip"
    assert main(["export", document.id, "-o", str(target), "--library", str(root)]) == 0
    assert hashlib.sha256(target.read_bytes()).hexdigest() in capsys.readouterr().out
    assert target.read_bytes() == document.archive()
