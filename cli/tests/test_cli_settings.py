"""`octavo settings`, and that every command goes by what it shows."""

from __future__ import annotations

from pathlib import Path

import pytest
from octavo.settings.sources import keys
from octavo_contracts import ExitCode


def test_every_setting_is_shown_with_its_value(octavo):
    ended = octavo("settings")
    assert ended.code == 0
    assert [key.name for key in keys() if f"{key.name} " not in ended.out] == []
    assert "OCTAVO_WORKERS" not in ended.out


def test_sources_say_where_each_value_comes_from(octavo, tmp_path: Path, monkeypatch):
    (tmp_path / "octavo.toml").write_text("[limits]\nwall_seconds = 7\n")
    monkeypatch.setenv("OCTAVO_WORKERS", "3")
    monkeypatch.setenv("OCTAVO_WRKERS", "3")
    ended = octavo("settings", "--sources", "--library", "there", "--index", "postgresql://keeper:pier@127.0.0.1/tides")
    lines = {line.split()[0]: line for line in ended.out.splitlines() if line}
    assert f"project file {tmp_path / 'octavo.toml'}" in lines["limits.wall_seconds"]
    assert "environment OCTAVO_WORKERS" in lines["workers"]
    assert "flag --library" in lines["library"]
    assert "flag --index" in lines["index"]
    assert "pier" not in ended.out
    assert "default" in lines["profile"]
    assert "variable OCTAVO_WRKERS" in ended.stderr


def test_json_has_the_same_and_no_secret(octavo, monkeypatch):
    monkeypatch.setenv("OCTAVO_PASSWORD", "Old Pier 9")
    monkeypatch.setenv("OCTAVO_PLUGINS", "pdfium,calamine")
    ended = octavo("settings", "--json", "--sources")
    rows = {row["key"]: row for row in ended.json["settings"]}
    assert rows["password"]["value"] == "**********"
    assert "Pier" not in ended.out
    assert rows["plugins.allow"] == {
        "key": "plugins.allow",
        "value": ["calamine", "pdfium"],
        "default": None,
        "variable": "OCTAVO_PLUGINS",
        "layer": "environment",
        "origin": "OCTAVO_PLUGINS",
    }
    assert ended.json["files"] == []


def test_a_bad_file_stops_every_command_with_code_2(octavo, tmp_path: Path):
    (tmp_path / "octavo.toml").write_text("workers = 0\n")
    for arguments in (("settings",), ("ingest", "x"), ("list",), ("doctor",), ("convert", "x")):
        ended = octavo(*arguments)
        assert ended.code == ExitCode.USAGE
        assert ended.stderr.startswith(f"octavo: {tmp_path / 'octavo.toml'}: `workers` cannot be 0: input should be")


def test_a_mistyped_variable_of_a_table_stops_every_command_with_code_2(octavo, monkeypatch):
    monkeypatch.setenv("OCTAVO_OBJECTS__ORIGINAL", "stored")
    for arguments in (("settings",), ("ingest", "x"), ("submit", "x"), ("list",), ("doctor",), ("convert", "x")):
        ended = octavo(*arguments)
        assert ended.code == ExitCode.USAGE
        first, remedy = ended.stderr.splitlines()
        assert first == "octavo: the variable OCTAVO_OBJECTS__ORIGINAL matches no setting [usage]"
        assert remedy.startswith("  Did you mean OCTAVO_OBJECTS__ORIGINALS? Allowed: OCTAVO_OBJECTS__ORIGINALS, ")


def test_a_variable_of_something_else_stops_no_command(octavo, monkeypatch):
    """Kubernetes names variables after services."""
    monkeypatch.setenv("OCTAVO_WEB_SERVICE_HOST", "10.0.0.1")
    monkeypatch.setenv("OCTAVO_NOTHING__EMPTY", "")
    ended = octavo("settings")
    assert ended.code == ExitCode.OK
    assert "variable OCTAVO_WEB_SERVICE_HOST matches no setting" in ended.stderr


def test_commands_go_by_the_file(octavo, tmp_path: Path):
    (tmp_path / "octavo.toml").write_text('library = "kept"\nmax_pages = 50\n[plugins]\nblock = ["plaintext"]\n')
    (tmp_path / "note.txt").write_text("The tide turned.")
    ended = octavo("ingest", "note.txt", "--json")
    assert (tmp_path / "kept" / "index.sqlite").is_file()
    assert ended.json["documents"][0]["result"]["quality_report"]["selected_tool"] != "plaintext"
    assert octavo("list", "--json").json["documents"]


@pytest.mark.parametrize(("name", "value"), [("OCTAVO_OBJECTS__TIMEOUT", "5s"), ("OCTAVO_OBJECTS__CACHE_BYTES", "4Gi")])
def test_a_number_with_a_unit_is_refused_with_the_unit_that_is_meant(octavo, monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    ended = octavo("list")
    assert ended.code == ExitCode.USAGE
    assert f"cannot be '{value}'" in ended.stderr
    assert "Give a number without a unit: a time in seconds, a size in bytes" in ended.stderr


def test_the_library_is_told_after_the_plugins(octavo):
    """Their list is long, and what concerns the library alone was above it."""
    lines = octavo("doctor").out.splitlines()
    library = next(number for number, line in enumerate(lines) if line.startswith("Library: "))
    assert len(lines) - library <= 4
