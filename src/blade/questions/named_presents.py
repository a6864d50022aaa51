"""Does the model take another year for the present than that in which the rollout was made, and does that cost it?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from blade.change.config_diff import usual_prompt
from blade.diagnosis.cases import Case, RunCases
from blade.document import Advice, Block, Paragraph, Sentence, say
from blade.extract.text import clip
from blade.late_regex import late_regex
from blade.questions import SURE, counted_with_passes, in_order, outcome_p, pass_rate, task_list, undisturbed
from blade.stats.rounding import WRITTEN, significant
from blade.wording import amount, count, fact, listed, printable

TITLE = "The year that the model takes for the present"
ORDER = 41
WEIGHT = 1.3
FEWEST, FEWEST_TASKS = 4, 3
APART = 0.3
LONGEST = 80
LIKELY = 0.6
_DATE = late_regex(r"(?i)\b(?:today|current (?:date|year|time)|date)\b[^\n]{0,40}\b20\d\d\b")
_PATH = ("investigation", "named_presents")


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Rollouts that name another year than their own as the present, against all others at these tasks."""
    years = {id(case): year for run in runs for case, year in _made_in(run)}
    cases = [case for run in runs for case in undisturbed(run) if id(case) in years]
    naming = [case for case in cases if "present" in case.observed]
    stale = [case for case in naming if _is_stale(case, years[id(case)])]
    keys, ids = {case.key for case in stale}, {id(case) for case in stale}
    right = [case for case in naming if case.key in keys and case.observed["present"][0] == years[id(case)]]
    lacking = [case for case in cases if case.key in keys and "present" not in case.observed]
    against = right if len(right) >= FEWEST else lacking
    if len(stale) < FEWEST or len(keys) < FEWEST_TASKS or not against:
        return None
    rows = [*stale, *against]
    p = outcome_p(rows, ids, [case.key for case in rows])
    if p is None or p > SURE or pass_rate(against) - pass_rate(stale) < APART:
        return None
    example = next((case for case in stale if not case.passed), stale[0])
    lines = {run.run.name: _date_line(run) for run in runs}
    return {
        **counted_with_passes("stale", stale),
        **counted_with_passes("right", right),
        **counted_with_passes("lacking", lacking),
        "named": sorted(Counter(case.observed["present"][0] for case in stale).items()),
        "made_in": sorted({years[id(case)] for case in stale}),
        "tasks": in_order(case.label for case in stale),
        "runs": [
            {
                "run": run.run.name,
                **counted_with_passes("stale", [case for case in stale if case.run == run.run.name]),
                **counted_with_passes("right", [case for case in right if case.run == run.run.name]),
                **counted_with_passes("lacking", [case for case in lacking if case.run == run.run.name]),
                "date": lines[run.run.name],
            }
            for run in runs
        ],
        "prompts": all(usual_prompt(run.run) for run in runs),
        "p": significant(p, WRITTEN),
        "words": printable(clip(str(example.observed["present"][2]), LONGEST)),
        "place": f"{example.run}, task {example.label}, attempt {example.attempt}, "
        f"item {example.observed['present'][1]}",
    }


def _is_stale(case: Case, year: int) -> bool:
    """Whether it is another year, and not one that its prompt names: a task may have a present of its own."""
    named, _, _, is_told = case.observed["present"]
    return bool(named != year and not is_told)


def _made_in(run: RunCases) -> Iterator[tuple[Case, int]]:
    """The rollouts that bear a time, each with its year."""
    for case, seconds in zip(run.cases, run.run.graded["created_at"].to_list(), strict=True):
        if seconds:
            yield case, datetime.fromtimestamp(seconds, tz=UTC).year


def _date_line(run: RunCases) -> str:
    """What the prompt of a run says of the date; empty where it says nothing."""
    match = _DATE.search(usual_prompt(run.run) or "")
    return printable(clip(" ".join(match[0].split()), LONGEST)) if match else ""


def tell(answer: Mapping[str, Any]) -> list[Block]:
    return [Paragraph(tuple(_sentences(answer)))]


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    first, *details = _sentences(answer)
    yield Sentence((*first.parts, *(part for sentence in details[:1] for part in (" ", *sentence.parts))))


def _sentences(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    yield say(
        "In {stale} of {tasks} ({names}) the model takes {years} for the present, though they were made in {made_in}: "
        "{passes} of them {verb}, {right_passes} of the {right} that take the right year, and {lacking_passes} of the "
        "{lacking} others at these tasks, which name none (exact test within tasks: p = {p}).",
        stale=fact(count(answer["stale"], "rollout"), answer["stale"], *_PATH, "stale"),
        tasks=fact(count(len(answer["tasks"]), "task"), len(answer["tasks"]), *_PATH, "tasks"),
        names=task_list(answer["tasks"]),
        years=listed([f"{year} ({rollouts:,})" for year, rollouts in answer["named"]]),
        made_in=listed([str(year) for year in answer["made_in"]]),
        passes=fact(
            f"{answer['stale_passes']:,}" if answer["stale_passes"] else "none",
            answer["stale_passes"],
            *_PATH,
            "stale_passes",
        ),
        verb="pass" if answer["stale_passes"] > 1 else "passes",
        right_passes=amount(answer["right_passes"], *_PATH, "right_passes"),
        right=amount(answer["right"], *_PATH, "right"),
        lacking_passes=amount(answer["lacking_passes"], *_PATH, "lacking_passes"),
        lacking=amount(answer["lacking"], *_PATH, "lacking"),
        p=fact(f"{answer['p']:.2g}", answer["p"], *_PATH, "p"),
    )
    if answer["prompts"] and (prompt := _prompt_words(answer["runs"])) is not None:
        yield prompt
    shares = [
        f"{run['run']} {run['stale']:,}, {run['right']:,} and {run['lacking_passes']:,} of {run['lacking']:,}"
        for run in answer["runs"]
    ]
    yield say(
        "By run, rollouts with another year, with the right one, and passes of the others: {shares}.",
        shares="; ".join(shares),
    )
    yield say("For instance the model says “{words}” ({place}).", words=answer["words"], place=answer["place"])


def _prompt_words(runs: Sequence[Mapping[str, Any]]) -> Sentence | None:
    """Which prompts say what day it is; None where all do."""
    dated, undated = ([run for run in runs if bool(run["date"]) is has] for has in (True, False))
    if not undated:
        return None
    if not dated:
        return say("No prompt says what day it is.")
    return say(
        "The prompt of {dated} says what day it is (“{line}”), that of {undated} does not.",
        dated=listed([run["run"] for run in dated]),
        line=dated[0]["date"],
        undated=listed([run["run"] for run in undated]),
    )


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """The prompt has to say what day it is, or the tools."""
    failures = answer["stale"] - answer["stale_passes"]
    if answer["prompts"] and all(run["date"] for run in answer["runs"] if run["stale"]):
        return
    yield Advice(
        "prompt",
        f"Say in every prompt what day it is: answers of tasks such as {task_list(answer['tasks'], 3)} depend on it",
        say(
            "{failures} take another year for the present.",
            failures=fact(count(failures, "failure"), answer["stale_passes"], *_PATH, "stale_passes"),
        ),
        failures,
        LIKELY,
    )
