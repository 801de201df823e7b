"""A stored version is reused only while the plugin that converted it is the one that its name stands for (ENG-18)."""

import json

import pytest
from octavo.plugins import PluginSelection
from octavo.runtime import Runtime
from octavo.settings.settings import Settings
from octavo_library import Library

OTHER = "from octavo_contracts import Conversion, Page, hookimpl\n\n@hookimpl\ndef convert(source):\n"
OTHER += "    return Conversion(pages=(Page(number=1, kind='whole', markdown='by altered code'),), paginated=False)\n"


def ingest(folder, path):
    """Ingest a file with a runtime of its own, which sees what is installed now."""
    with (
        Runtime(Settings(workers=1, plugins=PluginSelection(allow={"alpha"}))) as runtime,
        Library.open(folder, runtime=runtime) as library,
    ):
        outcome = library.ingest(path)
        (document,) = library.documents()
        return outcome.reused, document.active_version, document.canonical_text


@pytest.fixture
def stored(tmp_path, make_plugin, good_plugin):
    package = make_plugin("alpha", good_plugin)
    path = tmp_path / "a.txt"
    path.write_text("a text about the shore")
    assert ingest(tmp_path / "library", path)[1] == 1
    return package, path, tmp_path / "library"


def tool_of(library):
    (path,) = library.glob("**/conversions/v1/tool.json")
    return path, json.loads(path.read_text())


def test_the_version_says_what_converted_it_and_is_reused(stored):
    _, path, library = stored
    tool = tool_of(library)[1]
    assert (tool["plugin"], tool["distribution"], len(tool["code_hash"])) == ("alpha", "octavo-alpha", 64)
    assert ingest(library, path)[:2] == (True, 1)


def test_the_same_version_with_other_files_is_not_reused(stored):
    package, path, library = stored
    (package / "plugin.py").write_text(OTHER)
    reused, version, text = ingest(library, path)
    assert (reused, version) == (False, 2)
    assert "altered" in text
    assert ingest(library, path)[:2] == (True, 2)


def test_another_release_of_the_plugin_does_not_convert_again(stored):
    """The tool upgrade is suggested; the stored version stays."""
    package, path, library = stored
    (package / "plugin.py").write_text(OTHER)
    info = next(package.parent.glob("octavo_alpha-*.dist-info"))
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: octavo-alpha\nVersion: 1.3\n")
    assert ingest(library, path)[:2] == (True, 1)
