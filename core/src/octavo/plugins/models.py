"""Builds the models that cross between host and worker, when it is imported.

A model builds its validator when it is first used. In the process that workers are forked from, this does it once for
all of them.
"""

from __future__ import annotations

from octavo_contracts import ErrorRecord

from ..builtins.classification.inspection import Inspection, InspectRequest
from .worker import ARGUMENT_MODELS, RETURN_MODELS

BUILT = tuple(
    model
    for model in (
        ErrorRecord,
        Inspection,
        InspectRequest,
        *(model for arguments in ARGUMENT_MODELS.values() for model in arguments.values()),
        *RETURN_MODELS.values(),
    )
    if model is not None
)
"""The models, ready."""

for _model in BUILT:
    _model.model_rebuild()
