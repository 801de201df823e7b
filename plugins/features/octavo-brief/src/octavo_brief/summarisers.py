"""The summariser of a brief: a plugin's service, looked up by the plugin's name."""

from __future__ import annotations

from typing import cast

from octavo.plugins.services import Services
from octavo_contracts import Summariser

KIND = "summariser"


def summariser_named(services: Services, name: str) -> Summariser:
    """Return the summariser of a plugin.

    Raises:
        UsageError: no plugin of that name offers a summariser; the message lists those that do.
        ToolUnavailable: the summariser cannot be imported or created.
        ContractViolation: the service is not a summariser.
    """
    info = services.find(KIND, name)
    assert info is not None  # a lookup by name succeeds or raises
    return cast(Summariser, info.make())
