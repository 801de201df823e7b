"""`library.entities`: entities that were observed in documents, and whether they are confirmed (ENT-2)."""

from __future__ import annotations

import builtins
import json
import os
import threading
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from octavo.settings.step_names import StepName
from octavo_contracts import UsageError

from ..entities.names import normal_form
from ..entities.promotion import Status, judge, standing
from ..entities.tagging import Tagger
from ..entities.visible_types import types_of_others
from ..storage.index.entities import EntityRun, EntityScope
from ..storage.index.entity_records import SeenEntity
from .context import LibraryContext


@dataclass(frozen=True, kw_only=True)
class Observation:
    """A mention of an entity.

    Attributes:
        document_id: the document.
        version: the version to whose canonical text the offsets refer.
        start: first code point.
        end: one past the last code point.
        text: the text of this span, verbatim.
        confidence: the engine's confidence, 0..1.
        normalized: a date in ISO 8601, or the name without the noise around it.
    """

    document_id: str
    version: int
    start: int
    end: int
    text: str
    confidence: float
    normalized: str | None


@dataclass(frozen=True, kw_only=True)
class Entity:
    """An entity as the asker may see it: observed, or confirmed for a reason (ENT-2).

    Attributes:
        name: its most frequent form.
        label: its kind.
        status: 'observed' or 'confirmed'.
        reason: why it is confirmed, or None: `user`, `reuse` or `corroboration`, a colon and the details.
        documents: number of documents with mentions, as far as the asker may see them.
        observations: its mentions, by document and position.
        key: the normal form that its mentions share.
    """

    name: str
    label: str
    status: Status
    reason: str | None
    documents: int
    observations: tuple[Observation, ...]
    key: str


class Entities:
    """The entities of an open library.

    Args:
        context: the library's parts.
    """

    def __init__(self, context: LibraryContext) -> None:
        self._context = context

    def extract(
        self,
        document: str,
        *,
        engine: str | None = None,
        labels: Iterable[str] | None = None,
        model: str | os.PathLike[str] | None = None,
        cancel: threading.Event | None = None,
    ) -> EntityRun | None:
        """Extract the entities of a document now, regardless of its corpus's settings.

        Args:
            document: as `Library.document` takes it.
            engine: the plugin; None: the settings' one.
            labels: kinds of entities; None: the settings'.
            model: folder of the engine's weights; None: the settings'.
            cancel: set it from another thread to stop.

        Returns:
            The run, with the numbers of kept and dropped observations; None if the document has no text.

        Raises:
            UsageError: no such document or plugin.
            ToolUnavailable: no engine is installed, or its model is missing.
            OctavoError: the engine failed.
        """
        settings = self._context.runtime.settings.entities
        if engine is not None:
            settings = replace(settings, engine=engine)
        if labels is not None:
            settings = replace(settings, labels=tuple(labels))
        if model is not None:
            settings = replace(settings, model=Path(os.path.abspath(model)))
        record = self._context.index.documents.get(self._context.index.documents.resolve(document))
        return self._tagger.tag(record, settings, cancel=cancel)

    def list(
        self, *, document: str | None = None, corpus: str | None = None, label: str | None = None
    ) -> builtins.list[Entity]:
        """The entities observed in the active versions of a document, of a corpus, or of the library.

        Only documents that the asker may see count, both for the list and for promotion (STO-5): for a corpus, its own
        documents under its policy; else all that are not firewalled.

        Args:
            document: as `Library.document` takes it.
            corpus: a corpus, by name.
            label: only this kind.

        Raises:
            UsageError: no such document or corpus, or both were given.
        """
        found = [self._entity(seen) for seen in self._context.index.entities.seen(self._view(document, corpus))]
        hidden = self._types_of_others(corpus)
        return [entity for entity in found if label in (None, entity.label) and entity.label not in hidden]

    def promote(
        self, name: str, *, label: str | None = None, corpus: str | None = None, by: str = "user", note: str = ""
    ) -> Entity:
        """Confirm an entity as a user's decision, which overrides all counts (ENT-2).

        Args:
            name: a form of its name.
            label: its kind, if the name alone is ambiguous.
            corpus: the decision applies in this corpus; None: everywhere.
            by: author of the decision.
            note: reason of the decision.

        Raises:
            UsageError: no entity of that name was observed, or more than one.
        """
        return self._decide(name, label, corpus, action="promote", reason="user", by=by, note=note)

    def demote(
        self, name: str, *, label: str | None = None, corpus: str | None = None, by: str = "user", note: str = ""
    ) -> Entity:
        """Undo a promotion, for whatever reason it was made: the entity stays an observation until a user promotes it.

        Raises:
            UsageError: as `promote`.
        """
        return self._decide(name, label, corpus, action="demote", reason="user", by=by, note=note)

    def record_use(
        self, name: str, *, where: str, label: str | None = None, corpus: str | None = None, by: str = "system"
    ) -> Entity:
        """Record that an entity was used downstream, which confirms it unless a user demoted it (ENT-2).

        Args:
            name: a form of its name.
            where: where it was used, for example a report's id.
            label: its kind.
            corpus: the use counts in this corpus; None: everywhere.
            by: the user or system that used it.

        Raises:
            UsageError: as `promote`.
        """
        return self._decide(name, label, corpus, action="promote", reason="reuse", by=by, note=where)

    def undo(self, name: str, *, label: str | None = None, corpus: str | None = None, by: str = "user") -> Entity:
        """Undo the last effective decision or use of an entity; the earlier ones apply again.

        Raises:
            UsageError: as `promote`, or there is no decision to undo.
        """
        seen, corpus_id = self._find(name, label, corpus)
        held = standing(seen.decisions)
        if not held:
            raise UsageError(f"entity {name!r} has no decision to undo")
        last = held[-1]
        self._context.index.entities.decide(
            seen.entity_id, action="undo", reason=last.reason, by=by, corpus_id=corpus_id, undoes=last.number
        )
        return self._entity(self._find(name, seen.label, corpus)[0])

    # -- inside ---------------------------------------------------------------------------------------------

    @property
    def _tagger(self) -> Tagger:
        context = self._context
        return Tagger(
            context.runtime,
            context.artifacts,
            context.index,
            events=context.events,
            place=context.engine.pools[StepName.ENTITIES].slot,
            model_place=context.engine.pools[StepName.MODEL].slot,
        )

    def _view(self, document: str | None, corpus: str | None) -> EntityScope:
        if document is not None and corpus is not None:
            raise UsageError("a document and a corpus were given", remedy="Give only one of them")
        if corpus is not None:
            record = self._context.index.corpora.get(corpus)
            return EntityScope(corpus_id=record.corpus_id, policy=record.policy.canonical())
        return EntityScope(
            document_id=self._context.index.documents.resolve(document) if document is not None else None
        )

    def _types_of_others(self, corpus: str | None) -> frozenset[str]:
        """The entity types that only corpora outside of the asker's view ask for, which would tell of them (STO-5)."""
        corpora = self._context.index.corpora
        policy = corpora.get(corpus).policy if corpus is not None else None
        return types_of_others(corpora.all(), self._context.runtime.settings.entities, policy=policy)

    def _entity(self, seen: SeenEntity) -> Entity:
        needed = self._context.runtime.settings.entities.documents_needed
        verdict = judge(seen.decisions, documents=seen.documents, needed=needed)
        return Entity(
            name=_most_frequent([one.normalized or one.text for one in seen.observations]),
            label=seen.label,
            status=verdict.status,
            reason=verdict.reason,
            documents=seen.documents,
            observations=tuple(
                Observation(
                    document_id=one.document_id,
                    version=one.version,
                    start=one.start,
                    end=one.end,
                    text=one.text,
                    confidence=one.confidence,
                    normalized=one.normalized,
                )
                for one in seen.observations
            ),
            key=seen.key,
        )

    def _decide(
        self, name: str, label: str | None, corpus: str | None, *, action: str, reason: str, by: str, note: str
    ) -> Entity:
        seen, corpus_id = self._find(name, label, corpus)
        self._context.index.entities.decide(
            seen.entity_id, action=action, reason=reason, by=by, note=note, corpus_id=corpus_id
        )
        return self._entity(self._find(name, seen.label, corpus)[0])

    def _find(self, name: str, label: str | None, corpus: str | None) -> tuple[SeenEntity, str | None]:
        view = self._view(None, corpus)
        found = [
            seen
            for seen in self._context.index.entities.seen(view)
            if label in (None, seen.label) and seen.key == normal_form(name, label=seen.label).key
        ]
        if not found:
            where = f"corpus {corpus}" if corpus else "this library"
            raise UsageError(
                f"no entity named {name!r} was observed in {where}", remedy="List the entities with `octavo entities`"
            )
        if len(found) > 1:
            labels = ", ".join(seen.label for seen in found)
            raise UsageError(f"{name!r} is ambiguous: {labels}", remedy="Select the kind with --label")
        return found[0], view.corpus_id


def _most_frequent(forms: list[str]) -> str:
    """The most frequent form; of equally frequent forms the first in alphabetical order."""
    return min(set(forms), key=lambda form: (-forms.count(form), form))


def run_summary(run: EntityRun) -> str:
    """Summarize a run in one line."""
    dropped = ", ".join(f"{why} {count}" for why, count in run.dropped.items())
    labels = ", ".join(json.loads(run.request_json)["labels"])
    return f"{run.engine} {run.engine_version}: {run.kept} kept of {run.found} ({labels})" + (
        f"; dropped: {dropped}" if dropped else ""
    )
