"""`octavo conformance validate`: checks results and digests of any host."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import click
from octavo_cli.toolkit.output import write_json, write_line
from octavo_cli.toolkit.running import octavo_command
from octavo_contracts import ExitCode


@octavo_command(name="validate", short_help="Check a result or digest of any host.")
@click.argument("file", type=click.Path(path_type=Path, allow_dash=True))
@click.option(
    "--archive",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder of the texts: a library, or archived canonical texts.",
)
@click.option(
    "--original",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The document that the result is of, to compare its bytes, type and page labels.",
)
@click.option("--query", metavar="TEXT", help="The question that the digest answers, to compare its hash.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")
def validate(file: Path, archive: Path | None, original: Path | None, query: str | None, as_json: bool) -> ExitCode:
    """Check a result or digest of any host: schema, spans, anchors, hashes, locators, report.

    FILE contains a result, the output of `octavo convert --json` or `octavo digest --json`, one JSON object per line, or a
    digest; `-` is standard input. Without its texts only the document's own statements can be compared;
    `octavo convert --json` includes the texts, and --archive finds them in a folder: a text that is not there is a failure.
    """
    from .documents import check_document
    from .report import failure_text, make_entry
    from .validation import read_documents

    bad = 0
    told = []
    given = {"--archive": archive, "--original": original, "--query": query}
    rerun = ["octavo", "conformance", "validate", str(file)]
    rerun += [part for option, value in given.items() if value is not None for part in (option, str(value))]
    for name, evidence in read_documents(file, archive=archive, original=original, query=query):
        outcomes = check_document(evidence, name=name)
        failed = [make_entry(one) for one in outcomes if one.is_bad]
        bad += len(failed)
        told.append({"name": name, "ok": not failed, "outcomes": [make_entry(one) for one in outcomes]})
        if not as_json:
            for entry in failed:
                write_line(failure_text(entry, subject=name, rerun=rerun) + "\n")
            skipped = Counter(one.reason for one in outcomes if one.status == "skipped")
            passed = sum(one.status == "passed" for one in outcomes)
            unread = "".join(f", {count} skipped: {reason}" for reason, count in skipped.items())
            write_line(f"{name}: {passed} of {len(outcomes) - skipped.total()} checks passed{unread}")
    if as_json:
        write_json({"ok": not bad, "documents": told})
    return ExitCode.HARD_FAILURES if bad else ExitCode.OK
