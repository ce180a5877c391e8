"""The starter's queries and a caller of its APIs."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from proctor.formats.stabletoolbench.queries import read_queries
from proctor.gateway.canned import FunctionSource
from proctor.gateway.source import Call
from proctor.records.answers import Answer
from proctor.records.queries import ApiId, Query
from proctor.starter import functions, sets


@pytest.fixture(scope="session")
def queries() -> list[Query]:
    return [query for path in sets().values() for query in read_queries(path)]


@pytest.fixture
def call() -> Callable[..., Any]:
    """Calls an API of the starter as the gateway does: `call("Library/Loans Desk/Card Status", card_number="C-1")`."""
    source = FunctionSource(functions())

    def called(api: str, **arguments: Any) -> Answer:
        said = asyncio.run(source.answer(Call.of(ApiId(*api.split("/")), arguments)))
        assert isinstance(said, Answer), said
        return said

    return called
