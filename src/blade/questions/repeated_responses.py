"""Do several rollouts of a run hold one response, so that an attempt was copied and not made?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import RunCases
from blade.diagnosis.copies import repeated_rollouts, shared_responses
from blade.document import Advice, Block, Bullets, Paragraph, Sentence, say
from blade.questions import OF_THE_EVALUATION, in_order, task_list
from blade.wording import count, fact, listed, percent

TITLE = "One response in several rollouts"
ORDER = 13
OF_COPIES = True
WEIGHT = OF_THE_EVALUATION
FEWEST = 2
LIKELY = 0.8
_PATH = ("investigation", "repeated_responses")


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Per run the rollouts with the id, the time and the words of an earlier response."""
    entries = [entry for run in runs if (entry := _of_run(run)) is not None]
    return {"runs": entries} if entries else None


def _of_run(run: RunCases) -> dict[str, Any] | None:
    groups = repeated_rollouts(run)
    copies = [case for group in groups for case in group[1:]]
    if len(copies) < FEWEST:
        return None
    copied_ids = {id(case) for case in copies}
    judged = run.judged()
    others = [case for case in judged if id(case) not in copied_ids]
    return {
        "run": run.run.name,
        "by_words": not shared_responses(run),
        "copies": len(copies),
        "responses": len(groups),
        "across_tasks": sum(len({case.key for case in group}) > 1 for group in groups),
        "attempts": sorted({case.attempt for case in copies}),
        "alike": sum(len({case.reward for case in group}) == 1 for group in groups),
        "tasks": in_order(case.label for case in copies),
        "judged": len(judged),
        "others": len(others),
        "other_passes": sum(bool(case.passed) for case in others),
    }


def tell(answer: Mapping[str, Any]) -> list[Block]:
    return [Bullets(tuple(Paragraph(tuple(_sentences(place, entry))) for place, entry in enumerate(answer["runs"])))]


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    place = max(range(len(answer["runs"])), key=lambda place: answer["runs"][place]["copies"])
    yield next(_sentences(place, answer["runs"][place]))


def _sentences(place: int, entry: Mapping[str, Any]) -> Iterator[Sentence]:
    path = (*_PATH, "runs", place)
    attempts = listed([f"{attempt:,}" for attempt in entry["attempts"]])
    what = "the response of another one, with its id, its time and every word of it"
    what += ", also at another task" if entry["across_tasks"] else ""
    if entry["by_words"]:
        what = "word for word the long output of another attempt at their task, where nearly all attempts differ"
    yield say(
        "{copies} of {run} {hold} "
        + what
        + " (attempt {attempts} of {tasks}): {no_attempts}, and {others} independent "
        "judged rollouts are left.",
        copies=fact(count(entry["copies"], "rollout"), entry["copies"], *path, "copies"),
        run=entry["run"],
        hold="holds" if entry["copies"] == 1 else "hold",
        attempts=attempts,
        tasks=task_list(entry["tasks"]),
        no_attempts=_verdict(entry),
        others=fact(f"{entry['others']:,}", entry["others"], *path, "others"),
    )
    if entry["others"]:
        yield say(
            "Without the copies it passes {passes} of {others} ({rate}); with them, attempts at a task look "
            "more alike than they are{unlike}.",
            passes=fact(f"{entry['other_passes']:,}", entry["other_passes"], *path, "other_passes"),
            others=f"{entry['others']:,}",
            rate=percent(entry["other_passes"] / entry["others"]),
            unlike=_unlike(entry),
        )


def _unlike(entry: Mapping[str, Any]) -> str:
    """That one response has two scores, which speaks of the verifier."""
    unlike = entry["responses"] - entry["alike"]
    if not unlike:
        return ""
    return (
        f", and {unlike:,} of the {count(entry['responses'], 'response')} {'has' if unlike == 1 else 'have'} two scores"
    )


def _verdict(entry: Mapping[str, Any]) -> str:
    if entry["by_words"]:
        return "copies, or answers kept from before"
    return "it is no attempt of its own" if entry["copies"] == 1 else "they are no attempts of their own"


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    for place, entry in enumerate(answer["runs"]):
        yield Advice(
            "harness",
            "Find out why responses were written twice, and make the copied attempts again",
            say(
                "{copies} of {run} are copies.",
                copies=fact(count(entry["copies"], "rollout"), entry["copies"], *_PATH, "runs", place, "copies"),
                run=entry["run"],
            ),
            entry["copies"],
            LIKELY,
            before_scores=True,
        )
