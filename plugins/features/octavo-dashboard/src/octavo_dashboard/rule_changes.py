"""Endpoints that decide about rules: routing (CNV-4), retention of a corpus, removal of what retention allows (ENG-29)."""

from __future__ import annotations

from functools import partial
from typing import Literal, cast

from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from .access import Grant
from .change_requests import ChangeRequests, changed, field_text, unconfirmed
from .document_changes import MOST_NOTE
from .problems import Refused, owners_only
from .screen import read_query
from .screens.retention import confirmation
from .screens.routing import RuleQuery, find_rule


class Decided(BaseModel):
    """A decision about a rule."""

    routing_type: str = Field(description="The rule.")
    action: Literal["prefer", "keep", "undo"] = Field(description="The decision.")
    tool: str | None = Field(description="The preferred plugin, or null.")


class RetentionSet(BaseModel):
    """The retention of a corpus."""

    corpus: str = Field(description="The corpus.")
    retention: str = Field(description="`everything`, `active_only`, or a number of days.")


class Reclaimed(BaseModel):
    """What was removed by retention."""

    versions: int = Field(description="Number of versions.")
    ocr_pages: int = Field(description="Number of recognised pages.")
    bytes: int = Field(description="Size of their files.")


class RuleChanges:
    """The endpoints. All are the library owner's.

    Args:
        requests: reads the requests.
    """

    def __init__(self, requests: ChangeRequests) -> None:
        self._requests = requests
        self._library = requests.library

    async def decide(self, request: Request) -> Response:
        """Prefer a plugin for a rule, keep the rule, or undo the decision in force."""
        grant, form = await self._owners_form(request)
        query = read_query(RuleQuery, request)
        await run_in_threadpool(find_rule, self._requests.reader(grant), query.routing_type)
        action, tool = form.get("action", ""), form.get("tool") or None
        note, by = field_text(form, "note", most=MOST_NOTE), field_text(form, "by", most=100) or "user"
        routing = self._library.routing
        if action == "prefer" and tool is None:
            raise Refused(400, "No plugin is chosen", reason="invalid_request")
        if action in ("prefer", "keep"):
            prefer = tool if action == "prefer" else None
            decide = partial(routing.decide, query.routing_type, prefer=prefer, by=by, note=note)
        elif action == "undo":
            decide = partial(routing.undo, query.routing_type, by=by, note=note)
        else:
            raise Refused(400, "action is prefer, keep or undo", reason="invalid_request")
        await run_in_threadpool(decide)
        view = Decided(
            routing_type=query.routing_type,
            action=cast(Literal["prefer", "keep", "undo"], action),
            tool=tool if action == "prefer" else None,
        )
        return changed(request, f"/routing/{query.routing_type}", view)

    async def set_retention(self, request: Request) -> Response:
        """Set how long superseded versions of a corpus are kept; nothing is removed by that."""
        _, form = await self._owners_form(request)
        corpus, rule = form.get("corpus", ""), form.get("retention", "")
        days = int(rule) if rule.isascii() and rule.isdecimal() and len(rule) < 6 else None
        if days is None and rule not in ("everything", "active_only"):
            raise Refused(400, "retention is everything, active_only, or a number of days", reason="invalid_request")
        chosen = days if days is not None else cast(Literal["everything", "active_only"], rule)
        await run_in_threadpool(self._library.corpora.set_retention, corpus, chosen)
        return changed(request, "/corpora", RetentionSet(corpus=corpus, retention=str(chosen)))

    async def reclaim(self, request: Request) -> Response:
        """Remove what the retention rules allow. The confirmation is that of the preview."""
        _, form = await self._owners_form(request)

        def remove() -> Reclaimed:
            found = self._library.maintenance.expired()
            if form.get("confirm", "") != confirmation(found):
                raise unconfirmed(open_again="the list")
            done = self._library.maintenance.purge_expired(found)
            return Reclaimed(versions=done.versions, ocr_pages=done.ocr_pages, bytes=done.bytes)

        return changed(request, "/retention", await run_in_threadpool(remove))

    async def _owners_form(self, request: Request) -> tuple[Grant, dict[str, str]]:
        grant, form = await self._requests.form(request)
        if grant.corpus is not None:
            raise owners_only()
        return grant, form
