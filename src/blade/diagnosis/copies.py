"""Runs that hold the rollouts of another run: the same outputs, scored once more.

What recurs in them recurs because it is the same, so that they are no second witness to anything about a model or a
task.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from functools import lru_cache

import orjson

from blade.diagnosis.cases import Case, RunCases

FEWEST_OUTPUTS = 10
FEWEST_TASKS = 8
NEARLY_ALL = 0.9
"""Of the tasks with several attempts so many have the same outputs in both runs, in whatever order."""
MOSTLY = 0.5
"""Runs that share more of their outputs than this were not made anew."""
WRITTEN_ONCE, WRITTEN_SELDOM, FEWEST_GROUPS, SELDOM = 400, 80, 3, 0.15
"""Characters that no attempt writes as another did where one samples; so many equal groups, and so few equal pairs."""
LONG = 200
"""Characters that nobody writes twice word for word."""
Outputs = dict[tuple[str, int], tuple[int, Case]]
Attempts = dict[str, list[tuple[int, tuple[int, Case]]]]


def outputs(run: RunCases) -> Outputs:
    """What the judged rollouts of a run put out, as a hash, by task and attempt."""
    if "outputs" not in run.known:
        usable = {id(case) for case in run.judged()}
        hashes = zip(run.cases, run.run.graded["output_hash"].to_list(), strict=True)
        run.known["outputs"] = {
            (case.key, case.attempt): (output, case)
            for case, output in hashes
            if output is not None and id(case) in usable
        }
    return run.known["outputs"]  # type: ignore[no-any-return]


def outputs_in_order_of(first: RunCases, other: RunCases) -> Outputs:
    """The outputs of `other`, its attempts numbered as in `first` where nearly every task has the same ones in both.

    Who runs several attempts at once writes them down as they end, so that a replay may number them otherwise.
    """
    theirs = outputs(other)
    first_tasks, other_tasks = _by_task(first), _by_task(other)
    several = [task for task, entry in first_tasks.items() if len(entry) > 1 and task in other_tasks]
    alike = [task for task in several if _hashes(first_tasks[task]) == _hashes(other_tasks[task])]
    if len(several) < FEWEST_TASKS or len(alike) < NEARLY_ALL * len(several):
        return theirs
    ordered = dict(theirs)
    for task in alike:
        for attempt, _ in other_tasks[task]:
            del ordered[task, attempt]
        pairs = zip(first_tasks[task], other_tasks[task], strict=True)
        ordered |= {(task, attempt): output for (attempt, _), (_, output) in pairs}
    return ordered


def _by_task(run: RunCases) -> Attempts:
    """Task → its attempts and outputs, in the order of the outputs' hashes."""
    if "outputs by task" not in run.known:
        attempts: Attempts = {}
        for (task, attempt), output in sorted(outputs(run).items(), key=lambda entry: (entry[1][0], entry[0])):
            attempts.setdefault(task, []).append((attempt, output))
        run.known["outputs by task"] = attempts
    return run.known["outputs by task"]  # type: ignore[no-any-return]


def _hashes(attempts: Sequence[tuple[int, tuple[int, Case]]]) -> list[int]:
    return [output[0] for _, output in attempts]


def same_rollouts(first: RunCases, other: RunCases) -> bool:
    """Whether two runs hold the same rollouts: of those that both have, every output is identical.

    Answers out of a small set agree without that, so that most outputs must differ from one another.
    """
    mine, theirs = outputs(first), outputs_in_order_of(first, other)
    both = mine.keys() & theirs.keys()
    return _vary(mine, both) and all(mine[place][0] == theirs[place][0] for place in both)


def _vary(run_outputs: Outputs, places: Collection[tuple[str, int]]) -> bool:
    return 2 * len({run_outputs[place][0] for place in places}) > len(places) >= FEWEST_OUTPUTS


def mostly_shared(first: RunCases, other: RunCases) -> bool:
    """Whether most of what either run fails is the same output in both: right answers may agree by themselves."""
    memo_key = f"mostly shared with {other.run.name}"
    if memo_key not in first.known:  # a dozen questions ask which runs are witnesses of their own
        first.known[memo_key] = _mostly_shared(first, other)
    return first.known[memo_key]  # type: ignore[no-any-return]


def _mostly_shared(first: RunCases, other: RunCases) -> bool:
    mine, theirs = outputs(first), outputs_in_order_of(first, other)
    both = mine.keys() & theirs.keys()
    failed = [place for place in both if not (mine[place][1].passed and theirs[place][1].passed)]
    same = sum(mine[place][0] == theirs[place][0] for place in failed)
    shared = same_rollouts(first, other) or (_vary(mine, failed) and same > MOSTLY * len(failed))
    return shared and _maker(first) == _maker(other)


def _maker(run: RunCases) -> tuple[str | None, tuple[str, ...]]:
    """The agent and the models of a run; short answers of two may agree, and are two witnesses all the same."""
    return run.run.agent, run.models()


def same_rows(first: RunCases, other: RunCases) -> bool:
    """Whether two runs hold the same rollouts, none but those, and all that was observed of them is the same."""
    if len(first.cases) != len(other.cases) or not same_rollouts(first, other) or _maker(first) != _maker(other):
        return False
    mine, theirs = map(_verdicts, (first, other))
    return mine == theirs


def _verdicts(run: RunCases) -> dict[tuple[str, int], tuple[object, ...]]:
    """By task and attempt the verdict, the tokens and what was observed: what was generated anew was measured anew."""
    tokens = run.run.graded.select("input_tokens", "output_tokens").rows()
    return {
        (case.key, case.attempt): (case.reward, case.passed, case.state, case.stage_lost, case.observed_json, *counted)
        for case, counted in zip(run.cases, tokens, strict=True)
    }


def independent_runs(runs: Sequence[RunCases]) -> list[RunCases]:
    """The runs without those that share most failures with an earlier one: what counts as a witness of its own."""
    witnesses: list[RunCases] = []
    for run in runs:
        if not any(mostly_shared(earlier, run) for earlier in witnesses):
            witnesses.append(run)
    return witnesses


def without_copies(runs: Sequence[RunCases]) -> list[RunCases]:
    """The runs without those in which every row of an earlier one stands again with all that was observed of it."""
    originals: list[RunCases] = []
    for run in runs:
        if not any(same_rows(earlier, run) for earlier in originals):
            originals.append(run)
    return originals


def repeated_rollouts(run: RunCases) -> list[list[Case]]:
    """Rollouts that are one and the same by their response, else by their output."""
    if "repeated rollouts" not in run.known:
        run.known["repeated rollouts"] = shared_responses(run) or equal_outputs(run)
    return run.known["repeated rollouts"]  # type: ignore[no-any-return]


def shared_responses(run: RunCases) -> list[list[Case]]:
    """Rollouts with one response, by its id, time and words; none where an id or a time is shared by unlike ones."""
    columns = run.run.graded.select("created_at", "output_hash", "heard_hash").iter_rows()
    rollouts: defaultdict[int, defaultdict[tuple[float, int, int], list[Case]]] = defaultdict(lambda: defaultdict(list))
    for case, (time, spoken, heard) in zip(run.cases, columns, strict=True):
        name = case.observed.get("response")
        if name is not None and time is not None and spoken is not None:
            rollouts[name][time, spoken, heard].append(case)
    if any(len(by_words) > 1 for by_words in rollouts.values()):
        return []  # such ids name no response
    times = {time for by_words in rollouts.values() for time, _, _ in by_words}
    groups = [group for by_words in rollouts.values() for group in by_words.values() if len(group) > 1]
    return groups if len(times) > 1 else []


def equal_outputs(run: RunCases) -> list[list[Case]]:
    """Attempts at one task with one long answer, or one output and as many characters of thought, where few are alike.

    None where the run says that it does not sample: then attempts may well come out alike.
    """
    columns = run.run.graded.select("output_hash", "heard_hash", "output_chars", "final_chars", "sampling").iter_rows()
    tasks: defaultdict[str, defaultdict[tuple[int, int, int], list[Case]]] = defaultdict(lambda: defaultdict(list))
    lengths: dict[int, int] = {}
    for case, (spoken, heard, characters, final_characters, sampling) in zip(run.cases, columns, strict=True):
        if _is_greedy(sampling):
            return []
        if spoken is not None:
            is_long = (final_characters or 0) >= WRITTEN_ONCE
            tasks[case.key][spoken, heard, 0 if is_long else characters or 0].append(case)
            lengths[id(case)] = final_characters if is_long else characters or 0
    attempts = [sum(map(len, outputs.values())) for outputs in tasks.values()]
    equal = [group for outputs in tasks.values() for group in outputs.values() if len(group) > 1]
    pairs, alike = (sum(size * (size - 1) // 2 for size in sizes) for sizes in (attempts, map(len, equal)))
    long_groups = [group for group in equal if lengths[id(group[0])] >= WRITTEN_ONCE]
    if len(long_groups) < FEWEST_GROUPS or alike > SELDOM * pairs:
        return []
    return [group for group in equal if lengths[id(group[0])] >= WRITTEN_SELDOM]  # what copied those copied these


@lru_cache(maxsize=1024)
def _is_greedy(sampling: str | None) -> bool:
    settings = orjson.loads(sampling) if sampling else {}
    return isinstance(settings, dict) and settings.get("temperature") == 0


def original_rollouts(runs: Sequence[RunCases]) -> list[tuple[str, Case]]:
    """The judged rollouts with the name of their run, without those that an earlier run holds with the same output.

    A long output of one maker that stands word for word in another run was scored again, not written again, and so was
    every output that two runs share which share most. Where copies have two verdicts the pass is returned: a change
    that passes somewhere is no fault of the key.
    """
    originals: list[tuple[str, Case]] = []
    places: dict[tuple[object, ...], int] = {}
    for number, run in enumerate(runs):
        copied = any(mostly_shared(earlier, run) for earlier in runs[:number])
        columns = run.run.graded.select("output_hash", "heard_hash", "output_chars").rows()
        maker, texts = _maker(run), {id(case): text for case, text in zip(run.cases, columns, strict=True)}
        for case in run.judged():
            output, heard, characters = texts[id(case)]
            place = places.setdefault((maker, case.key, output, heard), len(originals))
            again = place < len(originals) and originals[place][0] != run.run.name
            if not again or output is None or not (copied or (characters or 0) >= LONG):
                originals.append((run.run.name, case))
            elif case.passed and not originals[place][1].passed:
                originals[place] = (run.run.name, case)
    return originals
