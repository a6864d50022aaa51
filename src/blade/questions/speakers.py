"""Who speaks in the transcripts under the role of the assistant, and whose messages does a program write?"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Block, Paragraph, Sentence, say
from blade.questions import judged
from blade.wording import amount, count, fact, listed

TITLE = "Who speaks as the assistant"
ORDER = 14
LEAST_ROLLOUTS = 0.5
FEWEST = 5
NEAR = 0.05
"""So near are two shares that nothing tells them apart."""
PROGRAM = 0.9
"""A first line that so many of a speaker's rollouts have, figures masked, is a program's or a fixed notice."""


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Runs in which most rollouts have several named speakers: their messages, rollouts and fixed first lines."""
    found = [entry for run in runs if (entry := _run(run)) is not None]
    return {"runs": found} if found else None


def _run(run: RunCases) -> dict[str, Any] | None:
    rows = judged(run)
    told = [case.observed["speakers"] for case in rows if case.observed.get("speakers")]
    if not told or len(told) < LEAST_ROLLOUTS * len(rows):
        return None
    messages: Counter[str] = Counter()
    rollouts: Counter[str] = Counter()
    heads: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for names in told:
        for name, (many, head, *_) in names.items():
            messages[name] += many
            rollouts[name] += 1
            heads[name][head] += 1
    speakers = []
    for name, many in sorted(messages.items(), key=lambda pair: (-pair[1], pair[0])):
        head, often = heads[name].most_common(1)[0]
        fixed = head if often >= PROGRAM * rollouts[name] and len(told) > 1 else ""
        speakers.append({"name": name, "messages": many, "rollouts": rollouts[name], "begins": fixed, "often": often})
    return {
        "run": run.run.name,
        "rollouts": len(told),
        "of": len(rows),
        "speakers": speakers,
        "marks": [entry for name in messages for entry in _marks(name, rows)],
    }


def _marks(name: str, rows: Sequence[Case]) -> Iterator[dict[str, Any]]:
    """The word in capitals that most last messages of a speaker hold, by outcome of the rollout."""
    last_marks = [(bool(case.passed), speaker[name][3]) for case in rows if name in (speaker := _speakers(case))]
    counts = Counter(mark for _, marks in last_marks for mark in marks)
    mark, often = counts.most_common(1)[0] if counts else ("", 0)
    failures, passes = ([marks for passed, marks in last_marks if passed is outcome] for outcome in (False, True))
    if often > LEAST_ROLLOUTS * len(last_marks) and min(len(failures), len(passes)) >= FEWEST:
        yield {
            "speaker": name,
            "mark": mark,
            "failures": sum(mark in marks for marks in failures),
            "of_failures": len(failures),
            "passes": sum(mark in marks for marks in passes),
            "of_passes": len(passes),
        }


def _speakers(case: Case) -> Mapping[str, Any]:
    return case.observed.get("speakers") or {}


def tell(answer: Mapping[str, Any]) -> list[Block]:
    return [Paragraph(tuple(_told(place, entry))) for place, entry in enumerate(answer["runs"])]


def _told(place: int, entry: Mapping[str, Any]) -> Iterator[Sentence]:
    at = ("investigation", "speakers", "runs", place)
    names = [f"{each['name']} ({count(each['messages'], 'message')})" for each in entry["speakers"]]
    yield say(
        "In {rollouts} of {of} of {run} several speakers write as the assistant: {names}. What this report calls the "
        "model is all of them together.",
        run=entry["run"],
        rollouts=amount(entry["rollouts"], *at, "rollouts"),
        of=fact(count(entry["of"], "judged rollout"), entry["of"], *at, "of"),
        names=listed(names),
    )
    fixed = [
        f"{each['name']} begins “{each['begins']}” in {each['often']:,} of {count(each['rollouts'], 'rollout')}"
        for each in entry["speakers"]
        if each["begins"]
    ]
    if fixed:
        yield say("Fixed texts, as a program writes them: {fixed}.", fixed=listed(fixed))
    for number, mark in enumerate(entry["marks"]):
        yield _told_mark((*at, "marks", number), mark)


def _told_mark(at: tuple[str | int, ...], mark: Mapping[str, Any]) -> Sentence:
    apart = abs(mark["failures"] / mark["of_failures"] - mark["passes"] / mark["of_passes"])
    return say(
        "The last message of {speaker} says “{mark}” in {failures} of {of_failures} and {passes} of {of_passes}"
        + (": it does not tell them apart." if apart <= NEAR else "."),
        speaker=mark["speaker"],
        mark=mark["mark"],
        failures=amount(mark["failures"], *at, "failures"),
        of_failures=fact(count(mark["of_failures"], "failure"), mark["of_failures"], *at, "of_failures"),
        passes=amount(mark["passes"], *at, "passes"),
        of_passes=fact(count(mark["of_passes"], "pass", "passes"), mark["of_passes"], *at, "of_passes"),
    )
