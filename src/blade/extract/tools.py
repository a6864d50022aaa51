"""What a rollout did with its tools, and what became of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import itemgetter

from blade.extract.calls import Answer, Call
from blade.extract.own_kills import is_own_kill
from blade.extract.text import clip
from blade.extract.trouble import says, speaks_of
from blade.frozen import frozen

MOST_ACTIONS = 64
_SHORT = 400
_BY_PLACE = itemgetter(0)


@dataclass(slots=True)
class ToolUse:
    """What one rollout did with its tools."""

    actions: list[str] = field(default_factory=list)
    failed: set[str] = field(default_factory=set)
    failures: int = 0
    unrecovered: set[str] = field(default_factory=set)  # tools whose last call failed
    last_failed: bool = False
    message: str = ""  # of the last failed call
    out_of_reach: dict[str, str] = field(default_factory=dict)
    """What was wrong with tools that no later call reached again; the last of them stands last."""

    @property
    def unreachable(self) -> str:
        """The last of the tools that could not be reached, with its message; empty where there is none."""
        return next(reversed(self.out_of_reach.values()), "")


def tool_use(calls: Sequence[Call]) -> ToolUse:
    """What became of the tools, their answers taken in the order in which they came."""
    use = ToolUse([call.action for call in calls[:MOST_ACTIONS]])
    if all(answer.problem is None for call in calls for answer in call.answers):
        return use
    came = sorted(((answer.place, call, answer.problem) for call in calls for answer in call.answers), key=_BY_PLACE)
    for _, call, problem in came:
        _answer(use, call, problem)
    return use


def _answer(use: ToolUse, call: Call, problem: str | None) -> None:
    tool = call.name
    use.last_failed = problem is not None
    if problem is None:
        use.unrecovered.discard(tool)
        use.out_of_reach.pop(tool, None)
        return
    use.failures += 1
    use.failed.add(tool)
    use.unrecovered.add(tool)
    use.message = clip(problem, 160)
    if says(problem) == "infrastructure" and not is_own_kill(call, problem):
        use.out_of_reach.pop(tool, None)  # the last one stands at the end
        use.out_of_reach[tool] = clip(f"{tool}: {problem}", 160)


@frozen
class Trouble:
    """A failed call whose answer tells what the trouble was, with the telling words."""

    call: Call
    answer: Answer
    topic: str
    words: str


def troubles(calls: Sequence[Call]) -> list[Trouble]:
    """The failed answers that tell of trouble outside the agent's hands."""
    troubles_told = []
    for call in calls:
        for answer in call.answers:
            telling_words = _telling_words(answer) if answer.problem is not None else None
            if telling_words and not is_own_kill(call, telling_words[1]):
                troubles_told.append(Trouble(call, answer, *telling_words))
    return troubles_told


def _telling_words(answer: Answer) -> tuple[str, str] | None:
    """The topic and the line that tells it: of the failure's message, or of the end of a log with only an exit code."""
    for text in (answer.problem or "", answer.step.text[-_SHORT:]):
        trouble = speaks_of(text)
        if trouble:
            start = text.rfind("\n", 0, trouble.start) + 1
            end = text.find("\n", trouble.end)
            line = text[start : end if end >= 0 else len(text)]
            return trouble.topic, line.strip() if len(line) <= _SHORT // 2 else text[trouble.start : trouble.end]
    return None
