"""`python -m octavo_conformance.verdicts` writes the committed vectors."""

from __future__ import annotations

from pathlib import Path

from . import VERSION
from .generation import generate

for name, text in generate().items():
    (Path(__file__).parent / VERSION / name).write_text(text, encoding="utf-8")
    print(name)
