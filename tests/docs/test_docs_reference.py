"""The reference says what the code says."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest
import reference
from octavo import hookspecs
from octavo.formats import FORMATS
from octavo.settings.sources.keys import keys, mappings
from octavo_cli.app import COMMANDS
from octavo_contracts import REASONS, Capability, DegradedFlag, ExitCode, IngestionResult

PAGES = reference.pages()


def generated(name: str) -> str:
    return PAGES[name]


@pytest.mark.parametrize("name", sorted(PAGES))
def test_a_committed_page_is_what_the_code_makes(name: str, docs: Path) -> None:
    """Run `python tests/docs/reference.py` and read the difference."""
    assert (docs / "reference" / name).read_text(encoding="utf-8") == generated(name)


def test_pages_are_the_same_each_time() -> None:
    assert reference.pages() == PAGES


def test_every_hook_has_a_heading_equal_to_its_signature(docs: Path) -> None:
    """A hook without documentation, or with that of an older signature, fails here."""
    specified = [name for name, item in vars(hookspecs).items() if hasattr(item, "octavo_spec")]
    headings = re.findall(r"^## `(.+)`$", (docs / "reference" / "hooks.md").read_text(encoding="utf-8"), re.MULTILINE)

    expected = [f"{name}({', '.join(inspect.signature(getattr(hookspecs, name)).parameters)})" for name in specified]

    assert sorted(headings) == sorted(expected)
    assert "convert(source, request, context)" in headings


def test_every_hook_that_is_specified_is_called() -> None:
    """A hook that nothing calls must not read as if something did; what each call does, `plugins/features/octavo-library/tests/hooks` shows."""
    homes = (reference.ROOT / "core", reference.ROOT / "plugins" / "features" / "octavo-library")
    sources = [path for home in homes for path in (home / "src").rglob("*.py")]

    called = {name for path in sources for name in re.findall(r'\bhook="(\w+)"', path.read_text(encoding="utf-8"))}

    assert called == set(reference.HOOK_NAMES)


def test_every_reason_flag_and_exit_code_is_listed() -> None:
    page = generated("reasons.md")

    for reason in REASONS:
        assert f"| `{reason}` |" in page
    for flag in DegradedFlag:
        assert f"| `{flag}` |" in page
    for code in ExitCode:
        assert f"| {code.value} |" in page


def test_every_setting_is_listed(docs: Path) -> None:
    """By the last part of its key; entries of a mapping are in the default of the mapping."""
    page = (docs / "reference" / "limits.md").read_text(encoding="utf-8")
    entries = {f"{name}.{entry}" for name, found in mappings().items() for entry in found}
    missing = [
        key.name for key in keys() if key.name not in entries and f"| `{key.name.rpartition('.')[2]}` |" not in page
    ]
    assert missing == []


def test_every_command_format_and_capability_is_listed() -> None:
    for name in COMMANDS:
        assert f"## octavo {name}\n" in generated("cli.md")
    for row in FORMATS:
        assert f"| `{row.media_type}` |" in generated("formats.md")
    for capability in Capability:
        assert f"| `{capability}` |" in generated("engines.md")


def test_every_field_of_a_result_is_described() -> None:
    page = generated("schemas.md").partition("### IngestionResult")[2].partition("###")[0]

    for name, field in IngestionResult.model_fields.items():
        assert f"| `{name}` |" in page
        assert field.description


def test_every_engine_of_the_repository_has_its_section() -> None:
    folders = sorted(path.parent.name for path in (reference.ROOT / "plugins" / "engines").glob("*/pyproject.toml"))

    for folder in folders:
        assert f"\n## {folder.removeprefix('octavo-')}\n" in generated("engines.md")


def test_the_switch_names_the_pages_that_differ(monkeypatch: pytest.MonkeyPatch, capsys, tmp_path: Path) -> None:
    monkeypatch.setattr(reference, "FOLDER", tmp_path)

    assert reference.main([]) == 0
    assert reference.main(["--check"]) == 0
    (tmp_path / "hooks.md").write_text("older", encoding="utf-8")
    capsys.readouterr()

    assert reference.main(["--check"]) == 1
    assert capsys.readouterr().out == "docs/reference/hooks.md differs from the code\n"
    assert (tmp_path / "hooks.md").read_text(encoding="utf-8") == "older"
