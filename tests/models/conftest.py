import contextlib
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest

from proctor.models.openai import OpenAIModel, Options, Pace
from proctor.models.retries import RetryPolicy
from proctor.models.scripted_server import ScriptedServer

QUICK = RetryPolicy(attempts=3, first=0.001, longest=0.002, longest_asked=0.05)
MakeModel = Callable[..., OpenAIModel]


@pytest.fixture
def serve() -> Iterator[Callable[..., ScriptedServer]]:
    """Starts scripted servers that end with the test."""
    with contextlib.ExitStack() as stack:
        yield lambda script, **more: stack.enter_context(ScriptedServer(script, **more))


@pytest.fixture
async def quick_model() -> AsyncIterator[MakeModel]:
    """Makes models that ask a scripted server and repeat almost at once; they are closed in the end."""
    made = list[OpenAIModel]()

    def make(server: ScriptedServer, name: str = "tiny", *, pace: Pace | None = None, **more: Any) -> OpenAIModel:
        known = ("url", "key", "environment", "prices")
        rest = {field: more.pop(field) for field in known if field in more}
        options = Options(**{"retries": QUICK, "timeout": 5.0, **more})
        model = OpenAIModel(name, **{"url": server.url, "environment": {}, **rest}, options=options)
        model.pace = pace or Pace()
        made.append(model)
        return model

    yield make
    for model in made:
        await model.aclose()
