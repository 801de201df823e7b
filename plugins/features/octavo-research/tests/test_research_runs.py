"""Runs are durable: stopped at any step they end with the same report, no finished step is repeated (RES-2)."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from octavo_contracts import UsageError
from octavo_library import Library
from octavo_research import Research
from octavo_research.commands.research import command

QUESTION = "How many harbour seals were counted, and how was the water level measured in November?"


class Killed(BaseException):
    """Ends a run as an interrupt does."""


class Recorder:
    """Records the steps that are executed; ends the run at the nth."""

    def __init__(self, *, kill_at: int | None = None) -> None:
        self.started: list[str] = []
        self._kill_at = kill_at

    def __call__(self, event: str, name: str) -> None:
        if event == "start":
            self.started.append(name)
            if len(self.started) == self._kill_at:
                raise Killed


def whole(library: Library) -> tuple[dict[str, object], list[str]]:
    recorder = Recorder()
    research = Research(library, observer=recorder)
    record = research.start(QUESTION)
    research.run(record.research_id)
    return _content(research, record.research_id), recorder.started


def _content(research: Research, research_id: str) -> dict[str, object]:
    return {**research.report(research_id).to_dict(), "research_id": ""}


def test_a_run_that_is_ended_at_any_step_ends_with_the_same_report(library: Library) -> None:
    """RES-1."""
    expected, steps = whole(library)
    assert {step.partition(":")[0] for step in steps} >= {"plan", "gather", "select", "read", "refine", "synthesis"}
    for place in range(1, len(steps) + 1):
        first, second = Recorder(kill_at=place), Recorder()
        record = Research(library).start(QUESTION)
        with pytest.raises(Killed):
            Research(library, observer=first).run(record.research_id)
        research = Research(library, observer=second)
        done = {step.name for step in research.steps(record.research_id)}
        assert research.state(research.get(record.research_id)) == "waiting"
        assert research.run(record.research_id).status == "completed"
        assert not done & set(second.started), "a finished step was executed again"
        assert sorted(done | set(second.started)) == sorted(steps)
        assert _content(research, record.research_id) == expected


def test_a_finished_run_is_no_damage_of_its_library(library: Library) -> None:
    """Steps have results of several kinds, and the check of the index must know them all."""
    research = Research(library)
    record = research.start(QUESTION)
    research.run(record.research_id)
    report = library.maintenance.verify()
    done = library.maintenance.repair()

    assert report.is_clean
    assert done.remaining == ()
    assert research.report(record.research_id).to_dict()["status"] == "completed"


def test_a_cancelled_run_commits_no_further_step_and_can_be_resumed(library: Library) -> None:
    record = Research(library).start(QUESTION)

    def cancel_at_select(event: str, name: str) -> None:
        if (event, name) == ("start", "select:1"):
            assert Research(library).cancel(record.research_id)

    ended = Research(library, observer=cancel_at_select).run(record.research_id)
    assert ended.status == "cancelled"
    assert "select:1" not in {step.name for step in Research(library).steps(record.research_id)}
    assert not Research(library).cancel(record.research_id)
    assert Research(library).run(record.research_id).status == "completed"


def test_a_run_is_executed_by_one_process_at_a_time(library: Library) -> None:
    record = Research(library).start(QUESTION)

    def run_again(event: str, name: str) -> None:
        if (event, name) == ("start", "plan"):
            with pytest.raises(UsageError, match="executed by another process"):
                Research(library).run(record.research_id)

    assert Research(library, observer=run_again).run(record.research_id).status == "completed"
    assert Research(library).run(record.research_id).status == "completed"


def test_an_unexpected_error_leaves_a_crash_file_and_a_run_that_can_be_resumed(library: Library) -> None:
    record = Research(library).start(QUESTION)

    def fail(event: str, name: str) -> None:
        if name == "refine:1":
            raise RuntimeError("a bug")

    with pytest.raises(RuntimeError, match="a bug"):
        Research(library, observer=fail).run(record.research_id)
    research = Research(library)
    told = research.crash_file(record.research_id).read_text(encoding="utf-8")
    assert told.rstrip().endswith("builtins.RuntimeError")
    assert "in _execute" in told
    assert "a bug" not in told.replace('raise RuntimeError("a bug")', ""), "a message could quote a document"
    assert research.get(record.research_id).status == "failed"
    assert "run_failed" in {failure.reason for failure in research.report(record.research_id).failures}
    assert research.run(record.research_id).status == "completed"
    assert not research.report(record.research_id).failures


def test_a_run_is_still_there_after_the_library_was_closed(folder: Path) -> None:
    with Library.open(folder, create=False) as library:
        record = Research(library).start(QUESTION)
    with Library.open(folder, create=False) as library:
        assert [run.question for run in Research(library).list()] == [QUESTION]
        assert Research(library).run(record.research_id[:8]).status == "completed"


def test_a_long_run_says_on_stderr_what_it_is_doing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every step counts as long here: the lines of a run of seconds."""
    monkeypatch.setattr("octavo_research.commands.progress.EVERY", 0.0)
    arguments = ["start", "How many harbour seals were counted?", "--library", str(folder)]
    result = CliRunner().invoke(command, arguments)
    assert result.exit_code == 0, result.output
    told = [line for line in result.stderr.splitlines() if line.startswith("octavo: ")]
    for doing in ("searching", "choosing sources", "reading source 2", "writing the report"):
        assert any(doing in line for line in told), doing
    assert "searching" not in result.stdout
