"""The endpoints that change something, as the description of the API shows them: their forms and their answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from .change_requests import TasksView
from .changes import TaskQuery
from .corpus_changes import CorpusChanged
from .document_changes import MOST_NOTE, MetadataDecided, TypeSet, VersionChange
from .library_changes import AnnotationChange, AnnotationQuery, Deleted, PagesMarked
from .rule_changes import Decided, Reclaimed, RetentionSet
from .screen import Query
from .screens.opened import ID_PATTERN, DocumentQuery
from .screens.routing import RuleQuery
from .screens.runs import RunQuery

_NAME = Field(default="", max_length=100, description="The user; empty: `user`.")

_LIMIT = Field(default=None, pattern=r"^(\d{1,18})?$", description="A limit on the size of its documents.")


class Form(BaseModel):
    """Fields of a form. Fields that an endpoint does not know are ignored."""

    model_config = ConfigDict(extra="forbid")


class NoFields(Form):
    """A form without fields."""


class ReconvertForm(Form):
    """How to convert again; without fields, as routed."""

    plugin: str = Field(default="", max_length=100, description="The plugin; or `lighter` or `heavier`.")
    weight: Literal["", "lighter", "heavier"] = Field(default="", description="Without a plugin.")


class ActivateForm(Form):
    """The version to activate."""

    version: int = Field(ge=0, le=999_999_999, description="Number of the version.")


class TypeForm(Form):
    """The type of a document."""

    document_type: str = Field(max_length=100, description="The type: the classifier's, to confirm it, or another one.")
    by: str = _NAME


class AcceptForm(Form):
    """Acceptance of the active version."""

    note: str = Field(default="", max_length=MOST_NOTE, description="Why it is good enough.")
    by: str = _NAME
    remove: str = Field(default="", max_length=10, description="Any text: remove the mark.")


class MetadataForm(Form):
    """The end of a paused ingestion."""

    dispute: str = Field(pattern=r"^[0-9a-f]{32}$", description="Id of the paused ingestion.")
    decision: Literal["keep", "replace"] = Field(description="Whether its metadata replaces the declared one.")
    by: str = _NAME


class ConfirmForm(Form):
    """A confirmation."""

    confirm: str = Field(max_length=100, description="`confirm` of the preview.")


class RecogniseForm(Form):
    """The pages to recognise; without fields, those that need it."""

    pages: str = Field(default="", max_length=1_000, description="Pages, such as `3-5,8`.")
    page: str = Field(default="", pattern=r"^(\d{1,9})?$", description="One page.")


class MarkForm(Form):
    """The pages to mark."""

    pages: str = Field(max_length=1_000, description="Pages, such as `3-5,8`.")
    kind: Literal["needs_ocr", "visually_important"] = Field(description="What the mark says of them.")
    by: str = _NAME
    remove: str = Field(default="", max_length=10, description="Any text: remove the marks.")


class SelectionForm(BaseModel):
    """The selected documents: for each one, a field `document-ID`, whatever its value."""

    model_config = ConfigDict(
        json_schema_extra={
            "additionalProperties": False,
            "patternProperties": {ID_PATTERN.replace("^", "^document-", 1): {"type": "string", "maxLength": 10}},
            "minProperties": 1,
            "maxProperties": 200,
        }
    )


class AnnotateForm(Form):
    """A new annotation."""

    kind: Literal["bookmark", "highlight", "note"] = Field(default="note", description="Its kind.")
    text: str = Field(default="", max_length=10 * MOST_NOTE, description="Its text.")
    page: str = Field(default="", pattern=r"^(\d{1,9})?$", description="Its page.")
    char: str = Field(default="", pattern=r"^(\d{1,12}-\d{1,12})?$", description="Its range within the page.")
    by: str = _NAME


class ChangeAnnotationForm(Form):
    """A change of an annotation."""

    text: str = Field(default="", max_length=10 * MOST_NOTE, description="Its new text.")
    remove: str = Field(default="", max_length=10, description="Any text: remove the annotation.")


class DecideForm(Form):
    """A decision about a rule."""

    action: Literal["prefer", "keep", "undo"] = Field(description="The decision.")
    tool: str = Field(default="", max_length=100, description="The plugin that is preferred.")
    note: str = Field(default="", max_length=MOST_NOTE, description="Why.")
    by: str = _NAME


class RetentionForm(Form):
    """The retention of a corpus."""

    corpus: str = Field(max_length=200, description="Name of the corpus.")
    retention: str = Field(
        pattern=r"^(everything|active_only|\d{1,5})$", description="`everything`, `active_only`, or a number of days."
    )


class CorpusSettingsForm(Form):
    """Settings of a corpus. Those without a field stay; an empty field, or `default`, removes what the corpus sets."""

    corpus: str = Field(max_length=200, description="Name of the corpus.")
    seen: str = Field(
        default="",
        pattern=r"^([0-9a-f]{32})?$",
        description="`seen` of the settings as they were shown; the change is refused if they are others by now.",
    )
    visibility: str | None = Field(default=None, max_length=40, description="Who finds its documents.")
    sensitivity: str | None = Field(default=None, max_length=40, description="How its documents must be handled.")
    cloud: Literal["on", "off"] | None = Field(default=None, description="Whether cloud services may be used.")
    retention: str | None = Field(
        default=None,
        pattern=r"^(everything|active_only|\d{1,5})?$",
        description="`everything`, `active_only`, or a number of days.",
    )
    profile: str | None = Field(default=None, max_length=100, description="A shipped profile.")
    plugin: str | None = Field(default=None, max_length=100, description="The plugin that converts its documents.")
    entities: Literal["", "default", "on", "off"] | None = Field(
        default=None, description="Whether to extract entities."
    )
    entity_types: str | None = Field(
        default=None,
        max_length=1000,
        description="The entity types to extract, with commas; empty: those of the library.",
    )
    briefs: Literal["", "default", "on", "off"] | None = Field(default=None, description="Whether to make briefs.")
    chunking: str | None = Field(default=None, max_length=60, description="`fixed-TARGET-MAXIMUM-MINIMUM`.")
    cost_limit: str | None = Field(
        default=None, pattern=r"^(\d{1,9}(\.\d{1,6})?)?$", description="US dollars of one run."
    )
    max_bytes: str | None = _LIMIT
    max_pages: str | None = _LIMIT
    max_entries: str | None = _LIMIT
    max_unpacked_bytes: str | None = _LIMIT
    max_ratio: str | None = _LIMIT
    max_nested_bytes: str | None = _LIMIT
    max_image_pixels: str | None = _LIMIT


class RetryForm(Form):
    """Which failures to retry."""

    reason: str = Field(default="", max_length=100, description="Only failures with this reason; empty: all.")


@dataclass(frozen=True, kw_only=True)
class DescribedChange:
    """An endpoint that changes something, by a form.

    Attributes:
        path: its path.
        summary: what it does, in one sentence.
        query: model of the parameters of its path, or None.
        form: model of its form.
        view: model of its answer.
        starts_tasks: whether it starts tasks, so that it answers with 202.
    """

    path: str
    summary: str
    query: type[Query] | None
    form: type[BaseModel]
    view: type[BaseModel]
    starts_tasks: bool = False


_DOCUMENT = "/documents/{document_id}"

DESCRIBED_CHANGES: tuple[DescribedChange, ...] = (
    DescribedChange(
        path="/activity/{task_id}/cancel",
        summary="Stop a task.",
        query=TaskQuery,
        form=NoFields,
        view=TasksView,
        starts_tasks=True,
    ),
    DescribedChange(
        path=f"{_DOCUMENT}/reconvert",
        summary="Convert a document again, as a new version.",
        query=DocumentQuery,
        form=ReconvertForm,
        view=TasksView,
        starts_tasks=True,
    ),
    DescribedChange(
        path=f"{_DOCUMENT}/activate",
        summary="Make another version of a document the active one.",
        query=DocumentQuery,
        form=ActivateForm,
        view=VersionChange,
    ),
    DescribedChange(
        path=f"{_DOCUMENT}/type",
        summary="Set the type of a document by hand, or confirm the classifier's.",
        query=DocumentQuery,
        form=TypeForm,
        view=TypeSet,
    ),
    DescribedChange(
        path=f"{_DOCUMENT}/metadata",
        summary="End a paused ingestion of known bytes with other metadata.",
        query=DocumentQuery,
        form=MetadataForm,
        view=MetadataDecided,
    ),
    DescribedChange(
        path=f"{_DOCUMENT}/accept",
        summary="Accept the active version of a document with its flags, or remove that mark.",
        query=DocumentQuery,
        form=AcceptForm,
        view=VersionChange,
    ),
    DescribedChange(
        path=f"{_DOCUMENT}/delete",
        summary="Remove a document: from the library for its owner, from its corpus for a corpus.",
        query=DocumentQuery,
        form=ConfirmForm,
        view=Deleted,
    ),
    DescribedChange(
        path=f"{_DOCUMENT}/recognise",
        summary="Recognise pages of a document.",
        query=DocumentQuery,
        form=RecogniseForm,
        view=TasksView,
        starts_tasks=True,
    ),
    DescribedChange(
        path=f"{_DOCUMENT}/marks",
        summary="Mark pages as needing recognition, which starts at once, or as visually important.",
        query=DocumentQuery,
        form=MarkForm,
        view=PagesMarked,
    ),
    DescribedChange(
        path="/documents/recognise",
        summary="Recognise the pages that need it, of each selected document.",
        query=None,
        form=SelectionForm,
        view=TasksView,
        starts_tasks=True,
    ),
    DescribedChange(
        path=f"{_DOCUMENT}/annotations",
        summary="Add a bookmark, a highlight or a note.",
        query=DocumentQuery,
        form=AnnotateForm,
        view=AnnotationChange,
    ),
    DescribedChange(
        path=f"{_DOCUMENT}/annotations/{{annotation_id}}",
        summary="Replace the text of an annotation, or remove it.",
        query=AnnotationQuery,
        form=ChangeAnnotationForm,
        view=AnnotationChange,
    ),
    DescribedChange(
        path="/routing/{routing_type}",
        summary="Prefer a plugin for a rule, keep the rule, or undo the decision in force.",
        query=RuleQuery,
        form=DecideForm,
        view=Decided,
    ),
    DescribedChange(
        path="/corpora/retention",
        summary="Set how long superseded versions of a corpus are kept.",
        query=None,
        form=RetentionForm,
        view=RetentionSet,
    ),
    DescribedChange(
        path="/corpora/settings",
        summary="Change settings of a corpus.",
        query=None,
        form=CorpusSettingsForm,
        view=CorpusChanged,
    ),
    DescribedChange(
        path="/retention",
        summary="Remove what the retention rules allow.",
        query=None,
        form=ConfirmForm,
        view=Reclaimed,
    ),
    DescribedChange(
        path="/runs/{run_id}/retry",
        summary="Retry the sources of a run that are not converted, as a new run.",
        query=RunQuery,
        form=RetryForm,
        view=TasksView,
        starts_tasks=True,
    ),
)
"""All of them but those for files, for the conversion service, and for sessions."""
