"""What calls of a model and searches cost, and the ceilings of a run: tokens, money, time (RES-5, RES-6)."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import isfinite
from typing import Any

from octavo_contracts import UsageError
from octavo_digest.model_client import AnswerInvalid, ModelAnswer

OUTPUT_RESERVE = 2_000
"""Tokens kept for an answer within a run's ceilings, where the length of an answer is not limited."""


@dataclass(frozen=True, kw_only=True)
class Prices:
    """Prices of a model.

    Attributes:
        input: US dollars for a million tokens that the model reads.
        output: US dollars for a million tokens that it writes.
    """

    input: float = 0.0
    output: float = 0.0

    def __post_init__(self) -> None:
        for name, price in asdict(self).items():
            if not (isfinite(price) and price >= 0):
                raise UsageError(f"the price of {name} tokens must be a number of at least 0, got {price}")

    def of(self, *, input_tokens: int, output_tokens: int) -> float:
        """US dollars for a call."""
        return (input_tokens * self.input + output_tokens * self.output) / 1_000_000


@dataclass(frozen=True, kw_only=True)
class Usage:
    """What calls of models and searches have cost.

    Attributes:
        requests: requests sent to models.
        input_tokens: tokens read, as the server counts them, or estimated.
        output_tokens: tokens written, as the server counts them, or estimated.
        estimated: how many of the requests have estimated tokens, because the server counted none.
        searches: requests sent to search providers.
        usd: US dollars for both, by the prices of the run.
    """

    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    estimated: int = 0
    searches: int = 0
    usd: float = 0.0

    @property
    def total(self) -> int:
        """Tokens read and written."""
        return self.input_tokens + self.output_tokens

    def to_json(self) -> dict[str, Any]:
        """The usage as JSON has it; dollars rounded to a billionth, below what any price tells apart."""
        return {**asdict(self), "usd": round(self.usd, 9)}

    def plus(self, more: Usage) -> Usage:
        """The usage with that of other calls."""
        return Usage(
            requests=self.requests + more.requests,
            input_tokens=self.input_tokens + more.input_tokens,
            output_tokens=self.output_tokens + more.output_tokens,
            estimated=self.estimated + more.estimated,
            searches=self.searches + more.searches,
            usd=self.usd + more.usd,
        )

    @classmethod
    def of(cls, answer: ModelAnswer[Any] | AnswerInvalid, prices: Prices) -> Usage:
        """The usage of one answer, or of those that matched no schema."""
        return cls(
            requests=answer.requests,
            input_tokens=answer.input_tokens,
            output_tokens=answer.output_tokens,
            estimated=answer.requests if isinstance(answer, ModelAnswer) and answer.is_estimated else 0,
            usd=prices.of(input_tokens=answer.input_tokens, output_tokens=answer.output_tokens),
        )


@dataclass(frozen=True, kw_only=True)
class Ceilings:
    """The ceilings of a run.

    Attributes:
        max_tokens: tokens read and written; None: no ceiling.
        max_usd: US dollars; None: no ceiling.
        max_minutes: minutes; None: no ceiling.
        prices: the prices of the model.
        answer_tokens: tokens kept for an answer.
    """

    max_tokens: int | None = None
    max_usd: float | None = None
    max_minutes: float | None = None
    prices: Prices = Prices()
    answer_tokens: int = OUTPUT_RESERVE

    def __post_init__(self) -> None:
        if self.max_tokens is not None and self.max_tokens < 1:
            raise UsageError(f"max_tokens must be at least 1, got {self.max_tokens}")
        for name in ("max_usd", "max_minutes"):
            value = getattr(self, name)
            if value is not None and not (isfinite(value) and value > 0):
                raise UsageError(f"{name} must be a positive number, got {value}")

    def refusal(self, used: Usage, input_tokens: int) -> tuple[str, str] | None:
        """Why a call is not made: reason code and message; None where there is room for it.

        Args:
            used: what the run has cost so far.
            input_tokens: an estimate of what the call reads.
        """
        tokens = used.total + input_tokens + self.answer_tokens
        if self.max_tokens is not None and tokens > self.max_tokens:
            return (
                "token_ceiling",
                f"The model was not asked: about {tokens:,} tokens are more than the ceiling of {self.max_tokens:,}",
            )
        usd = used.usd + self.prices.of(input_tokens=input_tokens, output_tokens=self.answer_tokens)
        if self.max_usd is not None and usd > self.max_usd:
            return (
                "money_ceiling",
                f"The model was not asked: about ${usd:.4f} is more than the ceiling of ${self.max_usd:.4f}",
            )
        return None

    def requests_left(self, used: Usage, price: float) -> int | None:
        """Requests of a price that the ceiling of money leaves room for; None: no ceiling, or no price.

        Args:
            used: what the run has cost so far.
            price: US dollars for one request.
        """
        if self.max_usd is None or price <= 0:
            return None
        return max(0, int((self.max_usd - used.usd) / price + 1e-9))  # a quotient of 3 may be 2.9999999
