"""The type of a document (CLS-6) and its plugin (CNV-1): what a user sets over what Octavo decides. `Document` is built on it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from octavo_contracts import IngestionResult, UsageError

from ..builtins.classification.document_types import SHIPPED_TYPES, UNKNOWN
from ..observability.audit import AuditAction
from ..profiles.document_types import is_type_name, nearest

if TYPE_CHECKING:
    from ..storage import DocumentRecord, PolicyContext
    from .library import Library


class TypedDocument:
    """The part of `Document` that is about its type and its plugin."""

    _library: Library
    _record: DocumentRecord
    _policy: PolicyContext | None

    if TYPE_CHECKING:

        @property
        def result(self) -> IngestionResult:
            """`Document` has it."""

    @property
    def document_type(self) -> str:
        """The type in force: the user's, else the classifier's of this version; 'unknown' where neither says one.

        Raises:
            UsageError: its version was purged.
            LibraryDamaged: files of its version are missing or altered.
        """
        return self.result.document_type

    @property
    def document_type_by(self) -> str | None:
        """Who set the type by hand; None where the classifier's is in force."""
        return self._record.document_type_by

    def set_document_type(self, document_type: str, *, by: str = "user") -> None:
        """Set its type by hand; no conversion overwrites it from then on (CLS-6).

        It counts from the next thing that is done with the document: nothing is converted again for it.

        Args:
            document_type: a shipped type, one that the profile of the library or of a corpus it is in registers, or
                'unknown': it is of none of them.
            by: the user.

        Raises:
            UsageError: there is no such type, where the nearest one is named; or the document was purged.
        """
        _check(document_type, self._known_types())
        self._library.index.set_document_type(self._record.document_id, document_type, by=by, policy=self._policy)
        self._typed(document_type)

    def clear_document_type(self) -> None:
        """Take back the type that was set by hand: what the classifier says is in force again.

        Raises:
            UsageError: the document was purged.
        """
        self._library.index.clear_document_type(self._record.document_id, policy=self._policy)
        self._typed(None)

    @property
    def plugin(self) -> str | None:
        """The plugin that a user set for it: every conversion is by it, as long as it reads the document (CNV-1).

        It is the library owner's to set and to know: None for whoever asks as a policy context (STO-5).
        """
        if self._policy is not None:
            return None
        return self._library.index.get_override(document_id=self._record.document_id)

    def set_plugin(self, plugin: str | None) -> None:
        """Set the plugin of the conversions to come; None takes it back, so that corpus and profile choose again.

        Raises:
            UsageError: no such plugin, or a policy context asks: the plugin holds for the bytes, whoever has them.
        """
        if self._policy is not None:
            raise UsageError(
                "the plugin of a document is set by the owner of the library",
                source=self._record.document_id,
                remedy="Ask for the document without a corpus and without a policy",
            )
        if plugin is not None:
            self._library.runtime.catalogue.get(plugin)
        self._library.index.set_override(plugin, document_id=self._record.document_id, by="user")
        self._library.audit.record(AuditAction.PLUGIN_SET, document_id=self._record.document_id, plugin=plugin)

    def _typed(self, by_hand: str | None) -> None:
        """Note it in the audit log and in this object, which stays bound to its version."""
        self._library.audit.record(AuditAction.TYPE_SET, document_id=self._record.document_id, document_type=by_hand)
        now = self._library.index.document(self._record.document_id, policy=self._policy)
        self._record = replace(self._record, document_type=now.document_type, document_type_by=now.document_type_by)
        self.__dict__.pop("result", None)  # `Document.result` is kept once it was read

    def _known_types(self) -> tuple[str, ...]:
        library = self._library
        profiles = dict.fromkeys([None, *corpus_profiles(library, self._record.document_id, policy=self._policy)])
        registered = (one.name for name in profiles for one in library.runtime.profile(name).types)
        return tuple(dict.fromkeys([*SHIPPED_TYPES, *registered, UNKNOWN]))


def corpus_profiles(library: Library, document_id: str, *, policy: PolicyContext | None) -> tuple[str, ...]:
    """The profiles that the corpora of a document name, each once, by the time it joined them.

    Args:
        library: where it lives.
        document_id: the document's.
        policy: who asks: corpora of other policy contexts are left out (STO-5). None: all count.
    """
    index = library.index
    corpora = [index.get_corpus(corpus_id) for corpus_id in index.corpora_of(document_id)]
    seen = [one.profile for one in corpora if policy is None or one.policy == policy]
    return tuple(dict.fromkeys(profile for profile in seen if profile is not None))


def corpus_plugins(library: Library, document_id: str, *, policy: PolicyContext | None) -> tuple[tuple[str, str], ...]:
    """The plugin that is set for the corpora of a document, and for which; empty where they name none, or several.

    Args:
        library: where it lives.
        document_id: the document's.
        policy: who asks: corpora of other policy contexts are left out (STO-5). None: all count.
    """
    index = library.index
    corpora = [index.get_corpus(corpus_id) for corpus_id in index.corpora_of(document_id)]
    set_for = [(index.get_override(corpus_id=one.corpus_id), "its corpus") for one in corpora]
    seen = [
        (plugin, who)
        for (plugin, who), one in zip(set_for, corpora, strict=True)
        if plugin is not None and (policy is None or one.policy == policy)
    ]
    return (seen[0],) if len({plugin for plugin, _ in seen}) == 1 else ()


def in_force(result: IngestionResult, by_hand: str | None) -> IngestionResult:
    """A result with the type that a user set, where one did; `classification` stays what the classifier said.

    Args:
        result: as conversion made it.
        by_hand: the user's type, or None.
    """
    return result if by_hand is None else result.model_copy(update={"document_type": by_hand})


def _check(document_type: str, known: tuple[str, ...]) -> None:
    if document_type in known:
        return
    if not is_type_name(document_type):
        raise UsageError(
            f"{document_type!r} is no name of a document type: small letters, digits and underscores, a letter first",
            remedy=f"Give one of {', '.join(known)}",
        )
    raise UsageError(
        f"no document type is named {document_type!r}{nearest(document_type, known)}",
        remedy=f"Give one of {', '.join(known)}; or register it in a profile, as [types.{document_type}]",
    )
