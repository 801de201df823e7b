"""Settings of a language model at an OpenAI-compatible server."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from octavo_contracts import UsageError
from octavo_sandbox.egress.service_client import is_this_machine

OPENAI_HOST = "api.openai.com"


@dataclass(frozen=True, kw_only=True)
class LlmSettings:
    """The model and the parameters of its calls.

    Attributes:
        model: name of the model at the server.
        base_url: URL of an OpenAI-compatible server, for example http://127.0.0.1:8080/v1.
        api_key_env: environment variable with the key, which is sent to `base_url`; a local server needs none. None:
            OPENAI_API_KEY for api.openai.com, and no key for any other server.
        part_chars: longest text that is summarised at once; a longer one is summarised in parts, which are then merged.
        max_parts: maximum number of summarised parts; in a longer text they are spread evenly.
        max_concurrent: parts summarised concurrently.
        request_timeout: timeout of one request, seconds.
        retries: number of retries after an answer of the wrong form.
        max_answer_tokens: maximum number of tokens of one answer, at least 1; None: the limit of the server.
    """

    model: str
    base_url: str
    api_key_env: str | None = None
    part_chars: int = 24_000
    max_parts: int = 12
    max_concurrent: int = 3
    request_timeout: float = 60.0
    retries: int = 1
    max_answer_tokens: int | None = None

    def __post_init__(self) -> None:
        for name, low in (("part_chars", 500), ("max_parts", 1), ("max_concurrent", 1), ("retries", 0)):
            if getattr(self, name) < low:
                raise UsageError(f"llm_{name} must be at least {low}, got {getattr(self, name)!r}")
        if self.max_answer_tokens is not None and self.max_answer_tokens < 1:
            raise UsageError(f"llm_max_answer_tokens must be at least 1, got {self.max_answer_tokens!r}")
        if self.request_timeout <= 0:
            raise UsageError(f"llm_request_timeout must be above 0, got {self.request_timeout!r}")
        parts = urlsplit(self.base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise UsageError("llm_base_url must be an http or https URL, for example http://127.0.0.1:8080/v1")

    @property
    def is_local(self) -> bool:
        """True if the server is on this machine; otherwise the text leaves the machine."""
        return is_this_machine(urlsplit(self.base_url).hostname or "")

    @property
    def key_variable(self) -> str | None:
        """Environment variable whose value is sent to the server; a key is never sent to a server it is not meant for."""
        if self.api_key_env is None and urlsplit(self.base_url).hostname == OPENAI_HOST:
            return "OPENAI_API_KEY"
        return self.api_key_env
