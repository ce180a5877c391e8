"""A judge's prompts as data: a folder with a `config.yaml` and a `template.txt`, ours or a user's.

The layout is that of StableToolBench's evaluators, so a folder of its checkout can be read as it stands. Ours add
`fenced: true`: what an agent wrote is put between fences (`proctor.judges.fences`). A folder without that is filled in
as it was written, so that its numbers can be compared with published ones.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping
from importlib import resources
from pathlib import Path
from typing import Any

import msgspec

from proctor.errors import FileError, OptionError
from proctor.judges.fences import fenced, mark_of, seal_of
from proctor.judges.shapes import Shape
from proctor.records.keys import content_hash

__all__ = ["Filled", "Prompt", "Template", "built_in", "load_template", "template_from"]

_FUNCTION = re.compile(r"<function>(.*?)</function>", re.DOTALL)
_NAME = re.compile(r"<name>(.*?)</name>", re.DOTALL)
_DESCRIPTION = re.compile(r"<description>(.*?)</description>", re.DOTALL)
_PLACE = re.compile(r"\{(\w+)\}")
_MARK, _SEAL = "mark", "seal"


class Filled(msgspec.Struct, frozen=True):
    """A prompt with its material in it."""

    text: str
    material: tuple[str, ...]
    """What agents and users wrote: none of it is a judge's opinion."""
    seal: str | None = None
    """What the judge was given to seal its reply by; None where the prompt has no place for it."""


class Prompt(msgspec.Struct, frozen=True):
    """One question to a judge, and the fields of its reply."""

    name: str
    text: str
    shape: Shape
    fenced: bool = False

    @property
    def places(self) -> frozenset[str]:
        """What has to be filled in."""
        return frozenset(_PLACE.findall(self.text)) - {_MARK, _SEAL}

    def check_places(self, *needed: str, others: Iterable[str] = ()) -> None:
        """Refuse a prompt that has no place for what it is about, or one that nothing fills."""
        if lacking := [place for place in needed if place not in self.places]:
            raise OptionError(
                f"the judge template's {self.name!r} has no place {{{lacking[0]}}}, "
                "and what it is to judge would not be shown."
            )
        if unknown := sorted(self.places - {*needed, *others}):
            raise _unfilled(self.name, unknown[0], [*needed, *others])

    def fill(self, **material: str) -> Filled:
        """The prompt with its material. Braces inside the material stay what they are."""
        if unknown := sorted(self.places - material.keys()):
            raise _unfilled(self.name, unknown[0], material)
        used = {name: material[name] for name in sorted(self.places)}
        mark = mark_of(used)
        seal = seal_of(mark) if _SEAL in _PLACE.findall(self.text) else None
        put = {name: fenced(name, text, mark) if self.fenced else text for name, text in used.items()}
        put |= {_MARK: mark} if seal is None else {_MARK: mark, _SEAL: seal}
        text = _PLACE.sub(lambda match: put.get(match[1], match[0]), self.text)
        return Filled(text, tuple(used.values()), seal)


def _unfilled(prompt: str, place: str, known: Iterable[str]) -> OptionError:
    return OptionError(
        f"the judge template's {prompt!r} has the place {{{place}}}; "
        f"what can be filled in is {', '.join(f'{{{name}}}' for name in sorted(known))}."
    )


class Template(msgspec.Struct, frozen=True):
    """A folder of prompts."""

    name: str
    prompts: dict[str, Prompt]
    version: str
    """The first digits of the hash over both files: it changes with every letter of the prompts."""
    temperature: float | None = None
    max_tokens: int | None = None
    model: str | None = None
    """The model that the folder names. It is told to the user, and never asked unless the user names it too."""

    def prompt(self, name: str, *others: str) -> Prompt:
        """The prompt of that name, or of the first other name that there is."""
        for known in (name, *others):
            if known in self.prompts:
                return self.prompts[known]
        raise OptionError(
            f"the judge template {self.name!r} has no function {name!r}; it has {', '.join(sorted(self.prompts))}."
        )

    def check_like(self, own: Template) -> None:
        """Refuse it where a question of the other is not in it, or leaves something out that the other shows."""
        for name, prompt in own.prompts.items():
            self.prompt(name).check_places(*sorted(prompt.places))

    def __str__(self) -> str:
        return f"{self.name}@{self.version}"


@functools.cache
def built_in(name: str) -> Template:
    """One of Proctor's own: solving, solvability, preference, completeness, topics, goals, meaning."""
    folder = resources.files("proctor.judges").joinpath("prompts", name)
    config, texts = (folder.joinpath(file).read_text("utf-8") for file in ("config.yaml", "template.txt"))
    return template_from(name, config, texts)


def load_template(folder: str | Path) -> Template:
    """The prompts of a folder: `config.yaml`, and the template's file that it names (`template.txt`)."""
    folder = Path(folder)
    config = _read(folder / "config.yaml", "a judge template is a folder with config.yaml and template.txt")
    name = _config(config, str(folder / "config.yaml")).get("prompt_template")
    file = folder / (name if isinstance(name, str) and Path(name).name == name else "template.txt")
    return template_from(folder.name, config, _read(file, "it holds the prompts, a <function> each"), str(folder))


def template_from(name: str, config: str, texts: str, where: str | None = None) -> Template:
    """The prompts in the texts of the two files."""
    read = _config(config, f"{where or name}/config.yaml")
    settings = read.get("completions_kwargs")
    settings = settings if isinstance(settings, dict) else {}
    schemas = _schemas(settings.get("functions", read.get("functions")), f"{where or name}/config.yaml")
    described = _described(texts, f"{where or name}/template.txt")
    if lacking := sorted(described.keys() - schemas.keys()):
        raise FileError(
            f"the function {lacking[0]!r} has no schema among the functions of config.yaml; "
            f"it has {', '.join(sorted(schemas)) or 'none'}.",
            path=f"{where or name}/template.txt",
        )
    temperature, longest, model = (settings.get(key) for key in ("temperature", "max_tokens", "model"))
    return Template(
        name=name,
        prompts={
            function: Prompt(function, text, Shape.of(function, schemas[function]), read.get("fenced") is True)
            for function, text in described.items()
        },
        version=content_hash([config, texts])[:12],
        temperature=float(temperature) if isinstance(temperature, int | float) else None,
        max_tokens=longest if type(longest) is int and longest > 0 else None,
        model=model if isinstance(model, str) else None,
    )


def _read(path: Path, what: str) -> str:
    try:
        return path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise FileError(f"cannot be read ({why}); {what}.", path=str(path)) from None


def _config(text: str, path: str) -> dict[str, Any]:
    import yaml

    try:
        read = yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or "it cannot be read"
        raise FileError(f"this is not YAML: {problem}.", path=path, line=mark.line + 1 if mark else None) from None
    if not isinstance(read, dict):
        raise FileError("a judge's config.yaml must be a mapping with the functions of its replies.", path=path)
    return read


def _schemas(functions: Any, path: str) -> dict[str, Mapping[str, Any]]:
    """The schema of each function's reply, by name."""
    if not isinstance(functions, list):
        raise FileError("there is no list 'functions' under completions_kwargs.", path=path)
    schemas: dict[str, Mapping[str, Any]] = {}
    for place, function in enumerate(functions):
        inner = function.get("function", function) if isinstance(function, dict) else {}
        name, schema = inner.get("name"), inner.get("parameters")
        if not isinstance(name, str) or not isinstance(schema, dict):
            raise FileError(f"functions[{place}] must have a name and parameters (a JSON schema).", path=path)
        schemas[name] = schema
    return schemas


def _described(texts: str, path: str) -> dict[str, str]:
    """The prompt of each function, by name."""
    prompts: dict[str, str] = {}
    for block in _FUNCTION.findall(texts):
        name, description = _NAME.search(block), _DESCRIPTION.search(block)
        if name is None or description is None:
            raise FileError("each <function> must hold a <name> and a <description>.", path=path)
        prompts[name[1].strip()] = description[1].strip()
    if not prompts:
        raise FileError("there is no <function><name>…</name><description>…</description></function>.", path=path)
    return prompts
