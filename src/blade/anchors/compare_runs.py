"""One run against the others on the tasks they share: ways of failing, slices and tasks that go against the whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from blade.anchors.candidate import (
    MECHANISM,
    TASK,
    Candidate,
    about,
    cited,
    level_entity,
    level_words,
    mark_entity,
    of,
    task_entity,
    task_words,
)
from blade.anchors.chance import PERMUTATIONS, SURE, Floats, dice, draws, familywise, share
from blade.anchors.table import Ints, RolloutMark, RolloutTable
from blade.frozen import frozen
from blade.wording import count, listed, percent, points

FEWEST = 5
FEWEST_TASKS = 4
TWICE = 2.0
TURNED = 0.5
MOST_TURNED = 3


@frozen
class RunPair:
    """Two runs and the places of the tasks they share."""

    first: RolloutTable
    second: RolloutTable
    of_first: Ints
    of_second: Ints

    def rates(self, rows_one: Ints, rows_two: Ints) -> Floats:
        """What one task has more of in the first run than in the second, as a rate: one number a shared task."""
        first = rows_one[self.of_first] / np.maximum(self.first.attempts[self.of_first], 1)
        second = rows_two[self.of_second] / np.maximum(self.second.attempts[self.of_second], 1)
        return np.asarray(first - second)


def comparison_facts(table: RolloutTable, other_tables: Sequence[RolloutTable], seed: int) -> Iterator[Candidate]:
    pairs = [pair for other_table in other_tables if (pair := _pair(table, other_table)) is not None]
    if not pairs:
        return
    yield from _modes(pairs, seed)
    if table.judged and all(other_table.judged for other_table in other_tables):
        for pair in pairs:
            yield from _against_the_whole(pair, seed)
        turned = sorted((fact for pair in pairs for fact in _turned(pair)), key=lambda fact: fact.guessability or 1.0)
        yield from turned[:MOST_TURNED]
        yield from _lone_tasks(table, pairs)


def _pair(left: RolloutTable, right: RolloutTable) -> RunPair | None:
    place = {key: number for number, key in enumerate(right.keys)}
    shared = [(number, place[key]) for number, key in enumerate(left.keys) if key in place]
    if len(shared) < FEWEST_TASKS:
        return None
    first, second = zip(*shared, strict=True)
    return RunPair(left, right, np.array(first, np.int64), np.array(second, np.int64))


def _marks(table: RolloutTable) -> dict[str, RolloutMark]:
    return {f"{mark.sort}|{mark.id}": mark for mark in table.of_sort("mode")}


def _modes(pairs: Sequence[RunPair], seed: int) -> Iterator[Candidate]:
    """Ways of failing that one run shows twice as often as another. Chance swaps the runs task by task."""
    rng = dice(seed, f"between|{pairs[0].first.run}")
    differences: list[tuple[RunPair, RolloutMark, Ints, Ints, Floats]] = []
    for pair in pairs:
        marks_of_first, marks_of_second = _marks(pair.first), _marks(pair.second)
        for key in sorted({*marks_of_first, *marks_of_second}):
            first, second = (
                table.per_task(marks[key].rows) if key in marks else np.zeros(len(table.tasks), np.int64)
                for table, marks in ((pair.first, marks_of_first), (pair.second, marks_of_second))
            )
            differences.append(
                (pair, marks_of_first.get(key) or marks_of_second[key], first, second, pair.rates(first, second))
            )
    signs = {id(pair): rng.choice([-1.0, 1.0], (PERMUTATIONS, pair.of_first.size)) for pair in pairs}
    weights = {id(pair): draws(rng, pair.of_first.size) for pair in pairs}
    observed = np.array([apart.mean() for *_, apart in differences])
    permuted = np.stack([signs[id(pair)] @ apart / apart.size for pair, *_, apart in differences], axis=1)
    two_sided = np.concatenate([observed, -observed]), np.concatenate([permuted, -permuted], axis=1)
    adjusted = familywise(*two_sided).reshape(2, -1).min(axis=0)
    best: dict[str, int] = {}
    for place, (_, mark, *_) in enumerate(differences):
        if place not in best.values() and abs(observed[place]) > abs(observed[best.get(mark.id, place)]) - 1e-12:
            best[mark.id] = place
    for place in sorted(best.values()):
        pair, mark, first, second, apart = differences[place]
        if (
            adjusted[place] <= SURE
            and (fact := _mode_fact(pair, mark, first, second, _rank(pairs, mark.id))) is not None
        ):
            sign = np.sign(observed[place])
            guess = share(sign * permuted[:, place] >= 0.9 * abs(observed[place]))
            yield from fact.tried(guess, np.asarray(sign * (weights[id(pair)] @ apart) > 0))


def _rank(pairs: Sequence[RunPair], mode: str) -> str:
    """Where this run stands among more than two: the most of all, or the least."""
    if len(pairs) < 2:
        return ""

    def rate(table: RolloutTable) -> float:
        return float(next((mark.rows.mean() for mark in table.of_sort("mode") if mark.id == mode), 0.0))

    own_rate, other_rates = rate(pairs[0].first), [rate(pair.second) for pair in pairs]
    if own_rate > max(other_rates):
        return f", the most of all {len(pairs) + 1} runs"
    return f", the least of all {len(pairs) + 1} runs" if own_rate < min(other_rates) else ""


def _mode_fact(pair: RunPair, mark: RolloutMark, first: Ints, second: Ints, rank: str) -> Candidate | None:
    counts = int(first[pair.of_first].sum()), int(second[pair.of_second].sum())
    wholes = int(pair.first.attempts[pair.of_first].sum()), int(pair.second.attempts[pair.of_second].sum())
    rates = counts[0] / wholes[0], counts[1] / wholes[1]
    if max(counts) < FEWEST or max(rates) < TWICE * min(rates) or not _shown_alike(pair, mark.id, rates):
        return None
    holder = pair.first if mark in pair.first.marks else pair.second
    return Candidate(
        "contrast",
        MECHANISM,
        f"{of(counts[0], wholes[0])} rollouts of `{pair.first.run}` {mark.words}{rank}, "
        f"against {of(counts[1], wholes[1])} of `{pair.second.run}` on the tasks they share.",
        about(
            {
                "run": pair.first.run,
                "against": pair.second.run,
                mark.sort: mark.id,
                "count": counts[0],
                "of": wholes[0],
            },
            mark_entity(mark),
            (pair.second.run, {}),
            topic=(mark.id, pair.second.run),
            share=max(rates),
        ),
        "difference",
        ">=" if rates[0] > rates[1] else "<=",
        rates[0] - rates[1],
        0.02,
        citations=cited(mark, holder),
        causal=1,
    )


def _shown_alike(pair: RunPair, mode: str, rates: tuple[float, float]) -> bool:
    """Whether the sign itself stands on twice as many rollouts, too: a mode may only have given way to a nearer one."""
    rates_shown = [
        float(table.showing(mode)[tasks].sum() / table.attempts[tasks].sum())
        for table, tasks in ((pair.first, pair.of_first), (pair.second, pair.of_second))
    ]
    return max(rates_shown) >= TWICE * min(rates_shown) and (rates_shown[0] > rates_shown[1]) == (rates[0] > rates[1])


def _against_the_whole(pair: RunPair, seed: int) -> Iterator[Candidate]:
    """Slices in which the run that is worse on the whole is better."""
    rng = dice(seed, f"against|{pair.first.run}|{pair.second.run}")
    apart = pair.rates(pair.first.passes, pair.second.passes)
    mean_difference = float(apart.mean())
    if mean_difference == 0:
        return
    sign = -np.sign(mean_difference)
    cells, names = [], []
    for field in pair.first.fields:
        for level in range(len(field.levels)):
            in_level = field.of_task[pair.of_first] == level
            if in_level.sum() >= FEWEST_TASKS:
                cells.append(in_level / in_level.sum())
                names.append((field, level))
    if not cells:
        return
    rows = np.stack(cells, axis=1)
    permuted = (sign * apart[np.argsort(rng.random((PERMUTATIONS, apart.size)), axis=1)]) @ rows
    observed = sign * apart @ rows
    adjusted = familywise(observed, permuted)
    weights = draws(rng, apart.size)
    for place, (field, level) in enumerate(names):
        if observed[place] <= 0 or adjusted[place] > SURE:
            continue
        in_level = rows[:, place] > 0
        rates = [
            float((table.passes[tasks] / np.maximum(table.attempts[tasks], 1))[in_level].mean())
            for table, tasks in ((pair.first, pair.of_first), (pair.second, pair.of_second))
        ]
        name = field.levels[level]
        fact = Candidate(
            "contrast",
            MECHANISM,
            f"Against the whole ({points(mean_difference)}), `{pair.first.run}` is {'better' if sign > 0 else 'worse'} "
            f"than `{pair.second.run}` in {level_words(field, level)}: {percent(rates[0])} "
            f"against {percent(rates[1])}.",
            about(
                {"run": pair.first.run, "against": pair.second.run, "field": field.name, "level": name},
                level_entity(field, level),
                (pair.second.run, {}),
                topic=(f"{field.name}={name}", pair.second.run),
            ),
            "difference",
            ">=" if sign > 0 else "<=",
            rates[0] - rates[1],
            0.02,
            contrary=True,
            causal=1,
        )
        yield from fact.tried(
            share(permuted[:, place] >= 0.9 * observed[place]), sign * (weights @ (apart * in_level)) > 0
        )


def _turned(pair: RunPair) -> Iterator[Candidate]:
    """Tasks that go clearly against the whole: the run that is better passes them far less often."""
    rates = [table.passes / np.maximum(table.attempts, 1) for table in (pair.first, pair.second)]
    shared = rates[0][pair.of_first], rates[1][pair.of_second]
    sign = -np.sign((shared[0] - shared[1]).mean())
    apart = sign * (shared[0] - shared[1])
    if sign == 0 or min(pair.first.attempts.max(), pair.second.attempts.max()) < 2:
        return
    for place in np.argsort(-apart, kind="stable")[:MOST_TURNED].tolist():
        if apart[place] < TURNED:
            break
        chance = float((sign * (shared[0][:, None] - shared[1][None, :]) >= apart[place]).mean())
        yield from _turned_fact(pair, place, float(-sign)).tried(max(chance, 1e-4), 1.0)


def _turned_fact(pair: RunPair, place: int, sign: float) -> Candidate:
    first_task, second_task = int(pair.of_first[place]), int(pair.of_second[place])
    name = pair.first.tasks[first_task]
    passes = int(pair.first.passes[first_task]), int(pair.second.passes[second_task])
    attempts = int(pair.first.attempts[first_task]), int(pair.second.attempts[second_task])
    return Candidate(
        "contrast",
        TASK,
        f"Although `{pair.first.run}` is {'better' if sign > 0 else 'worse'} than `{pair.second.run}` on the whole, "
        f"{task_words(name)} passes {passes[0]} of {attempts[0]} times in it, and {passes[1]} of {attempts[1]} in the "
        "other.",
        about(
            {"run": pair.first.run, "against": pair.second.run, "task": name},
            task_entity(name),
            (pair.second.run, {}),
            topic=(name, pair.second.run),
            share=1 / len(pair.first.tasks),
        ),
        "passes",
        "==",
        passes[0],
        contrary=True,
        causal=1,
    )


def _lone_tasks(table: RolloutTable, pairs: Sequence[RunPair]) -> Iterator[Candidate]:
    """Tasks that this run alone always passes, or alone never does. Chance: how often runs do so on other tasks."""
    attempts, passes = table.attempts, table.passes
    for pairing in range(len(table.tasks)):
        counterparts = [
            (pair.second, int(place[0])) for pair in pairs if (place := pair.of_second[pair.of_first == pairing]).size
        ]
        if len(counterparts) < len(pairs) or attempts[pairing] < 2:
            continue
        for sign, all_here in ((1, passes[pairing] == attempts[pairing]), (-1, passes[pairing] == 0)):
            all_opposite = [_ends(other_table, place, -sign) for other_table, place in counterparts]
            if not (all_here and all(all_opposite)):
                continue
            chance = float(_ended(table, sign).mean() * np.prod([_ended(pair.second, -sign).mean() for pair in pairs]))
            yield from _lone_fact(table, pairing, counterparts, sign).tried(max(chance, 1e-4), 1.0)


def _ended(table: RolloutTable, sign: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    return np.asarray(table.passes == (table.attempts if sign > 0 else 0))


def _ends(table: RolloutTable, place: int, sign: int) -> bool:
    return bool(_ended(table, sign)[place])


def _lone_fact(
    table: RolloutTable, task: int, counterparts: Sequence[tuple[RolloutTable, int]], sign: int
) -> Candidate:
    attempts, passes = int(table.attempts[task]), int(table.passes[task])
    other_attempts = sum(int(other_table.attempts[place]) for other_table, place in counterparts)
    runs = [f"`{other_table.run}`" for other_table, _ in counterparts]
    run_names = runs[0] if len(runs) == 1 else listed(runs) if len(runs) <= 3 else f"all {len(runs)} other runs"
    outcome_text = f"{count(other_attempts, 'attempt')} of {run_names} {'all fail' if sign > 0 else 'all pass'}"
    name = table.tasks[task]
    return Candidate(
        "contrast",
        TASK,
        f"`{table.run}` passes {task_words(name)} {passes} of {attempts} times, while {outcome_text} there.",
        about(
            {"run": table.run, "task": name, "against": [other_table.run for other_table, _ in counterparts]},
            task_entity(name),
            topic=(name,),
            share=1 / len(table.tasks),
        ),
        "passes",
        "==",
        passes,
        contrary=sign * _better(table, [other_table for other_table, _ in counterparts]) < 0,
        causal=1,
    )


def _better(table: RolloutTable, other_tables: Sequence[RolloutTable]) -> float:
    """Whether a run passes more often than the others together."""
    return float(table.passed.mean() - np.mean([other_table.passed.mean() for other_table in other_tables]))
