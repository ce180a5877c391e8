import pytest

from proctor.errors import OptionError
from proctor.models.names import address, is_local


@pytest.mark.parametrize(
    ("name", "known_as", "model", "url"),
    [
        ("openai/gpt-4o-mini", "openai/gpt-4o-mini", "gpt-4o-mini", "https://api.openai.com/v1"),
        ("openai:gpt-4o-mini", "openai/gpt-4o-mini", "gpt-4o-mini", "https://api.openai.com/v1"),
        (" gpt-4o-mini ", "openai/gpt-4o-mini", "gpt-4o-mini", "https://api.openai.com/v1"),
        ("ft:gpt-4o:me", "openai/ft:gpt-4o:me", "ft:gpt-4o:me", "https://api.openai.com/v1"),
        ("OpenRouter/a/b:free", "openrouter/a/b:free", "a/b:free", "https://openrouter.ai/api/v1"),
        ("vllm/openai/gpt-oss", "vllm/openai/gpt-oss", "openai/gpt-oss", "http://localhost:8000/v1"),
        ("llama.cpp:tiny", "llamacpp/tiny", "tiny", "http://localhost:8080/v1"),
        ("ollama:llama3.2:1b", "ollama/llama3.2:1b", "llama3.2:1b", "http://localhost:11434/v1"),
    ],
)
def test_a_name_says_provider_model_and_address(name: str, known_as: str, model: str, url: str) -> None:
    found = address(name)
    assert (found.name, found.model, found.url) == (known_as, model, url)


def test_with_an_address_any_name_is_the_endpoints_own() -> None:
    found = address("meta-llama/Llama-3.1-8B", "http://10.0.0.7:8000/v1/")
    assert (found.name, found.model, found.url) == (
        "meta-llama/Llama-3.1-8B",
        "meta-llama/Llama-3.1-8B",
        "http://10.0.0.7:8000/v1",
    )
    assert (found.key_variable, found.needs_key) == ("OPENAI_API_KEY", False)


@pytest.mark.parametrize(
    ("name", "url", "needs_key"),
    [
        ("openai/x", None, True),
        ("openai/x", "http://127.0.0.1:1/v1", False),
        ("openai/x", "https://proxy.example/v1", True),
        ("ollama/x", None, False),
        ("x", "http://127.0.0.1:1/v1", False),
    ],
)
def test_endpoints_on_this_machine_need_no_key(name: str, url: str | None, needs_key: bool) -> None:
    assert address(name, url).needs_key is needs_key


def test_no_key_is_looked_up_for_a_nameless_endpoint_on_this_machine() -> None:
    assert address("x", "http://localhost:8000/v1").key_variable is None


@pytest.mark.parametrize(
    ("name", "given", "url"),
    [
        ("azure/x", "https://mine.example", "https://mine.example/openai/v1"),
        ("azure/x", "https://mine.example/openai/v1/", "https://mine.example/openai/v1"),
        ("x", "http://10.0.0.7:8000/v1/chat/completions", "http://10.0.0.7:8000/v1"),
        ("x", "http://10.0.0.7:8000", "http://10.0.0.7:8000"),
    ],
)
def test_an_address_is_taken_as_people_copy_it(name: str, given: str, url: str) -> None:
    assert address(name, given).url == url


def test_an_address_may_come_from_the_environment() -> None:
    assert (
        address("gpt-4o", environment={"OPENAI_BASE_URL": "https://proxy.example/v1/"}).url
        == "https://proxy.example/v1"
    )
    azure = {"AZURE_OPENAI_ENDPOINT": "https://mine.example/"}
    assert address("azure/deployed", environment=azure).url == "https://mine.example/openai/v1"
    whole = {"AZURE_OPENAI_ENDPOINT": "https://mine.example/openai/v1/"}
    assert address("azure/deployed", environment=whole).url == "https://mine.example/openai/v1"


@pytest.mark.parametrize(
    ("name", "url", "sentence"),
    [
        ("", None, "a model's name is empty"),
        ("openai/", None, "names a provider and no model; say openai/MODEL"),
        ("anthropc/claude", None, r"begins with no provider that is known \(azure, llama.cpp, llamacpp, ollama"),
        ("azure/x", None, "set AZURE_OPENAI_ENDPOINT"),
        ("x", "localhost:8000", "must begin with http"),
        ("x", "https://me:secret@host/v1", "must not hold a password"),
        ("x", "http://[::1", "cannot be read: 'http://\\[::1'"),
    ],
)
def test_a_name_that_cannot_be_read_says_what_to_do(name: str, url: str | None, sentence: str) -> None:
    with pytest.raises(OptionError, match=sentence) as caught:
        address(name, url)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "local"),
    [
        ("http://localhost:1/v1", True),
        ("http://[::1]:1/v1", True),
        ("http://127.8.0.1/v1", True),
        ("https://api.openai.com/v1", False),
        ("http://10.0.0.1/v1", False),
    ],
)
def test_this_machine_is_told_from_others(url: str, local: bool) -> None:
    assert is_local(url) is local
