"""Calls a plugin's hooks in tests: a source over a real file, a hook's context, one call of `convert`.

    call = ConvertCall(plugin.convert, tmp_path, media_type="text/csv")
    conversion = call("name,level", max_pages=1)

Only the contracts are needed: no host, no worker, no settings.
"""

from __future__ import annotations

import inspect
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from octavo_contracts import Conversion, ConvertRequest, FileSource, HookContext


def hook_context(folder: Path, *, seconds: float = 60) -> HookContext:
    """Create a hook's context with a new, empty work folder and without network access.

    Args:
        folder: parent of the work folder.
        seconds: time until the deadline; a negative number means that it has passed.
    """
    work_dir = Path(tempfile.mkdtemp(prefix="work-", dir=folder))
    return HookContext(work_dir=work_dir, deadline=time.monotonic() + seconds)


def source_of(
    data: bytes | str, folder: Path, *, media_type: str, name: str = "document", work_dir: Path | None = None
) -> FileSource:
    """Create a source over a new file.

    Args:
        data: the file's bytes; text is written as UTF-8.
        folder: parent of a new folder for the file, so that equal names do not collide.
        media_type: the document's type, for example "application/pdf".
        name: the source's name, which need not be a valid file name; the file gets its suffix.
        work_dir: folder in which `source.path` creates its copy; default: a new temporary folder.
    """
    suffix = Path(name).suffix
    path = Path(tempfile.mkdtemp(prefix="source-", dir=folder)) / f"source{suffix}"
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return FileSource(path, media_type=media_type, name=name, work_dir=work_dir)


@dataclass(frozen=True)
class ConvertCall:
    """Calls a plugin's hook `convert` as a host does: with the parameters that the hook declares, by name.

    Each call has its own source, work folder and deadline.

    Attributes:
        hook: the hook, for example `octavo_pdfium.plugin.convert`.
        folder: parent of sources and work folders, for example pytest's `tmp_path`.
        media_type: default type of a document, if neither the call nor `media_types` gives one.
        media_types: suffix of a document's name, for example ".csv" → media type.
        name: default name of a document that is not a file.
        seconds: time from the start of a call to its deadline.
    """

    hook: Callable[..., Conversion]
    folder: Path
    media_type: str = "application/octet-stream"
    media_types: Mapping[str, str] = field(default_factory=dict)
    name: str = "document"
    seconds: float = 60

    def __call__(
        self,
        document: Path | bytes | str,
        media_type: str | None = None,
        *,
        name: str | None = None,
        seconds: float | None = None,
        **request: Any,
    ) -> Conversion:
        """Convert a document.

        Args:
            document: the path of a file, or its content; text is written as UTF-8.
            media_type: the document's type; default: according to the suffix of the name.
            name: the source's name; default: the file's name, or `self.name`.
            seconds: time until the deadline, instead of `self.seconds`.
            request: fields of `ConvertRequest`.

        Returns:
            The hook's return value.
        """
        named = name or (document.name if isinstance(document, Path) else self.name)
        kind = media_type or self.media_types.get(Path(named).suffix, self.media_type)
        context = hook_context(self.folder, seconds=self.seconds if seconds is None else seconds)
        if isinstance(document, Path):
            source = FileSource(document, media_type=kind, name=named, work_dir=context.work_dir)
        else:
            source = source_of(document, self.folder, media_type=kind, name=named, work_dir=context.work_dir)
        given = {"source": source, "request": ConvertRequest(media_type=kind, **request), "context": context}
        return self.hook(**{name: given[name] for name in inspect.signature(self.hook).parameters})
