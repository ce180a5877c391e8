"""What a server counts, as Prometheus reads it. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from proctor.records.answers import Source

__all__ = ["Counters"]


class Counters:
    """Requests by door and status, seconds spent on them, and how many are at work."""

    def __init__(self) -> None:
        self.requests: Counter[tuple[str, int]] = Counter()
        self.seconds = 0.0
        self.at_work = 0

    def text(self, answers: Mapping[Source, int], apis: int) -> str:
        """The figures in Prometheus's text format."""
        lines = _metric("proctor_answers_total", "counter", "Answers given, by where they came from.")
        lines += [f'proctor_answers_total{{source="{source.value}"}} {n}' for source, n in answers.items()]
        lines += _metric("proctor_requests_total", "counter", "Requests answered, by door and HTTP status.")
        for (door, status), n in sorted(self.requests.items()):
            lines.append(f'proctor_requests_total{{door="{door}",status="{status}"}} {n}')
        lines += _metric("proctor_request_seconds_total", "counter", "Seconds spent on calls.")
        lines.append(f"proctor_request_seconds_total {self.seconds:.6f}")
        lines += _metric("proctor_requests_at_work", "gauge", "Calls that are being answered.")
        lines.append(f"proctor_requests_at_work {self.at_work}")
        lines += _metric("proctor_apis", "gauge", "APIs in the catalogue.")
        lines.append(f"proctor_apis {apis}")
        return "\n".join([*lines, ""])


def _metric(name: str, kind: str, says: str) -> list[str]:
    return [f"# HELP {name} {says}", f"# TYPE {name} {kind}"]
