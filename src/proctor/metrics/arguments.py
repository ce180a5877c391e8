"""When the arguments of a call made are those of a call wanted.

A `Rule` says it for one tool: how the names may relate (exact, ignore, subset, superset, always seen from the call
that was made), which arguments have comparators of their own, and what the tool's schema relaxes. `compare` applies it
to two calls and names each argument that differs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import msgspec

from proctor.errors import OptionError
from proctor.metrics.comparators import Answers, Comparator, accepts, by_function, comparator
from proctor.metrics.pairing import most
from proctor.metrics.schema_forms import SchemaForm, Unordered, read_tools, relaxed
from proctor.records.gold import ARGUMENT_MODES, Choice

ANY = "*"
"""The tool name under which an override counts for every tool that has none of its own."""

_INDEX = re.compile(r"\[\d+\]")
_ITSELF = frozenset({str, int, type(None)})
"""Types whose values are equal when Python says so, and never equal to JSON text as bytes."""
encode = msgspec.json.Encoder(order="deterministic").encode
"""The canonical JSON of a canonical value."""


class Difference(msgspec.Struct, frozen=True, omit_defaults=True):
    """One argument in which a call made differs from the call wanted."""

    path: str
    """Where it stands: `city`, `filters.price`, `stops[2].name`; empty when a function compared the whole."""
    kind: Literal["differs", "missing", "extra"]
    """Whether both have it, only the call wanted, or only the call made."""
    wanted: Any = None
    """The value wanted, as plain data; None when the kind is extra."""
    made: Any = None
    """The value made; None when the kind is missing."""
    grade: float | None = None
    """How much alike a metric or a function found the two."""


@dataclass(frozen=True)
class Rule:
    """How the arguments of one tool are compared."""

    mode: str = "exact"
    comparators: Mapping[str, Comparator] = field(default_factory=dict)
    only: tuple[str, ...] | None = None
    whole: Callable[..., Any] | None = None
    threshold: float = 1.0
    form: SchemaForm | None = None
    coerce: bool = False
    where: str = ""

    @cached_property
    def plain(self) -> bool:
        """Whether arguments are compared by nothing but their names and the canonical JSON of their values."""
        return self.whole is None and not self.comparators

    @cached_property
    def keyed(self) -> bool:
        """Whether equal keys (`key`) are all there is to it."""
        return self.plain and self.mode in ("exact", "ignore")

    @cached_property
    def verbatim(self) -> bool:
        """Whether the form of arguments is the arguments as they are."""
        return not self.coerce and self.only is None and self.form is None

    @cached_property
    def literal(self) -> bool:
        """Whether arguments are equal when their canonical JSON is, without a form of their own."""
        return self.keyed and self.mode == "exact" and self.verbatim

    @property
    def waits(self) -> bool:
        """Whether something has to be waited for."""
        return any(each.waits for each in self.comparators.values())

    def of(self, args: dict[str, Any]) -> dict[str, Any]:
        """Canonical arguments in the form in which equal things are equal."""
        value: dict[str, Any] = relaxed(args) if self.coerce else args
        if self.form is not None:
            value = self.form.of(value)
        return value if self.only is None else dict(_picked(value, self.only))

    def key(self, value: dict[str, Any]) -> bytes:
        """Equal for equal calls, given their arguments in the rule's form. Only where `keyed`."""
        return b"" if self.mode == "ignore" else encode(self._filled(value))

    def items(self, value: dict[str, Any], *, made: bool) -> dict[str, Any]:
        """The arguments of one side, each with what is equal for equal values. Only where `plain`."""
        if self.mode != ("subset" if made else "superset"):
            value = self._filled(value)
        return {name: item if type(item) in _ITSELF else encode(item) for name, item in value.items()}

    def look(self, made: dict[str, Any], wanted: dict[str, Any], answers: Answers) -> tuple[bool, float]:
        """Whether arguments that are in the rule's form agree, and how much alike they are: the share that agrees."""
        found = self._walked(made, wanted, answers, tell=False)
        return found.agrees, found.likeness

    def compare(self, made: dict[str, Any], wanted: dict[str, Any], answers: Answers) -> Comparison:
        """`look`, naming each argument that differs."""
        return self._walked(made, wanted, answers, tell=True)

    def _walked(self, made: dict[str, Any], wanted: dict[str, Any], answers: Answers, *, tell: bool) -> Comparison:
        if self.whole is not None:
            return self._compare_whole(made, wanted)
        if self.mode == "ignore":
            return Comparison(agrees=True, likeness=1.0)
        if self.mode != "subset":
            made = self._filled(made)
        if self.mode != "superset":
            wanted = self._filled(wanted)
        walk = _Walk(self.comparators, answers, tell=tell)
        grades = [walk.argument(name, made, wanted, self.mode) for name in _names(made, wanted)]
        likeness = sum(grades) / len(grades) if grades else 1.0
        return Comparison(agrees=not walk.wrong, likeness=likeness, differences=tuple(walk.differences))

    def _filled(self, value: dict[str, Any]) -> dict[str, Any]:
        defaults = self.form.defaults if self.form is not None else {}
        if not defaults:
            return value
        kept = defaults if self.only is None else {name: item for name, item in defaults.items() if name in self.only}
        return {**kept, **value}

    def _compare_whole(self, made: dict[str, Any], wanted: dict[str, Any]) -> Comparison:
        assert self.whole is not None
        grade = by_function(self.whole, (made, msgspec.to_builtins(wanted)), self.where)
        if grade >= self.threshold:
            return Comparison(agrees=True, likeness=grade)
        difference = Difference("", "differs", msgspec.to_builtins(wanted), made, grade)
        return Comparison(agrees=False, likeness=grade, differences=(difference,))


class Comparison(msgspec.Struct, frozen=True):
    """What comparing the arguments of two calls came to."""

    agrees: bool
    likeness: float
    """From 0 to 1: the share of the arguments that agree, graded ones by their grade."""
    differences: tuple[Difference, ...] = ()


class _Walk:
    """Goes through two values side by side, counts where they differ, and notes it where it is to be told."""

    def __init__(self, comparators: Mapping[str, Comparator], answers: Answers, *, tell: bool) -> None:
        self.wrong = 0
        self.differences: list[Difference] = []
        self._comparators = comparators
        self._answers = answers
        self._tell = tell

    def argument(self, name: str, made: dict[str, Any], wanted: dict[str, Any], mode: str) -> float:
        """Compare one argument; what it adds to how much alike the calls are."""
        own = self._comparators.get(name)
        if own is not None and own.ignores:
            return 1.0
        if name not in wanted:
            return 0.0 if mode == "superset" else self._one_sided(name, "extra", made[name])
        if name not in made:
            return 0.0 if mode == "subset" else self._one_sided(name, "missing", wanted[name])
        return self._value(name, made[name], wanted[name])

    def _value(self, path: str, made: Any, wanted: Any) -> float:
        own = self._own(path)
        if own is not None:
            return self._graded(path, (made, wanted), own)
        if isinstance(wanted, Choice):
            return 1.0 if accepts(wanted, made) else self._differs(path, made, wanted)
        if type(made) is dict and type(wanted) is dict:
            return self._objects(path, made, wanted)
        if isinstance(made, list) and isinstance(wanted, list) and len(made) == len(wanted):
            return self._lists(path, made, wanted)
        return 1.0 if type(made) is type(wanted) and made == wanted else self._differs(path, made, wanted)

    def _objects(self, path: str, made: dict[str, Any], wanted: dict[str, Any]) -> float:
        before = self.wrong
        for name in _names(made, wanted):
            place = f"{path}.{name}"
            own = self._own(place)
            if own is not None and own.ignores:
                continue
            if name not in wanted:
                self._one_sided(place, "extra", made[name])
            elif name not in made:
                self._one_sided(place, "missing", wanted[name])
            else:
                self._value(place, made[name], wanted[name])
        return float(self.wrong == before)

    def _lists(self, path: str, made: list[Any], wanted: list[Any]) -> float:
        if isinstance(wanted, Unordered) and (wanted.choices or self._comparators):
            return 1.0 if self._pairs_off(path, made, wanted) else self._differs(path, made, wanted)
        before = self.wrong
        for at, pair in enumerate(zip(made, wanted, strict=True)):
            self._value(f"{path}[{at}]", *pair)
        return float(self.wrong == before)

    def _pairs_off(self, path: str, made: list[Any], wanted: list[Any]) -> bool:
        """Whether each item wanted has an item made of its own, in whatever order they stand."""
        fits = [0] * len(wanted)
        for place, want in enumerate(wanted):
            for at, have in enumerate(made):
                walk = _Walk(self._comparators, self._answers, tell=False)
                walk._value(f"{path}[{place}]", have, want)
                fits[place] |= (not walk.wrong) << at
        return len(most(fits, range(len(fits)))) == len(wanted)

    def _own(self, path: str) -> Comparator | None:
        return self._comparators.get(_INDEX.sub("[]", path)) if self._comparators else None

    def _graded(self, path: str, values: tuple[Any, Any], own: Comparator) -> float:
        made, wanted = values
        # A comparator of a user's knows no choices: a choice of the gold's decides by itself.
        if isinstance(wanted, Choice) and not own.ignores:
            return 1.0 if accepts(wanted, made) else self._differs(path, made, wanted)
        grade = float(own.grade(made, wanted, self._answers))
        if grade < own.threshold:
            self._differs(path, made, wanted, grade)
        return grade

    def _differs(self, path: str, made: Any, wanted: Any, grade: float | None = None) -> float:
        self.wrong += 1
        if self._tell:
            wanted, made = msgspec.to_builtins(wanted), msgspec.to_builtins(made)
            self.differences.append(Difference(path, "differs", wanted, made, grade))
        return 0.0

    def _one_sided(self, path: str, kind: Literal["missing", "extra"], value: Any) -> float:
        self.wrong += 1
        if self._tell:
            plain = msgspec.to_builtins(value)
            self.differences.append(
                Difference(path, kind, made=plain) if kind == "extra" else Difference(path, kind, wanted=plain)
            )
        return 0.0


class Rules:
    """The rule of each tool."""

    def __init__(self, default: Rule, overrides: Any, tools: Any) -> None:
        self._default = default
        self._overrides = _read_overrides(overrides)
        self._forms = read_tools(tools)
        self._rules = {name: self._make(name) for name in {*self._overrides, *self._forms}}
        self._other = self._rules.get(ANY, default)
        self._of_modes: dict[tuple[str, str], Rule] = {}
        self.literal = default.literal and not self._rules
        """Whether calls are equal when their keys are, whatever the tool."""
        self.plain = all(rule.plain for rule in (self._other, *self._rules.values()))
        """Whether every rule is."""
        self.transitive = self.plain and not self._forms
        """Whether a call that fits another fits whatever that one fits. (A default that is left out may break it.)"""
        self.waits = any(rule.waits for rule in (self._other, *self._rules.values()))

    def of(self, tool: str, mode: str | None = None) -> Rule:
        """The rule for a tool; `mode` is what a gold call asks for itself."""
        rule = self._rules.get(tool, self._other)
        if mode is None or mode == rule.mode:
            return rule
        found = self._of_modes.get((tool, mode))
        if found is None:
            found = self._of_modes[tool, mode] = replace(rule, mode=mode, whole=None)
        return found

    def _make(self, name: str) -> Rule:
        form = self._forms.get(name)
        default = replace(self._default, form=form, where=f"tool {name!r}")
        override = self._overrides.get(name, self._overrides.get(ANY))
        if override is None:
            return default
        if isinstance(override, str):
            return replace(default, mode=checked_argument_mode(override, default.where))
        if isinstance(override, (list, tuple)):
            return replace(default, only=_read_only(override, default.where))
        if isinstance(override, Mapping):
            return self._by_argument(default, override)
        if callable(override) and not isinstance(override, type):
            return replace(default, whole=override)
        raise OptionError(
            f"{default.where}: {override!r} cannot say how its arguments are compared; give a mode "
            f"({', '.join(ARGUMENT_MODES)}), a list of argument names, a dictionary of comparators, or a function."
        )

    def _by_argument(self, default: Rule, override: Mapping[Any, Any]) -> Rule:
        mode = default.mode
        comparators = {}
        for name, given in override.items():
            if name == ANY:
                mode = checked_argument_mode(given, default.where)
                continue
            if not isinstance(name, str):
                raise OptionError(f"{default.where}: an argument's name must be text, not {name!r}.")
            made = comparator(given, default.threshold, f"argument {name!r} of {default.where}")
            if made is not None:
                comparators[name] = made
        return replace(default, mode=mode, comparators=comparators)


def checked_argument_mode(mode: Any, where: str = "") -> str:
    """The argument mode, if there is such."""
    if isinstance(mode, str) and mode in ARGUMENT_MODES:
        return mode
    known = ", ".join(ARGUMENT_MODES)
    raise OptionError(f"{where + ': ' if where else ''}{mode!r} is no argument mode; known are {known}.")


def _read_overrides(overrides: Any) -> dict[str, Any]:
    if overrides is None:
        return {}
    if not isinstance(overrides, Mapping) or not all(isinstance(name, str) for name in overrides):
        raise OptionError(f"overrides must be a dictionary by tool name, not {overrides!r}.")
    return dict(overrides)


def _read_only(names: Any, where: str) -> tuple[str, ...]:
    if not all(isinstance(name, str) for name in names):
        raise OptionError(f"{where}: a list of arguments holds names, not {names!r}.")
    return tuple(names)


def _picked(value: dict[str, Any], paths: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    """The arguments at some paths; one that is not there, or is null, is left out."""
    for path in paths:
        item: Any = value.get(path)
        if item is None and "." in path:
            item = value
            for step in path.split("."):
                item = item.get(step) if isinstance(item, dict) else None
        if item is not None:
            yield path, item


def _names(made: dict[str, Any], wanted: dict[str, Any]) -> list[str]:
    """The names of both, those wanted first, in an order that does not depend on how they were written."""
    return [*sorted(wanted), *sorted(made.keys() - wanted.keys())]
