"""What would settle a label that the evidence leaves open, told for the task at hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from blade.diagnosis.groups import Group
from blade.wording import count

ENOUGH_REPEATS = 3
CONTENT = {"KG", "UK"}
VERDICT = "verifier_message"
TRANSCRIPTS = "transcripts (their rows hold none)"
SOME_TRANSCRIPTS = "transcripts where rows hold none"
IN_SHORT = (
    (f"at least {ENOUGH_REPEATS} repeats", f"at least {ENOUGH_REPEATS} repeats"),
    ("more repeats", "more repeats"),
    ("the attempts that infrastructure broke", "the attempts that infrastructure broke, run again"),
    ("transcripts", TRANSCRIPTS),
    ("the verifier's log", "the verifier's log"),
    ("a second model", "a second model"),
    ("this task in a second run", "these tasks in a second run"),
    ("a person", "a person who reads a failing attempt of each"),
)
"""How a need begins, and what it is called where many tasks have it."""


def what_would_settle(group: Group, first: str, second: str, runs: int) -> str:
    """The cheapest missing evidence first; at most two things.

    Where the row shows what was expected and what was done or failed, it is there already and wants a reader.
    """
    needs = []
    attempts = group.evaluable
    if any("deviation" in case.observed or "check_sets" in case.observed for case in group.failing):
        needs.append("a person who reads a failing attempt beside what was expected of it")
    if not group.failing:
        needs.append("the attempts that infrastructure broke, run again")
    elif attempts < ENOUGH_REPEATS:
        needs.append(f"at least {ENOUGH_REPEATS} repeats (it has {attempts})")
    elif len(group.failing) == 1 and group.passing:
        needs.append(f"more repeats: it failed once in {count(attempts, 'attempt')}")
    elif (modes := len({case.mode for case in group.failing})) > 1:
        needs.append(f"more repeats: its {len(group.failing)} failing attempts went wrong in {modes} ways")
    if group.failing and not any(case.shows_the_model for case in group.failing):
        needs.append("transcripts: the rows hold none")
    elif {first, second} - CONTENT and not _explained(group):
        needs.append("the verifier's log: no row says what it found wrong")
    if not group.others:
        needs.append("a second model on this task" if runs < 2 else "this task in a second run")
    elif not needs:
        needs.append("a person who reads one failing attempt" + (" beside a passing one" if group.passing else ""))
    return "needs " + "; ".join(needs[:2])


def in_short(needs: Iterable[str]) -> list[str]:
    """What many open labels need, without the numbers of each: the commonest need first, then the cheapest.

    Where some of the tasks need no transcripts, not all rows are said to hold none.
    """
    open_needs = [need for need in needs if need]
    need_counts = Counter(
        short
        for need in open_needs
        for short in {words for part in need.removeprefix("needs ").split("; ") for words in _short(part)}
    )
    order = [words for _, words in IN_SHORT]
    commonest = sorted(need_counts, key=lambda words: (-need_counts[words], order.index(words)))
    every = need_counts[TRANSCRIPTS] == len(open_needs)
    return [SOME_TRANSCRIPTS if words == TRANSCRIPTS and not every else words for words in commonest]


def _short(need: str) -> list[str]:
    return [words for start, words in IN_SHORT if need.startswith(start)]


def _explained(group: Group) -> bool:
    return any(
        VERDICT in case.fired() or case.reason or case.answer or "deviation" in case.observed for case in group.failing
    )
