"""How a run goes about its work: how long it waits, how much it does at once."""

from __future__ import annotations

from typing import Any

import msgspec

from proctor.errors import OptionError


class RunConfig(msgspec.Struct, frozen=True):
    """How long to wait for one measurement, how often to try again, and how many to have at work at once.

    The names and the defaults are those of ragas. Metrics that ask no model have no use for them.
    """

    timeout: float = 180
    """Seconds that one measurement may take; one that takes longer is unmeasured."""
    max_retries: int = 10
    """How often a model is asked again after a fault on the way to it."""
    max_wait: float = 60
    """Seconds to wait at most between two tries."""
    max_workers: int = 16
    """How many measurements that wait for a model are at work at once."""
    exception_types: type[BaseException] | tuple[type[BaseException], ...] = (Exception,)
    """What a metric of your own may want to try again after. Proctor itself tries again after faults of transport."""
    log_tenacity: bool = False
    """Nothing: it is here for callers that set it."""
    seed: int = 42
    """The seed of whatever is drawn at random."""

    def __post_init__(self) -> None:
        for name, least in (("timeout", 0), ("max_workers", 1), ("max_retries", 0), ("max_wait", 0)):
            value: Any = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not value >= least:
                raise OptionError(f"{name} of a RunConfig is {value!r}; expected a number from {least} on.")
