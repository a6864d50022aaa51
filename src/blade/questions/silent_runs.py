"""Is there a run whose transcripts are there, and in which the model neither says nor calls anything?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Advice, Block, Bullets, Paragraph, Sentence, say
from blade.questions import in_order, judged, patch_field
from blade.wording import amount, count, fact

TITLE = "Runs in which nobody speaks"
ORDER = 6
WEIGHT = 2.0
CERTAIN = 0.9
FEWEST = 3


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Runs all of whose rows hold a transcript without a word or a call, and none of which passes.

    A row without any transcript may only not record it, and so may one that passes: neither is told here.
    """
    every = [case for run in runs for case in judged(run)]
    field = patch_field(every)
    entries = []
    for run in runs:
        own = judged(run)
        if len(own) < FEWEST or any(case.passed or not case.items or case.shows_the_model for case in own):
            continue
        tasks = {case.key for case in own}
        entries.append(
            {
                "run": run.run.name,
                "rollouts": len(own),
                "solved_elsewhere": in_order(case.label for case in every if case.passed and case.key in tasks),
                "without_code": sum(_hands_in_no_code(case, field) for case in own) if field else None,
            }
        )
    return {"runs": entries} if entries else None


def _hands_in_no_code(case: Case, field: str | None) -> bool:
    patches = case.observed.get("patches", {})
    return field in patches and not (patches[field] and patches[field][0])


def tell(answer: Mapping[str, Any]) -> list[Block]:
    return [Bullets(tuple(Paragraph(tuple(_sentences(entry, place))) for place, entry in enumerate(answer["runs"])))]


def _sentences(entry: Mapping[str, Any], place: int) -> Iterator[Sentence]:
    at = ("investigation", "silent_runs", "runs", place)
    yield _nobody_speaks(entry, place)
    if entry["without_code"]:
        yield say(
            "What they hand in holds no code in {without} of them.",
            without=amount(entry["without_code"], *at, "without_code"),
        )


def _nobody_speaks(entry: Mapping[str, Any], place: int) -> Sentence:
    at = ("investigation", "silent_runs", "runs", place)
    solved = entry["solved_elsewhere"]
    elsewhere = f", while other runs pass {count(len(solved), 'of its tasks', 'of its tasks')}" if solved else ""
    return say(
        "All {rollouts} of {run} hold a transcript in which the model says and calls nothing, and none passes"
        "{elsewhere}: nothing shows that its agent worked, and perhaps its score does not measure the model.",
        rollouts=fact(count(entry["rollouts"], "rollout"), entry["rollouts"], *at, "rollouts"),
        run=entry["run"],
        elsewhere=elsewhere,
    )


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    for place, entry in enumerate(answer["runs"]):
        yield _nobody_speaks(entry, place)


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """Find out whether an agent worked at all before its score is used."""
    for entry in answer["runs"]:
        yield Advice(
            "environment",
            f"Find out whether the agent of {entry['run']} worked at all, and run it again before its score is used",
            say("All {rollouts} show no word and no call of the model.", rollouts=count(entry["rollouts"], "rollout")),
            entry["rollouts"],
            CERTAIN,
            before_scores=True,
        )
