"""Do rollouts hand in several answers where the key has one, and does the verifier take one of them?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.answer_groups import Given, judged_answers
from blade.diagnosis.cases import Case, RunCases
from blade.document import Advice, Block, Bullets, Paragraph, Sentence, say
from blade.questions import OF_THE_EVALUATION, in_order, judged, task_list
from blade.wording import amount, count, fact, percent

TITLE = "Several answers where the key has one"
ORDER = 78
WEIGHT = OF_THE_EVALUATION
FEWEST = 3
MOSTLY = 0.8
"""A verifier that passes so many of those with the key among them takes any of several answers."""
WORTH = 0.02
SURE_OF_IT = 0.8
_AT = ("investigation", "several_answers")


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Rollouts with several answers, one of them the key's: how many pass, and what is left without these passes."""
    rows = {id(entry.case): entry for task in judged_answers(runs).values() for entry in task.rows if _hedges(entry)}
    passing = [entry for entry in rows.values() if entry.case.passed]
    if len(passing) < FEWEST or len(passing) < MOSTLY * len(rows):
        return None
    lines = [line for run in runs if (line := _line(run, rows)) is not None]
    return {
        "rollouts": len(rows),
        "passes": len(passing),
        "last_is_wrong": sum(not entry.seen["several"][-1][1] for entry in passing),
        "tasks": in_order({entry.case.label for entry in passing}),
        "example": _example(passing[0]),
        "runs": lines,
    }


def _hedges(entry: Given) -> bool:
    several = entry.seen.get("several", ())
    return any(meets for _, meets in several) and not all(meets for _, meets in several)


def _line(run: RunCases, rows: Mapping[int, Given]) -> dict[str, Any] | None:
    cases = judged(run)
    hedging = [case for case in cases if id(case) in rows]
    if not hedging:
        return None
    passes, doubtful = _passes(cases), _passes(hedging)
    return {
        "run": run.run.name,
        "rollouts": len(hedging),
        "doubtful": doubtful,
        "passes": passes,
        "judged": len(cases),
        "left": passes - doubtful,
        "rate": (passes - doubtful) / len(cases),
    }


def _passes(cases: Sequence[Case]) -> int:
    return sum(bool(case.passed) for case in cases)


def _example(entry: Given) -> dict[str, Any]:
    return {
        "run": entry.case.run,
        "task": entry.case.label,
        "attempt": entry.case.attempt,
        "answers": [text for text, _ in entry.seen["several"]],
        "key": entry.key[0],
    }


def tell(answer: Mapping[str, Any]) -> list[Block]:
    items = [Paragraph(tuple(_sentences(answer)))]
    items += [Paragraph((_of_run(place, line),)) for place, line in enumerate(answer["runs"])]
    return [Bullets(tuple(items))]


def _sentences(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    example = answer["example"]
    yield say(
        "{rollouts} {hand} in several answers where the key has one, and one of them is the key's: {passes} of them "
        "{pass_} ({tasks}), such as '{answers}' for the key '{key}' ({run}, task {task}, attempt {attempt}).",
        rollouts=fact(count(answer["rollouts"], "judged rollout"), answer["rollouts"], *_AT, "rollouts"),
        hand="hands" if answer["rollouts"] == 1 else "hand",
        passes=amount(answer["passes"], *_AT, "passes"),
        pass_="passes" if answer["passes"] == 1 else "pass",
        tasks=task_list(answer["tasks"]),
        answers="' and '".join(example["answers"]),
        key=example["key"],
        run=example["run"],
        task=example["task"],
        attempt=str(example["attempt"]),
    )
    if answer["last_is_wrong"]:
        yield say(
            "In {wrong} of these passes the last one is not the key's.",
            wrong=amount(answer["last_is_wrong"], *_AT, "last_is_wrong"),
        )


def _of_run(place: int, line: Mapping[str, Any]) -> Sentence:
    at = (*_AT, "runs", place)
    return say(
        "{run}: {rollouts}, {doubtful} of which {pass_}; without these passes it is {left} of {judged} ({rate}) "
        "instead of {passes}.",
        run=line["run"],
        rollouts=fact(count(line["rollouts"], "rollout"), line["rollouts"], *at, "rollouts"),
        doubtful=amount(line["doubtful"], *at, "doubtful"),
        pass_="passes" if line["doubtful"] == 1 else "pass",
        left=amount(line["left"], *at, "left"),
        judged=amount(line["judged"], *at, "judged"),
        rate=fact(percent(line["rate"]), line["rate"], *at, "rate"),
        passes=amount(line["passes"], *at, "passes"),
    )


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """For the first screen, where a run has more than a few such passes."""
    if any(line["doubtful"] >= WORTH * line["judged"] for line in answer["runs"]):
        yield next(_sentences(answer))


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """The stored answers can be judged again."""
    yield Advice(
        "verifier",
        "Have the verifier take one answer, the last, and score the stored outputs again",
        say(
            "{passes} with several answers, one of them the key's.",
            passes=fact(count(answer["passes"], "pass", "passes"), answer["passes"], *_AT, "passes"),
        ),
        answer["passes"],
        SURE_OF_IT,
        before_scores=True,
    )
