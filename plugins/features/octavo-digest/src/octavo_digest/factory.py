"""Builds a digestor from a host's settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from octavo.plugins.services import Services, load_services
from octavo_contracts import UsageError

from .archive import Archive
from .choosing import choose_scorer
from .config import PREFIX, DigestConfig
from .digestor import DocumentDigestor
from .folder_cache import FolderCache
from .llm import LlmSummariser
from .model_settings import LlmSettings
from .policy import DigestPolicy
from .summarising import ExtractiveSummariser

LLM_PREFIX = "llm_"
_LLM_FIELDS = {item.name: item for item in fields(LlmSettings)}
_PLAIN = ("policy", "scorer", "archive_dir", "cache_dir", "cloud")


def digestor_from(settings: Mapping[str, Any], services: Services | None = None) -> DocumentDigestor:
    """Build a digestor from settings.

    Args:
        settings: `policy`, `scorer`, `archive_dir` (its presence turns the archive on), `cache_dir` (digests are cached there and
            outlive the process), `cloud` (whether a model outside
            this machine may see the text), every `deep_research_*` key of `DigestConfig`, and `llm_model`,
            `llm_base_url` and the other fields of `LlmSettings` with `llm_` before them.
        services: the services of the host, for scorers and embedders; default: those of all installed plugins.

    Raises:
        UsageError: an unknown setting or an invalid value; the message names it.
        PolicyRefused: the model is on another machine and `cloud` is off.
    """
    _check_names(settings)
    config = DigestConfig.read(settings)
    if "policy" in settings:
        config = replace(config, policy=DigestPolicy(settings["policy"]))
    # By name, among the core's scorers and those of all plugins, including this feature's.
    scorer = choose_scorer(
        load_services() if services is None else services, str(settings.get("scorer", config.scorer))
    )
    archive = None
    if settings.get("archive_dir"):
        archive = Archive(Path(settings["archive_dir"]), retention_days=config.archive_retention_days)
    cache = FolderCache(settings["cache_dir"]) if settings.get("cache_dir") else None
    return DocumentDigestor(summariser_from(settings), config=config, scorer=scorer, archive=archive, cache=cache)


def summariser_from(settings: Mapping[str, Any]) -> LlmSummariser | ExtractiveSummariser:
    """Build the summariser: the model named by `llm_model`, else the extractive one.

    Raises:
        UsageError: incomplete settings for a model, or an invalid value.
        PolicyRefused: the model is on another machine and `cloud` is off.
    """
    given = {key.removeprefix(LLM_PREFIX): value for key, value in settings.items() if key.startswith(LLM_PREFIX)}
    if not given:
        return ExtractiveSummariser()
    for name in ("model", "base_url"):
        if not given.get(name):
            raise UsageError(f"a language model needs the setting {LLM_PREFIX}{name}")
    return LlmSummariser(LlmSettings(**given), cloud=bool(settings.get("cloud")))


def _check_names(settings: Mapping[str, Any]) -> None:
    for key in settings:
        if key in _PLAIN or key.startswith(PREFIX):
            continue
        if not (key.startswith(LLM_PREFIX) and key.removeprefix(LLM_PREFIX) in _LLM_FIELDS):
            known = ", ".join((*_PLAIN, f"{PREFIX}digest_…", *(LLM_PREFIX + name for name in _LLM_FIELDS)))
            raise UsageError(f"unknown digestor setting {key!r}; the settings are {known}")
