"""Do rollouts report messages that no call has sent, and do they fail for it?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import RunCases
from blade.document import Advice, Block, Paragraph, Sentence, say
from blade.questions import SURE, cause, counted_with_passes, in_order, outcome_p, pass_rate, task_list
from blade.stats.rounding import WRITTEN, significant
from blade.wording import amount, count, fact, listed, printable

TITLE = "Messages that are reported and never sent"
ORDER = 61
WEIGHT = 1.3
FEWEST, FEWEST_TASKS = 4, 2
APART = 0.3
HARDLY = 1 / 3
LIKELY = 0.6
_PATH = ("investigation", "unsent_messages")


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Rollouts that say so without a call that sends one, against those that say so and sent one."""
    cases = [case for run in runs for case in run.observing("message_claim")]
    unsent = [case for case in cases if not case.observed["message_claim"][1]]
    reported = [case for case in cases if case.observed["message_claim"][1]]
    if min(len(unsent), len(reported)) < FEWEST or len({case.key for case in unsent}) < FEWEST_TASKS:
        return None
    p = outcome_p(cases, {id(case) for case in unsent})
    if p is None or p > SURE or pass_rate(reported) - pass_rate(unsent) < APART:
        return None
    example = next((case for case in unsent if not case.passed), unsent[0])
    why = "says at its end that somebody was told, and no call sends a message"
    return {
        **counted_with_passes("unsent", unsent),
        **counted_with_passes("sent", reported),
        "tasks": in_order(case.label for case in unsent),
        "runs": [[run.run.name, sum(case.run == run.run.name for case in unsent)] for run in runs],
        "p": significant(p, WRITTEN),
        "example": {
            "run": example.run,
            "task": example.label,
            "attempt": example.attempt,
            "words": printable(example.observed["message_claim"][0]),
        },
        "causes": [cause("BI", why, unsent if pass_rate(unsent) <= HARDLY else [])],
    }


def tell(answer: Mapping[str, Any]) -> list[Block]:
    return [Paragraph((_words(answer),))]


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    yield _words(answer)


def _words(answer: Mapping[str, Any]) -> Sentence:
    return say(
        "{unsent} say at their end that somebody was told, and no call sends a message: {passes} of them {verb} "
        "({runs}; {tasks}), {sent_passes} of the {sent} that say so and sent one (exact test: p = {p}); for example "
        "“{words}” (task {task}, attempt {attempt} of {run}).",
        unsent=fact(count(answer["unsent"], "rollout"), answer["unsent"], *_PATH, "unsent"),
        verb="passes" if answer["unsent_passes"] == 1 else "pass",
        passes=amount(answer["unsent_passes"], *_PATH, "unsent_passes"),
        runs=listed([f"{run} {rollouts:,}" for run, rollouts in answer["runs"]]),
        tasks=task_list(answer["tasks"]),
        sent_passes=amount(answer["sent_passes"], *_PATH, "sent_passes"),
        sent=amount(answer["sent"], *_PATH, "sent"),
        p=fact(f"{answer['p']:.2g}", answer["p"], *_PATH, "p"),
        **{name: str(value) for name, value in answer["example"].items()},
    )


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """A report is to be made from the calls."""
    failures = answer["unsent"] - answer["unsent_passes"]
    yield Advice(
        "prompt",
        "Have the model hold its closing report against the calls that it made before it ends",
        say(
            "{failures} report a message that was never sent.",
            failures=fact(count(failures, "failure"), answer["unsent_passes"], *_PATH, "unsent_passes"),
        ),
        failures,
        LIKELY,
    )
