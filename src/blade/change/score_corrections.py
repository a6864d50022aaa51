"""The corrected scores of a pair of runs: rows as the ledger reads them, and what was corrected before.

Rewards on another scale are put on one by one affine map from one run to the other, exact or not at all.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Literal

import polars as pl

from blade.change.broken_tools import CLASS, BrokenTool
from blade.change.gold import Regraded, changed_keys
from blade.change.other_judges import OtherJudge, other_judge
from blade.change.pair import ONLY_CANDIDATE, Pair
from blade.change.shared_outputs import SharedOutputs
from blade.change.witness import Witness, witness
from blade.counting.run import Run
from blade.frozen import frozen
from blade.stats import ledger

EXACT = 1e-9
FEWEST_SHARED = 3
MOST_ATOMS = 64


Side = Literal["base", "candidate"]


@frozen
class Rescale:
    """A reward on the common scale = intercept + slope · reward. `side` is the run that has to be mapped.

    The other run is on the common scale already: the one within 0..1 or, where that settles nothing, the one whose
    rewards differ less in size. It is the same run whichever comes first, so swapping the runs mirrors every number.
    """

    slope: float
    intercept: float
    side: Side = "candidate"

    def __call__(self, value: float) -> float:
        return self.intercept + self.slope * value


def find_rescale(
    base: Sequence[float], candidate: Sequence[float], shared: Sequence[tuple[float, float]]
) -> Rescale | None:
    """The map that puts one run's rewards on the other's scale, if the two supports differ in scale.

    Either the supports are images of each other (two atoms say nothing unless a run leaves 0..1), or over shared
    outputs one map sends every distinct value to its partner, over at least three values. A good fit is not enough.
    """
    left, right = sorted(set(base)), sorted(set(candidate))
    if len(left) < 2 or len(right) < 2 or left == right:
        return None
    side: Side = "candidate"
    if _home(right) < _home(left):
        left, right, side = right, left, "base"
        shared = [(candidate_reward, base_reward) for base_reward, candidate_reward in shared]
    rescale = _by_support(left, right) or _by_shared(shared)
    return None if rescale is None else replace(rescale, side=side)


def _home(values: list[float]) -> tuple[bool, float, list[float]]:
    """Smaller for the run that keeps its scale: within 0..1 the wider one, else the narrower one."""
    span = values[-1] - values[0]
    return (False, -span, values) if _in_unit(values) else (True, span, values)


def _by_support(left: list[float], right: list[float]) -> Rescale | None:
    if _in_unit(left) and _in_unit(right):
        return None
    for ends in ((0.0, 100.0), (-1.0, 1.0)):
        for unit, other_support, back in ((left, right, False), (right, left, True)):
            if _in_unit(unit) and {unit[0], unit[-1]} == {0.0, 1.0} and (other_support[0], other_support[-1]) == ends:
                rescale = _through(unit[0], unit[-1], other_support[0], other_support[-1])
                if _maps(unit, other_support, rescale):
                    return _inverse(rescale) if back is False else rescale
    if len(left) == len(right) <= MOST_ATOMS:
        rescale = _through(right[0], right[-1], left[0], left[-1])
        if all(
            abs(rescale(candidate_value) - base_value) <= EXACT
            for base_value, candidate_value in zip(left, right, strict=True)
        ):
            return rescale
    return None


def _maps(unit: list[float], other_support: list[float], rescale: Rescale) -> bool:
    """Few-valued supports must agree atom by atom; on a fine scale the ends decide."""
    if len(unit) > MOST_ATOMS or len(other_support) > MOST_ATOMS:
        return True
    images = {round(rescale(value), 9) for value in unit}
    return images >= {round(value, 9) for value in other_support} or images <= {
        round(value, 9) for value in other_support
    }


def _by_shared(shared: Sequence[tuple[float, float]]) -> Rescale | None:
    partners: dict[float, float] = {}
    for base_reward, candidate_reward in shared:
        if abs(partners.setdefault(candidate_reward, base_reward) - base_reward) > EXACT:
            return None
    if len(partners) < FEWEST_SHARED:
        return None
    ends = min(partners), max(partners)
    rescale = _through(ends[0], ends[1], partners[ends[0]], partners[ends[1]])
    identity = abs(rescale.slope - 1) <= EXACT and abs(rescale.intercept) <= EXACT
    if (
        identity
        or rescale.slope <= 0
        or any(
            abs(rescale(candidate_reward) - base_reward) > EXACT for candidate_reward, base_reward in partners.items()
        )
    ):
        return None
    return rescale


def _through(x0: float, x1: float, y0: float, y1: float) -> Rescale:
    slope = (y1 - y0) / (x1 - x0)
    return Rescale(slope, y0 - slope * x0)


def _inverse(rescale: Rescale) -> Rescale:
    return Rescale(1 / rescale.slope, -rescale.intercept / rescale.slope)


def _in_unit(values: list[float]) -> bool:
    return values[0] >= -EXACT and values[-1] <= 1 + EXACT


CHANGED = 0.05
MOSTLY = 0.8
Again = Regraded | SharedOutputs | Witness | OtherJudge
"""What tells how the other run's verifier would judge a row."""


@frozen
class CorrectedScores:
    base: ledger.LedgerRun
    candidate: ledger.LedgerRun
    corrections: tuple[ledger.Correction, ...]
    rescale: Rescale | None
    new_keys: frozenset[str] = frozenset()  # tasks whose expected answer changed between the runs
    tool: BrokenTool | None = None
    again: Again | None = None

    def places(self, tool: BrokenTool, pair: Pair) -> frozenset[tuple[str, int]]:
        """File and line of the rows that a broken tool hit."""
        sources = (pair.base if tool.side == "a" else pair.candidate).raw.sources
        return frozenset((sources[file], line) for file, line in tool.frame(pair).select("file", "line").rows())

    def disputed(self, pair: Pair) -> frozenset[tuple[str, int]]:
        """File and line of the rows that the two verifiers score differently."""
        places = []
        for run, frame, corrected in ((pair.base, pair.a, self.base), (pair.candidate, pair.b, self.candidate)):
            for row, (file, line) in zip(corrected.rows, frame.select("file", "line").rows(), strict=False):
                if row.rescored is not None and row.rescored != row.reward:
                    places.append((run.raw.sources[file], line))
        return frozenset(places)


def correct_scores(
    pair: Pair, shared: SharedOutputs, tool: BrokenTool | None = None, *, zero_fill: bool = False, seed: int = 0
) -> CorrectedScores:
    """Rows of both runs on one scale, with the corrections that made them so."""
    rescale = find_rescale(pair.a["reward"].to_list(), pair.b["reward"].to_list(), _shared_values(pair, shared))
    regraded = changed_keys(pair, seed) if rescale is None else None
    again = _judged_again(pair, shared, regraded, (_hit(tool, "a"), _hit(tool, "b")), seed) if rescale is None else None
    a = _rows(pair.a, again.rescored_a if again else None, _map(rescale, "base"), _hit(tool, "a"))
    b = _rows(pair.b, again.rescored_b if again else None, _map(rescale, "candidate"), _hit(tool, "b"))
    if zero_fill:
        a += _absent(pair.base, pair.a, _base_names(pair))
        b += _absent(pair.candidate, pair.b, _candidate_names(pair))
    return CorrectedScores(
        base=ledger.LedgerRun(a, _expected(pair.base, _base_names(pair))),
        candidate=ledger.LedgerRun(b, _expected(pair.candidate, _candidate_names(pair))),
        corrections=() if zero_fill else _corrections(pair, rescale),
        rescale=rescale,
        new_keys=regraded.tasks if again is regraded and regraded else frozenset(),
        tool=tool,
        again=again,
    )


def _judged_again(
    pair: Pair, shared: SharedOutputs, regraded: Regraded | None, hit: tuple[frozenset[int], frozenset[int]], seed: int
) -> Again | None:
    """Rewards under the other run's verifier, from what tells most surely how it would judge."""
    differs = shared.level != "none" and shared.reward_differs > 0
    if regraded is not None and regraded.p is None:
        return regraded
    if differs and shared.complete:
        return shared
    second_verdicts = witness(pair, hit) or other_judge(pair, seed) or (shared if differs else regraded)
    return (
        regraded
        if regraded is not None and second_verdicts is not None and _by_keys(pair, second_verdicts, regraded)
        else second_verdicts
    )


def _by_keys(pair: Pair, second_verdicts: Again, regraded: Regraded) -> bool:
    """Whether nearly all rows judged otherwise are of tasks whose key changed, and what changed there is no chance."""
    tasks = [
        key
        for frame, again in ((pair.a, second_verdicts.rescored_a), (pair.b, second_verdicts.rescored_b))
        for key, reward, second_reward in zip(frame["key"].to_list(), frame["reward"].to_list(), again, strict=True)
        if second_reward is not None and second_reward != reward
    ]
    sure = regraded.p is not None and regraded.p < CHANGED
    return sure and sum(task in regraded.tasks for task in tasks) >= MOSTLY * len(tasks)


def _hit(tool: BrokenTool | None, side: str) -> frozenset[int]:
    return tool.rows if tool is not None and tool.side == side else frozenset()


def _map(rescale: Rescale | None, side: Side) -> Rescale | None:
    return rescale if rescale is not None and rescale.side == side else None


def _shared_values(pair: Pair, shared: SharedOutputs) -> list[tuple[float, float]]:
    return [
        (reward, other_reward)
        for reward, other_reward in zip(pair.a["reward"].to_list(), shared.rescored_a, strict=True)
        if other_reward is not None
    ]


def _rows(
    frame: pl.DataFrame, rescored: Sequence[float | None] | None, rescale: Rescale | None, hit: Collection[int]
) -> list[ledger.LedgerRow]:
    """Rows as the ledger reads them. Where rewards are put on another scale nothing is re-scored.

    A row that the two verifiers score differently has no failure mode: what it lost is the verifier's doing.
    """
    limits = frame["sampling"].str.json_path_match("$.max_output_tokens").cast(pl.Float64, strict=False).to_list()
    columns = ("key", "reward", "state", "mode", "output_tokens", "calls")
    ledger_rows = []
    for place, (key, reward, state, mode, tokens, calls) in enumerate(frame.select(columns).rows()):
        single = calls == 0 and tokens is not None and tokens > 0 and limits[place] is not None
        again = rescored[place] if rescored is not None else None
        ledger_rows.append(
            ledger.LedgerRow(
                task=key,
                reward=rescale(reward) if rescale else reward,
                status=CLASS if place in hit and state == "ok" else "ok" if state == "skipped_verification" else state,
                mode=mode if again is None or again == reward else None,
                out_tokens=int(tokens) if single else None,
                max_tokens=int(limits[place]) if single else None,
                rescored=again,
            ),
        )
    return ledger_rows


def _base_names(pair: Pair) -> Mapping[str, str]:
    return {task: task for task in pair.base.expected.per_task}


def _candidate_names(pair: Pair) -> Mapping[str, str]:
    base_names = pair.alignment.same
    return {task: base_names.get(task, ONLY_CANDIDATE + task) for task in pair.candidate.expected.per_task}


def _expected(run: Run, names: Mapping[str, str]) -> frozenset[str] | None:
    return frozenset(names.values()) if run.expected.source == "manifest" else None


def _absent(run: Run, frame: pl.DataFrame, names: Mapping[str, str]) -> list[ledger.LedgerRow]:
    """Expected rollouts without a counted row, as rows that scored 0."""
    row_counts = Counter(frame["key"].to_list())
    return [
        ledger.LedgerRow(task=names[task], reward=0.0, status="missing")
        for task, expected_rows in run.expected.per_task.items()
        for _ in range(max(0, expected_rows - row_counts[names[task]]))
    ]


def _corrections(pair: Pair, rescale: Rescale | None) -> tuple[ledger.Correction, ...]:
    flagged_rows = {"duplicate_rows": _flagged_rows(pair, "copy"), "foreign_rows": _flagged_rows(pair, "foreign")}
    causes = [cause for cause, rows in flagged_rows.items() if rows] + (["reward_rescaled"] if rescale else [])
    if not causes:
        return ()
    rollouts = {**flagged_rows, "reward_rescaled": 0 if rescale is None else _frame(pair, rescale.side).height}
    names_b = {**_candidate_names(pair), **dict(pair.b.select("task", "key").rows())}
    base = _as_found(pair.base, {}, pair.displaced)
    candidate = _as_found(pair.candidate, names_b, pair.displaced)

    def of_base(causes_applied: frozenset[str]) -> dict[Hashable, float]:
        return ledger.shares(_corrected_rewards(base, causes_applied, _map(rescale, "base")))

    def of_candidate(causes_applied: frozenset[str]) -> dict[Hashable, float]:
        return ledger.shares(_corrected_rewards(candidate, causes_applied, _map(rescale, "candidate")))

    traced = any(_traced(run) for run in (pair.base, pair.candidate))
    return tuple(
        replace(correction, displaced=True, assumed=traced) if correction.cause == "foreign_rows" else correction
        for correction in ledger.corrections(of_base, of_candidate, causes, rollouts)
    )


def _traced(run: Run) -> bool:
    """Whether foreign rows bear the name of the run's own model, so that only a trace tells them."""
    own_models, foreign_models = (
        set(run.facts.filter(pl.col("foreign") == side)["model"].to_list()) for side in (False, True)
    )
    return bool(own_models & foreign_models)


def _frame(pair: Pair, side: Side) -> pl.DataFrame:
    return pair.a if side == "base" else pair.b


def _flagged_rows(pair: Pair, column: str) -> int:
    return sum(int(run.facts[column].sum()) for run in (pair.base, pair.candidate))


Found = list[tuple[str, float, bool, bool]]


def _as_found(run: Run, names: Mapping[str, str], displaced: Collection[str]) -> Found:
    rows = run.facts.filter(pl.col("reward").is_not_null() & ~pl.col("skipped"))
    columns = ("task", "reward", "copy", "foreign")
    row_values = []
    for task, reward, copy, foreign in rows.select(columns).rows():
        key = names.get(task, task)
        row_values.append((key, reward, copy, foreign or key in displaced))
    return row_values


def _corrected_rewards(
    rows: Found, causes_applied: frozenset[str], rescale: Rescale | None
) -> Mapping[Hashable, list[float]]:
    rewards: defaultdict[Hashable, list[float]] = defaultdict(list)
    for task, reward, copy, foreign in rows:
        if (copy and "duplicate_rows" in causes_applied) or (foreign and "foreign_rows" in causes_applied):
            continue
        rewards[task].append(rescale(reward) if rescale and "reward_rescaled" in causes_applied else reward)
    return rewards
