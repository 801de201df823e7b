"""The audit of document types: this month's sample, to confirm or correct (MET-2). The library owner's alone."""

from __future__ import annotations

from octavo.builtins.classification.document_types import SHIPPED_TYPES, UNKNOWN
from octavo_contracts import UsageError
from octavo_library.facade.type_audit import SAMPLE
from pydantic import Field

from ..screen import Query, Reader, Screen, View


class TypesQuery(Query):
    """A sample."""

    size: int = Field(default=SAMPLE, ge=1, le=200, description="Documents of the sample.")


class AuditedView(View):
    """A document of the sample."""

    id: str = Field(description="Its id.")
    name: str = Field(description="Its title or file name.")
    url: str = Field(description="Its page.")
    document_type: str = Field(description="The verdict of the classifier.")
    by_hand: str | None = Field(description="The type that a user set, which may be the same; null if none did.")
    set_by: str | None = Field(description="The user, or null.")


class TypesView(View):
    """The audit of a month."""

    query: TypesQuery = Field(description="The query.")
    period: str = Field(description="The month, such as `2026-11`.")
    right: int = Field(description="Reviewed documents whose verdict was right.")
    wrong: int = Field(description="Reviewed documents whose verdict was wrong.")
    open: int = Field(description="Documents to review.")
    accuracy: float | None = Field(description="Share of right verdicts, 0..1; null before the first review.")
    documents: list[AuditedView] = Field(description="The sample, those to review first.")
    types: list[str] = Field(description="Types that can be set.")


def build(reader: Reader, query: TypesQuery) -> TypesView:
    """Show the sample.

    Raises:
        Refused: the asker is not the library's owner.
    """
    catalogue = reader.owned.catalogue
    audit = catalogue.type_audit(size=query.size)
    listed = []
    for one in audit.documents:
        try:
            document = catalogue.find(one.document_id)
        except UsageError:  # purged since
            continue
        listed.append(
            AuditedView(
                id=one.document_id,
                name=catalogue.name_of(document),
                url=f"/documents/{one.document_id}",
                document_type=one.document_type,
                by_hand=one.by_hand.document_type if one.by_hand else None,
                set_by=one.by_hand.set_by if one.by_hand else None,
            )
        )
    reviewed = audit.right + audit.wrong
    return TypesView(
        query=query,
        period=audit.period,
        right=audit.right,
        wrong=audit.wrong,
        open=audit.open,
        accuracy=audit.right / reviewed if reviewed else None,
        documents=sorted(listed, key=lambda one: one.by_hand is not None),
        types=sorted({*SHIPPED_TYPES, UNKNOWN, *(one.document_type for one in audit.documents)}),
    )


SCREEN = Screen(
    path="/types",
    template="types.html",
    summary="Show this month's sample of classified documents, to confirm or correct their types.",
    query=TypesQuery,
    view=TypesView,
    build=build,
    is_owners=True,
)
