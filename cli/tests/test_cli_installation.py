"""The commands about the installation: plugins, doctor, schema, completion, and the reference page; weights have a file of their own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import click
import pytest
from octavo.plugins import PluginSelection, load_catalogue
from octavo_cli.app import COMMANDS
from octavo_cli.installation.diagnostics import health
from octavo_cli.installation.reference import InstalledCommand, render
from octavo_cli.toolkit.installed_commands import distributions_of, find_commands, load_command
from octavo_contracts import REASONS, ExitCode
from octavo_contracts.schema import SCHEMA_MODELS, load_schema

FAKE_VECTORS = Path(__file__).parents[2] / "plugins/features/octavo-library/tests/search/fake_vectors.py"


def by_name(items: list[dict]) -> dict[str, dict]:
    return {item["name"]: item for item in items}


def test_plugins_are_loaded_in_a_worker_and_described(octavo):
    ended = octavo("plugins", "--json")
    assert ended.code == ExitCode.OK
    plugin = by_name(ended.json["plugins"])["pdfium"]
    assert (plugin["loads"], plugin["problem"], plugin["missing"]) == (True, None, None)
    assert plugin["engine"]["installed"] == metadata.version("pypdfium2")
    assert "page_ranges" in plugin["capabilities"]
    assert "application/pdf" in plugin["media_types"]


def test_plugins_without_check_reads_manifests_only(octavo):
    plugin = by_name(octavo("plugins", "--no-check", "--json").json["plugins"])["pdfium"]
    assert plugin["loads"] is None
    assert "not tried" in octavo("plugins", "--no-check").out


def test_plugins_as_a_table(octavo):
    ended = octavo("plugins")
    assert ended.out.splitlines()[0].split() == [
        "Plugin",
        "Version",
        "Engine",
        "Reads",
        "Hooks",
        "Capabilities",
        "State",
    ]
    assert ".pdf" in ended.out
    assert "loads" in ended.out


def test_a_plugin_that_can_not_be_imported_is_listed_with_its_cause(octavo, install):
    folder = install("fragile")
    (folder / "octavo_fragile" / "plugin.py").write_text("import no_such_module\n", encoding="utf-8")
    ended = octavo("plugins", "--json")
    plugin = by_name(ended.json["plugins"])["fragile"]
    assert plugin["loads"] is False
    assert plugin["problem"]["reason"] == "tool_unavailable"
    assert "no_such_module" in plugin["problem"]["message"]
    assert by_name(ended.json["plugins"])["pdfium"]["loads"] is True
    assert ended.code == ExitCode.OK
    checked = octavo("plugins", "--check")
    assert checked.code == ExitCode.TOOL_UNAVAILABLE
    assert "fragile fails: " in checked.out


def test_a_plugin_of_another_contract_is_a_failure_with_its_stage(octavo, install):
    install("ancient", contract="0.9")
    ended = octavo("plugins", "--json", "--check")
    assert by_name(ended.json["failures"])["ancient"]["stage"] == "contract"
    assert ended.code == ExitCode.TOOL_UNAVAILABLE
    assert "ancient (octavo-ancient 0.1) cannot be used (contract)" in octavo("plugins").out


def test_blocked_plugins_are_listed_and_no_failure(octavo, monkeypatch):
    monkeypatch.setenv("OCTAVO_BLOCK", "pdfium")
    ended = octavo("plugins", "--json", "--check")
    assert by_name(ended.json["failures"])["pdfium"]["stage"] == "blocked"
    assert "pdfium" not in by_name(ended.json["plugins"])
    assert ended.code == ExitCode.OK
    assert "is blocked" in octavo("plugins").out


def test_doctor_finds_a_good_installation_in_order(octavo):
    ended = octavo("doctor", "--json")
    assert ended.code == ExitCode.OK
    assert ended.json["ok"] is True
    assert list(ended.json) == [
        "ok",
        "versions",
        "plugins",
        "failures",
        "sandbox",
        "search",
        "weights",
        "disk",
        "servers",
        "unread",
    ]
    assert ended.json["versions"]["contract"] == "1.0"
    assert all(item["problems"] == [] and item["ms"] < 100 for item in ended.json["plugins"])
    assert ended.json["sandbox"]["level"] in {"process", "landlock", "seccomp", "landlock+seccomp"}
    assert ended.json["disk"]["free_bytes"] > 0
    assert ended.json["disk"]["exists"] is False


def test_doctor_for_people(octavo, documents):
    octavo("ingest", documents / "tides.md")
    ended = octavo("doctor")
    assert ended.out.startswith("octavo ")
    assert "Sandbox: " in ended.out
    assert "octavo-library, " in ended.out
    assert "not created yet" not in ended.out
    assert ended.out.endswith("run: octavo plugins --check\n")


def test_doctor_says_how_libraries_are_searched(octavo, install, monkeypatch):
    monkeypatch.setenv("OCTAVO_BLOCK", "vectors")
    facts = octavo("doctor", "--json").json
    assert (facts["ok"], facts["search"]["method"]) == (True, "fts")
    assert "no installed plugin creates vectors" in facts["search"]["problems"][0]
    shown = octavo("doctor").out
    assert (
        "Search: by words only\n  no installed plugin creates vectors\n  no installed plugin stores vectors. Run: "
        in shown
    )
    assert shown.count("[vectors]") == 1
    offers = (
        '[plugin.services]\nembedder = "octavo_near.plugin:make_embedder"\n'
        'vector_index = "octavo_near.plugin:make_vector_index"\n'
    )
    site = install("near", tail=offers)
    shutil.copy(FAKE_VECTORS, site / "octavo_near" / "plugin.py")
    assert octavo("doctor", "--json").json["search"] == {"method": "hybrid", "problems": []}
    assert octavo("doctor", "--bug-report").json["search"] == {"method": "hybrid"}
    assert "Search: by words and meanings\n" in octavo("doctor").out


def test_doctor_says_that_it_has_no_setting_of_that_name(octavo, install, monkeypatch):
    """A plugin may be made for a newer Octavo."""
    monkeypatch.setenv("OCTAVO_BLOCK", "vectors,spacy,whisper,faster-whisper,gliner,docling")
    install("newer", tail='[plugin.weights]\nsetting = "dreams.model"\n')
    (said,) = octavo("doctor", "--json").json["weights"]
    assert (said["found"], said["problem"]) == (False, "this version of Octavo has no setting dreams.model")


def test_doctor_says_whether_the_model_of_meanings_is_there(octavo, install, monkeypatch):
    monkeypatch.setenv("OCTAVO_BLOCK", "vectors,spacy,whisper,faster-whisper,gliner,docling")
    site = install("near", tail='[plugin.services]\nembedder = "octavo_near.plugin:make_embedder"\n')
    shutil.copy(FAKE_VECTORS, site / "octavo_near" / "plugin.py")
    assert octavo("doctor", "--json").json["weights"] == [
        {"plugin": "near", "setting": None, "path": None, "found": True, "problem": ""}
    ]
    assert "Weights:\n  near: found\n" in octavo("doctor").out


def test_doctor_names_what_is_missing_and_the_command_that_mends_it(octavo, install):
    program = '[[plugin.system]]\ncommand = "no-such-program"\ninstall = "apt install no-such-program"\n'
    install("needy", engine='distribution = "no-such"\nmodule = "no_such"\nversions = ">=2,<3"', tail=program)
    install("dated", engine='distribution = "pypdfium2"\nmodule = "pypdfium2"\nversions = ">=99"')
    install("bare", engine='distribution = "no-such"')
    ended = octavo("doctor", "--json")
    assert ended.code == ExitCode.TOOL_UNAVAILABLE
    plugins = by_name(ended.json["plugins"])
    assert plugins["needy"]["fixes"] == ["pip install 'no-such>=2,<3'", "apt install no-such-program"]
    assert plugins["needy"]["programs"] == [{"command": "no-such-program", "path": None}]
    assert plugins["bare"]["programs"] == []
    assert plugins["dated"]["problems"] == [f"pypdfium2 {metadata.version('pypdfium2')} is outside >=99"]
    assert plugins["dated"]["fixes"] == ["pip install 'pypdfium2>=99'"]
    assert plugins["bare"]["problems"] == ["the distribution 'no-such' is not installed"]
    shown = octavo("doctor").out
    assert "needy: the program 'no-such-program' is not on PATH\n  Run: apt install no-such-program" in shown
    assert shown.endswith("Something is missing; see above\n")


def test_doctor_says_when_a_range_can_not_be_read(octavo, install):
    install("odd", engine='distribution = "pypdfium2"\nmodule = "pypdfium2"\nversions = "newest"')
    (odd,) = [item for item in octavo("doctor", "--json").json["plugins"] if item["name"] == "odd"]
    assert "cannot be compared with the expected newest" in odd["problems"][0]


def test_doctor_without_plugins_says_how_to_get_one(octavo, monkeypatch):
    monkeypatch.setenv("OCTAVO_PLUGINS", "mcp")
    ended = octavo("doctor")
    assert ended.code == ExitCode.TOOL_UNAVAILABLE
    assert "Run: " in ended.out
    assert "octavo-plaintext" in ended.out
    assert "(blocked)" in ended.out


def test_health_checks_import_no_engine(octavo):
    code = (
        "import sys\n"
        "from octavo.plugins import load_catalogue\n"
        "from octavo_cli.installation.diagnostics import health\n"
        "names = [health(plugin).engine for plugin in load_catalogue()]\n"
        "assert 'pypdfium2' in names and 'pypdfium2' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_health_takes_well_under_a_tenth_of_a_second():
    times = [health(plugin).ms for plugin in load_catalogue(PluginSelection())]
    assert times
    assert max(times) < 100


def test_a_bug_report_names_no_document_folder_or_person(octavo, documents, install, tmp_path):
    folder = install("ancient", contract="0.9")
    octavo("ingest", documents, "--library", "secret-shelf")
    ended = octavo("doctor", "--bug-report", "--library", "secret-shelf")
    for word in ("secret-shelf", "tides", "papers", "Tides", str(folder), str(tmp_path), os.path.expanduser("~")):
        assert word not in ended.out
    assert ended.json["versions"]["octavo"]
    assert ended.json["failures"] == [{"name": "ancient", "stage": "contract"}]


@pytest.mark.parametrize("name", SCHEMA_MODELS)
def test_schema_prints_the_committed_schema(octavo, name):
    assert octavo("schema", name).json == load_schema(name)


def test_schema_without_a_name_lists_them(octavo):
    assert [line.split()[0] for line in octavo("schema").out.splitlines()] == list(SCHEMA_MODELS)
    assert octavo("schema", "--json").json == {"schemas": list(SCHEMA_MODELS)}


def test_an_unknown_schema_is_a_usage_error(octavo):
    ended = octavo("schema", "results")
    assert ended.code == ExitCode.USAGE
    assert "ingestion_result" in ended.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script_for_the_shell(octavo, shell):
    ended = octavo("completion", shell)
    assert ended.code == ExitCode.OK
    assert "_OCTAVO_COMPLETE" in ended.out


def test_an_unknown_shell_is_a_usage_error(octavo):
    assert octavo("completion", "cmd").code == ExitCode.USAGE


def test_completion_offers_the_commands(octavo_process):
    """What the printed script runs when the user presses the key."""
    env = {"_OCTAVO_COMPLETE": "bash_complete", "COMP_WORDS": "octavo reco", "COMP_CWORD": "1"}
    assert octavo_process(env=env).out.split() == ["plain,reconvert"]


def _installed() -> dict[str, InstalledCommand]:
    """The commands of the distributions that are installed here."""
    return {name: InstalledCommand(load_command(name), distributions_of(name)) for name in find_commands()}


def test_the_reference_covers_every_command_option_and_code():
    page = render(_installed())
    for name in (*COMMANDS, *find_commands()):
        assert f"\n## octavo {name}\n" in page
    for option in ("--library DIR", "--with PLUGIN", "--page-marks", "--bug-report", "--fail-on [degraded]"):
        assert f"`{option}`" in page or option in page
    for code in ExitCode:
        assert f"\n| {int(code)} | " in page
    for reason in REASONS:
        assert f"`{reason.value}`" in page
    assert page.count("### JSON") == 40


def test_the_reference_has_the_commands_of_the_features_that_it_is_given():
    """With their subcommands, in the list of all commands, and with what their module says of its JSON."""

    @click.group(name="weigh")
    def weigh():
        """Weigh documents."""

    @weigh.command(name="letter")
    @click.option("--grams", is_flag=True, help="In grams.")
    def letter(grams):
        """Weigh one letter."""

    page = render({"weigh": InstalledCommand(weigh, "octavo-scales")})

    assert "- [`octavo weigh`](#octavo-weigh): Weigh documents. (`octavo-scales`)" in page
    assert "\n## octavo weigh\n" in page
    assert "\n### octavo weigh letter\n" in page
    assert "| `--grams` | In grams. |" in page


def test_the_reference_is_the_same_whatever_the_environment(monkeypatch):
    page = render()
    for name, value in {"COLUMNS": "40", "NO_COLOR": "1", "OCTAVO_LIBRARY": "/elsewhere", "LANG": "de_DE"}.items():
        monkeypatch.setenv(name, value)
    assert render() == page


def test_documented_json_keys_are_those_that_are_printed(octavo, documents):
    """The page names every key of the first level of what the commands print."""
    page = render(_installed())
    octavo("ingest", documents)
    printed = [
        octavo("ingest", documents, "--json").json["summary"],
        octavo("show", documents / "tides.md", "--json").json["document"],
        octavo("list", "--json").json,
        octavo("plugins", "--no-check", "--json").json["plugins"][0],
        octavo("doctor", "--json").json,
    ]
    missing = [key for keys in printed for key in keys if f"`{key}`" not in page]
    assert missing == [], json.dumps(missing)
