from pathlib import Path

import pytest

from proctor.errors import FileError
from proctor.models.openai import OpenAIModel
from proctor.models.prices import Price, PriceTable, known_prices, read_prices
from proctor.records.grades import Missing


def test_a_model_is_found_by_its_name_and_by_a_dated_snapshot_of_it() -> None:
    table = known_prices()
    assert table.price("openai/gpt-4o-mini") == Price(0.15, 0.6, cached_prompt=0.075)
    assert table.price("openai/gpt-4o-mini-2024-07-18") == table.price("openai/gpt-4o-mini")
    assert table.price("openai/gpt-4o-2024-05-13") == Price(5, 15)


def test_an_unknown_model_has_no_price_and_the_reason_says_so() -> None:
    assert known_prices().price("openai/gpt-99") == Missing(
        "the model's price is not known", f"openai/gpt-99 is not in the price table of {known_prices().noted}"
    )


def test_a_million_tokens_cost_what_the_table_says() -> None:
    price = Price(2.0, 8.0, cached_prompt=0.5)
    assert price.cost(1_000_000, 1_000_000) == 10.0
    assert price.cost(1_000_000, 0, cached_tokens=1_000_000) == 0.5
    assert Price(2.0, 8.0).cost(1_000_000, 0, cached_tokens=1_000_000) == 2.0


def test_prices_can_be_replaced_by_the_user(tmp_path: Path) -> None:
    path = tmp_path / "prices.json"
    path.write_text('{"noted": "today", "models": {"vllm/mine": {"prompt": 1, "completion": 2}}}')
    table = known_prices().with_prices(read_prices(path).models)
    assert table.price("vllm/mine") == Price(1, 2)
    assert table.price("openai/gpt-4o-mini") == known_prices().price("openai/gpt-4o-mini")
    own = PriceTable("today", {"openai/gpt-4o": Price(0.0, 0.0)})
    assert OpenAIModel("gpt-4o", prices=own, environment={})._price == Price(0.0, 0.0)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{", "this is not a price table"),
        ('{"noted": "x", "models": {"a": {"prompt": "1", "completion": 1}}}', r"Expected `float`.*models\[\.\.\.\]"),
        ('{"noted": "x", "models": {"a": {"prompt": -1, "completion": 1}}}', "the price of 'a' is negative"),
    ],
)
def test_a_file_that_is_no_price_table_is_named(text: str, sentence: str, tmp_path: Path) -> None:
    path = tmp_path / "prices.json"
    path.write_text(text)
    with pytest.raises(FileError, match=rf"prices\.json: .*{sentence}"):
        read_prices(path)


def test_a_price_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="cannot be read"):
        read_prices(tmp_path / "none.json")
