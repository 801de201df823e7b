"""Endpoints that change one document: reconversion, activation of a version, acceptance, type."""

from __future__ import annotations

import threading
from functools import partial
from typing import Literal

from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from .background_work import TaskResult
from .change_requests import ChangeRequests, changed, field_number, field_text, started
from .problems import NotFound, Refused
from .screens.opened import converters

MOST_NOTE = 2_000
"""Characters of a note or of a name in a form."""
WEIGHTS = {"lighter": "fast", "heavier": "thorough"}
"""Choice of the form → the profile of the reconversion (ENG-25)."""


class VersionChange(BaseModel):
    """A version that became the active one, or that was accepted."""

    document_id: str = Field(description="The document.")
    version: int = Field(description="The version.")
    state: Literal["active", "accepted", "not_accepted"] = Field(description="What holds of it now.")


class TypeSet(BaseModel):
    """A document whose type was set or confirmed."""

    document_id: str = Field(description="The document.")
    document_type: str = Field(description="The type that the user set.")


class MetadataDecided(BaseModel):
    """A paused ingestion that ended."""

    document_id: str = Field(description="The document.")
    dispute: str = Field(description="Id of the paused ingestion.")
    decision: Literal["keep", "replace"] = Field(description="What became of the declared metadata.")


class DocumentChanges:
    """The endpoints.

    Args:
        requests: reads the requests.
    """

    def __init__(self, requests: ChangeRequests) -> None:
        self._requests = requests
        self._library = requests.library
        self._work = requests.work

    async def reconvert(self, request: Request) -> Response:
        """Convert a document again, as a new version: as routed, lighter, heavier, or by a plugin."""
        grant, form = await self._requests.form(request)
        document = await run_in_threadpool(self._requests.document, request, grant)
        plugin, weight = form.get("plugin") or None, form.get("weight") or None
        if plugin in WEIGHTS:  # one field of the page offers both
            plugin, weight = None, plugin
        if plugin is not None and plugin not in converters(self._library, document):
            raise Refused(400, "No such plugin reads this document", reason="invalid_request")
        if weight is not None and (weight not in WEIGHTS or plugin is not None):
            raise Refused(400, "weight is lighter or heavier, without a plugin", reason="invalid_request")
        profile = WEIGHTS[weight] if weight is not None else None

        def run(cancel: threading.Event) -> TaskResult:
            made = document.reconvert(plugin=plugin, profile=profile, cancel=cancel)
            held = f", not active: {made.held_back.message}" if made.held_back is not None else ""
            return TaskResult(message=f"Version {made.version} by {made.tool}{held}", document_id=document.id)

        name = self._library.catalogue.name_of(document)
        return started(request, [self._work.start("reconvert", name, grant, run, document_id=document.id)])

    async def activate(self, request: Request) -> Response:
        """Make another version of a document the active one."""
        grant, form = await self._requests.form(request)
        document = await run_in_threadpool(self._requests.document, request, grant)
        version = field_number(form, "version")
        await run_in_threadpool(document.versions.activate, version)
        view = VersionChange(document_id=document.id, version=version, state="active")
        return changed(request, f"/documents/{document.id}", view)

    async def accept(self, request: Request) -> Response:
        """Accept the active version of a document with its flags, or remove that mark (ENG-25)."""
        grant, form = await self._requests.form(request)
        document = await run_in_threadpool(self._requests.document, request, grant)
        is_removal = bool(form.get("remove"))
        if is_removal:
            await run_in_threadpool(document.versions.acceptance.clear)
        else:
            note, by = field_text(form, "note", most=MOST_NOTE), field_text(form, "by", most=100)
            await run_in_threadpool(partial(document.versions.acceptance.set, note=note, by=by or "user"))
        view = VersionChange(
            document_id=document.id,
            version=document.active_version or 0,
            state="not_accepted" if is_removal else "accepted",
        )
        self._requests.counts.forget()
        return changed(request, f"/documents/{document.id}", view)

    async def decide_metadata(self, request: Request) -> Response:
        """End a paused ingestion of known bytes with other metadata (ENG-21)."""
        grant, form = await self._requests.form(request)
        document = await run_in_threadpool(self._requests.document, request, grant)
        dispute, decision = form.get("dispute", ""), form.get("decision", "")
        if decision not in ("keep", "replace"):
            raise Refused(400, "decision is keep or replace", reason="invalid_request")
        if dispute not in {one.id for one in await run_in_threadpool(lambda: document.metadata.disputes)}:
            raise NotFound("paused ingestion")
        by = field_text(form, "by", most=100) or "user"
        resolve = partial(document.metadata.resolve, dispute, take_new=decision == "replace", by=by)
        await run_in_threadpool(resolve)
        view = MetadataDecided(
            document_id=document.id, dispute=dispute, decision="replace" if decision == "replace" else "keep"
        )
        return changed(request, f"/documents/{document.id}", view)

    async def set_type(self, request: Request) -> Response:
        """Set the type of a document by hand, or confirm the classifier's (CLS-6, MET-2)."""
        grant, form = await self._requests.form(request)
        document = await run_in_threadpool(self._requests.document, request, grant)
        document_type = field_text(form, "document_type", most=100)
        by = field_text(form, "by", most=100) or "user"
        await run_in_threadpool(partial(document.set_type, document_type, by=by))
        place = "/types" if grant.corpus is None else f"/documents/{document.id}"
        return changed(request, place, TypeSet(document_id=document.id, document_type=document_type))
