"""Writes the project of a new plugin from the templates of its kind."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from string import Template
from typing import Final

from octavo_contracts import CONTRACT_VERSION, UsageError

from .kinds import KINDS
from .plugin_names import check_name, class_name, module_name

_TEMPLATES: Final = resources.files(__package__) / "templates"
_COMMON: Final = {"pyproject.toml": "pyproject.toml", "README.md": "README.md", "src/$package/py.typed": None}
_OF_KIND: Final = {
    "src/$package/__init__.py": "init.py",
    "src/$package/plugin.py": "plugin.py",
    "src/$package/command.py": "command.py",
    "src/$package/octavo-plugin.toml": "octavo-plugin.toml",
    "tests/test_$module.py": "test.py",
    "octavo-conformance.toml": "octavo-conformance.toml",
}
"""Files of a project → their templates in the folder of the kind; a kind lacks those that it does not need."""


@dataclass(frozen=True, kw_only=True)
class NewProject:
    """A project to write.

    Attributes:
        name: the plugin's name; the distribution is `octavo-NAME`.
        kind: one of `KINDS`.
        media_type: media type that it reads, for a converter or classifier; None: `application/x-NAME` of a converter, a
            format of its own; `text/plain` of a classifier, whose documents others convert.
        extension: extension of such files; None: the name without hyphens; of a classifier of plain text, `.txt`.
    """

    name: str
    kind: str
    media_type: str | None = None
    extension: str | None = None

    def texts(self) -> dict[str, str]:
        """Return the files: path within the project → text.

        Raises:
            UsageError: the name is no plugin name, the kind is unknown, or a media type or extension is given for a
                kind that reads no files.
        """
        self._check()
        values = self._values()
        return {Template(path).substitute(values): text for path, text in self._filled(values)}

    def _check(self) -> None:
        check_name(self.name)
        if self.kind not in KINDS:
            raise UsageError(f"unknown kind of plugin {self.kind!r}", remedy=f"Use one of {', '.join(KINDS)}")
        if self.kind not in ("convert", "classify") and (self.media_type or self.extension):
            raise UsageError(
                f"a plugin with {self.kind} reads no files", remedy="Leave out --media-type and --extension"
            )
        if self.media_type is not None and ("/" not in self.media_type or _breaks_out(self.media_type)):
            raise UsageError(f"{self.media_type!r} is not a media type", remedy="Such as text/csv")
        if self.extension is not None and _breaks_out(self.extension):
            raise UsageError(f"{self.extension!r} is not an extension", remedy="Such as .csv")

    def _values(self) -> dict[str, str]:
        module = module_name(self.name)
        own_type, own_extension = f"application/x-{self.name}", self.name.replace("-", "")
        if self.kind == "classify" and self.media_type is None and self.extension is None:
            own_type, own_extension = "text/plain", ".txt"
        extension = (self.extension or own_extension).lower()
        return {
            "name": self.name,
            "module": module,
            "package": f"octavo_{module}",
            "title": class_name(self.name),
            "kind": self.kind,
            "contract": CONTRACT_VERSION,
            "media_type": self.media_type or own_type,
            "extension": extension if extension.startswith(".") else f".{extension}",
        }

    def _filled(self, values: dict[str, str]) -> Iterator[tuple[str, str]]:
        for path, template in (*_COMMON.items(), *_OF_KIND.items()):
            text = "" if template is None else _template(self.kind, template)
            if text is not None:
                yield path, Template(text).substitute(values)


def write_project(project: NewProject, folder: Path) -> list[Path]:
    """Write a project into a new folder `octavo-NAME`.

    Args:
        project: the project.
        folder: where the folder is made.

    Returns:
        The written files.

    Raises:
        UsageError: as `NewProject.texts`, or the folder exists.
    """
    texts = project.texts()
    root = folder / f"octavo-{project.name}"
    if root.exists():
        raise UsageError(f"{root} exists", remedy="Name another folder with --folder, or another plugin")
    for path, text in texts.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return [root / path for path in texts]


def expectations(name: str) -> str:
    """Return the expectations file of a plugin without known failures."""
    return Template(_shared_template("octavo-conformance.toml").read_text(encoding="utf-8")).substitute(name=name)


def _breaks_out(given: str) -> bool:
    """Return whether a text cannot stand inside a quoted string of the templates."""
    return bool(set(given) & set("\"'\\\n "))


def _template(kind: str, name: str) -> str | None:
    """Return a template of a kind, else the one that all kinds share; None if there is neither."""
    shared = [_shared_template(name)] if kind != "feature" else []  # a feature is no plugin with hooks
    for place in (_TEMPLATES / kind / f"{name}.txt", *shared):
        if place.is_file():
            return place.read_text(encoding="utf-8")
    return None


def _shared_template(name: str) -> Traversable:
    return _TEMPLATES / f"{name}.txt"
