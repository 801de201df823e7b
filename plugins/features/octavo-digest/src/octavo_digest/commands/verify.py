"""`octavo verify`: check every quotation of a digest, or of a research report, against the archived text.

JSON:
    `--json` prints one object:

    - `status`: verified, failed or unavailable.
    - `snippets`: number of quotations that match.
    - `difference`: null, or the first difference: `what` (hash, locator or text), `snippet` (from 1), `locator`,
      `expected`, `found`, `offset`.

    For a research report: `status`, `quotations` (number of quotations that hold), `problem`, null or a sentence, and
    `not_shown`, null or a sentence: what a report with the status `verified` may still be wrong about.
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
    from octavo_contracts import DigestPayload, DigestVerification, ExitCode

STDIN = "-"
MAX_BYTES = 16 << 20
"""Maximum size of a digest or a report, bytes."""
REMEDY = "Give a digest, as `octavo digest --json` prints it, or the report.json of `octavo research export`"
REPORT_KEYS = frozenset({"research_id", "question", "sections"})
DIGEST_KEYS = frozenset({"payload", "content_type", "query_hash", "evidence_snippets", "source_text_hash"})


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
    standard input. It may have 16 MiB. The exit code is 0 if everything matches, 2 if the file is neither a digest nor a
    report, 3 if something differs, and 6 if nothing could be verified: the report has no quotation, neither archive nor
    library has a text, or it cannot be read. An archived text is a regular file of at most 256 MiB; links are not followed.
    """
    from dataclasses import asdict

    from octavo_cli.toolkit.output import clean, write_json, write_line
    from octavo_contracts import DigestVerification, ExitCode, StorageError, UsageError

    data = _read_object(digest)
    if REPORT_KEYS & set(data):
        return _verify_report(data, library=library, archive=archive, as_json=as_json)
    if not DIGEST_KEYS & set(data):
        raise UsageError("the file is neither a digest nor a research report", source=digest, remedy=REMEDY)
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
    """The JSON object of a file.

    Raises:
        UsageError: it is no JSON object, or too large.
        SourceMissing: it cannot be read.
    """
    import json

    from octavo_cli.toolkit.input_file import read_named, read_standard_input
    from octavo_contracts import UsageError

    data = read_standard_input(at_most=MAX_BYTES) if path == STDIN else read_named(path, at_most=MAX_BYTES)
    try:
        found = json.loads(data, object_pairs_hook=_unique, parse_constant=_no_constant)
    except RecursionError:
        problem = "is no valid JSON that can be read: it is nested too deeply"
    except ValueError as error:
        problem = f"is no valid JSON: {error}"
    else:
        if isinstance(found, dict):
            return found
        problem = "is no JSON object"
    raise UsageError(f"the file {problem}", source=path, remedy=REMEDY)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object. Two readers could take different ones of two values of one key."""
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise ValueError(f"an object has the key {key[:80]!r} twice")
            seen.add(key)
    return found


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no number of JSON")


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
            remedy=REMEDY,
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
        verification = ReportVerification(status="unavailable", problem="an archived text cannot be read")
    if as_json:
        write_json(asdict(verification))
    else:
        told = verification.problem or f"{verification.quotations} quotations and the hashes of their sources"
        write_line(clean(f"{verification.status}: {told}"))
        if verification.not_shown is not None:
            write_line(clean(verification.not_shown))
    codes = {"verified": ExitCode.OK, "failed": ExitCode.HARD_FAILURES, "unavailable": ExitCode.TOOL_UNAVAILABLE}
    return codes[verification.status]


@contextmanager
def _texts(*, library: str | None, archive: str | None) -> Iterator[Callable[[str], str | None]]:
    """Yield a function from the hash of a text, in hex, to the text."""
    from pathlib import Path

    from octavo_library.facade.library import Library

    from ..archive import Archive
    from ..archive_file import read_archived
    from ..document_digest import text_of_hash

    if archive is not None:
        # The folder of a report holds the texts themselves; that of digests a folder for each source.
        yield lambda digest: read_archived(Path(archive) / f"{digest}.txt") or Archive(archive).read(digest)
        return
    with Library.open(library or DEFAULT_LIBRARY, create=False) as opened:
        yield lambda digest: text_of_hash(opened.context, digest)
