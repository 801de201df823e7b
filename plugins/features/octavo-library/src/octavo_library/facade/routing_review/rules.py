"""The rules of a profile as a library stands to them: what sampling found out, what was decided, what is to be reviewed."""

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
    """A plugin in its place in a rule.

    Attributes:
        name: the plugin.
        lacking: why it is passed over: "" where it is not.
    """

    name: str
    lacking: str


@dataclass(frozen=True, kw_only=True)
class RoutingRule:
    """A rule of a profile: what converts one kind of document.

    Attributes:
        profile: key of the profile.
        routing_type: the kind of document.
        plugins: in the order in which they are tried now; after them come all others that read the type.
        verdict: the user's decision that stands, or None.
        comparisons: documents that were converted twice, the first first.
        pending: those of them that ask for a review.
        history: every decision, the first first.
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
        """What `octavo routing review` takes: the routing type."""
        return self.routing_type


@dataclass(frozen=True, kw_only=True)
class ProfileState:
    """A profile as a library stands to it.

    Attributes:
        name: its name.
        key: what tells it from every other profile.
        description: one line.
        rules: the rules that it has, or that something is known of, in the order of `RoutingType`.
        places: how many first documents are sampled.
        counted: how many were.
        seconds: that their second conversions took.
        threshold: difference of a metric above which a rule is flagged.
        drift: share of later documents that is sampled after a change of an engine's version.
    """

    name: str
    key: str
    description: str
    rules: tuple[RoutingRule, ...]
    places: int
    counted: int
    seconds: float
    threshold: float
    drift: float


def state_of(
    profile: Profile,
    catalogue: Catalogue,
    comparisons: Sequence[StoredComparison],
    verdicts: Sequence[StoredVerdict],
) -> ProfileState:
    """Put together what is known of a profile.

    Args:
        profile: its rules.
        catalogue: the installed plugins.
        comparisons: of this profile, the first first.
        verdicts: of this profile, the first first.
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
        seconds=round(sum(one.seconds for one in comparisons), 3),
        threshold=profile.sampling.threshold,
        drift=profile.sampling.drift,
    )


def routing_preferences(context: LibraryContext, profile: str | None) -> tuple[tuple[str, RoutingOverride], ...]:
    """What the user's decisions say of the routing of documents that come in now, by routing type.

    Args:
        context: the library's parts.
        profile: a shipped name or the path of a TOML file; None: the settings'.

    Raises:
        UsageError: no such profile.
    """
    rules = context.runtime.profile(profile)
    return preferences(context.index.comparisons.verdicts(profile=rules.key), profile=rules.name)


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
