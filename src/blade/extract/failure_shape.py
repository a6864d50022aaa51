"""The shape of a failure beside the actions that were expected: what was left out, what was done too much.

A shape says how the work differs from the key. It is never a cause: the key, the user or the model may be at fault.
"""

from __future__ import annotations

from blade.extract.against_reference import Changes
from blade.extract.calls import Call
from blade.extract.names import words
from blade.extract.reference import Action
from blade.frozen import frozen

_SETS = frozenset("modify update set change edit replace rename cancel".split())
NOTHING, OMISSION, SUBSTITUTION, EXTRA, RIGHT = "nothing done", "omission", "substitution", "extra", "all right"


@frozen
class FailureShape:
    """Expected changes that were not made, and accepted changes that nobody expected."""

    name: str
    missing: tuple[Action, ...]
    extra: tuple[Call, ...]
    refused: int
    """Changes that the environment did not accept."""


def shape_of(changes: Changes) -> FailureShape:
    """How the accepted changes of a rollout differ from those that were expected."""
    accepted = [change for change in changes.made if not change.failed]
    left = list(accepted)
    made_keys: set[bytes] = set()
    missing: list[Action] = []
    for place, action in changes.expected.items():
        key = changes.keys[place]
        match = next((change for change in left if change.key == key), None)
        if match is None:
            missing.append(action)
        else:
            left.remove(match)
            made_keys.add(key)
    left = [change for change in left if not (change.key in made_keys and _changes_nothing_twice(change.call.name))]
    name = shape_name(missing=len(missing), extra=len(left), accepted=len(accepted))
    return FailureShape(name, tuple(missing), tuple(change.call for change in left), len(changes.made) - len(accepted))


def _changes_nothing_twice(name: str) -> bool:
    """Whether a call that is made again leaves everything as it is: what is set, and not what is added."""
    return not _SETS.isdisjoint(words(name))


def shape_name(*, missing: int, extra: int, accepted: int) -> str:
    """The shape of so many changes missing, too many, and accepted at all."""
    if not missing:
        return EXTRA if extra else RIGHT
    if extra:
        return SUBSTITUTION
    return OMISSION if accepted else NOTHING
