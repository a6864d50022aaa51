"""Are changes whose reply was lost made again without a look, and what does that cost?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Advice, Block, Paragraph, Sentence, say
from blade.extract.lost_replies import BLINDLY
from blade.questions import SURE, cause, counted_with_passes, in_order, outcome_p, pass_rate, task_list
from blade.stats.rounding import WRITTEN, significant
from blade.wording import amount, count, fact, listed

TITLE = "Changes made again after a lost reply"
ORDER = 60
WEIGHT = 1.3
FEWEST = 3
"""So many rollouts on either side."""
APART = 0.3
LIKELY = 0.6
_PATH = ("investigation", "lost_replies")


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Rollouts that make such a change again at once, against those that look first or leave it."""
    cases = [case for run in runs for case in run.observing("lost_replies") if not case.in_dead_stretch]
    blind = [case for case in cases if any(how == BLINDLY for _, how in case.observed["lost_replies"])]
    careful = [case for case in cases if case not in blind]
    if min(len(blind), len(careful)) < FEWEST:
        return None
    p = outcome_p(cases, {id(case) for case in blind})
    if p is None or p > SURE or pass_rate(careful) - pass_rate(blind) < APART:
        return None
    return {
        **counted_with_passes("blind", blind),
        **counted_with_passes("others", careful),
        "tools": sorted({tool for case in blind for tool, how in case.observed["lost_replies"] if how == BLINDLY}),
        "tasks": in_order(case.label for case in blind),
        "runs": [[run.run.name, *_of_run(run, blind)] for run in runs],
        "p": significant(p, WRITTEN),
        "causes": [cause("BI", "makes a change again whose reply was lost, without a look whether it was made", blind)],
    }


def _of_run(run: RunCases, blind: Sequence[Case]) -> tuple[int, int]:
    cases = [case for case in blind if case.run == run.run.name]
    return len(cases), sum(bool(case.passed) for case in cases)


def tell(answer: Mapping[str, Any]) -> list[Block]:
    return [Paragraph((_words(answer),))]


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    yield _words(answer)


def _words(answer: Mapping[str, Any]) -> Sentence:
    shares = [f"{run} {passes:,} of {rollouts:,}" for run, rollouts, passes in answer["runs"] if rollouts]
    return say(
        "{blind} get no reply to a change ({tools}) and make it again at once, without a look whether it was made: "
        "{passes} of them {verb} ({runs}), {other_passes} of the {others} that look first or leave it (exact test: "
        "p = {p}; {tasks}). It may have been made twice.",
        blind=fact(count(answer["blind"], "rollout"), answer["blind"], *_PATH, "blind"),
        tools=listed(answer["tools"]),
        verb="passes" if answer["blind_passes"] == 1 else "pass",
        passes=amount(answer["blind_passes"], *_PATH, "blind_passes"),
        runs=listed(shares),
        other_passes=amount(answer["others_passes"], *_PATH, "others_passes"),
        others=amount(answer["others"], *_PATH, "others"),
        p=fact(f"{answer['p']:.2g}", answer["p"], *_PATH, "p"),
        tasks=task_list(answer["tasks"]),
    )


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """What is repeated must not do its work twice."""
    failures = answer["blind"] - answer["blind_passes"]
    yield Advice(
        "environment",
        f"Have {listed(answer['tools'])} take a key by which a repeated call is known, or say in the prompt to look "
        "whether a change was made before it is made again",
        say(
            "{failures} made a change again whose reply was lost.",
            failures=fact(count(failures, "failure"), answer["blind_passes"], *_PATH, "blind_passes"),
        ),
        failures,
        LIKELY,
    )
