"""Do commands reach the environment as the model wrote them, and do they hold the environment's part?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Advice, Block, Bullets, Paragraph, Quote, Sentence, say
from blade.evidence import open_rows
from blade.extract.attempt import Attempt
from blade.extract.sent_calls import (
    ANSWERED,
    FENCED,
    FEWEST_CALLS,
    FEWEST_ROLLOUTS,
    GLUED,
    LOWERED,
    PROSE,
    SWALLOWED,
    UNCLOSED,
    loses_breaks,
    runs_fences,
)
from blade.findings import LONGEST_QUOTE
from blade.model import Source
from blade.questions import SURE, in_order, outcome_p, task_list
from blade.stats.multiple import benjamini_hochberg
from blade.stats.rounding import WRITTEN, significant
from blade.wording import abridged, amount, at, count, fact

TITLE = "What reaches the environment"
ORDER = 24
WEIGHT = 1.5
BREAKS, QUOTES, CAPITALS, PARTS, FENCES, SENTENCES = "breaks", "quotes", "capitals", "parts", "fences", "sentences"
FEWEST_UNCLOSED = 5
MOST_RUNS = 4
SELDOM = 0.05
"""So few rollouts of a run write a capital letter in a call where all are made small on the way."""
MUCH = 0.1
"""So much of a run's failures makes what is lost one for the first screen."""
LIKELY = 0.5
"""That a failure comes of a command that did not arrive as it was written."""
_ODDITIES = {
    BREAKS: (SWALLOWED, GLUED),
    QUOTES: (UNCLOSED,),
    CAPITALS: (LOWERED,),
    PARTS: (ANSWERED,),
    FENCES: (FENCED,),
    SENTENCES: (PROSE,),
}


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Per loss the runs that show it, by outcome, with an example: line breaks, quotes, capitals, another's part.

    Of what is sent and should not be: fences around commands that fail, and sentences that no shell can run.
    """
    calling = {run.run.name: [case for case in run.observing("calls") if case.observed["calls"]] for run in runs}
    kinds = {name: set(_kinds(cases)) for name, cases in calling.items() if cases}
    losses = [_loss(kind, {name: calling[name] for name in kinds if kind in kinds[name]}) for kind in _ODDITIES]
    losses = [loss for loss in losses if loss["runs"]]
    for loss in losses:
        if loss["kind"] == CAPITALS:
            others = [case for name, cases in calling.items() if CAPITALS not in kinds.get(name, ()) for case in cases]
            loss["others"] = [sum("capitals" in _sent(case) for case in others), len(others)]
    tested = [entry for loss in losses for entry in loss["runs"] if entry["p"] is not None]
    for entry, p in zip(tested, benjamini_hochberg([entry["p"] for entry in tested]), strict=True):
        entry["p"] = significant(p, WRITTEN)
    return {"losses": losses} if losses else None


def _loss(kind: str, runs: Mapping[str, Sequence[Case]]) -> dict[str, Any]:
    """What one loss shows in the runs that have it, most failures first, and the shortest calls that show it."""
    entries, every = [], []
    for name, cases in runs.items():
        having = [case for case in cases if any(_sent(case).get(oddity) for oddity in _ODDITIES[kind])]
        entries.append(_entry(name, kind, having, cases))
        every += having
    entries.sort(key=lambda entry: (-entry["failures"], entry["run"]))
    first_run = entries[0]["run"] if entries else ""
    every.sort(key=lambda case: case.run != first_run)
    examples = [example for oddity in _ODDITIES[kind] for example in _example(oddity, every)]
    return {"kind": kind, "runs": entries, "examples": examples}


def _sent(case: Case) -> Mapping[str, Any]:
    return case.observed.get("sent") or {}


def _kinds(cases: Sequence[Case]) -> Iterator[str]:
    """What a run's calls show often enough to be told."""
    records = [_sent(case) for case in cases]
    calls = sum(case.observed["calls"][1] for case in cases)
    rollouts = Counter(oddity for record in records for oddity in record)
    if loses_breaks(records, calls):
        yield BREAKS
    unclosed = sum(record[UNCLOSED][0] for record in records if UNCLOSED in record)
    if rollouts[UNCLOSED] >= FEWEST_ROLLOUTS and unclosed >= FEWEST_UNCLOSED:
        yield QUOTES
    few = rollouts["capitals"] <= SELDOM * len(cases)
    if rollouts[LOWERED] >= FEWEST_ROLLOUTS and calls >= FEWEST_CALLS and few:
        yield CAPITALS
    if rollouts[ANSWERED] >= FEWEST_ROLLOUTS:
        yield PARTS
    if runs_fences(records):
        yield FENCES
    if rollouts[PROSE] >= FEWEST_ROLLOUTS:
        yield SENTENCES


def _entry(run: str, kind: str, having: Sequence[Case], cases: Sequence[Case]) -> dict[str, Any]:
    records = [_sent(case) for case in having]
    counted = [oddity for oddity in _ODDITIES[kind] if oddity != LOWERED]
    failures, passes = (sum(bool(case.passed) is passed for case in having) for passed in (False, True))
    all_failures, all_passes = (sum(bool(case.passed) is passed for case in cases) for passed in (False, True))
    more = passes * all_failures < failures * all_passes
    return {
        "run": run,
        "calls": sum(case.observed["calls"][1] for case in cases),
        "odd": {oddity: sum(record[oddity][0] for record in records if oddity in record) for oddity in counted},
        "first": sum(record[ANSWERED][-1] for record in records) if kind == PARTS else 0,
        "capitals": sum("capitals" in _sent(case) for case in cases),
        "rollouts": len(cases),
        "failures": failures,
        "of_failures": all_failures,
        "passes": passes,
        "of_passes": all_passes,
        "p": outcome_p(cases, {id(case) for case in having}) if more else None,
        "tasks": in_order({case.label for case in having if not case.passed}),
    }


def _example(oddity: str, having: Sequence[Case]) -> Iterator[dict[str, Any]]:
    """The shortest call of the first run that shows an oddity, with the name or the mark that tells it.

    A failure's comes before a pass's.
    """
    cases = [case for case in having if oddity in _sent(case)]
    first_run = cases[0].run if cases else ""
    cases.sort(
        key=lambda case: (
            bool(case.passed),
            case.run != first_run,
            oddity != LOWERED and _sent(case)[oddity][2],
        )
    )
    for case in cases[:1]:
        item = _sent(case)[oddity][1]
        for _, row in open_rows([Source(*case.place)]):
            attempt = Attempt(row)
            for call in attempt.calls:
                if call.step.item == item:
                    quote = attempt.cite(call.step, 0, LONGEST_QUOTE).quote
                    place = f"{case.run}, task {case.label}, attempt {case.attempt}, item {item}"
                    yield {"quote": quote, "place": place, "words": _words_of(oddity, _sent(case)[oddity])}
                    return


def _words_of(oddity: str, record: Sequence[Any]) -> str:
    return str(record[0] if oddity == LOWERED else record[3] if oddity == ANSWERED else "")


def tell(answer: Mapping[str, Any]) -> list[Block]:
    blocks: list[Block] = []
    for place, loss in enumerate(answer["losses"]):
        blocks.append(Paragraph((_head(place, loss),)))
        blocks.append(Bullets(tuple(Paragraph((_run(place, rank, loss),)) for rank, _ in enumerate(loss["runs"]))))
        blocks += [
            Quote(example["quote"], example["place"], at(*_AT, place, "examples", rank, "quote"))
            for rank, example in enumerate(loss["examples"])
        ]
    return blocks


def _head(place: int, loss: Mapping[str, Any]) -> Sentence:
    """What is lost or made up, as the record shows it."""
    capitals, others = loss.get("others") or (0, 0)
    more = " Of {others} of the other runs {capitals} {have} one." if others else ""
    words = loss["examples"][0]["words"] if loss["examples"] else ""
    return say(
        _HEADS[loss["kind"]] + more,
        words=words,
        capitals=amount(capitals, *_AT, place, "others", 0),
        have="has" if capitals == 1 else "have",
        others=fact(count(others, "rollout"), others, *_AT, place, "others", 1),
    )


def _run(place: int, rank: int, loss: Mapping[str, Any]) -> Sentence:
    """One run: in how many calls, and in how many failures and passes."""
    entry, path = loss["runs"][rank], (*_AT, place, "runs", rank)
    sure = entry["p"] is not None and entry["p"] <= SURE
    tasks = "" if not entry["tasks"] else "; {tasks}" if sure else " ({tasks})"
    test = " (exact test p = {p}" + tasks + ")" if sure else tasks
    return say(
        _counted(entry, loss["kind"]) + " in {failures} of {all_failures} and {passes} of {all_passes}" + test + ".",
        run=entry["run"],
        calls=fact(count(entry["calls"], "call"), entry["calls"], *path, "calls"),
        **{name: amount(number, *path, "odd", name) for name, number in entry["odd"].items() if number},
        first=amount(entry["first"], *path, "first"),
        capitals=amount(entry["capitals"], *path, "capitals"),
        rollouts=fact(count(entry["rollouts"], "rollout"), entry["rollouts"], *path, "rollouts"),
        p=fact(f"{entry['p'] or 0:.2g}", entry["p"], *path, "p"),
        tasks=task_list(entry["tasks"]),
        **_outcomes(entry, path),
    )


def _counted(entry: Mapping[str, Any], kind: str) -> str:
    """The calls of a run that show it, with holes for the numbers."""
    if kind == CAPITALS:
        return "{run}: {capitals} of {rollouts} with a capital letter in a call; such a name made small"
    if kind == PARTS:
        first = ", {first} of them the first of a rollout" if entry["first"] else ""
        return "{run}: {answered} of {calls}" + first + ","
    if kind in _ALONE:
        return f"{{run}}: {{{_ODDITIES[kind][0]}}} of {{calls}},"
    behind = {
        SWALLOWED: "{swallowed} with a command behind a comment",
        GLUED: "{glued} with one behind another command",
    }
    return "{run}: of {calls} " + " and ".join(words for name, words in behind.items() if entry["odd"][name]) + ","


def _outcomes(entry: Mapping[str, Any], path: Sequence[str | int]) -> dict[str, Any]:
    return {
        "failures": amount(entry["failures"], *path, "failures"),
        "all_failures": fact(count(entry["of_failures"], "failure"), entry["of_failures"], *path, "of_failures"),
        "passes": amount(entry["passes"], *path, "passes"),
        "all_passes": fact(count(entry["of_passes"], "pass", "passes"), entry["of_passes"], *path, "of_passes"),
    }


_AT = ("investigation", "sent_calls", "losses")
_ALONE = frozenset({QUOTES, FENCES, SENTENCES})
"""Kinds of which one number of calls is told."""
_HEADS = {
    BREAKS: "Line breaks may be lost between the model and the environment: no call has one, yet a comment is followed "
    "by a command in the same line, which then runs nothing, or a command by the next with nothing between them.",
    QUOTES: "Quotes may be taken off, or set around commands once more, between the model and the shell: it complains "
    "of a quote or bracket that is not closed, though in the call as recorded all are.",
    CAPITALS: "Capital letters may be made small between the model and the environment: a name that the task writes "
    "with them (such as “{words}”) stands in small letters in a call, and hardly any rollout has a capital letter in "
    "a call.",
    PARTS: "Calls hold the environment's part, marked by words such as “{words}”: the model writes what the "
    "environment should answer, and all of it is sent as the command.",
    FENCES: "Calls that fail hold their command inside the fence of a code block or between backticks: the harness "
    "hands the marks on with the command.",
    SENTENCES: "Sentences are sent as commands: the shell finds no program of the name of their first word, no end of "
    "an apostrophe, or a bracket that it cannot read.",
}
_BRIEF = {
    BREAKS: "{run}: commands seem to arrive without their line breaks, so that a comment swallows a command or two "
    "commands become one",
    PARTS: "{run}: commands hold the environment's part, which the model makes up and nothing cuts off",
    FENCES: "{run}: commands are run with the fence of a code block or the backticks around them, and fail",
    SENTENCES: "{run}: sentences are sent as commands, and fail",
}
_CHANGES = {
    BREAKS: "Hand the model's commands on with their line breaks",
    QUOTES: "Hand commands to the shell as the model writes them, without another layer of quotes",
    CAPITALS: "Hand commands on without making capital letters small",
    PARTS: "Stop the model, or cut its command, where the environment's part begins",
    FENCES: "Take fences and backticks off a command before it is run, or ask the model to write none",
    SENTENCES: "Give the model a way to speak or to end beside sending commands, and run no sentence",
}


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """What is lost, or made up, in a good part of a run's failures and goes with failing."""
    for place, loss in enumerate(answer["losses"]):
        for rank, entry in enumerate(loss["runs"]):
            if loss["kind"] in _BRIEF and _weighs(entry):
                yield say(
                    _BRIEF[loss["kind"]] + ", in {failures} of {all_failures} and {passes} of {all_passes}.",
                    run=entry["run"],
                    **_outcomes(entry, (*_AT, place, "runs", rank)),
                )


def _weighs(entry: Mapping[str, Any]) -> bool:
    """Whether it goes with failing in a good part of a run's failures: its score is then the harness's as well."""
    return entry["p"] is not None and entry["p"] <= SURE and entry["failures"] >= MUCH * entry["of_failures"]


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """A harness that hands commands on as they are, and no more than the command."""
    for loss in answer["losses"]:
        entries = [entry for entry in loss["runs"] if entry["failures"]]
        failures = sum(entry["failures"] for entry in entries)
        if failures:
            yield Advice(
                "harness",
                _CHANGES[loss["kind"]],
                say(
                    "{many} of {runs} {show} it.",
                    many=count(failures, "failure"),
                    runs=abridged([entry["run"] for entry in entries], MOST_RUNS),
                    show="shows" if failures == 1 else "show",
                ),
                failures,
                LIKELY,
                before_scores=any(map(_weighs, entries)),
            )
