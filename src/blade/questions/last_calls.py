"""On which last call, the same word for word, do many tasks end that fail, and is the work handed in at all?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from statistics import median_low
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Advice, Block, Bullets, Paragraph, Sentence, say
from blade.evidence import open_rows
from blade.extract.attempt import Attempt
from blade.extract.calls import changing_name
from blade.extract.text import squeeze
from blade.model import Source
from blade.questions import SURE, in_order, judged, shared_last_calls, task_list
from blade.signatures import common_words, quoted, template
from blade.stats.rounding import WRITTEN, significant
from blade.stats.strata import exact_p
from blade.wording import amount, count, fact, listed, percent

TITLE = "Last calls shared by many tasks"
ORDER = 26
WEIGHT = 1.3
FEWEST_TASKS = 5
MOST = 4
MUCH = 0.25
BRIEF = 0.2
"""So much of a run's failures makes a last call one for the first screen."""
SELDOM = 0.3
MOST_NAMED = 5
ALWAYS = 0.9
MOST_OPENED = 60
FEWEST_PRECEDED, PRECEDED = 3, 1 / 3
"""So many rollouts, and so much of those that end alike, make the answer before the end one to be told."""
LONGEST_ANSWER = 160


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Last calls with equal arguments in different tasks of a run, more common in failures than in passes."""
    found = [_entry(*shared) for shared in shared_last_calls(runs)]
    found.sort(key=lambda entry: (-entry["failures"], entry["run"], entry["arguments"]))
    by_name = {run.run.name: judged(run) for run in runs}
    for shared in found:
        shared["preceded"] = _preceded([case for case in by_name[shared["run"]] if _closes_with(case, shared)])
        shared["elsewhere"] = list(_elsewhere(runs, shared))
    handed_in = [entry for run in runs if (entry := _handed_in(run.run.name, judged(run))) is not None]
    if not found and not handed_in:
        return None
    return {"calls": found[:MOST], "left_out": len(found[MOST:]), "handed_in": handed_in}


def _handed_in(run: str, cases: Sequence[Case]) -> dict[str, Any] | None:
    """Where passes hand in their work with a call: how many failures end without one."""
    calling = [case for case in cases if case.observed.get("calls")]
    ending = [case for case in calling if case.observed.get("submitted")]
    passes, every = _passes(ending), _passes(calling)
    open_ends = [case for case in calling if not case.passed and not case.observed.get("submitted")]
    without = in_order({case.label for case in open_ends})
    failures = len(calling) - every
    if every < FEWEST_TASKS or passes < ALWAYS * every or len(without) < max(FEWEST_TASKS, MUCH * failures):
        return None
    p = exact_p([(passes, len(ending) - passes, every - passes, failures - len(ending) + passes)])
    if p is None or p > SURE:
        return None
    return {
        "run": run,
        "passes": passes,
        "of_passes": every,
        "failures": len(ending) - passes,
        "of_failures": failures,
        "never": sum(not case.observed.get("submitted_before") for case in open_ends),
        "before": sum(bool(case.observed.get("submitted_before")) for case in open_ends),
        "tasks": without,
        "p": significant(p, WRITTEN),
    }


def _elsewhere(runs: Sequence[RunCases], entry: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The other runs that end some rollouts with this call, however rarely."""
    for run in runs:
        having = [case for case in judged(run) if run.run.name != entry["run"] and _closes_with(case, entry)]
        if having:
            yield {"run": run.run.name, "rollouts": len(having), "passes": _passes(having)}


def _closes_with(case: Case, entry: Mapping[str, Any]) -> bool:
    closing: Sequence[Any] = case.observed.get("closing") or ()
    return list(closing[:2]) == [entry["tool"], entry["arguments"]]


def _preceded(cases: Sequence[Case]) -> dict[str, Any] | None:
    """What tools answer most often to the call before the last one, where that is short and many get it."""
    answers: dict[str, list[str]] = {}
    opened = [Source(*case.place) for case in cases[:MOST_OPENED]]
    for _, row in open_rows(opened):
        calls = Attempt(row).calls
        before = calls[-2].answer if len(calls) > 1 else None
        line = squeeze(before.text) if before is not None else ""
        if line and len(line) <= LONGEST_ANSWER:
            answers.setdefault(template(line), []).append(line)
    lines = max(answers.values(), key=len, default=[])
    if len(lines) < max(FEWEST_PRECEDED, PRECEDED * len(opened)):
        return None
    return {"words": common_words(lines), "quote": lines[0], "rollouts": len(lines), "of": len(opened)}


def _passes(cases: Sequence[Case]) -> int:
    return sum(bool(case.passed) for case in cases)


def _entry(run: str, having: Sequence[Case], rows: Sequence[Case], p: float) -> dict[str, Any]:
    tool, arguments, _ = having[0].observed["closing"]
    answer, many = Counter(case.observed["closing"][2] for case in having).most_common(1)[0]
    passes, every = _passes(having), _passes(rows)
    return {
        "run": run,
        "tool": tool,
        "arguments": arguments,
        "answer": answer if many >= ALWAYS * len(having) else None,
        "failures": len(having) - passes,
        "of_failures": len(rows) - every,
        "passes": passes,
        "of_passes": every,
        "before": median_low(case.observed["calls"][1] - 1 for case in having),
        "tasks": in_order(case.label for case in having),
        "p": significant(p, WRITTEN),
    }


def tell(answer: Mapping[str, Any]) -> list[Block]:
    items = [Paragraph((_ends_open(place, entry),)) for place, entry in enumerate(answer["handed_in"])]
    items += [Paragraph(tuple(_sentences(place, entry))) for place, entry in enumerate(answer["calls"])]
    blocks: list[Block] = [Bullets(tuple(items))]
    if answer["left_out"]:
        words = count(answer["left_out"], "more such call is", "more such calls are")
        blocks.append(Paragraph((say("{more} left out.", more=fact(words, answer["left_out"], *_AT, "left_out")),)))
    return blocks


def _ends_open(place: int, entry: Mapping[str, Any]) -> Sentence:
    path = (*_AT, "handed_in", place)
    parts = {"never": "{never} with no such call at all", "before": "{before} with an earlier one only"}
    shown = " and ".join(words for name, words in parts.items() if entry[name])
    return say(
        "{run}: {passes} of {all_passes} hand in or finish their work with one of their last two calls, and {failures} "
        "of {all_failures} (exact test p = {p}): the other failures end without that, " + shown + " ({tasks}).",
        run=entry["run"],
        never=amount(entry["never"], *path, "never"),
        before=amount(entry["before"], *path, "before"),
        passes=amount(entry["passes"], *path, "passes"),
        all_passes=fact(count(entry["of_passes"], "pass", "passes"), entry["of_passes"], *path, "of_passes"),
        failures=amount(entry["failures"], *path, "failures"),
        all_failures=fact(count(entry["of_failures"], "failure"), entry["of_failures"], *path, "of_failures"),
        p=fact(f"{entry['p']:.2g}", entry["p"], *path, "p"),
        tasks=task_list(entry["tasks"]),
    )


def _sentences(place: int, entry: Mapping[str, Any]) -> Iterator[Sentence]:
    path = (*_AT, "calls", place)
    yield say(
        "{failures} of {all_failures} of {run} and {passes} of {all_passes} end with the same last call, {tool} "
        "with {arguments}, in {tasks} (exact test p = {p}).",
        **_numbers(place, entry),
        tasks=fact(count(len(entry["tasks"]), "different task"), entry["tasks"], *path, "tasks"),
        p=fact(f"{entry['p']:.2g}", entry["p"], *path, "p"),
    )
    said = (
        ""
        if entry["answer"] is None
        else " Its answer is empty."
        if not entry["answer"]
        else " Its answer is “{answer}”."
    )
    meaning = (
        "The same change in so many different tasks is hardly what each of them asks for"
        if changing_name(entry["tool"])
        else "Where no task asks for just these words, the model gives up there, or another party ends the rollout, "
        "and what was done until then is judged"
    )
    yield say(
        "Median number of calls before it: {before}." + said + f" {meaning} ({{tasks}}).",
        before=fact(count(entry["before"], "call"), entry["before"], *path, "before"),
        answer=entry["answer"] or "",
        tasks=task_list(entry["tasks"]),
    )
    if before := entry["preceded"]:
        yield say(
            "In {rollouts} of {of} of them the answer before it is {words}.",
            rollouts=amount(before["rollouts"], *path, "preceded", "rollouts"),
            of=amount(before["of"], *path, "preceded", "of"),
            words=quoted(before["words"], before["quote"]),
        )
    others = entry["of_failures"] + entry["of_passes"] - entry["failures"] - entry["passes"]
    if others:
        passing = entry["of_passes"] - entry["passes"]
        yield say(
            "Of the {others} of {run} that {end} otherwise {passing} {pass_} ({rate}).",
            others=count(others, "rollout"),
            end="ends" if others == 1 else "end",
            run=entry["run"],
            passing=f"{passing:,}",
            pass_="passes" if passing == 1 else "pass",
            rate=percent(passing / others),
        )
    if entry["elsewhere"]:
        runs = [f"{other['run']} {other['rollouts']:,} ({_none(other['passes'])})" for other in entry["elsewhere"]]
        yield say("Rollouts of other runs that end with it: {runs}.", runs=listed(runs))


def _none(passes: int) -> str:
    return "none passes" if not passes else count(passes, "passes", "pass")


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """The last call that ends a good part of a run's failures."""
    for place, entry in enumerate(answer["calls"][:1]):
        if entry["failures"] >= BRIEF * entry["of_failures"]:
            end = "the model gives up there, or another party ends the rollout."
            yield say(
                "{failures} of {all_failures} of {run} and {passes} of {all_passes} end with the same last call, "
                "{tool} with {arguments}{after}" + ("." if changing_name(entry["tool"]) else f": {end}"),
                **_numbers(place, entry),
                after=_after(entry["preceded"]),
            )


def _after(before: Mapping[str, Any] | None) -> str:
    return f", {before['rollouts']:,} of them after {quoted(before['words'], before['quote'])}" if before else ""


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """Find out who ends the rollouts that end alike: the model, which gives up, or another party."""
    for place, entry in enumerate(answer["calls"]):
        if entry["failures"] >= BRIEF * entry["of_failures"] and not changing_name(entry["tool"]):
            yield Advice(
                "harness",
                f"Find out who ends rollouts of {entry['run']} with {entry['tool']} {entry['arguments'] or ''}".rstrip()
                + ": where the model gives up, have the harness ask it to go on; where another party ends them, let "
                "them go on",
                say(
                    "{failures} of {all_failures} and {passes} of {all_passes} end so, after {before} (median; "
                    "{tasks}).",
                    **_numbers(place, entry),
                    before=fact(count(entry["before"], "other call"), entry["before"], *_AT, "calls", place, "before"),
                    tasks=task_list(entry["tasks"], MOST_NAMED),
                ),
                entry["failures"],
                SELDOM,
            )


def _numbers(place: int, entry: Mapping[str, Any]) -> dict[str, Any]:
    path = (*_AT, "calls", place)
    return {
        "run": entry["run"],
        "tool": entry["tool"],
        "arguments": entry["arguments"] or "no arguments",
        "failures": amount(entry["failures"], *path, "failures"),
        "all_failures": fact(count(entry["of_failures"], "failure"), entry["of_failures"], *path, "of_failures"),
        "passes": amount(entry["passes"], *path, "passes"),
        "all_passes": fact(count(entry["of_passes"], "pass", "passes"), entry["of_passes"], *path, "of_passes"),
    }


_AT = ("investigation", "last_calls")
