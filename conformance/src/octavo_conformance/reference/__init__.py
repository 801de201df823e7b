"""Plugins that keep to all of the contract: what the mutants are made from, and a model for authors."""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata, resources
from pathlib import Path

from octavo.plugins import Catalogue, PluginSelection, load_catalogue

REFERENCES = ("sheaf", "reader", "tagger", "judge", "sorter")
"""One for each hook: convert, ocr, extract_entities, score_quality, classify."""


@dataclass(frozen=True, kw_only=True)
class PluginText:
    """A plugin as text: its module and its manifest, whose `{name}` is filled in."""

    code: str
    manifest: str


def reference_text(name: str) -> PluginText:
    """The text of a reference plugin."""
    folder = resources.files(__package__)
    return PluginText(
        code=folder.joinpath(f"{name}.py").read_text(encoding="utf-8"),
        manifest=folder.joinpath(f"{name}.toml").read_text(encoding="utf-8"),
    )


def install(site: Path, name: str, text: PluginText) -> None:
    """Write a plugin into a folder as a real distribution: package, manifest, metadata, entry point."""
    package = f"octavo_{name.replace('-', '_')}"
    folder = site / package
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("", encoding="utf-8")
    (folder / "plugin.py").write_text(text.code, encoding="utf-8")
    (folder / "octavo-plugin.toml").write_text(text.manifest.replace("{name}", name), encoding="utf-8")
    facts = site / f"{package}-1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text(f"Metadata-Version: 2.1\nName: octavo-{name}\nVersion: 1.0\n", encoding="utf-8")
    (facts / "entry_points.txt").write_text(f"[octavo]\n{name} = {package}.plugin\n", encoding="utf-8")


@contextlib.contextmanager
def importable(site: Path) -> Iterator[None]:
    """Let this process, and the workers it starts, import from a folder while the block runs."""
    before = os.environ.get("PYTHONPATH")
    sys.path.insert(0, str(site))
    os.environ["PYTHONPATH"] = os.pathsep.join([str(site), *([before] if before else [])])
    importlib.invalidate_caches()
    try:
        yield
    finally:
        sys.path.remove(str(site))
        if before is None:
            del os.environ["PYTHONPATH"]
        else:
            os.environ["PYTHONPATH"] = before
        importlib.invalidate_caches()


def catalogue_of(site: Path) -> Catalogue:
    """The plugins installed in a folder, and no others; the folder must be importable."""
    points = [
        point
        for distribution in metadata.distributions(path=[str(site)])
        for point in distribution.entry_points
        if point.group == "octavo"
    ]
    return load_catalogue(PluginSelection(), entry_points=points)
