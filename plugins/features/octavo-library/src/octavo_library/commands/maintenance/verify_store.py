"""`octavo verify-store`: read every file of a library and compare it with what was recorded.

JSON:
    `--json` prints one object:

    - `clean`: whether nothing was found.
    - `documents`, `versions`: how many were looked at.
    - `missing`, `altered`, `orphans`, `outdated_logs`: references of artifacts.
    - `leftovers`: temporary folders of processes that are gone.
    - `changed_originals`: references of the user's files that are not the document any more.
    - `pending_purges`: ids of purges that were not completed.
    - `unindexed`: references of versions, originals and folders of documents that are whole and not in the index.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from octavo.cli.toolkit.options import json_option, library_option
from octavo.cli.toolkit.running import octavo_command

if TYPE_CHECKING:
    from ...facade.maintenance import StoreReport


@octavo_command(name="verify-store")
@library_option
@json_option
def command(library: str, as_json: bool) -> int:
    """Read every file of a library and compare it with what was recorded.

    Nothing is changed. Ends with 0 where all is well, and with 3 where something was found; `octavo repair` then puts
    right what can be.
    """
    from dataclasses import asdict

    from octavo.cli.toolkit.output import write_json, write_line
    from octavo_contracts import ExitCode

    from ..opening import open_library

    with open_library(library, create=False) as opened:
        report = opened.maintenance.verify()
    if as_json:
        write_json({"clean": report.is_clean, **asdict(report)})
    else:
        write_line(
            f"{report.documents} documents, {report.versions} versions: {'clean' if report.is_clean else 'not clean'}"
        )
        write_findings(report)
    return ExitCode.OK if report.is_clean else ExitCode.HARD_FAILURES


FINDINGS = {
    "missing": "missing",
    "altered": "altered",
    "orphans": "orphan",
    "unindexed": "not in the index",
    "leftovers": "leftover",
    "outdated_logs": "outdated log",
    "changed_originals": "changed original",
    "pending_purges": "unfinished purge",
}
"""Every list of a report, and what one of its lines is called."""


def write_findings(report: StoreReport) -> None:
    """Print one line a finding."""
    from octavo.cli.toolkit.output import clean, write_line

    for name, word in FINDINGS.items():
        for item in getattr(report, name):
            write_line(f"  {word:<16}  {clean(item)}")
