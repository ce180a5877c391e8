"""Objects by their names: `module:Object`, found in what is installed or in the current folder."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from proctor.errors import OptionError, nearest

__all__ = ["Maker", "is_object_name", "load_object", "maker_of"]


class Maker:
    """Makes frameworks: a fresh one each time from a class or a factory, always the same from an object.

    An object that has `concurrent = True` may be asked several queries at once.
    """

    def __init__(self, name: str, make: Callable[[], Any], *, fresh: bool, concurrent: bool = False) -> None:
        self.name = name
        self.fresh = fresh
        self.concurrent = concurrent
        self._make = make

    def __call__(self) -> Any:
        """A framework, which has `answer`."""
        try:
            made = self._make()
        except Exception as error:
            raise OptionError(f"{self.name} could not be made: {type(error).__name__}: {error}") from error
        if not callable(getattr(made, "answer", None)):
            raise OptionError(
                f"{self.name} is no agent: {type(made).__name__} has no answer(query); "
                "expected setup_tools(all_tools) and answer(query)."
            )
        return made


def is_object_name(name: str) -> bool:
    """Whether a name may be a `module:Object`."""
    module, colon, thing = name.partition(":")
    return bool(colon) and all(part.isidentifier() for part in [*module.split("."), *thing.split(".")])


def load_object(name: str) -> Any:
    """The object that a `module:Object` names; whatever is wrong with it is an OptionError of one sentence."""
    if not is_object_name(name):
        raise OptionError(f"{name!r} names no object; expected module:Object, such as my_agents:Careful.")
    module_name, _, path = name.partition(":")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
        importlib.invalidate_caches()
    found = _imported(module_name)
    for part in path.split("."):
        try:
            found = getattr(found, part)
        except AttributeError:
            known = [one for one in vars(found) if not one.startswith("_")] if hasattr(found, "__dict__") else []
            hint = nearest(part, known) if known else "it has no names at all."
            raise OptionError(f"{name!r}: {getattr(found, '__name__', module_name)} has no {part!r}; {hint}") from None
    return found


def maker_of(thing: Any, name: str | None = None) -> Maker:
    """What makes frameworks of a class, a factory, or an object that is one already."""
    called = name or str(getattr(thing, "__name__", type(thing).__name__))
    if callable(getattr(thing, "answer", None)) and not isinstance(thing, type):
        return Maker(called, lambda: thing, fresh=False, concurrent=getattr(thing, "concurrent", None) is True)
    if not callable(thing):
        raise OptionError(
            f"{called} is no agent: {type(thing).__name__} has no answer(query); expected an object with "
            "setup_tools(all_tools) and answer(query), its class, or a function that makes one."
        )
    if needed := _needed(thing):
        raise OptionError(
            f"{called} cannot be made without {', '.join(needed)}; give them defaults, "
            "or name a function that makes one."
        )
    return Maker(called, thing, fresh=True)


def _imported(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and (name == error.name or name.startswith(f"{error.name}.")):
            raise OptionError(
                f"there is no module {error.name!r} for the agent {name!r}; it is looked for in {Path.cwd()} and among "
                "the installed packages."
            ) from None
        raise OptionError(f"the module {name!r} needs {error.name!r}, which is not installed.") from None
    except Exception as error:
        raise OptionError(f"the module {name!r} cannot be imported: {type(error).__name__}: {error}") from error


def _needed(thing: Callable[..., Any]) -> list[str]:
    """The parameters without which a class or factory cannot be called."""
    try:
        parameters = inspect.signature(thing).parameters.values()
    except (TypeError, ValueError):
        return []
    stars = {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD}
    return [one.name for one in parameters if one.default is one.empty and one.kind not in stars]
