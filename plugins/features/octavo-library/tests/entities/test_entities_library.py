"""Entities in a library: tagged behind the opt-in, held to their spans, promoted with a reason, undone (ENT-1, ENT-2)."""

import json
import zipfile
from collections.abc import Callable, Iterator
from email.message import EmailMessage
from pathlib import Path

import pytest
from octavo.settings.entities import EntitySettings
from octavo.settings.settings import Settings
from octavo.settings.step_names import StepName
from octavo_contracts import ContractViolation, ConverterCrashed, ToolUnavailable, UsageError
from octavo_library import Library
from octavo_library.facade.corpora import CorpusSettings

TAGGER = """\
import re
from octavo_contracts import EntityObservation, hookimpl

@hookimpl
def extract_entities(text, request, context):
    seen = []
    for match in re.finditer("Ada Quay|Ben Pier|Lisbon|1 May 2026", text):
        label = {"Lisbon": "location", "1 May 2026": "date"}.get(match.group(), "person")
        shift = 1 if "CROOKED" in text and match.group() == "Ben Pier" else 0
        seen.append(EntityObservation(label=label, text=match.group(), start=match.start() + shift,
                                      end=match.end() + shift, confidence=0.9))
    if "BREAK" in text:
        raise ValueError("the engine broke")
    return tuple(seen) if "LIE" not in text else "persons"
"""


@pytest.fixture
def tagger(make_plugin: Callable[..., Path]) -> None:
    make_plugin("tagger", TAGGER, hooks=["extract_entities"])


@pytest.fixture
def library(tmp_path: Path, tagger: None) -> Iterator[Library]:
    settings = Settings(workers=1, entities=EntitySettings(engine="tagger"))
    with Library.open(tmp_path / "library", settings=settings) as opened:
        yield opened


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def brief(library: Library, **where: str) -> list[tuple[str, str, str]]:
    return [(entity.name, entity.label, entity.status) for entity in library.entities.list(**where)]


def test_a_run_with_entities_keeps_observations_whose_spans_hold_their_text(library: Library, tmp_path: Path) -> None:
    done = library.ingest(
        write(tmp_path, "a.txt", "On 1 May 2026 Ada Quay met Ben Pier in Lisbon. 🚀 Ada Quay!"), entities=True
    )

    found = library.entities.list(document=done.document_id)

    assert [(e.name, e.label, len(e.observations)) for e in found] == [
        ("2026-05-01", "date", 1),
        ("Lisbon", "location", 1),
        ("Ada Quay", "person", 2),
        ("Ben Pier", "person", 1),
    ]
    text = library.document(done.document_id).canonical_text
    assert all(text[one.start : one.end] == one.text for entity in found for one in entity.observations)
    assert {e.status for e in found} == {"observed"}


def test_each_run_is_stored_with_its_version(library: Library, tmp_path: Path) -> None:
    """A run is a file beside the version, and a later run is another one (STO-2, STO-6); a purge removes both (STO-12)."""
    done = library.ingest(write(tmp_path, "a.txt", "Ada Quay met Ben Pier in Lisbon."), entities=True)
    document_id = str(done.document_id)

    def runs() -> list[Path]:
        return sorted(library.path.glob("by_hash/*/conversions/v1/extractions/*/observations.json"))

    (first,) = runs()
    told = json.loads(first.read_text())
    assert (told["engine"], told["version"]) == ("tagger", 1)
    text = library.document(document_id).canonical_text
    assert [text[one["start"] : one["end"]] for one in told["observations"]] == ["Ada Quay", "Ben Pier", "Lisbon"]
    before = first.read_bytes()
    library.entities.extract(document_id)
    assert runs() == [first], "the same run is not made twice"
    library.entities.extract(document_id, labels=("person",))
    assert len(runs()) == 2
    assert first.read_bytes() == before
    assert library.maintenance.verify().is_clean

    library.document(document_id).export(tmp_path / "out.zip")
    exported = [name for name in zipfile.ZipFile(tmp_path / "out.zip").namelist() if name.startswith("extractions/")]
    assert exported == [f"extractions/{run.parent.name}/observations.json" for run in runs()]
    first.write_text(first.read_text().replace("Lisbon", "London"))
    report = library.maintenance.verify()
    assert report.altered == (f"store:{first.relative_to(library.path).as_posix()}",)
    repaired = library.maintenance.repair()
    assert (repaired.removed, repaired.damaged, repaired.remaining) == (report.altered, (), ())
    assert library.maintenance.verify().is_clean
    assert ("Lisbon", "location", "observed") not in brief(library, document=document_id), "the last run is shown"
    assert library.maintenance.purge(document_id, confirm=document_id).kept == ()
    assert list(library.path.glob("by_hash/*")) == []


def test_looking_for_entities_takes_a_place_of_its_own(library: Library, tmp_path: Path) -> None:
    """ENG-8: as many documents at once as have places, whoever asks for it."""
    library.ingest(write(tmp_path, "a.txt", "Ada Quay"))
    assert library.context.engine.pools.use()[StepName.ENTITIES].entered == 0
    library.ingest(write(tmp_path, "b.txt", "Ben Pier"), entities=True)
    assert library.context.engine.pools.use()[StepName.ENTITIES].entered == 1


def test_a_span_that_is_off_by_one_is_dropped_and_counted(library: Library, tmp_path: Path) -> None:
    done = library.ingest(write(tmp_path, "a.txt", "CROOKED Ada Quay met Ben Pier."), entities=True)

    assert brief(library, document=done.document_id) == [("Ada Quay", "person", "observed")]
    run = library.entities.extract(done.document_id)
    assert (run.found, run.kept, dict(run.dropped)) == (2, 1, {"span_mismatch": 1})
    log = json.loads(library.context.index.jobs.processing_log(done.document.raw_hash))
    (job,) = [job for job in log["jobs"] if job["intent"] == "extract"]
    (spans,) = [entry for entry in job["entries"] if entry["step"] == "spans"]
    assert (job["state"], spans["outcome"]) == ("complete", "kept 1, dropped 1")


def test_nothing_is_looked_for_unless_somebody_asks(library: Library, tmp_path: Path) -> None:
    done = library.ingest(write(tmp_path, "a.txt", "Ada Quay."), corpus="plain")
    assert library.entities.list(document=done.document_id) == []
    assert library.context.index.entities.last_run(done.document_id, version=1) is None


def test_a_corpus_that_opted_in_is_tagged_and_a_run_may_say_no(library: Library, tmp_path: Path) -> None:
    library.corpora.create("case", CorpusSettings(entities=True))
    library.ingest(write(tmp_path, "a.txt", "Ada Quay."), corpus="case")
    library.ingest(write(tmp_path, "b.txt", "Ben Pier."), corpus="case", entities=False)
    assert brief(library, corpus="case") == [("Ada Quay", "person", "observed")]


def test_a_known_document_is_tagged_when_it_comes_again_with_entities(library: Library, tmp_path: Path) -> None:
    path = write(tmp_path, "a.txt", "Ada Quay.")
    library.ingest(path)
    (again,) = library.ingest_many([path], entities=True)
    assert again.reused
    assert brief(library, document=again.document_id) == [("Ada Quay", "person", "observed")]


@pytest.mark.parametrize("many", [False, True])
def test_what_is_attached_to_a_message_is_looked_through_as_well(library: Library, tmp_path: Path, many: bool) -> None:
    message = EmailMessage()
    message["From"], message["Date"] = "ada@quay.example", "Mon, 3 Mar 2025 10:00:00 +0000"
    message.set_content("Ben Pier asked for the list, which is attached.")
    message.add_attachment(b"Ada Quay in Lisbon.", "text", "plain", filename="list.txt")
    path = tmp_path / "list.eml"
    path.write_bytes(message.as_bytes())
    done = next(library.ingest_many([path], entities=True)) if many else library.ingest(path, entities=True)
    (attached,) = done.attachments
    assert brief(library, document=done.document_id) == [("Ben Pier", "person", "observed")]
    assert brief(library, document=attached.document_id) == [
        ("Lisbon", "location", "observed"),
        ("Ada Quay", "person", "observed"),
    ]


def test_the_same_request_is_not_run_twice_and_another_one_is_a_new_run(library: Library, tmp_path: Path) -> None:
    done = library.ingest(write(tmp_path, "a.txt", "Ada Quay in Lisbon."), entities=True)
    first = library.entities.extract(done.document_id)
    other = library.entities.extract(done.document_id, labels=["location"])
    assert other.run_id != first.run_id
    assert library.entities.extract(done.document_id, labels=["location"]).run_id == other.run_id
    assert brief(library, document=done.document_id) == [("Lisbon", "location", "observed")]


def test_three_documents_corroborate_and_a_fourth_thing_stays_an_observation(library: Library, tmp_path: Path) -> None:
    library.corpora.create("case", CorpusSettings(entities=True))
    for number, name in enumerate(["Ada Quay", "Ada  Quay, Ben Pier", "ADA: Ada Quay"]):
        library.ingest(write(tmp_path, f"{number}.txt", f"{name} {number}".replace("  ", " ")), corpus="case")
    found = {entity.name: entity for entity in library.entities.list(corpus="case")}
    assert found["Ada Quay"].reason == "corroboration: seen in 3 documents; 3 are enough"
    assert (found["Ada Quay"].documents, found["Ada Quay"].status) == (3, "confirmed")
    assert (found["Ben Pier"].status, found["Ben Pier"].reason) == ("observed", None)


def test_promotions_count_only_what_the_asker_may_see(library: Library, tmp_path: Path) -> None:
    """Two ambient documents and one behind a firewall corroborate nothing for anybody (STO-5)."""
    library.corpora.create("open", CorpusSettings(entities=True))
    library.corpora.create("closed", CorpusSettings(entities=True, visibility="firewalled"))
    for number, corpus in enumerate(["open", "open", "closed"]):
        library.ingest(write(tmp_path, f"{number}.txt", f"Ada Quay {number}"), corpus=corpus)
    library.ingest(write(tmp_path, "secret.txt", "Ben Pier"), corpus="closed")

    assert brief(library) == [("Ada Quay", "person", "observed")]
    assert brief(library, corpus="closed") == [("Ada Quay", "person", "observed"), ("Ben Pier", "person", "observed")]
    with pytest.raises(UsageError, match="no entity named 'Ben Pier'"):
        library.entities.promote("Ben Pier")
    library.entities.promote("ben pier", corpus="closed")
    assert brief(library, corpus="closed")[1] == ("Ben Pier", "person", "confirmed")
    assert brief(library) == [("Ada Quay", "person", "observed")]


def test_a_promotion_has_its_reason_and_is_undone(library: Library, tmp_path: Path) -> None:
    library.ingest(write(tmp_path, "a.txt", "Ada Quay."), entities=True)

    used = library.entities.record_use("Ada Quay", where="report 7")
    assert (used.status, used.reason) == ("confirmed", "reuse: used in report 7")
    said = library.entities.promote("Dr. Ada Quay", note="my client")
    assert (said.status, said.reason) == ("confirmed", "user: confirmed by user (my client)")
    gone = library.entities.demote("Ada Quay")
    assert (gone.status, gone.reason) == ("observed", "user: demoted by user")
    assert library.entities.undo("Ada Quay").reason == said.reason
    assert library.entities.undo("Ada Quay").reason == used.reason
    last = library.entities.undo("Ada Quay")
    assert (last.status, last.reason) == ("observed", None)
    with pytest.raises(UsageError, match="no decision to undo"):
        library.entities.undo("Ada Quay")


def test_a_name_of_two_kinds_needs_its_label(make_plugin: Callable[..., Path], tmp_path: Path) -> None:
    make_plugin(
        "tagger", TAGGER.replace('"person")', '"person" if match.start() else "ship")'), hooks=["extract_entities"]
    )
    settings = Settings(workers=1, entities=EntitySettings(labels=("person", "ship"), engine="tagger"))
    with Library.open(tmp_path / "library", settings=settings) as library:
        library.ingest(write(tmp_path, "a.txt", "Ada Quay saw Ada Quay."), entities=True)
        with pytest.raises(UsageError, match="ambiguous: person, ship"):
            library.entities.promote("Ada Quay")
        assert library.entities.promote("Ada Quay", label="ship").status == "confirmed"


@pytest.mark.parametrize("trick", ["BREAK", "LIE"])
def test_an_engine_that_fails_takes_nothing_from_the_document(library: Library, tmp_path: Path, trick: str) -> None:
    done = library.ingest(write(tmp_path, "a.txt", f"{trick} Ada Quay."), entities=True)

    assert done.result.ingestion_status == "complete"
    assert library.entities.list(document=done.document_id) == []
    log = json.loads(library.context.index.jobs.processing_log(done.document.raw_hash))
    (job,) = [job for job in log["jobs"] if job["intent"] == "extract"]
    assert job["state"] == "hard_failed"
    assert "extraction_failed" in [entry["to"] for entry in job["entries"]]
    with pytest.raises((ContractViolation, ConverterCrashed), match=r"broke|returned a str"):
        library.entities.extract(done.document_id)


def test_without_an_engine_a_run_with_entities_says_what_to_install(tmp_path: Path) -> None:
    from octavo.plugins import PluginSelection

    only = Settings(workers=1, plugins=PluginSelection(allow=frozenset({"plaintext"})))
    with Library.open(tmp_path / "library", settings=only) as library:
        with pytest.raises(ToolUnavailable, match="no installed plugin extracts entities") as caught:
            library.ingest(write(tmp_path, "a.txt", "Ada Quay."), entities=True)
        assert "octavo-spacy" in (caught.value.remedy or "")
        library.corpora.create("case", CorpusSettings(entities=True))
        done = library.ingest(tmp_path / "a.txt", corpus="case")
        assert done.result.ingestion_status == "complete"
        assert (
            "no installed plugin extracts entities"
            in library.context.index.jobs.processing_log(done.document.raw_hash).decode()
        )


def test_a_purged_document_takes_its_observations_and_their_names_with_it(library: Library, tmp_path: Path) -> None:
    kept = library.ingest(write(tmp_path, "a.txt", "Ada Quay."), entities=True)
    gone = library.ingest(write(tmp_path, "b.txt", "Ada Quay and Ben Pier."), entities=True)
    library.entities.promote("Ben Pier")

    assert library.context.index.purges.rows_of(gone.document_id)["entity_observations"] == 2
    library.maintenance.purge(gone.document_id, confirm=gone.document_id)

    assert brief(library) == [("Ada Quay", "person", "observed")]
    assert library.context.index.purges.rows_of(kept.document_id)["entity_edges"] == 1
    assert b"Ben Pier" not in (tmp_path / "library" / "index.sqlite").read_bytes()


def test_documents_and_corpora_are_asked_for_one_at_a_time(library: Library) -> None:
    with pytest.raises(UsageError, match="only one of them"):
        library.entities.list(document="x", corpus="y")


READER = """\
from pathlib import Path
from octavo_contracts import EntityObservation, ToolUnavailable, hookimpl

@hookimpl
def extract_entities(text, request, context):
    try:
        name = (Path(request.options["model"]) / "name.txt").read_text()
    except (OSError, KeyError) as error:
        raise ToolUnavailable(f"no weights: {error}")
    at = text.index(name)
    return (EntityObservation(label="person", text=name, start=at, end=at + len(name), confidence=1.0),)
"""


def test_a_models_folder_is_readable_to_the_engine_that_it_is_for(
    make_plugin: Callable[..., Path], tmp_path: Path
) -> None:
    make_plugin("reader", READER, hooks=["extract_entities"])
    weights = tmp_path / "weights"
    weights.mkdir()
    (weights / "name.txt").write_text("Ada Quay")
    settings = Settings(workers=1, entities=EntitySettings(engine="reader", options={"depth": 2}))
    with Library.open(tmp_path / "library", settings=settings) as library:
        done = library.ingest(write(tmp_path, "a.txt", "Ada Quay."))
        with pytest.raises(ToolUnavailable, match="no weights"):
            library.entities.extract(str(done.document_id))
        run = library.entities.extract(str(done.document_id), model=weights)
        assert run is not None
        assert (run.kept, json.loads(run.request_json)["options"]) == (1, {"depth": 2, "model": str(weights)})
