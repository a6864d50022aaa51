"""Who speaks in the transcripts under the role of the assistant, and whose messages does a program write?"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import RunCases
from blade.document import Block, Paragraph, Sentence, say
from blade.questions import judged
from blade.wording import amount, count, fact, listed

TITLE = "Who speaks as the assistant"
ORDER = 14
LEAST_ROLLOUTS = 0.5
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
        for name, (many, head, _) in names.items():
            messages[name] += many
            rollouts[name] += 1
            heads[name][head] += 1
    speakers = []
    for name, many in sorted(messages.items(), key=lambda pair: (-pair[1], pair[0])):
        head, often = heads[name].most_common(1)[0]
        fixed = head if often >= PROGRAM * rollouts[name] and len(told) > 1 else ""
        speakers.append({"name": name, "messages": many, "rollouts": rollouts[name], "begins": fixed, "often": often})
    return {"run": run.run.name, "rollouts": len(told), "of": len(rows), "speakers": speakers}


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
