"""Are answers denied for what they leave out, and does the prompt ask for short ones?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import RunCases
from blade.diagnosis.judge_reasons import LONGEST_QUOTE, judge_reasons
from blade.document import Advice, Block, Bullets, Paragraph, Sentence, say
from blade.extract.text import clip, squeeze
from blade.late_regex import late_regex
from blade.questions import SURE, in_order, task_list
from blade.stats.rounding import WRITTEN, significant
from blade.stats.strata import exact_p
from blade.wording import amount, count, fact

TITLE = "Answers denied for what they leave out"
ORDER = 79
FEWEST = 4
MOSTLY = 0.5
_OMITS = late_regex(
    r"(?<!no )(?<!any )(?<!without )(?<!nothing )(?<!nor )(?<!not )\b(?:omits|omitted|omitting|omissions? of|missing|"
    r"lacks|lacking|incomplete|leaves out|fails to (?:include|mention|address|specify|provide)|"
    r"(?:does not|doesn't|did not|not) (?:\w+ )?(?:include|mention|address|contain|specify|cover)\b)",
    re.IGNORECASE,
)
_OF_THE_KEY = late_regex(
    r"\b(?:expert|reference|expected|gold|key|criteri\w+|rubric|ground truth)(?:['’]s)?"
    r"(?: (?:answer|response|solution|text|one))?\s*$",
    re.IGNORECASE,
)
"""Who is said to leave something out, where it is not the answer that was given."""


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Per run: failures and passes whose verdict finds something left out, where that tells them apart."""
    entries = [entry for run in runs if (entry := _of_run(run)) is not None]
    return {"runs": entries} if entries else None


def _omission(reason: str) -> re.Match[str] | None:
    """Where a reason says that the answer leaves something out; what the key leaves out is no fault of it."""
    matches = _OMITS.finditer(reason)
    return next((match for match in matches if not _OF_THE_KEY.search(reason[: match.start()])), None)


def _of_run(run: RunCases) -> dict[str, Any] | None:
    records = judge_reasons(run)
    reasons = {id(reason.case): reason for reason in records}
    failed, passed = ([reason.case for reason in records if reason.full is outcome] for outcome in (False, True))
    if len(failed) < FEWEST:
        return None
    hit = [case for case in failed if _omission(reasons[id(case)].text)]
    beside = sum(_omission(reasons[id(case)].text) is not None for case in passed)
    if len(hit) < max(FEWEST, MOSTLY * len(failed)):
        return None
    p = exact_p([(len(hit), len(failed) - len(hit), beside, len(passed) - beside)])
    if p is None or p > SURE:
        return None
    first = hit[0]
    short = [case for case in hit if reasons[id(case)].asks]
    return {
        "run": run.run.name,
        "hit": len(hit),
        "failures": len(failed),
        "beside": beside,
        "passes": len(passed),
        "p": significant(p, WRITTEN),
        "tasks": in_order({case.label for case in hit}),
        "quote": _quote(reasons[id(first)].text),
        "task": first.label,
        "short": len(short),
        "asks": reasons[id(short[0])].asks if 2 * len(short) > len(hit) else "",
    }


def _quote(reason: str) -> str:
    """The sentence that says what is left out."""
    match = _omission(reason)
    if match is None:
        return ""
    begin = max(reason.rfind(mark, 0, match.start()) for mark in (". ", "\n", "- "))
    return clip(squeeze(reason[begin + 1 : match.end() + LONGEST_QUOTE].split("\n", maxsplit=1)[0]), LONGEST_QUOTE)


def tell(answer: Mapping[str, Any]) -> list[Block]:
    return [Bullets(tuple(Paragraph(tuple(_words(place, entry))) for place, entry in enumerate(answer["runs"])))]


def _words(place: int, entry: Mapping[str, Any]) -> Iterator[Sentence]:
    at = ("investigation", "left_out", "runs", place)
    yield say(
        "{run}: the reason of the verdict finds something left out in {hit} of {failures} and in {beside} of {passes} "
        "(exact test p = {p}): {tasks}.",
        run=entry["run"],
        hit=amount(entry["hit"], *at, "hit"),
        failures=fact(count(entry["failures"], "failure"), entry["failures"], *at, "failures"),
        beside=amount(entry["beside"], *at, "beside"),
        passes=fact(count(entry["passes"], "pass", "passes"), entry["passes"], *at, "passes"),
        p=f"{entry['p']:.2g}",
        tasks=task_list(entry["tasks"]),
    )
    if entry["quote"]:
        yield say("Of {task} it says: “{quote}”.", task=entry["task"], quote=entry["quote"].strip(" .-"))
    if entry["asks"]:
        text = "The prompt asks for brevity (“{asks}”), the verdict rests on all that is expected."
        yield say(text, asks=entry["asks"])


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """Let prompt and verifier ask for the same where one wants it short and the other complete."""
    entries = [entry for entry in answer["runs"] if entry["asks"]]
    rollouts = sum(entry["hit"] for entry in entries)
    if rollouts:
        yield Advice(
            "prompt",
            "Let prompt and verifier ask for the same: drop the wish for a short answer, or accept one that names the "
            "main point",
            say("{many} denied for what the answer leaves out.", many=count(rollouts, "failure is", "failures are")),
            rollouts,
            MOSTLY,
        )


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """The first run, and what its prompt asks for."""
    sentences = list(_words(0, answer["runs"][0]))
    yield sentences[0]
    if answer["runs"][0]["asks"]:
        yield sentences[-1]
