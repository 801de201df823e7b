"""What manifests say of weights is what the engines ask for: their own modules say it, and are read without the engines."""

from __future__ import annotations

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest
from octavo_contracts import MANIFEST_NAME, ModelWeights, PluginManifest

ENGINES = Path(__file__).resolve().parents[1] / "plugins" / "engines"


def own(engine: str, module: str = "model") -> ModuleType:
    package = f"octavo_{engine.replace('-', '_')}"
    spec = spec_from_file_location(
        f"{package}_{module}_read", ENGINES / f"octavo-{engine}" / "src" / package / f"{module}.py"
    )
    assert spec is not None
    assert spec.loader is not None
    read = module_from_spec(spec)
    spec.loader.exec_module(read)
    return read


def manifest(engine: str) -> PluginManifest:
    package = f"octavo_{engine.replace('-', '_')}"
    path = ENGINES / f"octavo-{engine}" / "src" / package / MANIFEST_NAME
    return PluginManifest.from_toml(path.read_text(encoding="utf-8"))


def weights_of(engine: str) -> ModelWeights:
    found = manifest(engine).weights
    assert found is not None
    return found


NEEDY = sorted(
    name for folder in ENGINES.iterdir() if manifest(name := folder.name.removeprefix("octavo-")).weights is not None
)


def test_the_files_and_packages_are_those_that_the_engines_ask_for() -> None:
    docling, listening = own("docling", "weights"), own("faster-whisper")

    assert weights_of("docling").files == tuple(f"{docling.LAYOUT}/{name}" for name in docling.LAYOUT_FILES)
    assert weights_of("docling").runtime == docling.RUNTIME
    assert weights_of("faster-whisper").files == listening.NEEDED
    assert weights_of("faster-whisper").module == listening.PACKAGE
    assert weights_of("gliner").files == (own("gliner").CONFIG,)
    assert weights_of("spacy").module == own("spacy").DEFAULT_MODEL


def test_the_engines_with_weights_are_these() -> None:
    assert NEEDY == ["docling", "faster-whisper", "gliner", "spacy", "whisper"]


@pytest.mark.parametrize("engine", NEEDY)
def test_the_setting_is_the_one_that_the_engine_or_its_page_names(engine: str) -> None:
    folder = ENGINES / f"octavo-{engine}"
    said = [path.read_text(encoding="utf-8") for path in (folder / "README.md", *(folder / "src").rglob("*.py"))]

    assert any(weights_of(engine).setting in text for text in said)
