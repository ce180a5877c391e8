"""What a model's name says: which provider, which model of it, at which address, under which key.

Pure: the environment is handed in.
"""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit

import msgspec

from proctor.errors import OptionError

__all__ = ["PROVIDERS", "Address", "Provider", "address", "is_local"]


class Provider(msgspec.Struct, frozen=True):
    """An endpoint that is known by name."""

    name: str
    url: str | None
    """Where it is; None when every user has an address of their own."""
    key_variable: str
    """The variable that holds its key."""
    url_variable: str | None = None
    """The variable that may hold another address."""
    needs_key: bool = True
    url_ending: str = ""
    """What the address of the variable lacks."""


_TABLE = (
    Provider("openai", "https://api.openai.com/v1", "OPENAI_API_KEY", "OPENAI_BASE_URL"),
    Provider("azure", None, "AZURE_OPENAI_API_KEY", "AZURE_OPENAI_ENDPOINT", url_ending="/openai/v1"),
    Provider("openrouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
    Provider("vllm", "http://localhost:8000/v1", "VLLM_API_KEY", "VLLM_BASE_URL", needs_key=False),
    Provider("llamacpp", "http://localhost:8080/v1", "LLAMA_API_KEY", "LLAMACPP_BASE_URL", needs_key=False),
    Provider("ollama", "http://localhost:11434/v1", "OLLAMA_API_KEY", "OLLAMA_BASE_URL", needs_key=False),
)

PROVIDERS: dict[str, Provider] = {provider.name: provider for provider in _TABLE}
"""The providers by name; `llama.cpp` is another spelling of `llamacpp`."""

_SPELLINGS = {**PROVIDERS, "llama.cpp": PROVIDERS["llamacpp"]}
_OWN_PREFIXES = ("ft:",)
"""Beginnings of OpenAI's own model names that look like a provider."""


class Address(msgspec.Struct, frozen=True):
    """Where a model is asked, and as what."""

    name: str
    """The name for reports: `openai/gpt-4o-mini`."""
    model: str
    """The name that the endpoint knows."""
    url: str
    provider: str | None
    """None when an address was given and no provider."""
    key_variable: str | None
    needs_key: bool

    @property
    def local(self) -> bool:
        """Whether the endpoint is on this machine."""
        return is_local(self.url)


def address(name: str, url: str | None = None, environment: Mapping[str, str] | None = None) -> Address:
    """Read a model's name: `openai/gpt-4o-mini`, `openai:gpt-4o-mini`, or `gpt-4o-mini` alone, which is OpenAI's.

    With a `url` a name without a known provider is the endpoint's own, whatever it looks like. Such an endpoint on
    this machine is sent no key from the environment; another gets `OPENAI_API_KEY` where there is one.

    >>> address("openrouter:meta-llama/llama-3.1-8b-instruct").model
    'meta-llama/llama-3.1-8b-instruct'
    """
    provider, model = _split(name)
    if url is not None:
        url = _given(url, provider)
    if provider is None and url is not None:
        variable = None if is_local(url) else "OPENAI_API_KEY"
        return Address(name.strip(), name.strip(), url, None, variable, needs_key=False)
    if provider is None:
        provider = _openai_or_nobody(model)
    where = url or _url_of(provider, environment or {})
    return Address(
        f"{provider.name}/{model}",
        model,
        where.rstrip("/"),
        provider.name,
        provider.key_variable,
        needs_key=provider.needs_key and not is_local(where),
    )


def is_local(url: str) -> bool:
    """Whether an address is on this machine."""
    host = urlsplit(url).hostname or ""
    return host in ("localhost", "::1") or host.endswith(".localhost") or host.startswith("127.")


def _split(name: str) -> tuple[Provider | None, str]:
    said = name.strip()
    for mark in ("/", ":"):
        prefix, found, model = said.partition(mark)
        provider = _SPELLINGS.get(prefix.lower())
        if found and provider is not None:
            if not model:
                raise OptionError(f"the model name {name!r} names a provider and no model; say {prefix}/MODEL.")
            return provider, model
    if not said:
        raise OptionError("a model's name is empty; say for example openai/gpt-4o-mini.")
    return None, said


def _openai_or_nobody(model: str) -> Provider:
    """A bare name is OpenAI's; one with an unknown provider before it is nobody's."""
    if model.startswith(_OWN_PREFIXES) or not any(mark in model for mark in "/:"):
        return PROVIDERS["openai"]
    raise OptionError(
        f"the model name {model!r} begins with no provider that is known ({', '.join(sorted(_SPELLINGS))}); "
        "put one before it, or give the endpoint's address as well."
    )


def _url_of(provider: Provider, environment: Mapping[str, str]) -> str:
    said = environment.get(provider.url_variable, "").strip() if provider.url_variable else ""
    if said:
        _check_url(said)
        said = said.rstrip("/")
        return said if said.endswith(provider.url_ending) else said + provider.url_ending
    if provider.url is None:
        raise OptionError(
            f"{provider.name} has no address of its own; set {provider.url_variable} or give the endpoint's address."
        )
    return provider.url


def _given(url: str, provider: Provider | None) -> str:
    """An address as it was given, without the path of the calls; a provider's bare host gets what it lacks."""
    _check_url(url)
    url = url.rstrip("/").removesuffix("/chat/completions")
    bare = not urlsplit(url).path.strip("/")
    return url + provider.url_ending if provider is not None and bare else url


def _check_url(url: str) -> None:
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise OptionError(f"an endpoint's address cannot be read: {url!r} ({error}).") from None
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise OptionError(f"an endpoint's address must begin with http:// or https://, not {url!r}.")
    if parts.username or parts.password:
        raise OptionError("an endpoint's address must not hold a password; give the key by itself.")
