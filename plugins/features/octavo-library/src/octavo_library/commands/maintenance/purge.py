"""`octavo purge`: permanently remove a document, or expired versions.

JSON:
    `--json` prints one object:

    - with DOC: `preview` with `document_id`, `title`, `files` (reference to bytes), `bytes`, `rows`, `corpora`,
      `kept_paths`, `kept_attachments` (ids).
    - with `--expired`: `preview` with `as_of`, `versions` (`document_id`, `raw_hash`, `version`, `bytes`), `ocr_pages`
      (fingerprint to bytes) and `bytes`.
    - `purged`: null without a confirmation, else `documents`, `versions`, `ocr_pages`, `bytes`, and `kept`: references
      of files that were not removed, because Octavo did not make them or a folder is a link.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from octavo_cli.toolkit.options import json_option, library_option
from octavo_cli.toolkit.running import octavo_command

if TYPE_CHECKING:
    from ...facade.maintenance.purge import Purged, PurgePreview
    from ...facade.maintenance.retention import Purgeable


@octavo_command(name="purge")
@click.argument("document", metavar="[DOC]", required=False)
@click.option("--expired", is_flag=True, help="Instead of DOC: expired versions, and unused page scans.")
@click.option("--confirm", metavar="ID", help="The document's id, as confirmation.")
@click.option("--yes", is_flag=True, help="With --expired: remove them.")
@library_option
@json_option
def command(document: str | None, expired: bool, confirm: str | None, yes: bool, library: str, as_json: bool) -> None:
    """Permanently remove a document, or expired versions.

    Without --confirm or --yes, the command only lists what would be removed, with sizes. Your own files are never
    touched. DOC is as for `octavo show`.
    """
    from octavo_contracts import UsageError

    from ..opening import open_library

    if expired == (document is not None):
        raise UsageError("exactly one of DOC and --expired is required", remedy="Give one of the two")
    if yes and not expired:
        raise UsageError("--yes is for --expired", remedy="Confirm the removal of a document with --confirm and its id")
    if confirm is not None and expired:
        raise UsageError("--confirm is for DOC", remedy="Confirm the removal of expired versions with --yes")
    with open_library(library, create=False, make_room=yes or confirm is not None) as opened:
        if document is not None:
            shown = opened.maintenance.purge_preview(document)
            done = opened.maintenance.purge(shown.document_id, confirm=confirm) if confirm is not None else None
            _write_document(shown, done, as_json=as_json)
        else:
            old = opened.maintenance.expired()
            _write_expired(old, opened.maintenance.purge_expired(old) if yes else None, as_json=as_json)


def _write_document(shown: PurgePreview, done: Purged | None, *, as_json: bool) -> None:
    from dataclasses import asdict

    from octavo_cli.toolkit.output import clean, size_text, write_json, write_line

    from ..document_text import path_text

    if as_json:
        write_json({"preview": asdict(shown), "purged": asdict(done) if done else None})
        return
    write_line(f"{clean(shown.title or shown.document_id)}: {len(shown.files)} files, {size_text(shown.bytes)}")
    for corpus in shown.corpora:
        write_line(f"  leaves corpus {clean(corpus)}")
    for ref in shown.kept_paths:
        write_line(f"  stays: {path_text(ref)}")
    for document_id in shown.kept_attachments:
        write_line(f"  stays: {document_id}, an attachment of it")
    if done is None:
        write_line(f"Nothing was removed; confirm with --confirm {shown.document_id}")
    else:
        write_line(f"Permanently removed: {size_text(done.bytes)}")
        _write_kept(done)


def _write_expired(shown: Purgeable, done: Purged | None, *, as_json: bool) -> None:
    from dataclasses import asdict

    from octavo_cli.toolkit.output import size_text, write_json, write_line

    if as_json:
        preview = {**asdict(shown), "bytes": shown.bytes}
        write_json({"preview": preview, "purged": asdict(done) if done else None})
        return
    for old in shown.versions:
        write_line(f"  version {old.version} of {old.document_id}: {size_text(old.bytes)}")
    write_line(f"{len(shown.versions)} versions, {len(shown.ocr_pages)} page scans, {size_text(shown.bytes)}")
    if done is not None:
        write_line(f"Permanently removed: {size_text(done.bytes)}")
        _write_kept(done)
    elif shown.bytes:
        write_line("Nothing was removed; confirm with --yes")


def _write_kept(done: Purged) -> None:
    from octavo_cli.toolkit.output import clean, write_line

    for ref in done.kept:
        write_line(f"  not removed: {clean(ref)}: not made by Octavo, or behind a link")
