"""What a how-to guide needs: the command of its line "Needs: …", and the distributions that this command installs."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NOTHING = "Needs: nothing"
_LINE = re.compile(r"\A# [^\n]+\n\nNeeds: `(?P<command>[^`]+)` in a checkout")


@dataclass(frozen=True)
class PageNeeds:
    """What a page needs.

    Attributes:
        extras: extras of the checkout.
        distributions: every distribution of this repository that is installed, those of the extras included.
        others: requirements that an index serves.
    """

    extras: tuple[str, ...]
    distributions: frozenset[str]
    others: tuple[str, ...]

    @property
    def engines_left_out(self) -> frozenset[str]:
        """Plugins of this repository that the page does not have."""
        engines = (path.name for path in (ROOT / "plugins" / "engines").iterdir() if path.is_dir())
        return frozenset(name.removeprefix("octavo-") for name in engines if name not in self.distributions)


def page_needs(page: Path) -> PageNeeds | None:
    """Read the line of a page; None where it needs nothing.

    Raises:
        AssertionError: the page has no such line, or it names what is not in the checkout.
    """
    text = page.read_text(encoding="utf-8")
    if re.match(rf"\A# [^\n]+\n\n{NOTHING}", text):
        return None
    match = _LINE.match(text)
    assert match is not None, f"{page.name} does not begin with a line `Needs: …`"
    words = [word.strip("'") for word in match["command"].split()]
    assert words[:2] == ["pip", "install"], match["command"]
    extras: list[str] = []
    found: set[str] = set()
    others: list[str] = []
    for word in words[2:]:
        if inner := re.fullmatch(r"\.\[([\w,-]+)\]", word):
            extras += inner[1].split(",")
        elif word.startswith("./"):
            folder = ROOT / word.partition("[")[0]
            assert (folder / "pyproject.toml").is_file(), f"{page.name}: {word} is not in the checkout"
            found.add(str(project(folder)["name"]))
        else:
            others.append(word)
    for extra in extras:
        found |= distributions(extra)
    return PageNeeds(tuple(extras), frozenset(found), tuple(others))


def distributions(extra: str) -> frozenset[str]:
    """The distributions that an extra installs, those of the extras within it included."""
    found: set[str] = set()
    for requirement in extras_of_the_checkout()[extra]:
        if inner := re.match(r"octavo-workspace\[(\w+)\]", requirement):
            found |= distributions(inner[1])
        else:
            found.add(re.split(r"[\[ @<>=]", requirement)[0])
    return frozenset(found)


@cache
def extras_of_the_checkout() -> dict[str, list[str]]:
    """Extra → its requirements."""
    found: dict[str, list[str]] = project(ROOT)["optional-dependencies"]  # type: ignore[assignment]  # TOML of ours
    return found


@cache
def commands() -> dict[str, str]:
    """Command of `octavo` → the distribution that adds it; Octavo's own are not in it."""
    found: dict[str, str] = {}
    for path in (ROOT / "conformance", *(ROOT / "plugins" / "features").iterdir()):
        if (path / "pyproject.toml").is_file():
            entries = project(path).get("entry-points", {})
            found |= dict.fromkeys(entries.get("octavo.commands", {}), str(project(path)["name"]))  # type: ignore[attr-defined]  # TOML
    return found


@cache
def project(folder: Path) -> dict[str, object]:
    """The table `project` of a distribution."""
    table: dict[str, object] = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return table
