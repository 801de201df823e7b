"""OC-SVC: the reference services keep every rule, and one service of each kind that breaks one is found."""

from __future__ import annotations

import pytest
from octavo_conformance.mutants import matrix
from octavo_conformance.mutants.services import SERVICES


def test_the_reference_services_pass_and_one_mutant_of_each_check_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    """All of them run in the slow test of the matrix."""
    monkeypatch.setattr(matrix, "REFERENCES", ("steward",))

    made = matrix.run_matrix([mutant for mutant in SERVICES if mutant.variant == "a"])

    assert made.references == ()
    assert made.survivors == []
    assert len(made.verdicts) == 24
