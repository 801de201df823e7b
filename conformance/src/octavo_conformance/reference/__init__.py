"""Reference plugins that follow the whole contract: the base of the mutants, and examples for authors."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import metadata, resources
from pathlib import Path

from octavo.plugins import Catalogue, PluginSelection, load_catalogue

from ..plugin_folder import install_plugin

REFERENCES = ("sheaf", "reader", "tagger", "judge", "sorter", "steward")
"""One for each hook: convert, ocr, extract_entities, score_quality, classify; and one for all kinds of services."""


@dataclass(frozen=True, kw_only=True)
class PluginText:
    """A plugin as text: its module and its manifest, with `{name}` as placeholder."""

    code: str
    manifest: str


def reference_text(name: str) -> PluginText:
    """Return the text of a reference plugin."""
    folder = resources.files(__package__)
    return PluginText(
        code=folder.joinpath(f"{name}.py").read_text(encoding="utf-8"),
        manifest=folder.joinpath(f"{name}.toml").read_text(encoding="utf-8"),
    )


def install(site: Path, name: str, text: PluginText) -> None:
    """Write a plugin into a folder as an installed distribution; see `install_plugin`."""
    install_plugin(
        site,
        name,
        text.code,
        manifest=text.manifest.replace("{name}", name).replace("{package}", name.replace("-", "_")),
        version="1.0",
    )


def catalogue_of(site: Path) -> Catalogue:
    """Return a catalogue of only the plugins installed in a folder; the folder must be importable."""
    points = [
        point
        for distribution in metadata.distributions(path=[str(site)])
        for point in distribution.entry_points
        if point.group == "octavo"
    ]
    return load_catalogue(PluginSelection(), entry_points=points)
