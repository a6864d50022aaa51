"""What does a judge that gives reasons say of the failures?"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import RunCases
from blade.diagnosis.judge_reasons import LONGEST_QUOTE, JudgeReason, are_reasons, judge_reasons, sentences_of
from blade.document import Block, Bullets, Paragraph, say
from blade.extract.text import clip
from blade.late_regex import late_regex
from blade.questions import in_order
from blade.wording import amount

TITLE = "What the judge says of failures"
ORDER = 80
MOST_SHOWN = 6
FEWEST_WORDS = 5
_FAULT = late_regex(
    r"\b(?:missing|omit\w*|omissions?|lacks?|lacking|incorrect\w*|wrong\w*|absent|instead of|fails? to|"
    r"(?:does not|doesn['’]t|did not|didn['’]t) (?:\w+ )?(?:include|mention|address|provide|specify|contain|match))\b",
    re.IGNORECASE,
)
"""Words that name a fault; others of `_ADVERSE` may only weigh it."""
_ADVERSE = late_regex(
    r"\b(?:not|n['’]t|no|incomplete|fails?|errors?|differs?|however|only)\b",
    re.IGNORECASE,
)
_VERDICT = late_regex(r"\W*(?:\w+ )?(?:score|grade|verdict|rating|result|label)\W", re.IGNORECASE)


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Failures with the last words of a fault that their judge says, one for each task."""
    failures = {
        reason.case.key: (reason, words)
        for run in runs
        for reason in judge_reasons(run)
        if not reason.full and (words := _last_fault(reason.text))
    }
    if not failures or not are_reasons(words for _, words in failures.values()):
        return None
    by_label = {reason.case.label: _entry(reason, words) for reason, words in failures.values()}
    labels = in_order(by_label)
    return {"tasks": len(labels), "shown": [by_label[label] for label in labels[:MOST_SHOWN]]}


def _entry(reason: JudgeReason, words: str) -> dict[str, Any]:
    case = reason.case
    return {"run": case.run, "task": case.label, "attempt": case.attempt, "says": words}


def _last_fault(text: str) -> str:
    """The last sentence that names a fault; the last of all where none does. A line with the grade alone is none."""
    sentences = [words for words in sentences_of(text) if len(words.split()) >= FEWEST_WORDS]
    sentences = [words for words in sentences if not _VERDICT.match(words)]
    faults, adverse = ([words for words in sentences if pattern.search(words)] for pattern in (_FAULT, _ADVERSE))
    return clip((faults or adverse or sentences or [""])[-1], LONGEST_QUOTE)


def tell(answer: Mapping[str, Any]) -> list[Block]:
    head = say(
        "The judge gives reasons; its last words of a fault in {shown} of {tasks} failing tasks:",
        shown=str(len(answer["shown"])),
        tasks=amount(answer["tasks"], "investigation", "said_of_failures", "tasks"),
    )
    items = [
        Paragraph((say("{task} ({run}): “{says}”", task=entry["task"], run=entry["run"], says=entry["says"]),))
        for entry in answer["shown"]
    ]
    return [Paragraph((head,)), Bullets(tuple(items))]
