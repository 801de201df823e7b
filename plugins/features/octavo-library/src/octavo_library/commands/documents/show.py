"""`octavo show`: show a document of a library.

JSON:
    `--json` prints one object:

    - `document`: `id`, `title`, `status`, `reason` (why it failed, or null), `media_type`, `raw_hash`,
      `active_version` (with `--version` or `--as-of`: the version that is shown), `plugin` (set by hand for this
      document, or null), `ingested_at`, `paths` (references, oldest first), `attached_to` (ids of its parent documents,
      if it is an attachment), `superseded_by` (the id of the document that is now at its path, if its file has other content
      now, or null), `accepted` (null, or who accepted this version with its flags: `version`, `note`,
      `accepted_by`, `at`), `declared` and `disputes` (as for `octavo metadata`).
    - `jobs`: its open jobs and those that failed last: a list of `job_id`, `document_id`, `intent` (ingest, reconvert
      or extract), `state`, `standing` (in_progress, waiting, interrupted or failed), `attempts`, `reason` (why it
      failed or waits, or null), `details`, `run_id`, `begun_at`, `changed_at`.
    - `result`: an `IngestionResult` (`octavo schema ingestion_result`).
    - without another option: `markdown` and `canonical_text`, both empty if the document failed.
    - with `--page`: `page` with `number`, `label`, `text`, `markdown`.
    - with `--at`: `at` with `locator`, `text`, and `start` and `end`, its place in the canonical text.
    - with `--quality`: `quality`, an `IngestionQualityReport` (`octavo schema ingestion_quality_report`).
    - with `--entity`: `entity`, everything that is known of the document, with the fields of
      `octavo_library.facade.document_entity.DocumentEntity`.
    - with `--versions`: `versions`, a list of `version`, `tool`, `tool_version`, `created_at`, `quality_score`,
      `status`, `flags`, `is_active`, `condition` (stored, damaged or purged), `held_back` (null, or why it was not made
      the active one, as for `octavo reconvert`).

    For a document whose first job waits or was interrupted, there are only `document`: null and its `jobs`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from octavo_cli.toolkit import immediate_exit
from octavo_cli.toolkit.options import json_option, library_option
from octavo_cli.toolkit.running import octavo_command

if TYPE_CHECKING:
    from octavo_contracts import AttachmentRef, IngestionQualityReport

    from ...facade.document import Document
    from ...facade.document_versions import DocumentVersion
    from ...facade.library import Library
    from ...facade.runs import DocumentJob


_MOST_FLAGS = 3
"""Findings that are shown before the text; the others are told by --quality."""


@octavo_command(name="show")
@click.argument("document", metavar="DOC")
@library_option
@click.option("--page", metavar="N", type=click.IntRange(min=1), help="Only this page's markdown.")
@click.option(
    "--at", metavar="LOCATOR", help="Only the text at a locator, as `octavo search` prints it: what can be cited."
)
@click.option("--quality", is_flag=True, help="Quality of the conversion, with reasons.")
@click.option("--versions", is_flag=True, help="All its versions.")
@click.option("--entity", is_flag=True, help="Everything that is known of it, as one JSON object.")
@click.option("--version", metavar="N", type=click.IntRange(min=1), help="This version instead of the active one.")
@click.option(
    "--as-of", metavar="WHEN", help="The version that was active then: 2026-11-22, '2026-11-22 09:30' (UTC) or 7d."
)
@click.option("--markdown", is_flag=True, help="Only its markdown, as `octavo convert` prints it.")
@click.option("--corpus", metavar="NAME", help="Read as this corpus: only documents visible under its policy.")
@json_option
def command(
    document: str,
    library: str,
    page: int | None,
    at: str | None,
    quality: bool,
    versions: bool,
    entity: bool,
    version: int | None,
    as_of: str | None,
    markdown: bool,
    corpus: str | None,
    as_json: bool,
) -> None:
    """Show a document of a library.

    DOC is its id, the beginning of its id or hash (6 characters or more), a path from which it was ingested, its file name,
    or its title. Without an option: a summary of its metadata, and its markdown; --quality prints every finding.

    One ingest may make several versions: the first is stored as soon as it is complete, and the comparison with other engines
    and the recognised text of scans are the next ones. --versions shows which is active.
    """
    from octavo_cli.toolkit.output import write_text
    from octavo_cli.toolkit.remedies import note_empty

    from ...facade.runs import unsettled
    from ..document_text import document_keys
    from ..opening import open_library
    from .selection import moment_of

    immediate_exit.skip_teardown()
    if at is not None and (markdown or entity or quality or versions or page is not None):
        raise click.UsageError("--at prints the text of one place alone")
    if (markdown or entity) and (quality or versions or page is not None or (markdown and (as_json or entity))):
        raise click.UsageError("--markdown prints the markdown alone, and --entity one JSON object")
    with open_library(library, create=False) as opened:
        jobs = unsettled(opened.runs.jobs(document, corpus=corpus))
        if version is None and as_of is None:
            found = _converted(opened, document, corpus, jobs)
        else:
            moment = moment_of(as_of) if as_of is not None else None
            found = opened.document(document, version=version, as_of=moment, corpus=corpus)
        if found is None:
            _write_arriving(jobs, as_json=as_json)
            return
        if entity:
            from octavo_cli.toolkit.output import write_json

            write_json({"entity": opened.catalogue.entity(found)})
            return
        if at is not None:
            _write_place(found, at, as_json=as_json)
            return
        if as_json:
            keys = document_keys(found) | {"superseded_by": _successor(opened, found)}
            _write_keys(found, keys, jobs, page=page, quality=quality, versions=versions)
            return
        if markdown:
            write_text(found.markdown)
            note_empty(document, found.why_empty)
            return
        if page is None and not quality and not versions:
            _write_facts(found, jobs, superseded_by=_successor(opened, found))
            _write_content(found)
            note_empty(document, found.why_empty)
        if page is not None:
            write_text(found.page(page).markdown)
        if quality:
            _write_quality(found.quality)
        if versions:
            from ..document_text import write_versions

            write_versions(found.versions)


def _converted(library: Library, document: str, corpus: str | None, jobs: list[DocumentJob]) -> Document | None:
    """The document; None for one whose first job is still open."""
    from octavo_contracts import UsageError

    try:
        return library.document(document, corpus=corpus)
    except UsageError:
        if not any(job.is_open for job in jobs):
            raise
        return None


def _write_arriving(jobs: list[DocumentJob], *, as_json: bool) -> None:
    from octavo_cli.toolkit.output import write_json

    from ..document_text import job_keys, job_text

    if as_json:
        write_json({"document": None, "jobs": [job_keys(job) for job in jobs]})
        return
    _write_pairs([("Id", jobs[0].document_id), ("Status", "not converted yet")])
    _write_pairs([("Work", job_text(job)) for job in jobs])


def _write_place(document: Document, locator: str, *, as_json: bool) -> None:
    from octavo_cli.toolkit.output import write_json, write_line
    from octavo_contracts import LocatorError, UsageError, resolve_span

    from ...facade.document_names import document_name
    from ..document_text import document_keys

    text = document.canonical_text
    try:
        span = resolve_span(text, locator)
    except LocatorError as error:
        raise UsageError(
            str(error),
            source=document_name(document),
            remedy="Give a locator of this version's text, from `octavo search`",
        ) from error
    if as_json:
        place = {"locator": locator, "text": span.of(text), "start": span.start, "end": span.end}
        write_json({"document": document_keys(document), "at": place})
        return
    write_line(span.of(text))


def _successor(library: Library, document: Document) -> str | None:
    """The id of the document that is now at its path, if its file has other content now."""
    return library.catalogue.successors([document.id], policy=document.policy).get(document.id)


def _write_keys(
    document: Document,
    facts: dict[str, Any],
    jobs: list[DocumentJob],
    *,
    page: int | None,
    quality: bool,
    versions: bool,
) -> None:
    from dataclasses import asdict

    from octavo_cli.toolkit.output import write_json

    from ..document_text import job_keys, version_keys

    keys: dict[str, Any] = {
        "document": facts,
        "jobs": [job_keys(job) for job in jobs],
        "result": document.result,
    }
    if page is not None:
        keys["page"] = asdict(document.page(page))
    if quality:
        keys["quality"] = document.quality
    if versions:
        keys["versions"] = [version_keys(version) for version in document.versions]
    if page is None and not quality and not versions:
        readable = document.active_version is not None
        keys["markdown"] = document.markdown if readable else ""
        keys["canonical_text"] = document.canonical_text if readable else ""
    write_json(keys)


def _write_facts(document: Document, jobs: list[DocumentJob], *, superseded_by: str | None) -> None:
    from octavo.conversion.report_text import left_out, worth_telling

    from ..document_text import (
        EARLIER_CONTENT,
        STATUS_TEXTS,
        acceptance_text,
        job_text,
        kind_text,
        metadata_lines,
        moment,
        path_text,
    )

    result = document.result
    report = result.quality_report
    facts = {
        "Title": document.title,
        "Id": document.id,
        "Type": document.media_type,
        "Kind": kind_text(result.document_type, by=document.document_type_by),
        "Status": STATUS_TEXTS[document.status] + (f" [{document.reason}]" if document.reason else ""),
        "Accepted": (mark := document.versions.acceptance.current) and acceptance_text(mark),
        "Version": document.active_version and f"{document.active_version}, by {report.selected_tool}",
        "Plugin": document.plugin and f"{document.plugin} (set by hand)",
        "Pages": len(result.page_anchor_map) or None,
        "Suggested": (hint := document.versions.suggestion)
        and f"octavo reconvert {document.id[:8]} --outdated: {hint.message}",
        "Quality": None if document.active_version is None else _score_text(report),
        "Ingested": f"{moment(document.ingested_at)} UTC",
    }
    _write_pairs([(name, str(value)) for name, value in facts.items() if value])
    declared, paused = document.metadata.current, len(document.metadata.disputes)
    if declared is not None:
        _write_pairs([("Declared", f"{name}: {value}") for name, value in metadata_lines(declared.metadata)])
    if paused:
        _write_pairs([("Paused", f"{paused} with other metadata; see `octavo metadata {document.id[:8]}`")])
    _write_pairs([("Path", path_text(ref)) for ref in document.paths])
    if superseded_by is not None:
        _write_pairs([("Superseded", f"{EARLIER_CONTENT}; now there: `octavo show {superseded_by[:8]}`")])
    _write_pairs([("Attached to", _named(parent)) for parent in document.attached_to])
    if result.attachments:
        taken = {one.id: one for one in document.attachments}
        _write_pairs([("Attachment", _attachment_text(one, taken)) for one in result.attachments])
    # The failure of the ingestion is the document's status and is printed below.
    shown = [job for job in jobs if job.is_open or job.intent != "ingest"]
    _write_pairs([("Work", job_text(job)) for job in shown])
    later = [one for one in document.versions if one.held_back and one.version > (document.active_version or 0)]
    _write_pairs([("Held back", f"version {one.version}: {_why(one)}") for one in later])
    told = worth_telling(report.findings)[:_MOST_FLAGS]
    _write_pairs([("Flag", _finding_text(item.flag, item.message, item.page)) for item in told])
    if more := len(left_out(report.findings, told)):
        _write_pairs([("", f"{more} more finding{'' if more == 1 else 's'}, listed by --quality")])


def _score_text(report: IngestionQualityReport) -> str:
    from octavo.conversion.report_text import why_low

    from ..document_text import score_text

    low = why_low(report)
    return score_text(report.quality_score) + (f": {low}" if low else "")


def _why(version: DocumentVersion) -> str:
    return version.held_back.message if version.held_back is not None else ""


def _named(document: Document) -> str:
    return f"{document.title or 'without a title'} ({document.id[:8]})"


def _attachment_text(attached: AttachmentRef, taken_in: dict[str, Document]) -> str:
    """For example 'plan.pdf: degraded, `octavo show 1bbfd50b`'; type and size of an attachment outside the library."""
    from octavo_cli.toolkit.output import size_text

    from ..document_text import STATUS_TEXTS

    taken = taken_in.get(attached.document_id or "")
    name = attached.name or (taken.title if taken is not None else None) or "without a name"
    if taken is not None:
        return f"{name}: {STATUS_TEXTS[taken.status]}, `octavo show {taken.id[:8]}`"
    why = "not in the library" if attached.document_id is None else "not ingested yet, or removed"
    return f"{name}: {attached.media_type}, {size_text(attached.size)}, {why}"


def _write_content(document: Document) -> None:
    from octavo_cli.toolkit.output import clean, write_line, write_text
    from octavo_cli.toolkit.remedies import remedy_text

    if document.active_version is None:
        for receipt in document.result.failure_receipts:
            write_line(f"\n{clean(receipt.details)} [{receipt.reason_code.value}]")
            if receipt.remedy:
                write_line(f"  {remedy_text(receipt.remedy)}")
        return
    write_line()
    write_text(document.markdown)


def _write_quality(report: IngestionQualityReport) -> None:
    from octavo_cli.toolkit.output import clean, write_line
    from octavo_cli.toolkit.remedies import remedy_text

    from ..document_text import score_text, status_word

    scores = {
        "Overall": report.quality_score,
        "Text yield": report.text_yield_score,
        "Page anchors": report.page_anchor_integrity,
        "Tables": report.table_integrity_score,
    }
    _write_pairs([("Status", status_word(report.user_visible_status))])
    _write_pairs([("Plugin", f"{report.selected_tool}: {report.selected_tool_reason}")])
    _write_pairs([(name, score_text(score)) for name, score in scores.items()])
    if report.ocr_confidence_summary.applied:
        _write_pairs([("Recognised", _recognised_text(report))])
    _write_pairs([("Tried", f"{item.tool}: {item.reason} ({item.outcome})") for item in report.fallback_attempts])
    for finding in report.findings:
        write_line(f"\n{clean(_finding_text(finding.flag, finding.message, finding.page))}")
        if finding.remedy:
            write_line(f"  {remedy_text(finding.remedy)}")


def _recognised_text(report: IngestionQualityReport) -> str:
    """Number and confidence of recognised pages: '3 pages, mean confidence 0.81, lowest 0.62 (page 2)'."""
    confidences = report.ocr_confidence_summary.page_confidences
    count = f"{len(confidences)} page{'' if len(confidences) == 1 else 's'}"
    if not confidences:
        return f"{count} with text"
    mean = sum(confidences.values()) / len(confidences)
    page, lowest = min(confidences.items(), key=lambda item: (item[1], int(item[0])))
    return f"{count}, mean confidence {mean:.2f}" + (
        f", lowest {lowest:.2f} (page {page})" if len(confidences) > 1 else ""
    )


def _finding_text(flag: str, message: str, page: int | None) -> str:
    return f"{f'page {page}: ' if page else ''}{message} [{flag}]"


def _write_pairs(pairs: list[tuple[str, str]]) -> None:
    from octavo_cli.toolkit.output import clean, write_line

    for name, value in pairs:
        write_line(f"{name:<13}{clean(value)}")
