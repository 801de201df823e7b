"""The cost of the paid calls that a conversion made: pages that a service across the network read (ENG-16, ENG-27)."""

from __future__ import annotations

from collections.abc import Sequence

from octavo.conversion.ocr.remote import is_remote
from octavo.plugins import Catalogue
from octavo_contracts import Attempt


def cost_of(attempts: Sequence[Attempt], catalogue: Catalogue, *, price: float) -> float:
    """The cost of a conversion, in US dollars.

    A page that a cache held makes no call. A call that failed after the page was sent is charged too, as services do; one that
    the gate refused was never sent.

    Args:
        attempts: the calls of the conversion.
        catalogue: the installed plugins.
        price: price of a page.
    """
    paid = {plugin.name for plugin in catalogue if is_remote(plugin)}
    calls = (one for one in attempts if one.hook == "ocr" and one.plugin in paid)
    return price * sum(one.reason_code not in _NEVER_SENT for one in calls)


_NEVER_SENT = ("policy_refused", "tool_unavailable", "auth_unavailable")
