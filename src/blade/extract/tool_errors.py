"""The errors of tools in a rollout, by tool and template, with what followed the last of each."""

from __future__ import annotations

from typing import Any

from blade.extract.against_reference import hands_over
from blade.extract.attempt import Attempt
from blade.extract.calls import Call
from blade.extract.circumstances import may_change, named_ids
from blade.extract.failure import last_words, unlabelled
from blade.extract.text import clip
from blade.signatures import template

MOST_ERRORS = 30
LONGEST = 200
WORKED_AGAIN, SWITCHED, OTHER_CHANGE = "worked_again", "switched", "other_change"
HANDED_OVER, TRIED_ON, NO_CHANGE = "handed_over", "tried_on", "no_change"
"""What followed an error: the same tool went well later; another tool changed the same object; something else was
changed; the case was handed to a person; only other calls came that would change something and failed; nothing."""


def tool_errors(attempt: Attempt) -> dict[str, Any]:
    """`errors` of tools; `stuck`: the tool after whose failure nothing went well any more."""
    if not attempt.failed:
        return {}
    last = attempt.failed[-1]
    return {"errors": _errors(attempt), **({} if _goes_on(attempt, last) else {"stuck": last.name})}


def _errors(attempt: Attempt) -> list[list[Any]]:
    """Per tool and template of its message: the item of the first, its words, how often, what followed the last.

    Behind that stands whether the tool was called for the same object again after any of them.
    """
    found: dict[tuple[str, str], list[Any]] = {}
    for call in attempt.failed:
        message = last_words(call.problem or "", call.answer.text if call.answer is not None else "")
        key = call.name, template(message)
        after, again = _followed(attempt, call), _is_called_again(attempt, call)
        if key in found:
            found[key][4] += 1
            found[key][5:] = (*after, again or found[key][7])
        elif len(found) < MOST_ERRORS and call.answer is not None:
            found[key] = [*key, call.answer.item, clip(message, LONGEST), 1, *after, again]
    return list(found.values())


def _is_called_again(attempt: Attempt, failed: Call) -> bool:
    """Whether the tool of a failed call is called again, and not for another object alone."""
    wanted = set(named_ids(failed))
    later = (call for call in attempt.after(failed) if call.name == failed.name)
    return any(
        call.arguments == failed.arguments
        or not wanted
        or not (ids := set(named_ids(call)))
        or not wanted.isdisjoint(ids)
        for call in later
    )


def _goes_on(attempt: Attempt, failed: Call) -> bool:
    """Whether any tool told something after a call that failed; handing over to a person is no work."""
    return any(
        not call.failed
        and call.answer is not None
        and unlabelled(call.answer.text).strip()
        and not hands_over(call.name)
        for call in attempt.after(failed)
    )


def _followed(attempt: Attempt, failed: Call) -> tuple[str, str]:
    """What came after a failed call, and the tool that did it."""
    wanted = set(named_ids(failed))
    later: dict[str, str] = {}
    for call in attempt.after(failed):
        if call.failed or not call.answers:
            if call.name != failed.name and may_change(call) and not hands_over(call.name):
                later.setdefault(TRIED_ON, call.name)
            continue
        if call.name == failed.name:
            return WORKED_AGAIN, call.name
        if hands_over(call.name):
            later.setdefault(HANDED_OVER, call.name)
        elif may_change(call):
            later.setdefault(OTHER_CHANGE if wanted.isdisjoint(named_ids(call)) else SWITCHED, call.name)
    kinds = (SWITCHED, OTHER_CHANGE, HANDED_OVER, TRIED_ON)
    return next(((kind, later[kind]) for kind in kinds if kind in later), (NO_CHANGE, ""))
