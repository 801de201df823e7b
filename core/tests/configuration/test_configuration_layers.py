"""Settings come from flags, variables and files, the stronger first; what is not allowed is named with its place."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from octavo import Settings
from octavo.settings.sources import Origin, keys, load_settings, project_file, user_file
from octavo.settings.sources.files import is_trusted, library_folder
from octavo.settings.sources.keys import parts
from octavo_contracts import ExitCode, UsageError
from pydantic import SecretStr


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty project folder as the working folder, and a user without settings of their own."""
    for name in [name for name in os.environ if name.startswith("OCTAVO_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def user(project: Path) -> Callable[[str], Path]:
    def write(text: str) -> Path:
        path = user_file()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    return write


def write(folder: Path, text: str) -> Path:
    path = folder / "octavo.toml"
    path.write_text(text)
    return path


def refusal(**more: object) -> str:
    with pytest.raises(UsageError) as caught:
        load_settings(**more)  # type: ignore[arg-type]  # tests pass load_settings' own arguments
    assert caught.value.exit_code is ExitCode.USAGE
    return str(caught.value)


def test_without_files_and_variables_everything_is_the_default(project):
    loaded = load_settings()
    assert loaded.settings == Settings()
    assert set(loaded.origins.values()) == {Origin(layer="default")}
    assert (loaded.files, loaded.unknown) == ((), ())


def test_each_layer_is_stronger_than_the_next(project, user, monkeypatch):
    own = user("workers = 1\n")
    assert load_settings().origins["workers"] == Origin(layer="user file", name=str(own))
    theirs = write(project, "workers = 2\n")
    assert load_settings().origins["workers"] == Origin(layer="project file", name=str(theirs))
    monkeypatch.setenv("OCTAVO_WORKERS", "3")
    assert load_settings().origins["workers"] == Origin(layer="environment", name="OCTAVO_WORKERS")
    loaded = load_settings(flags={"workers": 4, "profile": None})
    assert loaded.settings.workers == 4
    assert loaded.origins["workers"] == Origin(layer="flag", name="--workers")
    assert loaded.files == (theirs, own)


_LAYERS = ("user file", "project file", "environment", "flag")
_VALUE = st.one_of(st.none(), st.integers(1, 9))


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    layers=st.lists(st.tuples(_VALUE, _VALUE), min_size=4, max_size=4),
)
def test_a_value_is_that_of_the_strongest_layer_that_has_one(project, user, layers):
    """Two values of one table are set in any of the layers: each comes from the strongest, whatever the other does."""
    names = ("limits.memory_mb", "limits.temp_files")
    with pytest.MonkeyPatch.context() as patch:
        texts = [
            "[limits]\n" + "".join(f"{n.partition('.')[2]} = {v}\n" for n, v in zip(names, layer, strict=True) if v)
            for layer in layers[:2]
        ]
        user(texts[0])
        write(project, texts[1])
        for name, value in zip(names, layers[2], strict=True):
            if value:
                patch.setenv("OCTAVO_" + name.upper().replace(".", "__"), str(value))
        loaded = load_settings(flags=dict(zip(names, layers[3], strict=True)))
    for place, name in enumerate(names):
        given_by = [(layer, value[place]) for layer, value in zip(_LAYERS, layers, strict=True) if value[place]]
        layer, value = given_by[-1] if given_by else ("default", next(k.default for k in keys() if k.name == name))
        assert (loaded.values[name], loaded.origins[name].layer) == (value, layer)
        assert getattr(loaded.settings.limits, name.partition(".")[2]) == value


def test_the_project_file_is_the_nearest_one_above(project, monkeypatch):
    above = write(project, "workers = 2\n")
    below = project / "a" / "b"
    below.mkdir(parents=True)
    assert project_file(below) == above
    nearer = write(below.parent, "workers = 3\n")
    monkeypatch.chdir(below)
    assert load_settings().files == (nearer,)


def test_a_file_of_another_user_is_passed_over(project, monkeypatch):
    path = write(project, "require_sandbox = false\n")
    monkeypatch.setattr(os, "getuid", lambda: path.stat().st_uid + 1)
    assert is_trusted(path) is (path.stat().st_uid == 0)
    monkeypatch.delattr(os, "getuid")
    assert is_trusted(path)


def test_variables_are_read_as_what_is_wanted(project, monkeypatch):
    for name, value in (
        ("OCTAVO_LIMITS__WALL_SECONDS", "2.5"),
        ("OCTAVO_REQUIRE_SANDBOX", "1"),
        ("OCTAVO_PLUGINS", "pdfium, plaintext"),
        ("OCTAVO_BLOCK", "markitdown"),
        ("OCTAVO_STRICT_PLUGINS", "1"),
        ("OCTAVO_WORKERS", ""),
    ):
        monkeypatch.setenv(name, value)
    made = load_settings().settings
    assert (made.limits.wall_seconds, made.require_sandbox, made.workers) == (2.5, True, None)
    assert made.plugins is not None
    assert (made.plugins.allow, made.plugins.block, made.plugins.strict) == (
        frozenset({"pdfium", "plaintext"}),
        frozenset({"markitdown"}),
        True,
    )


def test_a_variable_that_sets_nothing_is_told(project, monkeypatch):
    monkeypatch.setenv("OCTAVO_WRKERS", "3")
    assert load_settings().unknown == ("OCTAVO_WRKERS",)


def test_paths_in_a_file_count_from_its_folder(project, monkeypatch):
    write(project, 'library = "kept"\nprofile = "mine.toml"\n')
    inner = project / "inner"
    inner.mkdir()
    monkeypatch.chdir(inner)
    made = load_settings().settings
    assert (made.library, made.profile) == (str(project / "kept"), str(project / "mine.toml"))
    assert library_folder() == str(project / "kept")


def test_the_url_of_a_library_stays_as_it_is(project):
    write(project, 'library = "s3://papers/library"\n')
    assert load_settings().settings.library == library_folder() == "s3://papers/library"


def test_no_file_names_a_library(project):
    assert library_folder() is None
    write(project, "library = [")
    assert library_folder() is None


def test_chunk_sizes_and_the_name_of_the_chunk_set_follow_from_each_other(project):
    """Sets are kept by name (STO-7): other sizes under the old name would mix."""
    write(project, "[chunking]\ntarget = 450\n")
    assert load_settings().settings.chunking.version == "fixed-450-500-50"
    assert load_settings().origins["chunking.version"].layer == "project file"
    write(project, '[chunking]\nversion = "fixed-300-400-20"\n')
    made = load_settings().settings.chunking
    assert (made.target, made.maximum, made.minimum) == (300, 400, 20)
    write(project, '[chunking]\nversion = "fixed-300-400-20"\ntarget = 301\n')
    assert "the sizes belong to fixed-301-500-50" in refusal()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('workers = "two"', ["`workers`", "'two'", "valid integer"]),
        ("workers = 0", ["`workers`", "greater than or equal to 1"]),
        ("workers = true", ["`workers`", "valid integer"]),
        ("wrkers = 2", ["unknown setting 'wrkers'", "Did you mean workers?", "profile"]),
        ("[limits]\nwall = 2", ["unknown setting 'limits.wall'", "limits.wall_seconds", "limits.memory_mb"]),
        ("limits = 3", ["'limits' is a table", "[limits]"]),
        ("workers = = 2", ["invalid TOML", "line 1"]),
        ("profile = 2026-11-22", ["`profile`", "date"]),
        ("[chunking]\nminimum = 600", ["[chunking]", "minimum <= target"]),
        ("[limits]\nwall_seconds = -1", ["[limits]", "positive"]),
        ("password = 3", ["`password`", "its value"]),
    ],
)
def test_what_a_file_may_not_say_is_named_with_file_key_and_what_is_allowed(project, text, words):
    path = write(project, text)
    message = refusal()
    assert str(path) in message
    assert [word for word in words if word not in message] == []


def test_what_a_variable_or_flag_may_not_say_is_named(project, monkeypatch):
    assert refusal(flags={"workers": "x"}).startswith("`workers` (--workers) cannot be 'x'")
    monkeypatch.setenv("OCTAVO_WORKERS", "x")
    assert refusal().startswith("OCTAVO_WORKERS: `workers` cannot be 'x': input should be a valid integer")
    monkeypatch.setenv("OCTAVO_LIMITS", "x")
    assert "JSON object" in refusal()


def test_a_file_that_can_not_be_read_is_named(project):
    path = write(project, "workers = 2")
    path.write_bytes(b"\xff\xfe")
    assert "invalid TOML" in refusal()


def test_entries_of_a_mapping_are_settings_of_their_own(project, monkeypatch):
    write(project, "[engine.pools]\nocr = 1\n")
    monkeypatch.setenv("OCTAVO_ENGINE__POOLS__CONVERT", "3")
    pools = load_settings().settings.engine.pools
    assert (pools["ocr"], pools["convert"], pools["entities"]) == (1, 3, 8)
    assert load_settings().origins["engine.pools.ocr"].layer == "project file"
    write(project, "[engine.pools]\nocrs = 1\n")
    assert "Did you mean engine.pools.ocr?" in refusal()


@pytest.mark.parametrize("gone", ["chunk", "summarise"])
def test_a_pool_that_no_work_enters_is_no_setting(project, gone):
    write(project, f"[engine.pools]\n{gone} = 1\n")
    said = refusal()
    assert f"unknown setting 'engine.pools.{gone}'" in said
    for left in ("convert", "convert_heavy", "ocr", "entities", "index_write"):
        assert f"engine.pools.{left}" in said


def test_a_secret_is_never_shown(project):
    write(project, 'password = "Old Pier 9"\n')
    loaded = load_settings()
    assert loaded.settings.password == SecretStr("Old Pier 9")
    assert "Old Pier" not in repr(loaded) + str(loaded.settings)


def test_every_field_of_every_part_is_a_key():
    """A setting that is added to `Settings` can be set everywhere at once."""
    assert {"", "limits", "thresholds", "chunking", "plugins", "engine", "engine.care", "log", "watch"} <= set(parts())
    assert len({key.variable for key in keys()}) == len(keys())


def test_a_secret_that_is_given_as_plain_text_is_kept_like_one() -> None:
    settings = Settings(password="Old Pier 9", index="postgresql://host/db")  # type: ignore[arg-type]  # what a caller without a type checker writes
    assert (settings.password, settings.index) == (SecretStr("Old Pier 9"), SecretStr("postgresql://host/db"))
    assert "Pier" not in repr(settings)
    assert (settings.password_for(None), settings.password_for("other")) == ("Old Pier 9", "other")
    with pytest.raises(UsageError, match="password must be a string, got int"):
        Settings(password=9)  # type: ignore[arg-type]  # what is refused
