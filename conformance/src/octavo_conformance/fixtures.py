"""Pytest fixtures for the tests of plugins.

A project enables them in its top-level `conftest.py`:

    pytest_plugins = ["octavo_conformance.fixtures"]

pytest accepts that line in a top-level `conftest.py` only; `-p octavo_conformance.fixtures` on the command line has the
same effect. The module is not a pytest entry point: a run that does not name it gets none of its fixtures and imports
nothing. That is why the names can be short. A fixture of the same name in a conftest or a test module takes precedence.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from octavo_contracts import FileSource, HookContext

from .hook_calls import hook_context, source_of
from .plugin_folder import TEXT_CONVERTER, InstallPlugin, plugin_folder

if TYPE_CHECKING:
    from octavo.runtime import Runtime


@pytest.fixture
def context(tmp_path: Path) -> HookContext:
    """A hook's context with an empty work folder and a deadline in one minute."""
    return hook_context(tmp_path)


@pytest.fixture
def source(tmp_path: Path) -> Callable[..., FileSource]:
    """`source(data, media_type="text/csv", name="a.csv")`: creates a source over a new file."""

    def make(data: bytes | str, *, media_type: str, name: str = "document") -> FileSource:
        return source_of(data, tmp_path, media_type=media_type, name=name)

    return make


@pytest.fixture
def make_plugin(tmp_path: Path) -> Iterator[InstallPlugin]:
    """`make_plugin("mine", code, hooks=["convert"])`: installs a plugin for the test; see `plugin_folder`."""
    with plugin_folder(tmp_path / "site") as install:
        yield install


@pytest.fixture(scope="module")
def make_lasting_plugin(tmp_path_factory: pytest.TempPathFactory) -> Iterator[InstallPlugin]:
    """Like `make_plugin`, but for all tests of a module, which can then share a runtime."""
    with plugin_folder(tmp_path_factory.mktemp("plugins") / "site") as install:
        yield install


@pytest.fixture
def good_plugin() -> str:
    """The code of a working converter: `octavo_conformance.plugin_folder.TEXT_CONVERTER`."""
    return TEXT_CONVERTER


@pytest.fixture
def runtime() -> Iterator[Runtime]:
    """A runtime with one worker and the plugins installed by the test."""
    from octavo.runtime import Runtime
    from octavo.settings.settings import Settings

    with Runtime(Settings(workers=1)) as made:
        yield made


@pytest.fixture(scope="session")
def corpus(pytestconfig: pytest.Config) -> Path:
    """The folder of a corpus of real documents with its `manifest.json`; the test is skipped if there is none.

    The environment variable OCTAVO_CORPUS names the folder; the default is `shared/corpus/dev` beside pytest's root
    folder.
    """
    beside = pytestconfig.rootpath.parent / "shared" / "corpus" / "dev"
    for candidate in (os.environ.get("OCTAVO_CORPUS"), beside):
        if candidate and (Path(candidate) / "manifest.json").is_file():
            return Path(candidate)
    pytest.skip("no corpus found: set OCTAVO_CORPUS, or put the corpus beside the checkout")
