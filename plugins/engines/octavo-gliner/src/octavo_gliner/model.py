"""Loads the model from a folder, once per process; never from the network."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import Any, Final

from octavo_contracts import ToolUnavailable

CONFIG: Final = "gliner_config.json"
REMEDY: Final = "Download a GLiNER model, and give its folder as the setting entities.model"


@cache
def load_model(folder: str) -> Any:
    """Load the weights of a folder.

    Raises:
        ToolUnavailable: GLiNER is missing, or the folder holds no model that it can load.
    """
    # Looked at first: for a folder that is not there, the hub's client reports a malformed name.
    if not (Path(folder) / CONFIG).is_file():
        raise ToolUnavailable(f"there is no {CONFIG} in {folder}", plugin="gliner", remedy=REMEDY)
    os.environ["HF_HUB_OFFLINE"] = "1"
    try:
        from gliner import GLiNER
    except ImportError as error:
        raise ToolUnavailable(
            f"GLiNER cannot be imported: {error}", plugin="gliner", remedy="Run: pip install octavo-gliner"
        ) from error
    try:
        return GLiNER.from_pretrained(folder, local_files_only=True)
    except (OSError, ValueError, KeyError, RuntimeError, TypeError) as error:
        raise ToolUnavailable(
            f"the weights in {folder} cannot be loaded: {error}", plugin="gliner", remedy=REMEDY
        ) from error
