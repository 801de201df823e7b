"""Runs every mutant through every check."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from octavo.plugins import Catalogue
from octavo_sandbox.worker_spawner import one_fork_server

from ..budget import Budget
from ..checks import REGISTRY
from ..documents import check_document
from ..evidence import ResultEvidence
from ..plugin_folder import importable
from ..reference import REFERENCES, catalogue_of, install, reference_text
from ..runner import CONVERTS, Outcome, Run, Selection
from ..subject import Subject
from ..vectors import load_golden
from .agreement import AGREEMENT
from .carried import CARRIED
from .cheats import CHEATS
from .converters import CONVERTERS
from .details import DETAILS
from .documents import DIGESTS, RESULTS, good_digest
from .many_parts import MANY_PARTS
from .model import DocumentMutant, PluginMutant
from .others import OTHERS
from .partial import PARTIAL
from .rare import RARE
from .services import SERVICES
from .stated_parts import STATED_PARTS
from .unstated import UNSTATED
from .verbatim import VERBATIM

ALL_MUTANTS: tuple[PluginMutant | DocumentMutant, ...] = (
    *CONVERTERS,
    *OTHERS,
    *CHEATS,
    *RARE,
    *PARTIAL,
    *MANY_PARTS,
    *CARRIED,
    *DETAILS,
    *STATED_PARTS,
    *UNSTATED,
    *VERBATIM,
    *SERVICES,
    *RESULTS,
    *AGREEMENT,
    *DIGESTS,
)
BUDGET = Budget(convert_seconds=1.0, at_once=2, idle_seconds=0.3)
"""Tight limits, so that slow plugins are detected within seconds."""
_SHEAF = "reference-sheaf"


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """The result of one mutant.

    Attributes:
        mutant: its name.
        target: the check that must fail.
        killed: whether the target failed, or showed nothing.
        strays: checks that failed although they neither require the target nor are declared as co-failures.
        unused: declared co-failures that did not fail.
    """

    mutant: str
    target: str
    killed: bool
    strays: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """True if the target failed and no stray did."""
        return self.killed and not self.strays and not self.unused


@dataclass(frozen=True, kw_only=True)
class Matrix:
    """The results of all mutants.

    Attributes:
        verdicts: one for each mutant.
        checks: number of checks.
        references: failures of the reference plugins; there must be none.
    """

    verdicts: tuple[Verdict, ...]
    checks: int
    references: tuple[str, ...] = ()

    @property
    def survivors(self) -> list[str]:
        """Mutants whose target did not fail, or for which other checks failed."""
        return [verdict.mutant for verdict in self.verdicts if not verdict.ok]

    @property
    def unkilled(self) -> list[str]:
        """Checks that killed no mutant."""
        killing = {verdict.target for verdict in self.verdicts if verdict.killed}
        return [check.id for check in REGISTRY if check.id not in killing]


def run_matrix(
    mutants: Sequence[PluginMutant | DocumentMutant] | None = None, *, seed: int | None = None, at_once: int = 2
) -> Matrix:
    """Run mutants, and the reference plugins that they are based on.

    Args:
        mutants: the mutants to run; default: all.
        seed: seed of the fresh documents; default: a new one.
        at_once: number of plugins tested concurrently.
    """
    # All get the same fresh documents, which are then generated once.
    seed = Selection().seed if seed is None else seed
    chosen = ALL_MUTANTS if mutants is None else tuple(mutants)
    plugins = [mutant for mutant in chosen if isinstance(mutant, PluginMutant)]
    documents = [mutant for mutant in chosen if isinstance(mutant, DocumentMutant)]
    with tempfile.TemporaryDirectory(prefix="octavo-mutants-") as folder:
        site = Path(folder)
        for mutant in plugins:
            install(site, mutant.name, mutant.text())
        for base in REFERENCES:
            install(site, f"reference-{base}", reference_text(base))
        with (
            importable(site),
            one_fork_server(import_paths=(site,)),
            ThreadPoolExecutor(max_workers=at_once) as threads,
        ):
            catalogue = catalogue_of(site)
            references = [threads.submit(_reference, f"reference-{base}", catalogue, site, seed) for base in REFERENCES]
            running = [threads.submit(_plugin, mutant, catalogue, site, seed) for mutant in plugins]
            verdicts = [made.result() for made in running]
            failures = tuple(failure for made in references for failure in made.result())
    verdicts += [_document(mutant) for mutant in documents]
    return Matrix(verdicts=tuple(verdicts), checks=len(REGISTRY), references=failures)


def _outcomes(
    name: str, catalogue: Catalogue, site: Path, seed: int, *, without: frozenset[str] = frozenset()
) -> list[Outcome]:
    with Subject(name, catalogue=catalogue, budget=BUDGET, import_paths=(site,)) as subject:
        return Run(subject, Selection(level=3, without=without, seed=seed)).outcomes()


def _reference(name: str, catalogue: Catalogue, site: Path, seed: int) -> list[str]:
    return [f"{name}: {one.check.id} {one.reason}" for one in _outcomes(name, catalogue, site, seed) if one.is_bad]


def _plugin(mutant: PluginMutant, catalogue: Catalogue, site: Path, seed: int) -> Verdict:
    # Checks that require the target are not run: with the target failing, their outcome means nothing.
    outcomes = _outcomes(mutant.name, catalogue, site, seed, without=_following(mutant.target))
    return _verdict(mutant, outcomes)


@cache
def good_result() -> ResultEvidence:
    """Return the base of the result mutants: the result that a host gets from the reference converter."""
    vector = next(vector for vector in load_golden() if vector.family == "sheaf")
    with tempfile.TemporaryDirectory(prefix="octavo-mutants-") as folder:
        site = Path(folder)
        install(site, _SHEAF, reference_text("sheaf"))
        with importable(site), Subject(_SHEAF, catalogue=catalogue_of(site), import_paths=(site,)) as subject:
            return subject.result(vector)


def _document(mutant: DocumentMutant) -> Verdict:
    evidence = good_digest() if REGISTRY[mutant.target].scope == "digest" else good_result()
    return _verdict(mutant, check_document(mutant.spoil(evidence)))  # type: ignore[arg-type]  # its kind is its target's


def _following(target: str) -> frozenset[str]:
    """Return the checks that require a check, including those of results that the core builds from conversions."""
    follows = REGISTRY.needing(target)
    if CONVERTS in follows | {target}:
        follows |= {check.id for check in REGISTRY if check.scope == "result"}
    return follows - {target}


def _verdict(mutant: PluginMutant | DocumentMutant, outcomes: Sequence[Outcome]) -> Verdict:
    failed = {one.check.id for one in outcomes if one.status == "failed"}
    follows = _following(mutant.target) | {mutant.target}
    if isinstance(mutant, PluginMutant):
        follows |= set(mutant.chance_failures)
    return Verdict(
        mutant=mutant.name,
        target=mutant.target,
        killed=mutant.target in failed
        or any(one.check.id == mutant.target and one.status == "unproven" for one in outcomes),
        strays=tuple(sorted(failed - follows - set(mutant.co_failures))),
        unused=tuple(sorted(set(mutant.co_failures) - failed)),
    )
