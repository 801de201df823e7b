"""Worker entry point that reads PDF forms; separate from inspection, so that a failure does not lose the inspection."""

from __future__ import annotations

from octavo_contracts import HookContext, Model, SourceView
from octavo_sandbox.preflight import PdfFile
from pydantic import Field

from .reader import MAX_SECONDS, read_form


class FormRequest(Model):
    """The host's request."""

    password: str | None = Field(default=None, repr=False, description="Password of an encrypted document.")
    seconds: float = Field(default=MAX_SECONDS, gt=0, description="Time after which no further field is read.")


def read(payload: bytes, source: SourceView, context: HookContext) -> bytes:
    """Read a form; called by name in the sandboxed worker.

    Args:
        payload: a `FormRequest` as JSON.
        source: the document.
        context: the call's work folder and deadline; both unused.

    Returns:
        A `FilledForm` as JSON.
    """
    request = FormRequest.read(payload)
    with PdfFile(source.read_bytes(), password=request.password) as pdf:
        return read_form(pdf, seconds=request.seconds).to_json().encode()
