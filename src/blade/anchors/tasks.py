"""Facts about single tasks: how they fail, with the words that prove it, and which of them pass all the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

import numpy as np

from blade.anchors.candidate import (
    TASK,
    Candidate,
    about,
    cited,
    in_marks,
    mark_entity,
    shortened,
    task_entity,
    task_words,
)
from blade.anchors.chance import dice, share, shuffles, tries
from blade.anchors.table import Ints, Proof, RolloutMark, RolloutTable, quoted
from blade.wording import listed

FEWEST = 4
FEW_TASKS = 3
MOST_ROLLOUTS = 60
LONGEST_QUOTE = 120
LONGEST_DETAIL = 140
SHORTEST_QUOTE = 12


def task_facts(table: RolloutTable, seed: int) -> Iterator[Candidate]:
    yield from _sets(table, seed)
    yield from _single(table, seed)
    yield from _despite(table)


def _sets(table: RolloutTable, seed: int) -> Iterator[Candidate]:
    """Ways of failing that are confined to three tasks or fewer."""
    owners = table.task[table.failed]
    if np.unique(owners).size <= 2 * FEW_TASKS:
        return
    orders = shuffles(dice(seed, f"sets|{table.run}"), owners.size, tries(10 * owners.size))
    for mark in table.of_failures(FEWEST):
        hit = table.task[mark.rows & table.failed]
        tasks = np.unique(hit)
        if not FEWEST <= hit.size <= MOST_ROLLOUTS or tasks.size > FEW_TASKS:
            continue
        shuffled_owners = np.sort(owners[orders[:, : hit.size]], axis=1)
        distinct = 1 + (np.diff(shuffled_owners, axis=1) != 0).sum(axis=1)
        yield from _set_fact(table, mark, tasks, hit).tried(share(distinct <= tasks.size), 1.0)


def _set_fact(table: RolloutTable, mark: RolloutMark, tasks: Ints, hit: Ints) -> Candidate:
    parts = [(int((hit == task).sum()), table.tasks[int(task)]) for task in tasks]
    parts.sort(key=lambda part: (-part[0], part[1]))
    task_text = listed([f"{task_words(name)} ({failures:,})" for failures, name in parts])
    return Candidate(
        "task_set",
        TASK,
        f"All {hit.size:,} failed rollouts of `{table.run}` that {mark.words} belong to {task_text}.",
        about(
            {"run": table.run, mark.sort: mark.id, "task": [name for _, name in parts], "count": int(hit.size)},
            mark_entity(mark),
            *(task_entity(name) for _, name in parts),
            topic=(mark.id, *(name for _, name in parts)),
            share=hit.size / table.passed.size,
        ),
        "tasks",
        "all",
        len(parts),
        citations=cited(mark, table, tasks.tolist()),
        causal=1,
    )


def _single(table: RolloutTable, seed: int) -> Iterator[Candidate]:
    """How each task fails: k of n by one mode, with a quote. Chance deals modes and quotes anew to the failures."""
    failed = np.flatnonzero(table.failed)
    if failed.size < FEWEST:
        return
    modes = table.of_sort("mode")
    mode_of = np.full(table.passed.size, -1)
    for number, mark in enumerate(modes):
        mode_of[mark.rows] = number
    text_codes = _numbered({row: _proof_text(proof) for mark in modes for row, proof in mark.proofs.items()})
    quote_of = np.array([text_codes.get(int(row), -1) for row in range(table.passed.size)])
    most_failures = int(table.per_task(table.failed).max())
    orders = failed[
        shuffles(dice(seed, f"single|{table.run}"), failed.size, tries(10 * failed.size))[:, :most_failures]
    ]
    dealt_modes, dealt_quotes = mode_of[orders], quote_of[orders]
    for task in range(len(table.tasks)):
        rows = failed[table.task[failed] == task]
        mode_counts = Counter(mode_of[rows].tolist())
        mode_counts.pop(-1, None)
        if rows.size < 2 or not mode_counts:
            continue
        mode, mode_count = min(mode_counts.items(), key=lambda pair: (-pair[1], pair[0]))
        quote, proof_row = _commonest(rows[mode_of[rows] == mode], quote_of)
        proof = modes[mode].proofs.get(proof_row) if proof_row is not None else None
        if mode_count < 2 or 2 * mode_count < rows.size or proof is None:
            continue
        holds = (dealt_modes[:, : rows.size] == mode).sum(axis=1) >= mode_count
        holds &= (dealt_quotes[:, : rows.size] == quote).any(axis=1)
        yield from _task_fact(table, task, modes[mode], mode_count, proof).tried(share(holds), 1.0)


def _numbered(texts: Mapping[int, str]) -> dict[int, int]:
    codes: dict[str, int] = {}
    return {row: codes.setdefault(text, len(codes)) for row, text in sorted(texts.items())}


def _commonest(rows: Ints, quote_of: Ints) -> tuple[int, int | None]:
    """The words that most of these rollouts show, and the first rollout that shows them."""
    code_counts = Counter(code for code in quote_of[rows].tolist() if code >= 0)
    if not code_counts:
        return -1, None
    quote = min(code_counts.items(), key=lambda pair: (-pair[1], pair[0]))[0]
    return quote, int(rows[quote_of[rows] == quote][0])


def _proof_text(proof: Proof) -> str:
    """What a sentence shows of a proof: what was noticed, and the exact words where they say more."""
    text = shortened(proof.detail, LONGEST_DETAIL)
    quote = proof.quote.strip()
    if (
        len(quote) >= SHORTEST_QUOTE
        and quote[:30] not in proof.detail
        and (quote_text := in_marks(quote, LONGEST_QUOTE))
    ):
        text += f" ({quote_text})"
    return text


def _task_fact(table: RolloutTable, task: int, mark: RolloutMark, mode_count: int, proof: Proof) -> Candidate:
    name, attempts, passes = table.tasks[task], int(table.attempts[task]), int(table.passes[task])
    fails = attempts - passes
    outcome_text = (
        f"passes {passes} of {attempts} times" if table.judged else f"falls short in {fails} of {attempts} attempts"
    )
    return Candidate(
        "task",
        TASK,
        f"In `{table.run}`, {task_words(name)} {outcome_text}; {mode_count} of its {fails} failures are of mode "
        f"{quoted(mark.name)}: {_proof_text(proof)}.",
        about(
            {"run": table.run, "task": name, mark.sort: mark.id, "count": mode_count, "of": fails, "passes": passes},
            task_entity(name),
            mark_entity(mark),
            topic=(name, mark.id),
            share=attempts / table.passed.size,
        ),
        "count",
        "==",
        mode_count,
        citations=(proof.evidence,),
        causal=2,
    )


def _despite(table: RolloutTable) -> Iterator[Candidate]:
    """Tasks that pass although they show what nearly always goes with failing: the exceptions to a rule."""
    if not table.judged:
        return
    for mark in table.of_sort("detector"):
        tasks_with_mark, passed = np.unique(table.task[mark.rows]), table.task[mark.rows & table.passed]
        tasks = np.unique(passed)
        worse = mark.rows[table.failed].mean() > 2 * mark.rows[table.passed].mean() if passed.size else False
        if not 0 < tasks.size <= FEW_TASKS or not worse or mark.rows.sum() < 2 * FEWEST:
            continue
        yield from _despite_fact(table, mark, tasks, passed).tried(float(tasks.size / tasks_with_mark.size), 1.0)


def _despite_fact(table: RolloutTable, mark: RolloutMark, tasks: Ints, passed: Ints) -> Candidate:
    names = [table.tasks[int(task)] for task in tasks]
    rollouts = int(mark.rows.sum())
    rows = np.flatnonzero(mark.rows & table.passed)
    return Candidate(
        "task_set",
        TASK,
        f"Of {rollouts:,} rollouts of `{table.run}` that {mark.words}, only {passed.size:,} "
        f"{'passes' if passed.size == 1 else 'pass'} all the same, in {listed([task_words(name) for name in names])}.",
        about(
            {"run": table.run, mark.sort: mark.id, "task": names, "count": int(passed.size), "of": rollouts},
            mark_entity(mark),
            *(task_entity(name) for name in names),
            topic=(mark.id, "despite"),
            share=rollouts / table.passed.size,
        ),
        "passes",
        "==",
        int(passed.size),
        contrary=True,
        citations=tuple(mark.proofs[int(row)].evidence for row in rows[:2] if int(row) in mark.proofs),
        causal=1,
    )
