"""Removes stored versions that no row of the index names, so that their numbers are never used again (ENG-6)."""

from __future__ import annotations

from octavo_contracts import UsageError, store_ref

from ..storage import ArtifactStore, Index
from ..storage.files.layout import version_folder
from .document_hold import held


def remove_unnamed(artifacts: ArtifactStore, index: Index, raw_hash: str, version: int) -> bool:
    """Remove a version that was stored in vain; one that has a row by now stays.

    An object store may carry a removal out later than it answers, and a removal without an answer is repeated. A new version
    of the same number would be lost by that, so the index notes the number first, while no process converts the document.

    Returns:
        False if the document is being converted: the version stays, and the call has to be repeated later.

    Raises:
        OctavoError: the index or the store failed.
    """
    try:
        with held(artifacts, index, raw_hash, take_over=False) as jobs:
            noted = index.purges.begin_unnamed(raw_hash, version, held_by=jobs)
            if noted is not None:
                artifacts.remove(store_ref(version_folder(raw_hash, version)))
            done = [] if noted is None else [noted.purge_id]
            index.purges.finish(done, drop_jobs=[job.job_id for job in jobs])
    except UsageError:
        return False
    return True
