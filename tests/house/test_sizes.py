"""A function fits on a screen, a module in a sitting, and a call in the head."""

import ast

LINES_OF_A_FUNCTION = 50
LINES_OF_A_MODULE = 400
PARAMETERS = 6

# What may be larger, and why. A module stands under its name, a function under "module:function".
WAIVERS: dict[str, str] = {
    "proctor.runs.evaluate:aevaluate": "the arguments that users of ragas know",
    "proctor.runs.evaluate:evaluate": "the arguments that users of ragas know",
}

Function = ast.FunctionDef | ast.AsyncFunctionDef


def too_large(name: str, text: str) -> dict[str, str]:
    """What is larger than it should be, with a sentence about it."""
    found: dict[str, str] = {}
    lines = len(text.splitlines())
    if lines > LINES_OF_A_MODULE:
        found[name] = f"{name} has {lines} lines; {LINES_OF_A_MODULE} are allowed."
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, Function):
            found.update(_too_large_function(f"{name}:{node.name}", node))
    return found


def _too_large_function(name: str, node: Function) -> dict[str, str]:
    lines = (node.end_lineno or node.lineno) - node.lineno + 1
    if lines > LINES_OF_A_FUNCTION:
        return {name: f"{name} has {lines} lines; {LINES_OF_A_FUNCTION} are allowed."}
    arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    named = [argument for argument in arguments if argument.arg not in {"self", "cls"}]
    if len(named) > PARAMETERS:
        return {name: f"{name} has {len(named)} parameters; {PARAMETERS} are allowed: make a value of them."}
    return {}


def test_the_house_keeps_the_size_budget(sources: dict[str, str]) -> None:
    found: dict[str, str] = {}
    for name, text in sources.items():
        found.update(too_large(name, text))
    complaints = [sentence for name, sentence in found.items() if name not in WAIVERS]
    assert complaints == []
    assert sorted(set(WAIVERS) - set(found)) == [], "these waivers are no longer needed"


def test_every_waiver_gives_a_reason() -> None:
    assert all(len(reason.split()) >= 3 for reason in WAIVERS.values())


def test_a_long_function_is_found() -> None:
    body = "\n".join(["    x = 1"] * LINES_OF_A_FUNCTION)
    assert list(too_large("m", f"def f():\n{body}\n")) == ["m:f"]
    assert list(too_large("m", f"class C:\n    async def f(self):\n{body.replace('    x', '        x')}\n")) == ["m:f"]
    assert too_large("m", f"def f():\n{body.removesuffix('    x = 1')}\n") == {}


def test_a_long_module_is_found() -> None:
    assert list(too_large("m", "x = 1\n" * (LINES_OF_A_MODULE + 1))) == ["m"]
    assert too_large("m", "x = 1\n" * LINES_OF_A_MODULE) == {}


def test_too_many_parameters_are_found() -> None:
    assert list(too_large("m", "def f(a, b, c, /, d, e, *, f, g): ...")) == ["m:f"]
    assert too_large("m", "def f(self, a, b, c, d, e, *rest, f, **others): ...") == {}
