"""What a key goes on with after a change that is refused: another change of the same object, or a person."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from blade.extract.against_reference import action_digest, hands_over
from blade.extract.attempt import Attempt
from blade.extract.calls import changing_name
from blade.extract.circumstances import identifiers


def other_ways(row: dict[str, Any], refused: Collection[int]) -> dict[int, str]:
    """Digest of a refused change → the tool of a later action of the key that takes its place."""
    reference = Attempt(row).reference
    actions = [(*action, action_digest(*action)) for action in reference[1]] if reference is not None else []
    tool_of_digest: dict[int, str] = {}
    for place, (_, arguments, digest) in enumerate(actions):
        objects = set(identifiers(arguments)) if digest in refused else set()
        for name, later_arguments, later_digest in actions[place + 1 :] if digest in refused else ():
            changes = changing_name(name) is not False and later_digest not in refused
            if hands_over(name) or (changes and not objects.isdisjoint(identifiers(later_arguments))):
                tool_of_digest.setdefault(digest, name)
    return tool_of_digest
