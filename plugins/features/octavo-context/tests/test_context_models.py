"""The registry of models is data that the user can replace (CTX-5)."""

from __future__ import annotations

from pathlib import Path

import pytest
from octavo_context import UNKNOWN, ModelRegistry
from octavo_contracts import UsageError


def test_shipped_models_are_found_by_name() -> None:
    registry = ModelRegistry()
    sonnet = registry.get("anthropic/Claude-Sonnet-4-5-20250929")
    assert (sonnet.provider, sonnet.native_pdf, sonnet.caching, sonnet.max_pdf_pages) == (
        "anthropic",
        True,
        "breakpoints",
        600,
    )
    assert sonnet.cost(1_000_000) == 3.0
    assert sonnet.cost(1_000_000, cache="read") == 0.3
    assert not registry.get("gemini-2.5-pro").caches
    assert not registry.get("deepseek-chat").native_pdf
    assert registry.get("qwen2.5-vl-72b").vision
    assert not registry.get("qwen3-8b").vision


def test_an_unknown_model_gets_text_and_has_no_price() -> None:
    registry = ModelRegistry()
    assert registry.get("nobody-knows-it") is UNKNOWN
    assert not registry.knows("nobody-knows-it")
    assert (UNKNOWN.native_pdf, UNKNOWN.vision, UNKNOWN.caches, UNKNOWN.cost(1000)) == (False, False, False, None)


def test_a_user_file_adds_replaces_and_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "models.toml"
    path.write_text('format = 1\n[[models]]\npattern = "House-*"\nwindow = 9000\n')
    registry = ModelRegistry(path)
    assert registry.get("house-7b").window == 9000
    assert registry.get("claude-opus-4-1").provider == "anthropic"
    path.write_text(
        'format = 1\n[[models]]\npattern = "house-*"\nwindow = 8000\n[[models]]\npattern = "claude-opus-4*"\nwindow = 7000\n'
    )
    assert registry.get("house-7b").window == 9000
    registry.refresh()
    assert (registry.get("house-7b").window, registry.get("claude-opus-4-1").window) == (8000, 7000)
    assert registry.get("claude-opus-4-1").provider is None


def test_a_user_file_may_be_json(tmp_path: Path) -> None:
    path = tmp_path / "models.json"
    path.write_text('{"format": 1, "models": [{"pattern": "house", "price": {"input": 2.0}}]}')
    assert ModelRegistry(path).get("house").cost(500_000) == 1.0


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.toml", "format = 2", "is not a model file"),
        ("a.toml", "models = ", "is not valid TOML"),
        ("a.json", "{", "is not valid JSON"),
        ("a.toml", 'format = 1\n[[models]]\npattern = "a"\nwindow = 0', r"models\.0\.window"),
        ("a.toml", 'format = 1\n[[models]]\npattern = "a"\nspeed = 3', r"models\.0\.speed"),
    ],
)
def test_a_file_that_says_nothing_useful_is_named(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(UsageError, match=message):
        ModelRegistry(tmp_path / name)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read: No such file"):
        ModelRegistry(tmp_path / "none.toml")
