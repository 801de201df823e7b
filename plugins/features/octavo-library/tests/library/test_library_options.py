"""The options of an ingestion: one object, or its fields as keyword arguments."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import get_type_hints

import pytest
from octavo_library import IngestOptions, Library
from octavo_library.facade.ingest_options import IngestFields


def test_the_keyword_arguments_are_the_fields_of_the_options() -> None:
    """The two are written down once each: one that only the options have could not be given as a keyword."""
    assert get_type_hints(IngestFields) == get_type_hints(IngestOptions)


def test_a_keyword_argument_replaces_the_field_of_the_options(tmp_path: Path) -> None:
    asked = IngestOptions(corpus="letters", profile="fast")
    with Library.open(tmp_path / "library") as library:
        library.ingest(b"High water at noon.", name="a.txt", options=asked, corpus="tides")
        list(library.ingest_many([], options=asked, corpus="harbours"))

        assert [corpus.name for corpus in library.corpora.list()] == ["harbours", "tides"]
        assert library.runs.get("last").record.options == {"profile": "fast"}


def test_an_unknown_field_is_a_mistake_of_the_caller(tmp_path: Path) -> None:
    with Library.open(tmp_path / "library") as library:
        with pytest.raises(TypeError, match="with_"):
            library.ingest(b"x", name="a.txt", with_="pdfium")  # type: ignore[call-arg]  # its name up to 0.1
        assert library.documents() == []


def test_known_bytes_are_ingested_again_where_that_is_asked_for(tmp_path: Path) -> None:
    with Library.open(tmp_path / "library") as library:
        first = library.ingest(b"High water at noon.", name="a.txt")
        again = library.ingest(b"High water at noon.", name="a.txt", reingest=True)
        asynchronous = asyncio.run(library.aingest(b"High water at noon.", name="a.txt", reingest=True))

        assert [first.reused, again.reused, asynchronous.reused] == [False, False, False]
        assert [version.version for version in first.document.versions] == [1, 2, 3]
