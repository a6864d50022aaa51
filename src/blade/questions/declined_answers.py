"""Which final answers say that nothing was found or is known, after how many calls, and what do others pass there?"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import Any

from blade.change.config_diff import usual_prompt
from blade.diagnosis.answer_groups import Given, judged_answers
from blade.diagnosis.cases import Case, RunCases
from blade.document import Advice, Block, Bullets, Fact, Paragraph, Sentence, say
from blade.extract.declined import allows_declining
from blade.extract.own_claims import sentences
from blade.extract.text import clip
from blade.questions import SURE, disturbed_words, in_order, outcome_p, run_p, task_list
from blade.stats.rounding import WRITTEN, significant
from blade.wording import amount, count, fact, listed, printable

TITLE = "Answers that decline"
ORDER = 59
WEIGHT = 1.2
FEWEST, FEWEST_TASKS = 5, 3
HARDLY = 0.1
"""So many of them pass at most: where more do, declining is what the verifier asks for."""
WORTH = 0.03
MOST_LINES, LONGEST_LINE, MOST_WORDS = 2, 200, 4
LIKELY = 0.4
_PATH = ("investigation", "declined_answers")


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Answers that decline, by run; who does so at once, who tries other words, and what others pass at these tasks."""
    tasks = judged_answers(runs)
    keyed = [entry for task in tasks.values() for entry in task.rows if entry.key]
    rows = [entry for entry in keyed if not entry.case.in_dead_stretch]
    declined = [entry for entry in rows if entry.declines]
    passes = sum(bool(entry.case.passed) for entry in declined)
    if len(declined) < FEWEST or len({entry.case.key for entry in declined}) < FEWEST_TASKS:
        return None
    if passes > HARDLY * len(declined):
        return None
    having = {id(entry.case) for entry in declined}
    task_keys = {entry.case.key for entry in declined}
    stating_cases = [entry.case for entry in rows if entry.case.key in task_keys and id(entry.case) not in having]
    p = run_p([entry.case for entry in rows], having)
    words = Counter(_words(entry) for entry in declined)
    entries = [entry for run in runs if (entry := _run(run.run.name, rows, having))]
    leading_run = max(entries, key=lambda entry: entry["declined"] / entry["rollouts"])["run"] if p is not None else ""
    sure = p is not None and p <= SURE
    return {
        "declined": len(declined),
        "passes": passes,
        "failures": len(declined) - passes,
        "rollouts": len(rows),
        "disturbed": len(keyed) - len(rows),
        "words": [[word, times] for word, times in words.most_common(MOST_WORDS)],
        "tasks": in_order(entry.case.label for entry in declined),
        "of_tasks": len(task_keys),
        "others": len(stating_cases),
        "other_passes": sum(bool(case.passed) for case in stating_cases),
        "runs": entries,
        "most": leading_run if sure else "",
        "p": significant(p, WRITTEN) if p is not None and sure else None,
        "lines": _own_lines(leading_run, runs) if sure else [],
        "again": _again(rows, having),
    }


def _words(entry: Given) -> str:
    return clip(printable(entry.text or str(entry.seen.get("declined", ""))).rstrip("."), LONGEST_LINE).casefold()


def _run(run: str, rows: Sequence[Given], having: set[int]) -> dict[str, Any] | None:
    """What a run does: how often it declines, after how many calls, and how many it makes otherwise."""
    cases = [entry.case for entry in rows if entry.case.run == run]
    if not cases:
        return None
    declining_cases = [case for case in cases if id(case) in having]
    calls, other_calls = (
        [len(case.tools) for case in side]
        for side in (declining_cases, [case for case in cases if id(case) not in having])
    )
    return {
        "run": run,
        "declined": len(declining_cases),
        "rollouts": len(cases),
        "passes": sum(bool(case.passed) for case in declining_cases),
        "at_once": sum(number == 1 for number in calls),
        "calls": median(calls) if calls else None,
        "other_calls": median(other_calls) if other_calls else None,
    }


def _own_lines(name: str, runs: Sequence[RunCases]) -> list[str]:
    """The sentences of a run's prompt that no other prompt has and that let a rollout say that it found nothing."""
    prompts = {run.run.name: usual_prompt(run.run) for run in runs}
    other_prompts = [prompt for run, prompt in prompts.items() if run != name]
    if not all(prompts.values()):
        return []
    lines = [line.strip() for part in prompts[name].split("\n") for line in sentences(part)]
    lines = [line for line in lines if allows_declining(line) and not any(line in prompt for prompt in other_prompts)]
    return [clip(line, LONGEST_LINE) for line in dict.fromkeys(lines)][:MOST_LINES]


def _again(rows: Sequence[Given], having: set[int]) -> dict[str, Any] | None:
    """Who declines after one call against who makes a second one of the same tool with other arguments.

    At the tasks and with the tools after whose first call somebody declines.
    """
    at_once: defaultdict[str, list[Case]] = defaultdict(list)
    for entry in rows:
        if id(entry.case) in having and len(entry.case.tools) == 1:
            at_once[entry.case.tools[0]].append(entry.case)
    if not at_once:
        return None
    tool, ending = max(sorted(at_once.items()), key=lambda pair: len(pair[1]))
    task_keys = {case.key for case in ending}
    again = [entry.case for entry in rows if entry.case.key in task_keys and _asks_again(entry.case, tool)]
    if min(len(ending), len(again)) < FEWEST:
        return None
    p = outcome_p([*ending, *again], {id(case) for case in ending})
    return {
        "tool": tool,
        "at_once": len(ending),
        "at_once_passes": sum(bool(case.passed) for case in ending),
        "of_tasks": len(task_keys),
        "again": len(again),
        "again_passes": sum(bool(case.passed) for case in again),
        "p": None if p is None else significant(p, WRITTEN),
    }


def _asks_again(case: Case, tool: str) -> bool:
    """Whether the first two calls are of a tool, with other arguments."""
    first = case.observed.get("first_answers", ())[:2]
    return case.tools[:2] == (tool, tool) and len(first) == 2 and first[0][1] != first[1][1]


def tell(answer: Mapping[str, Any]) -> list[Block]:
    items = [Paragraph((_head(answer), *_passes_elsewhere(answer))), Paragraph(tuple(_runs(answer)))]
    if answer["again"]:
        items.append(Paragraph((_again_words(answer["again"]),)))
    return [Bullets(tuple(items))]


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """The run that does so most, its line, and what trying again passes."""
    if answer["declined"] < WORTH * answer["rollouts"]:
        return
    parts: list[str | Fact] = [*_head(answer).parts]
    if answer["most"]:
        parts += [part for sentence in (*_run_beyond_chance(answer), *_line(answer)) for part in (" ", *sentence.parts)]
    if answer["again"]:
        parts += [" ", *_again_words(answer["again"]).parts]
    yield Sentence(tuple(parts))


def _head(answer: Mapping[str, Any]) -> Sentence:
    words = listed([f"“{word}” {times:,}" for word, times in answer["words"]])
    return say(
        "{declined} of {rollouts}{disturbed} answer that nothing was found or is known ({words}), and {passes} of them "
        "{verb}.",
        declined=amount(answer["declined"], *_PATH, "declined"),
        rollouts=fact(count(answer["rollouts"], "judged rollout"), answer["rollouts"], *_PATH, "rollouts"),
        disturbed=disturbed_words(answer["disturbed"]),
        words=words,
        passes=fact(f"{answer['passes']:,}" if answer["passes"] else "none", answer["passes"], *_PATH, "passes"),
        verb="pass" if answer["passes"] > 1 else "passes",
    )


def _passes_elsewhere(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    if answer["others"]:
        yield say(
            "Of the {others} at the same {tasks} {passes} {verb} ({list}).",
            others=fact(count(answer["others"], "other rollout"), answer["others"], *_PATH, "others"),
            tasks=fact(count(answer["of_tasks"], "task"), answer["of_tasks"], *_PATH, "of_tasks"),
            passes=amount(answer["other_passes"], *_PATH, "other_passes"),
            verb="passes" if answer["other_passes"] == 1 else "pass",
            list=task_list(answer["tasks"]),
        )


def _runs(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """Per run how often, and after how many calls."""
    for place, entry in enumerate(answer["runs"]):
        path = (*_PATH, "runs", place)
        if not entry["declined"]:
            yield say(
                "{run}: none of {rollouts}.",
                run=entry["run"],
                rollouts=amount(entry["rollouts"], *path, "rollouts"),
            )
            continue
        calls = ""
        if entry["calls"] and entry["other_calls"] is not None:
            calls = ", after a median of {calls} (its other rollouts make {other_calls}), {at_once} after a single one"
        yield say(
            "{run}: {declined} of {rollouts}" + calls + ".",
            run=entry["run"],
            declined=amount(entry["declined"], *path, "declined"),
            rollouts=amount(entry["rollouts"], *path, "rollouts"),
            calls=fact(_calls(entry["calls"]), entry["calls"], *path, "calls") if calls else "",
            other_calls=fact(f"{entry['other_calls']:g}", entry["other_calls"], *path, "other_calls") if calls else "",
            at_once=amount(entry["at_once"], *path, "at_once"),
        )
    if answer["most"]:
        yield say(
            "{run} does so more often than the others, beyond chance (p = {p}, task by task).",
            run=answer["most"],
            p=fact(f"{answer['p']:.2g}", answer["p"], *_PATH, "p"),
        )
    yield from _line(answer)


def _calls(number: float) -> str:
    return f"{number:g} call" if number == 1 else f"{number:g} calls"


def _run_beyond_chance(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """The run that does so beyond chance, beside the others."""
    if not answer["most"]:
        return
    place, entry = next(pair for pair in enumerate(answer["runs"]) if pair[1]["run"] == answer["most"])
    path = (*_PATH, "runs", place)
    shares = [
        f"{run['run']} in {run['declined']:,} of {run['rollouts']:,}" for run in answer["runs"] if run is not entry
    ]
    yield say(
        "{run} does so in {declined} of {rollouts}{at_once}, {others} (p = {p}, task by task).",
        run=answer["most"],
        declined=amount(entry["declined"], *path, "declined"),
        rollouts=amount(entry["rollouts"], *path, "rollouts"),
        at_once=f" ({entry['at_once']:,} after a single call)" if entry["at_once"] else "",
        others=listed(shares),
        p=fact(f"{answer['p']:.2g}", answer["p"], *_PATH, "p"),
    )


def _line(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    if answer["lines"]:
        yield say(
            "Only the prompt of {run} says {lines}.",
            run=answer["most"],
            lines=listed([f"“{line.rstrip('.')}”" for line in answer["lines"]]),
        )


def _again_words(again: Mapping[str, Any]) -> Sentence:
    path = (*_PATH, "again")
    chance = "" if again["p"] is None else " (p = {p}, tasks of similar difficulty compared)"
    return say(
        "At the {tasks} where some rollout declines after one call of {tool}, {again_passes} of the {again} that call "
        "it a second time with other arguments {pass_}, and {passes} of the {at_once} that {decline} at once"
        + chance
        + ".",
        tasks=fact(count(again["of_tasks"], "task"), again["of_tasks"], *path, "of_tasks"),
        tool=again["tool"],
        again_passes=amount(again["again_passes"], *path, "again_passes"),
        again=amount(again["again"], *path, "again"),
        pass_="passes" if again["again_passes"] == 1 else "pass",
        passes=fact(
            f"{again['at_once_passes']:,}" if again["at_once_passes"] else "none",
            again["at_once_passes"],
            *path,
            "at_once_passes",
        ),
        at_once=amount(again["at_once"], *path, "at_once"),
        decline="declines" if again["at_once"] == 1 else "decline",
        p=fact(f"{again['p']:.2g}", again["p"], *path, "p") if again["p"] is not None else "",
    )


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """Have them look again, where that passes; a line that allows giving up goes first."""
    again = answer["again"]
    if not answer["lines"] and not (again and again["again_passes"] > HARDLY * again["again"]):
        return
    change = "Ask in the prompt for a second try with other words before a rollout may say that nothing was found"
    if answer["lines"]:
        line = answer["lines"][0].rstrip(".")
        change = f"Take “{line}” out of the prompt of {answer['most']}, or compare the runs with one prompt"
    yield Advice(
        "prompt",
        change,
        say(
            "{declined} of {rollouts} decline, and {passes} of them {verb}.",
            declined=amount(answer["declined"], *_PATH, "declined"),
            rollouts=fact(count(answer["rollouts"], "judged rollout"), answer["rollouts"], *_PATH, "rollouts"),
            passes=fact(f"{answer['passes']:,}" if answer["passes"] else "none", answer["passes"], *_PATH, "passes"),
            verb="pass" if answer["passes"] > 1 else "passes",
        ),
        answer["failures"],
        LIKELY,
    )
