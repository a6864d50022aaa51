"""Is the same work judged in two ways, and how many attempts at a task are copies of each other?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.copies import repeated_rollouts
from blade.diagnosis.usual_endings import ENDINGS, LIMIT
from blade.document import Block, Bullets, Paragraph, Sentence, say
from blade.health import Item, item
from blade.questions import by_task, in_order, judged, task_list
from blade.wording import amount, count, fact, listed

TITLE = "Attempts that do the same work"
ORDER = 75
WEIGHT = 1.7
FEWEST_CALLS = 3
FEW = 0.1
"""A smaller share of equal pairs says nothing about the attempts of a run."""
MOST_SHOWN = 6
PASS, FAIL, NONE = "pass", "fail", "none"


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Equal calls, or an equal result, of which one attempt passes and another does not; and equal pairs per run."""
    cases = [case for run in runs for case in run.cases if case.observed_json]
    known = [(case, seen) for case in cases if (seen := case.observed).get("calls")]
    apart = sorted(
        _apart(known, _last_words(runs)),
        key=lambda candidate: (
            *(candidate["other"] != FAIL, not candidate.get("same_words")),
            *(-candidate["calls"], candidate["task"]),
        ),
    )
    copied_ids = {id(case) for run in runs for group in repeated_rollouts(run) for case in group[1:]}
    made = [pair for pair in known if id(pair[0]) not in copied_ids]
    pairs = [entry for run in runs if (entry := _pairs(run.run.name, made)) is not None]
    results = list(_results(known))
    stepwise = {run.run.name for run in runs if LIMIT in run.known.get(ENDINGS, ())}
    first = sorted(_first([pair for pair in known if pair[0].run in stepwise]), key=lambda candidate: candidate["task"])
    again = [entry for run in runs if (entry := _again(run)) is not None]
    if not apart and not results and not first and not again and not any(map(_often_equal, pairs)):
        return None
    return {
        "again": again,
        "calls": apart[:MOST_SHOWN],
        "results": results[:MOST_SHOWN],
        "first": first[:MOST_SHOWN],
        "left_out": sum(max(len(some) - MOST_SHOWN, 0) for some in (apart, results, first)),
        "pairs": pairs,
    }


Known = Sequence[tuple[Case, Mapping[str, Any]]]


def _verdict(case: Case) -> str:
    if case.stage_lost is not None or not case.evaluable or case.passed is None:
        return NONE
    return PASS if case.passed else FAIL


def _last_words(runs: Sequence[RunCases]) -> dict[int, int | None]:
    """The final message of each rollout as one number, by the identity of the case."""
    frames = [(run.cases, run.run.graded) for run in runs if "final_hash" in run.run.graded.columns]
    return {
        id(case): words
        for cases, frame in frames
        for case, words in zip(cases, frame["final_hash"].to_list(), strict=True)
    }


def _apart(known: Known, last_words: Mapping[int, int | None]) -> Iterator[dict[str, Any]]:
    """Equal calls of one task with a pass among them and something else.

    Where a user takes part, the last words may be the user's, and what the model said before counts as well.
    """
    groups: dict[tuple[str, int], list[tuple[Case, int]]] = {}
    for case, seen in known:
        digest, many = seen["calls"]
        if many >= FEWEST_CALLS:
            groups.setdefault((case.key, digest), []).append((case, many))
    for group in groups.values():
        made = [case for case, _ in group]
        passed = [case for case in made if _verdict(case) == PASS]
        for other in (FAIL, NONE):
            against = [case for case in made if _verdict(case) == other]
            if passed and against:
                entry = {**_entry(passed, against, other), "calls": group[0][1]}
                endings, against_endings = ({last_words.get(id(case)) for case in side} for side in (passed, against))
                alone = not any("messages" in case.observed for case in (*passed, *against))
                if other == FAIL and alone and None not in endings | against_endings:
                    entry["same_words"] = not endings.isdisjoint(against_endings)
                yield entry


def _first(known: Known) -> Iterator[dict[str, Any]]:
    """Passes of one call where others make it first, are answered alike, and fail: only a pass ends these attempts."""
    groups: dict[tuple[str, int], list[tuple[Case, int]]] = {}
    for case, seen in known:
        if "first" in seen:
            groups.setdefault((case.key, seen["first"]), []).append((case, seen["calls"][1]))
    for group in groups.values():
        passed = [case for case, many in group if many == 1 and _verdict(case) == PASS]
        against = [case for case, many in group if many > 1 and _verdict(case) == FAIL]
        if passed and against:
            yield _entry(passed, against, FAIL)


def _results(known: Known) -> Iterator[dict[str, Any]]:
    """Attempts without a verdict that end with a figure of many places with which only passes end."""
    if not any("values" in seen for _, seen in known):
        return
    for tasks in by_task([case for case, _ in known]).values():
        values = {id(case): set(case.observed.get("values", ())) for case in tasks}
        by_verdict = {mark: [case for case in tasks if _verdict(case) == mark] for mark in (PASS, FAIL, NONE)}
        wrong = {value for case in by_verdict[FAIL] for value in values[id(case)]}
        right = {value for case in by_verdict[PASS] for value in values[id(case)]} - wrong
        for value in sorted(right, key=lambda candidate: (-len(candidate), candidate)):
            against = [case for case in by_verdict[NONE] if value in values[id(case)]]
            if against:
                passed = [case for case in by_verdict[PASS] if value in values[id(case)]]
                yield {**_entry(passed, against, NONE), "value": value}
                break


def _entry(passed: Sequence[Case], against: Sequence[Case], other: str) -> dict[str, Any]:
    reasons = sorted({case.reason for case in against if case.reason}) if other == NONE else []
    return {
        "task": passed[0].label,
        "other": other,
        "passed": _attempts(passed),
        "against": _attempts(against),
        "reason": reasons[0] if len(reasons) == 1 else "",
    }


def _attempts(cases: Sequence[Case]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for case in cases:
        found.setdefault(case.run, []).append(case.attempt)
    return {run: sorted(attempts) for run, attempts in found.items()}


def _again(run: RunCases) -> dict[str, Any] | None:
    """Rollouts of a run with a step that hands in the same as the one before and is scored otherwise."""
    cases = [case for case in judged(run) if case.observed.get("judged_again")]
    if not cases:
        return None
    return {
        "run": run.run.name,
        "rollouts": len(cases),
        "passes": sum(bool(case.passed) for case in cases),
        "tasks": in_order(case.label for case in cases),
        "example": [cases[0].label, *cases[0].observed["judged_again"]],
    }


def _pairs(run: str, known: Known) -> dict[str, Any] | None:
    """Pairs of attempts at one task of a run, and those whose calls are all equal."""
    own = [(case, seen["calls"][0]) for case, seen in known if case.run == run and _verdict(case) != NONE]
    digests = {id(case): digest for case, digest in own}
    pairs, equal, tasks = 0, 0, []
    for cases in by_task([case for case, _ in own]).values():
        for candidate, other in combinations(cases, 2):
            pairs += 1
            if digests[id(candidate)] == digests[id(other)]:
                equal += 1
                tasks.append(candidate.label)
    return {"run": run, "pairs": pairs, "equal": equal, "tasks": in_order(tasks)} if pairs else None


def _often_equal(entry: Mapping[str, Any]) -> bool:
    return bool(entry["equal"]) and entry["equal"] >= FEW * entry["pairs"]


def tell(answer: Mapping[str, Any]) -> list[Block]:
    items = [Paragraph((_same_calls(place, candidate),)) for place, candidate in enumerate(answer["calls"])]
    items += [Paragraph((_same_result(candidate),)) for candidate in answer["results"]]
    items += [Paragraph((_same_first(candidate),)) for candidate in answer.get("first", ())]
    items += [Paragraph((_same_step(place, entry),)) for place, entry in enumerate(answer["again"])]
    blocks: list[Block] = [Bullets(tuple(items))] if items else []
    closing = list(_closing(answer))
    return [*blocks, Paragraph(tuple(closing))] if closing else blocks


def _same_calls(place: int, candidate: Mapping[str, Any]) -> Sentence:
    return say(
        "{task}: {attempts} make the same {calls}, with the same arguments; {passed} {pass_word}, {against} "
        + _ending(candidate),
        task=candidate["task"],
        attempts=_named(_both(candidate)),
        calls=fact(count(candidate["calls"], "call"), candidate["calls"], *_AT, "calls", place, "calls"),
        **_sides(candidate),
    )


def _same_step(place: int, entry: Mapping[str, Any]) -> Sentence:
    path = (*_AT, "again", place)
    task, score, next_score = entry["example"]
    return say(
        "In {rollouts} of {run} ({tasks}) a step hands in the same as the one before, word for word, and is scored "
        "otherwise (task {task}: {score}, then {next_score}); {passes} of them {pass_word}: what the verifier keeps "
        "between the steps changed the verdict, and not the work.",
        rollouts=fact(count(entry["rollouts"], "rollout"), entry["rollouts"], *path, "rollouts"),
        run=entry["run"],
        tasks=task_list(entry["tasks"]),
        task=task,
        score=f"{score:g}",
        next_score=f"{next_score:g}",
        passes=amount(entry["passes"], *path, "passes"),
        pass_word="passes" if entry["passes"] == 1 else "pass",
    )


def _same_result(candidate: Mapping[str, Any]) -> Sentence:
    return say(
        "{task}: {attempts} come to the same value, {value}, which no judged failure of the task shows; {passed} "
        "{pass_word}, {against} " + _ending(candidate),
        task=candidate["task"],
        attempts=_named(_both(candidate)),
        value=candidate["value"],
        **_sides(candidate),
    )


def _same_first(candidate: Mapping[str, Any]) -> Sentence:
    return say(
        "{task}: {attempts} begin with the same call and get the same answer; {passed} {pass_word} with it, {against} "
        + _ending(candidate),
        task=candidate["task"],
        attempts=_named(_both(candidate)),
        **_sides(candidate),
    )


def _sides(candidate: Mapping[str, Any]) -> dict[str, str]:
    several = sum(map(len, candidate["passed"].values())) > 1
    runs = len(_both(candidate)) > 1
    return {
        "passed": _named(candidate["passed"], runs=runs),
        "pass_word": "pass" if several else "passes",
        "against": _named(candidate["against"], runs=runs),
        "why": f" ({candidate['reason']})" if candidate["reason"] else "",
    }


def _ending(candidate: Mapping[str, Any]) -> str:
    several = sum(map(len, candidate["against"].values())) > 1
    if candidate["other"] == FAIL:
        fails = "fail" if several else "fails"
        if "same_words" not in candidate:
            return f"{fails}: the verdict depends on something other than the calls."
        if candidate["same_words"]:
            return f"{fails}, and passes and failures end on the same words: the verdict depends on something else."
        return f"{fails}: what they say last differs, or something else that is not in the calls decides."
    if several:
        return "get no verdict{why}: their zeros are the verifier's, not the work's."
    return "gets no verdict{why}: its zero is the verifier's, not the work's."


def _both(candidate: Mapping[str, Any]) -> dict[str, list[int]]:
    runs = dict.fromkeys((*candidate["passed"], *candidate["against"]))
    return {run: sorted((*candidate["passed"].get(run, ()), *candidate["against"].get(run, ()))) for run in runs}


def _named(attempts: Mapping[str, Sequence[int]], *, runs: bool = True) -> str:
    """As in: attempts 0 and 2 of run-a and attempt 1 of run-b; the runs may be left out."""
    words = []
    for run, places in attempts.items():
        numbers = listed([str(place) for place in places])
        words.append(f"{'attempt' if len(places) == 1 else 'attempts'} {numbers}{f' of {run}' if runs else ''}")
    return listed(words)


def _closing(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    if answer["left_out"]:
        yield say("{more} left out.", more=count(answer["left_out"], "more case is", "more cases are"))
    for place, entry in enumerate(answer["pairs"]):
        if _often_equal(entry):
            yield say(
                "In {run} {equal} of {pairs} of attempts at one task make identical calls ({tasks}): more attempts "
                "at these tasks add little.",
                run=entry["run"],
                equal=amount(entry["equal"], *_AT, "pairs", place, "equal"),
                pairs=fact(count(entry["pairs"], "pair"), entry["pairs"], *_AT, "pairs", place, "pairs"),
                tasks=task_list(entry["tasks"]),
            )


_AT = ("investigation", "equal_work")


def health(answer: Mapping[str, Any]) -> Iterator[Item]:
    """Equal work of which one attempt has a verdict and another has none, or steps scored in two ways."""
    told = [
        (candidate, _same_calls(place, candidate))
        for place, candidate in enumerate(answer["calls"])
        if candidate["other"] == NONE
    ]
    told += [(candidate, _same_result(candidate)) for candidate in answer["results"]]
    for candidate, sentence in told:
        runs = list(_both(candidate))
        run = runs[0] if len(runs) == 1 else None
        yield item("flaky_verifier", "medium", sentence.text, tasks=[candidate["task"]], run=run)
    for place, entry in enumerate(answer["again"]):
        yield item("flaky_verifier", "medium", _same_step(place, entry).text, tasks=entry["tasks"], run=entry["run"])
