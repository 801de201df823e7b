"""`octavo verify-store`: verify every file of a library against its recorded hash.

JSON:
    `--json` prints one object:

    - `clean`: whether there are no findings.
    - `documents`, `versions`: numbers of checked ones.
    - `missing`, `altered`, `orphans`, `outdated_logs`: references of artifacts.
    - `leftovers`: temporary folders of dead processes.
    - `changed_originals`: references of the user's files that differ from the document.
    - `pending_purges`: ids of purges that were not completed.
    - `unfinished`: ids of documents whose version is in the index while its job was never completed.
    - `unindexed`: references of intact versions, originals and folders of documents that are missing from the index.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from octavo_cli.toolkit.options import json_option, library_option
from octavo_cli.toolkit.running import octavo_command

if TYPE_CHECKING:
    from ...facade.maintenance.verify import StoreReport


@octavo_command(name="verify-store")
@library_option
@json_option
def command(library: str, as_json: bool) -> int:
    """Verify every file of a library against its recorded hash.

    Nothing is changed. Files are named as the folder or the bucket has them; in an object store, a version is one archive. The
    exit code is 0 without findings, and 3 with findings, with the command that clears them: mostly `octavo repair`.
    """
    from dataclasses import asdict

    from octavo_cli.toolkit.output import write_json, write_line
    from octavo_contracts import ExitCode

    from ..opening import open_library

    with open_library(library, create=False) as opened:
        report = opened.maintenance.verify()
        remedies = opened.maintenance.remedies((*report.missing, *report.altered))
        shown = opened.context.artifacts.shown
    if as_json:
        write_json({"clean": report.is_clean, **asdict(report)})
    else:
        write_line(
            f"{report.documents} documents, {report.versions} versions: {'clean' if report.is_clean else 'not clean'}"
        )
        write_findings(report, shown)
        write_remedies(remedies or ([] if report.is_clean else ["what can be repaired: `octavo repair --yes`"]))
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
    "unfinished": "unfinished job",
}
"""Each list of a report → the label of its lines."""


def write_findings(report: StoreReport, shown: Callable[[str], str]) -> None:
    """Print one line per finding.

    Args:
        report: the findings.
        shown: gives a reference as the store names it.
    """
    from octavo_cli.toolkit.output import clean, write_line

    for name, word in FINDINGS.items():
        for item in getattr(report, name):
            write_line(f"  {word:<16}  {clean(shown(item))}")


def write_remedies(remedies: Sequence[str]) -> None:
    """Print which commands clear findings."""
    from octavo_cli.toolkit.output import write_line

    for index, remedy in enumerate(remedies):
        write_line(f"{'Next:' if index == 0 else '     '} {remedy}")
