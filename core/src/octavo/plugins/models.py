"""Builds the validators of models that cross between host and worker when it is imported.

Pydantic builds a model's validator at first use. Importing this module in the process that workers are forked from does
it once for all workers.
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
"""The models, with their validators built."""

for _model in BUILT:
    _model.model_rebuild()
