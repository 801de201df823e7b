"""What a library calls a document (STO-3)."""

from __future__ import annotations

from pathlib import Path

import pytest
from octavo_cli import main
from octavo_contracts import OctavoError, UsageError
from octavo_library import DeclaredMetadata, Library
from octavo_library.facade.corpora import CorpusSettings
from octavo_library.storage.index.rebuild import rebuild_index

SAMPLES = Path(__file__).resolve().parents[5] / "docs" / "samples"


def test_a_conversion_that_fails_leaves_the_title_as_it_was(tmp_path):
    """A failure knows next to nothing of a document that another conversion has read."""
    with Library.open(tmp_path / "library") as library:
        document = library.document(library.ingest(SAMPLES / "annual-report.pdf").document_id)
        title = document.title
        assert title not in (None, "annual-report.pdf")
        with pytest.raises(OctavoError, match="calamine"):
            document.reconvert(plugin="calamine")
        assert library.document(document.id).title == title


TITLED = """\
from octavo_contracts import Conversion, hookimpl, Page

@hookimpl
def convert(source):
    return Conversion(pages=(Page(number=1, kind="whole", markdown="{mark} Harbour shop\\n\\nThe total is 8.35."),), paginated=False)
"""


def test_a_title_is_that_of_the_active_version(make_plugin, tmp_path, capsys):
    """STO-6: going back to a version without a title leaves none."""
    make_plugin("plain", TITLED.replace("{mark}", "##"), media_types=["text/plain"])
    make_plugin("titled", TITLED.replace("{mark}", "#"), media_types=["text/plain"])
    path = tmp_path / "receipt.txt"
    path.write_text("Harbour shop")
    where = ["--library", str(tmp_path / "library")]
    with Library.open(tmp_path / "library") as library:
        document = library.ingest(path, plugin="plain").document
        assert document.title is None
        assert library.document(document.id).reconvert(plugin="titled", activate=False).version == 2
        assert library.document(document.id).title is None, "a version that is not active names nothing"
        library.document(document.id).versions.activate(2)
        assert library.document(document.id).title == "Harbour shop"
        assert library.document("Harbour shop").id == document.id
    capsys.readouterr()
    assert main(["activate", document.id, "1", *where]) == 0
    assert capsys.readouterr().out == "Version 1 of receipt.txt is active\n"
    with Library.open(tmp_path / "library") as library:
        assert library.document(document.id).title is None
        with pytest.raises(UsageError, match="no document matches"):
            library.document("Harbour shop")
        library.document(document.id).reconvert(plugin="titled")
        assert library.document(document.id).title == "Harbour shop"
        library.document(document.id).reconvert(plugin="plain")
        assert library.document(document.id).title is None, "a version that states no title has none"


@pytest.mark.sqlite_files
def test_a_rebuilt_index_has_the_titles_of_all_versions(make_plugin, tmp_path):
    make_plugin("plain", TITLED.replace("{mark}", "##"), media_types=["text/plain"])
    make_plugin("titled", TITLED.replace("{mark}", "#"), media_types=["text/plain"])
    with Library.open(tmp_path / "library") as library:
        document = library.ingest(b"Harbour shop", name="receipt.txt", plugin="titled").document
        document.reconvert(plugin="plain")
    for left in (tmp_path / "library").glob("index.sqlite*"):
        left.unlink()
    rebuild_index(tmp_path / "library")
    with Library.open(tmp_path / "library") as library:
        assert library.document(document.id).title is None
        library.document(document.id).versions.activate(1)
        assert library.document(document.id).title == "Harbour shop"


def notes(folder: Path) -> Path:
    path = folder / "notes.md"
    path.write_text("# Harbour notes\n\nThe lighthouse was painted in spring.\n")
    return path


def test_a_declared_title_is_what_list_search_show_and_export_use(tmp_path, capsys):
    """ENG-21: the own title still finds the document; without a declaration, it is back."""
    library = ["--library", str(tmp_path / "library")]
    assert main(["ingest", str(notes(tmp_path)), *library]) == 0
    assert main(["metadata", "notes.md", "--title", "Lighthouse log 1931", *library]) == 0
    capsys.readouterr()
    for command in (
        ["list"],
        ["search", "lighthouse"],
        ["show", "lighthouse LOG 1931"],
        ["show", "Harbour notes"],
        ["metadata", "notes.md"],
    ):
        assert main([*command, *library]) == 0
        assert "Lighthouse log 1931" in capsys.readouterr().out
    output = tmp_path / "log.txt"
    assert main(["export", "Lighthouse log 1931", "--to", "text", "-o", str(output), *library]) == 0
    assert "painted in spring" in output.read_text()
    assert main(["metadata", "notes.md", "--clear", *library]) == 0
    capsys.readouterr()
    assert main(["show", "Lighthouse log 1931", *library]) == 2
    assert main(["search", "lighthouse", *library]) == 0
    assert "Harbour notes" in capsys.readouterr().out


def test_a_declared_title_is_told_in_its_policy_context_alone(tmp_path):
    """STO-5: the same bytes have another title in another context; the owner sees the newest."""
    path = notes(tmp_path)
    with Library.open(tmp_path / "library") as library:
        for name, visibility in (("closed", "firewalled"), ("open", "ambient")):
            library.corpora.create(name, settings=CorpusSettings(visibility=visibility))
            library.ingest(path, corpus=name)
        library.ingest(
            b"The lighthouse was painted in spring, as the harbour notes say.", name="copy.txt", corpus="open"
        )
        library.document("notes.md", corpus="closed").metadata.set(DeclaredMetadata(title="Matter Kestrel"))
        assert [one.title for one in library.documents(corpus="closed")] == ["Matter Kestrel"]
        assert [one.title for one in library.search("lighthouse", corpus="closed")] == ["Matter Kestrel"]
        for corpus in ("open", None):
            assert "Matter Kestrel" not in {one.title for one in library.search("lighthouse", corpus=corpus)}
        assert "Matter Kestrel" not in {one.title for one in library.documents(corpus="open")}
        with pytest.raises(UsageError, match="no document matches"):
            library.document("Matter Kestrel", corpus="open")
        similar = library.document("copy.txt", corpus="open").similar(threshold=0)
        assert "Matter Kestrel" not in {one.title for one in similar}
        assert library.document("Matter Kestrel").title == "Matter Kestrel"


def test_a_declared_title_leaves_the_result_as_it_is(tmp_path):
    with Library.open(tmp_path / "library") as library:
        document = library.ingest(notes(tmp_path)).document
        document.metadata.set(DeclaredMetadata(title="Lighthouse log"))
        again = library.document(document.id)
        assert (again.title, again.result.metadata.title) == ("Lighthouse log", "Harbour notes")


def test_an_ambiguous_title_names_the_documents_by_their_declared_titles(tmp_path):
    with Library.open(tmp_path / "library") as library:
        first = library.ingest(b"# Report\n\nOne.\n", name="a.md").document
        library.ingest(b"# Report\n\nTwo.\n", name="b.md")
        first.metadata.set(DeclaredMetadata(title="Report of May"))
        with pytest.raises(UsageError, match="Report of May"):
            library.document("Report")
