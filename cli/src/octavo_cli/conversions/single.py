"""Converts one document to stdout or to a file."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from octavo.conversion.empty_text import is_lacking
from octavo.conversion.options import ConvertOptions
from octavo.conversion.results import ConvertedDocument, convert_source
from octavo.runtime import Runtime
from octavo_contracts import ExitCode
from octavo_sandbox.filesystem.output_file import check_output, write_output
from octavo_sandbox.filesystem.output_names import safe_name

from ..toolkit.configured import settings
from ..toolkit.output import clean, encode_text, note, write_bytes, write_text
from ..toolkit.remedies import note_empty
from ..toolkit.result_exit import result_exit_code
from ..toolkit.running import cancelled_by_interrupt
from ..toolkit.standard_input import read_standard_input
from .inner_documents import inner_documents
from .inputs import STDIN, input_name
from .lines import explain

if TYPE_CHECKING:
    from octavo.conversion.output_formats import OutputFormat

    from .image_files import ImageFolder


def convert_one(
    path: str,
    *,
    output: str | None,
    form: OutputFormat,
    name: str,
    page_marks: bool,
    images: ImageFolder | None,
    options: Mapping[str, Any],
) -> ExitCode:
    """Convert a document and write it; returns the exit code.

    Args:
        path: a path, a URL, or `-`.
        output: the file to write; None for stdout.
        form: of the output.
        name: the name of what standard input brings.
        page_marks: whether markdown has a mark before each page.
        images: the folder for its images; None: they are not written.
        options: keyword arguments of `octavo.convert`.

    Raises:
        OctavoError: the output cannot be written; no such plugin or profile.
    """
    documents = ("/dev/stdin",) if path == STDIN else (path,)  # what standard input was redirected from
    if output is not None:
        check_output(output, never=documents)
    source = read_standard_input() if path == STDIN else path
    chosen = settings()
    started = time.perf_counter()
    with cancelled_by_interrupt() as cancel, Runtime(chosen) as runtime:
        converted = convert_source(
            source,
            ConvertOptions(cancel=cancel, images=images is not None, **options),
            name=name if path == STDIN else None,
            runtime=runtime,
        )
    result = converted.result
    code = result_exit_code(result)
    shown = path if path != STDIN else name
    why = converted.why_empty
    explain(result, shown=shown, seconds=time.perf_counter() - started, but=why)
    note_empty(shown, why)
    inner = len(inner_documents(converted, chosen.attachments))
    if inner and not code:
        inside = "1 document inside is" if inner == 1 else f"{inner} documents inside are"
        note(f"octavo: {clean(shown)}: {inside} not in this output; -d DIR converts each")
    empty = ExitCode.DEGRADED if is_lacking(why) else ExitCode.OK
    if form.value != "json" and code:
        return code
    has_images = images is not None and bool(converted.markdown.strip())
    if output is not None and empty and form.value != "json" and not has_images:
        note(f"octavo: {clean(output)}: the document has no text, so no file was written")
        return empty
    if images is not None:
        text = _with_images(converted, images, path, name, output=output, page_marks=page_marks)
    elif form.value == "md":
        text = converted.markdown_with_page_marks() if page_marks else converted.markdown
    else:
        text = converted.render(form, source=shown)
    if output is not None:
        write_output(output, encode_text(text), never=documents, sha256=result.content_hashes.raw_file_hash)
    elif form.value in ("md", "text"):
        write_text(text)
    else:
        write_bytes(encode_text(text))
    return code or empty


def _with_images(
    converted: ConvertedDocument, folder: ImageFolder, path: str, name: str, *, output: str | None, page_marks: bool
) -> str:
    """Write the images of a document, and say what there is to say of them; returns its markdown."""
    assert converted.images is not None  # the options asked for them
    shown = path if path != STDIN else name
    if converted.images.note:
        note(f"octavo: {clean(shown)}: {clean(converted.images.note)}")
    beside = os.path.dirname(output) if output is not None else ""
    place = safe_name(PurePosixPath(input_name(path, stdin_name=name)).stem)
    return folder.write(converted, place, beside=beside or os.curdir, page_marks=page_marks)
