"""Which programs and modules do rollouts call for that the environment lacks, and do those fail?"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Advice, Block, Paragraph, Sentence, say
from blade.extract.lacking import MODULE
from blade.questions import SURE, in_order, outcome_p, task_list
from blade.stats.rounding import WRITTEN, significant
from blade.wording import abridged, amount, count, fact, listed

TITLE = "Programs and modules that the environment lacks"
ORDER = 78
WEIGHT = 0.3
FEWEST_TASKS = 3
MOST_NAMES = 8
MOST_TOLD = 5
OFTEN, FEWEST_OFTEN = 0.2, 5
"""Where so many of the rollouts that make calls miss something, it costs calls, whatever it does to the score."""
LIKELY = 0.3
"""That a failure comes of a program that is not there: others do without it."""


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """The rollouts that meet a lacking name, by outcome and run, and the names by how many rollouts meet them."""
    cases = [case for run in runs for case in run.observing("calls") if case.observed["calls"]]
    meeting: defaultdict[str, list[Case]] = defaultdict(list)
    kinds: dict[str, str] = {}
    for case in cases:
        for name, kind in case.observed.get("lacking", ()):
            meeting[name].append(case)
            kinds[name] = kind
    names = sorted(meeting, key=lambda name: (-len(meeting[name]), name))
    met = {id(case) for name in names for case in meeting[name]}
    having = [case for case in cases if id(case) in met]
    if len({case.key for case in having}) < FEWEST_TASKS:
        return None
    p = outcome_p(cases, met)
    return {
        "rollouts": len(having),
        "acting": len(cases),
        "failures": sum(not case.passed for case in having),
        "of_failures": sum(not case.passed for case in cases),
        "passes": sum(bool(case.passed) for case in having),
        "of_passes": sum(bool(case.passed) for case in cases),
        "runs": dict(Counter(case.run for case in having)),
        "tasks": in_order(case.label for case in having),
        "names": [_name(name, kinds[name], meeting[name]) for name in names[:MOST_NAMES]],
        "left_out": len(names[MOST_NAMES:]),
        "p": None if p is None else significant(p, WRITTEN),
    }


def _name(name: str, kind: str, cases: Sequence[Case]) -> dict[str, Any]:
    return {"name": name, "kind": kind, "rollouts": len(cases), "failures": sum(not case.passed for case in cases)}


def _goes_with_failing(answer: Mapping[str, Any]) -> bool:
    more = answer["failures"] * answer["of_passes"] > answer["passes"] * answer["of_failures"]
    return answer["p"] is not None and answer["p"] <= SURE and more


def tell(answer: Mapping[str, Any]) -> list[Block]:
    proof = ": that goes with failing (exact test p = {p})" if _goes_with_failing(answer) else ""
    by_run = f"; by run: {listed([f'{run} {many:,}' for run, many in answer['runs'].items()])}"
    sentence = say(
        "The environment lacks what {rollouts} of {acting} that make calls call for: {names}{more}. {failures} of "
        "{of_failures} and {passes} of {of_passes} meet that" + proof + " ({tasks}{runs}).",
        rollouts=amount(answer["rollouts"], *_AT, "rollouts"),
        acting=fact(count(answer["acting"], "rollout"), answer["acting"], *_AT, "acting"),
        names=listed([_named(entry) for entry in answer["names"]]),
        more=f", and {count(answer['left_out'], 'more name')}" if answer["left_out"] else "",
        **_outcomes(answer),
        p=fact(f"{answer['p'] or 0:.2g}", answer["p"], *_AT, "p"),
        tasks=task_list(answer["tasks"]),
        runs=by_run if len(answer["runs"]) > 1 else "",
    )
    return [Paragraph((sentence,))]


def _outcomes(answer: Mapping[str, Any]) -> dict[str, Any]:
    nouns = {"of_failures": ("failure", "failures"), "of_passes": ("pass", "passes")}
    totals = {key: fact(count(answer[key], *forms), answer[key], *_AT, key) for key, forms in nouns.items()}
    return {key: amount(answer[key], *_AT, key) for key in ("failures", "passes")} | totals


def _named(entry: Mapping[str, Any]) -> str:
    module = "module " if entry["kind"] == MODULE else ""
    return f"{module}{entry['name']} ({entry['failures']:,} of {entry['rollouts']:,} fail)"


_AT = ("investigation", "lacking_programs")


def _is_common(answer: Mapping[str, Any]) -> bool:
    return bool(answer["rollouts"] >= max(FEWEST_OFTEN, OFTEN * answer["acting"]))


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """Where it goes with failing, or many rollouts meet it."""
    names = abridged([entry["name"] for entry in answer["names"]], MOST_TOLD)
    if _goes_with_failing(answer):
        yield say(
            "{failures} of {of_failures} and {passes} of {of_passes} call for a program or module that "
            "the environment lacks: {names}.",
            **_outcomes(answer),
            names=names,
        )
    elif _is_common(answer):
        yield say(
            "{rollouts} of {acting} that make calls call for what the environment lacks ({names}): that costs calls; "
            "{failures} of them {fail}, as {others}.",
            rollouts=amount(answer["rollouts"], *_AT, "rollouts"),
            acting=fact(count(answer["acting"], "rollout"), answer["acting"], *_AT, "acting"),
            names=names,
            failures=amount(answer["failures"], *_AT, "failures"),
            fail="fails" if answer["failures"] == 1 else "fail",
            others=_rest(answer),
        )


def _rest(answer: Mapping[str, Any]) -> str:
    """How many of the other rollouts fail."""
    failures, rest = answer["of_failures"] - answer["failures"], answer["acting"] - answer["rollouts"]
    return f"{'does' if failures == 1 else 'do'} {failures:,} of the {rest:,} others"


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """Put there what is lacking, or say that it is not there, where it goes with failing or many call for it."""
    if _goes_with_failing(answer) or _is_common(answer):
        names = abridged([entry["name"] for entry in answer["names"]], MOST_TOLD)
        failures = count(answer["failures"], "failure calls", "failures call")
        yield Advice(
            "harness",
            f"Install {names} in the environment, or say in the prompt what is there",
            say(
                "{failures} for one of them in vain, and so {do} {passes}.",
                failures=failures,
                do="does" if answer["passes"] == 1 else "do",
                passes=count(answer["passes"], "pass", "passes"),
            ),
            answer["failures"],
            LIKELY,
        )
