"""Matching OpenAI messages: Proctor's `TrajectoryMatch` against agentevals' trajectory match, in one run.

    python bench/trajectory.py

Both sides get the same messages, the same mode and the same argument mode. Each pair of conversations is a reference
and what an agent made of it: half of them the same, the others with a call changed, left out, added or moved. Their
verdicts are compared too: where the two differ, a case says why. "Loose" are pairs in which every call has an argument
more or fewer than the reference; there the two differ on purpose, so only their speed is compared. Fails when Proctor
is not ten times faster (eight on the loose ones) in every mode, with every argument mode and at every length, or takes
more memory or time for a thousand calls than it may.
"""

from __future__ import annotations

import itertools
import json
import random
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

MODES = ("strict", "unordered", "subset", "superset")
ARGUMENT_MODES = ("exact", "ignore", "subset", "superset")
LENGTHS = (5, 50)
LOOSE = "loose"
LONG = 1000
MOST_MEGABYTES = 200
MOST_SECONDS = 5.0
"""What matching a thousand calls against as many may take, and telling the whole story of it."""
TOOLS = ("search", "open_page", "book", "pay", "weather", "translate")
REQUIREMENT = "agentevals==0.0.9"
FLOOR = 10.0
LOOSE_FLOOR = 8.0
PAIRS = 40
ROUNDS = 3
PASSES = 2

Case = dict[str, Any]
Evaluate = Callable[[list[Any], list[Any]], bool]


def calls(count: int, rng: random.Random) -> list[tuple[str, str]]:
    """Calls with arguments of the usual size, as JSON text."""
    return [
        (
            rng.choice(TOOLS),
            json.dumps(
                {"q": f"hotels in Rome {rng.randint(0, 9)}", "page": rng.randint(0, 5), "by": {"stars": [3, 4]}}
            ),
        )
        for _ in range(count)
    ]


def changed(made: list[tuple[str, str]], rng: random.Random) -> list[tuple[str, str]]:
    """The calls with one thing different."""
    made = list(made)
    at = rng.randrange(len(made))
    match rng.choice(("argument", "left out", "added", "moved")):
        case "argument":
            made[at] = (made[at][0], json.dumps({**json.loads(made[at][1]), "page": 99}))
        case "left out":
            del made[at]
        case "added":
            made.insert(at, ("log", "{}"))
        case _:
            made.append(made.pop(at))
    return made


def loosened(made: list[tuple[str, str]], rng: random.Random) -> list[tuple[str, str]]:
    """The calls, each with an argument more or fewer."""
    more = rng.random() < 0.5
    read = [(name, json.loads(arguments)) for name, arguments in made]
    return [(name, json.dumps({**args, "lang": "en"} if more else {"q": args["q"]})) for name, args in read]


def messages(made: list[tuple[str, str]]) -> list[dict[str, Any]]:
    """A conversation as OpenAI writes it: one call a message, each answered."""
    said: list[dict[str, Any]] = [{"role": "user", "content": "Find me a hotel, please."}]
    for number, (name, arguments) in enumerate(made):
        call = {"id": f"c{number}", "type": "function", "function": {"name": name, "arguments": arguments}}
        said.append({"role": "assistant", "content": "", "tool_calls": [call]})
        said.append({"role": "tool", "tool_call_id": f"c{number}", "content": "Here is what was found."})
    return [*said, {"role": "assistant", "content": "All done."}]


def pairs(length: int, change: Callable[..., list[tuple[str, str]]] = changed) -> list[list[Any]]:
    """Outputs and references of one length."""
    rng = random.Random(length)
    found = []
    for number in range(PAIRS):
        wanted = calls(length, rng)
        found.append([messages(wanted if number % 2 else change(wanted, rng)), messages(wanted)])
    return found


def one(name: str, **arguments: Any) -> tuple[str, str]:
    return name, json.dumps(arguments)


def cases() -> list[Case]:
    """Small cases in which the two may differ, each with what is right and why."""
    first, second = one("f", x=1), one("f", x=1, y=2)
    together = messages([one("a"), one("b")])
    together[1]["tool_calls"] += together[3]["tool_calls"]
    together = [*together[:3], {**together[4], "role": "tool"}, together[-1]]
    together[3] = {"role": "tool", "tool_call_id": "c1", "content": "Here is what was found."}
    turned = [*together]
    turned[1] = {**together[1], "tool_calls": together[1]["tool_calls"][::-1]}
    doubled = messages([one("a")] * 2)
    return [
        case("two of two identical calls", "unordered", messages([one("a")] * 2), doubled, right=True),
        case("one of two identical calls", "unordered", messages([one("a")]), doubled, right=False),
        case("a, a, b for a, b, b", "unordered", spelt("aab"), spelt("abb"), right=False),
        case("keys in another order", "strict", messages([("f", '{"x": 1, "y": 2}')]), keys_turned(), right=True),
        case("1 for 1.0", "strict", messages([one("f", x=1)]), messages([one("f", x=1.0)]), right=True),
        case("true for 1", "strict", messages([one("f", x=True)]), messages([one("f", x=1)]), right=False),
        case(
            "loose arguments, made in the other order",
            "superset",
            messages([second, first]),
            messages([first, second]),
            right=True,
            args="superset",
        ),
        case("fewer arguments", "subset", messages([first]), messages([second]), right=True, args="subset"),
        case("fewer arguments", "unordered", messages([first]), messages([second]), right=True, args="subset"),
        case("arguments that are no JSON", "superset", messages([("f", "{x:"), first]), messages([first]), right=True),
        case("a message more, the same calls", "strict", messages([first])[:-1], messages([first]), right=True),
        case("two calls in one message, turned round", "strict", turned, together, right=False),
    ]


def case(name: str, mode: str, made: list[Any], wanted: list[Any], *, right: bool, args: str = "exact") -> Case:
    return {"name": name, "mode": mode, "args": args, "made": made, "wanted": wanted, "right": right}


def spelt(letters: str) -> list[dict[str, Any]]:
    return messages([one(letter) for letter in letters])


def keys_turned() -> list[dict[str, Any]]:
    return messages([("f", '{"y": 2, "x": 1}')])


def measured(
    make: Callable[[str, str], Evaluate], rounds: list[str], data: dict[str, list[list[Any]]]
) -> dict[str, Any]:
    """Seconds for one pair, the quickest of the rounds, and the verdicts, by length, mode and argument mode."""
    found: dict[str, Any] = {}
    for (length, listed), mode, args in itertools.product(data.items(), rounds, ARGUMENT_MODES):
        evaluate = make(mode, args)
        verdicts = [evaluate(made, wanted) for made, wanted in listed]
        seconds = []
        for _ in range(ROUNDS):
            begun = time.perf_counter()
            for made, wanted in listed:
                evaluate(made, wanted)
            seconds.append((time.perf_counter() - begun) / len(listed))
        found[f"{length} {mode} {args}"] = {"seconds": min(seconds), "verdicts": verdicts}
    return found


def quicker(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """The quicker of two measurements, each for itself."""
    return {name: min(one.get(name, found), found, key=lambda each: each["seconds"]) for name, found in other.items()}


def verdict(evaluate: Evaluate, each: Case) -> bool | str:
    try:
        return evaluate(each["made"], each["wanted"])
    except Exception as error:  # noqa: BLE001 - whatever the peer raises is its verdict
        return type(error).__name__


def agentevals(mode: str, args: str) -> Evaluate:
    from agentevals.trajectory.match import create_trajectory_match_evaluator

    evaluator = create_trajectory_match_evaluator(trajectory_match_mode=mode, tool_args_match_mode=args)
    return lambda made, wanted: bool(evaluator(outputs=made, reference_outputs=wanted)["score"])


def proctor(mode: str, args: str) -> Evaluate:
    from proctor.metrics import TrajectoryMatch

    metric: Any = TrajectoryMatch(mode=mode, args=args)  # type: ignore[arg-type] # text that is known to be a mode
    return lambda made, wanted: metric.match(made, wanted).matched


def proctor_with_story(mode: str, args: str) -> Evaluate:
    """The same, with every pair and every difference worked out and turned into plain data."""
    from proctor.metrics import TrajectoryMatch

    metric: Any = TrajectoryMatch(mode=mode, args=args)  # type: ignore[arg-type] # as above
    return lambda made, wanted: bool(metric.match(made, wanted).to_dict()["matched"])


def peer() -> None:
    """What runs in the peer's environment: everything comes in and goes out as JSON."""
    data = json.load(sys.stdin)
    told = {
        "measured": measured(agentevals, list(MODES), data["pairs"]),
        "cases": [verdict(agentevals(each["mode"], each["args"]), each) for each in data["cases"]],
    }
    json.dump(told, sys.stdout)


def main() -> int:
    from peers import peer_python, run_peer

    python = peer_python("agentevals", [REQUIREMENT])
    data = {
        "pairs": {str(length): pairs(length) for length in LENGTHS}
        | {f"{length} {LOOSE}": pairs(length, loosened) for length in LENGTHS},
        "cases": cases(),
    }
    theirs: dict[str, Any] = {"measured": {}}
    ours: dict[str, Any] = {}
    story: dict[str, Any] = {}
    for _ in range(PASSES):  # turn and turn about, so that a busy moment does not fall on one side only
        told = run_peer(python, Path(__file__), data, "--peer")
        theirs = {**told, "measured": quicker(theirs["measured"], told["measured"])}
        ours = quicker(ours, measured(proctor, list(MODES), data["pairs"]))
        story = quicker(story, measured(proctor_with_story, list(MODES), data["pairs"]))
    slow = []
    print(f"{'calls, mode, args':<26} {REQUIREMENT:>18} {'proctor':>10} {'ratio':>7} {'with story':>11} {'ratio':>7}")
    for name, their in theirs["measured"].items():
        times = [their["seconds"], ours[name]["seconds"], story[name]["seconds"]]
        ratio = times[0] / times[1]
        told = f"{times[0] / times[2]:.1f}"
        micro = [f"{seconds * 1e6:.0f} µs" for seconds in times]
        print(f"{name:<26} {micro[0]:>18} {micro[1]:>10} {ratio:>7.1f} {micro[2]:>11} {told:>7}")
        if ratio < (LOOSE_FLOOR if LOOSE in name else FLOOR):
            slow.append(name)
        known = ours[name]["verdicts"] if LOOSE in name else their["verdicts"]
        if known != ours[name]["verdicts"] or known != story[name]["verdicts"]:
            print(f"{name}: the verdicts differ")
            slow.append(name)
    print(f"{len(ours) * PAIRS // 2} verdicts compared: {'all the same' if not slow else 'see above'}")
    wrong = tell_cases(data["cases"], theirs["cases"])
    if slow:
        print(f"below {FLOOR:g} times ({LOOSE_FLOOR:g} where loose), or different: {', '.join(slow)}")
    heavy = long_ones()
    return 1 if slow or wrong or heavy else 0


def long_ones() -> bool:
    """Match a thousand calls against as many, none the same, and tell it all; whether it takes more than it may."""
    made, wanted = (
        [(f"f{n % 3}", json.dumps({"i": n + by, "q": f"hotels {n}"})) for n in range(LONG)] for by in (0, 7)
    )
    heavy = False
    for mode, args in itertools.product(MODES, ARGUMENT_MODES):
        begun = time.process_time()
        proctor(mode, args)(messages(made), messages(wanted))
        verdict_seconds = time.process_time() - begun
        begun = time.process_time()
        proctor_with_story(mode, args)(messages(made), messages(wanted))
        seconds = time.process_time() - begun
        megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        heavy = heavy or seconds > MOST_SECONDS or megabytes > MOST_MEGABYTES
        name = f"{LONG} {mode} {args}"
        print(f"{name:<26} {verdict_seconds:.2f} s, with its story {seconds:.2f} s, {megabytes:.0f} MB at most so far")
    return heavy


def tell_cases(listed: list[Case], theirs: list[bool | str]) -> int:
    """Print each case with both verdicts; the number that Proctor has wrong."""
    wrong = 0
    print(f"\n{'case':<42} {'mode, arguments':<20} {'right':<6} {'proctor':<8} agentevals")
    for each, their in zip(listed, theirs, strict=True):
        our = verdict(proctor(each["mode"], each["args"]), each)
        wrong += our is not each["right"]
        mark = "" if their == our else "  differs on purpose"
        mode = f"{each['mode']}, {each['args']}"
        print(f"{each['name']:<42} {mode:<20} {each['right']!s:<6} {our!s:<8} {their}{mark}")
    return wrong


if __name__ == "__main__":
    sys.exit(peer() if "--peer" in sys.argv else main())
