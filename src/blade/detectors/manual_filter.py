"""Records listed without the filter that the tool offers, then picked by the agent in its own words.

Fires where a list or search tool has a parameter for a field of its records (a date, a status), the call leaves it
out, the agent speaks of picking, and what follows uses some of the records but not all. Where an action that was
expected is missing and its record stands in that list, the picking is nearer to the cause than what is missing.

False alarms: short lists are easily read, and the pick is often right; a filter can be unfit for the condition.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from blade.extract.against_reference import MISSING
from blade.extract.attempt import Attempt
from blade.extract.calls import Call, changing_name
from blade.extract.field_roles import REMEMBERED, WIDE, Names, words_in
from blade.extract.json_spans import leaves
from blade.extract.names import words
from blade.extract.prefilter import has_odd_letters
from blade.extract.records import record_ids, records
from blade.extract.schema import Tool
from blade.extract.transcript import arguments_text
from blade.findings import CLEAN, NOT_APPLICABLE, Cite, Sighting, fired
from blade.late_regex import late_regex
from blade.model import Step

ID = "B23"
FAMILY = "behaviour"
TITLE = "records filtered by hand instead of in the query"
KIND = "behaviour"
EXPLAINS = 28
NAMES = "argument"
NEARER = 53
"""Above an action that is missing."""
LEFT_OUT = "and leaves out"
SUPPORTS = {"BI": 1.3}
RELIABILITY = 0.6
READS = ("model", "tool")
NEEDS = "calls"
FEWEST = 3
FEWEST_LOST = 2
"""Records of a list, where one of them was to be acted on and was not."""
READ = 20_000
_LISTS = frozenset("list search find query get fetch browse select filter".split())
_BOUNDS = frozenset("min max from to since until before after start end gte lte gt lt by at on in of range".split())
_PAGING = frozenset("page size limit offset cursor sort order query q id ids".split())
_DAYS = frozenset("date day time".split())
_DAY = late_regex(r"\b\d{4}-\d{2}-\d{2}\b")
_PICKS = late_regex(
    r"\b(?:filter(?:ed|ing)?|only (?:those|the ones|keep|the|include|one|two|three)|exclud(?:e|ing|ed)|"
    r"(?:that|which) (?:are|is|were|was|fall|falls|have|has|match(?:es)?)|among (?:these|them|those)|"
    r"of (?:these|those)|between|pick(?:ed|ing)?|(?:go|going|read|reading) through|"
    r"looking (?:at|through)|match(?:es|ing)?|within the|before|after|earliest|latest|overdue)\b",
    re.IGNORECASE,
)

_HINTS = (
    *("filter", "only ", "exclud", "that are", "that is", "that w", "that fall", "that ha", "which are", "which is"),
    *("which w", "which fall", "which ha", "among the", "among those", "of these", "of those", "between", "pick"),
    *("through", "looking at", "match", "within the", "before", "after", "earliest", "latest", "overdue"),
)
"""Words of picking hold one of these, in lower case."""


def explains(sighting: Sighting) -> int:
    """How near it stands to the cause: before the missing action where its record was among those picked over."""
    return NEARER if LEFT_OUT in sighting.detail else EXPLAINS


def detect(attempt: Attempt) -> Sighting:
    tools = attempt.tools
    if not tools or not attempt.calls:
        return NOT_APPLICABLE
    listed = [call for call in attempt.calls if call.answer and not call.failed and _lists(call.name)]
    could = [(call, left) for call in listed if (left := _unused(attempt, call))]
    if not could:
        return NOT_APPLICABLE if not listed else CLEAN
    for call, left in could:
        sighting = _picked(attempt, call, left)
        if sighting is not None:
            return sighting
    return CLEAN


@lru_cache(maxsize=4096)
def _lists(name: str) -> bool:
    return bool(set(words(name)) & _LISTS) and changing_name(name) is not True


def _unused(attempt: Attempt, call: Call) -> dict[str, set[str]]:
    """Filters that the tool offers and the call leaves out: the parameter, and the field words it stands for."""
    tool = (attempt.tools or {}).get(call.name)
    if tool is None or not tool.once(_filters):
        return {}
    names = tuple(call.arguments) if isinstance(call.arguments, dict) else ()
    memo = tool.once(_unused_by_names)
    unused = memo.get(names)
    if unused is None:
        unused = _without(tool.once(_filters), names)
        if len(names) <= WIDE and len(memo) < REMEMBERED:
            memo[names] = unused
    return unused


def _unused_by_names(_: Tool) -> dict[Names, dict[str, set[str]]]:
    """The filters that are left out, by the names of the arguments that are not: calls of a tool have few such sets."""
    return {}


def _without(filters: dict[str, set[str]], names: Names) -> dict[str, set[str]]:
    left = {name: stem for name, stem in filters.items() if name not in names}
    used = {word for name in names for word in words(name)} if left else set()
    return {name: stem for name, stem in left.items() if stem.isdisjoint(used)}


def _filters(tool: Tool) -> dict[str, set[str]]:
    """The parameters that may be left out, with the field words they stand for."""
    stems = {name: set(words(name)) - _BOUNDS - _PAGING for name in tool.properties if name not in tool.required}
    return {name: stem for name, stem in stems.items() if stem}


def _picked(attempt: Attempt, call: Call, left: dict[str, set[str]]) -> Sighting | None:
    answer = call.answer.text if call.answer else ""
    if "[" not in answer:
        return None
    rows = records(answer)
    if len(rows) < FEWEST_LOST:
        return None
    fields = words_in(rows[0])
    names = [name for name, stem in left.items() if stem <= fields or (stem <= _DAYS and _dated(rows[0]))]
    missed_record = _left_out(attempt, rows) if names else ""
    if not names or (len(rows) < FEWEST and not missed_record):
        return None
    use = _used(attempt, call, rows, FEWEST_LOST if missed_record else FEWEST)
    picked = _picking_after(attempt, call.place) if use else None
    if use is None or picked is None:
        return None
    words_of = _cite_picking(attempt, *picked)
    name = max(names, key=lambda name: left[name] <= _DAYS and _DAY.search(words_of.quote) is not None)
    detail = f"calls '{call.name}' without '{name}', then picks among {len(rows)} records in its own words"
    detail += f" {LEFT_OUT} '{missed_record}'" if missed_record else ""
    return fired(attempt.cite(call.step, 0, 120), words_of, use, detail=detail, value=f"{call.name}.{name}")


def _left_out(attempt: Attempt, rows: list[dict[str, Any]]) -> str:
    """The record that an expected action names and no call of the attempt does, where it was among those listed."""
    missing = attempt.deviation if attempt.reference is not None else None
    if missing is None or missing.kind != MISSING or missing.expected is None:
        return ""
    changed_ids = {value for call in attempt.calls if call.changes for _, value in call.plain if isinstance(value, str)}
    expected_ids = {str(value) for _, value in leaves(missing.expected[1])}
    return min((record_ids(rows) & expected_ids) - changed_ids, default="")


def _dated(record: dict[str, object]) -> bool:
    """Whether a record carries a day, whatever its field is called."""
    return any(isinstance(value, str) and _DAY.match(value) for value in record.values())


def _changing(attempt: Attempt) -> list[tuple[int, Step, str]]:
    """The calls that change something, with their places and the text of their arguments."""
    return [(call.place, call.step, arguments_text(call.step.arguments)) for call in attempt.calls if call.changes]


def _used(attempt: Attempt, call: Call, rows: list[dict[str, Any]], fewest: int) -> Cite | None:
    """A later change, or else the answer, that uses some of the records but not all."""
    changing = attempt.once(_changing)
    texts = [(step, text) for place, step, text in changing if place > call.place]
    if not texts and attempt.final is not None:
        texts = [(attempt.final, attempt.final_text[:READ])]
    later_text = "\n".join([text for _, text in texts])
    ids = record_ids(rows) if later_text else set()
    if len(ids) < fewest:
        return None
    if not any(map(later_text.__contains__, ids)):  # as it nearly always is
        return None
    hit = {record_id for record_id in ids if record_id in later_text}
    if len(hit) == len(ids):
        return None
    step, text = next((step, text) for step, text in texts if any(record_id in text for record_id in hit))
    return attempt.cite_words(step, next(record_id for record_id in sorted(hit) if record_id in text))


def _searched_texts(_: Attempt) -> dict[int, re.Match[str] | None]:
    """Where the agent speaks of picking, by the places of its texts: each is looked at once, however many calls ask."""
    return {}


def _picking_after(attempt: Attempt, place: int) -> tuple[Step, re.Match[str]] | None:
    """The first words of picking after a place."""
    searched = attempt.once(_searched_texts)
    for at, step in attempt.spoken:
        if at > place:
            if at not in searched:
                searched[at] = _search(attempt, step)
            match = searched[at]
            if match:
                return step, match
    return None


def _search(attempt: Attempt, step: Step) -> re.Match[str] | None:
    if not attempt.holds(step, _HINTS) and not has_odd_letters(step.text):
        return None
    return _PICKS.search(step.text[:READ])


def _cite_picking(attempt: Attempt, step: Step, match: re.Match[str]) -> Cite:
    begin = step.text.rfind("\n", 0, match.start()) + 1
    return attempt.cite(step, max(begin, match.start() - 60), match.end() + 60)
