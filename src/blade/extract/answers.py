"""Which call a tool's output answers.

Ids tell, but they repeat: providers number the calls of each turn anew, and logs are put together from parts. So an
output answers the nearest earlier call of its id that is still open. Several outputs of one id in a row answer as many
open calls, in the order in which those were made.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

from blade.model import Step, StepKind

_CALL, _OUTPUT = StepKind.CALL, StepKind.OUTPUT


def answered_calls(steps: Sequence[Step]) -> dict[int, int]:
    """Place of an output → place of the call it answers; an output before every call answers none.

    An output whose call was answered before belongs to the nearest call of its id; one without an id, or
    with one that no call has, to the call before it.
    """
    call_of_output = _by_own_id(steps)
    if call_of_output is not None:
        return call_of_output
    call_of_output = {}
    open_calls: dict[str, list[int]] = {}
    nearest: dict[str, int] = {}
    latest: int | None = None
    places = [place for place, step in enumerate(steps) if step.kind is _CALL or step.kind is _OUTPUT]
    for is_call, group in groupby(places, lambda place: steps[place].kind is _CALL):
        if is_call:
            for latest in group:
                call_id = steps[latest].call_id
                open_calls.setdefault(call_id, []).append(latest)
                if call_id:
                    nearest[call_id] = latest
        elif latest is not None:
            for output, call in _in_order([(place, steps[place].call_id) for place in group], open_calls):
                call_of_output[output] = nearest.get(steps[output].call_id, latest) if call is None else call
    return call_of_output


def _by_own_id(steps: Sequence[Step]) -> dict[int, int] | None:
    """The same where every call has an id of its own, and is answered once or never, as in nearly all rows."""
    calls: dict[str, int] = {}
    call_of_output: dict[int, int] = {}
    for place, step in enumerate(steps):
        kind = step.kind
        if kind is _CALL:
            call_id = step.call_id
            if not call_id or call_id in calls:
                return None
            calls[call_id] = place
        elif kind is _OUTPUT:
            call = calls.get(step.call_id, -1)
            if call < 0:
                return None
            call_of_output[place] = call
    return call_of_output if len(set(call_of_output.values())) == len(call_of_output) else None


def _in_order(outputs: Sequence[tuple[int, str]], open_calls: dict[str, list[int]]) -> Iterator[tuple[int, int | None]]:
    """Outputs between two calls, each with an open call of its id, which is open no longer; None where none is left."""
    waiting_calls: dict[str, Iterator[int]] = {}
    for call_id, outputs_of_id in Counter(call_id for _, call_id in outputs).items():
        waiting = open_calls.get(call_id, [])
        waiting_calls[call_id] = iter(waiting[-outputs_of_id:])
        del waiting[-outputs_of_id:]
    for output, call_id in outputs:
        yield output, next(waiting_calls[call_id], None)
