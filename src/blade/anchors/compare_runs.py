"""One run against the others on the tasks they share: ways of failing, slices and tasks that go against the whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

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
from blade.anchors.table import Ints, Mark, Table
from blade.wording import count, listed, percent, points

FEWEST = 5
FEWEST_TASKS = 4
TWICE = 2.0
TURNED = 0.5
MOST_TURNED = 3


@dataclass(frozen=True, slots=True)
class Pair:
    """Two runs and the places of the tasks they share."""

    one: Table
    two: Table
    of_one: Ints
    of_two: Ints

    def rates(self, rows_one: Ints, rows_two: Ints) -> Floats:
        """What one task has more of in the first run than in the second, as a rate: one number a shared task."""
        first = rows_one[self.of_one] / np.maximum(self.one.attempts[self.of_one], 1)
        second = rows_two[self.of_two] / np.maximum(self.two.attempts[self.of_two], 1)
        return np.asarray(first - second)


def between_facts(table: Table, others: Sequence[Table], seed: int) -> Iterator[Candidate]:
    pairs = [pair for other in others if (pair := _pair(table, other)) is not None]
    if not pairs:
        return
    yield from _modes(pairs, seed)
    if table.judged and all(other.judged for other in others):
        for pair in pairs:
            yield from _against_the_whole(pair, seed)
        turned = sorted((one for pair in pairs for one in _turned(pair)), key=lambda one: one.guessability or 1.0)
        yield from turned[:MOST_TURNED]
        yield from _lone_tasks(table, pairs)


def _pair(one: Table, two: Table) -> Pair | None:
    place = {key: number for number, key in enumerate(two.keys)}
    shared = [(number, place[key]) for number, key in enumerate(one.keys) if key in place]
    if len(shared) < FEWEST_TASKS:
        return None
    first, second = zip(*shared, strict=True)
    return Pair(one, two, np.array(first, np.int64), np.array(second, np.int64))


def _marks(table: Table) -> dict[str, Mark]:
    return {f"{mark.sort}|{mark.id}": mark for mark in table.of_sort("mode")}


def _modes(pairs: Sequence[Pair], seed: int) -> Iterator[Candidate]:
    """Ways of failing that one run shows twice as often as another. Chance swaps the runs task by task."""
    rng = dice(seed, f"between|{pairs[0].one.run}")
    found: list[tuple[Pair, Mark, Ints, Ints, Floats]] = []
    for pair in pairs:
        one, two = _marks(pair.one), _marks(pair.two)
        for key in sorted({*one, *two}):
            first, second = (
                table.per_task(marks[key].rows) if key in marks else np.zeros(len(table.tasks), np.int64)
                for table, marks in ((pair.one, one), (pair.two, two))
            )
            found.append((pair, one.get(key) or two[key], first, second, pair.rates(first, second)))
    signs = {id(pair): rng.choice([-1.0, 1.0], (PERMUTATIONS, pair.of_one.size)) for pair in pairs}
    weights = {id(pair): draws(rng, pair.of_one.size) for pair in pairs}
    seen = np.array([apart.mean() for *_, apart in found])
    permuted = np.stack([signs[id(pair)] @ apart / apart.size for pair, *_, apart in found], axis=1)
    both = np.concatenate([seen, -seen]), np.concatenate([permuted, -permuted], axis=1)
    adjusted = familywise(*both).reshape(2, -1).min(axis=0)
    best: dict[str, int] = {}
    for place, (_, mark, *_) in enumerate(found):
        if place not in best.values() and abs(seen[place]) > abs(seen[best.get(mark.id, place)]) - 1e-12:
            best[mark.id] = place
    for place in sorted(best.values()):
        pair, mark, first, second, apart = found[place]
        if (
            adjusted[place] <= SURE
            and (made := _mode_fact(pair, mark, first, second, _rank(pairs, mark.id))) is not None
        ):
            sign = np.sign(seen[place])
            guess = share(sign * permuted[:, place] >= 0.9 * abs(seen[place]))
            yield from made.tried(guess, np.asarray(sign * (weights[id(pair)] @ apart) > 0))


def _rank(pairs: Sequence[Pair], mode: str) -> str:
    """Where this run stands among more than two: the most of all, or the least."""
    if len(pairs) < 2:
        return ""

    def rate(table: Table) -> float:
        return float(next((mark.rows.mean() for mark in table.of_sort("mode") if mark.id == mode), 0.0))

    own, others = rate(pairs[0].one), [rate(pair.two) for pair in pairs]
    if own > max(others):
        return f", the most of all {len(pairs) + 1} runs"
    return f", the least of all {len(pairs) + 1} runs" if own < min(others) else ""


def _mode_fact(pair: Pair, mark: Mark, first: Ints, second: Ints, rank: str) -> Candidate | None:
    counts = int(first[pair.of_one].sum()), int(second[pair.of_two].sum())
    wholes = int(pair.one.attempts[pair.of_one].sum()), int(pair.two.attempts[pair.of_two].sum())
    rates = counts[0] / wholes[0], counts[1] / wholes[1]
    if max(counts) < FEWEST or max(rates) < TWICE * min(rates) or not _shown_alike(pair, mark.id, rates):
        return None
    holder = pair.one if mark in pair.one.marks else pair.two
    return Candidate(
        "contrast",
        MECHANISM,
        f"{of(counts[0], wholes[0])} rollouts of `{pair.one.run}` {mark.words}{rank}, "
        f"against {of(counts[1], wholes[1])} of `{pair.two.run}` on the tasks they share.",
        about(
            {"run": pair.one.run, "against": pair.two.run, mark.sort: mark.id, "count": counts[0], "of": wholes[0]},
            mark_entity(mark),
            (pair.two.run, {}),
            topic=(mark.id, pair.two.run),
            share=max(rates),
        ),
        "difference",
        ">=" if rates[0] > rates[1] else "<=",
        rates[0] - rates[1],
        0.02,
        citations=cited(mark, holder),
        causal=1,
    )


def _shown_alike(pair: Pair, mode: str, rates: tuple[float, float]) -> bool:
    """Whether the sign itself stands on twice as many rollouts, too: a mode may only have given way to a nearer one."""
    shown = [
        float(table.showing(mode)[where].sum() / table.attempts[where].sum())
        for table, where in ((pair.one, pair.of_one), (pair.two, pair.of_two))
    ]
    return max(shown) >= TWICE * min(shown) and (shown[0] > shown[1]) == (rates[0] > rates[1])


def _against_the_whole(pair: Pair, seed: int) -> Iterator[Candidate]:
    """Slices in which the run that is worse on the whole is better."""
    rng = dice(seed, f"against|{pair.one.run}|{pair.two.run}")
    apart = pair.rates(pair.one.passes, pair.two.passes)
    whole = float(apart.mean())
    if whole == 0:
        return
    sign = -np.sign(whole)
    cells, names = [], []
    for field in pair.one.fields:
        for level in range(len(field.levels)):
            inside = field.of_task[pair.of_one] == level
            if inside.sum() >= FEWEST_TASKS:
                cells.append(inside / inside.sum())
                names.append((field, level))
    if not cells:
        return
    rows = np.stack(cells, axis=1)
    permuted = (sign * apart[np.argsort(rng.random((PERMUTATIONS, apart.size)), axis=1)]) @ rows
    seen = sign * apart @ rows
    adjusted = familywise(seen, permuted)
    drawn = draws(rng, apart.size)
    for place, (field, level) in enumerate(names):
        if seen[place] <= 0 or adjusted[place] > SURE:
            continue
        inside = rows[:, place] > 0
        rates = [
            float((table.passes[where] / np.maximum(table.attempts[where], 1))[inside].mean())
            for table, where in ((pair.one, pair.of_one), (pair.two, pair.of_two))
        ]
        name = field.levels[level]
        made = Candidate(
            "contrast",
            MECHANISM,
            f"Against the whole ({points(whole)}), `{pair.one.run}` is {'better' if sign > 0 else 'worse'} than "
            f"`{pair.two.run}` in {level_words(field, level)}: {percent(rates[0])} against {percent(rates[1])}.",
            about(
                {"run": pair.one.run, "against": pair.two.run, "field": field.name, "level": name},
                level_entity(field, level),
                (pair.two.run, {}),
                topic=(f"{field.name}={name}", pair.two.run),
            ),
            "difference",
            ">=" if sign > 0 else "<=",
            rates[0] - rates[1],
            0.02,
            contrary=True,
            causal=1,
        )
        yield from made.tried(share(permuted[:, place] >= 0.9 * seen[place]), sign * (drawn @ (apart * inside)) > 0)


def _turned(pair: Pair) -> Iterator[Candidate]:
    """Tasks that go clearly against the whole: the run that is better passes them far less often."""
    rates = [table.passes / np.maximum(table.attempts, 1) for table in (pair.one, pair.two)]
    shared = rates[0][pair.of_one], rates[1][pair.of_two]
    sign = -np.sign((shared[0] - shared[1]).mean())
    apart = sign * (shared[0] - shared[1])
    if sign == 0 or min(pair.one.attempts.max(), pair.two.attempts.max()) < 2:
        return
    for place in np.argsort(-apart, kind="stable")[:MOST_TURNED].tolist():
        if apart[place] < TURNED:
            break
        chance = float((sign * (shared[0][:, None] - shared[1][None, :]) >= apart[place]).mean())
        yield from _turned_fact(pair, place, float(-sign)).tried(max(chance, 1e-4), 1.0)


def _turned_fact(pair: Pair, place: int, sign: float) -> Candidate:
    one, two = int(pair.of_one[place]), int(pair.of_two[place])
    name = pair.one.tasks[one]
    passes = int(pair.one.passes[one]), int(pair.two.passes[two])
    attempts = int(pair.one.attempts[one]), int(pair.two.attempts[two])
    return Candidate(
        "contrast",
        TASK,
        f"Although `{pair.one.run}` is {'better' if sign > 0 else 'worse'} than `{pair.two.run}` on the whole, "
        f"{task_words(name)} passes {passes[0]} of {attempts[0]} times in it, and {passes[1]} of {attempts[1]} in the "
        "other.",
        about(
            {"run": pair.one.run, "against": pair.two.run, "task": name},
            task_entity(name),
            (pair.two.run, {}),
            topic=(name, pair.two.run),
            share=1 / len(pair.one.tasks),
        ),
        "passes",
        "==",
        passes[0],
        contrary=True,
        causal=1,
    )


def _lone_tasks(table: Table, pairs: Sequence[Pair]) -> Iterator[Candidate]:
    """Tasks that this run alone always passes, or alone never does. Chance: how often runs do so on other tasks."""
    attempts, passes = table.attempts, table.passes
    for pairing in range(len(table.tasks)):
        here = [(pair.two, int(place[0])) for pair in pairs if (place := pair.of_two[pair.of_one == pairing]).size]
        if len(here) < len(pairs) or attempts[pairing] < 2:
            continue
        for sign, all_here in ((1, passes[pairing] == attempts[pairing]), (-1, passes[pairing] == 0)):
            others = [_ends(other, place, -sign) for other, place in here]
            if not (all_here and all(others)):
                continue
            chance = float(_ended(table, sign).mean() * np.prod([_ended(pair.two, -sign).mean() for pair in pairs]))
            yield from _lone_fact(table, pairing, here, sign).tried(max(chance, 1e-4), 1.0)


def _ended(table: Table, sign: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    return np.asarray(table.passes == (table.attempts if sign > 0 else 0))


def _ends(table: Table, place: int, sign: int) -> bool:
    return bool(_ended(table, sign)[place])


def _lone_fact(table: Table, task: int, here: Sequence[tuple[Table, int]], sign: int) -> Candidate:
    many, done = int(table.attempts[task]), int(table.passes[task])
    tried = sum(int(other.attempts[place]) for other, place in here)
    runs = [f"`{other.run}`" for other, _ in here]
    others = runs[0] if len(runs) == 1 else listed(runs) if len(runs) <= 3 else f"all {len(runs)} other runs"
    told = f"{count(tried, 'attempt')} of {others} {'all fail' if sign > 0 else 'all pass'}"
    name = table.tasks[task]
    return Candidate(
        "contrast",
        TASK,
        f"`{table.run}` passes {task_words(name)} {done} of {many} times, while {told} there.",
        about(
            {"run": table.run, "task": name, "against": [other.run for other, _ in here]},
            task_entity(name),
            topic=(name,),
            share=1 / len(table.tasks),
        ),
        "passes",
        "==",
        done,
        contrary=sign * _better(table, [other for other, _ in here]) < 0,
        causal=1,
    )


def _better(table: Table, others: Sequence[Table]) -> float:
    """Whether a run passes more often than the others together."""
    return float(table.passed.mean() - np.mean([other.passed.mean() for other in others]))
