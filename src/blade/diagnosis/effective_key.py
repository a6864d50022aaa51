"""The expected changes that the environment accepts at all, and the shape of a failure beside those alone.

A key is replayed to make the expected end state, and what the environment refuses there changes nothing: who leaves
such a change out has left out nothing.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import RunCases
from blade.extract.failure_shape import shape_name
from blade.frozen import frozen

FEWEST_REFUSED = 3
FEWEST_ACCEPTED = 5
USUAL = 0.8
"""A state rules a change out where its tool was refused in it and never accepted, and accepted mostly in another."""
Seen = Mapping[str, Any]
State = tuple[str, str, str]
"""A tool, and a field of the object that it changes with its value."""


@frozen
class RulingState:
    """The state of an object in which a tool never changes it: in how many rollouts, and in which it does."""

    field: str
    value: str
    refused: int
    usual: str
    accepted: int


def refused_changes(runs: Sequence[RunCases]) -> Mapping[int, RulingState | None]:
    """Expected changes that the environment refuses, by their digest.

    Either one was tried word for word and never accepted in any run (None); a refusal after another accepted change of
    the same rollout is no evidence, as that change may be its reason. Or nobody made it, and the state of its object
    rules it out.
    """
    if not runs:
        return {}
    memo_key = f"refused changes {len(runs)}"
    if memo_key not in runs[0].known:
        runs[0].known[memo_key] = _refused([case.observed for run in runs for case in run.cases])
    return runs[0].known[memo_key]  # type: ignore[no-any-return]


def _refused(rows: Sequence[Seen]) -> dict[int, RulingState | None]:
    refused: dict[int, RulingState | None] = {}
    accepted_once: set[int] = set()
    for observed in rows:
        changed = False
        for _, digest, accepted, expected, *_ in observed.get("changes", ()):
            if expected and accepted:
                accepted_once.add(digest)
            elif expected and not changed:
                refused[digest] = None
            changed = changed or bool(accepted)
    refusals = _ruled_out(rows) | refused
    return {digest: state for digest, state in refusals.items() if digest not in accepted_once}


def _ruled_out(rows: Iterable[Seen]) -> dict[int, RulingState | None]:
    """Expected changes of objects whose state rules them out, wherever it was read before anything changed them."""
    states: defaultdict[tuple[int, str], defaultdict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    accepted: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    refused: Counter[State] = Counter()
    rollouts: Counter[State] = Counter()
    for observed in rows:
        refusals: set[State] = set()
        for (tool, digest), fields in zip(
            observed.get("expected", ()), observed.get("expected_states", ()), strict=False
        ):
            for field, value in fields.items():
                states[digest, tool][field].add(value)
        for tool, refusal, before, fields in observed.get("circumstances", ()):
            for field, value in fields.items():
                if refusal is None:
                    accepted[tool, field][value] += 1
                else:
                    refused[tool, field, value] += not before
                    refusals.add((tool, field, value))
        rollouts.update(refusals)
    rulings: dict[int, RulingState | None] = {}
    for (digest, tool), fields in states.items():
        for field, values in fields.items():
            state = (tool, field, next(iter(values)))
            if len(values) == 1 and refused[state] >= FEWEST_REFUSED:
                ruling = _ruling(state, accepted[tool, field], rollouts[state])
                rulings |= {} if ruling is None else {digest: ruling}
    return rulings


def _ruling(state: State, accepted: Counter[str], rollouts: int) -> RulingState | None:
    _, field, value = state
    total = sum(accepted.values())
    if total < FEWEST_ACCEPTED or accepted[value]:
        return None
    usual = max(sorted(accepted), key=lambda value: accepted[value])
    if accepted[usual] < USUAL * total:
        return None
    return RulingState(field, value, rollouts, usual, total)


def effective_shape(observed: Seen, refused: Mapping[int, Any]) -> str | None:
    """The shape of a rollout beside the changes that the environment accepts; None where it has no key."""
    if all(digest not in refused for _, digest in observed.get("expected", ())):
        return observed.get("shape")
    expected_digests = {digest for _, digest in observed["expected"] if digest not in refused}
    accepted = [digest for _, digest, accepted, *_ in observed["changes"] if accepted]
    extra = (Counter(accepted) - Counter(expected_digests)).total()
    return shape_name(missing=len(expected_digests.difference(accepted)), extra=extra, accepted=len(accepted))
