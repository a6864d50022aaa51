"""What a rollout did, small enough to be kept for every row: changes, errors of tools, how it opens, what it repeats.

Questions that are asked of all rollouts together (`blade.questions`) read this and open no row for it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

import orjson
from xxhash import xxh3_64_intdigest

from blade.extract.absent_work import absent_work
from blade.extract.against_reference import CountedCall, hands_over
from blade.extract.agreed_changes import agreed_otherwise
from blade.extract.answered_lookups import answered_lookups
from blade.extract.argument_types import argument_types
from blade.extract.artefacts import artefacts
from blade.extract.attempt import Attempt
from blade.extract.both_shown import both_shown
from blade.extract.call_heads import call_heads
from blade.extract.calls import Call
from blade.extract.changed_answers import changed_answer
from blade.extract.check_arguments import check_arguments
from blade.extract.circumstances import circumstances, states_of_expected
from blade.extract.claimed_omissions import claimed_omission
from blade.extract.code_marks import code_marks
from blade.extract.comparisons import comparisons
from blade.extract.contradicted_keys import contradicted_keys
from blade.extract.denials import denial
from blade.extract.earlier_ends import earlier_end
from blade.extract.empty_verdicts import empty_verdicts
from blade.extract.endings import endings, held_back
from blade.extract.final_message import final_message
from blade.extract.first_answers import first_answers
from blade.extract.given_answer import answer_record
from blade.extract.going_round import going_round
from blade.extract.history_looks import history_look
from blade.extract.invented_lookups import invented_values
from blade.extract.known_failures import known_failure
from blade.extract.lacking import lacking
from blade.extract.leaked_keys import leaked_key
from blade.extract.lookups import lookups
from blade.extract.lost_head import lost_head
from blade.extract.lost_replies import lost_replies
from blade.extract.made_up import made_up
from blade.extract.message_claims import message_claims
from blade.extract.missed_values import missed_values
from blade.extract.missing_paths import missing_paths
from blade.extract.named_paths import named_hosts, named_paths
from blade.extract.named_present import named_present
from blade.extract.named_task import named_task
from blade.extract.no_tests import no_tests
from blade.extract.own_verdicts import own_verdict
from blade.extract.part_answers import part_answers
from blade.extract.prompt_expectations import prompt_expectation
from blade.extract.recorded_results import recorded_results
from blade.extract.records import LONGEST_NOTICE, says_no_output
from blade.extract.reference import Action, expected_answers
from blade.extract.refused_values import refused_value
from blade.extract.returned_values import returned_values
from blade.extract.rubric_criteria import rubric_criteria
from blade.extract.said_answers import said_answer
from blade.extract.said_otherwise import said_otherwise
from blade.extract.same_complaint import same_complaint
from blade.extract.sent_calls import is_comment, sent_calls
from blade.extract.speakers import speakers
from blade.extract.stages import hands_in_as_text
from blade.extract.step_scores import step_scores
from blade.extract.straying_users import straying_user
from blade.extract.task_properties import task_properties
from blade.extract.telemetry import telemetry
from blade.extract.text import clean, clip, in_one_line
from blade.extract.tool_errors import tool_errors
from blade.extract.transcript import arguments_text
from blade.extract.tried_work import tried_text
from blade.extract.unearned import unearned
from blade.extract.unheard_questions import unheard_questions
from blade.extract.unlike_arguments import unlike_arguments
from blade.extract.unmade_changes import unmade_changes
from blade.extract.unread_pages import unread_pages
from blade.extract.unrun_calls import unrun_record
from blade.extract.unsaid import unsaid
from blade.extract.user_ids import user_ids
from blade.extract.user_statements import heard
from blade.extract.user_turns import AGREES
from blade.extract.value_forms import value_forms
from blade.extract.value_pairs import value_pair
from blade.extract.values_beside_keys import values_beside_keys
from blade.extract.verifier_lists import verifier_lists
from blade.extract.verifier_words import verifier_words
from blade.extract.wanted_calls import wanted_calls
from blade.late_regex import late_regex
from blade.model import StepKind

_REPLIES = frozenset({StepKind.OUTPUT, StepKind.USER})
"""What the model gets back: so many turns were taken, in whatever way they are counted."""
SHORTEST_ID = 6
MOST_CHANGES = 40
MOST_SETS = 6
SHORTEST_LONG = 200
"""A shorter answer of a tool is whole."""
NEARLY_AS_LONG = 0.95
"""What is cut at one length may have a line of its own before it."""
LONGEST = 200
SHORT = 60
MOST_REPLIES = 20
SHORTEST_ECHO, ECHO = 4, "…"
_FIGURES = late_regex(r"\b[^\W\d]*+\d\w*")
"""A word with a digit in it."""


def observed(attempt: Attempt) -> str | None:
    """The record as JSON; None for a rollout without a call, an answer and expected actions."""
    record: dict[str, Any] = {}
    for concerns, part in PARTS:
        if concerns(attempt):
            record |= part(attempt)
    return written(attempt, record)


def written(attempt: Attempt, record: dict[str, Any]) -> str | None:
    """What the parts told of a rollout, as it is kept."""
    return dumped(record) if record or _is_work(attempt) else None


def _is_any(_: Attempt) -> bool:
    return True


def _is_called(attempt: Attempt) -> bool:
    return bool(attempt.calls)


def _is_work(attempt: Attempt) -> bool:
    return bool(attempt.calls) or attempt.reference is not None


def _is_expected(attempt: Attempt) -> bool:
    return attempt.reference is not None


def _told_to_be_done(attempt: Attempt) -> dict[str, Any]:
    """`submitted` without a call: the work is handed in as text."""
    return {"submitted": 1} if not attempt.calls and hands_in_as_text(attempt) else {}


def _response(attempt: Attempt) -> dict[str, Any]:
    """`response`: a number for the id of the response, where it has one."""
    response = attempt.row.get("response")
    name = response.get("id") if isinstance(response, dict) else None
    if not isinstance(name, str) or len(name) < SHORTEST_ID:
        return {}
    return {"response": xxh3_64_intdigest(name.encode("utf-8", "replace")) & 0xFFFFFFFF}


def _sequence(attempt: Attempt) -> dict[str, Any]:
    """`calls`: one number for all calls in their order, and how many there are."""
    calls = attempt.calls
    return {"calls": [xxh3_64_intdigest(b"\x00".join(call.key for call in calls)), len(calls)]}


def _heads(attempt: Attempt) -> dict[str, Any]:
    return {"heads": call_heads(attempt.calls)}


def _course(attempt: Attempt) -> dict[str, Any]:
    """How the calls begin and end, what they repeat, and how many turns were taken."""
    calls = attempt.calls
    return {
        "opening": _opening(calls[0]),
        "first": _first(calls[0]),
        "closing": _closing(calls[-1]),
        "same": _same(calls),
        "streak": _streak(calls),
        "turns": len([step for step in attempt.steps if step.kind in _REPLIES]),
    }


def _empty_answers(attempt: Attempt) -> dict[str, Any]:
    """`empty`: calls whose answer is empty, those of them whose command is nothing but a comment, and the last call.

    That is named by its tool and the item of its answer where its own answer is empty.
    """
    empty = [call for call in attempt.answered if all(_is_blank(answer.step.text) for answer in call.answers)]
    if not empty:
        return {}
    last = attempt.calls[-1]
    ends = [last.name, last.answer.item] if last is empty[-1] and last.answer is not None else []
    return {"empty": [len(empty), sum(map(is_comment, empty)), *ends]}


def _is_blank(text: str) -> bool:
    """Whether nothing but white space stands there, or a harness's words for that; no long text is copied for it."""
    return not text or text.isspace() or (len(text) <= LONGEST_NOTICE and says_no_output(text))


def _circumstances(attempt: Attempt) -> dict[str, Any]:
    known = circumstances(attempt.calls)
    return {"circumstances": known} if known else {}


def _message_count(attempt: Attempt) -> dict[str, Any]:
    return {"messages": len(attempt.messages)} if attempt.users else {}


def _longest_outputs(attempt: Attempt) -> dict[str, Any]:
    """`longest_output`: the letters of the longest answer of a tool, and how many answers are nearly as long."""
    lengths = [len(call.answer.text) for call in attempt.calls if call.answer is not None]
    longest = max(lengths, default=0)
    if longest < SHORTEST_LONG:
        return {}
    return {"longest_output": [longest, sum(length >= NEARLY_AS_LONG * longest for length in lengths)]}


def _value_pair(attempt: Attempt) -> dict[str, Any]:
    return attempt.once(value_pair)


def _unsaid(attempt: Attempt) -> dict[str, Any]:
    return attempt.once(unsaid)


def _check_sets(attempt: Attempt) -> dict[str, Any]:
    """`check_sets`: how many of how many checks pass in each named set of the verdict; `skipped_checks`: lines there.

    Such a line reports a test that was skipped and stands among those that pass.
    """
    sets = {one.field: [one.passed, one.total] for one in attempt.checks if one.named and one.total}
    record: dict[str, Any] = {"check_sets": sets} if 0 < len(sets) <= MOST_SETS else {}
    skipped = [line for one in attempt.checks for line in one.skipped]
    return record | ({"skipped_checks": skipped[:MOST_SETS]} if skipped else {})


def dumped(record: dict[str, Any]) -> str:
    """The record as JSON; what cannot be written as UTF-8 is replaced."""
    try:
        return orjson.dumps(record).decode()
    except orjson.JSONEncodeError:
        return orjson.dumps(_clean(record)).decode()


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list):
        return [_clean(one) for one in value]
    return {clean(key): _clean(one) for key, one in value.items()} if isinstance(value, dict) else value


def _opening(call: Call) -> list[Any]:
    return [call.name, int(call.failed), _short(call)]


def _first(call: Call) -> int:
    """A number for the first call together with its answer."""
    answer = call.answer.text if call.answer is not None else ""
    return xxh3_64_intdigest(call.key + b"\x00" + in_one_line(answer).encode("utf-8", "replace"))


def _closing(call: Call) -> list[str]:
    """The last call and the beginning of its answer."""
    answer = call.answer.text if call.answer is not None else ""
    return [call.name, _short(call), clip(" ".join(answer.split(None, SHORT)), SHORT)]  # no more words can be shown


def _same(calls: Sequence[Call]) -> list[int]:
    """How often the call is made that is made most often, arguments and all, and how many different ones there are."""
    many = Counter([call.key for call in calls])
    return [max(many.values()), len(many)]


def _replies(attempt: Attempt) -> dict[str, Any]:
    """`replies`: per tool the short answers that it gave, numbers masked and hashed; 0 stands for all longer ones."""
    found: dict[str, dict[int, None]] = {}
    for call, text in tool_answers(attempt):
        kept = found.setdefault(call.name, {})
        if len(kept) < MOST_REPLIES:
            kept[reply_number(text)] = None
    return {"replies": {name: list(numbers) for name, numbers in found.items()}}


def tool_answers(attempt: Attempt) -> Iterator[tuple[Call, str]]:
    """Every call with each of its answers, without the words that a harness puts in front of all answers alike.

    What a short answer repeats of its own call is masked: “no entry for jar” says the same of every other thing.
    """
    answers = [(call, answer.step.text) for call in attempt.answered for answer in call.answers]
    texts = {text for _, text in answers}
    shared = _shared_beginning(min(texts), max(texts)) if len(texts) > 1 else ""
    head = shared[: shared.rfind(": ") + 2] if ": " in shared else ""
    for call, text in answers:
        yield call, _without_echo(call, text.removeprefix(head))


def _without_echo(call: Call, text: str) -> str:
    if len(text) > 2 * LONGEST:
        return text
    arguments = call.arguments.values() if isinstance(call.arguments, dict) else [call.arguments]
    values = {value.strip() for value in arguments if isinstance(value, str)}
    for value in sorted(values, key=lambda value: (-len(value), value)):
        if SHORTEST_ECHO <= len(value) < len(text):
            text = text.replace(value, ECHO)
    return text


def _shared_beginning(first: str, last: str) -> str:
    """How two texts begin alike: of several the first and the last in order, then all others begin so, too."""
    alike, limit = 0, min(len(first), len(last))
    while alike < limit:
        middle = (alike + limit + 1) // 2
        if first[alike:middle] == last[alike:middle]:
            alike = middle
        else:
            limit = middle - 1
    return first[:alike]


def reply_number(text: str) -> int:
    """One number for all answers that differ in figures and identifiers alone; 0 for a text that is too long."""
    if len(text) > LONGEST:
        return 0
    plain = _FIGURES.sub("#", " ".join(text.split()))
    return xxh3_64_intdigest(plain.encode("utf-8", "replace")) & 0xFFFFFFFF or 1


def _streak(calls: Sequence[Call]) -> list[Any]:
    """The tool that is called most often in a row, and how often."""
    runs = [(len(list(group)), name) for name, group in groupby(call.name for call in calls)]
    many, name = max(runs, key=itemgetter(0))
    return [name, many]


def _against_key(attempt: Attempt) -> dict[str, Any]:
    """The expected changes, those made, and the shape of the difference."""
    if attempt.reference is None or attempt.changes is None or attempt.shape is None:
        return {}
    changes = attempt.changes
    expected = {xxh3_64_intdigest(changes.keys[place]): action for place, action in changes.expected.items()}
    states = states_of_expected(attempt.calls, (arguments for _, arguments in expected.values()))
    return {
        "shape": attempt.shape.name,
        "expected": [[name, digest] for digest, (name, _) in expected.items()],
        "expected_arguments": [clip(arguments_text(arguments), LONGEST) for _, arguments in expected.values()],
        "answers": expected_answers(attempt.row, attempt.reference[0]),
        "changes": [_change(one, expected) for one in changes.made[:MOST_CHANGES]],
        **({"expected_states": states} if any(states) else {}),
        **_deviation(attempt, expected),
        **_instead_of_a_person(attempt),
    }


def _instead_of_a_person(attempt: Attempt) -> dict[str, Any]:
    """`accepted_instead`: changes that the user agrees to right before, where the key only hands over to a person."""
    changes, reference = attempt.changes, attempt.reference
    if (
        changes is None
        or reference is None
        or changes.expected
        or not any(hands_over(name) for name, _ in reference[1])
    ):
        return {}
    made = [one.call for one in changes.made if not one.failed]
    agreed = sum(_agreed(attempt, call) for call in made)
    return {"accepted_instead": agreed} if agreed else {}


def _agreed(attempt: Attempt, call: Call) -> bool:
    turns = [step.text for place, step in attempt.users if place < call.place]
    return bool(turns) and AGREES.match(turns[-1]) is not None


def _deviation(attempt: Attempt, expected: Mapping[int, Action]) -> dict[str, Any]:
    """`deviation`: the first difference from the key: its kind, the tool expected, the one called, the argument."""
    found = attempt.deviation
    if found is None:
        return {}
    wanted = found.expected[0] if found.expected else ""
    digests = [digest for digest, action in expected.items() if action is found.expected]
    argument = next((str(part) for part in found.path if isinstance(part, str)), "")
    made = found.call.name if found.call else ""
    return {"deviation": [found.kind, wanted, made, argument, digests[0] if digests else 0]}


def _change(one: CountedCall, expected: Collection[int]) -> list[Any]:
    """Tool, digest, whether it was accepted, whether it was expected, the item of the call, its arguments."""
    digest = xxh3_64_intdigest(one.key)
    return [one.call.name, digest, int(not one.failed), int(digest in expected), one.call.step.item, _short(one.call)]


def _short(call: Call) -> str:
    return clip(arguments_text(call.step.arguments), LONGEST)


PARTS: tuple[tuple[Callable[[Attempt], bool], Callable[[Attempt], dict[str, Any]]], ...] = (
    *(
        (_is_any, part)
        for part in (task_properties, answer_record, said_answer, verifier_words, comparisons, _check_sets)
    ),
    *((_is_any, part) for part in (changed_answer, missed_values, rubric_criteria, check_arguments, verifier_lists)),
    *((_is_any, part) for part in (recorded_results, refused_value, _value_pair, step_scores, said_otherwise)),
    *(
        (_is_any, part)
        for part in (speakers, artefacts, telemetry, heard, held_back, _told_to_be_done, wanted_calls, _response)
    ),
    *(
        (_is_any, part)
        for part in (
            argument_types,
            empty_verdicts,
            earlier_end,
            no_tests,
            part_answers,
            prompt_expectation,
            named_present,
        )
    ),
    (_is_any, final_message),
    *((_is_called, part) for part in (_sequence, endings, absent_work, _heads, _replies, _course, lost_head)),
    *((_is_called, part) for part in (_empty_answers, sent_calls, returned_values, own_verdict, lacking, tried_text)),
    *((_is_called, part) for part in (_longest_outputs, code_marks, lost_replies, unread_pages, message_claims)),
    *((_is_work, part) for part in (tool_errors, _circumstances, _message_count, user_ids, denial, unmade_changes)),
    *((_is_called, part) for part in (invented_values, known_failure, answered_lookups, same_complaint)),
    *(
        (_is_called, part)
        for part in (named_paths, named_hosts, missing_paths, going_round, first_answers, history_look)
    ),
    *((_is_called, part) for part in (leaked_key, named_task, values_beside_keys, value_forms)),
    *((_is_work, part) for part in (unrun_record, unearned, unheard_questions)),
    *((_is_expected, part) for part in (_against_key, lookups, agreed_otherwise, made_up, _unsaid)),
    *(
        (_is_expected, part)
        for part in (contradicted_keys, unlike_arguments, claimed_omission, both_shown, straying_user)
    ),
)
"""What is observed, in the order in which it is written down, each with the rollouts that it concerns."""
