"""What is the model told again and again on the way, by its harness or by the code it ran, and how does that end?"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Block, Fact, Paragraph, Sentence, Table, say
from blade.evidence import open_rows
from blade.extract.attempt import Attempt
from blade.extract.text import clip
from blade.extract.user_statements import told
from blade.model import Source
from blade.questions import SURE, common_part, judged, outcome_p, run_p, task_levels
from blade.signatures import template
from blade.stats.multiple import benjamini_hochberg
from blade.stats.rounding import WRITTEN, significant
from blade.wording import amount, count, fact

TITLE = "Messages to the model during the rollout"
ORDER = 74
FEWEST, FEWEST_TASKS, LEAST_SHARE = 5, 5, 0.03
OFTEN = 0.2
"""What so many rollouts of a run are told is worth a line without any claim."""
EVERYWHERE = 0.95
"""What so many rollouts of every run are told says nothing of any."""
MOST_SHOWN = 6
MOST_TESTED = 30
LONGEST = 140
Item = int | str
"""The number of a message, or the class of an error."""


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Messages and errors that come back in several tasks: rollouts, how often, and outcomes with and without them."""
    listening = [rows for rows in map(judged, runs) if any(case.observed.get("heard") for case in rows)]
    cases = [case for rows in listening for case in rows]
    times = {id(case): _items(case) for case in cases}
    having: defaultdict[Item, list[Case]] = defaultdict(list)
    for case in cases:
        for item in times[id(case)]:
            having[item].append(case)
    rollouts = Counter(case.run for case in cases)
    common = [item for item, holders in having.items() if _comes_back(holders, rollouts)]
    common = sorted(common, key=lambda item: (-len(having[item]), str(item)))[:MOST_TESTED]
    if not common:
        return None
    entries = [_entry(item, cases, having[item], times, rollouts, runs) for item in common]
    for name in ("p", "p_run"):
        tested = [entry for entry in entries if entry[name] is not None]
        for entry, p in zip(tested, benjamini_hochberg([entry[name] for entry in tested]), strict=True):
            entry[name] = significant(p, WRITTEN)
    entries = [entry for entry in entries if _worth(entry, rollouts)]
    if not entries:
        return None
    entries.sort(key=lambda entry: (not _sure(entry, "p"), not _sure(entry, "p_run")))
    messages = entries[:MOST_SHOWN]
    for entry in messages:
        entry["words"] = _words(entry.pop("item"), having)
    return {
        "runs": list(rollouts),
        "judged": dict(rollouts),
        "messages": messages,
        "others": len(entries) - len(messages),
    }


def _items(case: Case) -> dict[Item, int]:
    """What a rollout is told, and how often."""
    record = case.observed
    messages: dict[Item, int] = {int(number): int(many) for number, many in record.get("heard") or ()}
    return messages | {str(name): int(many) for name, many in (record.get("heard_errors") or {}).items()}


def _comes_back(holders: Sequence[Case], rollouts: Mapping[str, int]) -> bool:
    if len({case.key for case in holders}) < FEWEST_TASKS:
        return False
    shares = {run: sum(case.run == run for case in holders) / many for run, many in rollouts.items()}
    often = any(share >= LEAST_SHARE and share * rollouts[run] >= FEWEST for run, share in shares.items())
    return often and min(shares.values()) < EVERYWHERE


def _entry(
    item: Item,
    cases: Sequence[Case],
    holders: Sequence[Case],
    times: Mapping[int, Mapping[Item, int]],
    rollouts: Mapping[str, int],
    runs: Sequence[RunCases],
) -> dict[str, Any]:
    told_so = {id(case) for case in holders}
    by_run = {}
    for run in rollouts:
        own_cases = [case for case in cases if case.run == run]
        receiving_cases = [case for case in own_cases if id(case) in told_so]
        by_run[run] = {
            "rollouts": len(receiving_cases),
            "times": sum(times[id(case)][item] for case in receiving_cases),
            "passes": sum(bool(case.passed) for case in receiving_cases),
            "others": len(own_cases) - len(receiving_cases),
            "other_passes": sum(bool(case.passed) for case in own_cases if id(case) not in told_so),
        }
    return {
        "item": item,
        "error": isinstance(item, str),
        "tasks": len({case.key for case in holders}),
        "by_run": by_run,
        "alone": _in_its_part(runs, cases, holders) if len({case.run for case in holders}) == 1 else None,
        "p": outcome_p(cases, told_so),
        "p_run": run_p(cases, told_so),
    }


def _in_its_part(runs: Sequence[RunCases], cases: Sequence[Case], receiving: Sequence[Case]) -> dict[str, Any] | None:
    """What a message that one run alone gets does in the part of the tasks in which it comes: with it, without, others.

    And how many make a call again, word for word. None where its tasks lie in no part of their own_cases.
    """
    part = common_part(runs, list({case.key: None for case in receiving}))
    if part is None:
        return None
    ids, run = {id(case) for case in receiving}, receiving[0].run
    levels = {key: of_task for entry in runs for key, of_task in task_levels(entry).items()}
    part_cases = [case for case in cases if levels.get(case.key, {}).get(part["field"]) == part["level"]]
    lacking = [case for case in part_cases if case.run == run and id(case) not in ids and not case.in_dead_stretch]
    elsewhere = [
        case
        for entry in runs
        if entry.run.name != run
        for case in judged(entry)
        if levels.get(case.key, {}).get(part["field"]) == part["level"]
    ]
    return {
        **part,
        "run": run,
        "passes": sum(bool(case.passed) for case in receiving),
        "rollouts": len(receiving),
        "lacking": len(lacking),
        "lacking_passes": sum(bool(case.passed) for case in lacking),
        "elsewhere": len(elsewhere),
        "elsewhere_passes": sum(bool(case.passed) for case in elsewhere),
        "repeating": sum(map(_repeats, receiving)),
        "lacking_repeating": sum(map(_repeats, lacking)),
    }


def _repeats(case: Case) -> bool:
    """Whether a call is made twice, word for word."""
    return bool(case.observed.get("same", (0,))[0] > 1)


def _words(item: Item, having: Mapping[Item, Sequence[Case]]) -> str:
    """The message without its numbers and names, or the class of the error."""
    if isinstance(item, str):
        return item
    for _, row in open_rows([Source(*having[item][0].place)]):
        for number, line, _ in told(Attempt(row)):
            if number == item:
                return clip(template(line), LONGEST)
    return "a message"


def _worth(entry: Mapping[str, Any], rollouts: Mapping[str, int]) -> bool:
    often = any(one["rollouts"] >= OFTEN * rollouts[run] for run, one in entry["by_run"].items())
    return often or _sure(entry, "p") or _sure(entry, "p_run")


def _sure(entry: Mapping[str, Any], name: str) -> bool:
    return entry[name] is not None and entry[name] <= SURE


def tell(answer: Mapping[str, Any]) -> list[Block]:
    sentences = [claim for place, entry in enumerate(answer["messages"]) for claim in _claims(place, entry, answer)]
    blocks: list[Block] = [_table(answer)]
    return [*blocks, Paragraph(tuple(sentences))] if sentences else blocks


def _table(answer: Mapping[str, Any]) -> Table:
    rows: list[tuple[str | Fact, ...]] = []
    for place, entry in enumerate(answer["messages"]):
        cells: list[Fact] = []
        for run in answer["runs"]:
            one = entry["by_run"][run]
            text = f"{one['rollouts']:,} ({one['times']:,} times; {one['passes']:,} pass)" if one["rollouts"] else "0"
            cells.append(fact(text, one["rollouts"], *_AT, "messages", place, "by_run", run, "rollouts"))
        rows.append((_named(entry), *cells, amount(entry["tasks"], *_AT, "messages", place, "tasks")))
    left = f"; {count(answer['others'], 'rarer message')} left out" if answer["others"] else ""
    return Table(
        ("Message or error", *(f">{run}" for run in answer["runs"]), ">tasks"),
        tuple(rows),
        "Rollouts that get it, from a user or a stand-in" + left,
    )


def _named(entry: Mapping[str, Any]) -> str:
    return f"{entry['words']} in what was run" if entry["error"] else f"“{entry['words']}”"


def _claims(place: int, entry: Mapping[str, Any], answer: Mapping[str, Any]) -> Iterator[Sentence]:
    at = (*_AT, "messages", place)
    runs = entry["by_run"].values()
    with_it, passes = (sum(one[name] for one in runs) for name in ("rollouts", "passes"))
    others, other_passes = (sum(one[name] for one in runs) for name in ("others", "other_passes"))
    if _sure(entry, "p"):
        less = passes * others < other_passes * with_it
        yield say(
            "Getting {words} goes with {how}: {passes} of {rollouts} such rollouts pass, {other} of {others} "
            "others (p = {p}, tasks of similar difficulty compared).",
            words=_named(entry),
            how="failing" if less else "passing",
            passes=f"{passes:,}",
            rollouts=f"{with_it:,}",
            other=f"{other_passes:,}",
            others=f"{others:,}",
            p=fact(f"{entry['p']:.2g}", entry["p"], *at, "p"),
        )
    if _sure(entry, "p") and entry["alone"]:
        yield from _part_words((*at, "alone"), entry["alone"])
    if _sure(entry, "p_run"):
        most = max(answer["runs"], key=lambda run: entry["by_run"][run]["rollouts"] / answer["judged"][run])
        own = entry["by_run"][most]["rollouts"]
        yield say(
            "{run} gets {words} more often than {others}: in {own} of {judged} rollouts, there in {rest} of {all} "
            "(p = {p}).",
            run=most,
            others=next(run for run in answer["runs"] if run != most) if len(answer["runs"]) == 2 else "the other runs",
            words=_named(entry),
            own=f"{own:,}",
            judged=f"{answer['judged'][most]:,}",
            rest=f"{with_it - own:,}",
            all=f"{sum(answer['judged'].values()) - answer['judged'][most]:,}",
            p=fact(f"{entry['p_run']:.2g}", entry["p_run"], *at, "p_run"),
        )


def _part_words(at: Sequence[str | int], part: Mapping[str, Any]) -> Iterator[Sentence]:
    yield say(
        "It comes in {run} alone, and {nearly} of its tasks are of {field}={level}: there {run} passes {passes} of "
        "{rollouts} with it and {lacking_passes} of {lacking} without it, the other runs {elsewhere_passes} of "
        "{elsewhere}.",
        run=part["run"],
        nearly="all" if part["inside"] == part["of"] else "nearly all",
        field=part["field"],
        level=part["level"],
        **{
            name: amount(part[name], *at, name)
            for name in ("passes", "rollouts", "lacking_passes", "lacking", "elsewhere_passes", "elsewhere")
        },
    )
    if part["repeating"] * max(part["lacking"], 1) > 2 * part["lacking_repeating"] * part["rollouts"]:
        yield say(
            "{repeating} of the {rollouts} make a call again, word for word, of the {lacking} others there "
            "{lacking_repeating}.",
            **{
                name: amount(part[name], *at, name)
                for name in ("repeating", "rollouts", "lacking", "lacking_repeating")
            },
        )


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """What goes with failing in one part of one run; else the message that one run gets far more often than others."""
    for place, entry in enumerate(answer["messages"]):
        part = entry["alone"]
        if _sure(entry, "p") and part and part["passes"] * part["lacking"] < part["lacking_passes"] * part["rollouts"]:
            first, *_ = _claims(place, entry, answer)
            parts = [sentence.parts for sentence in _part_words((*_AT, "messages", place, "alone"), part)]
            yield Sentence((*first.parts, *(piece for words in parts for piece in (" ", *words))))
            return
    for place, entry in enumerate(answer["messages"]):
        rates = {run: entry["by_run"][run]["rollouts"] / answer["judged"][run] for run in answer["runs"]}
        most, least = (pick(answer["runs"], key=lambda run: rates[run]) for pick in (max, min))
        if not entry["error"] and _sure(entry, "p_run") and rates[most] - rates[least] >= OFTEN:
            yield say(
                "{run} gets the message “{words}” in {own} of {judged} rollouts, {other} in {less} of {all}.",
                run=most,
                words=entry["words"],
                own=amount(entry["by_run"][most]["rollouts"], *_AT, "messages", place, "by_run", most, "rollouts"),
                judged=f"{answer['judged'][most]:,}",
                other=least,
                less=amount(entry["by_run"][least]["rollouts"], *_AT, "messages", place, "by_run", least, "rollouts"),
                all=f"{answer['judged'][least]:,}",
            )
            return


_AT = ("investigation", "told_on_the_way")
