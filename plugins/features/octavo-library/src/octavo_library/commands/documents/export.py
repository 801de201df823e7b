"""`octavo export`: write documents to files: markdown, text, HTML, JSON, chunks, pages, or a zip with everything."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from octavo_cli.toolkit.options import FormChoice, library_option
from octavo_cli.toolkit.output_endings import form_by_ending
from octavo_cli.toolkit.running import octavo_command

if TYPE_CHECKING:
    from octavo_contracts import ExitCode

    from ...facade.document import Document

FORMATS = ("md", "text", "html", "json", "chunks", "pages", "zip")
"""As `octavo.conversion.output_formats.OutputFormat`, which is not imported for the help, and a zip; a test compares."""


@octavo_command(name="export")
@click.argument("documents", metavar="[DOC...]", nargs=-1)
@click.option("--all", "is_all", is_flag=True, help="Every document of the library, or of --corpus.")
@click.option(
    "--output", "-o", metavar="FILE", type=click.Path(dir_okay=False), help="Write one document to this file."
)
@click.option(
    "-d",
    "--output-dir",
    metavar="DIR",
    type=click.Path(file_okay=False),
    help="Write each document to a file in this folder; the tree of their paths is kept.",
)
@click.option(
    "--to",
    "form",
    type=FormChoice(FORMATS),
    help="Form of the output: with -d markdown by default, with -o what the ending of FILE says (.md, .txt, .html, .json, "
    ".chunks.jsonl, .pages.jsonl), else a zip. A zip holds the texts, the metadata, the quality report and the annotations.",
)
@click.option("--force", is_flag=True, help="With -d: replace files that are there.")
@click.option("--corpus", metavar="NAME", help="Read as this corpus: only documents visible under its policy.")
@library_option
def command(
    documents: tuple[str, ...],
    is_all: bool,
    output: str | None,
    output_dir: str | None,
    form: str | None,
    force: bool,
    corpus: str | None,
    library: str,
) -> ExitCode | None:
    """Write documents to files: markdown, text, HTML, JSON, chunks, pages, or a zip with everything.

    DOC is as for `octavo show`. Documents without content are listed at the end with the reason, and the exit code is 3.
    So are documents without text, such as scans that were not recognised, and the exit code is 4: only JSON and a zip of
    them are written.
    A file in the folder of -d is not replaced without --force, and the exit code is 2; the file of -o is replaced.
    `manifest.json` in a zip has the SHA-256 of every other file; the same state of a document gives the same bytes.
    """
    from ..opening import open_library

    _check_options(documents, output, output_dir, is_all=is_all, force=force)
    with open_library(library, create=False) as opened:
        if is_all:
            found = opened.documents(corpus=corpus)
        else:
            found = list({(one := opened.document(name, corpus=corpus)).id: one for name in documents}.values())
        if output is not None:
            return _write_one(found[0], documents[0], output, form or form_by_ending(output) or "zip")
        assert output_dir is not None  # checked above
        return _write_many(found, output_dir, form or "md", force=force)


def _write_one(document: Document, shown: str, output: str, form: str) -> ExitCode:
    import hashlib

    from octavo.conversion.output_formats import OutputFormat
    from octavo_cli.toolkit.output import clean, note, write_line
    from octavo_cli.toolkit.remedies import note_empty
    from octavo_contracts import ExitCode, ref_path
    from octavo_sandbox.filesystem.output_file import write_output

    from ...facade.export_folder import ZIP, is_lacking, rendered

    note_empty(shown, document.why_empty)
    if is_lacking(document, form):
        note(f"octavo: {clean(output)}: the document has no text, so no file was written")
        return ExitCode.DEGRADED
    if form == ZIP:
        digest = document.export(output)
    else:
        data = rendered(document, OutputFormat(form))
        originals = [ref_path(ref) for ref in document.paths if ref.startswith("file:")]
        write_output(output, data, never=originals, sha256=document.raw_hash, shown="export")
        digest = hashlib.sha256(data).hexdigest()
    write_line(f"{clean(output)} written, SHA-256 {digest}")
    return ExitCode.OK


def _write_many(documents: list[Document], folder: str, form: str, *, force: bool) -> ExitCode:
    from octavo_cli.toolkit.output import clean, complain, note
    from octavo_cli.toolkit.remedies import complain_by_remedy
    from octavo_contracts import ExitCode, strongest
    from octavo_sandbox.filesystem.output_folder import OutputFolder

    from ...facade.export_folder import export_files

    codes, written = [ExitCode.OK], 0
    failed: list[tuple[str, str]] = []
    without_text: list[tuple[str, str]] = []
    for one in export_files(documents, OutputFolder(folder, force=force), form=form):
        if one.error is not None:
            reason = f" [{one.document.reason}]" if one.document.reason else ""
            failed.append((f"{clean(one.shown)}: {clean(one.error.message)}{reason}", one.error.remedy or ""))
            has_content = one.document.active_version is not None
            codes.append(one.error.exit_code if has_content else ExitCode.HARD_FAILURES)
            continue
        empty = one.why_empty
        why = f": {clean(empty.message)} [{empty.flag}]" if empty is not None else ""
        if one.path is None and empty is not None:
            without_text.append((f"{clean(one.shown)}{why}", empty.remedy))
            codes.append(ExitCode.DEGRADED)
            continue
        written += 1
        unchanged = ": unchanged" if one.is_unchanged else ""
        note(f"octavo: {clean(one.shown)} -> {clean(str(one.path))}{unchanged}{why}")
    for what, lines in (("not written", failed), ("without text, so no file was written", without_text)):
        if lines:
            complain(f"octavo: {len(lines)} of {len(documents)} {what}:")
            complain_by_remedy(lines)
    note(f"octavo: {written} of {len(documents)} documents written to {clean(folder)}")
    return strongest(codes)


def _check_options(
    documents: tuple[str, ...], output: str | None, output_dir: str | None, *, is_all: bool, force: bool
) -> None:
    """Refuse options that could have no effect."""
    if is_all == bool(documents):
        raise click.UsageError("name documents, or give --all")
    if (output is None) == (output_dir is None):
        raise click.UsageError("give -o FILE for one document, or -d DIR")
    if output is not None and (is_all or len(documents) > 1):
        raise click.UsageError("-o takes one document; give -d DIR")
    if force and output_dir is None:
        raise click.UsageError("--force needs -d")
