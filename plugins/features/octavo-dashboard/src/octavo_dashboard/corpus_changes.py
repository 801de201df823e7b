"""Changes of the settings of a corpus, as `octavo corpus set` makes them (UI-3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from octavo.profiles.profile import SHIPPED_PROFILES
from octavo_contracts import UsageError
from octavo_library.facade.corpora import CorpusSettings
from octavo_sandbox.preflight import RAISABLE
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from .change_requests import ChangeRequests, changed, field_text
from .problems import Refused, owners_only
from .screens.corpus_settings import LIBRARYS, OWN_FILE, fingerprint

_SWITCH = {"on": True, "off": False, LIBRARYS: None}
_TEXTS = ("visibility", "sensitivity", "profile", "plugin", "chunking")
_MOST = 200


class CorpusChanged(BaseModel):
    """The settings of a corpus after a change."""

    corpus: str = Field(description="The corpus.")
    changed: list[str] = Field(description="The settings that have another value now.")
    notes: list[str] = Field(description="A sentence for each setting that has no effect yet.")


class CorpusChanges:
    """The endpoint. It is the library owner's.

    Args:
        requests: reads the requests.
    """

    def __init__(self, requests: ChangeRequests) -> None:
        self._requests = requests
        self._corpora = requests.library.corpora

    async def change(self, request: Request) -> Response:
        """Change settings of a corpus; those without a field stay. Nothing is converted again."""
        grant, form = await self._requests.form(request)
        if grant.corpus is not None:
            raise owners_only()
        view = await run_in_threadpool(self._change, form)
        self._requests.counts.forget()
        return changed(request, "/corpora", view)

    def _change(self, form: dict[str, str]) -> CorpusChanged:
        name = field_text(form, "corpus", most=_MOST)
        corpus = self._corpora.get(name)
        if form.get("seen", "") not in ("", fingerprint(corpus)):
            raise Refused(
                409,
                "The settings were changed meanwhile",
                reason="settings_changed",
                remedy="Nothing was changed. Open the settings of the corpus again",
            )
        wanted = settings_of(form, corpus.settings)
        done = self._corpora.update(corpus.id, wanted) if wanted != corpus.settings else corpus
        differing = [
            *(one for one in CorpusSettings.__dataclass_fields__ if one != "limits" and _differ(corpus, done, one)),
            *(one for one in RAISABLE if corpus.settings.limits.get(one) != done.settings.limits.get(one)),
        ]
        return CorpusChanged(corpus=done.name, changed=differing, notes=list(self._corpora.unsupported(done.settings)))


def settings_of(form: Mapping[str, str], old: CorpusSettings) -> CorpusSettings:
    """The settings of a form over the old ones; an empty field, or `default`, removes what the corpus sets.

    Raises:
        UsageError: a field is no value of its setting.
    """
    given = {name: form[name].strip() for name in form}
    changes: dict[str, Any] = {
        name: None if given[name] in ("", LIBRARYS) else given[name] for name in _TEXTS if name in given
    }
    for name in ("visibility", "sensitivity"):
        if name in changes and changes[name] is None:
            changes[name] = getattr(CorpusSettings(), name)
    if changes.get("profile") == OWN_FILE:
        changes["profile"] = old.profile
    elif changes.get("profile") not in (None, *SHIPPED_PROFILES):
        raise UsageError(
            "unknown profile",
            remedy=f"Choose one of {', '.join(SHIPPED_PROFILES)}; a file is set by `octavo corpus set --profile`",
        )
    for name in ("entities", "briefs", "cloud"):
        if name in given:
            changes[name] = _switched(name, given[name])
    if "entity_types" in given:
        changes["entity_types"] = tuple(label.strip() for label in given["entity_types"].split(",") if label.strip())
    if "retention" in given:
        rule = given["retention"]
        changes["retention"] = (
            int(rule) if rule.isascii() and rule.isdecimal() and len(rule) < 6 else rule or "everything"
        )
    if "cost_limit" in given:
        changes["cost_limit"] = _dollars(given["cost_limit"])
    limits = {name: number for name, number in old.limits.items() if name not in given}
    limits |= {name: _whole(name, given[name]) for name in RAISABLE if given.get(name)}
    return replace(old, **changes, limits=limits)


def _differ(corpus: Any, done: Any, name: str) -> bool:
    return bool(getattr(corpus.settings, name) != getattr(done.settings, name))


def _switched(name: str, text: str) -> bool | None:
    if (text or LIBRARYS) not in _SWITCH or (name == "cloud" and text not in ("on", "off")):
        raise UsageError(f"{name} must be on or off, got {text[:40]!r}")
    return _SWITCH[text or LIBRARYS]


def _dollars(text: str) -> float | None:
    try:
        return float(text) if text else None
    except ValueError:
        raise UsageError(f"cost_limit must be a number of US dollars, got {text[:40]!r}") from None


def _whole(name: str, text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) < 19):
        raise UsageError(f"{name} must be a positive whole number, got {text[:40]!r}")
    return int(text)
