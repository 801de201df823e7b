"""Finds the weights of the layout and table models in the configured folder; never downloads them."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Final

from octavo_contracts import ToolUnavailable

LAYOUT: Final = "docling-project--docling-layout-heron"
LAYOUT_FILES: Final = ("config.json", "preprocessor_config.json", "model.safetensors")
TABLES: Final = "docling-project--docling-models"
TABLE_CONFIG: Final = "model_artifacts/tableformer/accurate/tm_config.json"

RUNTIME: Final = ("torch", "torchvision", "transformers")
"""What Docling loads the layout model with; looked for, not imported."""

INSTALL_MODELS: Final = "Run: pip install 'octavo-docling[models]'"
REMEDY: Final = (
    "Run `docling-tools models download layout tableformer -o FOLDER` on a machine with a network, install "
    "'octavo-docling[models]', and give FOLDER as the setting layout.model; office documents and web pages need no weights"
)


def layout_folder(asked: object) -> Path:
    """The folder of the weights; nothing is imported to find it.

    Args:
        asked: the option `model`, or None where none is set.

    Raises:
        ToolUnavailable: none is set, what runs the model is not installed, the folder cannot be read, or it lacks a file.
    """
    if asked is None:
        raise ToolUnavailable(
            "PDF needs Docling's layout model, and the setting layout.model names no folder of weights", remedy=REMEDY
        )
    if absent := [name for name in RUNTIME if not find_spec(name)]:
        raise ToolUnavailable(
            f"what runs the layout model is not installed: {', '.join(absent)}", remedy=INSTALL_MODELS
        )
    folder = Path(str(asked))
    if not folder.is_dir():
        raise ToolUnavailable(f"the setting layout.model, {folder}, is no folder that can be read", remedy=REMEDY)
    if missing := [name for name in LAYOUT_FILES if not (folder / LAYOUT / name).is_file()]:
        raise ToolUnavailable(
            f"the folder of the setting layout.model, {folder}, lacks {', '.join(missing)} in {LAYOUT}", remedy=REMEDY
        )
    return folder


def has_table_model(folder: Path) -> bool:
    """Whether the folder holds the model that finds the cells of tables; without it a table is read as text."""
    return (folder / TABLES / TABLE_CONFIG).is_file()
