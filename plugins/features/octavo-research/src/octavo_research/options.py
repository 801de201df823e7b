"""Options of a research run, stored with it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from math import isfinite
from typing import Any, Self

from octavo_contracts import UsageError

from .spending import OUTPUT_RESERVE, Ceilings, Prices

CORPUS = "corpus"
"""The search provider that is the library itself."""


@dataclass(frozen=True, kw_only=True)
class ResearchOptions:
    """Options of a run.

    Attributes:
        model: `none`: extractive, without a language model; otherwise the name of a model at `model_url`.
        model_url: URL of an OpenAI-compatible server, for example http://127.0.0.1:8080/v1.
        model_key_env: environment variable with the server's key; a server on this machine needs none.
        compression_model: name of the model at the same server that compresses findings; None: `model`.
        summarization_model: name of the model at the same server that summarises sources; None: the one that compresses.
        supervision: whether the model plans and supervises the rounds: sub-queries, summaries of long sources, compressed findings,
            and reflections on what is missing. Without it the model is asked for the report alone.
        tools: whether a supervising model may also search and read by itself before it writes.
        model_window: tokens that the model reads at once; where it reads fewer, the call is repeated with less.
        model_timeout: seconds that one request to the model may take; the summary of a source has 30 at most.
        answer_tokens: tokens of one answer of the model at most; None: the limit of the server.
        input_price: US dollars for a million tokens that the model reads; None: not known.
        output_price: US dollars for a million tokens that the model writes; None: not known.
        max_tokens: tokens that the model may read and write in the run; None: no ceiling.
        max_usd: US dollars that the run may cost, which needs both prices; None: no ceiling.
        max_minutes: minutes after which a run gathers no more and writes the report from what it has; None: no ceiling.
        max_sources: sources that are read, the best ones first, at least 1.
        max_claims: claims in the report, at least 1.
        max_rounds: rounds of gathering, at least 1.
        providers: search providers: `corpus`, the library; `searxng`, `urls`, `tavily`, `brave`, or the plugin of a service of the kind
            `search_provider`.
        provider_urls: `NAME=URL` for each provider with a server that is to be named.
        provider_key_envs: `NAME=VARIABLE` for each provider with a key.
        search_prices: `NAME=USD` for each provider that costs money: US dollars for one request.
        record: file in which the run is recorded, for `octavo research replay`; None: none.
    """

    model: str = "none"
    model_url: str | None = None
    model_key_env: str | None = None
    compression_model: str | None = None
    summarization_model: str | None = None
    supervision: bool = True
    tools: bool = True
    model_window: int = 32_000
    model_timeout: float = 60.0
    answer_tokens: int | None = None
    input_price: float | None = None
    output_price: float | None = None
    max_tokens: int | None = None
    max_usd: float | None = None
    max_minutes: float | None = None
    max_sources: int = 8
    max_claims: int = 12
    max_rounds: int = 2
    providers: tuple[str, ...] = (CORPUS,)
    provider_urls: tuple[str, ...] = ()
    provider_key_envs: tuple[str, ...] = ()
    search_prices: tuple[str, ...] = ()
    record: str | None = None

    def __post_init__(self) -> None:
        if (self.model == "none") is not (self.model_url is None):
            raise UsageError(
                f"the model {self.model!r} has {'no server' if self.model_url is None else 'a server'}",
                remedy="Give a model and the URL of its server (--model, --model-url), or use --model none alone",
            )
        if self.model_window < 1:
            raise UsageError(f"model_window must be at least 1, got {self.model_window}")
        if not (isfinite(self.model_timeout) and self.model_timeout > 0):
            raise UsageError(f"model_timeout must be a positive number of seconds, got {self.model_timeout}")
        if self.answer_tokens is not None and self.answer_tokens < 1:
            raise UsageError(f"answer_tokens must be at least 1, got {self.answer_tokens}")
        _ = self.ceilings  # checks the ceilings and the prices
        if not self.providers or len(set(self.providers)) < len(self.providers):
            raise UsageError("providers must be names, each once", remedy="For example --providers corpus,searxng")
        for given in (*self.provider_urls, *self.provider_key_envs, *self.search_prices):
            if given.partition("=")[0] not in self.providers or not given.partition("=")[2]:
                raise UsageError(f"{given!r} does not name a provider of the run", remedy="Write it as NAME=VALUE")
        self._check_prices()
        for name in ("max_sources", "max_claims", "max_rounds"):
            if getattr(self, name) < 1:
                raise UsageError(f"{name} must be at least 1, got {getattr(self, name)}")

    @property
    def ceilings(self) -> Ceilings:
        """What the run may cost."""
        prices = Prices(input=self.input_price or 0.0, output=self.output_price or 0.0)
        return Ceilings(
            max_tokens=self.max_tokens,
            max_usd=self.max_usd,
            max_minutes=self.max_minutes,
            prices=prices,
            answer_tokens=self.answer_tokens or OUTPUT_RESERVE,
        )

    def provider_url(self, name: str) -> str | None:
        """The server of a provider, where one is named."""
        return _named(self.provider_urls, name)

    def provider_key_env(self, name: str) -> str | None:
        """The environment variable with the key of a provider, where one is named."""
        return _named(self.provider_key_envs, name)

    def search_price(self, name: str) -> float:
        """US dollars for one request to a provider; 0 where none is named."""
        return float(_named(self.search_prices, name) or 0.0)

    def _check_prices(self) -> None:
        for given in self.search_prices:
            name, _, price = given.partition("=")
            try:
                is_price = isfinite(float(price)) and float(price) >= 0
            except ValueError:
                is_price = False
            if not is_price:
                raise UsageError(f"the price of {name} must be a number of at least 0, got {price!r}")
        if self.max_usd is None:
            return
        of_model = [one for one in (self.input_price, self.output_price) if one is not None]
        if self.model == "none" and not of_model and not self.search_prices and not self.provider_key_envs:
            raise UsageError(
                "a ceiling of money has no effect on a run in which nothing has a price",
                remedy="Leave it out; or give the price of a search provider (--search-price NAME=USD)",
            )
        if len(of_model) < 2 and (self.model != "none" or of_model):
            raise UsageError(
                "a ceiling of money needs the prices of the model",
                remedy="Give --input-price and --output-price, in US dollars for a million tokens; 0 for a model of your own",
            )
        for given in self.provider_key_envs:
            name = given.partition("=")[0]
            if _named(self.search_prices, name) is None:
                raise UsageError(
                    f"a ceiling of money needs the price of {name}",
                    remedy=f"Give --search-price {name}=USD, in US dollars for one request; 0 for a free one",
                )

    def to_json(self) -> str:
        """The options as they are stored."""
        return json.dumps(asdict(self), sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The options of a stored run; options of a newer Octavo are ignored."""
        given = json.loads(text)
        known: dict[str, Any] = {name: given[name] for name in cls.__dataclass_fields__ if name in given}
        values: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in known.items()
        }
        return cls(**values)


def _named(pairs: tuple[str, ...], name: str) -> str | None:
    return dict(pair.split("=", 1) for pair in pairs).get(name)
