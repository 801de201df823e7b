"""Writes plugins into a folder as installed distributions, which hosts find by their entry points.

with plugin_folder(tmp_path / "site") as install:
    install("echo", TEXT_CONVERTER, media_types=["text/plain"])
    ...  # a host in this process, or in one that it starts, now finds the plugin `echo`
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from octavo_contracts import MANIFEST_NAME

InstallPlugin = Callable[..., Path]
"""`install_plugin` without its first argument."""

TEXT_CONVERTER = """\
from octavo_contracts import Conversion, Page, hookimpl

@hookimpl
def convert(source):
    return Conversion(pages=(Page(number=1, kind="whole", markdown=source.read_bytes().decode()),), paginated=False)
"""
"""The code of a working converter: the document's bytes as UTF-8, on one page of kind `whole`."""


def install_plugin(
    site: Path,
    name: str,
    code: str,
    *,
    version: str = "1.2",
    entry_name: str | None = None,
    manifest: str | None = None,
    more: str = "",
    **fields: object,
) -> Path:
    """Write a plugin as an installed distribution: package, manifest, metadata, entry point.

    Args:
        site: the folder, used like `site-packages`; created if it does not exist.
        name: the plugin's name. The distribution is `octavo-NAME`, the package `octavo_NAME`.
        code: source of the package's module `plugin`.
        version: the distribution's version.
        entry_name: the name of the entry point; default: the plugin's name.
        manifest: the text of the manifest; default: generated from `fields`.
        more: TOML after the fields of the table `[plugin]`, for example a further table.
        fields: fields of the manifest's table `[plugin]`. The defaults declare a converter of text/plain with priority 99
            for contract 1.0.

    Returns:
        The folder of the package.
    """
    package = f"octavo_{name.replace('-', '_')}"
    folder = site / package
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("", encoding="utf-8")
    (folder / "plugin.py").write_text(code, encoding="utf-8")
    text = manifest_text(name, more=more, **fields) if manifest is None else manifest
    (folder / MANIFEST_NAME).write_text(text, encoding="utf-8")
    info = site / f"{package}-{version}.dist-info"
    info.mkdir()
    metadata = f"Metadata-Version: 2.1\nName: octavo-{name}\nVersion: {version}\n"
    (info / "METADATA").write_text(metadata, encoding="utf-8")
    entry = f"[octavo]\n{entry_name or name} = {package}.plugin\n"
    (info / "entry_points.txt").write_text(entry, encoding="utf-8")
    importlib.invalidate_caches()
    return folder


def manifest_text(name: str, *, more: str = "", **fields: object) -> str:
    """Return the text of a manifest; see `install_plugin`. Fields are not checked, so that a test can write invalid ones."""
    table: dict[str, object] = {
        "name": name,
        "contract": "1.0",
        "description": "A plugin of the tests.",
        "hooks": ["convert"],
        "media_types": ["text/plain"],
        "priority": 99,
        **fields,
    }
    # Strings, numbers, booleans and lists of them have the same syntax in TOML and JSON.
    lines = "".join(f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in table.items())
    return f'[plugin]\n{lines}{more}\n[plugin.engine]\nlicence = "Apache-2.0"\n'


@contextmanager
def plugin_folder(site: Path) -> Iterator[InstallPlugin]:
    """Create a folder of plugins; this process and its child processes import from it while the block runs.

    Args:
        site: the folder to create.

    Yields:
        `install_plugin` for that folder. The plugins' packages are removed from `sys.modules` at the end of the block.
    """
    site.mkdir(parents=True)
    made: list[str] = []

    def install(name: str, code: str, **options: object) -> Path:
        folder = install_plugin(site, name, code, **options)  # type: ignore[arg-type] # its own options
        made.append(folder.name)
        return folder

    try:
        with importable(site):
            yield install
    finally:
        for module in [module for module in sys.modules if module.partition(".")[0] in made]:
            del sys.modules[module]


@contextmanager
def importable(site: Path) -> Iterator[None]:
    """Let this process and its child processes import from a folder while the block runs."""
    before = os.environ.get("PYTHONPATH")
    sys.path.insert(0, str(site))
    os.environ["PYTHONPATH"] = os.pathsep.join([str(site), *([before] if before else [])])
    importlib.invalidate_caches()
    try:
        yield
    finally:
        sys.path.remove(str(site))
        if before is None:
            os.environ.pop("PYTHONPATH", None)
        else:
            os.environ["PYTHONPATH"] = before
        importlib.invalidate_caches()
