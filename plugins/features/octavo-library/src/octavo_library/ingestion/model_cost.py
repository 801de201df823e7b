"""The cost of the paid calls that a conversion made: pages that a service across the network read (ENG-16, ENG-27)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from octavo.runtime import Runtime
from octavo_contracts import Attempt


def prices_of(runtime: Runtime) -> Mapping[str, float]:
    """Return the prices of a page in US dollars, by plugin: of those that send pages across the network and have a price.

    Args:
        runtime: plugins and settings.
    """
    selection, service_price = runtime.settings.plugins, runtime.settings.ocr.service_price
    given = selection.prices if selection is not None else {}
    if not given and service_price is None:
        return {}
    from octavo.conversion.ocr.remote import is_remote, needs_network

    prices = {plugin.name: given.get(plugin.name, service_price) for plugin in runtime.catalogue if is_remote(plugin)}
    prices |= {
        plugin.name: given[plugin.name]
        for plugin in runtime.catalogue.having("ocr")
        if needs_network(plugin) and plugin.name in given
    }
    return {name: price for name, price in prices.items() if price is not None}


def cost_of(attempts: Sequence[Attempt], prices: Mapping[str, float]) -> float | None:
    """Return the cost of a conversion, in US dollars; None without a price.

    A page that a cache held makes no call. A call that failed after the page was sent is charged too, as services do; one that
    the gate refused was never sent.

    Args:
        attempts: the calls of the conversion.
        prices: see `prices_of`.
    """
    if not prices:
        return None
    return sum(
        prices[one.plugin] * one.calls
        for one in attempts
        if one.hook == "ocr" and one.plugin in prices and one.reason_code not in _NEVER_SENT
    )


_NEVER_SENT = ("policy_refused", "tool_unavailable", "auth_unavailable")
