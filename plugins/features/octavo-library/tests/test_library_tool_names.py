"""One table gives the name of each shipped plugin in the specification's enumerations of tools (QLT-4)."""

from collections import Counter
from pathlib import Path

import pytest
from octavo_contracts import PluginManifest
from octavo_library.tool_names import SPECIFIED, TOOL_NAMES, tool_names

PLUGINS = Path(__file__).parents[3]
OWNERS = {
    "docling": "docling",
    "markitdown": "markitdown",
    "whisper": "whisper",
    "ocr_tesseract": "tesseract",
    "ocr_azure": "azure",
    "azure_doc_intelligence": "azure",
    "ocr_markitdown": "vision",
    "markitdown_vision": "vision",
}


def shipped():
    return [PluginManifest.from_toml(path.read_text(encoding="utf-8")) for path in PLUGINS.rglob("octavo-plugin.toml")]


def test_every_shipped_plugin_that_gives_text_is_in_the_table_and_no_other():
    giving = {
        one.name for one in shipped() if {"convert", "ocr"} & set(one.hooks) or "remote_recogniser" in one.services
    }
    assert set(TOOL_NAMES) == giving


@pytest.mark.parametrize("enumeration", ["conversion_tool", "extraction_method", "ocr_method"])
def test_no_two_plugins_share_a_name_and_a_specified_one_belongs_to_its_tool(enumeration):
    names = {plugin: getattr(one, enumeration) for plugin, one in TOOL_NAMES.items()}
    counted = Counter(name for name in names.values() if name is not None)
    assert [name for name, count in counted.items() if count > 1] == []
    assert {name: plugin for plugin, name in names.items() if name in SPECIFIED[enumeration]}.items() <= OWNERS.items()


def test_the_selected_tool_is_always_a_specified_value():
    """The enumeration has `other` for the tools that it does not name."""
    assert {one.selected_tool for one in TOOL_NAMES.values()} <= set(SPECIFIED["selected_tool"])
    assert [plugin for plugin, one in TOOL_NAMES.items() if one.selected_tool in OWNERS] == ["docling", "markitdown"]


def test_a_method_of_recognition_is_given_for_recognisers_alone():
    recognisers = {one.name for one in shipped() if "ocr" in one.hooks or "remote_recogniser" in one.services}
    assert {plugin for plugin, one in TOOL_NAMES.items() if one.ocr_method is not None} == recognisers


def test_a_plugin_of_another_author_extends_the_enumerations_by_its_name():
    names = tool_names("some-other-plugin")
    assert (names.conversion_tool, names.extraction_method) == ("some-other-plugin", "some-other-plugin")
    assert (names.ocr_method, names.selected_tool) == (None, "other")
