"""Documents that the tests write, the call they make, and a layout model of random weights."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from octavo_conformance.hook_calls import ConvertCall
from octavo_contracts import Conversion

SAMPLES = Path(__file__).parents[4] / "docs" / "samples"
OFFICE = "application/vnd.openxmlformats-officedocument"
DOCX = f"{OFFICE}.wordprocessingml.document"
PPTX = f"{OFFICE}.presentationml.presentation"
XLSX = f"{OFFICE}.spreadsheetml.sheet"
TYPES = {
    ".docx": DOCX,
    ".pptx": PPTX,
    ".xlsx": XLSX,
    ".odt": "application/vnd.oasis.opendocument.text",
    ".ods": "application/vnd.oasis.opendocument.spreadsheet",
    ".odp": "application/vnd.oasis.opendocument.presentation",
    ".html": "text/html",
    ".md": "text/markdown",
    ".csv": "text/csv",
    ".pdf": "application/pdf",
}
LABELS = ("caption", "footnote", "formula", "list_item", "page_header", "picture", "section_header", "table", "text")

Convert = Callable[..., Conversion]


@pytest.fixture(scope="session")
def read(tmp_path_factory: pytest.TempPathFactory) -> Convert:
    """Convert bytes of a type that a suffix names, or a sample by its name."""
    plugin = pytest.importorskip("octavo_docling.plugin", reason="octavo-docling is not installed: half a gigabyte")
    convert = ConvertCall(plugin.convert, tmp_path_factory.mktemp("work"), media_types=TYPES, seconds=120)

    def call(data: bytes | str, suffix: str = "", **request: object) -> Conversion:
        if isinstance(data, str) and not suffix:
            data, suffix = (SAMPLES / data).read_bytes(), Path(data).suffix
        return convert(data, name=f"document{suffix}", **request)

    return call


@pytest.fixture(scope="session")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as Docling's downloader leaves it, with a tiny layout model of random weights in it."""
    for name in ("torch", "torchvision", "transformers"):
        pytest.importorskip(name, reason=f"{name} is not installed: it comes with octavo-docling[models]")
    import torch
    from transformers import RTDetrImageProcessor, RTDetrResNetConfig, RTDetrV2Config, RTDetrV2ForObjectDetection

    root = tmp_path_factory.mktemp("weights")
    folder = root / "docling-project--docling-layout-heron"
    torch.manual_seed(3)
    backbone = RTDetrResNetConfig(
        embedding_size=8,
        hidden_sizes=[8, 8, 16, 16],
        depths=[1, 1, 1, 1],
        layer_type="basic",
        out_features=["stage2", "stage3", "stage4"],
    )
    config = RTDetrV2Config(
        backbone_config=backbone,
        encoder_hidden_dim=16,
        encoder_in_channels=[8, 16, 16],
        encoder_ffn_dim=16,
        encoder_attention_heads=2,
        d_model=16,
        decoder_in_channels=[16, 16, 16],
        decoder_ffn_dim=16,
        decoder_layers=2,
        decoder_attention_heads=2,
        num_queries=10,
        num_denoising=0,
        id2label=dict(enumerate(LABELS)),
    )
    RTDetrV2ForObjectDetection(config).save_pretrained(folder)
    RTDetrImageProcessor(size={"height": 64, "width": 64}).save_pretrained(folder)
    return root
