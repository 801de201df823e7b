"""Implements `octavo conformance init`: writes a five-line test and the expectations file."""

from __future__ import annotations

from pathlib import Path

from octavo_contracts import UsageError

from .expectations import FILE_NAME

_TEST = '''\
"""The conformance suite over the plugin {name}."""

from octavo_conformance import ConverterConformance


class Test{title}(ConverterConformance):
    plugin = "{name}"
'''

_EXPECTATIONS = """\
# Known failures, each with its reason. An entry whose check passes fails the run.
plugin = "{name}"

# [[expected]]
# check = "OC-GOLD-004"
# vectors = ["pdf/empty-page.pdf"]
# reason = "The engine does not report headings."
"""


def write_files(name: str, folder: Path) -> list[Path]:
    """Write both files; never overwrite a file.

    Raises:
        UsageError: one of the files exists.
    """
    module = name.replace("-", "_")
    texts = {
        folder / "tests" / f"test_{module}_conformance.py": _TEST.format(
            name=name, title="".join(part.capitalize() for part in name.split("-"))
        ),
        folder / FILE_NAME: _EXPECTATIONS.format(name=name),
    }
    for path in texts:
        if path.exists():
            raise UsageError(f"{path} exists", remedy="Move the file away, or edit it")
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return list(texts)
