"""`octavo ingest --dry-run`: estimates a run and stores nothing (ENG-12)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from octavo_cli.toolkit.configured import settings
from octavo_cli.toolkit.output import write_json, write_line
from octavo_contracts import ExitCode, StorageExhausted
from octavo_sandbox.filesystem.file_walk import Walk

from ..opening import open_library

if TYPE_CHECKING:
    from ...facade.runs.preflight import RunEstimate
    from .outcome import Request


class Files:
    """The documents under the paths of a request; walks each time that it is iterated."""

    def __init__(self, request: Request) -> None:
        self._request = request

    def __iter__(self) -> Iterator[str]:
        request = self._request
        return iter(Walk(request.paths, include=request.include, exclude=request.exclude, library=request.library))


def dry_run(request: Request, *, as_json: bool) -> ExitCode:
    """Print the estimate of a run; return the exit code that the run would begin with.

    Raises:
        OctavoError: the library cannot be opened.
    """
    estimate = _estimate(request)
    if as_json:
        write_json(_keys(estimate))
    else:
        write_line(str(estimate))
        if estimate.is_short:
            write_line("The run would be refused: the disk is too small")
    return StorageExhausted.exit_code if estimate.is_short else ExitCode.OK


def _estimate(request: Request) -> RunEstimate:
    from ...facade.runs.preflight import DiskPreflight
    from ...storage import has_index
    from ...storage.objects.object_client import is_object_url

    files = Files(request)
    if not is_object_url(request.library) and not has_index(Path(request.library)):
        preflight = DiskPreflight.of_new(request.library, settings().engine.care)
        return preflight.estimate(files)
    with open_library(request.library, create=False) as library:
        return library.runs.estimate(files, corpus=request.corpus, reingest=request.reingest)


def _keys(estimate: RunEstimate) -> dict[str, int | bool | None]:
    room = estimate.room
    return {
        "new": estimate.new,
        "known": estimate.known,
        "bytes": estimate.bytes,
        "disk_needed": estimate.disk_needed,
        "disk_free": room.free if room else None,
        "disk_reserve": room.floor if room else None,
        "is_short": estimate.is_short,
    }
