"""The summariser of a brief: a service that a plugin offers, by the plugin's name."""

from __future__ import annotations

from dataclasses import dataclass

from octavo.plugins.services import ServiceInfo, Services, blamed_on
from octavo_contracts import ContractViolation, Summariser, Summary

KIND = "summariser"


@dataclass(frozen=True)
class PluginSummariser:
    """A service `summariser`; whatever it raises is its plugin's failure.

    Attributes:
        info: who offers it.
        service: it.
    """

    info: ServiceInfo
    service: Summariser

    def summarise(self, text: str, *, query: str | None = None, max_chars: int = 2000) -> Summary:
        """See `octavo_contracts.Summariser`.

        Raises:
            OctavoError: the plugin failed.
            ContractViolation: its answer is no summary of the length asked for.
        """
        with blamed_on(self.info.plugin, kind=KIND):
            summary = self.service.summarise(text, query=query, max_chars=max_chars)
        if not isinstance(summary, Summary):
            raise ContractViolation(
                f"its {KIND} returned a {type(summary).__name__}; expected Summary", plugin=self.info.name
            )
        if len(summary.text) > max_chars:
            raise ContractViolation(
                f"its {KIND} returned {len(summary.text)} characters; at most {max_chars} were asked for",
                plugin=self.info.name,
            )
        return summary


def summariser_named(services: Services, name: str) -> PluginSummariser:
    """The summariser that a plugin offers.

    Raises:
        UsageError: no plugin of that name offers one; the message names those that do.
        ToolUnavailable: it cannot be imported or made.
        ContractViolation: it is no summariser.
    """
    info = services.find(KIND, name)
    assert info is not None  # with a name, it is found or refused
    return PluginSummariser(info, info.make())
