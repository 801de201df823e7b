"""Calls of a plugin's hooks in a test: a source over a real file, a hook's context, one call of `convert`.

    call = ConvertCall(plugin.convert, tmp_path, media_type="text/csv")
    conversion = call("name,level", max_pages=1)

Nothing but the contracts is needed: no host, no worker, no settings.
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
    """A hook's context with a new, empty work folder, and without a way to the network.

    Args:
        folder: where the work folder is made.
        seconds: from now to the deadline; a negative number is a deadline that has passed.
    """
    work_dir = Path(tempfile.mkdtemp(prefix="work-", dir=folder))
    return HookContext(work_dir=work_dir, deadline=time.monotonic() + seconds)


def source_of(
    data: bytes | str, folder: Path, *, media_type: str, name: str = "document", work_dir: Path | None = None
) -> FileSource:
    """A source over a new file.

    Args:
        data: the file's bytes; text is written as UTF-8.
        folder: where the file is written, in a new folder, so that equal names do not meet.
        media_type: the document's type, for example "application/pdf".
        name: the source's name, which need not be one that a file can have; its suffix is the file's.
        work_dir: where `source.path` makes its copy; by default a new temporary folder.
    """
    suffix = Path(name).suffix
    path = Path(tempfile.mkdtemp(prefix="source-", dir=folder)) / f"source{suffix}"
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return FileSource(path, media_type=media_type, name=name, work_dir=work_dir)


@dataclass(frozen=True)
class ConvertCall:
    """Calls a plugin's hook `convert` as a host does: by the names of the parameters that the hook has.

    Each call has a source, a work folder and a deadline of its own.

    Attributes:
        hook: the hook, for example `octavo_pdfium.plugin.convert`.
        folder: where sources and work folders are made, for example pytest's `tmp_path`.
        media_type: the type of documents whose type neither the call nor `media_types` names.
        media_types: suffix of a document's name, for example ".csv" → media type.
        name: the name of documents that are no file and that the call gives no name.
        seconds: from a call to its deadline.
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
            document: a file by its path, or what a file holds; text is written as UTF-8.
            media_type: the document's type; by default what the name's suffix says.
            name: the source's name; by default the file's, or `self.name`.
            seconds: to the deadline, instead of `self.seconds`.
            request: fields of `ConvertRequest`.

        Returns:
            What the hook returns.
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
