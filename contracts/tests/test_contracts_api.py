"""The public surface: what stands in `__all__`, what importing costs, what a plugin is marked with."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType

import octavo_contracts
import pluggy
import pytest
from octavo_contracts import (
    COMMAND_HELP_GROUP,
    COMMANDS_GROUP,
    CONTRACT_VERSION,
    FEATURES_GROUP,
    PROJECT_NAME,
    SERVICE_KINDS,
    DigestOutcome,
    ExtractedField,
    FetchResponse,
    HookContext,
    SearchHit,
    Span,
    Summary,
    VectorHit,
    hookimpl,
    host_accepts,
    manifest,
    parse_contract_version,
)

PUBLIC = {
    name
    for name in dir(octavo_contracts)
    if not name.startswith("_")
    and not isinstance(getattr(octavo_contracts, name), ModuleType)
    and name not in ("annotations", "TYPE_CHECKING")
}


def test_all_names_exactly_the_public_names() -> None:
    """A name is public because it stands in `__all__`, and everything in `__all__` is there."""
    assert set(octavo_contracts.__all__) == PUBLIC


def test_all_is_sorted_and_has_no_doubles() -> None:
    """Constants first, then classes, then functions, each in the order of their letters."""

    def key(name: str) -> tuple[int, str]:
        return (0 if name.isupper() else 1 if name[0].isupper() else 2, name)

    assert octavo_contracts.__all__ == sorted(set(octavo_contracts.__all__), key=key)


def test_importing_the_contracts_imports_no_engine_and_no_core() -> None:
    """Contracts import the standard library, pydantic and pluggy, and what those two need."""
    code = (
        "import sys; before = set(sys.modules); import octavo_contracts;"
        "print(*{name.partition('.')[0] for name in set(sys.modules) - before})"
    )
    output = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True).stdout
    allowed = {
        *("octavo_contracts", "pydantic", "pydantic_core", "pluggy"),
        *("annotated_types", "typing_extensions", "typing_inspection"),  # pydantic's own
    }
    foreign = {name for name in output.split() if not name.startswith("_sysconfigdata")}  # a platform's own name
    assert foreign - set(sys.stdlib_module_names) == allowed


def test_hookimpl_marks_for_the_project_of_the_entry_point_group() -> None:
    """A plugin marked here is found by a plugin manager of that name."""

    class Spec:
        @pluggy.HookspecMarker(PROJECT_NAME)
        def convert(self, source: str) -> str:  # type: ignore[empty-body]  # pluggy never calls a spec
            """A spec."""

    class Plugin:
        @hookimpl  # type: ignore[call-overload]  # a method: the hooks of plugins are functions
        def convert(self, source: str) -> str:
            return source.upper()

    manager = pluggy.PluginManager(PROJECT_NAME)
    manager.add_hookspecs(Spec)
    manager.register(Plugin())
    assert manager.hook.convert(source="a") == ["A"]
    assert f"{PROJECT_NAME}.features" == FEATURES_GROUP
    assert f"{PROJECT_NAME}.commands" == COMMANDS_GROUP
    assert f"{PROJECT_NAME}.command_help" == COMMAND_HELP_GROUP


def test_a_context_counts_down_to_its_deadline(tmp_path: Path) -> None:
    """`remaining` never falls below zero, so that it can be given to anything as a timeout."""
    ahead = HookContext(work_dir=tmp_path, deadline=time.monotonic() + 60)
    assert 50 < ahead.remaining() <= 60
    assert HookContext(work_dir=tmp_path, deadline=time.monotonic() - 1).remaining() == 0.0
    assert ahead.fetch is None


def test_values_of_services_compare_by_content() -> None:
    """What services return are frozen values with keyword arguments alone."""
    assert VectorHit(embedding_id="a", score=0.5) == VectorHit(embedding_id="a", score=0.5)
    assert Summary(text="s").method == "extractive"
    assert ExtractedField(value=3, span=Span(start=0, end=1), method="rule").confidence == 0.0
    assert SearchHit(url="u", title="t", snippet="s").score is None
    assert DigestOutcome(payload=None, status="skipped", reason="no_gain").details == {}
    with pytest.raises(AttributeError):
        FetchResponse(url="u", status=200, media_type="text/html", body=b"").status = 404  # type: ignore[misc]  # frozen is what is tested


def test_service_kinds_are_runtime_protocols() -> None:
    """The loader can tell an object that fulfils a service from one that does not."""

    class Hashing:
        model_id = "hash/1"

        def embed(self, texts: Sequence[str]) -> list[list[float]]:
            return [[1.0, 0.0] for _ in texts]

    class Memory:
        def add(self, items: Mapping[str, Sequence[float]]) -> None: ...

    assert list(SERVICE_KINDS) == sorted(SERVICE_KINDS) == list(manifest._SERVICE_KINDS)
    assert isinstance(Hashing(), SERVICE_KINDS["embedder"])
    assert not isinstance(Memory(), SERVICE_KINDS["vector_index"])


@pytest.mark.parametrize(
    ("plugin", "host", "accepted"),
    [
        ("1.0", "1.0", True),
        ("1.0", "1.4", True),
        ("1.4", "1.4", True),
        ("1.10", "1.9", False),
        ("1.5", "1.4", False),
        ("2.0", "1.9", False),
        ("1.0", "2.0", False),
        ("0.9", "1.0", False),
    ],
)
def test_a_host_accepts_its_own_major_and_no_newer_minor(plugin: str, host: str, *, accepted: bool) -> None:
    """A plugin may rely on everything that its minor knows; an older host does not have it."""
    assert host_accepts(plugin, host) is accepted


def test_a_plugin_of_this_contract_is_accepted_by_default() -> None:
    """The host's version stands in one place."""
    assert host_accepts(CONTRACT_VERSION)


@pytest.mark.parametrize("text", ["", "1", "1.", ".1", "1.0.0", "v1.0", "1.x", "-1.0", "1 .0", "one.two"])
def test_a_malformed_contract_version_is_refused_with_an_example(text: str) -> None:
    """The message shows the form that is wanted."""
    with pytest.raises(ValueError, match=r"MAJOR\.MINOR, for example '1\.0'"):
        parse_contract_version(text)
