"""What every distribution says of itself: read from the files, so that a slip shows before anything is built."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from octavo_contracts import MANIFEST_NAME, PluginManifest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
ENGINES = sorted((ROOT / "plugins" / "engines").glob("octavo-*/"))
FEATURES = sorted((ROOT / "plugins" / "features").glob("octavo-*/"))
FOLDERS = [
    ROOT / "contracts",
    ROOT / "sandbox",
    ROOT / "text",
    ROOT / "core",
    ROOT / "cli",
    ROOT / "conformance",
    *ENGINES,
    *FEATURES,
]
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
HEADINGS = ["Install", "Example", "Capabilities", "Limits", "Licence of the engine"]


def table(path: Path) -> dict[str, Any]:
    """A TOML file's content."""
    return tomllib.loads(path.read_text(encoding="utf-8"))


def project(folder: Path) -> dict[str, Any]:
    """The `[project]` table of a distribution's folder."""
    found: dict[str, Any] = table(folder / "pyproject.toml")["project"]
    return found


def package(folder: Path) -> Path:
    """The one import package of a distribution's folder."""
    (found,) = (path for path in (folder / "src").iterdir() if path.is_dir() and path.name.startswith("octavo"))
    return found


def manifest(engine: Path) -> PluginManifest:
    return PluginManifest.from_toml((package(engine) / MANIFEST_NAME).read_text(encoding="utf-8"))


def requirements(folder: Path) -> dict[str, Requirement]:
    """Its dependencies, by normalised name."""
    parsed = (Requirement(text) for text in project(folder).get("dependencies", []))
    return {canonicalize_name(requirement.name): requirement for requirement in parsed}


every_distribution = pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
every_engine = pytest.mark.parametrize("engine", ENGINES, ids=lambda folder: folder.name)


def test_contracts_core_and_conformance_move_in_lockstep() -> None:
    """Hosts may pin one version of the three; engines are free to move on their own."""
    lockstep = {folder.name: project(folder)["version"] for folder in FOLDERS[:4]}
    code = (package(ROOT / "core") / "_version.py").read_text(encoding="utf-8")
    found = re.search(r'^__version__ = "(.+)"$', code, re.MULTILINE)
    assert found is not None
    assert lockstep == dict.fromkeys(lockstep, found[1])


@every_distribution
def test_a_distribution_names_its_licence_pythons_and_types(folder: Path) -> None:
    metadata = project(folder)
    assert metadata["license"] == "Apache-2.0"
    assert metadata["requires-python"] == f">={PYTHONS[0]}"
    assert metadata["description"].strip().endswith(".")
    declared = [line.rpartition(" ")[2] for line in metadata["classifiers"] if "Python :: 3." in line]
    assert declared == list(PYTHONS)
    assert "Typing :: Typed" in metadata["classifiers"]
    assert (package(folder) / "py.typed").is_file()


@every_distribution
def test_a_distribution_has_a_readme_under_its_own_name(folder: Path) -> None:
    metadata = project(folder)
    assert metadata["readme"] == "README.md"
    lines = (folder / "README.md").read_text(encoding="utf-8").splitlines()
    assert lines[0] == f"# {metadata['name']}"
    assert len(lines) > 5


@every_distribution
def test_every_dependency_has_a_lower_bound(folder: Path) -> None:
    """Without one, nobody can say what the oldest tested version is. Our own contracts are bound by their version."""
    unbound = [
        name
        for name, requirement in requirements(folder).items()
        if not any(part.operator in (">=", "==", "~=") for part in requirement.specifier)
    ]
    assert [name for name in unbound if name != "octavo-contracts"] == []


@every_distribution
def test_a_distribution_points_nowhere_but_at_an_index(folder: Path) -> None:
    """A direct reference would make the wheel impossible to publish and to install elsewhere."""
    extras = project(folder).get("optional-dependencies", {})
    named = [*requirements(folder).values(), *(Requirement(text) for texts in extras.values() for text in texts)]
    assert [str(requirement) for requirement in named if requirement.url] == []


@every_engine
def test_an_engine_has_one_name_everywhere(engine: Path) -> None:
    """Folder, distribution, entry point, package and manifest: the name is what `--with` takes."""
    name = engine.name.removeprefix("octavo-")
    module = f"octavo_{name.replace('-', '_')}"
    metadata = project(engine)
    assert metadata["name"] == engine.name
    assert metadata["entry-points"] == {"octavo": {name: f"{module}.plugin"}}
    assert package(engine).name == module
    assert (package(engine) / "plugin.py").is_file()
    assert manifest(engine).name == name


@every_engine
def test_an_engine_says_what_it_reads_and_under_which_contract(engine: Path) -> None:
    said = manifest(engine)
    assert said.hooks or said.services
    assert bool(said.media_types) is bool({"convert", "classify"} & set(said.hooks))
    assert bool(said.extensions) is ("convert" in said.hooks)
    assert said.description.strip()
    assert said.engine.licence


@every_engine
def test_an_engine_requires_what_its_manifest_says_it_is_made_for(engine: Path) -> None:
    """The range that pip installs and the range that `octavo doctor` checks are one range."""
    said = manifest(engine).engine
    if said.distribution is None:
        return
    needed = requirements(engine)[canonicalize_name(said.distribution)]
    assert SpecifierSet(said.versions) == needed.specifier


@every_engine
def test_an_engine_depends_on_the_contracts_and_not_on_the_core(engine: Path) -> None:
    needed = requirements(engine)
    assert "octavo-contracts" in needed
    assert [name for name in needed if name.startswith("octavo") and name != "octavo-contracts"] == []


@every_engine
def test_an_engines_readme_has_the_common_headings(engine: Path) -> None:
    text = (engine / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (.+)$", text, re.MULTILINE) == HEADINGS


def test_the_workspace_knows_every_distribution() -> None:
    """A folder that one of these lists forgets is not installed, not checked, or not locked."""
    root = table(ROOT / "pyproject.toml")
    names = {project(folder)["name"] for folder in FOLDERS}
    locked = {entry["name"] for entry in table(ROOT / "uv.lock")["package"] if "editable" in entry["source"]}
    assert set(root["tool"]["uv"]["sources"]) == names
    assert locked == {*names, "octavo-workspace"}
    extras = root["project"]["optional-dependencies"]
    referred = dict(
        re.findall(
            r"([\w-]+)(?:\[[\w,]+\])? @ \{root:uri\}/(\S+?)(?:/\.)?(?=\s|$)",
            "\n".join(
                requirement
                for extra in ("run", "ocr", "azure", "vision", "all", "audio", "vectors", "docling", "models")
                for requirement in extras[extra]
            ),
        )
    )
    assert referred == {project(ROOT / path)["name"]: path for path in referred.values()}
    assert {folder.name for folder in ENGINES} | {"octavo", "octavo-contracts"} <= set(referred)
    kept = re.findall(r"\{root:uri\}/\S*-\w+(?=\s|$)", "\n".join(text for extra in extras.values() for text in extra))
    assert kept == [], "pip would install what it once built from that folder, whatever stands in it today"
    importable = (ROOT / ".importlinter").read_text(encoding="utf-8")
    assert [folder.name for folder in ENGINES if package(folder).name not in importable] == []
    alone = (ROOT / "tox.ini").read_text(encoding="utf-8")
    tried = {Path(path).name for path in re.findall(r"\./plugins/engines/[\w-]+", alone)}
    assert {folder.name for folder in ENGINES} <= tried


def asked(folder: Path) -> set[tuple[str, SpecifierSet]]:
    """What a pyproject asks of others, in its dependencies and extras."""
    metadata = project(folder)
    lists = [metadata.get("dependencies", []), *metadata.get("optional-dependencies", {}).values()]
    found = (Requirement(text) for texts in lists for text in texts if "{root:uri}" not in text)
    return {(canonicalize_name(each.name), each.specifier) for each in found if not each.name.startswith("octavo")}


@pytest.mark.parametrize("folder", [ROOT, *FOLDERS], ids=lambda folder: folder.name if folder != ROOT else "workspace")
def test_the_lock_file_was_made_from_the_requirements_of_today(folder: Path) -> None:
    """`uv lock` renews it."""
    (entry,) = (entry for entry in table(ROOT / "uv.lock")["package"] if entry["name"] == project(folder)["name"])
    locked = {
        (each["name"], SpecifierSet(each.get("specifier", "")))
        for each in entry.get("metadata", {}).get("requires-dist", [])
        if not each["name"].startswith("octavo")
    }
    assert locked == asked(folder)


def test_the_lock_file_holds_for_every_machine() -> None:
    """Each entry comes from the public index or from this workspace: no local folder, no other server."""
    odd = [
        f"{entry['name']}: {entry['source']}"
        for entry in table(ROOT / "uv.lock")["package"]
        if entry["source"].get("registry") != "https://pypi.org/simple" and "editable" not in entry["source"]
    ]
    assert odd == []


def test_news_fragments_are_named_for_a_kind_of_change() -> None:
    """A fragment of an unknown kind would be left out of the changelog in silence."""
    root = table(ROOT / "pyproject.toml")["tool"]["towncrier"]
    kinds = {kind["directory"] for kind in root["type"]}
    names = [path.name for path in (ROOT / root["directory"]).iterdir()]
    known = re.compile(
        rf"[a-z0-9-]+\.({'|'.join(sorted(kinds))})\.md|README\.md|{re.escape(Path(root['template']).name)}"
    )
    assert [name for name in names if not known.fullmatch(name)] == []
