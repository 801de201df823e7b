"""For each command: minimal arguments, and for each option a value that differs from the default."""

from . import conformance, library, reading, research
from .model import On, Recipe, Without

__all__ = ["RECIPES", "On", "Recipe", "Without"]

RECIPES: dict[str, Recipe] = {**reading.RECIPES, **conformance.RECIPES, **library.RECIPES, **research.RECIPES}
