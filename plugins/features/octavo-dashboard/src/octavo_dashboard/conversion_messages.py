"""Requests and answers of the conversion for programs, in the shapes of docling-serve."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

FORMS = ("md", "text", "html", "json")
"""The forms of a document that are filled in; the others are null, and an error says so."""

LONGEST_TIMEOUT = 3600.0
"""Longest time that a request may give a plugin, in seconds. Clients send a week by default."""


class _Given(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class ConvertOptions(_Given):
    """Options of a conversion. Options of docling-serve that are not listed are accepted and have no effect."""

    to_formats: tuple[str, ...] = Field(default=("md",), description="`md`, `text`, `html`, `json`.")
    document_timeout: float | None = Field(
        default=None, gt=0, description="Seconds that a plugin may take. More than an hour counts as an hour."
    )


class FileSource(_Given):
    """A document in the request."""

    kind: Literal["file"]
    base64_string: str = Field(description="Its bytes, in base64.")
    filename: str = Field(description="Its file name.")


class HttpSource(_Given):
    """A document at a URL, which is fetched as the settings `web` allow; they are off by default."""

    kind: Literal["http"]
    url: str = Field(pattern=r"^https?://", max_length=4000)


class Target(_Given):
    """Where the result goes."""

    kind: Literal["inbody"] = "inbody"


class ConvertRequest(_Given):
    """A request to convert one document."""

    sources: tuple[Annotated[FileSource | HttpSource, Field(discriminator="kind")], ...] = Field(
        min_length=1, max_length=1, description="The document."
    )
    options: ConvertOptions = Field(default_factory=ConvertOptions)
    target: Target = Field(default_factory=Target)


class ErrorItem(BaseModel):
    """An error of a conversion."""

    component_type: Literal["document_backend", "doc_assembler"] = Field(
        description="What failed: the conversion, or the making of a form."
    )
    module_name: str = Field(description="The plugin, or `octavo`.")
    error_message: str = Field(description="Why.")


class ExportedDocument(BaseModel):
    """The forms of a document."""

    filename: str
    md_content: str | None = None
    json_content: JsonValue = None
    html_content: str | None = None
    text_content: str | None = None
    doctags_content: str | None = None


class ConvertResponse(BaseModel):
    """The result of a conversion."""

    document: ExportedDocument
    status: Literal["success", "partial_success", "failure"]
    errors: list[ErrorItem] = Field(default_factory=list)
    processing_time: float = Field(description="Seconds.")
    timings: dict[str, Any] = Field(default_factory=dict)


class TaskMeta(BaseModel):
    """Documents of a task."""

    num_docs: int = 1
    num_processed: int
    num_succeeded: int
    num_failed: int


class TaskStatus(BaseModel):
    """How far a conversion in the background is."""

    task_id: str
    task_type: Literal["convert"] = "convert"
    task_status: Literal["pending", "started", "success", "failure"]
    task_position: int | None = Field(default=None, description="Always null: tasks run in parallel.")
    task_meta: TaskMeta
    error_message: str | None = Field(default=None, description="Why it failed.")
