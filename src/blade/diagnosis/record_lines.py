"""What the record of a failing rollout shows, in one line: the nearest sign to a cause, with the values that it is of.

It says what stands in the record and blames nobody: where a key, a simulated user or a verifier decides, any of them
may be at fault. Where the record shows nothing, the line is empty.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from blade.diagnosis.cases import Case
from blade.diagnosis.modes import SPENT, mode_rule
from blade.diagnosis.recorded import CLOCKS
from blade.diagnosis.rollout_causes import Cause
from blade.diagnosis.run_wide_evidence import TOOL
from blade.diagnosis.usual_endings import RECORDED_ENDS
from blade.diagnosis.work_errors import RULES as STAGES
from blade.diagnosis.work_errors import work_error
from blade.extract.against_reference import EXTRA, WRONG_TOOL
from blade.extract.text import clip
from blade.findings import Sighting
from blade.frozen import frozen
from blade.model import Status
from blade.wording import abridged, printable, worth_quoting

LONGEST = 300
LONGEST_QUOTE, LONGEST_CALL, LONGEST_NAME = 90, 150, 60
SAME = 40
"""A quote that begins so in what is told beside it says nothing more."""
MOST_CHECKS = 2
PARTIAL, MESSAGE, UNSAID = "partial_credit", "verifier_message", "answer_not_said"
LOOKUPS = frozenset({"record_not_looked_up", "asks_instead_of_looking_up"})
"""Causes beside which the value that differs from the key is told, too."""
MISSING = "missing_action"
SHAPES = frozenset({"wrong_action", "extra_mutation", MISSING})
BY_CHECKS = frozenset({*STAGES, *CLOCKS, PARTIAL, TOOL})
"""Rules that say less than the checks that fail, where the verifier names them: a call may fail on any way."""
_LEADS = {
    "compile_stage": "the work does not compile",
    "runtime_stage": "the tests end with",
    "assertion_stage": "a check fails with",
    "absent_output": "the tests find nothing to look at",
    MESSAGE: "the verifier says",
}


@frozen
class RecordLine:
    """`kind` is what alike failures of one task share; `words` end a sentence about the attempt, or are empty."""

    kind: str
    words: str


def record_kind(case: Case, cause: Cause | None) -> str:
    """The kind of evidence that a failing rollout shows, comparable between tasks; empty where it shows none."""
    if cause is not None:
        return cause.rule
    rule = work_error(case) or mode_rule(case)
    if _by_checks(case, rule):
        return f"checks {_failed_checks(case)[0]}"
    if rule is None:
        return "end" if _ending(case) else ""
    return f"{rule} {case.fired()[rule].value}" if rule in SHAPES else rule


def record_line(case: Case, cause: Cause | None, refused: Collection[int] = ()) -> RecordLine:
    """What the record of one failing rollout shows; `refused` are changes of keys that no environment accepts."""
    rule = work_error(case) or mode_rule(case)
    sighting = case.fired().get(rule) if rule else None
    kind = [rule or case.mode or "", sighting.value if sighting else ""]
    if cause is not None:
        kind = [cause.rule, *(kind if _beside(cause, rule) else ())]
    elif _by_checks(case, rule):
        kind = ["checks", *_failed_checks(case)]
    parts = filter(None, _parts(case, rule, sighting, cause, refused))
    return RecordLine("\n".join(kind), clip(printable("; ".join(parts)), LONGEST))


def _by_checks(case: Case, rule: str | None) -> bool:
    return (rule is None or rule in BY_CHECKS) and bool(_failed_checks(case))


def _beside(cause: Cause, rule: str | None) -> bool:
    """Whether what differs from the key is told beside a cause."""
    return cause.rule in LOOKUPS and rule in SHAPES


def _parts(
    case: Case, rule: str | None, sighting: Sighting | None, cause: Cause | None, refused: Collection[int]
) -> Iterator[str]:
    if cause is None or _beside(cause, rule):
        by_checks = _by_checks(case, rule)
        if rule is None or sighting is None:
            yield _ending(case)
        elif rule in CLOCKS or not by_checks:
            yield _of_rule(case, rule, sighting, refused)
        if by_checks or rule is None:
            yield _unmet(case)
        if by_checks and rule == TOOL and sighting is not None:
            yield sighting.detail
    if cause is not None:
        yield cause.why


def _of_rule(case: Case, rule: str, sighting: Sighting, refused: Collection[int]) -> str:
    quote = _quote(sighting)
    if rule in SHAPES and (change := _other_change(case, rule, refused)):
        return change
    if rule in _LEADS:
        return f"{_LEADS[rule]} “{quote}”"
    repeats = quote.strip("…[]\"'")[:SAME] in sighting.detail
    if rule == UNSAID or repeats or _rejected(case, rule) or not worth_quoting(quote):
        return sighting.detail
    return f"{sighting.detail}: {quote}" if quote.startswith("{") else f"{sighting.detail}: “{quote}”"


def _rejected(case: Case, rule: str) -> bool:
    """Whether a call that was never made was tried with another value, which is told of it."""
    return rule == MISSING and bool((case.observed.get("deviation") or [""] * 5)[3])


def _other_change(case: Case, rule: str, refused: Collection[int]) -> str:
    """The change outside the key as it was made, or the one left out where there is none; empty for an argument."""
    kind, expected, called, _, digest = case.observed.get("deviation") or ("", "", "", "", 0)
    outside = [change for change in case.observed.get("changes", ()) if change[2] and not change[3]]
    if rule == MISSING:
        return ""
    if not outside:
        left = [entry for entry in case.observed.get("left_out", ()) if entry[0] == expected and kind == WRONG_TOOL]
        return f"never makes the expected call of '{expected}' ({', '.join(left[0][1])})" if left else ""
    change = next((change for change in outside if change[0] == called), outside[0])
    call = f"calls '{change[0]}' {clip(change[5], LONGEST_CALL)}"
    if not kind or digest in refused:
        return f"{call}, which is not among the changes of the key that the environment accepts"
    if kind == EXTRA:
        return f"{call}, which the key lacks"
    return f"{call}, expected '{expected}'" if kind == WRONG_TOOL else ""


def _quote(sighting: Sighting) -> str:
    """The first words that a sighting cites, in one line and without the margin of a test runner."""
    return clip(printable(sighting.cites[0].quote).removeprefix("E "), LONGEST_QUOTE)


def cut_words(case: Case) -> str:
    """That a limit of turns cut it, and the field that says so, if one does."""
    named = case.state == Status.TRUNCATED.value and case.reason
    return f"the limit of {case.cut_at:,} turns cut it" + (f" ({case.reason})" if named else ", as the counts show")


def _ending(case: Case) -> str:
    """How a rollout ended that no rule explains: at a limit, or with a reason that its row gives."""
    if case.mode == SPENT.id:
        ends = [case.fired()[name].detail for name in RECORDED_ENDS if name in case.fired()]
        return ends[0] if ends else ""
    if case.cut_at is not None:
        return cut_words(case)
    return case.reason or "" if (case.mode or "").startswith("status_") else ""


def _failed_checks(case: Case) -> list[str]:
    return [check for check, passed in case.checks.items() if not passed]


def _short_name(check: str) -> str:
    """The name of a check; of a long one with the path before it the test itself, which tells more."""
    return clip(check if len(check) <= LONGEST_NAME else check.rsplit("::", 1)[-1], LONGEST_NAME)


def _unmet(case: Case) -> str:
    """The checks that the verifier names as failed, with the error of its log where there is one."""
    failed = _failed_checks(case)
    stage = next((case.fired()[name] for name in STAGES if name in case.fired()), None)
    quote = f"“{_quote(stage)}”" if stage else ""
    if not failed:
        return f"the tests end with {quote}" if quote else ""
    number = "" if len(case.checks) == 1 else f" ({len(failed):,} of {len(case.checks):,} checks)"
    names = abridged([_short_name(check) for check in failed], MOST_CHECKS)
    return f"fails {names}{number}: {quote}" if quote else f"fails {names}{number}"
