"""Any OpenAI-compatible endpoint: OpenAI, Azure, OpenRouter, vLLM, llama.cpp, Ollama, or one's own."""

from __future__ import annotations

import asyncio
import random
import time
import weakref
from collections.abc import Awaitable, Callable, Generator, Mapping
from typing import Any

import msgspec

from proctor.errors import ModelError, ModelRefusedError, OptionError
from proctor.models.answered import Answered
from proctor.models.asking import Ask, Learned, Surroundings, Wait, asking
from proctor.models.chat import Reply, Request
from proctor.models.environment import Secret, read_environment
from proctor.models.exchange import Exchange, fast_transport, openai_package
from proctor.models.limiter import Gate, Limiter
from proctor.models.names import PROVIDERS, Address, address
from proctor.models.payloads import FORMS, Form
from proctor.models.prices import Price, PriceTable, known_prices
from proctor.models.retries import RetryPolicy, retry_after
from proctor.records.grades import Missing
from proctor.records.traces import Usage

__all__ = ["OpenAIModel", "Options", "Pace"]


class Options(msgspec.Struct, frozen=True):
    """How an endpoint is asked."""

    timeout: float | None = 120.0
    """After so many seconds an attempt is cut off; None waits for ever."""
    concurrency: int = 32
    """How many calls may be under way at once; fewer while the endpoint says that there are too many."""
    retries: RetryPolicy = RetryPolicy()
    output_form: Form | None = None
    """How a shape is asked for: `json_schema`, `function` or `prompt`. None finds out what the endpoint takes."""
    price: Price | None = None
    """What the model costs; None looks it up in the price table."""

    def __post_init__(self) -> None:
        if self.timeout is not None and not self.timeout > 0:
            raise OptionError(f"a timeout must be longer than 0 seconds, not {self.timeout}.")
        if self.output_form is not None and self.output_form not in FORMS:
            raise OptionError(f"output_form must be one of {', '.join(FORMS)}, not {self.output_form!r}.")


class Pace(msgspec.Struct, frozen=True):
    """Time and chance, so that a test can hold them still."""

    clock: Callable[[], float] = time.monotonic
    wall: Callable[[], float] = time.time
    sleep: Callable[[float], Awaitable[Any]] = asyncio.sleep
    dice: Callable[[], float] = random.random


class OpenAIModel:
    """A model behind an OpenAI-compatible endpoint, asked by the `openai` package.

    `name` is `openai/gpt-4o-mini`, `openai:gpt-4o-mini` or OpenAI's bare name; `url` is the address of an endpoint of
    one's own. The key comes from the environment or a `.env` file, unless it is given. Neither the key nor the package
    is needed before the first question, so that a recording can be replayed without them.

    `spent` is what all calls so far have cost, those that failed included. A refused key or an unknown model is
    remembered: later calls fail at once, without asking.
    """

    def __init__(
        self,
        name: str,
        *,
        url: str | None = None,
        key: str | None = None,
        options: Options | None = None,
        prices: PriceTable | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._environment = read_environment() if environment is None else dict(environment)
        self._key = Secret(key) if key is not None else None
        self._settle(address(name, url, self._environment), options, prices)
        self._exchange = Exchange(self._make_client)

    @classmethod
    def around(
        cls, client: Any, model: str, *, options: Options | None = None, prices: PriceTable | None = None
    ) -> OpenAIModel:
        """A model asked through a client of the `openai` package that exists already. It stays its owner's to close."""
        self = cls.__new__(cls)
        url = str(client.base_url).rstrip("/")
        known = next((provider.name for provider in PROVIDERS.values() if provider.url == url), None)
        name = f"{known}/{model}" if known else model
        self._environment = {}
        self._key = Secret(client.api_key) if isinstance(client.api_key, str) else None
        self._settle(Address(name, model, url, known, None, needs_key=False), options, prices)
        self._exchange = Exchange(lambda: client, shared=True)
        return self

    def _settle(self, place: Address, options: Options | None, prices: PriceTable | None) -> None:
        self.options = options or Options()
        self.pace = Pace()
        self.spent = Usage()
        self._place = place
        self._refused: ModelRefusedError | None = None
        self._learned = Learned(self.options.output_form)
        self._price = self.options.price or self._look_up(prices)
        self._gates: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, Gate] = weakref.WeakKeyDictionary()

    @property
    def name(self) -> str:
        """The name for reports."""
        return self._place.name

    @property
    def endpoint(self) -> str:
        """The address."""
        return self._place.url

    @property
    def lacks(self) -> frozenset[str]:
        """What the endpoint was found not to take: forms of output and parameters."""
        return self._learned.lacks

    @property
    def concurrency(self) -> int:
        """How many calls this event loop may have under way now."""
        return self._gate().limiter.room

    def __repr__(self) -> str:
        return f"OpenAIModel({self.name!r}, url={self.endpoint!r})"

    async def reply(self, request: Request) -> Reply:
        """Ask, repeat where that may help, and count what it cost."""
        around = Surroundings(self._place, self.options.retries, self._price, self.pace.dice, self.pace.wall)
        try:
            reply = await self._follow(asking(request, self._learned, around))
        except ModelError as error:
            self._note(error)
            raise
        self.spent += reply.usage
        return reply

    async def aclose(self) -> None:
        """Give back the connections of this event loop."""
        await self._exchange.aclose()

    def require_key(self) -> None:
        """Raise ModelRefusedError when the endpoint needs a key and there is none: a check before a run begins."""
        self._find_key()

    async def _follow(self, course: Generator[Ask | Wait, Answered | None, Reply]) -> Reply:
        """Do what the course of the question says, until it has its reply."""
        answered: Answered | None = None
        while True:
            try:
                step = course.send(answered)
            except StopIteration as done:
                reply: Reply = done.value
                return reply
            if isinstance(step, Ask):
                answered = await self._ask(step.body)
            else:
                answered = None
                await self.pace.sleep(step.seconds)

    async def _ask(self, body: dict[str, Any]) -> Answered:
        """One attempt, when its turn has come."""
        self._stop_if_refused()
        gate = self._gate()
        entered = await gate.enter()
        answered: Answered | None = None
        try:
            self._stop_if_refused()
            answered = self._without_key(await self._exchange.send(body, self.options.timeout))
        finally:
            gate.leave(entered, **self._about_capacity(answered))
        return answered

    def _about_capacity(self, answered: Answered | None) -> dict[str, Any]:
        """What an answer says about how many calls the endpoint can bear."""
        if answered is None or not (answered.fine or answered.status == 429):
            return {}
        wait = retry_after(answered.headers, self.pace.wall()) if answered.status == 429 else None
        longest = self.options.retries.longest_asked
        return {"taken": answered.fine, "wait": min(wait, longest) if wait is not None else None}

    def _without_key(self, answered: Answered) -> Answered:
        """Some endpoints repeat the key in their errors; it must not stand in ours."""
        if answered.fine or self._key is None:
            return answered
        key = self._key.reveal().encode()
        body = answered.body.replace(key, b"(the key)") if key else answered.body
        return msgspec.structs.replace(answered, body=body, broke=self._key.hide_in(answered.broke))

    def _stop_if_refused(self) -> None:
        if self._refused is not None:
            again = self._refused
            raise ModelRefusedError(again.problem, model=again.model, kind=again.kind, status=again.status, attempts=0)

    def _note(self, error: ModelError) -> None:
        if isinstance(error.usage, Usage):
            self.spent += error.usage
        if isinstance(error, ModelRefusedError) and self._refused is None:
            self._refused = error

    def _gate(self) -> Gate:
        loop = asyncio.get_running_loop()
        if loop not in self._gates:
            self._gates[loop] = Gate(Limiter(self.options.concurrency), self.pace.clock, self.pace.sleep)
        return self._gates[loop]

    def _look_up(self, prices: PriceTable | None) -> Price | Missing:
        """The price in a user's table, else in Proctor's, which knows no machine of one's own."""
        if prices is None and self._place.local:
            return Missing("the model's price is not known", f"{self._place.url} is on this machine")
        return (prices or known_prices()).price(self._place.name)

    def _find_key(self) -> str:
        """The key, or a word in its place where none is needed."""
        place = self._place
        if self._key is None and place.key_variable and (said := self._environment.get(place.key_variable, "").strip()):
            self._key = Secret(said)
        if self._key is None and place.needs_key:
            raise ModelRefusedError(
                f"there is no key for {place.url}; set {place.key_variable} in the environment or in a .env file.",
                model=place.name,
                kind="no_key",
                attempts=0,
            )
        return self._key.reveal() if self._key is not None else "none"

    def _make_client(self) -> Any:
        openai = openai_package()
        key, place = self._find_key(), self._place
        version = self._environment.get("OPENAI_API_VERSION") if place.provider == "azure" else None
        settings: dict[str, Any] = {"api_key": key, "max_retries": 0, "timeout": self.options.timeout}
        settings["http_client"] = fast_transport()
        if version:
            endpoint = place.url.removesuffix("/openai/v1")
            return openai.AsyncAzureOpenAI(azure_endpoint=endpoint, api_version=version, **settings)
        return openai.AsyncOpenAI(base_url=place.url, **settings)
