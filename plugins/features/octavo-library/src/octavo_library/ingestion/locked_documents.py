"""Password-protected documents: a policy context may read one once it has supplied a password that opens it (STO-5).

Policy contexts that have the same bytes share a conversion. The bytes of a locked document are not its content: a
context that has the bytes and cannot open them gets an error that asks for a password, whoever else has opened them.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from octavo.conversion.inspection import inspect
from octavo.conversion.options import opening
from octavo.conversion.pipeline import run
from octavo.conversion.states import ConversionFailed
from octavo.documents.source import Source
from octavo.formats import format_of, sniff
from octavo.plugins import Catalogue
from octavo.runtime import Runtime
from octavo_contracts import DegradedFlag, OctavoError, SourceEncrypted
from octavo_sandbox.preflight import ENCRYPTED, encrypted_remedy

from ..storage import ArtifactStore, KnownDocument
from ..storage.version_files import REPORT, version_refs

if TYPE_CHECKING:
    from collections.abc import Iterable

    from octavo_contracts import IngestionResult

    from .requests import IngestRequest

_FAMILIES = frozenset({"pdf", "zip", "ole"})
"""Format families whose documents can be encrypted and still be converted."""

_MAY_BE_LOCKED = frozenset({ENCRYPTED, DegradedFlag.CLASSIFICATION_FAILED.value})
"""Flags of a document that is encrypted, or that the inspection could not read, so that its state is unknown."""


class LockedDocuments:
    """Decides which converted documents are locked for a request, and tries its password. Thread-safe.

    Args:
        runtime: plugins and workers.
        artifacts: the library's files.
    """

    def __init__(self, runtime: Runtime, artifacts: ArtifactStore) -> None:
        self._runtime = runtime
        self._artifacts = artifacts

    def is_locked(self, known: KnownDocument) -> bool:
        """Whether a converted document may need a password that the request's policy context has not supplied yet.

        A context with a provenance of the document has opened it: the first conversion with a password removes the
        provenances of all other contexts.
        """
        if known.active_version is None or known.has_way_in:
            return False
        if known.mime_type is not None and format_of(known.mime_type).family not in _FAMILIES:
            return False
        folder = version_refs(known.raw_hash, known.active_version, original="").conversion
        try:
            findings = json.loads(self._artifacts.read(f"{folder}/{REPORT}"))["findings"]
            return may_be_locked(str(finding["flag"]) for finding in findings)
        except (OctavoError, ValueError, KeyError, TypeError):
            return True  # the version is damaged: the document must be opened to find out

    def check(self, known: KnownDocument, source: Source, request: IngestRequest) -> None:
        """Check that a request can open a document before it gets the conversion of another policy context.

        Args:
            known: the document.
            source: its bytes.
            request: the request, with the password.

        Raises:
            SourceEncrypted: the document needs a password, and the request has none that opens it.
            Cancelled: the caller cancelled.
        """
        if self.is_locked(known) and not self._opens(source, request):
            raise locked(source, self._runtime.catalogue)

    def _opens(self, source: Source, request: IngestRequest) -> bool:
        options = opening(self._runtime, request.options)
        try:
            inspection = inspect(self._runtime, source, replace(options, plugin=None, limits=request.size_limits))
            is_encrypted = any(finding.flag == ENCRYPTED for finding in inspection.findings)
            if inspection.detected.format.family == "pdf":
                return is_encrypted or inspection.classification_error is None
            if is_encrypted:
                # Only an engine can check the password.
                run(self._runtime, source, options)
            return is_encrypted or inspection.classification_error is None
        except (ConversionFailed, OctavoError):
            return False


def locked(source: Source, catalogue: Catalogue) -> SourceEncrypted:
    """The error of a document that no given password opens.

    It does not say whether a password was given: other policy contexts get the same error. Its remedy depends on the
    installed plugins alone.
    """
    readers = catalogue.having("convert", media_type=sniff(source.head, name=source.name).media_type)
    remedy = encrypted_remedy(plugin.manifest for plugin in readers)
    return SourceEncrypted("it is encrypted and needs a password that opens it", source=source.display, remedy=remedy)


def without_the_try(failed: ConversionFailed, source: Source, catalogue: Catalogue) -> ConversionFailed:
    """A failure that all policy contexts may see: that of a locked document does not mention the password."""
    return ConversionFailed(locked(source, catalogue)) if isinstance(failed.error, SourceEncrypted) else failed


def flags_of(result: IngestionResult) -> tuple[str, ...]:
    """The flags of all findings in a result's report, notes included."""
    return tuple(finding.flag for finding in result.quality_report.findings)


def may_be_locked(flags: Iterable[str]) -> bool:
    """Whether a report's flags say that the document is encrypted or could not be inspected."""
    return not _MAY_BE_LOCKED.isdisjoint(flags)
