"""A document: what it is, what is wrong with it and what to do, its versions, where it came from."""

from __future__ import annotations

from dataclasses import asdict

from octavo_contracts import OctavoError, QualityFinding
from octavo_library import Document
from octavo_library.facade.catalogue import file_name_of
from pydantic import Field

from ..problems import public_text
from ..recognition_work import recognise_opened
from ..screen import Reader, Screen, View
from .annotations import AnnotationView, annotations_of
from .opened import DocumentQuery, converters, open_document
from .origins import OriginsView, origins_view
from .recognition import RecognitionView, recognition_of

MOST_PAGES = 2_000
"""Links to pages on the page of a document."""


class FindingView(View):
    """A flag of the quality report, or a failure."""

    flag: str = Field(description="Flag or reason code.")
    severity: str = Field(description="`degraded`, `note` or `failure`.")
    message: str = Field(description="What was found.")
    page: int | None = Field(description="The page, from 1, or null.")
    remedy: str = Field(description="What to do, or empty.")


class VersionView(View):
    """A conversion version."""

    version: int = Field(description="Its number, from 1.")
    tool: str = Field(description="The plugin and its version.")
    created_at: str = Field(description="When it was made, UTC.")
    quality_score: float | None = Field(description="0..1, or null if it was not assessed.")
    status: str = Field(description="`ok` or `degraded`.")
    flags: list[str] = Field(description="Its flags.")
    is_active: bool = Field(description="Whether readers get it.")
    condition: str = Field(description="`stored`, `damaged` or `purged`.")
    held_back: str | None = Field(description="Why it was not made the active one, or null.")


class AcceptedView(View):
    """The mark of a user that the active version is good enough in spite of its flags."""

    version: int = Field(description="The version.")
    note: str = Field(description="Why, or empty.")
    accepted_by: str = Field(description="Who accepted it.")
    at: str = Field(description="When, UTC.")


class DeclaredView(View):
    """Metadata that was declared of the document."""

    title: str | None = Field(description="The declared title, or null.")
    date: str | None = Field(description="The declared date, or null.")
    source: str | None = Field(description="Where it is from, as declared, or null.")
    further: dict[str, str] = Field(description="Further declared metadata, name → value.")
    declared_by: str = Field(description="Who declared it.")
    at: str = Field(description="When, UTC.")


class DisputeView(DeclaredView):
    """A paused ingestion of the same bytes with other metadata."""

    id: str = Field(description="Its id.")


class PageMarkView(View):
    """A mark on a page."""

    page: int = Field(description="The page, from 1.")
    kind: str = Field(description="`needs_ocr` or `visually_important`.")
    marked_by: str = Field(description="Who marked it.")
    at: str = Field(description="When, UTC.")


class RelatedView(View):
    """Another document."""

    name: str = Field(description="Its name.")
    url: str | None = Field(description="Its page, or null if it is not in the library.")
    media_type: str | None = Field(description="Its type by content.")
    status: str | None = Field(description="Its status, or null if it is not in the library.")


class DocumentView(View):
    """A document."""

    id: str = Field(description="Its id.")
    name: str = Field(description="Its title or file name.")
    status: str = Field(description="`complete`, `degraded_complete` or `hard_failed`.")
    reason: str | None = Field(description="Why it failed, or null.")
    media_type: str | None = Field(description="Its type by content.")
    document_type: str = Field(description="Its kind, such as `contract`.")
    document_type_by: str | None = Field(description="Who set the kind by hand, or null.")
    raw_hash: str = Field(description="SHA-256 of its bytes.")
    ingested_at: str = Field(description="When it was first ingested, UTC.")
    version: int | None = Field(description="The active version, or null.")
    tool: str | None = Field(description="The plugin that made the active version.")
    tool_reason: str | None = Field(description="Why that plugin was chosen.")
    quality_score: float | None = Field(description="0..1, or null if it was not assessed.")
    accepted: AcceptedView | None = Field(description="Who accepted this version with its flags, or null.")
    declared: DeclaredView | None = Field(description="Metadata that was declared of it, or null.")
    disputes: list[DisputeView] = Field(description="Paused ingestions that declare other metadata, oldest first.")
    page_marks: list[PageMarkView] = Field(description="Marks of users on its pages, by page.")
    is_paged: bool = Field(description="Whether it has pages of its own.")
    pages: int = Field(description="Number of its pages; 1 for a document without pages.")
    has_page_images: bool = Field(description="Whether its pages can be rendered.")
    findings: list[FindingView] = Field(description="Flags and failures, the worst first.")
    versions: list[VersionView] = Field(description="Its versions, oldest first.")
    attachments: list[RelatedView] = Field(description="Its attachments.")
    attached_to: list[RelatedView] = Field(description="Documents that contain it.")
    file_names: list[str] = Field(description="File names under which it was ingested.")
    origins: OriginsView = Field(description="Where it came from, its corpora, and when it was last used.")
    sandbox_level: str | None = Field(description="Protection of the worker that converted it.")
    converters: list[str] = Field(description="Plugins that can convert it again.")
    annotations: list[AnnotationView] = Field(description="Its annotations, oldest first.")
    recognition: RecognitionView = Field(description="The state of text recognition.")
    problem: str | None = Field(description="Why its stored version cannot be read, or null.")


def build(reader: Reader, query: DocumentQuery) -> DocumentView:
    """Describe a document.

    Raises:
        NotFound: the asker has no such document.
    """
    document = open_document(reader, query.document_id)
    recognise_opened(reader, document)
    catalogue = reader.library.catalogue
    try:
        result, problem = document.result, None
    except OctavoError as error:
        result, problem = None, public_text(f"{error.message}. {error.remedy}".rstrip(". "))
    report = result.quality_report if result is not None and document.active_version is not None else None
    anchors = len(result.page_anchor_map) if result is not None else 0
    return DocumentView(
        id=document.id,
        name=catalogue.name_of(document),
        status=document.status,
        reason=document.reason,
        media_type=document.media_type,
        document_type=result.document_type if result is not None else "unknown",
        document_type_by=document.document_type_by,
        raw_hash=document.raw_hash,
        ingested_at=document.ingested_at,
        version=document.active_version,
        tool=report.selected_tool if report is not None else None,
        tool_reason=report.selected_tool_reason if report is not None else None,
        quality_score=report.quality_score if report is not None else None,
        accepted=_accepted(document),
        declared=_declared(document),
        disputes=[
            DisputeView(id=one.id, **asdict(one.metadata), declared_by=one.declared_by, at=one.at)
            for one in document.metadata.disputes
        ],
        page_marks=[PageMarkView(**asdict(one)) for one in document.page_marks],
        is_paged=anchors > 0,
        pages=max(1, anchors) if document.active_version is not None else 0,
        has_page_images=document.original.has_page_images,
        findings=[] if result is None else _findings(document),
        versions=[
            VersionView(
                version=one.version,
                tool=f"{one.tool} {one.tool_version or ''}".rstrip(),
                created_at=one.created_at,
                quality_score=one.quality_score,
                status=one.status,
                flags=list(one.flags),
                is_active=one.is_active,
                condition=one.condition,
                held_back=one.held_back.message if one.held_back is not None else None,
            )
            for one in document.versions
        ],
        attachments=[] if result is None else _attachments(reader, document),
        attached_to=[_related(reader, one) for one in document.attached_to if _is_visible(reader, one.id)],
        file_names=list(dict.fromkeys(name for ref in document.paths if (name := file_name_of(ref)))),
        origins=origins_view(reader, document),
        sandbox_level=result.sandbox_level if result is not None else None,
        converters=converters(reader.library, document),
        annotations=annotations_of(document),
        recognition=recognition_of(reader, document),
        problem=problem,
    )


def _accepted(document: Document) -> AcceptedView | None:
    mark = document.versions.acceptance.current
    if mark is None:
        return None
    return AcceptedView(version=mark.version, note=mark.note, accepted_by=mark.accepted_by, at=mark.at)


def _declared(document: Document) -> DeclaredView | None:
    now = document.metadata.current
    return DeclaredView(**asdict(now.metadata), declared_by=now.declared_by, at=now.at) if now is not None else None


def _findings(document: Document) -> list[FindingView]:
    result = document.result
    failures = [
        FindingView(
            flag=receipt.reason_code.value,
            severity="failure",
            message=public_text(receipt.details),
            page=None,
            remedy=public_text(receipt.remedy),
        )
        for receipt in result.failure_receipts
    ]
    if document.active_version is None:
        return failures
    return [*failures, *map(_finding, sorted(result.quality_report.findings, key=_place_of_finding))]


def _place_of_finding(finding: QualityFinding) -> tuple[bool, int]:
    return finding.severity != "degraded", finding.page or 0


def _finding(finding: QualityFinding) -> FindingView:
    return FindingView(
        flag=str(getattr(finding.flag, "value", finding.flag)),
        severity=finding.severity,
        message=public_text(finding.message),
        page=finding.page,
        remedy=public_text(finding.remedy),
    )


def _attachments(reader: Reader, document: Document) -> list[RelatedView]:
    taken = {one.id: one for one in document.attachments}
    found = []
    for attached in document.result.attachments:
        here = taken.get(attached.document_id or "")
        seen = here is not None and _is_visible(reader, here.id)
        found.append(
            RelatedView(
                name=attached.name or "without a name",
                url=f"/documents/{here.id}" if here is not None and seen else None,
                media_type=attached.media_type,
                status=here.status if here is not None and seen else None,
            )
        )
    return found


def _is_visible(reader: Reader, document_id: str) -> bool:
    """Whether a document belongs to the asker's corpus as well as to its policy."""
    try:
        reader.library.catalogue.find(document_id, corpus=reader.corpus)
    except OctavoError:
        return False
    return True


def _related(reader: Reader, document: Document) -> RelatedView:
    return RelatedView(
        name=reader.library.catalogue.name_of(document),
        url=f"/documents/{document.id}",
        media_type=document.media_type,
        status=document.status,
    )


SCREEN = Screen(
    path="/documents/{document_id}",
    template="document.html",
    summary="Show a document: facts, flags with remedies, versions, attachments, provenance.",
    query=DocumentQuery,
    view=DocumentView,
    build=build,
)
