"""A recorded run replays byte for byte, without library, model and network (RES-19)."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from octavo.runtime import Runtime
from octavo_contracts import UsageError, verify_report
from octavo_digest.model_client import ModelAnswer, TokenLimitReached
from octavo_digest.model_tools import ToolAnswer, ToolCall, ToolTurn
from octavo_library import Library
from octavo_research import Research, ResearchOptions, replay
from octavo_research.commands.research import command
from octavo_research.export_folder import report_json
from octavo_research.model_plan import Plan
from octavo_research.recorded_model import ReplayedModel
from octavo_research.recording import Recording
from octavo_research.replayed_run import NotRecorded
from octavo_research.spending import Usage
from octavo_research.supervision import Reflection

ROOT = Path(__file__).parents[4]
RECORDINGS = Path(__file__).parent / "recordings"
QUESTION = "How many harbour seals were counted, and how was the water level measured in November?"
SAMPLES = ("field-notes.md", "harbour-seals.html", "visitors-book.txt")


REAL_MODEL = RECORDINGS / "gemma-3-270m.jsonl"
REAL_SAMPLES = ("field-notes.md", "harbour-seals.html", "storm-warning.eml", "visitors-book.txt")


class WritingModel:
    """A double of a model: it refuses the first prompt as too long, then writes a claim of each source that it is given."""

    identity = "writing-double"

    def __init__(self, *, killed_after: int | None = None) -> None:
        self.calls = 0
        self._killed_after = killed_after

    def count_tokens(self, text: str) -> int:
        return len(text) // 4

    def structured(self, prompt: str, *, instructions: str, form: Any, owners: Sequence[Any] = ()) -> ModelAnswer[Any]:
        self.calls += 1
        if self.calls == self._killed_after:
            raise KeyboardInterrupt
        if self.calls == 1:
            raise TokenLimitReached("too long")
        if form is str:
            return ModelAnswer(output=form(f"Compressed {prompt[-60:]}"), requests=1, input_tokens=70, output_tokens=30)
        if form is Plan:
            told = form(queries=["How many seals were counted?", "How was the water level measured?"])
            return ModelAnswer(output=told, requests=1, input_tokens=20, output_tokens=10)
        if form is Reflection:
            told = form(reflection="More on gauges is needed.", queries=["tide gauge"])
            return ModelAnswer(output=told, requests=1, input_tokens=80, output_tokens=20)
        claims = [
            {"text": f"Source {place} says so.", "quotes": [{"source": place, "quote": " ".join(text.split()[:6])}]}
            for place, text in enumerate(prompt.split("<source-text>\n")[1:], start=1)
        ]
        output = form.model_validate({"claims": [*claims, {"text": "No source says this.", "quotes": []}]})
        return ModelAnswer(output=output, requests=1, input_tokens=len(prompt) // 4, output_tokens=50)

    def tools(self, prompt: str, *, turns: Sequence[ToolTurn] = (), **_: Any) -> ModelAnswer[ToolAnswer]:
        self.calls += 1
        told = [("search", {"query": "tide gauge"}), ("read", {"passage": 1})][len(turns) : len(turns) + 1]
        calls = tuple(
            ToolCall(call_id=f"c{len(turns)}", name=name, arguments=json.dumps(given)) for name, given in told
        )
        output = ToolAnswer(text="Looking.", calls=calls)
        return ModelAnswer(output=output, requests=1, input_tokens=60, output_tokens=5)


@pytest.fixture
def offline_after(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A function after which no connection can be made, and no library is opened."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a replay needs nothing but its recording")

    def cut() -> None:
        monkeypatch.setattr(socket.socket, "connect", refuse)
        monkeypatch.setattr(Library, "open", refuse)

    return cut


def record(library: Library, path: Path, *, model: Any = None, **options: Any) -> tuple[Research, str]:
    for name in SAMPLES:
        library.ingest((ROOT / "docs" / "samples" / name).read_bytes(), name=name)
    research = Research(library, model=model)
    started = research.start(QUESTION, options=ResearchOptions(record=str(path), **options))
    research.run(started.research_id)
    return research, started.research_id


@pytest.mark.parametrize("with_model", [False, True])
def test_a_recorded_run_replays_byte_for_byte_three_times(
    fresh: Library, tmp_path: Path, with_model: bool, offline_after: Any
) -> None:
    path = tmp_path / "run.jsonl"
    research, run = record(fresh, path, model=WritingModel() if with_model else None)
    folder = research.export(run, tmp_path / "mailed")
    assert (path.stat().st_mode & 0o777) == 0o600
    offline_after()
    for _ in range(3):
        done = replay(path)
        assert done.is_identical is True
        assert report_json(done.report) == (folder / "report.json").read_bytes()
        assert done.report.to_markdown().encode() == (folder / "report.md").read_bytes()
        assert done.usage == research.usage(run)
        assert done.report.citations()
        assert {f"{key.removeprefix('sha256:')}.txt" for key in done.texts} == set(os.listdir(folder / "archive"))
    assert done.report.model == ("writing-double" if with_model else "none")
    recorded = [row for key, row in Recording.load(path).rows.items() if key[0] == "model" and "error" not in row]
    assert sum(row["input_tokens"] for row in recorded) == done.usage.input_tokens
    assert sum(row["output_tokens"] for row in recorded) == done.usage.output_tokens
    assert done.usage.requests == len(recorded)
    assert (done.usage.requests > 3) is with_model


def test_a_run_that_was_killed_and_resumed_is_recorded_whole_and_asks_the_model_no_second_time(
    fresh: Library, tmp_path: Path
) -> None:
    path = tmp_path / "run.jsonl"
    first = WritingModel(killed_after=2)
    with pytest.raises(KeyboardInterrupt):
        record(fresh, path, model=first, supervision=False)
    with path.open("ab") as file:
        file.write(b'{"kind": "model", "key": "cut sho')
    research = Research(fresh, model=first)  # type: ignore[arg-type]  # doubles have no more than they need
    (run,) = research.list()
    with pytest.raises(NotRecorded):
        replay(path)
    research.run(run.research_id)
    assert first.calls == 3
    done = replay(path)
    assert done.is_identical is True
    assert done.report.to_dict() == research.report(run.research_id).to_dict()


def test_a_ceiling_and_a_deadline_replay_as_they_were(fresh: Library, tmp_path: Path) -> None:
    path = tmp_path / "tokens.jsonl"
    research, run = record(fresh, path, model=WritingModel(), max_tokens=100)
    assert "token_ceiling" in {one.reason for one in research.report(run).failures}
    assert replay(path).is_identical is True
    late = tmp_path / "late.jsonl"
    research, run = record(fresh, late, max_minutes=1e-9)
    assert "time_ceiling" in {one.reason for one in research.report(run).failures}
    assert replay(late).is_identical is True


def test_a_recording_that_was_altered_is_found_out(fresh: Library, tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    record(fresh, path, model=WritingModel())
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    told = [row for row in rows if row["kind"] == "model" and "output" in row]
    told[-1]["output"]["claims"][0]["text"] = "Another claim."
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert replay(path).is_identical is False


@pytest.mark.parametrize("content", ["", "no json\n", "[]\n", '{"kind": "run", "format": 99}\n', '{"kind": "open"}\n'])
def test_what_is_no_recording_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "file"
    path.write_text(content)
    with pytest.raises(UsageError):
        replay(path)


def test_a_run_overwrites_no_file(fresh: Library, tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_text("mine")
    with pytest.raises(UsageError, match="exists"):
        record(fresh, path)
    assert path.read_text() == "mine"


def test_a_run_overwrites_no_file_that_came_after_it_was_asked_for(fresh: Library, tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    research = Research(fresh)
    run = research.start(QUESTION, options=ResearchOptions(record=str(path)))
    path.write_text("mine")
    with pytest.raises(UsageError, match="no recording of this run"):
        research.run(run.research_id)
    assert path.read_text() == "mine"


def test_a_recording_that_is_too_large_or_no_file_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("octavo_research.recording.MAX_BYTES", 1 << 20)
    large = tmp_path / "large.jsonl"
    with large.open("wb") as file:
        file.truncate((1 << 20) + 1)
    with pytest.raises(UsageError, match="larger than 1 MiB"):
        replay(large)
    with pytest.raises(UsageError, match="no file"):
        replay(Path(os.devnull))


def run_again(library: Library, record: str | None = None) -> tuple[Research, str]:
    """Execute the run of the real model in a library, with the answers that it gave when it was recorded."""
    recording = Recording.load(REAL_MODEL)
    for name in REAL_SAMPLES:
        library.ingest((ROOT / "docs" / "samples" / name).read_bytes(), name=name)
    model = ReplayedModel(recording, identity=recording.header["models"]["synthesis"])
    research = Research(library, model=model)
    options = ResearchOptions.from_json(json.dumps({**recording.header["options"], "record": record}))
    started = research.start(recording.header["question"], options=options)
    research.run(started.research_id)
    return research, started.research_id


def test_the_answers_of_a_real_model_give_the_same_report_three_times_on_each_database(fresh: Library) -> None:
    """RES-5, RES-19: what the model has cost is the sum of the journal, with the answers that were of no use."""
    recorded = replay(REAL_MODEL)
    assert recorded.is_identical is True
    rows = [row for key, row in Recording.load(REAL_MODEL).rows.items() if key[0] == "model"]
    for _ in range(3):
        research, run = run_again(fresh)
        report = research.report(run)
        assert {**report.to_dict(), "research_id": ""} == {**recorded.report.to_dict(), "research_id": ""}
        assert report.to_markdown() == recorded.report.to_markdown()
        assert {"model_answer_invalid"} == {one.reason for one in report.failures}
        assert any("repeats itself" in one.message for one in report.failures)
        assert research.verify(run).status == "verified"
        journal = [json.loads(step.result_json) for step in research.steps(run) if step.name.startswith("model:")]
        used = research.usage(run)
        assert used == recorded.usage
        for name in ("requests", "input_tokens", "output_tokens"):
            assert getattr(used, name) == sum(row[name] for row in rows) == sum(row["usage"][name] for row in journal)
        assert used.usd == pytest.approx((used.input_tokens + 2 * used.output_tokens) / 1e6)


@pytest.mark.parametrize("name", ["extractive", "model", "gemma-3-270m"])
def test_the_recordings_of_the_tests_replay_to_reports_that_verify(
    name: str, tmp_path: Path, offline_after: Any
) -> None:
    offline_after()
    path = RECORDINGS / f"{name}.jsonl"
    runner = CliRunner()
    result = runner.invoke(command, ["replay", str(path), "-o", str(tmp_path / "out"), "--json"])
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert told["identical"] is True
    assert told["usage"] == Usage(**Recording.load(path).end["usage"]).to_json()  # type: ignore[index]  # a fixture is complete
    report = json.loads((tmp_path / "out" / "report.json").read_text(encoding="utf-8"))
    texts = tmp_path / "out" / "archive"
    verified = verify_report(report, lambda digest: (texts / f"{digest}.txt").read_bytes().decode())
    assert verified.status == "verified"
    assert verified.quotations >= 3


@pytest.mark.skipif("OCTAVO_UPDATE" not in os.environ, reason="writes the recordings anew; set OCTAVO_UPDATE=1")
def test_the_run_of_the_real_model_is_recorded_anew_with_its_answers(runtime: Runtime, tmp_path: Path) -> None:
    path = tmp_path / "anew.jsonl"
    with Library.open(tmp_path / "library", runtime=runtime) as library:
        run_again(library, record=str(path))
    assert replay(path).is_identical is True
    REAL_MODEL.write_bytes(path.read_bytes())


@pytest.mark.skipif("OCTAVO_UPDATE" not in os.environ, reason="writes the recordings anew; set OCTAVO_UPDATE=1")
@pytest.mark.parametrize("name", ["extractive", "model"])
def test_the_recordings_are_written_anew(runtime: Runtime, tmp_path: Path, name: str) -> None:
    path = RECORDINGS / f"{name}.jsonl"
    path.parent.mkdir(exist_ok=True)
    path.unlink(missing_ok=True)
    with Library.open(tmp_path / "library", runtime=runtime) as library:
        library.ingest((ROOT / "docs" / "samples" / "annual-report.pdf").read_bytes(), name="annual-report.pdf")
        record(library, path, model=WritingModel() if name == "model" else None)
    path.chmod(0o644)
    assert replay(path).is_identical is True
