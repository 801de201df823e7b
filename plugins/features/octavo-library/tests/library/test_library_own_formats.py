"""A document of a format of a plugin's own in a library (CLS-8)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from octavo.runtime import Runtime
from octavo_conformance.plugin_folder import TEXT_CONVERTER
from octavo_library import Library

TIDES = "application/x-tides"
CLAIM = f'\n[[plugin.formats]]\nmedia_type = "{TIDES}"\nwithin = "xml"\nroot = "tides"\n'
DOCUMENT = '<?xml version="1.0"?><tides>1.24</tides>'


def test_it_is_stored_with_its_type_and_reused(make_plugin: Any, tmp_path: Path) -> None:
    make_plugin("tides", TEXT_CONVERTER, media_types=[TIDES], more=CLAIM)
    path = tmp_path / "november.xml"
    path.write_text(DOCUMENT)
    with Runtime() as runtime, Library.open(tmp_path / "library", runtime=runtime) as library:
        first, again = library.ingest(path), library.ingest(path)
        document = library.document(first.document_id)
        assert (document.media_type, document.result.quality_report.selected_tool) == (TIDES, "tides")
        assert document.canonical_text == "1.24"
        assert again.reused


def test_without_its_plugin_another_reader_converts_it_again(make_plugin: Any, tmp_path: Path) -> None:
    folder = make_plugin("tides", TEXT_CONVERTER, media_types=[TIDES], more=CLAIM)
    path = tmp_path / "november.xml"
    path.write_text(DOCUMENT)
    with Runtime() as runtime, Library.open(tmp_path / "library", runtime=runtime) as library:
        assert library.ingest(path).result.quality_report.selected_tool == "tides"
    (folder.parent / "octavo_tides-1.2.dist-info" / "entry_points.txt").unlink()
    with Runtime() as runtime, Library.open(tmp_path / "library", runtime=runtime) as library:
        library.documents()[0].reconvert()
        result = library.documents()[0].result
        assert result.quality_report.selected_tool != "tides"
        assert result.classification is not None
        assert result.classification.media_type == "application/xml"
