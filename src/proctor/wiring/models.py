"""Models by their names, each in its role."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from proctor.config import Settings
from proctor.errors import OptionError
from proctor.models.cached import CachedModel, Mode
from proctor.models.chat import ChatModel
from proctor.models.openai import OpenAIModel, Options
from proctor.models.prices import PriceTable, read_prices
from proctor.models.roles import Role, Roles, self_judging
from proctor.records.runs import Manifest
from proctor.runs.schedule import Patience
from proctor.runs.underway import Recalling
from proctor.store.replies import ReplyStore
from proctor.wiring.judges import model_of_judge

__all__ = ["Models", "patience_of", "self_judged"]


class Models:
    """Makes a run's models, and closes those that it has made."""

    def __init__(self, settings: Settings) -> None:
        self._prices = None if settings.run.prices is None else read_prices(settings.run.prices)
        self._options = Options(concurrency=max(32, settings.run.concurrency))
        replies, replay = settings.run.replies, settings.run.replay
        if replay and replies is None:
            raise OptionError("--replay asks no model and needs the recording: --replies FILE.")
        self._mode: Mode = "replay" if replay else "auto"
        self._replies = None if replies is None else ReplyStore(replies, read_only=replay)
        if self._replies is not None and replay:
            self._replies.counts()  # it has to be there before anything begins
        self._made: list[OpenAIModel] = []
        self._asked: list[OpenAIModel] = []

    @property
    def prices(self) -> PriceTable | None:
        """The price table that was named."""
        return self._prices

    def role(self, role: str) -> Callable[[str, str | None], ChatModel]:
        """Makes models of a role: what they say is kept while a trial is underway."""

        def make(name: str, url: str | None = None) -> ChatModel:
            return Recalling(self.plain(name, url=url), role)

        return make

    def plain(self, name: str, *, url: str | None = None, surely: bool = True) -> ChatModel:
        """A model by its name, with its recording where one is wanted; `surely` where it will be asked for certain."""
        model = OpenAIModel(name, url=url, options=self._options, prices=self._prices)
        self._made.append(model)
        if surely and self._replies is None:
            self._asked.append(model)
        return model if self._replies is None else CachedModel(model, self._replies, self._mode)

    def require_keys(self) -> None:
        """Raise ModelRefusedError when a model that will be asked for certain needs a key and there is none.

        A recording may hold every reply that is wanted, so that no key is needed until it lacks one.
        """
        for model in self._asked:
            model.require_key()

    async def aclose(self) -> None:
        """Close what was made here."""
        for model in self._made:
            await model.aclose()
        if self._replies is not None:
            self._replies.close()


def patience_of(settings: Settings) -> Patience:
    """How often what failed is tried again. What a recording lacks does not come by waiting."""
    return Patience(1 if settings.run.replay else settings.run.tries)


def self_judged(manifest: Manifest, judges: Sequence[str], url: str | None) -> str | None:
    """What to warn of where one of the judges, at that address, is the model that sat the exam; None where none is."""
    if manifest.spec.agent_model is None:
        return None
    agent = Role(manifest.spec.agent_model, manifest.agent_url)
    models = [model for model in map(model_of_judge, judges) if model is not None]
    warnings = (self_judging(Roles(agent, Role(model, url))) for model in models)
    return next((warning for warning in warnings if warning is not None), None)
