"""The routing rules of a profile in a library, with their sampling results, decisions and pending reviews."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from octavo.conversion.routing import RoutingOverride
from octavo.plugins import Catalogue
from octavo.profiles.profile import Profile
from octavo_contracts import RoutingType

from ...ingestion.sampling.verdicts import by_rule, pending, preferences, standing
from ...storage.index.comparisons import StoredComparison, StoredVerdict
from ..context import LibraryContext


@dataclass(frozen=True, kw_only=True)
class RankedPlugin:
    """A plugin in the order of a rule.

    Attributes:
        name: the plugin.
        lacking: why it is skipped; "" if it is not.
    """

    name: str
    lacking: str


@dataclass(frozen=True, kw_only=True)
class RoutingRule:
    """A rule of a profile: the plugins for one routing type.

    Attributes:
        profile: key of the profile.
        routing_type: the routing type.
        plugins: in the order in which they are tried now, before all others that read the type.
        verdict: the user's decision in force, or None.
        comparisons: comparisons of documents that were converted twice, oldest first.
        pending: the comparisons to review.
        history: all decisions, oldest first.
    """

    profile: str
    routing_type: str
    plugins: tuple[RankedPlugin, ...]
    verdict: StoredVerdict | None
    comparisons: tuple[StoredComparison, ...]
    pending: tuple[StoredComparison, ...]
    history: tuple[StoredVerdict, ...]

    @property
    def name(self) -> str:
        """The argument of `octavo routing review`: the routing type."""
        return self.routing_type


@dataclass(frozen=True, kw_only=True)
class ProfileState:
    """The state of a profile in a library.

    Attributes:
        name: its name.
        key: its unique key.
        description: one line.
        rules: its rules, and those with comparisons or decisions, in the order of `RoutingType`.
        places: how many first documents to sample.
        counted: how many were sampled.
        seconds: total duration of their second conversions.
        threshold: difference of a metric above which a rule is flagged.
        drift: share of later documents that is sampled after the version of an engine changes.
    """

    name: str
    key: str
    description: str
    rules: tuple[RoutingRule, ...]
    places: int
    counted: int
    waiting: int
    seconds: float
    threshold: float
    drift: float


def state_of(
    profile: Profile,
    catalogue: Catalogue,
    comparisons: Sequence[StoredComparison],
    verdicts: Sequence[StoredVerdict],
    *,
    waiting: int = 0,
) -> ProfileState:
    """Build the state of a profile.

    Args:
        profile: its rules.
        catalogue: the installed plugins.
        comparisons: comparisons of this profile, oldest first.
        verdicts: verdicts on this profile, oldest first.
        waiting: number of comparisons that wait.
    """
    decided = {kind: log for (_, kind), log in by_rule(verdicts).items()}
    rules = []
    for kind in RoutingType:
        mine = tuple(one for one in comparisons if one.routing_type == kind.value)
        log = decided.get(kind.value, [])
        if kind.value not in profile.routes and not mine and not log:
            continue
        verdict = standing(log)
        rules.append(
            RoutingRule(
                profile=profile.key,
                routing_type=kind.value,
                plugins=_ranked(profile, catalogue, kind.value, verdict),
                verdict=verdict,
                comparisons=mine,
                pending=pending(mine, verdict),
                history=tuple(log),
            )
        )
    counted = [one for one in comparisons if one.slot is not None]
    return ProfileState(
        name=profile.name,
        key=profile.key,
        description=profile.description,
        rules=tuple(rules),
        places=profile.sampling.documents,
        counted=len(counted),
        waiting=waiting,
        seconds=round(sum(one.seconds for one in comparisons), 3),
        threshold=profile.sampling.threshold,
        drift=profile.sampling.drift,
    )


def routing_preferences(context: LibraryContext, profile: str | None) -> tuple[tuple[str, RoutingOverride], ...]:
    """The plugins that the user's decisions prefer for new documents, by routing type.

    Args:
        context: the library's parts.
        profile: a shipped name or the path of a TOML file; None: the settings'.

    Raises:
        UsageError: no such profile.
    """
    rules = context.runtime.profile(profile)
    verdicts = context.index.comparisons.verdicts(profile=rules.key)
    return preferences(verdicts, profile=rules.name) if verdicts else ()


def _ranked(
    profile: Profile, catalogue: Catalogue, kind: str, verdict: StoredVerdict | None
) -> tuple[RankedPlugin, ...]:
    first = (verdict.tool,) if verdict is not None and verdict.tool is not None else ()
    names = dict.fromkeys((*first, *profile.routes.get(kind, ())))
    here = {plugin.name: plugin for plugin in catalogue}
    return tuple(
        RankedPlugin(name=name, lacking="not installed" if name not in here else here[name].missing() or "")
        for name in names
    )
