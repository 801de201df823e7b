"""The summariser of a brief: a plugin's service, looked up by the plugin's name."""

from __future__ import annotations

from dataclasses import dataclass

from octavo.plugins.services import ServiceInfo, Services, blamed_on
from octavo_contracts import ContractViolation, Summariser, Summary

KIND = "summariser"


@dataclass(frozen=True)
class PluginSummariser:
    """A service `summariser`; any exception that it raises is a failure of its plugin.

    Attributes:
        info: the plugin that offers it.
        service: the service.
    """

    info: ServiceInfo
    service: Summariser

    def summarise(self, text: str, *, query: str | None = None, max_chars: int = 2000) -> Summary:
        """See `octavo_contracts.Summariser`.

        Raises:
            OctavoError: the plugin failed.
            ContractViolation: its answer is not a summary, or is too long.
        """
        with blamed_on(self.info.plugin, kind=KIND):
            summary = self.service.summarise(text, query=query, max_chars=max_chars)
        if not isinstance(summary, Summary):
            raise ContractViolation(
                f"the {KIND} returned a {type(summary).__name__}; expected Summary", plugin=self.info.name
            )
        if len(summary.text) > max_chars:
            raise ContractViolation(
                f"the {KIND} returned {len(summary.text)} characters; the maximum is {max_chars}",
                plugin=self.info.name,
            )
        return summary


def summariser_named(services: Services, name: str) -> PluginSummariser:
    """Return the summariser of a plugin.

    Raises:
        UsageError: no plugin of that name offers a summariser; the message lists those that do.
        ToolUnavailable: the summariser cannot be imported or created.
        ContractViolation: the service is not a summariser.
    """
    info = services.find(KIND, name)
    assert info is not None  # a lookup by name succeeds or raises
    return PluginSummariser(info, info.make())
