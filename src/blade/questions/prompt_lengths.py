"""Are the prompts of one run longer than those of another by the same number of tokens in every task?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from statistics import median
from typing import Any

from blade.diagnosis.cases import RunCases
from blade.document import Block, Paragraph, Sentence, say
from blade.frozen import frozen
from blade.questions import judged
from blade.wording import amount, count, fact, listed

TITLE = "Prompts longer by a constant number of tokens"
ORDER = 13
OF_COPIES = True
WEIGHT = 0.8
FEWEST_TASKS = 20
NEARLY_ALL = 0.95
HALF = 0.5
MOST = 4
COMPARED = ("task whose prompt both runs count", "tasks whose prompts both runs count")
NO_TOKENS = "without counted input tokens"
NO_OUTPUT = "without an output"
SEVERAL_TURNS = "with several turns of the model"


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Pairs of runs with one turn a rollout whose input tokens differ by one number on nearly all common tasks."""
    prompts = map(_prompts, runs)
    found = [entry for first, other in combinations(prompts, 2) if (entry := _apart(first, other)) is not None]
    return {"pairs": found[:MOST]} if found else None


@frozen
class _Prompts:
    """The judged tasks of a run: the input tokens of a prompt where they are known, else why they are not."""

    run: str
    tokens: Mapping[str, float]
    unknown: Mapping[str, str]


def _prompts(run: RunCases) -> _Prompts:
    """Input tokens are the prompt's only in rollouts that asked the model once."""
    judged_ids = {id(case) for case in judged(run)}
    tokens_of: dict[str, list[int]] = {}
    unknown: dict[str, str] = {}
    for case, (tokens, turns) in zip(run.cases, run.run.graded.select("input_tokens", "acts").rows(), strict=True):
        if id(case) in judged_ids:
            reason = NO_TOKENS if not tokens else NO_OUTPUT if not turns else SEVERAL_TURNS if turns > 1 else ""
            if reason:
                unknown[case.key] = reason
            else:
                tokens_of.setdefault(case.key, []).append(tokens)
    known = {key: median(some) for key, some in tokens_of.items()}
    return _Prompts(run.run.name, known, {key: reason for key, reason in unknown.items() if key not in known})


def _apart(first: _Prompts, other: _Prompts) -> dict[str, Any] | None:
    common = first.tokens.keys() & other.tokens.keys()
    every = (first.tokens.keys() | first.unknown.keys()) & (other.tokens.keys() | other.unknown.keys())
    if len(common) < FEWEST_TASKS or len(common) < HALF * len(every):
        return None
    ((apart, many),) = Counter(other.tokens[key] - first.tokens[key] for key in sorted(common)).most_common(1)
    if not apart or many < NEARLY_ALL * len(common) or len({first.tokens[key] for key in common}) == 1:
        return None
    longer, shorter = (other.run, first.run) if apart > 0 else (first.run, other.run)
    reasons = Counter(first.unknown.get(key) or other.unknown[key] for key in every - common)
    return {
        "longer": longer,
        "shorter": shorter,
        "tokens": int(abs(apart)),
        "tasks": many,
        "of": len(common),
        "common": len(every),
        "left_out": sorted(reasons.items(), key=lambda pair: (-pair[1], pair[0])),
    }


def tell(answer: Mapping[str, Any]) -> list[Block]:
    return [Paragraph(tuple(_words(answer)))]


def _words(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    for place, entry in enumerate(answer["pairs"]):
        path = ("investigation", "prompt_lengths", "pairs", place)
        yield say(
            "The prompts of {longer} are {tokens} longer than those of {shorter} in {tasks} of {of}: something "
            "constant was added to each task, such as a line in the template or the system prompt.{left_out}",
            longer=entry["longer"],
            tokens=fact(count(entry["tokens"], "input token"), entry["tokens"], *path, "tokens"),
            shorter=entry["shorter"],
            tasks=amount(entry["tasks"], *path, "tasks"),
            of=fact(
                count(entry["of"], *(COMPARED if entry["left_out"] else ("common task",))), entry["of"], *path, "of"
            ),
            left_out=_left_out(entry),
        )


def _left_out(entry: Mapping[str, Any]) -> str:
    """How many tasks the comparison does not speak of, and why."""
    if not entry["left_out"]:
        return ""
    reasons = [f"{many:,} {reason}" for reason, many in entry["left_out"]]
    left = entry["common"] - entry["of"]
    return f" {left:,} of the {count(entry['common'], 'task')} judged in both are left out: {listed(reasons)}."
