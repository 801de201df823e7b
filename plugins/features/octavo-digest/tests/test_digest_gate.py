"""A digest by a model elsewhere passes the gate of the document's corpora, and what the gate says is written down (CNV-15)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from octavo_contracts import PolicyRefused, UsageError
from octavo_digest import digest_document
from octavo_library import Library
from octavo_library.facade.corpora import CorpusSettings
from octavo_sandbox.egress.gate import CloudDecision, RecordedOwners, note_sending, sending

AWAY = {"llm_model": "m", "llm_base_url": "https://models.example.org/v1", "llm_api_key_env": "OCTAVO_TEST_NO_KEY"}


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        (CorpusSettings(sensitivity="privileged"), "the document is privileged"),
        (CorpusSettings(visibility="firewalled"), "its corpus is firewalled"),
        (CorpusSettings(visibility="cloud_allowed"), "cloud services are disabled"),
    ],
)
def test_a_refusal_stands_in_both_logs(settings: CorpusSettings, reason: str, tmp_path: Path) -> None:
    with Library.open(tmp_path / "library") as library:
        library.corpora.create("files", settings=settings)
        document_id = library.ingest(b"The surge was 12 cm. " * 50, name="log.txt", corpus="files").document_id

        with pytest.raises(PolicyRefused, match="not on this machine"):
            digest_document(library, document_id, query="surge", **AWAY)

    rows = [json.loads(line) for line in (tmp_path / "library" / "logs" / "audit.jsonl").read_text().splitlines()]
    (row,) = [row for row in rows if row["action"] == "policy_refused"]
    expected: dict[str, Any] = {
        "document_id": document_id,
        "surface": "digest",
        "service": "the model m",
        "reason": reason,
    }
    assert expected.items() <= row.items()
    events = (tmp_path / "library" / "logs" / "events.jsonl").read_text()
    assert '"event":"cloud_decided"' in events
    assert "surge was" not in events


def test_a_caller_can_not_answer_for_the_corpora(tmp_path: Path) -> None:
    with Library.open(tmp_path / "library") as library:
        library.corpora.create("files", settings=CorpusSettings(sensitivity="privileged"))
        document_id = library.ingest(b"The surge was 12 cm. " * 50, name="log.txt", corpus="files").document_id

        with pytest.raises(UsageError, match="cloud is not a setting"):
            digest_document(library, document_id, query="surge", cloud=True, **AWAY)


def test_what_is_sent_is_recorded_once_for_the_document_that_is_worked_on() -> None:
    told: list[CloudDecision] = []
    owners = RecordedOwners(ask=tuple, told=told.append)

    with sending(owners):
        note_sending(service="the server a.example")
        note_sending(service="the server a.example")
    note_sending(service="the server b.example")

    assert told == [CloudDecision(allowed=True, service="the server a.example")]
