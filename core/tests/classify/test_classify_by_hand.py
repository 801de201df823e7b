"""A type that a user sets by hand: what is shown, what goes by it, and that nothing overwrites it (CLS-6)."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from octavo.runtime import Runtime
from octavo.settings.entities import EntitySettings
from octavo.settings.settings import Settings
from octavo_brief import brief
from octavo_contracts import Intent, RoutingType, UsageError
from octavo_library import Document, Library
from octavo_library.facade.corpora import CorpusSettings
from octavo_library.storage import PolicyContext

TEXT = b"# Harbour\n\nThe keeper read the gauge at dawn.\n"
LETTER = b"12 May 2025\n\nDear Ms Roe,\n\nthank you for the gauge.\n\nYours sincerely\n\nJ. Doe\n"
LEASES = '[types.lease]\ntitle = ["lease agreement"]\nwords = ["landlord", "rent"]\n'
LEASE = b"LEASE AGREEMENT\n\nThe landlord owns the house, and the rent is due.\n"
TAGGER = """\
from octavo_contracts import *
@hookimpl
def extract_entities(text, request, context):
    start = text.index("gauge")
    return (EntityObservation(text="gauge", label="organization", start=start, end=start + 5, confidence=0.9),)
"""
FAILING = "from octavo_contracts import SourceCorrupt, hookimpl\n@hookimpl\ndef convert(source):\n    raise SourceCorrupt('no')\n"


@pytest.fixture
def library(tmp_path: Path, runtime: Runtime) -> Iterator[Library]:
    with Library.open(tmp_path / "library", runtime=runtime) as opened:
        yield opened


def again(library: Library, document: Document) -> Document:
    return library.document(document.id)


def types(document: Document) -> tuple[str, str | None, str]:
    return document.document_type, document.document_type_by, document.result.document_type


def test_a_type_is_set_and_taken_back(library: Library) -> None:
    """CLS-6: the classifier's verdict stays what it was beside the user's type."""
    document = library.ingest(LETTER, name="a.txt").document
    assert types(document) == ("correspondence", None, "correspondence")

    document.set_type("contract", by="anna")
    for one in (document, again(library, document)):
        assert types(one) == ("contract", "anna", "contract")
        assert one.result.classification.document_type == "correspondence"
        assert brief(one).document_type == "contract"

    document.set_type("unknown")
    assert types(again(library, document)) == ("unknown", "user", "unknown")

    document.set_type(None)
    for one in (document, again(library, document)):
        assert types(one) == ("correspondence", None, "correspondence")


def test_a_type_survives_a_reconversion_and_an_activation(library: Library) -> None:
    """CLS-6: a manual type is never overwritten."""
    document = library.ingest(LETTER, name="a.txt").document
    document.set_type("contract")
    document.reconvert()
    assert (again(library, document).active_version, *types(again(library, document))) == (
        2,
        "contract",
        "user",
        "contract",
    )
    document.versions.activate(1)
    assert (again(library, document).active_version, *types(again(library, document))) == (
        1,
        "contract",
        "user",
        "contract",
    )


def test_a_type_survives_the_bytes_coming_again(library: Library, tmp_path: Path) -> None:
    """CLS-6: reused, and converted again."""
    path = tmp_path / "a.txt"
    path.write_bytes(LETTER)
    library.ingest(path).document.set_type("contract")
    came = library.ingest(path)
    assert (came.reused, came.result.document_type) == (True, "contract")
    [anew] = library.ingest_many([path], reingest=True)
    assert (anew.reused, anew.result.document_type) == (False, "contract")
    assert (anew.document.active_version, *types(anew.document)) == (2, "contract", "user", "contract")


def test_a_failed_document_can_be_typed_and_keeps_its_type_when_it_is_read(library: Library, make_plugin: Any) -> None:
    """CLS-6: a user may know what it is where nobody could read it."""
    make_plugin("failing", FAILING)
    document = library.ingest(LETTER, name="a.txt", plugin="failing").document
    assert (document.status, *types(document)[:2]) == ("hard_failed", "correspondence", None)
    document.set_type("contract")
    assert types(again(library, document)) == ("contract", "user", "contract")
    document.set_type(None)
    assert types(again(library, document)) == ("correspondence", None, "correspondence")
    document.set_type("contract")

    read = library.ingest(LETTER, name="a.txt", retry=True)

    assert (read.result.ingestion_status, read.result.document_type) == ("complete", "contract")
    assert types(read.document) == ("contract", "user", "contract")
    assert read.result == read.document.result


@pytest.mark.parametrize(
    ("document_type", "words"),
    [
        (
            "contrakt",
            r"unknown document type 'contrakt'; did you mean contract\?.*deposition, .*\[types\.contrakt\]",
        ),
        ("xyz", r"unknown document type 'xyz'\. Give one of deposition"),
        ("My Type", r"invalid document type 'My Type': use lower-case letters.*deposition"),
        ("", "invalid document type ''"),
    ],
)
def test_a_slip_makes_no_type(library: Library, document_type: str, words: str) -> None:
    """CLS-6: the nearest type is named, and what can be done."""
    document = library.ingest(TEXT, name="a.md").document
    with pytest.raises(UsageError, match=f"(?s){words}"):
        document.set_type(document_type)
    assert types(document) == ("unknown", None, "unknown")


def test_a_document_that_was_purged_can_not_be_typed(library: Library) -> None:
    document = library.ingest(TEXT, name="a.md").document
    library.maintenance.purge(document, confirm=document.id)
    for change in (lambda: document.set_type("contract"), lambda: document.set_type(None)):
        with pytest.raises(UsageError, match="there is no document"):
            change()


def test_the_types_of_the_librarys_profile_can_be_set(tmp_path: Path) -> None:
    """CLS-2, CLS-6."""
    (tmp_path / "leases.toml").write_text(LEASES)
    with Library.open(
        tmp_path / "library", settings=Settings(workers=1, profile=str(tmp_path / "leases.toml"))
    ) as library:
        document = library.ingest(TEXT, name="a.md").document
        with pytest.raises(UsageError, match="did you mean lease"):
            document.set_type("leese")
        document.set_type("lease")
        assert types(document) == ("lease", "user", "lease")


def test_a_corpus_has_the_types_of_its_profile(library: Library, tmp_path: Path) -> None:
    """CLS-2: for what comes in, for what is converted again, and for what a user may set."""
    (tmp_path / "leases.toml").write_text(LEASES)
    library.corpora.create("leases", CorpusSettings(profile=str(tmp_path / "leases.toml")))
    lease = library.ingest(LEASE, name="a.txt", corpus="leases").document
    other = library.ingest(TEXT, name="b.md", corpus="leases").document
    outside = library.ingest(LEASE + b"\nIt ends in May.\n", name="c.txt").document
    assert (lease.document_type, other.document_type, outside.document_type) == ("lease", "unknown", "unknown")
    lease.reconvert()
    assert again(library, lease).document_type == "lease"
    other.set_type("lease")
    with pytest.raises(UsageError, match="unknown document type 'lease'"):
        outside.set_type("lease")


def test_corpora_that_want_different_rules_leave_them_to_the_library(library: Library, tmp_path: Path) -> None:
    """CLS-2: of a reconversion; what may be set is what any of them registers."""
    (tmp_path / "leases.toml").write_text(LEASES)
    (tmp_path / "logs.toml").write_text('[types.log]\ntitle = ["log"]\n')
    for name in ("leases", "logs"):
        library.corpora.create(name, CorpusSettings(profile=str(tmp_path / f"{name}.toml")))
    document = library.ingest(LEASE, name="a.txt", corpus="leases").document
    library.ingest(LEASE, name="a.txt", corpus="logs")
    document.reconvert()
    assert again(library, document).document_type == "unknown"
    document.set_type("log")
    document.set_type("lease")


def test_the_types_of_a_firewalled_corpus_are_not_told_to_others(library: Library, tmp_path: Path) -> None:
    """STO-5: an error would name them."""
    (tmp_path / "leases.toml").write_text(LEASES)
    settings = CorpusSettings(profile=str(tmp_path / "leases.toml"), visibility="firewalled")
    library.corpora.create("secret", settings)
    library.ingest(LEASE, name="a.txt", corpus="secret")
    library.ingest(LEASE, name="a.txt")
    asked = library.document(library.ingest(LEASE, name="a.txt").document_id or "", policy=PolicyContext())
    with pytest.raises(UsageError) as refused:
        asked.set_type("leas")
    assert "lease" not in str(refused.value).replace("leas'", "").replace("types.leas]", "")
    library.document(asked.id, corpus="secret").set_type("lease")


COVER = ("UNITED STATES", "SECURITIES AND EXCHANGE COMMISSION", "FORM 10-K", "Commission file number 1-2")


@pytest.mark.parametrize(
    ("lines", "by_hand", "before", "after"),
    [
        (("A letter",), "sec_filing", RoutingType.TEXT_NATIVE_PDF, RoutingType.TABLE_HEAVY_FILING),
        (COVER, "contract", RoutingType.TABLE_HEAVY_FILING, RoutingType.TEXT_NATIVE_PDF),
    ],
)
def test_a_document_is_routed_by_its_type(
    library: Library, make_pdf: Any, page_text: Any, lines: tuple[str, ...], by_hand: str, before: str, after: str
) -> None:
    """CLS-6, CLS-9: of what is converted again, one by one and in a run; the verdict on the type stays the classifier's."""
    path = library.path.parent / "a.pdf"
    path.write_bytes(make_pdf(page_text(*lines), *[page_text()] * 3))
    document = library.ingest(path).document
    said = document.result.classification
    assert said.routing_type == before
    document.set_type(by_hand)
    document.reconvert()
    reconverted = again(library, document).result
    [anew] = library.ingest_many([path], reingest=True)
    for result in (reconverted, anew.result):
        assert (result.classification.routing_type, result.classification.document_type) == (after, said.document_type)
        assert result.document_type == by_hand
    assert f"for {after.value} in" in anew.result.quality_report.selected_tool_reason
    assert library.routing.compare(path, plugins=("pdfium", "pypdf")).routing_type == after


@pytest.mark.parametrize(
    ("content", "by_hand", "found", "jobs"), [(TEXT, "contract", ["gauge"], 1), (LETTER, "paper", [], 0)]
)
def test_entities_are_asked_for_by_the_type_in_force(
    tmp_path: Path, make_plugin: Any, content: bytes, by_hand: str, found: list[str], jobs: int
) -> None:
    """CLS-6, ENT-1: of a new version too; where the user's type wants none, no job is opened for it."""
    make_plugin("tagger", TAGGER, hooks=["extract_entities"])
    wanted = EntitySettings(engine="tagger", by_document_type={"contract": True, "correspondence": True})
    path = tmp_path / "a.txt"
    path.write_bytes(content)
    with Library.open(tmp_path / "library", settings=Settings(workers=1)) as library:
        document = library.ingest(path).document
        document.set_type(by_hand)
    with Library.open(tmp_path / "library", settings=Settings(workers=1, entities=wanted)) as library:
        [anew] = library.ingest_many([path], reingest=True)
        assert anew.document.active_version == 2
        assert [one.name for one in library.entities.list()] == found
        assert [job.intent for job in library.context.index.jobs.of_hash(document.raw_hash)].count(
            Intent.EXTRACT
        ) == jobs


def test_the_audit_log_tells_who_was_typed_and_as_what(library: Library) -> None:
    """CLS-6."""
    document = library.ingest(TEXT, name="a.md").document
    document.set_type("contract")
    document.set_type(None)
    rows = [json.loads(line) for line in (library.path / "logs" / "audit.jsonl").read_text().splitlines()]
    assert [(row["document_id"], row["document_type"]) for row in rows if row["action"] == "type_set"] == [
        (document.id, "contract"),
        (document.id, None),
    ]


def test_the_export_has_the_type_in_force(library: Library) -> None:
    """CLS-6, STO-14: beside the classifier's verdict."""
    document = library.ingest(LETTER, name="a.txt").document
    document.set_type("contract")
    with zipfile.ZipFile(io.BytesIO(document.archive())) as exported:
        facts = json.loads(exported.read("metadata.json"))
    assert facts["document"]["document_type"] == "contract"
    assert facts["classification"]["document_type"] == "correspondence"
