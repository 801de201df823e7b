"""A purge of a document deletes what a research run wrote from it: nothing of its text stays in the index or in a file (STO-12)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from octavo_digest.model_client import ModelAnswer
from octavo_digest.model_tools import ToolAnswer, ToolCall, ToolTurn
from octavo_library import Library
from octavo_library.storage import derived
from octavo_research import Research, ResearchOptions
from octavo_research.model_plan import Plan
from octavo_research.supervision import Reflection
from sqlalchemy import create_engine

CANARY = "zephyrquill"
SECRET = f"The {CANARY} lamp of the pier was lit by Rosalind in November."
OTHER = "The second lamp of the pier was lit by a clock in December."
QUESTION = "Who lit the lamp of the pier, and what did the zeppelin committee decide about lanterns?"


class QuotingModel:
    """A double of a model that has read every source, and says so in each of its claims."""

    identity = "quoting-double"

    def __init__(self, *, during: Any = None) -> None:
        self._during = during

    def count_tokens(self, text: str) -> int:
        return len(text) // 4

    def structured(self, prompt: str, *, instructions: str, form: Any, owners: Sequence[Any] = ()) -> ModelAnswer[Any]:
        if form is str:
            return ModelAnswer(output=form(f"Findings of {CANARY}."), requests=1, input_tokens=1, output_tokens=1)
        if form is Plan:
            return ModelAnswer(output=form(queries=[]), requests=1, input_tokens=1, output_tokens=1)
        if form is Reflection:
            told = form(reflection=f"What of {CANARY}?", queries=[f"{CANARY} lamp"])
            return ModelAnswer(output=told, requests=1, input_tokens=1, output_tokens=1)
        sources = prompt.split("## Findings")[0].split("<source-text>\n")[1:]
        numbers = {
            name: place for place, text in enumerate(sources, start=1) for name in (SECRET, OTHER) if name in text
        }
        claims = [
            {"text": f"{CANARY} and Rosalind.", "quotes": [{"source": numbers[SECRET], "quote": SECRET}]},
            {"text": f"A clock, after {CANARY}.", "quotes": [{"source": numbers[OTHER], "quote": OTHER}]},
            {"text": f"Nobody quotes {CANARY}.", "quotes": []},
        ]
        if self._during is not None:
            self._during()
        return ModelAnswer(
            output=form.model_validate({"claims": claims}), requests=1, input_tokens=100, output_tokens=10
        )

    def tools(self, prompt: str, *, turns: Sequence[ToolTurn] = (), **_: Any) -> ModelAnswer[ToolAnswer]:
        call = ToolCall(call_id="c", name="search", arguments=json.dumps({"query": f"{CANARY} pier"}))
        output = ToolAnswer(text=f"Of {CANARY}.", calls=() if turns else (call,))
        return ModelAnswer(output=output, requests=1, input_tokens=1, output_tokens=1)


def ingest(library: Library) -> tuple[str, str]:
    names = {"secret.md": f"# Lamps\n\n{SECRET}\n", "other.md": f"# Clocks\n\n{OTHER}\n"}
    first, second = (str(library.ingest(text.encode(), name=name).document_id) for name, text in names.items())
    return first, second


def stored_texts(library: Library, root: Path) -> bytes:
    """Everything that the library has stored: its files, and its index wherever that is."""
    library.search("pier", seconds=None)  # words of a purged document leave the search's files with the next search
    url = library.context.index.research.url
    rows = b""
    if url.get_backend_name() == "postgresql":
        engine = create_engine(url)
        with engine.connect() as connection:
            names = connection.exec_driver_sql("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
            for name in names.scalars().all():
                rows += repr(
                    connection.exec_driver_sql(f'SELECT * FROM "{name}"').all()
                ).encode()  # names of the schema
        engine.dispose()
    library.context.index.close()  # merges the write-ahead log
    return rows + b"".join(path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file())


@pytest.mark.parametrize("supervision", [False, True])
def test_nothing_of_a_purged_document_stays_of_a_run_with_a_model(fresh: Library, supervision: bool) -> None:
    root, (secret, other) = fresh.path, ingest(fresh)
    research = Research(fresh, model=QuotingModel())  # type: ignore[arg-type]  # the double has no account of its own
    run = research.start(QUESTION, options=ResearchOptions(supervision=supervision)).research_id
    research.run(run)
    assert CANARY in research.report(run).to_markdown()
    assert any(CANARY in step.result_json for step in research.steps(run))

    fresh.maintenance.purge(secret, confirm=secret)

    report = research.report(run)
    assert CANARY not in report.to_markdown()
    assert "Rosalind" not in report.to_markdown()
    assert [one.quote for one in report.citations()] == [OTHER], "a quotation of another document stays"
    assert {one.document_id for one in report.citations()} == {other}
    assert "source_unavailable" in {one.reason for one in report.failures}
    assert research.verify(run).status == "verified"
    assert not any(CANARY in step.result_json for step in research.steps(run))
    stored = stored_texts(fresh, root)
    assert other.encode() in stored, "what is searched has been read"
    assert CANARY.encode() not in stored
    assert b"Rosalind" not in stored


def test_a_document_that_is_purged_while_the_model_writes_is_not_stored_again(fresh: Library) -> None:
    root, (secret, _) = fresh.path, ingest(fresh)
    model = QuotingModel(during=lambda: fresh.maintenance.purge(secret, confirm=secret))
    research = Research(fresh, model=model)  # type: ignore[arg-type]
    run = research.start(QUESTION, options=ResearchOptions(supervision=False)).research_id
    assert research.run(run).status == "completed"
    assert CANARY not in research.report(run).to_markdown()
    assert CANARY.encode() not in stored_texts(fresh, root)


def test_a_claim_from_a_document_that_left_the_corpus_is_not_shown_to_it(fresh: Library) -> None:
    names = {"secret.md": SECRET, "other.md": OTHER}
    for name, text in names.items():
        fresh.ingest(f"# {name}\n\n{text}\n".encode(), name=name, corpus="lamps")
    research = Research(fresh, corpus="lamps", model=QuotingModel())  # type: ignore[arg-type]
    run = research.start(QUESTION, options=ResearchOptions(supervision=False)).research_id
    research.run(run)
    secret = next(one for one in fresh.documents(corpus="lamps") if SECRET in one.canonical_text)
    fresh.corpora.remove_document(secret.id, "lamps")
    assert CANARY not in research.report(run).to_markdown()
    assert [one.quote for one in research.report(run).citations()] == [OTHER]


@pytest.mark.parametrize("wrapped", [True, False])
def test_a_crash_file_holds_no_words_of_a_document(fresh: Library, wrapped: bool) -> None:
    def fail() -> None:
        try:
            raise ValueError(SECRET)
        except ValueError as error:
            if wrapped:
                raise RuntimeError(f"failed at {SECRET}") from error
            raise

    ingest(fresh)
    research = Research(fresh, model=QuotingModel(during=fail))  # type: ignore[arg-type]
    run = research.start(QUESTION, options=ResearchOptions(supervision=False)).research_id
    with pytest.raises((RuntimeError, ValueError)):
        research.run(run)
    told = research.crash_file(run).read_text(encoding="utf-8")
    assert "builtins.ValueError" in told
    assert ("builtins.RuntimeError" in told) is wrapped
    assert CANARY not in told
    assert CANARY not in (research.get(run).reason or "")


def test_derived_values_are_found_at_any_depth_and_deleted_with_any_of_their_documents() -> None:
    from octavo_library.storage.index.derived_texts import documents_of, without_documents

    stored = {"a": [derived("both", ["x", "y"]), {"b": derived({"deep": "z"}, ["z"])}], "c": "plain"}
    assert documents_of(stored) == {"x", "y", "z"}
    gone = without_documents(stored, {"y"})
    assert gone["a"][0] == {"derived_from": ["x", "y"], "value": None}
    assert gone["a"][1] == stored["a"][1]  # type: ignore[index]
    assert gone["c"] == "plain"
