"""The hook `classify`: a plugin's verdict is in force, and one that gives none harms no document (CLS-2, ENG-3)."""

import json

import octavo
import pytest
from octavo.runtime import Runtime
from octavo.settings.hooks import HookSettings
from octavo.settings.settings import Settings
from octavo_cli import main
from octavo_contracts import UsageError
from octavo_library import Library

CONVERTER = """\
from octavo_contracts import Conversion, Page, hookimpl

@hookimpl
def convert(source):
    text = "{name}: " + source.read_bytes().decode(errors="replace")
    return Conversion(pages=(Page(number=1, kind="whole", markdown=text, text=text),), paginated=False)
"""
CLASSIFIER = """\
import os, time
from octavo_contracts import *

@hookimpl
def classify(source, context):
    {body}
"""
COMPLAINT = (
    "return DocumentClassification(category=Category.PLAINTEXT, document_type='complaint', "
    "routing_type=RoutingType.HTML, classification_confidence={confidence}, has_exhibits=True)"
)
ROUTES = 'name = "two"\n[routes]\nplain_text = ["usual"]\nhtml = ["other"]\n'


@pytest.fixture
def profile(make_plugin, tmp_path):
    """Two converters, each for a routing type of its own."""
    for name in ("usual", "other"):
        make_plugin(name, CONVERTER.format(name=name), media_types=["text/plain", "text/html"])
    path = tmp_path / "two.toml"
    path.write_text(ROUTES)
    return str(path)


def classifier(make_plugin, name="sorter", body=None, **options):
    body = COMPLAINT.format(confidence=0.9) if body is None else body
    make_plugin(name, CLASSIFIER.format(body=body), hooks=["classify"], **options)


def convert(profile, data=b"Dear court,", name="letter.txt", **settings):
    with Runtime(Settings(workers=1, profile=profile, **settings)) as runtime:
        return octavo.convert(data, name=name, runtime=runtime)


def asked(result):
    return [(one.plugin, one.hook, one.outcome) for one in result.attempts]


def who(result):
    return result.classification.extensions["octavo.classified_by"]


def test_without_a_plugin_the_builtin_verdict_stands_and_costs_no_call(profile):
    result = convert(profile).result
    assert who(result) == "builtin"
    assert asked(result) == [("usual", "convert", "ok")]


def test_a_plugin_decides_type_and_route(make_plugin, profile):
    classifier(make_plugin)
    made = convert(profile)
    result = made.result
    assert made.text == "other: Dear court,"
    assert result.document_type == result.classification.document_type == "complaint"
    assert (result.classification.routing_type, result.classification.has_exhibits) == ("html", True)
    assert result.quality_report.selected_tool_reason == "place 1 for html in profile two"
    assert who(result) == "sorter"
    assert asked(result) == [("sorter", "classify", "ok"), ("other", "convert", "ok")]
    assert result.attempts[0].chosen_because == "judges text/plain, priority 99"


def test_the_library_stores_what_a_plugin_said(make_plugin, profile, tmp_path):
    classifier(make_plugin)
    with Library.open(tmp_path / "library", settings=Settings(workers=1, profile=profile)) as library:
        document = library.ingest(b"Dear court,", name="letter.txt").document
        assert document.document_type == "complaint"
        assert library.context.index.documents.get(document.id).document_type == "complaint"
    with Library.open(tmp_path / "library") as library:
        result = library.document(document.id).result
        assert (result.document_type, who(result)) == ("complaint", "sorter")
        assert result.quality_report.selected_tool == "other"
        assert asked(result)[0] == ("sorter", "classify", "ok")


def test_the_command_line_shows_who_classified(make_plugin, profile, tmp_path, monkeypatch, capfd):
    classifier(make_plugin)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "letter.txt").write_text("Dear court,")
    assert main(["convert", "letter.txt", "--profile", profile, "--json"]) == 0
    shown = json.loads(capfd.readouterr().out)["result"]
    assert main(["ingest", "letter.txt", "--profile", profile]) == 0
    capfd.readouterr()
    assert main(["show", "letter.txt", "--json"]) == 0
    stored = json.loads(capfd.readouterr().out)["result"]
    for result in (shown, stored):
        assert result["document_type"] == "complaint"
        assert result["classification"]["extensions"]["octavo.classified_by"] == "sorter"
        assert result["attempts"][0]["plugin"] == "sorter"


def test_a_plugin_is_asked_for_its_media_types_alone(make_plugin, profile):
    classifier(make_plugin, media_types=["text/html"])
    assert who(convert(profile).result) == "builtin"
    assert who(convert(profile, b"<html><body>Dear", name="letter.html").result) == "sorter"


def test_a_plugin_without_media_types_is_asked_for_every_type(make_plugin, profile):
    manifest = (
        '[plugin]\nname = "sorter"\ncontract = "1.0"\ndescription = "Of everything."\nhooks = ["classify"]\n'
        '[plugin.engine]\nlicence = "Apache-2.0"\n'
    )
    classifier(make_plugin, manifest=manifest)
    assert who(convert(profile).result) == "sorter"


def test_the_next_one_is_asked_where_a_plugin_has_no_opinion(make_plugin, profile):
    classifier(make_plugin, "silent", "return None", priority=100)
    classifier(make_plugin)
    result = convert(profile).result
    assert who(result) == "sorter"
    assert [one.plugin for one in result.attempts] == ["silent", "sorter", "other"]
    assert result.attempts[0].details == "no opinion on this document"


@pytest.mark.parametrize(
    ("order", "said"),
    [(("second", "first"), "second"), (("first",), "first"), (("builtin", "first"), "builtin"), ((), "builtin")],
)
def test_the_settings_put_plugins_in_order(make_plugin, profile, order, said):
    classifier(make_plugin, "first", priority=100)
    classifier(make_plugin, "second")
    result = convert(profile, hooks=HookSettings(classify=order)).result
    assert who(result) == said
    if said != "builtin":
        assert result.attempts[0].chosen_because == "place 1 in hooks.classify"


def test_a_profile_puts_plugins_in_an_order_of_its_own(make_plugin, profile, tmp_path):
    classifier(make_plugin, "first", priority=100)
    classifier(make_plugin, "second")
    path = tmp_path / "court.toml"
    path.write_text(ROUTES + '[hooks]\nclassify = ["second"]\n')
    result = convert(str(path), hooks=HookSettings(classify=("first",))).result
    assert who(result) == "second"
    assert result.attempts[0].chosen_because == "place 1 in hooks.classify of profile two"
    assert who(convert(profile, hooks=HookSettings(classify=("first",))).result) == "first"


def test_a_profile_that_orders_another_hook_is_refused(tmp_path):
    path = tmp_path / "court.toml"
    path.write_text('[hooks]\nconvert = ["first"]\n')
    with pytest.raises(UsageError, match=r"\[hooks\] has convert; expected classify and score_quality"):
        octavo.convert(b"x", name="a.txt", profile=str(path))


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("os._exit(3)", "converter_crashed"),
        ("raise ValueError('no')", "converter_crashed"),
        ("raise SourceCorrupt('no end')", "source_corrupt"),
        ("return 'complaint'", "doc25_contract_violation"),
        (
            "return DocumentClassification(category=Category.PLAINTEXT, classification_confidence=2.0)",
            "doc25_contract_violation",
        ),
        (
            "return DocumentClassification(category=Category.PLAINTEXT, classification_confidence=1.0, document_type='A B')",
            "doc25_contract_violation",
        ),
        ("time.sleep(60)", "conversion_timeout"),
    ],
)
def test_a_plugin_that_fails_is_recorded_and_fails_no_document(make_plugin, profile, body, reason):
    classifier(make_plugin, "bad", body)
    result = convert(profile, hooks=HookSettings(seconds=2.0)).result
    assert result.ingestion_status == "complete"
    assert (who(result), result.quality_report.selected_tool) == ("builtin", "usual")
    tried = [one for one in result.attempts if one.hook == "classify"]
    assert {one.outcome for one in tried} == {"failed"}
    assert tried[-1].reason_code == reason
    assert tried[-1].details


def test_a_doubtful_verdict_is_of_no_type(make_plugin, profile):
    """CLS-6: below 0.5 a document is unclassified."""
    classifier(make_plugin, body=COMPLAINT.format(confidence=0.3))
    result = convert(profile).result
    assert (result.document_type, result.classification.routing_type) == ("unknown", "html")


def test_facts_that_the_host_observed_stay(make_plugin, profile):
    body = (
        "return DocumentClassification(category=Category.PLAINTEXT, document_type='complaint', "
        "classification_confidence=0.9, media_type='text/html', mismatch='so', decided_by='manual')"
    )
    classifier(make_plugin, body=body)
    seen = convert(profile).result.classification
    assert (seen.media_type, seen.mismatch, seen.decided_by) == ("text/plain", None, "automatic")
    assert seen.routing_type == "plain_text"  # it said none
    assert seen.estimated_tokens is not None  # it left that out


def test_a_type_that_a_user_set_is_stronger(make_plugin, profile, tmp_path):
    """CLS-6: a manual type is never overwritten."""
    with Library.open(tmp_path / "library", settings=Settings(workers=1, profile=profile)) as library:
        document = library.ingest(b"Dear court,", name="letter.txt").document
        document.set_type("contract")
        classifier(make_plugin)
    with Library.open(tmp_path / "library", settings=Settings(workers=1, profile=profile)) as library:
        document = library.document(document.id)
        document.reconvert()
        again = library.document(document.id).result
        assert (again.document_type, again.classification.document_type) == ("contract", "complaint")
        assert again.quality_report.selected_tool == "usual"


def test_no_plugin_may_take_the_builtin_name(make_plugin, runtime):
    classifier(make_plugin, "builtin")
    assert "builtin" not in runtime.catalogue
    (failure,) = [one for one in runtime.catalogue.failures if one.name == "builtin"]
    assert (failure.stage, failure.message) == ("name", "the name 'builtin' is reserved")


def test_a_structure_without_a_verdict_decides_nothing_and_is_compared(make_plugin, profile):
    """An answer of confidence 0 with a structure: the next plugin decides, and what the markdown lacks is named."""
    counted = (
        "return DocumentClassification(category=Category.PLAINTEXT, classification_confidence=0.0, "
        "structure=SourceStructure(parts=(SourcePart(kind='note', text='At the foot'),)))"
    )
    classifier(make_plugin, "counter", counted, priority=100)
    classifier(make_plugin)
    made = convert(profile)
    result = made.result
    assert who(result) == "sorter"
    assert result.classification.structure is None
    assert asked(result) == [
        ("counter", "classify", "ok"),
        ("sorter", "classify", "ok"),
        ("other", "convert", "ok"),
    ]
    assert "notes_lost" in result.quality_report.degraded_flags
