"""Options that several commands share."""

from __future__ import annotations

import click

model_url_option = click.option(
    "--model-url", metavar="URL", help="An OpenAI-compatible server, such as http://127.0.0.1:8080/v1."
)
model_key_env_option = click.option(
    "--model-key-env", metavar="NAME", help="The environment variable with the server's key."
)
