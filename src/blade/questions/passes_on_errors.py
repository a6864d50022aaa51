"""Which passes end on an error that no failure shows, and what are the scores without them?"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Advice, Block, Bullets, Paragraph, Sentence, say
from blade.extract.tool_errors import NO_CHANGE, TRIED_ON
from blade.questions import OF_THE_EVALUATION, SURE, by_task, in_order, judged, task_list
from blade.signatures import common_words, quoted
from blade.stats.multiple import benjamini_hochberg
from blade.stats.rounding import WRITTEN, significant
from blade.stats.strata import exact_p
from blade.wording import amount, count, fact, listed

TITLE = "Passes that end on an error"
ORDER = 58
WEIGHT = OF_THE_EVALUATION
FEWEST = 5
"""Passes that end on one error: fewer are not told."""
MUCH = 0.05
"""Of the passes of some run: fewer move no score."""
MOST = 3
PAIR = 2
LIKELY = 0.5
"""That such a pass is not earned."""


@dataclass(slots=True)
class _Ending:
    """The rollouts in which a tool answers with one message, and the passes in which nothing mends it."""

    tool: str
    having: list[Case] = field(default_factory=list)
    passes: list[Case] = field(default_factory=list)
    quotes: list[str] = field(default_factory=list)


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Errors that stand in passes alone, more often than chance lets them, and on which passes end; scores without."""
    rows = [case for run in runs for case in judged(run)]
    outcomes = Counter((case.run, bool(case.passed)) for case in rows)
    asked = [ending for ending in _endings(rows).values() if len(ending.having) >= FEWEST]
    tested = [(ending, p) for ending in asked if (p := _chance(ending, outcomes)) is not None]
    adjusted = benjamini_hochberg([p for _, p in tested])
    sure = [(ending, p) for (ending, _), p in zip(tested, adjusted, strict=True) if p <= SURE and _is_told(ending)]
    sure.sort(key=lambda pair: (-len(pair[0].passes), pair[0].tool, pair[0].quotes[0]))
    if not sure:
        return None
    doubtful = {id(case) for ending, _ in sure for case in ending.passes}
    entries = [entry for run in runs if (entry := _run(run, doubtful))["doubtful"]]
    if all(entry["doubtful"] < MUCH * (entry["left"] + entry["doubtful"]) for entry in entries):
        return None
    return {
        "errors": [_error(ending, p) for ending, p in sure[:MOST]],
        "left_out": len(sure[MOST:]),
        "passes": len(doubtful),
        "runs": entries,
        "pair": _pair(runs, doubtful) if len(runs) == PAIR else None,
    }


def _endings(rows: Sequence[Case]) -> dict[tuple[str, str], _Ending]:
    endings: dict[tuple[str, str], _Ending] = {}
    for case in rows:
        for tool, template, _, quote, _, after, *_ in case.observed.get("errors", ()):
            ending = endings.setdefault((tool, template), _Ending(tool))
            ending.having.append(case)
            ending.quotes.append(quote)
            if case.passed and after in {NO_CHANGE, TRIED_ON}:
                ending.passes.append(case)
    return endings


def _chance(ending: _Ending, outcomes: Mapping[tuple[str, bool], int]) -> float | None:
    """The exact test of the error against the outcome, inside runs."""
    counts: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0])
    for case in {id(case): case for case in ending.having}.values():
        counts[case.run][not case.passed] += 1
    return exact_p(
        [
            (passes, fails, outcomes[run, True] - passes, outcomes[run, False] - fails)
            for run, (passes, fails) in counts.items()
        ]
    )


def _is_told(ending: _Ending) -> bool:
    return len(ending.passes) >= FEWEST and all(case.passed for case in ending.having)


def _error(ending: _Ending, p: float) -> dict[str, Any]:
    runs = Counter(case.run for case in ending.passes)
    return {
        "tool": ending.tool,
        "words": common_words(ending.quotes),
        "quote": ending.quotes[0],
        "passes": len(ending.passes),
        "runs": dict(runs),
        "tasks": {run: in_order(case.label for case in ending.passes if case.run == run) for run in runs},
        "p": significant(p, WRITTEN),
    }


def _run(run: RunCases, doubtful: set[int]) -> dict[str, Any]:
    cases = judged(run)
    passes, in_doubt = sum(bool(case.passed) for case in cases), sum(id(case) in doubtful for case in cases)
    return {"run": run.run.name, "doubtful": in_doubt, "left": passes - in_doubt, "of": len(cases)}


def _pair(runs: Sequence[RunCases], doubtful: set[int]) -> dict[str, Any] | None:
    """What two runs pass of the tasks that were judged in both, as they are scored and without the passes in doubt."""
    first, second = (by_task(judged(run)) for run in runs)
    common = first.keys() & second.keys()
    sides = [[case for key in common for case in grouped[key]] for grouped in (first, second)]
    if not common or not any(id(case) in doubtful for cases in sides for case in cases):
        return None
    return {
        "runs": [run.run.name for run in runs],
        "tasks": len(common),
        "rollouts": [len(cases) for cases in sides],
        "passes": [sum(bool(case.passed) for case in cases) for cases in sides],
        "left": [sum(bool(case.passed) and id(case) not in doubtful for case in cases) for cases in sides],
    }


def tell(answer: Mapping[str, Any]) -> list[Block]:
    items = [Paragraph((_error_words(place, item),)) for place, item in enumerate(answer["errors"])]
    blocks: list[Block] = [Bullets(tuple(items))]
    closing = [say("Without {these} {runs}.", these=_these(answer), runs=_left(answer))]
    if answer["pair"]:
        closing.append(_pair_words(answer["pair"]))
    if answer["left_out"]:
        closing.append(say("{more} left out.", more=count(answer["left_out"], "more error is", "more errors are")))
    return [*blocks, Paragraph(tuple(closing))]


def _error_words(place: int, item: Mapping[str, Any]) -> Sentence:
    tasks = [f"{run}: {task_list(labels)}" for run, labels in item["tasks"].items()]
    return say(
        "{passes} on {words}, which {tool} answers ({tasks}), and no failure shows it (exact test p = {p}): "
        "the verdict misses the error, or it is none. Check whether these passes are earned.",
        passes=fact(count(item["passes"], "pass ends", "passes end"), item["passes"], *_AT, "errors", place, "passes"),
        words=quoted(item["words"], item["quote"]),
        tool=item["tool"],
        tasks="; ".join(tasks),
        p=fact(f"{item['p']:.2g}", item["p"], *_AT, "errors", place, "p"),
    )


def _these(answer: Mapping[str, Any]) -> str:
    return "this pass" if answer["passes"] == 1 else f"these {answer['passes']:,} passes"


def _left(answer: Mapping[str, Any]) -> str:
    """What each run passes without the passes in doubt."""
    return listed([f"{entry['run']} passes {entry['left']:,} of {entry['of']:,}" for entry in answer["runs"]])


def _pair_words(pair: Mapping[str, Any]) -> Sentence:
    path = (*_AT, "pair")
    first, second = pair["runs"]
    before, after = (_order(pair[key], pair["rollouts"]) for key in ("passes", "left"))
    numbers = {
        f"{key}_{place}": amount(pair[key][place], *path, key, place)
        for key in ("passes", "left", "rollouts")
        for place in range(PAIR)
    }
    turned = f": then {(first, second)[after < 0]} leads" if after and before != after else ""
    return say(
        "On the {tasks} that both have, {first} passes {passes_0} of {rollouts_0} and {second} {passes_1} of "
        "{rollouts_1}; without them {left_0} and {left_1}{turned}.",
        tasks=fact(count(pair["tasks"], "task"), pair["tasks"], *path, "tasks"),
        first=first,
        second=second,
        turned=turned,
        **numbers,
    )


def _order(passes: Sequence[int], rollouts: Sequence[int]) -> int:
    """1 where the first run passes more of its rollouts, -1 where the second does, 0 where they are even."""
    ahead = passes[0] * rollouts[1] - passes[1] * rollouts[0]
    return (ahead > 0) - (ahead < 0)


_AT = ("investigation", "passes_on_errors")


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """How many passes are in doubt, by which error, and what is left without them."""
    item = answer["errors"][0]
    yield say(
        "{many} on an error of {tool}, {words} ({runs}), and no failure shows it: the verdict misses the "
        "error, or it is none; without {these} {left}.",
        many=fact(count(item["passes"], "pass ends", "passes end"), item["passes"], *_AT, "errors", 0, "passes"),
        tool=item["tool"],
        words=quoted(item["words"], item["quote"]),
        runs=listed([f"{run} {many:,}" for run, many in item["runs"].items()]),
        these="them" if item["passes"] == answer["passes"] else _these(answer),
        left=_left(answer),
    )


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """Score these passes again."""
    item = answer["errors"][0]
    yield Advice(
        "verifier",
        f"Find out why the verifier passes work that ends on an error of {item['tool']}, and score these rollouts "
        "again before the scores are used",
        say(
            "{passes} so: {runs}.",
            passes=fact(count(answer["passes"], "pass ends", "passes end"), answer["passes"], *_AT, "passes"),
            runs=listed([f"{entry['run']} {entry['doubtful']:,}" for entry in answer["runs"]]),
        ),
        answer["passes"],
        LIKELY,
        before_scores=True,
    )
