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
    cut,
    in_marks,
    mark_entity,
    task_entity,
    task_words,
)
from blade.anchors.chance import dice, share, shuffles, tries
from blade.anchors.table import Ints, Mark, Proof, Table, quoted
from blade.wording import listed

FEWEST = 4
FEW_TASKS = 3
MOST_ROLLOUTS = 60
LONGEST_QUOTE = 120
LONGEST_DETAIL = 140
SHORTEST_QUOTE = 12


def task_facts(table: Table, seed: int) -> Iterator[Candidate]:
    yield from _sets(table, seed)
    yield from _single(table, seed)
    yield from _despite(table)


def _sets(table: Table, seed: int) -> Iterator[Candidate]:
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
        drawn = np.sort(owners[orders[:, : hit.size]], axis=1)
        distinct = 1 + (np.diff(drawn, axis=1) != 0).sum(axis=1)
        yield from _set_fact(table, mark, tasks, hit).tried(share(distinct <= tasks.size), 1.0)


def _set_fact(table: Table, mark: Mark, tasks: Ints, hit: Ints) -> Candidate:
    parts = [(int((hit == task).sum()), table.tasks[int(task)]) for task in tasks]
    parts.sort(key=lambda part: (-part[0], part[1]))
    told = listed([f"{task_words(name)} ({many:,})" for many, name in parts])
    return Candidate(
        "task_set",
        TASK,
        f"All {hit.size:,} failed rollouts of `{table.run}` that {mark.words} belong to {told}.",
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


def _single(table: Table, seed: int) -> Iterator[Candidate]:
    """How each task fails: k of n by one mode, with a quote. Chance deals modes and quotes anew to the failures."""
    failed = np.flatnonzero(table.failed)
    if failed.size < FEWEST:
        return
    modes = table.of_sort("mode")
    mode_of = np.full(table.passed.size, -1)
    for number, mark in enumerate(modes):
        mode_of[mark.rows] = number
    told = _numbered({row: _shown(proof) for mark in modes for row, proof in mark.proofs.items()})
    quote_of = np.array([told.get(int(row), -1) for row in range(table.passed.size)])
    most = int(table.per_task(table.failed).max())
    orders = failed[shuffles(dice(seed, f"single|{table.run}"), failed.size, tries(10 * failed.size))[:, :most]]
    dealt_modes, dealt_quotes = mode_of[orders], quote_of[orders]
    for task in range(len(table.tasks)):
        rows = failed[table.task[failed] == task]
        counted = Counter(mode_of[rows].tolist())
        counted.pop(-1, None)
        if rows.size < 2 or not counted:
            continue
        mode, many = min(counted.items(), key=lambda pair: (-pair[1], pair[0]))
        quote, shown = _commonest(rows[mode_of[rows] == mode], quote_of)
        proof = modes[mode].proofs.get(shown) if shown is not None else None
        if many < 2 or 2 * many < rows.size or proof is None:
            continue
        holds = (dealt_modes[:, : rows.size] == mode).sum(axis=1) >= many
        holds &= (dealt_quotes[:, : rows.size] == quote).any(axis=1)
        yield from _task_fact(table, task, modes[mode], many, proof).tried(share(holds), 1.0)


def _numbered(texts: Mapping[int, str]) -> dict[int, int]:
    codes: dict[str, int] = {}
    return {row: codes.setdefault(text, len(codes)) for row, text in sorted(texts.items())}


def _commonest(rows: Ints, quote_of: Ints) -> tuple[int, int | None]:
    """The words that most of these rollouts show, and the first rollout that shows them."""
    counted = Counter(code for code in quote_of[rows].tolist() if code >= 0)
    if not counted:
        return -1, None
    quote = min(counted.items(), key=lambda pair: (-pair[1], pair[0]))[0]
    return quote, int(rows[quote_of[rows] == quote][0])


def _shown(proof: Proof) -> str:
    """What a sentence shows of a proof: what was noticed, and the exact words where they say more."""
    text = cut(proof.detail, LONGEST_DETAIL)
    quote = proof.quote.strip()
    if len(quote) >= SHORTEST_QUOTE and quote[:30] not in proof.detail and (shown := in_marks(quote, LONGEST_QUOTE)):
        text += f" ({shown})"
    return text


def _task_fact(table: Table, task: int, mark: Mark, many: int, proof: Proof) -> Candidate:
    name, attempts, passes = table.tasks[task], int(table.attempts[task]), int(table.passes[task])
    fails = attempts - passes
    told = f"passes {passes} of {attempts} times" if table.judged else f"falls short in {fails} of {attempts} attempts"
    return Candidate(
        "task",
        TASK,
        f"In `{table.run}`, {task_words(name)} {told}; {many} of its {fails} failures are of mode "
        f"{quoted(mark.name)}: {_shown(proof)}.",
        about(
            {"run": table.run, "task": name, mark.sort: mark.id, "count": many, "of": fails, "passes": passes},
            task_entity(name),
            mark_entity(mark),
            topic=(name, mark.id),
            share=attempts / table.passed.size,
        ),
        "count",
        "==",
        many,
        citations=(proof.evidence,),
        causal=2,
    )


def _despite(table: Table) -> Iterator[Candidate]:
    """Tasks that pass although they show what nearly always goes with failing: the exceptions to a rule."""
    if not table.judged:
        return
    for mark in table.of_sort("detector"):
        shown, passed = np.unique(table.task[mark.rows]), table.task[mark.rows & table.passed]
        tasks = np.unique(passed)
        worse = mark.rows[table.failed].mean() > 2 * mark.rows[table.passed].mean() if passed.size else False
        if not 0 < tasks.size <= FEW_TASKS or not worse or mark.rows.sum() < 2 * FEWEST:
            continue
        yield from _despite_fact(table, mark, tasks, passed).tried(float(tasks.size / shown.size), 1.0)


def _despite_fact(table: Table, mark: Mark, tasks: Ints, passed: Ints) -> Candidate:
    names = [table.tasks[int(task)] for task in tasks]
    whole = int(mark.rows.sum())
    rows = np.flatnonzero(mark.rows & table.passed)
    return Candidate(
        "task_set",
        TASK,
        f"Of {whole:,} rollouts of `{table.run}` that {mark.words}, only {passed.size:,} "
        f"{'passes' if passed.size == 1 else 'pass'} all the same, in {listed([task_words(name) for name in names])}.",
        about(
            {"run": table.run, mark.sort: mark.id, "task": names, "count": int(passed.size), "of": whole},
            mark_entity(mark),
            *(task_entity(name) for name in names),
            topic=(mark.id, "despite"),
            share=whole / table.passed.size,
        ),
        "passes",
        "==",
        int(passed.size),
        contrary=True,
        citations=tuple(mark.proofs[int(row)].evidence for row in rows[:2] if int(row) in mark.proofs),
        causal=1,
    )
