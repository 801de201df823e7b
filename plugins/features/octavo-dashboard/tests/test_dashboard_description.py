"""The description of the API: every endpoint that changes something is in it, and it holds for requests made from it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable
from octavo import Settings
from octavo_dashboard import make_app
from octavo_dashboard.application import description
from octavo_library import Library
from starlette.routing import Route
from starlette.testclient import TestClient
from web_clients import SAMPLES, URL

schemathesis: Any = pytest.importorskip(
    "schemathesis", reason="schemathesis is not installed: pip install schemathesis"
)
checks: Any = pytest.importorskip("schemathesis.checks")

EXAMPLES = 2
"""Requests for each operation, in each of two modes. `tests/benchmarks/web/faults.py` sends 1,000 and more."""
CHECKS = [
    checks.not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
]


def test_every_change_is_described_with_its_form(library: Library) -> None:
    posts = {
        route.path: route
        for route in make_app(library).routes
        if isinstance(route, Route) and "POST" in (route.methods or ())
    }
    described = {path: one["post"] for path, one in description()["paths"].items() if "post" in one}
    assert set(posts) == set(described)
    for path, operation in described.items():
        assert operation["summary"].endswith("."), path
        assert operation["requestBody"]["content"], path
        named = {one["name"] for one in operation.get("parameters", ()) if one["in"] == "path"}
        assert named == set(posts[path].param_convertors), path


@pytest.fixture(scope="module")
def attacked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    folder = tmp_path_factory.mktemp("attacked")
    with Library.open(folder / "library", settings=Settings(sampling=False, workers=1)) as opened:
        opened.ingest(SAMPLES / "field-notes.md", corpus="case")
        yield opened


@pytest.mark.slow
def test_answers_to_allowed_and_malformed_requests_are_described(attacked: Library) -> None:
    """No error of the server, no answer that the description does not have, and the server answers on."""
    app = make_app(attacked)
    schema = schemathesis.openapi.from_dict(description())
    schema.app = app
    sent = 0
    with TestClient(app, base_url=URL, follow_redirects=False, raise_server_exceptions=False) as client:
        for found in schema.get_all_operations():
            operation = found.ok()
            for mode in (schemathesis.GenerationMode.POSITIVE, schemathesis.GenerationMode.NEGATIVE):

                @settings(
                    max_examples=EXAMPLES, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
                )
                @given(case=operation.as_strategy(generation_mode=mode))
                def ask(case: schemathesis.Case) -> None:
                    nonlocal sent
                    sent += 1
                    case.call_and_validate(base_url=URL, checks=CHECKS)

                with suppress(Unsatisfiable):  # nothing is malformed about an operation without parameters
                    ask()
        assert client.get("/health").status_code == 200
    assert sent >= 100
