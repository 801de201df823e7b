"""OpenAPI description of the JSON twins and of the endpoints for programs, made from their models."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from octavo._version import __version__
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from .change_requests import TasksView
from .conversion_messages import ConvertRequest, ConvertResponse, TaskStatus
from .described_changes import DESCRIBED_CHANGES, DescribedChange, SelectionForm
from .problems import Problem
from .screen import Screen

_SCHEMA = "#/components/schemas/{model}"
_FILES = {
    "type": "object",
    "required": ["files"],
    "properties": {
        "files": {"type": "array", "items": {"type": "string", "format": "binary"}},
        "title": {"type": "string", "maxLength": 2000, "description": "Declared title; for a single file."},
        "date": {"type": "string", "maxLength": 40, "description": "Declared date: a day, a month or a year."},
        "source": {"type": "string", "maxLength": 2000, "description": "Where the files are from, as declared."},
        "known_metadata": {
            "enum": ["ask", "keep", "replace"],
            "default": "ask",
            "description": "If known bytes were declared with other metadata: pause, keep it, or replace it.",
        },
    },
    "patternProperties": {
        r"^metadata\..{1,100}$": {"type": "string", "maxLength": 2000, "description": "Further declared metadata."}
    },
}
_TASK_ID = {
    "name": "task_id",
    "in": "path",
    "required": True,
    "description": "Id of the task.",
    "schema": {"type": "string", "pattern": "^[A-Za-z0-9_-]{1,64}$"},
}
_WAIT = {
    "name": "wait",
    "in": "query",
    "required": False,
    "description": "Seconds to wait for its end, at most 30.",
    "schema": {"type": "number", "minimum": 0, "default": 0},
}


def describe(screens: Iterable[Screen[Any, Any]]) -> dict[str, Any]:
    """The description, version 3.1.

    Args:
        screens: the pages with twins.
    """
    listed = list(screens)
    models: list[type[BaseModel]] = [screen.view for screen in listed]
    models += [
        Problem,
        TasksView,
        ConvertRequest,
        ConvertResponse,
        TaskStatus,
        *(one.view for one in DESCRIBED_CHANGES),
    ]
    forms: list[type[BaseModel]] = [ConvertRequest, *(one.form for one in DESCRIBED_CHANGES)]
    mode: dict[type[BaseModel], Any] = dict.fromkeys(models, "serialization") | dict.fromkeys(forms, "validation")
    names, schemas = models_json_schema([(model, mode[model]) for model in mode], ref_template=_SCHEMA)
    refs = {model: names[(model, mode[model])] for model in mode}
    paths: dict[str, Any] = {f"{screen.path}.json": {"get": _twin(screen, refs)} for screen in listed}
    paths |= _programs(refs)
    paths |= {one.path: {"post": _change(one, refs)} for one in DESCRIBED_CHANGES}
    paths |= _sessions(refs)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Octavo dashboard",
            "version": __version__,
            "description": "JSON twins of the pages that show a library, and conversion for programs.",
        },
        "paths": paths,
        "components": {
            "schemas": schemas["$defs"],
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"token": []}, {}],
    }


def _twin(screen: Screen[Any, Any], refs: dict[type[BaseModel], Any]) -> dict[str, Any]:
    answers = [400, 401, 403, 404, 421, 503] if screen.is_owners else [400, 401, 404, 421, 503]
    return {
        "summary": screen.summary,
        "parameters": _parameters(screen.query, screen.path),
        "responses": {"200": _answer("The view.", refs[screen.view]), **_problems(answers, refs)},
    }


def _parameters(query: type[BaseModel], path: str) -> list[dict[str, Any]]:
    schema = query.model_json_schema()
    in_path = set(re.findall(r"{(\w+)}", path))
    parameters = []
    for name, given in schema.get("properties", {}).items():
        one = {key: value for key, value in given.items() if key not in ("description", "title")}
        parameters.append(
            {
                "name": name,
                "in": "path" if name in in_path else "query",
                "required": name in in_path,
                "description": given.get("description", ""),
                "schema": one,
            }
        )
    return parameters


def _change(change: DescribedChange, refs: dict[type[BaseModel], Any]) -> dict[str, Any]:
    """An endpoint that changes something. Its form may be left out where no field is required."""
    required = bool(change.form.model_json_schema().get("required")) or change.form is SelectionForm
    content = {"application/x-www-form-urlencoded": {"schema": refs[change.form]}}
    listed = _parameters(change.query, change.path) if change.query is not None else []
    done = ("202", "The tasks.") if change.starts_tasks else ("200", "What was changed.")
    return {
        "summary": change.summary,
        "parameters": [one for one in listed if one["in"] == "path"],
        "requestBody": {"required": required, "content": content},
        "responses": {
            done[0]: _answer(done[1], refs[change.view]),
            **_problems([400, 401, 403, 404, 409, 413, 415, 421, 502, 503, 507], refs),
        },
    }


def _sessions(refs: dict[type[BaseModel], Any]) -> dict[str, Any]:
    """Login and logout, which are for browsers."""
    page = {"text/html": {"schema": {"type": "string"}}}
    token = {"type": "string", "maxLength": 200, "description": "A token of the server."}
    place = {"type": "string", "maxLength": 400, "description": "The page to go to."}
    csrf = {"type": "string", "maxLength": 200, "description": "The token of the session's forms."}

    def form(**fields: Any) -> dict[str, Any]:
        schema = {"type": "object", "properties": fields, "additionalProperties": False}
        return {"required": True, "content": {"application/x-www-form-urlencoded": {"schema": schema}}}

    moved = {"303": {"description": "Where to go."}}
    return {
        "/login": {
            "post": {
                "summary": "Begin a session of a browser.",
                "requestBody": form(token=token, next=place),
                "responses": {
                    **moved,
                    "401": {"description": "The token is wrong.", "content": page},
                    **_problems([400, 403, 413, 415, 421], refs),
                },
            }
        },
        "/logout": {
            "post": {
                "summary": "End a session of a browser.",
                "requestBody": form(csrf=csrf),
                "responses": {**moved, **_problems([400, 401, 403, 413, 415, 421], refs)},
            }
        },
    }


def _programs(refs: dict[type[BaseModel], Any]) -> dict[str, Any]:
    source = {"application/json": {"schema": refs[ConvertRequest]}}
    file = {"multipart/form-data": {"schema": _FILES}}
    converted = _answer("The document, or why it failed.", refs[ConvertResponse])
    started = _answer("The task.", refs[TaskStatus])
    refused = [400, 401, 403, 413, 415, 421, 422]
    read = _problems([400, 401, 403, 404, 421, 422], refs)

    def conversion(
        summary: str, content: dict[str, Any], answer: dict[str, Any], statuses: list[int]
    ) -> dict[str, Any]:
        body = {"required": True, "content": content}
        return {
            "post": {"summary": summary, "requestBody": body, "responses": {"200": answer, **_problems(statuses, refs)}}
        }

    return {
        "/v1/convert/source": conversion(
            "Convert one document, as docling-serve does; nothing is stored.", source, converted, refused
        ),
        "/v1/convert/file": conversion(
            "Convert one uploaded file, as docling-serve does; nothing is stored.", file, converted, refused
        ),
        "/v1/convert/source/async": conversion(
            "Convert one document in the background.", source, started, [*refused, 503]
        ),
        "/v1/convert/file/async": conversion(
            "Convert one uploaded file in the background.", file, started, [*refused, 503]
        ),
        "/v1/status/poll/{task_id}": {
            "get": {
                "summary": "How far a conversion in the background is.",
                "parameters": [_TASK_ID, _WAIT],
                "responses": {"200": started, **read},
            }
        },
        "/v1/result/{task_id}": {
            "get": {
                "summary": "The result of a conversion in the background.",
                "parameters": [_TASK_ID],
                "responses": {"200": converted, **read},
            }
        },
        "/upload": {
            "post": {
                "summary": "Ingest files in the background.",
                "requestBody": {"required": True, "content": {"multipart/form-data": {"schema": _FILES}}},
                "responses": {
                    "202": _answer("The tasks.", refs[TasksView]),
                    **_problems([400, 401, 403, 413, 415, 421, 503], refs),
                },
            }
        },
    }


def _answer(description: str, schema: Any) -> dict[str, Any]:
    return {"description": description, "content": {"application/json": {"schema": schema}}}


def _problems(statuses: Iterable[int], refs: dict[type[BaseModel], Any]) -> dict[str, Any]:
    content = {"application/problem+json": {"schema": refs[Problem]}}
    return {str(status): {"description": "A problem.", "content": content} for status in statuses}
