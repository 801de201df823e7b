"""Services by kind and name: found by manifest, imported when asked for, each failing for itself alone."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from dataclasses import FrozenInstanceError
from importlib import metadata
from pathlib import Path

import pytest
from octavo.plugins import Catalogue
from octavo.plugins.services import Services, load_services
from octavo_contracts import ContractViolation, Scorer, ToolUnavailable, UsageError
from octavo_digest import KeywordScorer, PlainDigestor
from octavo_digest.archiving import ArchivingDigestor
from octavo_digest.choosing import DigestOptions, StructuredDigestor, choose_digestor, choose_scorer

MANIFEST = """
[plugin]
name = "{name}"
contract = "1.0"
description = "A feature of the tests."
priority = {priority}
[plugin.engine]
licence = "MIT"
{module}
[plugin.services]
{kind} = "octavo_{name}_of_tests.made:make"
"""

SCORER = """
class Reversed:
    name = "reversed/v1"
    def score(self, query, chunks):
        return [place / max(1, len(chunks)) for place in range(len(chunks))]
def make():
    return Reversed()
"""

Install = Callable[..., Services]


@pytest.fixture
def features(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Makes packages that offer services, and finds them."""
    monkeypatch.syspath_prepend(tmp_path)
    points: list[metadata.EntryPoint] = []

    def add(name: str, code: str, *, kind: str = "scorer", priority: int = 50, module: str = "") -> Services:
        package = tmp_path / f"octavo_{name}_of_tests"
        package.mkdir()
        (package / "__init__.py").touch()
        (package / "made.py").write_text(code, encoding="utf-8")
        text = MANIFEST.format(name=name, kind=kind, priority=priority, module=module)
        (package / "octavo-plugin.toml").write_text(text, encoding="utf-8")
        importlib.invalidate_caches()
        points.append(metadata.EntryPoint(name, f"octavo_{name}_of_tests.made", "octavo.features"))
        return load_services(features=points, engines=Catalogue(()))

    yield add
    for name in [name for name in sys.modules if name.partition(".")[0].endswith("_of_tests")]:
        del sys.modules[name]


def test_a_service_is_found_without_being_imported_and_made_when_asked(features: Install) -> None:
    services = features("reversed", SCORER)

    found = services.find("scorer")

    assert found is not None
    assert (found.kind, found.name) == ("scorer", "reversed")
    assert isinstance(found.make(), Scorer)
    assert services.find("digestor") is None


def test_priority_then_name_decides_and_a_name_is_stronger(features: Install) -> None:
    features("b", SCORER)
    features("a", SCORER)
    services = features("z", SCORER, priority=90)

    assert [service.name for service in services.of_kind("scorer")] == ["z", "a", "b"]
    chosen = services.find("scorer", "b")
    assert chosen is not None
    assert chosen.name == "b"


def test_unknown_kinds_and_names_are_said_with_those_there_are(features: Install) -> None:
    services = features("reversed", SCORER)

    with pytest.raises(UsageError, match="digestor, embedder"):
        services.of_kind("barista")
    with pytest.raises(UsageError, match="available: reversed"):
        services.find("scorer", "forward")


@pytest.mark.parametrize(
    ("code", "error", "said"),
    [
        ("raise RuntimeError('no')", ToolUnavailable, "cannot be loaded: RuntimeError: no"),
        ("import no_such_module_at_all", ToolUnavailable, "cannot be loaded"),
        ("other = 1", ToolUnavailable, "cannot be loaded: AttributeError"),
        ("def make():\n    raise ValueError('no')", ToolUnavailable, "cannot be created: ValueError"),
        (
            "from octavo_contracts import UsageError\ndef make():\n    raise UsageError('set it up first')",
            UsageError,
            "set it up first",
        ),
        ("def make():\n    return 3", ContractViolation, "is a int and lacks methods of Scorer"),
    ],
)
def test_a_service_that_fails_harms_no_other(features: Install, code: str, error: type, said: str) -> None:
    features("good", SCORER)
    services = features("bad", code)

    bad = services.find("scorer", "bad")
    assert bad is not None
    with pytest.raises(error, match=said) as caught:
        bad.make()
    assert caught.value.plugin == "bad"
    good = services.find("scorer", "good")
    assert good is not None
    assert good.make().name == "reversed/v1"


def test_a_missing_engine_is_named_before_anything_is_imported(features: Install) -> None:
    services = features("heavy", "raise RuntimeError", module='module = "no_such_engine"')

    found = services.find("scorer", "heavy")
    assert found is not None
    with pytest.raises(ToolUnavailable, match="no_such_engine"):
        found.make()


def test_a_feature_that_can_not_be_read_is_told_when_it_is_asked_for(tmp_path: Path) -> None:
    broken = metadata.EntryPoint("broken", "octavo_nowhere_of_tests.plugin", "octavo.features")

    services = load_services(features=[broken], engines=Catalogue(()))

    with pytest.raises(UsageError, match="cannot be used"):
        services.find("scorer", "broken")


def test_settings_go_to_a_factory_that_takes_them_and_to_no_other(features: Install) -> None:
    taking = "class S:\n    name = 'x'\n    def score(self, q, c): return []\n"
    features("plain", taking + "def make():\n    return S()")
    services = features("set", taking + "def make(settings):\n    s = S()\n    s.name = str(settings)\n    return s")

    plain, set_ = services.find("scorer", "plain"), services.find("scorer", "set")
    assert plain is not None
    assert set_ is not None
    assert set_.make({"a": 1}).name == "{'a': 1}"
    assert set_.make().name == "{}"
    assert plain.make({}).name == "x"
    with pytest.raises(UsageError, match="takes no settings; it was given a"):
        plain.make({"a": 1})


def test_a_scorer_is_chosen_by_its_own_name(features: Install) -> None:
    services = features("reversed", SCORER)

    assert isinstance(choose_scorer(services, "keyword/v1"), KeywordScorer)
    assert choose_scorer(services, "reversed/v1").name == "reversed/v1"
    for unknown in ("sideways/v1", "ahead/v1"):
        with pytest.raises(UsageError, match=f"unknown scorer '{unknown}'"):
            choose_scorer(services, unknown)


def test_equal_options_share_one_digestor() -> None:
    """They are the key under which it is kept, and so cannot be changed."""
    kept = {DigestOptions(scorer="keyword/v1", others=(("model", "m"),)): "made before"}

    assert kept[DigestOptions(scorer="keyword/v1", others=(("model", "m"),))] == "made before"
    assert DigestOptions(scorer="keyword/v1") not in kept
    with pytest.raises(FrozenInstanceError):
        next(iter(kept)).scorer = "bm25/v1"  # type: ignore[misc]  # what is tried


def test_by_default_options_ask_for_a_digest_that_no_cloud_sees_and_keep_no_archive() -> None:
    """CNV-15: nothing leaves the machine unless its user turned it on."""
    assert DigestOptions().as_settings() == {"policy": "always", "cloud": False}


def test_the_first_setting_that_the_cores_digestor_lacks_is_named() -> None:
    with pytest.raises(UsageError, match="no setting 'first'") as caught:
        choose_digestor(Services(()), DigestOptions(others=(("first", 1), ("second", 2))))
    assert "pip install octavo-digest" in caught.value.remedy


DIGESTOR = """
from octavo_contracts import DigestOutcome
class Digestor:
    def __init__(self, settings): self.settings = settings
    async def digest_text(self, text, query, *, source_id):
        return DigestOutcome(payload=None, status="skipped", reason=str(sorted(self.settings.items())))
def make(settings):
    return Digestor(settings)
"""


def test_a_plugins_digestor_wins_and_the_cores_is_there_by_name(features: Install, tmp_path: Path) -> None:
    services = features("mine", DIGESTOR, kind="digestor")
    options = DigestOptions(archive_dir=tmp_path, scorer="keyword/v1", others=(("llm_model", "m"),))

    chosen = choose_digestor(services, options)

    assert dict(chosen.settings) == {  # type: ignore[attr-defined]  # the class above
        "policy": "always",
        "cloud": False,
        "scorer": "keyword/v1",
        "archive_dir": str(tmp_path),
        "llm_model": "m",
    }
    assert not isinstance(chosen, StructuredDigestor)
    core = choose_digestor(services, DigestOptions(), name="core")
    assert isinstance(core, PlainDigestor)
    assert isinstance(core, StructuredDigestor)
    assert isinstance(choose_digestor(services, DigestOptions(archive_dir=tmp_path), name="core"), ArchivingDigestor)
    with pytest.raises(UsageError, match="no setting 'llm_model'"):
        choose_digestor(services, options, name="core")


def test_without_a_plugin_the_core_digests() -> None:
    nothing = Services(())

    assert isinstance(choose_digestor(nothing, DigestOptions()), PlainDigestor)
    with pytest.raises(UsageError, match="available: none"):
        choose_digestor(nothing, DigestOptions(), name="mine")


def test_the_environments_own_services_are_found() -> None:
    assert isinstance(load_services(), Services)
