"""The page about language models names every provider and every way in which asking fails."""

from proctor.errors import MODEL_FAULTS
from proctor.models.names import PROVIDERS


def test_every_fault_of_a_model_is_described(pages: dict[str, str]) -> None:
    assert [kind for kind in MODEL_FAULTS if f"`{kind}`" not in pages["docs/models.md"]] == []


def test_every_provider_is_described_with_its_variables(pages: dict[str, str]) -> None:
    variables = [name for one in PROVIDERS.values() for name in (one.key_variable, one.url_variable) if name]
    named = [f"{name}/" for name in PROVIDERS]
    assert [word for word in named + variables if word not in pages["docs/models.md"]] == []
