"""Models of mutants: a plugin or document that follows the contract except for one rule."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ..evidence import DigestEvidence, ResultEvidence
from ..reference import PluginText, reference_text

Patch = tuple[str, str]


@dataclass(frozen=True, kw_only=True)
class PluginMutant:
    """A reference plugin with a few lines changed.

    Attributes:
        target: the check that must fail.
        base: the reference plugin that it is based on.
        code: (old, new) texts of its module.
        manifest: (old, new) texts of its manifest.
        variant: distinguishes mutants of the same check.
        co_failures: checks that also fail although they do not require the target, each with the reason.
        chance_failures: checks that may also fail, by what the documents of the run happen to hold, each with the reason.
    """

    target: str
    base: str = "sheaf"
    code: tuple[Patch, ...] = ()
    manifest: tuple[Patch, ...] = ()
    variant: str = "a"
    co_failures: Mapping[str, str] = field(default_factory=dict)
    chance_failures: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Its plugin name."""
        return f"mutant-{self.target.lower()}-{self.variant}"

    def text(self) -> PluginText:
        """Return its module and manifest.

        Raises:
            ValueError: a patch no longer applies to the reference plugin.
        """
        base = reference_text(self.base)
        return PluginText(
            code=_patched(base.code, self.code, self.name), manifest=_patched(base.manifest, self.manifest, self.name)
        )


@dataclass(frozen=True, kw_only=True)
class DocumentMutant:
    """A document as a faulty host would write it.

    Attributes:
        target: the check that must fail.
        spoil: makes a faulty document from a good one.
        variant: distinguishes mutants of the same check.
        co_failures: as for plugins.
    """

    target: str
    spoil: Callable[[ResultEvidence], ResultEvidence] | Callable[[DigestEvidence], DigestEvidence]
    variant: str = "a"
    co_failures: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Its name."""
        return f"mutant-{self.target.lower()}-{self.variant}"


def _patched(text: str, patches: tuple[Patch, ...], name: str) -> str:
    for old, new in patches:
        if old not in text:
            raise ValueError(f"{name}: the reference plugin does not contain {old!r}")
        text = text.replace(old, new)
    return text
