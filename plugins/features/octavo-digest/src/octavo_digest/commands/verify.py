"""`octavo verify`: check every quotation of a digest against the archived text.

JSON:
    `--json` prints one object:

    - `status`: verified, failed or unavailable.
    - `snippets`: number of quotations that match.
    - `difference`: null, or the first difference: `what` (hash, locator or text), `snippet` (from 1), `locator`,
      `expected`, `found`, `offset`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from octavo.cli.toolkit.options import DEFAULT_LIBRARY, LIBRARY_ENV, json_option
from octavo.cli.toolkit.running import octavo_command, report

if TYPE_CHECKING:
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
    help="Archive written by `octavo digest --archive-dir`; used instead of the library.",
)
@json_option
def command(digest: str, library: str | None, archive: str | None, as_json: bool) -> ExitCode:
    """Check every quotation of a digest against the archived text.

    DIGEST.json is a digest, or the output of `octavo digest --json`; - reads standard input. The exit code is 0 if
    everything matches, 3 if something differs, and 6 if neither archive nor library has the text, or it cannot be read.
    """
    from dataclasses import asdict

    from octavo.cli.toolkit.output import clean, write_json, write_line
    from octavo_contracts import DigestVerification, ExitCode, StorageError

    payload = _read_payload(digest)
    try:
        verification = _verify(payload, library=library, archive=archive)
    except StorageError as error:
        # Must not end with the exit code of a difference, which this error has.
        report(error)
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


def _read_payload(path: str) -> DigestPayload:
    import json

    from octavo.cli.toolkit.input_file import read_named, read_standard_input
    from octavo_contracts import DigestPayload, UsageError
    from pydantic import ValidationError

    data = read_standard_input() if path == STDIN else read_named(path)
    try:
        found = json.loads(data)
        # The output of the digest command has the payload as one of its fields.
        if isinstance(found, dict) and "payload" in found:
            found = found["payload"]
        return DigestPayload.read(found if isinstance(found, dict) else {})
    except (ValueError, RecursionError) as error:
        first = error.errors()[0] if isinstance(error, ValidationError) else None
        where = f": {'.'.join(map(str, first['loc']))}: {first['msg']}" if first else ""
        raise UsageError(
            f"the file is not a digest{where}",
            source=path,
            remedy="Give a DigestPayload, as `octavo digest --json` prints it",
        ) from error
