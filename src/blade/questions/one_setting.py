"""What does one recorded setting change, in all pairs of runs of one model that differ in nothing else?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from blade.change.config_diff import CONFIG, ConfigField, passport
from blade.change.single_differences import ROWS_ALONE
from blade.counting.align import Alignment
from blade.diagnosis.cases import Case, RunCases
from blade.document import Block, Bullets, Paragraph, Sentence, say
from blade.extract.names import words
from blade.questions import by_task, in_order, judged, task_list
from blade.stats.strata import Table, exact_p
from blade.wording import amount, count, fact, listed, p_value

TITLE = "Runs that differ in one setting"
ORDER = 11
WEIGHT = 1.3
FEWEST_RUNS, MOST_RUNS = 3, 16
FEWEST_TASKS = 5
SHOWN = 6
SHORTEST_WORD = 4
REAL = 0.05
PROMPTS = ("prompt", "system prompt")
NO_SETTING = frozenset({"model", "agent", "checkpoint", "verifier", "verifier fields", "reward scale", *PROMPTS})
"""Who was tried, who judged, and the text that follows from a setting."""
OF_THE_CODE = frozenset("revision commit sha".split())
"""Words of what stamps the code: it moves with every change of it, whether the change touches a run or not."""
OF_A_PROMPT = frozenset("prompt template instruction instructions system".split())


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Per setting and its two values the pairs that differ in it alone, each and pooled.

    Two runs are compared elsewhere; where there are more, nothing else holds those against each other that are alike.
    """
    if not FEWEST_RUNS <= len(runs) <= MOST_RUNS:
        return None
    groups: defaultdict[tuple[str, frozenset[str]], list[tuple[dict[str, Any], list[Table]]]] = defaultdict(list)
    values: dict[tuple[str, frozenset[str]], list[str]] = {}
    for first, second in combinations(runs, 2):
        setting = _only_setting(first, second)
        if setting is None:
            continue
        group = str(setting["field"]), frozenset(setting["values"])
        order = values.setdefault(group, setting["values"])
        left, right = (first, second) if order == setting["values"] else (second, first)
        pair, tables = _pair(left, right)
        if pair["tasks"] >= FEWEST_TASKS:
            groups[group].append((pair | {key: setting[key] for key in ("prompt", "code")}, tables))
    entries = [
        {
            "field": group[0],
            "values": values[group],
            "pairs": [pair for pair, _ in pairs],
            "pooled": _pooled(pairs),
        }
        for group, pairs in groups.items()
    ]
    return {"settings": sorted(entries, key=lambda entry: (-len(entry["pairs"]), entry["field"]))} if entries else None


def _only_setting(first: RunCases, second: RunCases) -> dict[str, Any] | None:
    """The setting that two runs of one model differ in, with the lines of the prompt that it brings, and no other."""
    model = _only_model(first)
    if model is None or model != _only_model(second) or first.run.agent != second.run.agent:
        return None
    moved = [field for field in passport(first.run, second.run, _alignment(first, second)).moved if _counts(field)]
    code = [field.field for field in moved if _stamps_the_code(field)]
    prompts = [field for field in moved if field.field in PROMPTS]
    settings = [field for field in moved if field.field not in {*code, *PROMPTS}]
    if len(settings) != 1 or settings[0].field in NO_SETTING:
        return None
    (setting,) = settings
    if any(not _explained(setting, prompt) for prompt in prompts):
        return None
    return {
        "field": setting.field.removeprefix(CONFIG),
        "values": [str(setting.base), str(setting.candidate)],
        "prompt": bool(prompts),
        "code": [name.removeprefix(CONFIG) for name in code],
    }


def _counts(field: ConfigField) -> bool:
    return field.field not in ROWS_ALONE and field.role is not None


def _stamps_the_code(field: ConfigField) -> bool:
    return not OF_THE_CODE.isdisjoint(words(field.field)[-1:])


def _explained(setting: ConfigField, prompt: ConfigField) -> bool:
    """Whether the lines in which two prompts differ bear the setting's name, or the setting is one of prompts."""
    name = {word for word in words(setting.field.rpartition(".")[2]) if len(word) >= SHORTEST_WORD}
    if name & OF_A_PROMPT:
        return True
    new_words = {word for key in ("removed_words", "added_words") for word in (prompt.diff or {}).get(key, ())}
    return bool(name & new_words)


def _only_model(run: RunCases) -> str | None:
    models = run.run.graded["model"].drop_nulls().unique().to_list()
    return str(models[0]) if len(models) == 1 else None


def _alignment(base: RunCases, candidate: RunCases) -> Alignment:
    """Tasks of two runs by the names that they have over all runs."""
    base_tasks, candidate_tasks = (
        dict(zip((case.key for case in run.cases), run.run.graded["task"].to_list(), strict=True))
        for run in (base, candidate)
    )
    same = {task: base_tasks[key] for key, task in candidate_tasks.items() if key in base_tasks}
    return Alignment("key", "the names over all runs", same)


def _pair(first: RunCases, second: RunCases) -> tuple[dict[str, Any], list[Table]]:
    """Passes of both on the tasks judged in both, the tasks that end otherwise, and the exact test inside tasks."""
    left, right = by_task(judged(first)), by_task(judged(second))
    common = [key for key in left if key in right]
    tables = {key: (*_outcomes(left[key]), *_outcomes(right[key])) for key in common}
    change = {key: _rate(right[key]) - _rate(left[key]) for key in common}
    written = list(tables.values())
    return {
        "runs": [first.run.name, second.run.name],
        "model": _only_model(first),
        "tasks": len(common),
        **_sums(written),
        "lost": in_order(left[key][0].label for key in common if change[key] < 0),
        "gained": in_order(left[key][0].label for key in common if change[key] > 0),
    }, written


def _sums(tables: Sequence[Table]) -> dict[str, Any]:
    p = exact_p(tables)
    return {
        "passes": [sum(table[place] for table in tables) for place in (0, 2)],
        "rollouts": [sum(table[place] + table[place + 1] for table in tables) for place in (0, 2)],
        "p": 1.0 if p is None else p,
    }


def _outcomes(cases: Sequence[Case]) -> tuple[int, int]:
    passes = sum(bool(case.passed) for case in cases)
    return passes, len(cases) - passes


def _rate(cases: Sequence[Case]) -> float:
    return _outcomes(cases)[0] / len(cases)


def _pooled(pairs: Sequence[tuple[Mapping[str, Any], Sequence[Table]]]) -> dict[str, Any] | None:
    """All pairs together, each task of each pair by itself; None where a run stands in two pairs."""
    names = [run for pair, _ in pairs for run in pair["runs"]]
    if len(pairs) < 2 or len(set(names)) < len(names):
        return None
    return {
        **_sums([table for _, tables in pairs for table in tables]),
        "lost": sum(len(pair["lost"]) for pair, _ in pairs),
        "gained": sum(len(pair["gained"]) for pair, _ in pairs),
    }


def tell(answer: Mapping[str, Any]) -> list[Block]:
    blocks: list[Block] = []
    for place, entry in enumerate(answer["settings"]):
        items = [Paragraph((_pair_words(place, number, entry),)) for number in range(min(len(entry["pairs"]), SHOWN))]
        blocks += [Paragraph((_head(entry),)), Bullets(tuple(items))]
        if entry["pooled"]:
            blocks.append(Paragraph((_pooled_words(place, entry),)))
    return blocks


def _head(entry: Mapping[str, Any]) -> Sentence:
    pairs = entry["pairs"]
    prompt = ", with the lines of the prompt that bear its name" if any(pair["prompt"] for pair in pairs) else ""
    code = sorted({name for pair in pairs for name in pair["code"]})
    return say(
        "As far as the record says, {these} in “{setting}”{alone} ({values}{prompt}){code}:",
        these="two runs of one model differ" if len(pairs) == 1 else "the two runs of each of these pairs differ",
        setting=str(entry["field"]),
        alone="" if code else " alone",
        values=" and ".join(entry["values"]),
        prompt=prompt,
        code=f" and in the stamp of the code ({listed(code)}), of which it does not say what changed" if code else "",
    )


def _pair_words(place: int, number: int, entry: Mapping[str, Any]) -> Sentence:
    pair = entry["pairs"][number]
    at = ("investigation", "one_setting", "settings", place, "pairs", number)
    first, second = pair["runs"]
    return say(
        "{model}: {passes} of {rollouts} pass at {setting} = {value} ({first}) and {other_passes} of {other_rollouts} "
        "at {other_value} ({second}), on the {tasks} judged in both; the second passes less often in {lost} and more "
        "often in {gained} (exact test p {p}).",
        model=_name(pair),
        setting=_last(entry["field"]),
        value=entry["values"][0],
        other_value=entry["values"][1],
        passes=amount(pair["passes"][0], *at, "passes", 0),
        rollouts=amount(pair["rollouts"][0], *at, "rollouts", 0),
        first=first,
        other_passes=amount(pair["passes"][1], *at, "passes", 1),
        other_rollouts=amount(pair["rollouts"][1], *at, "rollouts", 1),
        second=second,
        tasks=fact(count(pair["tasks"], "task"), pair["tasks"], *at, "tasks"),
        lost=_with_ids(pair["lost"]),
        gained=_with_ids(pair["gained"]),
        p=p_value(pair["p"], *at, "p"),
    )


def _last(field: str) -> str:
    return field.rpartition(".")[2]


def _with_ids(labels: Sequence[str]) -> str:
    return f"{len(labels):,} ({task_list(labels)})" if labels else "none"


def _pooled_words(place: int, entry: Mapping[str, Any]) -> Sentence:
    pooled = entry["pooled"]
    at = ("investigation", "one_setting", "settings", place, "pooled")
    return say(
        "Over the {pairs} pairs of runs of one model that differ in “{setting}”{code}, {passes} of {rollouts} pass "
        "at {value} ({by_pair}) and {other_passes} of {other_rollouts} at {other_value} ({other_by_pair}); {lost} pass "
        "less often at the second and {gained} more often (exact test p {p}): {verdict}.",
        pairs=f"{len(entry['pairs']):,}",
        setting=_last(entry["field"]),
        code=" (and in the stamp of the code)" if any(pair["code"] for pair in entry["pairs"]) else "",
        value=entry["values"][0],
        other_value=entry["values"][1],
        passes=amount(pooled["passes"][0], *at, "passes", 0),
        rollouts=amount(pooled["rollouts"][0], *at, "rollouts", 0),
        by_pair=_by_pair(entry, 0),
        other_passes=amount(pooled["passes"][1], *at, "passes", 1),
        other_rollouts=amount(pooled["rollouts"][1], *at, "rollouts", 1),
        other_by_pair=_by_pair(entry, 1),
        lost=fact(count(pooled["lost"], "task"), pooled["lost"], *at, "lost"),
        gained=amount(pooled["gained"], *at, "gained"),
        p=p_value(pooled["p"], *at, "p"),
        verdict="chance alone hardly does that" if pooled["p"] < REAL else "chance may explain it",
    )


def _by_pair(entry: Mapping[str, Any], side: int) -> str:
    return ", ".join(f"{_name(pair)} {pair['passes'][side]:,}" for pair in entry["pairs"])


def _name(pair: Mapping[str, Any]) -> str:
    """The model without who serves it."""
    return str(pair["model"]).rpartition("/")[2]


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """What the setting does over several pairs: no comparison with the baseline says that."""
    for place, entry in enumerate(answer["settings"]):
        if entry["pooled"]:
            yield _pooled_words(place, entry)
            return
