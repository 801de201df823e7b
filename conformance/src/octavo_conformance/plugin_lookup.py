"""Finds an installed plugin by its name, among engines and features."""

from __future__ import annotations

from octavo.plugins import Catalogue, load_catalogue
from octavo_contracts import FEATURES_GROUP


def catalogue_with(name: str) -> Catalogue:
    """Return the engines or, for the name of a feature, the features: plugins that offer services alone."""
    engines = load_catalogue()
    if name in engines or any(failure.name == name for failure in engines.failures):
        return engines
    features = load_catalogue(group=FEATURES_GROUP)
    known = name in features or any(failure.name == name for failure in features.failures)
    return features if known else engines
