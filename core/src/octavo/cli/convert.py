"""`octavo convert`: convert one document to markdown; nothing is stored.

JSON:
    `--json` prints one object:

    - `result`: an `IngestionResult` (`octavo schema ingestion_result`).
    - `markdown`: the converted text with its structure; empty if the conversion failed.
    - `canonical_text`: the plain text that offsets count in; empty if the conversion failed.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from .toolkit.options import conversion_options, json_option
from .toolkit.running import octavo_command

if TYPE_CHECKING:
    from octavo_contracts import ExitCode, IngestionResult, QualityFinding

STDIN = "-"


@octavo_command(name="convert")
@click.argument("path", metavar="PATH", type=click.Path(allow_dash=True))
@click.option("-o", "--output", metavar="FILE", type=click.Path(dir_okay=False), help="Write to a file, atomically.")
@click.option(
    "--name",
    metavar="NAME",
    default="stdin",
    show_default=True,
    help="Document name for PATH -; its extension helps to detect text formats.",
)
@click.option("--page-marks", is_flag=True, help="Put `<!-- page N -->` before each page.")
@json_option
@conversion_options
def command(path: str, output: str | None, name: str, page_marks: bool, as_json: bool, **options: Any) -> ExitCode:
    """Convert one document to markdown; nothing is stored.

    PATH - reads the document from standard input. If the document cannot be converted, nothing is printed on standard
    output (with --json: its result), and the exit code is that of its reason. If it is converted but has no text, the
    exit code is 4 and stderr says why; for a page that is really blank it is 0.
    """
    from octavo_contracts import ExitCode

    from ..conversion.api import convert
    from ..filesystem.output_file import check_output, write_output
    from ..runtime import Runtime
    from .toolkit.configured import settings
    from .toolkit.output import encode_text, note_empty, to_json, write_bytes, write_text
    from .toolkit.result_exit import result_exit_code
    from .toolkit.running import cancelled_by_interrupt

    documents = ("/dev/stdin",) if path == STDIN else (path,)  # standard input may be redirected from a document
    if output is not None:
        check_output(output, never=documents)
    source = _standard_input() if path == STDIN else path
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
    _explain(result, shown=shown, but=why)
    note_empty(shown, why)
    empty = ExitCode.DEGRADED if why is not None and why.severity == "degraded" else ExitCode.OK
    if as_json:
        keys = {"result": result, "markdown": converted.markdown, "canonical_text": converted.text}
        data = to_json(keys)
    elif code:
        return code
    else:
        text = converted.markdown_with_page_marks() if page_marks else converted.markdown
        if output is None:
            write_text(text)
            return empty
        data = encode_text(text)
    if output is None:
        write_bytes(data)
    else:
        write_output(output, data, never=documents, sha256=result.content_hashes.raw_file_hash)
    return code or empty


def _standard_input() -> bytes:
    from octavo_contracts import UsageError

    if sys.stdin is None:
        raise UsageError(
            "standard input is closed", remedy="Give a path, or redirect the document: octavo convert - < FILE"
        )
    return sys.stdin.buffer.read()


def _explain(result: IngestionResult, *, shown: str, but: QualityFinding | None) -> None:
    """Report on stderr why a document failed, or its findings, except for one finding that is reported separately."""
    from octavo_contracts import REASONS

    from .toolkit.output import clean, note
    from .toolkit.result_exit import deciding_receipt
    from .toolkit.running import report

    if result.ingestion_status == "hard_failed":
        receipt = deciding_receipt(result)
        kind = REASONS[receipt.reason_code].error
        report(kind(receipt.details, source=shown, plugin=receipt.plugin, remedy=receipt.remedy))
        return
    for finding in result.quality_report.findings:
        if finding == but:
            continue
        page = f", page {finding.page}" if finding.page else ""
        note(f"octavo: {clean(shown)}{page}: {clean(finding.message)} [{finding.flag}]")
