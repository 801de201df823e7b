"""Corpora: settings are checked, kept, changed together, and leave alone what they do not know."""

from __future__ import annotations

from dataclasses import replace

import pytest
from octavo_contracts import UsageError
from octavo_library import Library
from octavo_library.facade.corpora import CorpusSettings
from octavo_library.storage import PolicyContext

EVERYTHING = CorpusSettings(
    visibility="cloud_allowed",
    sensitivity="normal",
    profile="fast",
    chunking="fixed-800-1000-100",
    retention=90,
    entities=False,
    cloud=True,
    plugin="shouting",
)


def test_a_corpus_keeps_its_settings(library, root):
    made = library.corpora.create("cases", EVERYTHING)
    assert (made.name, made.documents, made.settings) == ("cases", 0, EVERYTHING)
    with Library.open(root, runtime=library.context.runtime) as again:
        assert again.corpora.list() == (made,)
        assert again.corpora.get(made.id) == made


def test_ingesting_into_a_new_corpus_makes_it_with_the_defaults(library, add):
    add("Note of wind", corpus="notes")
    assert (library.corpora.get("notes").documents, library.corpora.get("notes").settings) == (1, CorpusSettings())


def test_every_setting_can_be_changed_and_taken_back(library):
    library.corpora.create("cases")
    assert library.corpora.update("cases", EVERYTHING).settings == EVERYTHING
    assert library.corpora.update("cases", CorpusSettings()).settings == CorpusSettings()


def test_a_change_leaves_other_settings_of_the_corpus(library):
    made = library.corpora.create("cases")
    library.context.index.corpora.set_setting(made.id, "colour", "blue")
    library.corpora.update("cases", replace(made.settings, entities=True))
    assert library.context.index.corpora.get("cases").overrides == {"colour": "blue", "entities": True}


def test_the_plugin_of_a_corpus_converts_its_documents(library):
    library.corpora.create("loud", CorpusSettings(plugin="shouting"))
    done = library.ingest(b"wind", name="a.txt", corpus="loud")
    assert done.result.quality_report.selected_tool == "shouting"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (CorpusSettings(visibility="firewaled"), "unknown visibility 'firewaled'"),
        (CorpusSettings(sensitivity="secret"), "unknown sensitivity 'secret'"),
        (CorpusSettings(chunking="large"), "invalid chunking config 'large'"),
        (CorpusSettings(chunking="fixed-500-400-50"), "invalid chunking config"),
        (CorpusSettings(retention="forever"), "invalid retention rule 'forever'"),
        (CorpusSettings(cloud=True, visibility="firewalled"), "cloud services are not allowed"),
        (CorpusSettings(cloud=True, sensitivity="local_only"), "cloud services are not allowed"),
        (CorpusSettings(profile="nothing"), "nothing"),
        (CorpusSettings(plugin="nothing"), "nothing"),
    ],
)
def test_settings_that_are_unknown_or_contradict_each_other_are_refused(library, settings, message):
    library.corpora.create("cases")
    for make in (library.corpora.create, library.corpora.update):
        with pytest.raises(UsageError, match=message):
            make("cases", settings)
    assert library.corpora.get("cases").settings == CorpusSettings()


def test_a_name_is_given_once_and_an_unknown_one_is_refused(library):
    library.corpora.create("cases")
    with pytest.raises(UsageError, match="already"):
        library.corpora.create("cases")
    with pytest.raises(UsageError, match="no corpus 'papers'"):
        library.corpora.update("papers", CorpusSettings())
    everything = {"profile": None, "chunking_config_version": None, "overrides": {}, "plugin": None}
    with pytest.raises(UsageError, match="no corpus with the id"):
        library.context.index.corpora.update("0" * 32, policy=PolicyContext(), **everything)
