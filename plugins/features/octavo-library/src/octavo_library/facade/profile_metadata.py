"""Adds the metadata that an asker's profiles name to results that are read from the store (ENG-23).

The fields are read when a result is, and never stored: the same version may be read by a corpus with another profile, or
with none, which must not learn of this one (STO-5).
"""

from __future__ import annotations

import logging
from collections.abc import Iterable

from octavo.conversion.profile_metadata import with_metadata
from octavo_contracts import IngestionResult, OctavoError

from ..storage.files.layout import version_number
from ..storage.version_reader import VersionFiles
from ..summaries.version_texts import texts_of
from .context import LibraryContext

_log = logging.getLogger("octavo.library")


def with_profile_metadata(
    context: LibraryContext, result: IngestionResult, profiles: Iterable[str | None]
) -> IngestionResult:
    """Add the fields that the library's profile and others ask for.

    Args:
        context: the library's parts.
        result: the result of a stored version.
        profiles: the profiles of the asker besides the library's: of the corpora that it may see, or of an ingestion.

    Raises:
        LibraryDamaged: files of its version are missing or altered.
    """
    names = [name for profile in dict.fromkeys((None, *profiles)) for name in _fields_of(context, profile)]
    ref, raw_hash = result.conversion_artifact_ref, result.content_hashes.raw_file_hash
    version = version_number(ref.rpartition("/")[2]) if ref is not None else None
    if not names or version is None or raw_hash is None:
        return result
    files = VersionFiles(context.artifacts, raw_hash=raw_hash, version=version, document=str(result.document_id))
    texts = texts_of(files)
    return with_metadata(result, names, texts.text, texts.markdown_pages)


def _fields_of(context: LibraryContext, profile: str | None) -> tuple[str, ...]:
    """The fields of a profile; none if its file is gone, which must not keep anybody from reading."""
    try:
        return context.runtime.profile(profile).metadata
    except OctavoError as error:
        _log.warning("metadata of the profile %s are left out: %s", profile, error)
        return ()
