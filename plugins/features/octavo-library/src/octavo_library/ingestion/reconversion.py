"""Known documents converted again, each once a run however many paths it has (STO-13)."""

from __future__ import annotations

import threading

from octavo.conversion.assembly import build_failure
from octavo.documents.location import place_ref
from octavo.sandbox import Cancelled
from octavo_contracts import IngestionState, OctavoError, StorageError

from .engine import Engine
from .requests import Answer, IngestRequest, Processed
from .run_worker import not_attempted


class Anew:
    """Converts again what a run found to be known.

    Args:
        engine: the engine it is a run of.
        request: how the documents come in.
        stop: set it to end the run.
        activate: whether the new versions become the active ones; None: those that lose neither pages nor text.
    """

    def __init__(
        self, engine: Engine, request: IngestRequest, *, stop: threading.Event, activate: bool | None = None
    ) -> None:
        self._engine = engine
        self._request = request
        self._stop = stop
        self._activate = activate
        self._seen: set[str] = set()

    def is_due(self, processed: Processed) -> bool:
        """Whether a document was known, and has not been met before in this run."""
        if processed.document_id is None or processed.document_id in self._seen:
            return False
        self._seen.add(processed.document_id)
        return processed.is_shared

    def convert(self, answer: Answer) -> Answer:
        """The new version, which becomes the active one unless it is held back, or why there is none; the old ones are untouched then.

        Raises:
            UsageError: an override or profile does not exist.
            StorageError: the library cannot be written.
        """
        given, known = answer
        if self._stop.is_set():
            return not_attempted(given)
        try:
            with self._engine.incoming.open_known(given, self._request, document_id=known.document_id) as source:
                made = self._engine.ingestor.reconvert(source, self._request, activate=self._activate)
        except Cancelled:
            return not_attempted(given)
        except OctavoError as error:
            if error.reason is None or isinstance(error, StorageError):
                raise
            result = build_failure(
                error,
                stage=IngestionState.CONVERSION_FAILED,
                document_id=known.document_id,
                original_ref=place_ref(given),
            )
            return given, Processed(document_id=known.document_id, reused=False, result=result)
        return given, Processed(
            document_id=known.document_id,
            reused=False,
            request=self._request,
            has_attachments=True,
            held_back=made.held_back,
            was_told=known.was_told,
        )
