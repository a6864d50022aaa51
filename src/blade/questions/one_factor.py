"""Which runs differ in the model alone, or in the agent alone, and what does that alone change?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, permutations
from typing import Any

import numpy as np

from blade.counting.passing import UNIT
from blade.counting.row_settings import limit_settings, sampling_settings
from blade.diagnosis.cases import Case, RunCases
from blade.document import Block, Bullets, Paragraph, Sentence, say
from blade.model import Status
from blade.questions import by_task, in_order, judged, pass_rate, task_list
from blade.stats.intervals import t_interval
from blade.wording import amount, count, difference, fact, listed, percent

TITLE = "Runs that differ in one thing alone"
ORDER = 11
WEIGHT = 1.2
FEWEST_TASKS = 5
MOST_PAIRS = 6
FEWEST_DECIDED, FEWEST_ROLLOUTS = 3, 6
MOST_DECIDED = 8
MODEL, AGENT, PROMPT = "model", "agent", "prompt"
FAR = 0.6
"""So far apart lie the pass rates of a task that is told by name."""
CUT = {Status.TIMED_OUT.value, Status.TRUNCATED.value}


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Pairs with one model and two agents, or one agent and two models, where the runs have several of both."""
    known = {
        run.run.name: (model, run.run.agent)
        for run in runs
        if (model := _only_model(run)) and run.run.agent is not None
    }
    models, agents = ({setting[side] for setting in known.values()} for side in (0, 1))
    if len(models) < 2 or len(agents) < 2 or len(set(known.values())) < len(known):
        return None
    tasks = {run.run.name: by_task(judged(run)) for run in runs}
    labelled = {run.run.name for run in runs if any(case.state in CUT for case in run.cases)}
    settings = {run.run.name: _other_settings(run) for run in runs}
    lost_rollouts = {run.run.name: len(run.cases) - len(judged(run)) for run in runs}
    pairs = []
    for first, second in combinations(known, 2):
        (model, agent), (other_model, other_agent) = known[first], known[second]
        if (model == other_model) is not (agent == other_agent):
            factor = AGENT if model == other_model else MODEL
            shared = model if factor == AGENT else agent
            pair = _pair(first, second, tasks[first], tasks[second])
            if pair["runs"][1] not in labelled:
                pair["cut"] = None  # no row of the run is said to be cut: unknown is not 0
            lost_of_pair = lost_rollouts[first] + lost_rollouts[second]
            differing = [
                *_differing(settings[first], settings[second]),
                *_other_texts(tasks[first], tasks[second]),
            ]
            pairs.append(pair | {"factor": factor, "shared": shared, "lost": lost_of_pair, "differing": differing})
    pairs = [pair for pair in pairs if pair["tasks"] >= FEWEST_TASKS]
    pairs.sort(key=lambda pair: (pair["factor"], -abs(pair["difference"])))
    pooled = [
        entry
        for side, factor in enumerate((MODEL, AGENT))
        for entry in _pooled(factor, {name: setting[side] for name, setting in known.items()}, tasks)
    ]
    return {"pairs": pairs, "pooled": pooled} if pairs else None


def _other_settings(run: RunCases) -> dict[str, Any]:
    """The limits that the rows state, how the model was sampled, and the system prompts."""
    frame = run.run.graded
    asked = run.run.facts["sampling"].to_list()
    settings = {**sampling_settings(asked), **limit_settings(run.run.columns, run.run.facts.height, asked)}
    return {**settings, PROMPT: frozenset(frame["system_hash"].drop_nulls().unique().to_list())}


def _differing(first: Mapping[str, Any], second: Mapping[str, Any]) -> list[str]:
    """What else differs between two runs, each by its name."""
    settings = [name for name in first if name in second and name != PROMPT and first[name] != second[name]]
    words = [f"{name} ({_value(first[name])} and {_value(second[name])})" for name in sorted(settings)]
    have_prompts = first[PROMPT] and second[PROMPT]
    return [
        *words,
        *(["the system prompt"] if have_prompts and first[PROMPT].isdisjoint(second[PROMPT]) else []),
    ]


def _other_texts(first: Mapping[str, Sequence[Case]], second: Mapping[str, Sequence[Case]]) -> Iterator[str]:
    """How many tasks two runs put in other words, where each has one text for all attempts at a task."""
    texts = [{key: {case.text_hash for case in cases} for key, cases in tasks.items()} for tasks in (first, second)]
    if any(len(hashes) > 1 or None in hashes for of_task in texts for hashes in of_task.values()):
        return
    common = texts[0].keys() & texts[1].keys()
    differing_tasks = sum(texts[0][key] != texts[1][key] for key in common)
    if differing_tasks:
        yield f"the text of {differing_tasks:,} of {count(len(common), 'task')}"


def _value(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _pooled(
    factor: str, levels: Mapping[str, str], tasks: Mapping[str, Mapping[str, Sequence[Case]]]
) -> Iterator[dict[str, Any]]:
    """Tasks that all runs of one model or agent fail and those of another mostly pass, of two runs or more each."""
    runs: defaultdict[str, list[str]] = defaultdict(list)
    for name, level in levels.items():
        runs[level].append(name)
    for losing, winning in permutations([level for level, names in runs.items() if len(names) > 1], 2):
        far: list[dict[str, Any]] = []
        for key in {key: None for name in runs[losing] for key in tasks[name]}:
            lost, won = ([tasks[name].get(key, ()) for name in runs[level]] for level in (losing, winning))
            if all((*lost, *won)):
                far += _decided([case for some in lost for case in some], [case for some in won for case in some])
        if len(far) >= FEWEST_DECIDED:
            yield {
                "factor": factor,
                "levels": [losing, winning],
                "tasks": sorted(far, key=lambda entry: (-entry["of"][1], entry["task"])),
                "rollouts": [sum(entry["of"][side] for entry in far) for side in (0, 1)],
                "passes": sum(entry["passes"] for entry in far),
                "cut": sum(entry["cut"] for entry in far),
            }


def _decided(lost: Sequence[Case], won: Sequence[Case]) -> Iterator[dict[str, Any]]:
    """The task, where all of many rollouts of one side fail and most of the other's pass."""
    if min(len(lost), len(won)) >= FEWEST_ROLLOUTS and not any(case.passed for case in lost) and pass_rate(won) >= FAR:
        yield {
            "task": lost[0].label,
            "of": [len(lost), len(won)],
            "passes": sum(bool(case.passed) for case in won),
            "cut": sum(case.state in CUT for case in lost),
        }


def _only_model(run: RunCases) -> str | None:
    models = run.run.graded["model"].drop_nulls().unique().to_list()
    return str(models[0]) if len(models) == 1 else None


def _pair(
    first: str, second: str, left: Mapping[str, Sequence[Case]], right: Mapping[str, Sequence[Case]]
) -> dict[str, Any]:
    """What both pass of the tasks judged in both: the better run first."""
    common = [key for key in left if key in right]
    changes = {key: pass_rate(right[key]) - pass_rate(left[key]) for key in common}
    if sum(changes.values()) > 0:
        return _pair(second, first, right, left)
    values = np.array(list(changes.values()))
    mean = float(values.mean()) if len(values) else 0.0
    spread = float(values.std(ddof=1)) / len(values) ** 0.5 if len(values) > 1 else 0.0
    usual = max((len(tasks[key]) for tasks in (left, right) for key in common), default=0)
    known = {
        key for key in common if 2 * min(len(left[key]), len(right[key])) > usual
    }  # one attempt of five shows little
    far = [key for key in common if changes[key] <= -FAR and key in known]
    failures = [case for key in far for case in right[key] if not case.passed]
    return {
        "runs": [first, second],
        "tasks": len(common),
        "rates": [sum(pass_rate(tasks[key]) for key in common) / max(len(common), 1) for tasks in (left, right)],
        "difference": mean,
        "interval": t_interval(mean, spread, len(values) - 1),
        "less": int((values < 0).sum()),
        "more": int((values > 0).sum()),
        "far": in_order(left[key][0].label for key in far),
        "failures": len(failures),
        "cut": sum(case.state in CUT for case in failures),
    }


def tell(answer: Mapping[str, Any]) -> list[Block]:
    items = [Paragraph(tuple(_pooled_words(place, entry))) for place, entry in enumerate(answer["pooled"])]
    items += [Paragraph(tuple(_words(place, pair))) for place, pair in enumerate(answer["pairs"][:MOST_PAIRS])]
    return [Bullets(tuple(items))]


def _pooled_words(place: int, entry: Mapping[str, Any]) -> Iterator[Sentence]:
    at = ("investigation", "one_factor", "pooled", place)
    losing, winning = entry["levels"]
    tasks = [f"{task['task']} {task['passes']:,} of {task['of'][1]:,}" for task in entry["tasks"]]
    more = len(tasks) - MOST_DECIDED
    yield say(
        "All runs with the {factor} {losing} fail {tasks} that those with {winning} mostly pass: none of {lost} "
        "against {passes} of {won} ({named}).",
        factor=entry["factor"],
        losing=losing,
        winning=winning,
        tasks=fact(count(len(tasks), "task"), len(tasks), *at, "tasks"),
        lost=amount(entry["rollouts"][0], *at, "rollouts", 0),
        passes=amount(entry["passes"], *at, "passes"),
        won=amount(entry["rollouts"][1], *at, "rollouts", 1),
        named=listed([*tasks[:MOST_DECIDED], *([f"{more:,} more"] if more > 0 else [])]),
    )
    if entry["cut"]:
        yield say(
            "{cut} of these failures ran out of time or reached a limit.",
            cut=amount(entry["cut"], *at, "cut"),
        )


def _words(place: int, pair: Mapping[str, Any]) -> Iterator[Sentence]:
    at = ("investigation", "one_factor", "pairs", place)
    first, second = pair["runs"]
    alike = "the same model" if pair["factor"] == AGENT else "the same agent"
    yield say(
        "As far as the rows say, {first} and {second} differ in {differing}"
        + ("" if pair["differing"] else " alone")
        + " ({alike}, {shared}): on the {tasks} "
        "judged in both they pass {rates}, {difference}{span}; the second passes less often in {less}, more often in "
        "{more}.",
        first=first,
        second=second,
        differing=listed([f"the {pair['factor']}", *pair["differing"]]),
        alike=alike,
        shared=str(pair["shared"]),
        tasks=fact(count(pair["tasks"], "task"), pair["tasks"], *at, "tasks"),
        rates=f"{percent(pair['rates'][0])} and {percent(pair['rates'][1])}",
        difference=fact(difference(pair["difference"], UNIT), pair["difference"], *at, "difference"),
        span=_span(pair),
        less=fact(count(pair["less"], "task"), pair["less"], *at, "less"),
        more=amount(pair["more"], *at, "more"),
    )
    if pair["far"]:
        limit_words = (
            "; of its {failures} there {cut} ran out of time or reached a limit" if pair["cut"] is not None else ""
        )
        yield say(
            "It falls furthest in {tasks}" + limit_words + ".",
            tasks=task_list(pair["far"]),
            failures=fact(count(pair["failures"], "failure"), pair["failures"], *at, "failures"),
            cut=amount(pair["cut"] or 0, *at, "cut"),
        )


def _span(pair: Mapping[str, Any]) -> str:
    """The interval; where it holds 0, that it leaves out what the score counts as 0: there the verdict may be real."""
    if not pair["interval"]:
        return ""
    low, high = pair["interval"]
    left_out = ", lost rollouts left out" if pair["lost"] and low <= 0 <= high else ""
    return f" (95% interval {difference(low, UNIT)} to {difference(high, UNIT)}{left_out})"


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """The agent's effect at one model, where its interval leaves out zero: what no other comparison isolates."""
    for place, pair in enumerate(answer["pairs"]):
        if pair["factor"] == AGENT and pair["interval"] and pair["interval"][1] < 0:
            yield next(_words(place, pair))
            return
