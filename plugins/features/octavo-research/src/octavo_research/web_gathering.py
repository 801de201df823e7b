"""Gathers pages for a run: searches the web, and takes the best pages into the library like any document (RES-5)."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from urllib.parse import urlsplit

from octavo.plugins.services import load_services
from octavo_contracts import OctavoError, SearchProvider, UsageError
from octavo_library.ingestion.cloud_owners import owners_of_document
from octavo_retrieval import Scope
from octavo_sandbox.egress import own_fetcher
from octavo_sandbox.egress.gate import pass_gate
from octavo_sandbox.egress.service_client import is_this_machine, service_target

from .options import CORPUS, ResearchOptions
from .search_adapters import ADAPTERS
from .web_search import ConfiguredProvider, WebSearch

PAGES = 3
"""Pages of one sub-query that are fetched."""
HITS = 10
"""Results of one sub-query."""


@dataclass(frozen=True, kw_only=True)
class Gathered:
    """What a sub-query brought from the web.

    Attributes:
        documents: ids of the documents that were fetched, best first.
        failures: reason code and message of each failure.
        requests: provider → requests sent.
    """

    documents: tuple[str, ...]
    failures: tuple[tuple[str, str], ...]
    requests: Mapping[str, int] = field(default_factory=dict)


class WebGathering:
    """The web of one run.

    Args:
        scope: who asks; fetched pages go into its corpus.
        search: the search services.
    """

    def __init__(self, scope: Scope, search: WebSearch) -> None:
        self._scope = scope
        self._search = search

    def gather(
        self, query: str, *, behind: Sequence[str] = (), limits: Mapping[str, int] = MappingProxyType({})
    ) -> Gathered:
        """Search, and fetch the best pages. What fails is said, and costs no other page.

        Args:
            query: the sub-query.
            behind: ids of the documents whose words the query may have.
            limits: provider → requests that it may be sent; one with none is not asked.
        """
        found = self._search.search(query, limit=HITS, behind=behind, limits=limits)
        failures = [("search_failed", f"{name}: {message}") for name, message in sorted(found.failures.items())]
        documents: list[str] = []
        for hit in found.hits[:PAGES]:
            try:
                outcome = self._scope.library.ingest(hit.url, corpus=self._scope.corpus)
            except OctavoError as error:
                failures.append(("page_not_fetched", f"{hit.url}: {error.message}"))
                continue
            if outcome.document_id is None or outcome.result.ingestion_status == "hard_failed":
                reasons = ", ".join(dict.fromkeys(str(one.reason_code) for one in outcome.result.failure_receipts))
                failures.append(("page_not_fetched", f"{hit.url}: {reasons}"))
                continue
            documents.append(str(outcome.document_id))
        return Gathered(documents=tuple(documents), failures=tuple(failures), requests=found.requests)


def web_of(scope: Scope, options: ResearchOptions) -> WebGathering | None:
    """The web of a run; None where the library is the only provider.

    Raises:
        UsageError: a provider does not exist, or has no server or key.
        PolicyRefused: the URL of a provider is not allowed.
    """
    names = [name for name in options.providers if name != CORPUS]
    if not names:
        return None
    return WebGathering(scope, WebSearch([_configured(scope, options, name) for name in names]))


def _configured(scope: Scope, options: ResearchOptions, name: str) -> ConfiguredProvider:
    adapter = _adapter(name)
    url = options.provider_url(name) or getattr(adapter, "default_url", None)
    if url is None:
        raise UsageError(f"the search provider {name} has no server", remedy=f"Give --provider-url {name}=URL")
    variable = options.provider_key_env(name)
    key = os.environ.get(variable) if variable is not None else None
    if variable is not None and not key:
        raise UsageError(f"environment variable {variable} is not set or empty")
    target = service_target(url, cloud=True)
    is_here = is_this_machine(urlsplit(url).hostname or "")

    def check(documents: Sequence[str]) -> None:
        if is_here:
            return
        service = f"the search provider {name}"
        if scope.corpus is not None:
            corpus = scope.library.context.index.corpora.get(scope.corpus)
            pass_gate(lambda: (corpus.cloud_request,), service=service)
        context = scope.library.context
        for document_id in documents:
            pass_gate(
                owners_of_document(context.index, context.events, document_id, surface="research"), service=service
            )

    return ConfiguredProvider(
        name=name, adapter=adapter, base_url=url, fetcher=own_fetcher(target), key=key, check=check
    )


def _adapter(name: str) -> SearchProvider:
    if name in ADAPTERS:
        return ADAPTERS[name]
    services = load_services()
    if name not in {one.name for one in services.of_kind("search_provider")}:
        known = ", ".join(sorted([CORPUS, *ADAPTERS, *(one.name for one in services.of_kind("search_provider"))]))
        raise UsageError(f"there is no search provider {name!r}", remedy=f"Known providers: {known}")
    found = services.find("search_provider", name)
    assert found is not None  # it was listed
    provider: SearchProvider = found.make()
    return provider
