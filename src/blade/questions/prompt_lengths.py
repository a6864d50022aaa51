"""Are the prompts of one run longer than those of another by the same number of tokens in every task?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from statistics import median
from typing import Any

from blade.diagnosis.cases import RunCases
from blade.document import Block, Paragraph, Sentence, say
from blade.questions import judged
from blade.wording import amount, count, fact

TITLE = "Prompts longer by a constant number of tokens"
ORDER = 13
WEIGHT = 0.8
FEWEST_TASKS = 20
NEARLY_ALL = 0.95
MOST = 4


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Pairs of runs with one turn a rollout whose input tokens differ by one number on nearly all common tasks."""
    sizes = [(run.run.name, _sizes(run)) for run in runs]
    found = [entry for first, other in combinations(sizes, 2) if (entry := _apart(first, other)) is not None]
    return {"pairs": found[:MOST]} if found else None


def _sizes(run: RunCases) -> dict[str, float]:
    """The input tokens of each task, in rollouts that asked the model once: there they are the prompt."""
    known = {id(case) for case in judged(run)}
    sizes: dict[str, list[int]] = {}
    for case, (tokens, turns) in zip(run.cases, run.run.graded.select("input_tokens", "acts").rows(), strict=True):
        if id(case) in known and tokens and turns == 1:
            sizes.setdefault(case.key, []).append(tokens)
    return {key: median(some) for key, some in sizes.items()}


def _apart(first: tuple[str, Mapping[str, float]], other: tuple[str, Mapping[str, float]]) -> dict[str, Any] | None:
    common = first[1].keys() & other[1].keys()
    if len(common) < FEWEST_TASKS:
        return None
    ((apart, many),) = Counter(other[1][key] - first[1][key] for key in sorted(common)).most_common(1)
    if not apart or many < NEARLY_ALL * len(common) or len({first[1][key] for key in common}) == 1:
        return None
    longer, shorter = (other[0], first[0]) if apart > 0 else (first[0], other[0])
    return {"longer": longer, "shorter": shorter, "tokens": int(abs(apart)), "tasks": many, "of": len(common)}


def tell(answer: Mapping[str, Any]) -> list[Block]:
    return [Paragraph(tuple(_words(answer)))]


def _words(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    for place, entry in enumerate(answer["pairs"]):
        path = ("investigation", "prompt_lengths", "pairs", place)
        yield say(
            "The prompts of {longer} are {tokens} longer than those of {shorter} in {tasks} of {of}: something "
            "constant was added to each task, such as a line in the template or the system prompt.",
            longer=entry["longer"],
            tokens=fact(count(entry["tokens"], "input token"), entry["tokens"], *path, "tokens"),
            shorter=entry["shorter"],
            tasks=amount(entry["tasks"], *path, "tasks"),
            of=fact(count(entry["of"], "common task"), entry["of"], *path, "of"),
        )
