"""Which patches make tests that were there expect something else, and is it those tests that fail then?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.steady_checks import failed_by_set, steady_sets
from blade.document import Block, Fact, Paragraph, Sentence, say
from blade.questions import SURE, in_order, judged, outcome_p, patch_field, task_list
from blade.stats.rounding import WRITTEN, significant
from blade.wording import amount, count, fact, listed

TITLE = "Tests that patches rewrite"
ORDER = 76
WEIGHT = 1.2
FEWEST = 5
TOUCHES_TESTS, REWRITTEN = 1, 14
"""Where a record of a patch holds the test files that it touches, and the assertions that it takes out or changes."""


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Patches that take out or change assertions, those that touch tests otherwise, and the rest, by outcome."""
    cases = [case for run in runs for case in judged(run)]
    field = patch_field(cases)
    opened = {id(case): patch for case in cases if field and (patch := case.observed.get("patches", {}).get(field))}
    having = [case for case in cases if id(case) in opened]
    rewriting = [case for case in having if opened[id(case)][REWRITTEN][0]]
    if len(rewriting) < FEWEST or len(having) - len(rewriting) < FEWEST:
        return None
    adding = [case for case in having if opened[id(case)][TOUCHES_TESTS] and not opened[id(case)][REWRITTEN][0]]
    others = [case for case in having if not opened[id(case)][REWRITTEN][0]]
    named = [case for case in rewriting if not case.passed and any(not met for met in case.checks.values())]
    hit = [case for case in named if _fails_its_own(case, opened[id(case)][REWRITTEN][1])]
    p = outcome_p(having, {id(case) for case in rewriting})
    steady = steady_sets(cases)
    failed = failed_by_set(hit) if steady else {}
    bent = [case for case in hit if _fails_steady(failed.get(id(case), {}), steady, opened[id(case)][REWRITTEN][1])]
    return {
        "rewriting": _counts(rewriting),
        "adding": _counts(adding),
        "others": _counts(others),
        "p": None if p is None else significant(p, WRITTEN),
        "named": len(named),
        "hit": in_order(case.label for case in hit),
        "steady": sorted(steady),
        "bent": in_order(case.label for case in bent),
    }


def _fails_steady(failed: Mapping[str, Sequence[str]], steady: Collection[str], tests: Sequence[str]) -> bool:
    """Whether a rewritten test fails that any solution leaves as it is."""
    checks = [check for name in steady for check in failed.get(name, ())]
    return any(_is_named(check, test) for check in checks for test in tests)


def _counts(cases: Sequence[Case]) -> dict[str, Any]:
    return {
        "rollouts": len(cases),
        "passes": sum(bool(case.passed) for case in cases),
        "runs": dict(Counter(case.run for case in cases).most_common()),
        "failed": in_order(case.label for case in cases if not case.passed),
    }


def _fails_its_own(case: Case, tests: Sequence[str]) -> bool:
    """Whether a check that fails bears the name of a test that the patch rewrote."""
    failed = [check for check, met in case.checks.items() if not met]
    return any(_is_named(check, test) for check in failed for test in tests)


def _is_named(check: str, test: str) -> bool:
    """Whether the name of a test stands in that of a check, as a whole."""
    before, found, behind = check.partition(test)
    return bool(found) and not (
        before[-1:].isalnum() or before[-1:] == "_" or behind[:1].isalnum() or behind[:1] == "_"
    )


def tell(answer: Mapping[str, Any]) -> list[Block]:
    return [Paragraph(tuple(_sentences(answer)))]


def _sentences(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    rewriting, others, p = answer["rewriting"], answer["others"], answer["p"]
    goes = "it goes with the outcome (p = {p})" if p is not None and p <= SURE else "that may be chance"
    yield say(
        "{rollouts} take out or change assertions of tests that were there ({runs}): {passes}, of the others "
        "{other_passes} of {others}; " + goes + ". Those that fail: {tasks}.",
        rollouts=fact(
            count(rewriting["rollouts"], "patch", "patches"), rewriting["rollouts"], *_AT, "rewriting", "rollouts"
        ),
        runs=listed([f"{run} {many:,}" for run, many in rewriting["runs"].items()]),
        passes=fact(
            count(rewriting["passes"], "of them passes", "of them pass"),
            rewriting["passes"],
            *_AT,
            "rewriting",
            "passes",
        ),
        other_passes=amount(others["passes"], *_AT, "others", "passes"),
        others=amount(others["rollouts"], *_AT, "others", "rollouts"),
        p=fact(f"{p:.2g}", p, *_AT, "p") if p is not None else "",
        tasks=task_list(rewriting["failed"]),
    )
    if answer["adding"]["rollouts"]:
        adding = answer["adding"]
        yield say(
            "Of {rollouts} that touch tests and leave every assertion as it was, {passes}.",
            rollouts=fact(
                count(adding["rollouts"], "patch", "patches"), adding["rollouts"], *_AT, "adding", "rollouts"
            ),
            passes=fact(count(adding["passes"], "passes", "pass"), adding["passes"], *_AT, "adding", "passes"),
        )
    if answer["hit"]:
        yield say(
            "In {hit} of the {named} whose failed checks are known, a test that fails is one that the patch rewrote "
            "({tasks})" + (": read whether the model bent it to its own reading." if not answer["steady"] else "."),
            hit=amount(len(answer["hit"]), *_AT, "hit"),
            named=fact(count(answer["named"], "failure"), answer["named"], *_AT, "named"),
            tasks=task_list(answer["hit"]),
        )
        if answer["steady"]:
            yield _bent_words(answer)


def _bent_words(answer: Mapping[str, Any]) -> Sentence:
    """Which of these tests were to hold as they were: those that had to change in any case tell nothing of bending."""
    steady, bent, hit = answer["steady"], answer["bent"], answer["hit"]
    sets = listed([f"“{name}”" for name in steady])
    if not bent:
        return say(
            "None of these tests is of {sets}, which most failures meet in full: a solution may have had to change "
            "them.",
            sets=sets,
        )
    return say(
        "In {bent} of them ({tasks}) it is of {sets}, which most failures meet in full: there the model bent a test "
        "that was to hold." + (" In the others a solution may have had to change it." if len(hit) > len(bent) else ""),
        bent=amount(len(bent), *_AT, "bent"),
        tasks=task_list(bent),
        sets=sets,
    )


def _patches(answer: Mapping[str, Any], group: str) -> Fact:
    many = answer[group]["rollouts"]
    return fact(count(many, "patch", "patches"), many, *_AT, group, "rollouts")


def _pass_words(many: int) -> str:
    return count(many, "of them passes", "of them pass")


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """That rewriting tests goes with failing, where it does."""
    rewriting, others, p = answer["rewriting"], answer["others"], answer["p"]
    if p is None or p > SURE or rewriting["passes"] * others["rollouts"] >= others["passes"] * rewriting["rollouts"]:
        return
    yield say(
        "{passes} of {rollouts} that take out or change assertions of tests pass, of the others {other_passes} of "
        "{others} (p = {p}).",
        passes=amount(rewriting["passes"], *_AT, "rewriting", "passes"),
        rollouts=fact(
            count(rewriting["rollouts"], "patch", "patches"), rewriting["rollouts"], *_AT, "rewriting", "rollouts"
        ),
        other_passes=amount(others["passes"], *_AT, "others", "passes"),
        others=amount(others["rollouts"], *_AT, "others", "rollouts"),
        p=fact(f"{p:.2g}", p, *_AT, "p"),
    )


_AT = ("investigation", "rewritten_tests")
