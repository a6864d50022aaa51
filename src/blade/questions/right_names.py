"""Where many rollouts fail by a name that does not exist: which name stands in its place in answers that pass?"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Advice, Block, Bullets, Paragraph, Sentence, say
from blade.evidence import open_rows
from blade.extract.attempt import Attempt
from blade.extract.transcript import arguments_text
from blade.frozen import frozen
from blade.late_regex import late_regex
from blade.model import Source
from blade.questions import SURE, in_order, judged, task_list
from blade.stats.rounding import WRITTEN, significant
from blade.stats.strata import exact_p
from blade.wording import amount, count, fact

TITLE = "Names that do not exist, and those in their place"
ORDER = 59
WEIGHT = 1.3
RULE = "nonexistent_api"
FEWEST, FEWEST_TASKS = 5, 3
"""Failures by one name, and their tasks; as many passes that write another name."""
MOST_OPENED = 200
MOSTLY, SELDOM = 0.8, 0.2
"""Of the passes at the same tasks so many write the right name, and of the failures so few."""
LONGEST = 60_000
FOLLOWING = 1_000
"""Letters behind a wrong name in which an error may list the right ones."""
LIKELY = 0.7
"""That a failure would not fail by that name if the right one were known."""
_FORMS = (
    r"(?<![\w.])([A-Za-z_]\w*)(?:[\"']\s*:|\s*=(?!=))",
    r"\b([A-Za-z_]\w*)\s*\(",
    r"\.([A-Za-z_]\w*)",
)
"""Ways to write a name in code: as an argument or a key, as a call, as an attribute."""
_NAME = late_regex(r"[A-Za-z_]\w+")


@frozen
class _Written:
    """A judged rollout at one of the tasks: what its model writes, and what its verifier says."""

    case: Case
    code: str
    verdict: str


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Each wrong name of several failures with the one that passes write in its place, where there is just one."""
    failing: defaultdict[str, list[Case]] = defaultdict(list)
    for case in (case for run in runs for case in judged(run)):
        if not case.passed and (sighting := case.fired().get(RULE)) is not None and sighting.value:
            failing[str(sighting.value)].append(case)
    entries = []
    for wrong, cases in sorted(failing.items(), key=lambda pair: (-len(pair[1]), pair[0])):
        keys = {case.key for case in cases}
        if len(cases) >= FEWEST and len(keys) >= FEWEST_TASKS and (entry := _replaced(wrong, _at_tasks(runs, keys))):
            entries.append(entry)
    return {"names": entries} if entries else None


def _at_tasks(runs: Sequence[RunCases], keys: set[str]) -> list[_Written]:
    """What the judged rollouts at these tasks write."""
    cases = {Source(*case.place): case for run in runs for case in judged(run) if case.key in keys}
    written = []
    for source, row in open_rows(list(cases)[:MOST_OPENED]):
        attempt = Attempt(row)
        code = "\n".join([attempt.final_text, *(arguments_text(call.step.arguments) for call in attempt.calls)])
        verdict = "\n".join(text for _, text, _ in attempt.texts())
        written.append(_Written(cases[source], code[:LONGEST], verdict[:LONGEST]))
    return written


def _replaced(wrong: str, rows: Sequence[_Written]) -> dict[str, Any] | None:
    form = max(_FORMS, key=lambda form: sum(wrong in re.findall(form, row.code) for row in rows))
    names = {id(row): set(re.findall(form, row.code)) for row in rows}
    with_it = [row for row in rows if wrong in names[id(row)]]
    passes = [row for row in rows if row.case.passed and wrong not in names[id(row)]]
    if len(passes) < FEWEST or len(with_it) < FEWEST:
        return None
    in_passes = Counter(name for row in passes for name in names[id(row)])
    in_wrong = Counter(name for row in with_it for name in names[id(row)])
    right = [
        name
        for name, many in in_passes.items()
        if many >= MOSTLY * len(passes) and in_wrong[name] <= SELDOM * len(with_it)
    ]
    listed_names = {name for row in with_it for name in _listed(wrong, row.verdict)}
    right = [name for name in right if name in listed_names] or right
    if len(right) != 1:
        return None
    having = [row for row in rows if right[0] in names[id(row)]]
    counts = [sum(bool(row.case.passed) for row in some) for some in (with_it, having)]
    rest = [row for row in rows if wrong not in names[id(row)]]
    rest_passes = sum(bool(row.case.passed) for row in rest)
    p = exact_p([(counts[0], len(with_it) - counts[0], rest_passes, len(rest) - rest_passes)])
    if p is None or p > SURE:
        return None
    return {
        "wrong": wrong,
        "right": right[0],
        "listed": right[0] in listed_names,
        "with_wrong": len(with_it),
        "wrong_passes": counts[0],
        "with_right": len(having),
        "right_passes": counts[1],
        "runs": dict(Counter(row.case.run for row in with_it)),
        "tasks": in_order(row.case.label for row in with_it),
        "p": significant(p, WRITTEN),
    }


def _listed(wrong: str, verdict: str) -> list[str]:
    """Names that an error lists behind the wrong one."""
    at = verdict.find(wrong)
    return _NAME.findall(verdict[at : at + FOLLOWING]) if at >= 0 else []


def tell(answer: Mapping[str, Any]) -> list[Block]:
    return [Bullets(tuple(Paragraph((_words(place, entry),)) for place, entry in enumerate(answer["names"])))]


def _words(place: int, entry: Mapping[str, Any]) -> Sentence:
    path = (*_AT, "names", place)
    runs = [f"{run} {many:,}" for run, many in entry["runs"].items()]
    return say(
        "“{wrong}” does not exist, and {with_wrong} write it, {wrong_passes} of which {pass_word} ({tasks}{runs}); at "
        "these tasks {with_right} write “{right}” in its place, and {right_passes} of them pass (exact test p = {p})"
        + (". The error lists “{right}” among the names that exist." if entry["listed"] else "."),
        wrong=entry["wrong"],
        right=entry["right"],
        with_wrong=fact(count(entry["with_wrong"], "rollout"), entry["with_wrong"], *path, "with_wrong"),
        wrong_passes=amount(entry["wrong_passes"], *path, "wrong_passes"),
        pass_word="passes" if entry["wrong_passes"] == 1 else "pass",
        with_right=fact(count(entry["with_right"], "rollout"), entry["with_right"], *path, "with_right"),
        right_passes=amount(entry["right_passes"], *path, "right_passes"),
        tasks=task_list(entry["tasks"]),
        runs=f"; {', '.join(runs)}" if len(runs) > 1 else "",
        p=fact(f"{entry['p']:.2g}", entry["p"], *path, "p"),
    )


_AT = ("investigation", "right_names")


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """The wrong name of the most failures."""
    yield _words(0, answer["names"][0])


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """Tell the model the name that exists."""
    for entry in answer["names"]:
        failures = entry["with_wrong"] - entry["wrong_passes"]
        yield Advice(
            "prompt",
            f"Say in the prompt, or in the documentation that it holds, that the name is “{entry['right']}” and not "
            f"“{entry['wrong']}”",
            say("{failures} write the name that does not exist.", failures=count(failures, "failure")),
            failures,
            LIKELY,
        )
