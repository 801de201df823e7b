"""Which plugins are installed, by their manifests alone; a bad one harms nobody."""

import importlib
import sys

import pytest
from octavo.plugins import PluginSelection, load_catalogue
from octavo.plugins.services import load_services
from octavo_cli.toolkit.installed_commands import find_commands
from octavo_contracts import UsageError


def names(catalogue):
    return [plugin.name for plugin in catalogue]


def failure(catalogue, name):
    return next(item for item in catalogue.failures if item.name == name)


def test_an_installed_plugin_is_found_and_not_imported(make_plugin, good_plugin):
    make_plugin("alpha", good_plugin)
    catalogue = load_catalogue(PluginSelection())
    assert "alpha" in catalogue
    plugin = catalogue.get("alpha")
    assert (plugin.distribution, plugin.manifest.version) == ("octavo-alpha", "1.2")
    assert "octavo_alpha.plugin" not in sys.modules


def test_order_is_priority_then_name(make_plugin, good_plugin):
    make_plugin("zeta", good_plugin, priority=100)
    make_plugin("beta", good_plugin, priority=99)
    make_plugin("alpha", good_plugin, priority=99)
    made = [name for name in names(load_catalogue(PluginSelection())) if name in ("alpha", "beta", "zeta")]
    assert made == ["zeta", "alpha", "beta"]


@pytest.mark.parametrize(
    ("options", "stage", "words"),
    [
        ({"contract": "2.0"}, "contract", "needs contract 2.0; this host supports 1.0"),
        ({"contract": "1.1"}, "contract", "needs contract 1.1"),
        ({"contract": "one"}, "manifest", "MAJOR.MINOR"),
        ({"manifest": "[plugin"}, "manifest", "is not TOML"),
        ({"manifest": "[tool]\n"}, "manifest", "has no [plugin] table"),
        ({"hooks": ["convrt"]}, "manifest", "hooks"),
        ({"entry_name": "other"}, "name", "the manifest has the name 'alpha', the entry point 'other'"),
    ],
)
def test_a_bad_plugin_is_reported_with_its_stage_and_the_others_load(make_plugin, good_plugin, options, stage, words):
    make_plugin("alpha", good_plugin, **options)
    make_plugin("gamma", good_plugin)
    catalogue = load_catalogue(PluginSelection())
    found = failure(catalogue, options.get("entry_name", "alpha"))
    assert found.stage == stage
    assert words in found.message
    assert found.remedy
    assert "gamma" in catalogue


@pytest.mark.parametrize("group", ["octavo", "octavo.features"])
def test_an_entry_point_that_names_no_module_harms_no_other(make_plugin, good_plugin, group):
    """A hyphen where a module's name has none: Python itself gives up on such a text."""
    make_plugin("gamma", good_plugin)
    site = make_plugin("delta", good_plugin).parent
    (site / "octavo_delta-1.2.dist-info" / "entry_points.txt").write_text(f"[{group}]\ndelta = octavo-delta.plugin\n")
    importlib.invalidate_caches()

    assert "gamma" in load_catalogue(PluginSelection())
    services = load_services(PluginSelection())
    failures = load_catalogue(PluginSelection()).failures if group == "octavo" else services.failures
    (found,) = [failure for failure in failures if failure.name == "delta"]
    assert (found.stage, found.message) == ("manifest", "the entry point names no module: 'octavo-delta.plugin'")
    find_commands.cache_clear()
    assert "delta" not in find_commands()
    find_commands.cache_clear()


def test_a_missing_manifest_is_reported(make_plugin, good_plugin):
    (make_plugin("alpha", good_plugin) / "octavo-plugin.toml").unlink()
    assert "has no octavo-plugin.toml" in failure(load_catalogue(PluginSelection()), "alpha").message


def test_allow_and_block_lists_come_from_the_environment(make_plugin, good_plugin):
    make_plugin("alpha", good_plugin)
    make_plugin("beta", good_plugin)
    selection = PluginSelection.from_environment({"OCTAVO_PLUGINS": "alpha, beta", "OCTAVO_BLOCK": "beta"})
    catalogue = load_catalogue(selection)
    assert names(catalogue) == ["alpha"]
    assert failure(catalogue, "beta").stage == "blocked"


def test_strict_raises_for_a_bad_plugin_but_not_for_a_blocked_one(make_plugin, good_plugin):
    make_plugin("alpha", good_plugin)
    strict = PluginSelection(allow=frozenset({"library"}), strict=True)
    assert names(load_catalogue(strict)) == []
    make_plugin("beta", good_plugin, contract="9.0")
    with pytest.raises(UsageError, match=r"plugin beta: the plugin needs contract 9\.0"):
        load_catalogue(PluginSelection(strict=True))


def test_an_unknown_name_is_answered_with_close_ones(make_plugin, good_plugin):
    make_plugin("alphabet", good_plugin)
    with pytest.raises(UsageError, match="did you mean alphabet"):
        load_catalogue(PluginSelection()).get("alphabat")


def test_a_failed_plugin_asked_for_by_name_says_why(make_plugin, good_plugin):
    make_plugin("alpha", good_plugin, contract="3.0")
    with pytest.raises(UsageError, match=r"'alpha' cannot be used: the plugin needs contract 3\.0"):
        load_catalogue(PluginSelection()).get("alpha")


def test_a_missing_engine_or_program_is_told_without_importing_anything(make_plugin, good_plugin):
    more = '[plugin.limits]\n[[plugin.system]]\ncommand = "no-such-program"\ninstall = "apt install nothing"'
    make_plugin("alpha", good_plugin, more=more)
    assert "apt install nothing" in (load_catalogue(PluginSelection()).get("alpha").missing() or "")


def test_the_fingerprint_follows_the_set_of_plugins(make_plugin, good_plugin):
    before = load_catalogue(PluginSelection()).fingerprint()
    make_plugin("alpha", good_plugin)
    assert load_catalogue(PluginSelection()).fingerprint() != before
