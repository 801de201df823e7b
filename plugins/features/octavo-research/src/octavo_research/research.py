"""`Research`: starts, executes and resumes research runs of a library, and gives their reports (RES-2)."""

from __future__ import annotations

import asyncio
import json
import os
import uuid
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Literal

from octavo_contracts import OctavoError, ReportVerification, StorageError, UsageError, verify_report
from octavo_library.facade.library import Library
from octavo_library.storage import ResearchRecord, ResearchStep, documents_of
from octavo_retrieval import Scope
from octavo_sandbox.filesystem.durable import make_folder, write_file

from .crash_file import crash_text
from .evaluation import Comparison, Evaluation
from .evaluation_judge import Judge, JudgedRun
from .export_folder import write_export
from .journal import Journal, RunStopped, StepObserver, results_of
from .language_model import LanguageModel, ModelRoles, models_of
from .model_calls import ModelCalls
from .options import CORPUS, ResearchOptions
from .recorded_model import RecordedModel, identities
from .recording import RecordedSources, Tape, check_new_recording
from .replayed_run import end_of
from .report import ResearchReport
from .report_builder import ReportBuilder
from .sources import LibrarySources
from .spending import Ceilings, Usage
from .topic_notes import stored_notes
from .usage import fetched_of, usage_of
from .web_gathering import web_of
from .workflow import Workflow

RunState = Literal["waiting", "running", "interrupted", "completed", "failed", "cancelled"]
"""What a run is in now: its stored status, with `running` told apart by whether its process lives."""

MAX_QUESTION = 10_000
"""Longest question, in code points."""


class Research:
    """The research runs of a library.

    Args:
        library: an open library.
        corpus: name or id of the corpus that asks: a run sees its documents alone, under its policy, and other corpora are not told
            of the run. None: the library's owner, who sees every run; such a run sees what `Library.search` does.
        observer: is told of each step that is executed.
        model: a model of the caller, which is asked instead of that of a run's options.
    """

    def __init__(
        self,
        library: Library,
        *,
        corpus: str | None = None,
        observer: StepObserver | None = None,
        model: LanguageModel | None = None,
    ) -> None:
        self._library = library
        self._runs = library.context.index.research
        self._corpus_id = library.context.index.corpora.get(corpus).corpus_id if corpus is not None else None
        self._observer = observer
        self._model = model

    def start(self, question: str, *, options: ResearchOptions | None = None) -> ResearchRecord:
        """Store a new run; `run` executes it.

        Raises:
            UsageError: the question is empty or too long; a search provider does not exist, or has no server or key; the file of
                the recording exists.
            PolicyRefused: the URL of a search provider is not allowed.
            StorageError: the library cannot be written.
        """
        asked = " ".join(question.split())
        if not asked or len(asked) > MAX_QUESTION:
            problem = f"has {len(asked):,} characters" if asked else "is empty"
            raise UsageError(f"the question {problem}", remedy=f"Ask with 1 to {MAX_QUESTION:,} characters")
        made = options or ResearchOptions()
        if self._model is not None and made.max_usd is not None and made.input_price is None:
            raise UsageError(
                "a ceiling of money needs the prices of the model", remedy="Give input_price and output_price"
            )
        # What is wrong with them is said before there is a run, which would stay in the list as failed.
        if self._model is None:
            models_of(made)
        web_of(Scope(self._library, self._corpus_id), made)
        if made.record is not None:
            check_new_recording(Path(made.record))
        return self._runs.create(str(uuid.uuid4()), asked, corpus_id=self._corpus_id, options_json=made.to_json())

    def get(self, research_id: str) -> ResearchRecord:
        """A run by its id or a unique prefix.

        Raises:
            UsageError: there is no such run for this asker.
        """
        return self._runs.get(research_id, corpus_id=self._corpus_id)

    def list(self) -> tuple[ResearchRecord, ...]:
        """The runs of this asker, the newest first."""
        return self._runs.all(corpus_id=self._corpus_id)

    def state(self, record: ResearchRecord) -> RunState:
        """What a run is in now."""
        if record.status != "running":
            return record.status
        if record.owner is None:
            return "waiting"
        return "running" if self._library.context.artifacts.is_alive(record.owner) else "interrupted"

    def run(self, research_id: str) -> ResearchRecord:
        """Execute the steps of a run that are not finished, and return the run as it is then.

        A run that was interrupted, failed or was cancelled continues; a completed one is returned as it is.

        Raises:
            UsageError: there is no such run, or a living process executes it.
            StorageError: the library cannot be written.
        """
        record = self.get(research_id)
        if record.status in ("failed", "cancelled"):
            self._runs.reopen(record.research_id)
            record = self.get(record.research_id)
        if record.status == "completed":
            return record
        owner = self._library.context.artifacts.owner
        if self.state(record) == "running" or not self._runs.claim(record, owner=owner):
            raise UsageError(
                f"the research run {record.research_id} is executed by another process",
                remedy="Wait for it, or cancel it with `octavo research cancel`",
            )
        self._execute(record, owner)
        return self.get(record.research_id)

    async def arun(self, research_id: str) -> ResearchRecord:
        """As `run`, without blocking the event loop. Where the task is cancelled the run goes on; `cancel` stops it.

        Raises:
            UsageError: as `run`.
            StorageError: as `run`.
        """
        return await asyncio.to_thread(self.run, research_id)

    def cancel(self, research_id: str) -> bool:
        """Cancel a run: the process that executes it commits no further step. False where it had ended."""
        record = self.get(research_id)
        return self._runs.finish(record.research_id, status="cancelled", owner=None)

    def report(self, research_id: str) -> ResearchReport:
        """The report of a run, as far as the run is.

        Raises:
            UsageError: there is no such run.
        """
        return self._builder(self.get(research_id)).build()

    def export(self, research_id: str, folder: str | os.PathLike[str]) -> Path:
        """Write the report and the texts that it cites to a folder, which can be given to others, and return the folder.

        Raises:
            UsageError: there is no such run, or the folder is not empty.
            StorageError: the folder cannot be written.
        """
        builder = self._builder(self.get(research_id))
        report = builder.build()
        cited = {one.source_text_hash for one in report.citations()}
        texts = {text_hash: text for text_hash, text in builder.texts.items() if text_hash in cited}
        return write_export(Path(folder), report, texts)

    def crash_file(self, research_id: str) -> Path:
        """Where the traceback of a run that failed unexpectedly is: types and places of the errors, without their messages."""
        return self._library.path / "logs" / f"research-{research_id}.crash"

    def verify(self, research_id: str) -> ReportVerification:
        """Compare every quotation of a report with the library's texts.

        Raises:
            UsageError: there is no such run.
        """
        builder = self._builder(self.get(research_id))
        report = builder.build()
        return verify_report(report.to_dict(), lambda digest: builder.texts.get(f"sha256:{digest}"))

    def evaluate(
        self, research_id: str, *, judge: LanguageModel | None = None, ceilings: Ceilings | None = None
    ) -> Evaluation:
        """Evaluate a report: each quotation by its locator first, then, with a judge, the claims and the whole text.

        Args:
            research_id: the run.
            judge: the model that judges; None: only what needs no model is decided, and the evaluation says what was not judged.
            ceilings: what the judge may cost; None: no ceilings. What a ceiling leaves out is not judged, and the evaluation says so.

        Raises:
            UsageError: there is no such run.
        """
        return self._judge(judge, ceilings).evaluate(self._judged(research_id))

    async def aevaluate(
        self, research_id: str, *, judge: LanguageModel | None = None, ceilings: Ceilings | None = None
    ) -> Evaluation:
        """As `evaluate`, without blocking the event loop.

        Raises:
            UsageError: as `evaluate`.
        """
        return await asyncio.to_thread(self.evaluate, research_id, judge=judge, ceilings=ceilings)

    def compare(
        self, research_id: str, against: str, *, judge: LanguageModel | None = None, ceilings: Ceilings | None = None
    ) -> Comparison:
        """Evaluate the reports of two runs on one question, and compare them. The ceilings hold for all of it.

        Raises:
            UsageError: there is no such run, or the runs have different questions.
        """
        first, second = self._judged(research_id), self._judged(against)
        if first.report.question != second.report.question:
            raise UsageError(
                f"the runs {first.report.research_id} and {second.report.research_id} have different questions",
                remedy="Compare runs on the same question",
            )
        return self._judge(judge, ceilings).compare(first, second)

    async def acompare(
        self, research_id: str, against: str, *, judge: LanguageModel | None = None, ceilings: Ceilings | None = None
    ) -> Comparison:
        """As `compare`, without blocking the event loop.

        Raises:
            UsageError: as `compare`.
        """
        return await asyncio.to_thread(self.compare, research_id, against, judge=judge, ceilings=ceilings)

    def usage(self, research_id: str) -> Usage:
        """What the model of a run has cost so far.

        Raises:
            UsageError: there is no such run.
        """
        return usage_of(results_of(self.steps(research_id)))

    def steps(self, research_id: str) -> tuple[ResearchStep, ...]:
        """The finished steps of a run, in the order of their commits.

        Raises:
            UsageError: there is no such run.
        """
        return self._runs.steps(self.get(research_id).research_id)

    def _judge(self, model: LanguageModel | None, ceilings: Ceilings | None) -> Judge:
        limits = ceilings or Ceilings()
        sources = LibrarySources(Scope(self._library, self._corpus_id), max_minutes=limits.max_minutes)
        return Judge(model, ModelCalls(sources=sources, ceilings=limits))

    def _judged(self, research_id: str) -> JudgedRun:
        record = self.get(research_id)
        results = results_of(self._runs.steps(record.research_id))
        sources = LibrarySources(self._scope(record))
        builder = ReportBuilder(sources, record, results)
        report = builder.build()
        # The builder leaves out every text that was derived from a document that is not readable any more.
        documents = {one for one in documents_of(results) if sources.is_readable(one)}
        documents.update(one.document_id for one in report.citations())
        return JudgedRun(
            report=report,
            archived_text=lambda digest: builder.texts.get(f"sha256:{digest}"),
            raw_notes=stored_notes(results, sources.is_readable),
            documents=tuple(sorted(documents)),
        )

    def _execute(self, record: ResearchRecord, owner: str) -> None:
        journal = Journal(self._runs, record.research_id, owner=owner, observer=self._observer)
        try:
            self._work(record, journal)
        except RunStopped:
            return
        except OctavoError as error:
            self._runs.finish(record.research_id, status="failed", owner=owner, reason=error.message)
            raise
        except Exception as error:  # dispatch: whatever a step raises is kept beside the run, which can be resumed
            self._write_crash(record.research_id, error)
            reason = f"{type(error).__name__}; see {self.crash_file(record.research_id).name}"
            self._runs.finish(record.research_id, status="failed", owner=owner, reason=reason)
            raise
        except BaseException:
            # An interrupt: the run is released, and can be resumed at once.
            self._runs.finish(record.research_id, status="running", owner=owner)
            raise
        self._runs.finish(record.research_id, status="completed", owner=owner)

    def _work(self, record: ResearchRecord, journal: Journal) -> None:
        options = ResearchOptions.from_json(record.options_json)
        models = ModelRoles.all_of(self._model) if self._model is not None else models_of(options)
        scope = self._scope(record)
        sources = LibrarySources(
            scope,
            web=web_of(scope, options),
            with_corpus=CORPUS in options.providers,
            fetched=fetched_of(results_of(self._runs.steps(record.research_id))),
            max_minutes=options.max_minutes,
        )
        if options.record is None:
            Workflow(sources, record.question, options, journal, models=models).execute()
            return
        header = {
            "research_id": record.research_id,
            "question": record.question,
            "options": json.loads(replace(options, record=None).to_json()),
            "models": identities(models),
        }
        with Tape(Path(options.record), header) as tape:
            taped = models.wrapped(lambda model: RecordedModel(model, tape)) if models is not None else None
            Workflow(RecordedSources(sources, tape), record.question, options, journal, models=taped).execute()
            report = self._builder(replace(record, status="completed")).build()
            tape.add(kind="end", **end_of(report, self.usage(record.research_id)))

    def _builder(self, record: ResearchRecord) -> ReportBuilder:
        return ReportBuilder(
            LibrarySources(self._scope(record)), record, results_of(self._runs.steps(record.research_id))
        )

    def _scope(self, record: ResearchRecord) -> Scope:
        return Scope(self._library, record.corpus_id)

    def _write_crash(self, research_id: str, error: BaseException) -> None:
        path = self.crash_file(research_id)
        with suppress(StorageError, OSError):
            make_folder(path.parent)
            write_file(path, crash_text(error).encode("utf-8", "replace"))
