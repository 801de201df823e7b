"""Converts one document to stdout or to a file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from octavo.conversion.api import convert
from octavo.runtime import Runtime
from octavo_contracts import ExitCode
from octavo_sandbox.filesystem.output_file import check_output, write_output

from ..toolkit.configured import settings
from ..toolkit.output import clean, encode_text, note, note_empty, write_bytes, write_text
from ..toolkit.result_exit import result_exit_code
from ..toolkit.running import cancelled_by_interrupt
from ..toolkit.standard_input import read_standard_input
from .archive_members import archive_members
from .inputs import STDIN
from .lines import explain

if TYPE_CHECKING:
    from octavo.conversion.output_formats import OutputFormat


def convert_one(
    path: str,
    *,
    output: str | None,
    form: OutputFormat,
    name: str,
    page_marks: bool,
    options: Mapping[str, Any],
) -> ExitCode:
    """Convert a document and write it; returns the exit code.

    Args:
        path: a path, a URL, or `-`.
        output: the file to write; None for stdout.
        form: of the output.
        name: the name of what standard input brings.
        page_marks: whether markdown has a mark before each page.
        options: keyword arguments of `octavo.convert`.

    Raises:
        OctavoError: the output cannot be written; no such plugin or profile.
    """
    documents = ("/dev/stdin",) if path == STDIN else (path,)  # what standard input was redirected from
    if output is not None:
        check_output(output, never=documents)
    source = read_standard_input() if path == STDIN else path
    with cancelled_by_interrupt() as cancel, Runtime(settings()) as runtime:
        converted = convert(
            source,
            name=name if path == STDIN else None,
            cancel=cancel,
            runtime=runtime,
            **options,
        )
    result = converted.result
    code = result_exit_code(result)
    shown = path if path != STDIN else name
    why = converted.why_empty
    explain(result, shown=shown, but=why)
    note_empty(shown, why)
    members = len(archive_members(converted))
    if members and not code:
        note(f"octavo: {clean(shown)}: it holds {members} file{'' if members == 1 else 's'}; -d DIR converts each")
    empty = ExitCode.DEGRADED if why is not None and why.severity == "degraded" else ExitCode.OK
    if form.value != "json" and code:
        return code
    if form.value == "md":
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
