"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])

model_url_option = click.option(
    "--model-url", metavar="URL", help="An OpenAI-compatible server, such as http://127.0.0.1:8080/v1."
)
model_key_env_option = click.option(
    "--model-key-env", metavar="NAME", help="The environment variable with the server's key."
)


def ceiling_options(function: F) -> F:
    """The ceilings of tokens, money and time, with the prices of the model."""
    positive = click.FloatRange(min=0, min_open=True)
    for option in reversed(
        (
            click.option(
                "--max-tokens",
                metavar="N",
                type=click.IntRange(min=1),
                help="Tokens that the model may read and write.",
            ),
            click.option("--max-usd", metavar="X", type=positive, help="US dollars that all of it may cost."),
            click.option(
                "--input-price", metavar="X", type=click.FloatRange(min=0), help="US dollars for a million tokens read."
            ),
            click.option(
                "--output-price",
                metavar="X",
                type=click.FloatRange(min=0),
                help="US dollars for a million tokens written.",
            ),
            click.option(
                "--max-minutes",
                metavar="N",
                type=positive,
                help="Ask no more after this long, and end with what there is.",
            ),
        )
    ):
        function = option(function)
    return function
