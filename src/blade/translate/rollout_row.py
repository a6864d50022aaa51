"""The row that every format translates into: a NeMo Gym rollout, with a word on where it came from."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from blade.frozen import frozen
from blade.model import Status

ORIGIN = "_translated"
"""The key under which a row says what it was translated from."""
NOT_IN_THE_REWARD = "not_in_the_reward"
"""Where a verifier's record holds how full each group of sub-checks is that the source leaves out of the reward."""
_LARGEST = 10**300
"""Beyond it an integer is no number that could be counted with."""
_LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
_WORDS = {"yes": 1.0, "true": 1.0, "correct": 1.0, "pass": 1.0, "passed": 1.0} | {
    "no": 0.0,
    "false": 0.0,
    "incorrect": 0.0,
    "fail": 0.0,
    "failed": 0.0,
}

Items = Sequence[Mapping[str, Any]]


@frozen
class SourceVerdict:
    """What became of an attempt, in the words of its source.

    `reward` is None where nobody graded it, which is no zero. `status` is left to the usual rules where it is None.
    `ended` says that the harness names an end that is no limit of its own: what the environment writes about turns that
    ran out is then the end of a game and no cut.
    """

    reward: float | None
    status: Status | None = None
    reason: str = ""
    passed: bool | None = None
    ended: bool = False


@frozen
class Place:
    """Where a record stands: its file, and the member, pointer or line in it."""

    file: str
    part: str = ""


def rollout_row(  # noqa: PLR0913 - the parts of a row, each by its name
    task: str,
    attempt: int | None,
    outcome: SourceVerdict,
    place: Place,
    *,
    prompt: Items = (),
    output: Items | None = (),
    model: str | None = None,
    tools: Sequence[Any] = (),
    sampling: Mapping[str, Any] | None = None,
    usage: Mapping[str, Any] | None = None,
    verifier: Mapping[str, Any] | None = None,
    metadata: Mapping[str, Any] | None = None,
    timing: Mapping[str, Any] | None = None,
    agent: str | None = None,
    replaced: str = "",
) -> dict[str, Any]:
    """One attempt as a rollout row. What the source does not have is absent: nothing is made up.

    `output` is None where the source keeps no transcript, and empty where the model said nothing. `replaced` is the end
    of an earlier try that this one replaces.
    """
    request: dict[str, Any] = {"input": list(prompt)}
    if sampling:
        request |= sampling
    if tools:
        request["tools"] = list(tools)
    row: dict[str, Any] = {"task_id": task}
    if attempt is not None:
        row["_ng_rollout_index"] = attempt
    row["reward"] = outcome.reward
    if outcome.passed is not None:
        row["passed"] = outcome.passed
    row["responses_create_params"] = request
    answer: dict[str, Any] = {"model": model} if model else {}
    if output is not None:
        answer["output"] = list(output)
    if usage:
        answer["usage"] = usage
    if output is not None:
        row["response"] = answer
    else:
        row["transcript_kept"] = False
        row |= {"response": answer} if usage else answer
    if agent:
        row["agent_ref"] = {"name": agent}
    if verifier:
        row["verifier"] = verifier
    if metadata:
        row["metadata"] = metadata
    if timing:
        row["timing"] = timing
    row[ORIGIN] = _origin(outcome, place, replaced)
    return row


def _origin(outcome: SourceVerdict, place: Place, replaced: str) -> dict[str, Any]:
    """Where a record stands, and what its source says became of it."""
    origin: dict[str, Any] = {"file": place.file} if place.file else {}
    if place.part:
        origin["part"] = place.part
    if outcome.status is not None:
        origin["status"] = outcome.status.value
    if outcome.reason:
        origin["reason"] = outcome.reason
    if outcome.ended:
        origin["ended"] = True
    if replaced:
        origin["replaced"] = replaced
    return origin


def score_of(value: Any) -> float | None:
    """A score as a number: letters of Inspect (C, P, I, N), yes and no, numbers in text; None for anything else."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, int):  # also what is true or false
        return float(value) if -_LARGEST < value < _LARGEST else None
    if not isinstance(value, str):
        return None
    text = value.strip()
    if text in _LETTERS:
        return _LETTERS[text]
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None
