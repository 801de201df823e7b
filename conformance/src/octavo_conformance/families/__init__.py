"""The checks, one module a family. Importing this package fills `octavo_conformance.checks.REGISTRY`."""

from __future__ import annotations

# The order is that of the registry: a check is defined after those that it requires.
from . import loading as _loading  # isort: skip
from . import schema as _schema  # isort: skip
from . import spans as _spans  # isort: skip
from . import pages as _pages  # isort: skip
from . import errors as _errors  # isort: skip
from . import mutation as _mutation  # isort: skip
from . import isolation as _isolation  # isort: skip
from . import determinism as _determinism  # isort: skip
from . import resources as _resources  # isort: skip
from . import golden as _golden  # isort: skip
from . import classification as _classification  # isort: skip
from . import ocr as _ocr  # isort: skip
from . import entities as _entities  # isort: skip
from . import quality as _quality  # isort: skip
from . import results as _results  # isort: skip
from . import digests as _digests  # isort: skip

__all__: list[str] = []
