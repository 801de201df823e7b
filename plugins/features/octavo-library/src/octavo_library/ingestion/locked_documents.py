"""Documents that need a password: given to a policy context once it has supplied one that opens them (STO-5).

A conversion is shared between the policy contexts that have the same bytes. The bytes of a locked document are not its
content: a context that has them and cannot open them is told that it needs a password, whoever else has opened it.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from octavo.conversion.inspection import inspect
from octavo.conversion.options import opening
from octavo.conversion.outcome import ConversionFailed
from octavo.conversion.pipeline import run
from octavo.documents.source import Source
from octavo.formats import format_of
from octavo.preflight import ENCRYPTED
from octavo.runtime import Runtime
from octavo_contracts import DegradedFlag, OctavoError, SourceEncrypted

from ..storage import ArtifactStore, KnownDocument
from ..storage.version_files import REPORT, version_refs

if TYPE_CHECKING:
    from collections.abc import Iterable

    from octavo_contracts import IngestionResult

    from .requests import IngestRequest

_FAMILIES = frozenset({"pdf", "zip", "ole"})
"""Families of formats whose documents can be encrypted and converted all the same."""

_MAY_BE_LOCKED = frozenset({ENCRYPTED, DegradedFlag.CLASSIFICATION_FAILED.value})
"""Flags of a document that is encrypted, or that the inspection could not look at, so that nobody knows."""


class LockedDocuments:
    """Tells which converted documents a request may not be given yet, and tries its password. Thread-safe.

    Args:
        runtime: plugins and workers.
        artifacts: the library's files.
    """

    def __init__(self, runtime: Runtime, artifacts: ArtifactStore) -> None:
        self._runtime = runtime
        self._artifacts = artifacts

    def is_locked(self, known: KnownDocument) -> bool:
        """Whether a converted document may need a password that the policy context of the request has not supplied yet.

        A context that has a way in has opened it: a first conversion with a password takes back the ways in of all others.
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
            return True  # the version is damaged: whether it opens decides

    def check(self, known: KnownDocument, source: Source, request: IngestRequest) -> None:
        """Make sure that a request opens a document before it is given what another policy context made of it.

        Args:
            known: the document.
            source: its bytes.
            request: how it comes in, with the password.

        Raises:
            SourceEncrypted: it needs a password, and none that opens it was given.
            Cancelled: the caller stopped it.
        """
        if self.is_locked(known) and not self._opens(source, request):
            raise locked(source)

    def _opens(self, source: Source, request: IngestRequest) -> bool:
        options = opening(self._runtime, request.options)
        try:
            inspection = inspect(
                self._runtime, source, password=options.password, cancel=options.cancel, timeout=options.timeout
            )
            is_encrypted = any(finding.flag == ENCRYPTED for finding in inspection.findings)
            if inspection.detected.format.family == "pdf":
                return is_encrypted or inspection.classification_error is None
            if is_encrypted:
                # Only an engine can tell whether the password fits.
                run(self._runtime, source, options)
            return is_encrypted or inspection.classification_error is None
        except (ConversionFailed, OctavoError):
            return False


def locked(source: Source) -> SourceEncrypted:
    """The error of a document that no given password opens. It does not tell whether one was given: others are told it too."""
    return SourceEncrypted("it is encrypted and needs a password that opens it", source=source.display)


def without_the_try(failed: ConversionFailed, source: Source) -> ConversionFailed:
    """A failure as all policy contexts may be told of it: of a locked document, nothing of the password that was tried."""
    return ConversionFailed(locked(source)) if isinstance(failed.error, SourceEncrypted) else failed


def flags_of(result: IngestionResult) -> tuple[str, ...]:
    """The flags of what a result's report found, notes included."""
    return tuple(finding.flag for finding in result.quality_report.findings)


def may_be_locked(flags: Iterable[str]) -> bool:
    """Whether the flags of a report's findings say that a document is encrypted, or that nobody could look."""
    return not _MAY_BE_LOCKED.isdisjoint(flags)
