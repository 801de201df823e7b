"""The feature as the core finds it: its services, its settings, and a library that uses them."""

from __future__ import annotations

from pathlib import Path

import octavo_digest
import pytest
from octavo.plugins.services import load_services
from octavo_contracts import PolicyRefused, UsageError
from octavo_digest import (
    ExtractiveSummariser,
    LlmSummariser,
    digest_document,
    verify_in_library,
)
from octavo_digest.choosing import StructuredDigestor
from octavo_digest.factory import digestor_from, summariser_from
from octavo_library import Library
from octavo_library.facade.corpora import CorpusSettings

SAMPLES = Path(__file__).resolve().parents[4] / "docs" / "samples"
LOCAL = {"llm_model": "m", "llm_base_url": "http://127.0.0.1:9/v1"}


def test_the_core_finds_every_service_by_its_manifest() -> None:
    services = load_services()

    for kind in ("digestor", "scorer", "summariser"):
        found = services.find(kind, "digest")
        assert found is not None
        assert found.make() is not None
    assert isinstance(services.find("digestor", "digest").make(), StructuredDigestor)


def test_settings_reach_the_digestor(tmp_path: Path) -> None:
    made = digestor_from(
        {
            "policy": "auto",
            "scorer": "hybrid/v1",
            "archive_dir": str(tmp_path),
            "cloud": False,
            "deep_research_digest_timeout": 5,
            "deep_research_archive_retention_days": 0,
        }
    )

    assert made.config.policy == "auto"
    assert made.config.timeout == 5.0
    assert made.scorer.name == "hybrid/v1"
    assert made.archive.folder == tmp_path
    assert made.archive.retention_days == 0
    assert isinstance(made.summariser, ExtractiveSummariser)


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"colour": "red"}, "colour"),
        ({"llm_colour": "red"}, "llm_colour"),
        ({"scorer": "magic/v1"}, "magic/v1"),
        ({"deep_research_digest_timeout": -1}, "deep_research_digest_timeout"),
        ({"llm_model": "m"}, "llm_base_url"),
        ({"llm_base_url": "http://127.0.0.1/v1"}, "llm_model"),
    ],
)
def test_a_setting_that_does_not_fit_is_named(settings: dict, named: str) -> None:
    with pytest.raises(UsageError, match=named):
        digestor_from(settings)


def test_a_model_is_asked_only_where_one_is_named() -> None:
    assert isinstance(summariser_from(LOCAL), LlmSummariser)
    assert isinstance(summariser_from({}), ExtractiveSummariser)
    with pytest.raises(PolicyRefused):
        summariser_from({**LOCAL, "llm_base_url": "https://models.example.org/v1"})
    assert summariser_from({**LOCAL, "llm_base_url": "https://models.example.org/v1", "cloud": True})


def test_a_library_digests_with_the_feature_and_its_cache_lasts(tmp_path: Path) -> None:
    with Library.open(tmp_path / "library") as library:
        document = library.ingest(SAMPLES / "annual-report.pdf").document
        first = digest_document(library, document, query="How high was the surge?")
        second = digest_document(library, document, query="How high was the surge?")

        assert first.details["config_hash"]
        assert first.details["document_id"] == document.id
        assert (first.cache_hit, second.cache_hit) == (False, True)
        assert verify_in_library(library, second.payload).status == "verified"


@pytest.mark.parametrize("digestor", [None, "core"])
def test_a_hit_of_the_cache_tells_no_context_what_another_one_asked(tmp_path: Path, digestor: str | None) -> None:
    """STO-5."""
    with Library.open(tmp_path / "library") as library:
        library.corpora.create("sealed", CorpusSettings(visibility="firewalled"))
        library.ingest(SAMPLES / "annual-report.pdf", corpus="sealed")
        (tmp_path / "mine.pdf").write_bytes((SAMPLES / "annual-report.pdf").read_bytes())
        library.ingest(tmp_path / "mine.pdf", corpus="open")

        def asked(corpus: str | None) -> bool:
            (document,) = library.documents(corpus=corpus)
            return digest_document(library, document, query="may we dismiss Jane Doe", digestor=digestor).cache_hit

        assert [asked("sealed"), asked("open"), asked(None)] == [False, False, False]
        if digestor is None:  # the core's own keeps nothing
            assert [asked("sealed"), asked("open"), asked(None)] == [True, True, True]


def test_a_text_of_a_corpus_that_stays_here_is_not_sent_to_a_model_elsewhere(tmp_path: Path) -> None:
    with Library.open(tmp_path / "library") as library:
        document = library.ingest(SAMPLES / "annual-report.pdf", corpus="private").document

        with pytest.raises(PolicyRefused):
            digest_document(
                library, document, query="surge", llm_model="m", llm_base_url="https://models.example.org/v1"
            )


AWAY = {"llm_model": "m", "llm_base_url": "https://models.example.org/v1", "llm_api_key_env": "OCTAVO_TEST_NO_KEY"}


def test_a_model_that_fails_on_a_long_document_is_a_failure_with_a_reason(tmp_path: Path) -> None:
    """Its parts are asked about at once; the first that fails cancels the others, and nobody else."""
    pytest.importorskip("pydantic_ai", reason="the extra `llm` is not installed")
    pytest.importorskip("openai", reason="the extra `llm` is not installed")
    sentence = "The storm surge of 14 November raised the water to 1.24 metres above the predicted tide. "
    text = "".join(f"{sentence}Text number {number} was written by the keeper.\n" for number in range(400))
    with Library.open(tmp_path / "library") as library:
        document = library.ingest(text.encode(), name="surge.txt").document

        outcome = digest_document(library, document, query="surge", **LOCAL)

    assert (outcome.status, outcome.reason) == ("failed", "summary_failed")
    assert "ToolUnavailable" in outcome.warnings[0]


def test_every_corpus_of_a_document_has_to_let_it_out(tmp_path: Path, caplog) -> None:
    """CNV-15. Let out, the digest gets as far as the key that is not there, and no further."""
    with Library.open(tmp_path / "library") as library:
        library.corpora.create("open", CorpusSettings(visibility="cloud_allowed", cloud=True))
        document = library.ingest(SAMPLES / "annual-report.pdf", corpus="open").document

        allowed = digest_document(library, document, query="surge", **AWAY)

        assert (allowed.status, allowed.reason) == ("failed", "summary_failed")
        assert "AuthUnavailable" in allowed.warnings[0]
        library.ingest(SAMPLES / "annual-report.pdf", corpus="closed")
        with pytest.raises(PolicyRefused):
            digest_document(library, document, query="surge", **AWAY)
        assert "egress.refused service=m" in caplog.text


def test_public_names_stand_in_order() -> None:
    names = octavo_digest.__all__
    key = [(not name.isupper(), not name[:1].isupper(), name) for name in names]

    assert key == sorted(key)
    assert all(hasattr(octavo_digest, name) for name in names)
