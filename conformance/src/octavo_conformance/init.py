"""Implements `octavo conformance init`: writes a five-line test and the expectations file."""

from __future__ import annotations

from pathlib import Path

from octavo_contracts import UsageError

from .expectations import FILE_NAME
from .project.new_project import expectations
from .project.plugin_names import check_name, class_name, module_name

_TEST = '''\
"""The conformance suite over the plugin {name}."""

from octavo_conformance import ConverterConformance


class Test{title}(ConverterConformance):
    plugin = "{name}"
'''


def write_files(name: str, folder: Path) -> list[Path]:
    """Write both files; never overwrite a file.

    Raises:
        UsageError: the name is not a plugin name, or one of the files exists.
    """
    check_name(name)
    texts = {
        folder / "tests" / f"test_{module_name(name)}_conformance.py": _TEST.format(name=name, title=class_name(name)),
        folder / FILE_NAME: expectations(name),
    }
    for path in texts:
        if path.exists():
            raise UsageError(f"{path} exists", remedy="Move the file away, or edit it")
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return list(texts)
