"""Which tasks does only one of two runs pass, on the tasks that were judged in both?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from blade.counting.audit.limits import CUT
from blade.counting.status import of_source
from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.copies import independent_runs
from blade.document import Block, Fact, Paragraph, Sentence, Table, say
from blade.extract.own_kills import UNOWNED_SAID
from blade.questions import by_task, close_pairs, in_order, judged, pass_rate, same_configuration, task_list
from blade.stats.binomial import sign_p
from blade.stats.multiple import holm
from blade.stats.rounding import WRITTEN, significant
from blade.wording import amount, count, fact, listed, percent

TITLE = "Like for like: who passes what"
ORDER = 10
OF_COPIES = True
WEIGHT = 1.3
MOST_RUNS = 7
MANY = 3
MOST_RANKED = 10
MOST_LETTERS = 160
"""Task names are listed up to so many letters."""
SCORES_DIFFER = 0.05
"""The level of the sign test over all pairs together: what every reader asks first, so that it has its own."""
SMALLEST = 0.001
MISLEADS = 0.05
"""Scores whose difference is so far from that on common judged tasks mislead."""
MOST_MISLED = 1
CHURN_TASKS = 3
CHURN_WORDS = "that is churn, no proven difference"
SELDOM = 0.1
"""The p value up to which an unproven difference is not called churn."""
TIE = 0.01
CHURN = 0.25
"""Tasks go both ways if this share of those that go one way goes the other."""
FEWEST_CUT = 3
"""Tasks that one run alone passes and at which something cut the other short: fewer are not told."""
MANY_CUT = 0.25
"""Of the tasks that one of them alone passes."""
FEWEST_REPEATS = 3
"""So many judged attempts of both runs, and a task that one always passes and the other never is told by name."""


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Every pair of at most seven runs, else the first against each and the closest, on tasks that both have judged."""
    grouped = {run.run.name: by_task(judged(run)) for run in runs}
    config_diff = {run.run.name: _paper(run) for run in runs}
    names = [name for name, tasks in grouped.items() if tasks]
    close = [[entry.run.name, other.run.name] for entry, other in close_pairs(runs)]
    pairs = list(combinations(names, 2))
    if len(names) > MOST_RUNS:
        pairs = [(entry, other) for entry, other in pairs if entry == names[0] or {entry, other} in map(set, close)]
    found = [_pair(entry, other, grouped[entry], grouped[other]) for entry, other in pairs]
    found = [pair for pair in found if pair["tasks"]]
    several = len(found) > 1
    _correct(found, {run.run.name for run in (independent_runs(runs) if several else runs)})
    lost = {run.run.name: len(run.cases) - len(judged(run)) for run in runs}
    of_name = {run.run.name: run for run in runs}
    cut = {name: _cut_short(run) for name, run in of_name.items()}
    for pair in found:
        pair["repeats"] = same_configuration(*(of_name[name] for name in pair["runs"]))
        pair["paper"] = [config_diff[name] for name in pair["runs"]]
        pair["lost"] = [lost[name] for name in pair["runs"]]
        pair["cut"] = _cut_at_differing(pair, grouped, cut)
    return {"pairs": found, "close": close, "all": _everywhere(grouped, names)} if found else None


def _correct(pairs: Sequence[dict[str, Any]], independent: set[str]) -> None:
    """Correct p for the number of pairs; one with a copy of another run is no further comparison, and counts as one."""
    tested = [pair for pair in pairs if pair["p"] is not None]
    witnesses = [pair for pair in tested if independent.issuperset(pair["runs"])]
    for pair, p in zip(witnesses, holm([pair["p"] for pair in witnesses]), strict=True):
        pair["p_corrected"] = significant(p, WRITTEN)
    for pair in tested:
        pair.setdefault("p_corrected", significant(min(1.0, pair["p"] * max(1, len(witnesses))), WRITTEN))


def _everywhere(grouped: Mapping[str, Mapping[str, list[Case]]], names: Sequence[str]) -> dict[str, Any] | None:
    """What three or more runs pass of the tasks that were judged in all of them, the best first."""
    common = set.intersection(*(set(grouped[name]) for name in names))
    if len(names) < MANY or not common:
        return None
    runs: list[dict[str, Any]] = []
    for name in names:
        cases = [case for key in common for case in grouped[name][key]]
        runs.append({"run": name, "passes": sum(bool(case.passed) for case in cases), "rollouts": len(cases)})
    runs.sort(key=lambda entry: (-entry["passes"] / entry["rollouts"], entry["run"]))
    return {"tasks": len(common), "runs": runs}


def _cut_short(run: RunCases) -> set[int]:
    """The judged rollouts that did not end by themselves: a limit ended them, or a signal, be it their own."""
    claims = run.run.graded["signals"].to_list()
    return {
        id(case)
        for case, texts in zip(run.cases, claims, strict=True)
        if not case.only_spent  # every failure of such a run ends at the limit: that tells nothing of one
        and (
            case.state in CUT
            or case.cut_at is not None
            or "own_end" in case.observed
            or (case.reason or "").endswith(UNOWNED_SAID)
            or any(map(of_source, texts or ()))
        )
    }


def _cut_at_differing(
    pair: Mapping[str, Any], grouped: Mapping[str, Mapping[str, list[Case]]], cut: Mapping[str, set[int]]
) -> dict[str, Any] | None:
    """Of the tasks that one run alone passes those at which the other was cut short; what both pass of the rest."""
    if not pair["single"] or pair["repeats"]:
        return None
    left, right = (grouped[name] for name in pair["runs"])
    key_of = {left[key][0].label: key for key in left if key in right}
    was_cut = [
        {key for key in key_of.values() if id(tasks_of_run[key][0]) in cut[name]}
        for name, tasks_of_run in zip(pair["runs"], (left, right), strict=True)
    ]
    tasks = [
        [label for label in pair[name] if key_of[label] in was_cut[other]]
        for name, other in (("first_tasks", 1), ("second_tasks", 0))
    ]
    shares = [len(labels) / max(pair[key], 1) for labels, key in zip(tasks, ("first", "second"), strict=True)]
    if sum(map(len, tasks)) < FEWEST_CUT or max(shares) < MANY_CUT:
        return None
    rest = []
    for side, tasks_of_run in enumerate((left, right)):
        cases = [tasks_of_run[key][0] for key in key_of.values() if key not in was_cut[side]]
        rest.append([sum(bool(case.passed) for case in cases), len(cases)])
    return {"many": [len(labels) for labels in tasks], "tasks": [in_order(labels) for labels in tasks], "rest": rest}


def _paper(run: RunCases) -> list[int]:
    """Passes and rollouts of the run as it is scored, lost attempts and all."""
    return [sum(bool(case.passed) for case in run.cases), len(run.cases)]


def _pair(entry: str, other: str, left: Mapping[str, list[Case]], right: Mapping[str, list[Case]]) -> dict[str, Any]:
    common = [key for key in left if key in right]
    first, second, both, neither = [], [], 0, 0
    opposite: tuple[list[str], list[str]] = [], []
    for key in common:
        a, b = pass_rate(left[key]), pass_rate(right[key])
        if abs(a - b) == 1 and min(len(left[key]), len(right[key])) >= FEWEST_REPEATS:
            opposite[int(b > a)].append(left[key][0].label)
        if a > b:
            first.append(left[key][0].label)
        elif b > a:
            second.append(left[key][0].label)
        elif a > 0:
            both += 1
        else:
            neither += 1
    moved = len(first) + len(second)
    return {
        "runs": [entry, other],
        "tasks": len(common),
        "single": all(len(tasks[key]) == 1 for tasks in (left, right) for key in common),
        "passes": [sum(bool(case.passed) for key in common for case in tasks[key]) for tasks in (left, right)],
        "rollouts": [sum(len(tasks[key]) for key in common) for tasks in (left, right)],
        "first": len(first),
        "second": len(second),
        "both": both,
        "neither": neither,
        "p": significant(sign_p(len(first), moved - len(first)), WRITTEN) if moved else None,
        "first_tasks": first,
        "second_tasks": second,
        "opposite": [in_order(labels) for labels in opposite],
    }


def tell(answer: Mapping[str, Any]) -> list[Block]:
    pairs = answer["pairs"]
    single = all(pair["single"] for pair in pairs)
    words = ("only A passes", "only B passes") if single else ("A passes more often", "B passes more often")
    both = "both pass" if single else "equally often"
    rows = [
        (
            *pair["runs"],
            _cell(place, "tasks", pair),
            *(_passes(place, pair, side) for side in (0, 1)),
            *(_cell(place, key, pair) for key in ("first", "second", "both", "neither")),
            "none differ" if pair["p"] is None else _p(place, pair),
        )
        for place, pair in enumerate(pairs)
    ]
    head = ("A", "B", ">tasks judged in both", ">A passes", ">B passes", *(f">{entry}" for entry in (*words, both)))
    return [
        Table(
            (*head, ">neither passes", ">p"),
            tuple(rows),
            "p is the exact sign test, by tasks and not by how much, of each pair alone; the sentences correct it for "
            "the number of pairs",
        ),
        *(Paragraph(tuple(sentences)) for sentences in _told(answer, single=single)),
    ]


def _told(answer: Mapping[str, Any], *, single: bool) -> Iterator[list[Sentence]]:
    """The pairs that lie closest, the best first, and those whose scores mislead; repeats are pooled elsewhere."""
    misled = sorted(
        (-abs(_misled(pair)), place)
        for place, pair in enumerate(answer["pairs"])
        if abs(_misled(pair)) >= MISLEADS and not pair["repeats"]
    )
    close = sorted(
        (place for place, pair in enumerate(answer["pairs"]) if sorted(pair["runs"]) in map(sorted, answer["close"])),
        key=lambda place: -sum(passes / rows for passes, rows in answer["pairs"][place]["paper"]),
    )
    ties = _ties(answer)
    churning = [place for place in close if single and _churns(answer["pairs"][place])]
    if len(churning) > 1:
        yield [_churn(answer, churning)]
    for place in dict.fromkeys([*close, *ties, *(place for _, place in misled[:MOST_MISLED])]):
        pair = answer["pairs"][place]
        sentences = []
        if abs(_misled(pair)) >= MISLEADS:
            sentences.append(_on_paper(place, pair))
        if pair["p"] is not None and not (len(churning) > 1 and place in churning):
            sentences.append(_sentence(place, pair, single=single))
        if sentences or any(pair["opposite"]):
            yield [*sentences, *_opposite(pair), *_cut_told(place, pair)]


def _churns(pair: Mapping[str, Any]) -> bool:
    return pair["p"] is not None and _meaning(pair, single=True) == CHURN_WORDS


def _churn(answer: Mapping[str, Any], places: Sequence[int]) -> Sentence:
    """The close pairs that are not told apart, in one sentence."""
    facts: dict[str, Fact | str] = {}
    parts = []
    for place in places:
        pair = answer["pairs"][place]
        facts |= {f"first{place}": _cell(place, "first", pair), f"second{place}": _cell(place, "second", pair)}
        facts |= {f"a{place}": _passes(place, pair, 0), f"b{place}": _passes(place, pair, 1)}
        facts[f"p{place}"] = _p(place, pair, "p = ")
        one, other = pair["runs"]
        facts |= {
            f"only_a{place}": f" ({task_list(pair['first_tasks'], CHURN_TASKS)})" if pair["first_tasks"] else "",
            f"only_b{place}": f" ({task_list(pair['second_tasks'], CHURN_TASKS)})" if pair["second_tasks"] else "",
        }
        parts.append(
            f"{one} and {other} pass {{a{place}}} and {{b{place}}}, {{first{place}}} tasks only {one}{{only_a{place}}} "
            f"and {{second{place}}} only {other}{{only_b{place}}}, {{p{place}}}"
        )
    return say(f"Churn, no proven difference: {'; '.join(parts)}.", **facts)


def _ties(answer: Mapping[str, Any]) -> list[int]:
    """The pairs whose scores as they stand are (nearly) the same only because rollouts were lost."""
    return [
        place
        for place, pair in enumerate(answer["pairs"])
        if abs(_paper_gap(pair)) < TIE and abs(_misled(pair)) >= MISLEADS and not pair["repeats"]
    ]


def _paper_gap(pair: Mapping[str, Any]) -> float:
    (a, rows_a), (b, rows_b) = pair["paper"]
    return float(a / rows_a - b / rows_b)


def _misled(pair: Mapping[str, Any]) -> float:
    """How far the difference of the scores as they stand is from that on what both runs judged."""
    entry, other = (many / rows for many, rows in zip(pair["passes"], pair["rollouts"], strict=True))
    return _paper_gap(pair) - float(entry - other)


def _on_paper(place: int, pair: Mapping[str, Any]) -> Sentence:
    (a, rows_a), (b, rows_b) = pair["paper"]
    entry, other = pair["runs"]
    return say(
        "As reported, {one} passes {a} of {rows_a} ({score_a}) and {other} {b} of {rows_b} ({score_b})"
        + (", a tie only because {lost} never ran or were not judged" if abs(_paper_gap(pair)) < TIE else "")
        + "; on the {tasks} that both really ran it is {passes_a} against {passes_b}.",
        one=entry,
        other=other,
        a=f"{a:,}",
        b=f"{b:,}",
        rows_a=f"{rows_a:,}",
        rows_b=f"{rows_b:,}",
        score_a=percent(a / rows_a),
        score_b=percent(b / rows_b),
        lost=listed(
            [
                f"{count(many, 'rollout')} of {name}"
                for name, many in zip(pair["runs"], pair["lost"], strict=True)
                if many
            ]
        ),
        tasks=fact(count(pair["tasks"], "task"), pair["tasks"], *_at(place), "tasks"),
        passes_a=_passes(place, pair, 0),
        passes_b=_passes(place, pair, 1),
    )


def _sentence(place: int, pair: Mapping[str, Any], *, single: bool) -> Sentence:
    entry, other = pair["runs"]
    verb = "Only {a} passes" if single else "{a} passes more often in"
    second = "only {b}" if single else "{b} in"
    end = _meaning(pair, single=single)
    return say(
        f"{verb} {{first}}{{first_tasks}}, {second} {{second}}{{second_tasks}}, "
        + ("both {both}, neither {neither}" if single else "{both} are alike, {neither} pass in neither")
        + f" (sign test {{p}}): {end}.",
        a=entry,
        b=other,
        first=fact(count(pair["first"], "task"), pair["first"], *_at(place), "first"),
        second=fact(count(pair["second"], "task"), pair["second"], *_at(place), "second"),
        both=_cell(place, "both", pair),
        neither=_cell(place, "neither", pair),
        first_tasks=_listed(pair["first_tasks"]),
        second_tasks=_listed(pair["second_tasks"]),
        p=_p(place, pair, "p = "),
    )


def _opposite(pair: Mapping[str, Any]) -> Iterator[Sentence]:
    """Tasks that one run passes in every attempt and the other in none: what to read first."""
    for (always, never), tasks in zip((pair["runs"], reversed(pair["runs"])), pair["opposite"], strict=True):
        if tasks:
            yield say(
                "{always} passes every attempt of {tasks}, {never} none (at least {fewest} attempts each).",
                always=always,
                never=never,
                tasks=task_list(tasks),
                fewest=str(FEWEST_REPEATS),
            )


def _cut_told(place: int, pair: Mapping[str, Any]) -> Iterator[Sentence]:
    """At how many of the tasks that one run alone passes the other was cut short: more room may close the gap there."""
    cut = pair["cut"]
    if cut is None:
        return
    one, other = pair["runs"]
    parts: list[str] = []
    facts: dict[str, Fact | str] = {}
    for side, (alone, failing, key) in enumerate(((one, other, "first"), (other, one, "second"))):
        if pair[key]:
            whose = f"{{failing{side}}}"
            lead = f"that of {whose}" if parts else f"a limit or a signal ended the rollout of {whose}"
            parts.append(f"{{many{side}}} of the {{all{side}}} that only {{alone{side}}} passes{{tasks{side}}} {lead}")
            tasks = cut["tasks"][side]
            facts |= {
                f"many{side}": fact(f"{len(tasks) or 'none'}", len(tasks), *_at(place), "cut", "many", side),
                f"all{side}": count(pair[key], "task"),
                f"alone{side}": alone,
                f"failing{side}": failing,
                f"tasks{side}": f" ({task_list(tasks)})" if tasks else "",
            }
    (a, rows_a), (b, rows_b) = cut["rest"]
    yield say(
        f"At {', at '.join(parts)}. Of the rollouts at common tasks that nothing of this kind ended {{one}} passes "
        "{a} of {rows_a} and {other} {b} of {rows_b}.",
        one=one,
        other=other,
        a=amount(a, *_at(place), "cut", "rest", 0, 0),
        b=amount(b, *_at(place), "cut", "rest", 1, 0),
        rows_a=f"{rows_a:,}",
        rows_b=f"{rows_b:,}",
        **facts,
    )


def _meaning(pair: Mapping[str, Any], *, single: bool) -> str:
    """What the sign test says. With repeats it counts tasks alone, and the verdict on the score knows more."""
    if pair["p_corrected"] <= SCORES_DIFFER:
        return "beyond chance"
    if pair["p"] <= SCORES_DIFFER:
        return "within chance among so many pairs of runs"
    if not single:
        return "by tasks alone, within chance"
    if min(pair["first"], pair["second"]) < CHURN * max(pair["first"], pair["second"]):
        return "too few tasks differ to prove a difference"
    seldom = pair["p"] <= SELDOM
    return "inconclusive, though unlikely by chance alone" if seldom else CHURN_WORDS


def _listed(tasks: Sequence[str]) -> str:
    widest = max((len(task) for task in tasks), default=1)
    return f" ({task_list(tasks, max(MOST_LETTERS // widest, 4))})" if tasks else ""


def _p(place: int, pair: Mapping[str, Any], lead: str = "") -> Fact:
    text = f"{lead}{pair['p']:.3f}" if pair["p"] >= SMALLEST else f"{lead.replace('=', '<') or '<'}{SMALLEST}"
    return fact(text, pair["p"], *_at(place), "p")


def _passes(place: int, pair: Mapping[str, Any], side: int) -> Fact:
    text = f"{pair['passes'][side]:,} of {pair['rollouts'][side]:,}"
    return fact(text, pair["passes"][side], *_at(place), "passes", side)


def _cell(place: int, key: str, pair: Mapping[str, Any]) -> Any:
    return amount(pair[key], *_at(place), key)


def _at(place: int) -> tuple[str | int, ...]:
    return ("investigation", "like_for_like", "pairs", place)


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """Who passes how many of the tasks that all runs share, where there are more than two runs."""
    for place in _ties(answer)[:1]:
        yield _on_paper(place, answer["pairs"][place])
    shared = answer.get("all")
    if not shared or not any(sum(pair["lost"]) for pair in answer["pairs"]):
        return
    parts: list[str | Fact] = []
    for place, entry in enumerate(shared["runs"][:MOST_RANKED]):
        passes = amount(entry["passes"], "investigation", "like_for_like", "all", "runs", place, "passes")
        share = "" if entry["rollouts"] == shared["tasks"] else f" ({percent(entry['passes'] / entry['rollouts'])})"
        parts += [", " if place else "", f"{entry['run']} ", passes, f" of {entry['rollouts']:,}{share}"]
    left_out = len(shared["runs"]) - MOST_RANKED
    parts += [f" and {count(left_out, 'more run')}"] if left_out > 0 else []
    tasks = fact(count(shared["tasks"], "task"), shared["tasks"], "investigation", "like_for_like", "all", "tasks")
    yield Sentence(("Passes on the ", tasks, f" judged in all {len(shared['runs'])} runs: ", *parts, "."))
