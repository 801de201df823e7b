"""Which plugin converts, and why (CNV-1, CNV-2)."""

from pathlib import Path

import pytest
from octavo.conversion.routing import SUGGESTIONS, plan_route
from octavo.plugins import PluginSelection, load_catalogue
from octavo.profiles.profile import SHIPPED_PROFILES, load_profile, parse_profile
from octavo_contracts import RoutingType, ToolUnavailable, UnsupportedFormat, UsageError

ROOT = Path(__file__).resolve().parents[3]
PROFILE = 'name = "t"\n[routes]\nplain_text = ["first", "second", "absent"]\n[escalate]\nother = ["heavy"]\n'


@pytest.fixture
def installed(make_plugin, good_plugin):
    for name, priority in (("first", 10), ("second", 90), ("third", 20), ("fourth", 30), ("heavy", 1)):
        make_plugin(name, good_plugin, media_types=["text/x-test"], priority=priority)
    return load_catalogue(PluginSelection())


def route(catalogue, profile=PROFILE, **more):
    options = {"media_type": "text/x-test", "routing_type": RoutingType.PLAIN_TEXT, "name": "a.txt", **more}
    return plan_route(catalogue, parse_profile(profile, origin="t"), **options)


def test_the_profile_ranks_first_and_the_rest_follow_by_priority_and_name(installed):
    planned = route(installed)
    assert [item.plugin.name for item in planned.candidates] == ["first", "second", "fourth", "third", "heavy"]
    assert planned.candidates[0].because == "place 1 for plain_text in profile t"
    assert "not ranked by profile t" in planned.candidates[2].because


def test_a_ranked_plugin_that_is_not_installed_is_passed_over_and_recorded(installed):
    planned = route(installed, PROFILE.replace('"first", ', '"absent", "first", '))
    assert planned.passed_over[0] == "absent: not installed, or does not read this type"
    assert planned.candidates[0].because.endswith("; passed over absent")


def test_an_override_is_the_only_candidate(installed):
    planned = route(installed, overrides=[("third", "the caller"), ("second", "the corpus law")])
    assert [(item.plugin.name, item.because) for item in planned.candidates] == [("third", "the caller asked for it")]


def test_an_override_that_is_not_installed_is_a_usage_error(installed):
    with pytest.raises(UsageError, match="no plugin named 'nobody'"):
        route(installed, overrides=[("nobody", "the caller")])


def test_an_override_that_does_not_read_the_type_says_what_it_reads(installed):
    with pytest.raises(UnsupportedFormat, match=r"third does not read image/png.*It reads text/x-test"):
        route(installed, media_type="image/png", overrides=[("third", "the caller")])


def test_a_standing_wish_applies_where_it_can(installed):
    """CNV-1: what was set for a document or a corpus wins for what it reads, and takes nothing away from the rest."""
    both = [("nobody", "the user, for this document,"), ("third", "the corpus law")]
    planned = route(installed, standing=both)
    [chosen] = planned.candidates
    unmet = "the user, for this document, asked for nobody, which is not installed"
    assert (chosen.plugin.name, chosen.because) == ("third", f"the corpus law asked for it; {unmet}")
    assert planned.is_wish
    assert planned.passed_over == (unmet,)


def test_a_standing_wish_for_another_type_leaves_the_profiles_route(installed, make_plugin, good_plugin):
    make_plugin("images", good_plugin, media_types=["image/png"])
    catalogue = load_catalogue(PluginSelection())
    planned = route(catalogue, standing=[("images", "the corpus law")])
    assert [item.plugin.name for item in planned.candidates] == ["first", "second", "fourth", "third", "heavy"]
    assert [item.plugin.name for item in planned.escalation] == ["heavy"]
    assert not planned.is_wish
    unmet = "the corpus law asked for images, which does not read text/x-test"
    assert planned.candidates[0].because == f"place 1 for plain_text in profile t; {unmet}"
    assert unmet in planned.passed_over


@pytest.mark.parametrize(
    ("media_type", "name", "words"),
    [
        ("image/x-odd", "a.odd", r"no installed plugin reads image/x-odd \(\.odd\).*pip install octavo-pillow"),
        ("audio/x-odd", "a.aud", r"audio/x-odd \(\.aud\).*pip install 'octavo-faster-whisper\[model\]'"),
        ("application/x-odd", "a", r"\(no extension\).*Export it as PDF, DOCX or text"),
    ],
)
def test_an_unsupported_format_names_extension_type_and_a_plugin_that_would(installed, media_type, name, words):
    with pytest.raises(UnsupportedFormat, match=words):
        route(installed, media_type=media_type, name=name, routing_type=RoutingType.UNKNOWN)


def test_readers_without_their_engine_make_the_tool_unavailable(make_plugin, good_plugin):
    make_plugin(
        "broken",
        good_plugin,
        media_types=["text/x-other"],
        more='[plugin.limits]\n[[plugin.system]]\ncommand = "no-such-program"\ninstall = "apt install it"',
    )
    with pytest.raises(
        ToolUnavailable, match="broken: the program 'no-such-program' is not installed; run: apt install it"
    ):
        # A ranked reader that lacks its engine is passed over; one that nobody ranks is still the only reader.
        route(
            load_catalogue(PluginSelection()), 'name="t"\n[routes]\nplain_text=["broken"]\n', media_type="text/x-other"
        )


def test_escalation_lists_the_heavier_plugins_that_are_here(installed):
    assert [item.plugin.name for item in route(installed).escalation] == ["heavy"]


@pytest.mark.parametrize("name", SHIPPED_PROFILES)
def test_shipped_profiles_load(name):
    assert load_profile(name).name == name


@pytest.mark.parametrize("kind", ["text_native_pdf", "text_native_doc", "html", "markdown"])
def test_the_seed_profile_is_the_specification_to_the_letter(kind):
    seed = load_profile("seed")
    assert seed.routes[kind] == ("markitdown",)
    for heavy in ("scanned_pdf", "image_heavy_pdf", "table_heavy_filing"):
        assert seed.routes[heavy] == ("docling",)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[routes", "is not valid TOML"),
        ("[routes]\nodd = []", "unknown routing types: odd"),
        ("[routes]\nhtml = 'x'", "must be a list"),
        ("[escalate]\nodd = []", "expected pdf and other"),
        ("[escalate]\ntables = []", "expected pdf and other"),
    ],
)
def test_a_profile_that_is_none_is_refused(text, words):
    with pytest.raises(UsageError, match=words):
        parse_profile(text, origin="x")


def test_a_profile_may_be_a_file(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(PROFILE)
    assert load_profile(str(path)).name == "t"
    with pytest.raises(UsageError, match="no profile named"):
        load_profile(str(tmp_path / "absent.toml"))


def test_every_plugin_that_is_suggested_is_one_of_this_repository():
    """A remedy that names what cannot be had is none."""
    engines = {folder.name.removeprefix("octavo-") for folder in (ROOT / "plugins" / "engines").iterdir()}
    assert set(SUGGESTIONS.values()) <= engines
