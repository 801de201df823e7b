"""`pytest --pyargs octavo_conformance.suite --octavo-plugin=NAME`: the suite as tests, from any folder."""

from __future__ import annotations

import pytest

from .kit import ConverterConformance
from .vectors.stored import FAMILIES


class TestPlugin(ConverterConformance):
    """The tests of the plugin named on the command line."""

    @pytest.fixture(autouse=True)
    def _options(self, request: pytest.FixtureRequest) -> None:
        options = request.config.option
        if not options.octavo_plugin:
            pytest.fail("name the plugin: --octavo-plugin=NAME", pytrace=False)
        cls = type(self)
        cls.plugin, cls.level, cls.seed = options.octavo_plugin, options.octavo_level, options.octavo_seed
        cls.families = frozenset(filter(None, options.octavo_vectors.split(",")))
        if unknown := sorted(cls.families.difference(FAMILIES)):
            pytest.fail(f"no vectors of {', '.join(unknown)}; the families are {', '.join(FAMILIES)}", pytrace=False)
