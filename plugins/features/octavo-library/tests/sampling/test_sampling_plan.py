"""What a profile's TOML says of sampling, and who belongs to the sample that watches for drift (CNV-4)."""

from __future__ import annotations

import hashlib

import pytest
from octavo.profiles.profile import SHIPPED_PROFILES, load_profile, parse_profile
from octavo.profiles.sampling import NO_SAMPLING, SamplingPlan
from octavo_contracts import UsageError


def test_the_default_profile_samples_five_documents_with_the_rule_of_a_quarter() -> None:
    plan = load_profile("measured").sampling
    assert (plan.documents, plan.threshold, plan.drift) == (5, 0.25, 0.0)
    assert len(plan.pairs["text_native_pdf"]) >= 2


@pytest.mark.parametrize("name", SHIPPED_PROFILES)
def test_the_quick_profile_samples_nothing_and_every_other_one_does(name: str) -> None:
    assert bool(load_profile(name).sampling.documents) == (name != "fast")


def test_the_seed_profile_compares_the_two_engines_of_the_specification() -> None:
    assert {frozenset(pair) for pair in load_profile("seed").sampling.pairs.values()} == {
        frozenset({"markitdown", "docling"})
    }


def test_a_profile_that_says_nothing_of_sampling_has_none() -> None:
    assert parse_profile('name = "mine"', origin="mine").sampling == NO_SAMPLING


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("sampling = 5", "sampling must be a table"),
        ("[sampling]\nevery = 2", "has every; expected documents, threshold, drift, pairs"),
        ("[sampling]\ndocuments = -1", "sampling.documents must be a number from 0, got -1"),
        ("[sampling]\ndocuments = 1.5", "documents must be a whole number"),
        ("[sampling]\nthreshold = 25", "threshold must be a number from 0 to 1, got 25"),
        ("[sampling]\ndrift = true", "drift must be a number from 0 to 1, got True"),
        ("[sampling]\npairs = 3", "pairs must be a table"),
        ("[sampling.pairs]\nodd = ['a', 'b']", "unknown routing types: odd"),
        ("[sampling.pairs]\nhtml = ['a']", "html must be a list of two or more plugin names"),
    ],
)
def test_a_table_that_makes_no_sense_is_refused(text: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        parse_profile(text, origin="x")


def test_the_sample_for_drift_is_drawn_by_hash_alone() -> None:
    """The share is kept, the same document always gets the same answer, and another version draws another sample."""
    hashes = [hashlib.sha256(str(number).encode()).hexdigest() for number in range(4000)]
    plan = SamplingPlan(documents=5, drift=0.05)
    drawn = [raw for raw in hashes if plan.is_in_drift_sample(raw, "a 1 b 1")]
    assert drawn == [raw for raw in hashes if plan.is_in_drift_sample(raw, "a 1 b 1")]
    assert 150 < len(drawn) < 250
    other = {raw for raw in hashes if plan.is_in_drift_sample(raw, "a 2 b 1")}
    assert len(other & set(drawn)) < len(drawn) / 4
    assert not any(NO_SAMPLING.is_in_drift_sample(raw, "a 1 b 1") for raw in hashes)
    assert all(SamplingPlan(drift=1.0).is_in_drift_sample(raw, "a 1 b 1") for raw in hashes)
