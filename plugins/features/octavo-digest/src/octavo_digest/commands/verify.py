"""`octavo verify`: check every quotation of a digest, or of a research report, against the archived text.

JSON:
    `--json` prints one object:

    - `status`: verified, failed or unavailable.
    - `snippets`: number of quotations that match.
    - `difference`: null, or the first difference: `what` (hash, locator or text), `snippet` (from 1), `locator`,
      `expected`, `found`, `offset`.

    For a research report: `status`, `quotations` (number of quotations that hold) and `problem`, null or a sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click
from octavo_cli.toolkit.options import DEFAULT_LIBRARY, LIBRARY_ENV, json_option
from octavo_cli.toolkit.running import octavo_command
from octavo_cli.toolkit.running import report as report_error

if TYPE_CHECKING:
    from pathlib import Path

    from octavo_contracts import DigestPayload, DigestVerification, ExitCode

STDIN = "-"


@octavo_command(name="verify")
@click.argument("digest", metavar="DIGEST.json", type=click.Path(dir_okay=False, allow_dash=True))
@click.option(
    "--library",
    metavar="DIR",
    type=click.Path(file_okay=False),
    envvar=LIBRARY_ENV,
    show_envvar=True,
    help=f"Library with the document; {DEFAULT_LIBRARY} if neither is given.",
)
@click.option(
    "--archive",
    metavar="DIR",
    type=click.Path(file_okay=False),
    help="Archive of `octavo digest --archive-dir` or `octavo research export`; used instead of the library.",
)
@json_option
def command(digest: str, library: str | None, archive: str | None, as_json: bool) -> ExitCode:
    """Check every quotation of a digest or a research report against the archived text.

    DIGEST.json is a digest, the output of `octavo digest --json`, or the report.json of `octavo research export`; - reads
    standard input. The exit code is 0 if everything matches, 3 if something differs, and 6 if neither archive nor library
    has the text, or it cannot be read.
    """
    from dataclasses import asdict

    from octavo_cli.toolkit.output import clean, write_json, write_line
    from octavo_contracts import DigestVerification, ExitCode, StorageError

    data = _read_object(digest)
    if "research_id" in data:
        return _verify_report(data, library=library, archive=archive, as_json=as_json)
    payload = _payload_of(data, digest)
    try:
        verification = _verify(payload, library=library, archive=archive)
    except StorageError as error:
        # Must not end with the exit code of a difference, which this error has.
        report_error(error)
        verification = DigestVerification(status="unavailable")
    if as_json:
        write_json(asdict(verification))
    else:
        count = verification.snippets
        text = {
            "verified": f"verified: {count} quotations and the hash of the source",
            "failed": f"failed: {clean(str(verification.difference))}",
            "unavailable": f"unavailable: no archived text has the hash {payload.source_text_hash}",
        }[verification.status]
        write_line(text)
    codes = {
        "verified": ExitCode.OK,
        "failed": ExitCode.HARD_FAILURES,
        "unavailable": ExitCode.TOOL_UNAVAILABLE,
    }
    return codes[verification.status]


def _verify(payload: DigestPayload, *, library: str | None, archive: str | None) -> DigestVerification:
    from octavo_contracts import UsageError, verify_digest
    from octavo_library.facade.library import Library

    from ..archive import Archive
    from ..document_digest import verify_in_library

    if archive is not None:
        return verify_digest(payload, Archive(archive).read(payload.source_text_hash))
    try:
        opened = Library.open(library or DEFAULT_LIBRARY, create=False)
    except UsageError:
        if library is not None:
            raise
        return verify_digest(payload, None)
    with opened:
        return verify_in_library(opened, payload)


def _read_object(path: str) -> dict[str, Any]:
    """The JSON object of a file; an empty one for anything else, which is then no digest."""
    import json

    from octavo_cli.toolkit.input_file import read_named, read_standard_input

    data = read_standard_input() if path == STDIN else read_named(path)
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _payload_of(data: dict[str, Any], path: str) -> DigestPayload:
    from octavo_contracts import DigestPayload, UsageError
    from pydantic import ValidationError

    # The output of the digest command has the payload as one of its fields.
    found = data.get("payload", data)
    try:
        return DigestPayload.read(found if isinstance(found, dict) else {})
    except (ValueError, RecursionError) as error:
        first = error.errors()[0] if isinstance(error, ValidationError) else None
        where = f": {'.'.join(map(str, first['loc']))}: {first['msg']}" if first else ""
        raise UsageError(
            f"the file is not a digest{where}",
            source=path,
            remedy="Give a DigestPayload, as `octavo digest --json` prints it",
        ) from error


def _verify_report(report: dict[str, Any], *, library: str | None, archive: str | None, as_json: bool) -> ExitCode:
    from dataclasses import asdict

    from octavo_cli.toolkit.output import clean, write_json, write_line
    from octavo_contracts import ExitCode, ReportVerification, StorageError, verify_report

    try:
        with _texts(library=library, archive=archive) as archived_text:
            verification = verify_report(report, archived_text)
    except StorageError as error:
        report_error(error)
        verification = ReportVerification(status="unavailable", problem="the archived texts cannot be read")
    if as_json:
        write_json(asdict(verification))
    else:
        told = verification.problem or f"{verification.quotations} quotations and the hashes of their sources"
        write_line(clean(f"{verification.status}: {told}"))
    codes = {"verified": ExitCode.OK, "failed": ExitCode.HARD_FAILURES, "unavailable": ExitCode.TOOL_UNAVAILABLE}
    return codes[verification.status]


@contextmanager
def _texts(*, library: str | None, archive: str | None) -> Iterator[Callable[[str], str | None]]:
    """Yield a function from the hash of a text, in hex, to the text."""
    from pathlib import Path

    from octavo_library.facade.library import Library

    from ..archive import Archive
    from ..document_digest import text_of_hash

    if archive is not None:
        # The folder of a report holds the texts themselves; that of digests a folder for each source.
        yield lambda digest: _flat_text(Path(archive) / f"{Path(digest).name}.txt") or Archive(archive).read(digest)
        return
    with Library.open(library or DEFAULT_LIBRARY, create=False) as opened:
        yield lambda digest: text_of_hash(opened.context, digest)


def _flat_text(path: Path) -> str | None:
    from octavo_contracts import StorageError

    try:
        # Undecodable bytes are not the written text; the replacement character makes the verification fail, as it must.
        return path.read_bytes().decode(errors="replace")
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise StorageError(f"{path} cannot be read: {error.strerror}") from error
