"""What would settle a label that the evidence leaves open, told for the task at hand."""

from __future__ import annotations

from blade.diagnosis.groups import Group
from blade.wording import count

ENOUGH_REPEATS = 3
CONTENT = {"KG", "UK"}
VERDICT = "verifier_message"


def what_would_settle(group: Group, first: str, second: str, runs: int) -> str:
    """The cheapest missing evidence first; at most two things."""
    asked = []
    attempts = group.evaluable
    if not group.failing:
        asked.append("the attempts that infrastructure broke, run again")
    elif attempts < ENOUGH_REPEATS:
        asked.append(f"at least {ENOUGH_REPEATS} repeats (it has {attempts})")
    elif len(group.failing) == 1 and group.passing:
        asked.append(f"more repeats: it failed once in {count(attempts, 'attempt')}")
    elif (ways := len({case.mode for case in group.failing})) > 1:
        asked.append(f"more repeats: its {len(group.failing)} failing attempts went wrong in {ways} ways")
    if group.failing and not any(case.items for case in group.failing):
        asked.append("transcripts: the rows hold none")
    elif {first, second} - CONTENT and not _explained(group):
        asked.append("the verifier's log: no row says what it found wrong")
    if not group.others:
        asked.append("a second model on this task" if runs < 2 else "this task in a second run")
    elif not asked:
        asked.append("a person who reads one failing attempt" + (" beside a passing one" if group.passing else ""))
    return "needs " + "; ".join(asked[:2])


def _explained(group: Group) -> bool:
    return any(VERDICT in case.fired() or case.reason or case.answer for case in group.failing)
