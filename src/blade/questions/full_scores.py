"""What counts as a pass where nothing says it: how many rollouts have the full score, a part of it, or none?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.counting.passing import NEAR
from blade.diagnosis.cases import RunCases
from blade.document import Block, Fact, Paragraph, Sentence, Table, say
from blade.questions import counts_full_scores, judged
from blade.wording import amount, fact, percent

TITLE = "What counts as a pass here"
ORDER = 1
OF_COPIES = True
MOST_TOLD = 3


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Per run the rollouts with a full score, with a part of it and with nothing; None where a pass is declared."""
    if not counts_full_scores(runs):
        return None
    found = []
    for run in runs:
        rewards = [case.reward for case in judged(run)]
        full, nothing = sum(bool(case.passed) for case in judged(run)), sum(reward <= NEAR for reward in rewards)
        part = len(rewards) - full - nothing
        if rewards:
            line = {"run": run.run.name, "rollouts": len(rewards), "full": full, "part": part, "nothing": nothing}
            found.append(line)
    return {"runs": found} if found else None


def tell(answer: Mapping[str, Any]) -> list[Block]:
    rows = []
    for place, line in enumerate(answer["runs"]):
        path = ("investigation", "full_scores", "runs", place)
        full = fact(f"{line['full']:,} ({percent(line['full'] / line['rollouts'])})", line["full"], *path, "full")
        others = (amount(line[name], *path, name) for name in ("part", "nothing"))
        rows.append((line["run"], amount(line["rollouts"], *path, "rollouts"), full, *others))
    opening = say(
        "Rewards are graded and no pass threshold is declared. In this section a full score (a reward of 1) counts "
        "as a pass and less as a failure; --pass-threshold sets another bound."
    )
    headings = ("Run", ">judged rollouts", ">full score", ">a part of it", ">nothing")
    return [Paragraph((opening,)), Table(headings, tuple(rows))]


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """How many full scores stand behind a mean reward, for a few runs."""
    parts: list[str | Fact] = []
    for place, line in enumerate(answer["runs"][:MOST_TOLD]):
        path = ("investigation", "full_scores", "runs", place)
        full = fact(f"{line['full']:,} of {line['rollouts']:,}", line["full"], *path, "full")
        share = f" ({percent(line['full'] / line['rollouts'])})"
        parts += ["; " if place else "", f"{line['run']} has a full score in ", full, share]
    yield Sentence(("Scores are means of graded rewards: ", *parts, "."))
