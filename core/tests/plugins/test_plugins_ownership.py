"""A plugin's name belongs to one distribution: nothing else converts under it, whatever is installed in which order."""

import base64
import hashlib
import importlib
import json
import os
import sys
import zipfile
from importlib.util import find_spec
from pathlib import Path

import octavo
import pytest
from octavo.plugins import PluginSelection, load_catalogue
from octavo.plugins.plugin_names import OWN_PLUGINS
from octavo.runtime import Runtime
from octavo.settings.settings import Settings
from octavo_conformance.plugin_folder import manifest_text
from octavo_contracts import UsageError

EVIL = (
    "from octavo_contracts import Conversion, Page, hookimpl\n\n@hookimpl\ndef convert(source):\n"
    "    return Conversion(pages=(Page(number=1, kind='whole', markdown='EVIL'),), paginated=False)\n"
)
TYPES = ["text/csv", "text/plain", "text/markdown"]
REAL = Path(find_spec("octavo_plaintext").origin).parent


def wheel(folder: Path, distribution: str, files: dict[str, str], entry: str, *, version: str = "1.0") -> Path:
    """Build a wheel, with the RECORD that installers write."""
    info = f"{distribution.replace('-', '_')}-{version}.dist-info"
    files = files | {
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {distribution}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": f"[octavo]\n{entry}\n",
    }
    record = "".join(f"{name},sha256={_digest(text)},{len(text.encode())}\n" for name, text in files.items())
    path = folder / f"{distribution.replace('-', '_')}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as made:
        for name, text in {**files, f"{info}/RECORD": f"{record}{info}/RECORD,,\n"}.items():
            made.writestr(name, text)
    return path


def _digest(text: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()


def evil(folder: Path, distribution: str, module: str, **more: str) -> Path:
    """A wheel that claims the name `plaintext`, with the highest priority."""
    manifest = manifest_text("plaintext", media_types=TYPES, priority=100)
    files = {f"{module}/__init__.py": "", f"{module}/plugin.py": EVIL, f"{module}/octavo-plugin.toml": manifest}
    return wheel(folder, distribution, files | more, f"plaintext = {module}.plugin")


def real(folder: Path) -> Path:
    """The wheel of octavo-plaintext."""
    paths = [path for path in REAL.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    files = {f"octavo_plaintext/{path.relative_to(REAL).as_posix()}": path.read_text() for path in paths}
    return wheel(folder, "octavo-plaintext", files, "plaintext = octavo_plaintext.plugin", version="0.2")


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Unpack wheels into a folder like `site-packages`, before or after the installed distributions on the path."""
    site = tmp_path / "site"

    def install(*wheels: Path, first: bool = True) -> None:
        for path in wheels:
            with zipfile.ZipFile(path) as packed:
                packed.extractall(site)
        monkeypatch.setattr(sys, "path", [str(site), *sys.path] if first else [*sys.path, str(site)])
        monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(site), os.environ.get("PYTHONPATH", "")]))
        importlib.invalidate_caches()

    yield install
    importlib.invalidate_caches()


def converted(selection: PluginSelection | None = None):
    with Runtime(Settings(workers=1, plugins=selection)) as runtime:
        conversion = octavo.convert(b"name,price\nbread,2\n", name="a.csv", runtime=runtime)
        return conversion, [one for one in runtime.catalogue.failures if one.name == "plaintext"]


@pytest.mark.parametrize(
    ("distribution", "module", "first"),
    [
        ("octavo-evil", "aaa_evil", True),
        ("octavo-evil", "zzz_evil", False),
        ("evil-corp", "octavo_evil", True),
        ("octavo-plaintext-pro", "octavo_plaintext_pro", False),
        ("octavo-plain-text", "aaa", True),
    ],
)
def test_another_distribution_never_converts_under_the_name(install, tmp_path, distribution, module, first):
    install(evil(tmp_path, distribution, module), first=first)

    conversion, (failure,) = converted()

    assert "EVIL" not in conversion.markdown
    assert "bread" in conversion.markdown
    call = [one for one in conversion.result.attempts if one.hook == "convert"][-1]
    assert (call.plugin, call.distribution) == ("plaintext", "octavo-plaintext")
    assert (failure.distribution, failure.stage) == (f"{distribution} 1.0", "name")
    assert failure.message == f"{distribution} claims the name 'plaintext'; it belongs to octavo-plaintext"


@pytest.mark.parametrize("is_last", [True, False])
def test_metadata_that_another_wheel_brings_is_not_read(install, tmp_path, is_last):
    """Python reads the first metadata of a name that it finds in a folder."""
    more = {
        "octavo_plaintext-9.9.9.dist-info/METADATA": "Metadata-Version: 2.1\nName: octavo-plaintext\nVersion: 9.9.9\n",
        "octavo_plaintext-9.9.9.dist-info/entry_points.txt": "[octavo]\nplaintext = aaa_evil.plugin\n",
    }
    wheels = [real(tmp_path), evil(tmp_path, "octavo-evil", "aaa_evil", **more)]
    install(*(wheels if is_last else reversed(wheels)))

    conversion, failures = converted()

    assert "bread" in conversion.markdown
    assert "EVIL" not in conversion.markdown
    assert {failure.distribution for failure in failures} == {"octavo-evil 1.0"}


@pytest.mark.parametrize(
    "info",
    [
        "octavo_plaintext.egg-info",
        "octavo_plaintext-9.9.9-py3.11.egg-info",
        "Octavo.Plaintext-9.9.9.dist-info",
        "octavo-plaintext-9.9.9.dist-info",
        "aaa-1.dist-info",
    ],
)
@pytest.mark.parametrize("is_last", [True, False])
def test_metadata_in_a_folder_of_another_name_is_not_read(install, tmp_path, info, is_last):
    """CNV-16: Python takes the name from the metadata, whatever the folder is called, and reads both kinds of folders."""
    text = "Metadata-Version: 2.1\nName: octavo-plaintext\nVersion: 9.9.9\n"
    more = {
        f"{info}/{'PKG-INFO' if info.endswith('.egg-info') else 'METADATA'}": text,
        f"{info}/entry_points.txt": "[octavo]\nplaintext = aaa_evil.plugin\n",
        f"{info}/RECORD": "aaa_evil/__init__.py,,\naaa_evil/plugin.py,,\n",
    }
    wheels = [real(tmp_path), evil(tmp_path, "octavo-evil", "aaa_evil", **more)]
    install(*(wheels if is_last else reversed(wheels)))

    conversion, failures = converted()

    assert "EVIL" not in conversion.markdown
    assert "bread" in conversion.markdown
    assert "octavo-evil 1.0" in {failure.distribution for failure in failures}


def test_letters_that_only_look_like_those_of_a_name_are_others(install, tmp_path):
    """CNV-16: the Kelvin sign is a k in lower case; no index has a distribution of such a name."""
    manifest = manifest_text("markitdown", media_types=TYPES, priority=100)
    files = {"aaa_evil/__init__.py": "", "aaa_evil/plugin.py": EVIL, "aaa_evil/octavo-plugin.toml": manifest}
    install(wheel(tmp_path, "octavo-mar\u212aitdown", files, "markitdown = aaa_evil.plugin"))

    found = [one for one in load_catalogue(PluginSelection()).failures if one.name == "markitdown"]

    assert any("belongs to octavo-markitdown" in failure.message for failure in found)


def test_an_editable_project_with_a_package_of_the_name_is_not_loaded(install, tmp_path):
    """CNV-16: an editable project puts its folder on the path; a package in it displaces no other distribution's."""
    project = tmp_path / "project"
    (project / "octavo_plaintext").mkdir(parents=True)
    (project / "octavo_plaintext" / "__init__.py").write_text("")
    (project / "octavo_plaintext" / "plugin.py").write_text(EVIL)
    manifest = manifest_text("plaintext", media_types=TYPES, priority=100)
    (project / "octavo_plaintext" / "octavo-plugin.toml").write_text(manifest)
    origin = json.dumps({"url": project.as_uri(), "dir_info": {"editable": True}})
    more = {"octavo_evil-1.0.dist-info/direct_url.json": origin}
    install(wheel(tmp_path, "octavo-evil", more, "plaintext = octavo_plaintext.plugin"))
    sys.path.insert(0, str(project))
    try:
        importlib.invalidate_caches()
        found = load_catalogue(PluginSelection())
    finally:
        sys.path.remove(str(project))

    real_ones = [plugin for plugin in found.plugins if plugin.name == "plaintext"]
    assert all(plugin.distribution == "octavo-plaintext" for plugin in real_ones)
    assert "octavo-evil" in {one.distribution.partition(" ")[0] for one in found.failures if one.name == "plaintext"}
    assert real_ones == []  # what Python would import under the name is the evil package


def test_what_a_plugin_patches_when_it_is_imported_reaches_no_other_plugin(make_plugin, runtime):
    """ENG-11: a plugin that replaces parts of Octavo does so in its own worker."""
    code = (
        "import octavo.plugins.worker as worker, octavo_contracts as contracts\n"
        "from octavo_contracts import Conversion, Page, hookimpl\n"
        "def evil(*given, **named):\n"
        "    page = Page(number=1, kind='whole', markdown='EVIL')\n"
        "    return Conversion(pages=(page,), paginated=False).to_json().encode()\n"
        "worker.call_hook = evil\n"
        "worker.load = evil\n"
        "contracts.Conversion.read = evil\n"
        "@hookimpl\n"
        "def classify(source):\n"
        "    return None\n"
    )
    make_plugin("alpha", code, hooks=["classify"], media_types=["text/csv"])

    conversion = octavo.convert(b"name,price\nbread,2\n", name="a.csv", runtime=runtime)

    assert "EVIL" not in conversion.markdown
    assert "bread" in conversion.markdown
    assert [one.plugin for one in conversion.result.attempts if one.hook == "convert"] == ["plaintext"]


@pytest.mark.parametrize("is_loaded", [False, True])
def test_a_package_in_the_place_of_the_real_one_is_not_loaded(install, tmp_path, monkeypatch, is_loaded):
    """The real distribution is installed, and another one brings a package of its name that is found first.

    Workers find packages anew, so that what this process has loaded already decides nothing.
    """
    if is_loaded:
        importlib.import_module("octavo_plaintext")
    else:
        monkeypatch.delitem(sys.modules, "octavo_plaintext", raising=False)
    shadow = {"octavo_plaintext/__init__.py": "", "octavo_plaintext/plugin.py": EVIL}
    shadow["octavo_plaintext/octavo-plugin.toml"] = manifest_text("plaintext", media_types=TYPES)
    install(wheel(tmp_path, "octavo-evil", shadow, "evil = octavo_plaintext.plugin"))

    conversion, (failure,) = converted()

    assert "EVIL" not in conversion.markdown
    assert failure.distribution == "octavo-evil 1.0"
    assert "comes from octavo-evil 1.0, not from octavo-plaintext" in failure.message


def test_the_settings_can_give_the_name_away(install, tmp_path):
    install(evil(tmp_path, "acme-text", "acme_text"))

    conversion, (failure,) = converted(PluginSelection(owners={"plaintext": "Acme_Text"}))

    assert "EVIL" in conversion.markdown
    assert conversion.result.attempts[-1].distribution is not None
    assert "octavo-plaintext claims the name 'plaintext'; the settings give it to Acme_Text" in failure.message


def test_the_result_tells_the_code_that_converted(make_plugin, good_plugin, runtime):
    folder = make_plugin("alpha", good_plugin)
    calls = octavo.convert(b"text", name="a.txt", plugin="alpha", runtime=runtime).result.attempts
    (call,) = [one for one in calls if one.plugin == "alpha"]
    before = load_catalogue(PluginSelection())
    assert call.code_hash is not None
    assert (call.distribution, call.code_hash) == ("octavo-alpha", before.get("alpha").code_hash)

    (folder / "plugin.py").write_text(good_plugin + "# altered\n")

    after = load_catalogue(PluginSelection())
    assert after.get("alpha").code_hash != before.get("alpha").code_hash
    assert after.fingerprint() != before.fingerprint()


@pytest.mark.parametrize("table", ["allow", "block"])
def test_an_unknown_name_in_a_selection_is_an_error_with_a_suggestion(table):
    selection = PluginSelection(**{table: {"plaintxt"}})
    with pytest.raises(UsageError, match=rf"plugins\.{table} names 'plaintxt'.*did you mean plaintext"):
        converted(selection)


def test_a_text_is_no_collection_of_names():
    with pytest.raises(UsageError, match="collection of plugin names"):
        PluginSelection(allow="pdfium")  # type: ignore[arg-type]


def test_an_unknown_name_in_a_profile_is_an_error_with_a_suggestion(tmp_path, runtime):
    path = tmp_path / "own.toml"
    path.write_text('name = "own"\n[routes]\nplain_text = ["plaintxt"]\n')
    with pytest.raises(UsageError, match=r"routes\.plain_text of profile own names 'plaintxt'.*did you mean plaintext"):
        octavo.convert(b"text", name="a.txt", profile=str(path), runtime=runtime)


def test_octavos_own_plugins_are_known_whether_or_not_they_are_installed():
    root = Path(__file__).parents[3] / "plugins"
    folders = {path.name.removeprefix("octavo-") for path in root.glob("*/octavo-*")}
    assert folders | {"builtin"} == OWN_PLUGINS
