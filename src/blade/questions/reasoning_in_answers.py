"""Which final messages hold the reasoning that should have been parsed away, and do they pass less often?

A message holds reasoning if a tag that models write around it stands there, or if its run reasons apart from its
answers nearly everywhere, and here it does not and says far more than the others. Where such messages pass as often,
the verifier reads what stands behind the tag, and nothing is told.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Advice, Block, Bullets, Paragraph, Sentence, say
from blade.extract.final_message import CLOSED, OPENED, WHOLE
from blade.questions import SURE, cause, in_order, judged, outcome_p, task_list
from blade.stats.multiple import benjamini_hochberg
from blade.stats.rounding import WRITTEN, significant
from blade.stats.strata import Table, exact_p
from blade.wording import amount, count, fact, listed, p_value

TITLE = "Reasoning that stands in the answer"
ORDER = 77
WEIGHT = 1.4
FEWEST, FEWEST_TASKS = 3, 3
NEARLY_ALL = 0.8
"""So many rollouts of a run reason apart from what they answer: then one that does not has its reasoning elsewhere."""
FAR_LONGER = 2.0
"""So many times the words of the run's other answers: to the same task, or to all where the task has none."""
EVERYWHERE = 0.9
"""A run in which so many messages hold a tag is served so: it is held against the other runs, not against itself."""
MOST_TAGS = 2
LIKELY = 0.8
_SHAPES = {
    CLOSED: "a closing “{tag}” without an opening one",
    OPENED: "“{tag}”, which is never closed",
    WHOLE: "reasoning that ends with “{tag}”",
}
_PATH = ("investigation", "reasoning_in_answers", "runs")


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Per run the messages that hold reasoning, where they pass less often than what they are held against."""
    every_case = [case for run in runs for case in judged(run)]
    tested = [
        (entry, p) for run in runs if (entry := _entry(run, every_case)) and (p := entry.pop("chance")) is not None
    ]
    entries = []
    causes = []
    for (entry, _), p in zip(tested, benjamini_hochberg([p for _, p in tested]), strict=True):
        holding = entry.pop("cases")
        if p <= SURE:
            entries.append(entry | {"p": significant(p, WRITTEN)})
            causes.append(cause("BI", "its answer holds its reasoning", holding))
    return {"runs": entries, "spared": _spared(runs, entries), "causes": causes} if entries else None


def _entry(run: RunCases, every_case: Sequence[Case]) -> dict[str, Any] | None:
    answered = [case for case in judged(run) if _words(case)]
    tagged = [case for case in answered if _tag(case)]
    unparted = _unparted(run, [case for case in answered if not _tag(case)])
    holding = [*tagged, *unparted]
    keys = {case.key for case in holding}
    if len(holding) < FEWEST or len(keys) < FEWEST_TASKS:
        return None
    identities = {id(case) for case in holding}
    is_everywhere = len(holding) >= EVERYWHERE * len(answered)
    rows = (
        [*holding, *(case for case in every_case if case.key in keys and case.run != run.run.name and not _tag(case))]
        if is_everywhere
        else answered
    )
    rest = [case for case in rows if id(case) not in identities]
    passes, rest_passes = (sum(bool(case.passed) for case in cases) for cases in (holding, rest))
    if not rest or passes * len(rest) >= rest_passes * len(holding):
        return None
    first = holding[0]
    return {
        "run": run.run.name,
        "rollouts": len(holding),
        "cases": holding,
        "answered": len(answered),
        "passes": passes,
        "tasks": in_order(case.label for case in holding),
        "tags": [[*tag, number] for tag, number in Counter(map(_tag, tagged)).most_common(MOST_TAGS)],
        "unparted": len(unparted),
        "against": "runs" if is_everywhere else "run",
        "rest": len(rest),
        "rest_passes": rest_passes,
        "words": round(median(map(_words, holding))),
        "rest_words": round(median(map(_words, rest))),
        "example": {"task": first.label, "attempt": str(first.attempt)},
        "chance": exact_p(_by_task(rows, identities)) if is_everywhere else outcome_p(rows, identities),
    }


def _words(case: Case) -> int:
    number: int = case.observed.get("final", {}).get("words", 0)
    return number


def _tag(case: Case) -> tuple[str, ...]:
    return tuple(case.observed.get("final", {}).get("tag", ()))


def _by_task(rows: Sequence[Case], holding: set[int]) -> list[Table]:
    tables: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for case in rows:
        tables[case.key][(id(case) not in holding) * 2 + (not case.passed)] += 1
    return [(a, b, c, d) for a, b, c, d in tables.values()]


def _unparted(run: RunCases, answered: Sequence[Case]) -> list[Case]:
    """Rollouts without reasoning of their own in a run that reasons nearly everywhere, and with far longer answers."""
    frame = run.run.graded
    if not {"thoughts", "reasoning_tokens"} <= set(frame.columns):
        return []
    rows = zip(run.cases, frame["thoughts"].to_list(), frame["reasoning_tokens"].to_list(), strict=True)
    reasoning = {id(case) for case, thoughts, tokens in rows if thoughts or tokens}
    parted = [case for case in answered if id(case) in reasoning]
    if len(parted) < NEARLY_ALL * len(answered) or not parted:
        return []
    usual = median(map(_words, parted))
    of_task: defaultdict[str, list[int]] = defaultdict(list)
    for case in parted:
        of_task[case.key].append(_words(case))
    return [
        case
        for case in answered
        if id(case) not in reasoning
        and _words(case) >= FAR_LONGER * (median(of_task[case.key]) if case.key in of_task else usual)
    ]


def _spared(runs: Sequence[RunCases], entries: Sequence[Mapping[str, Any]]) -> list[str]:
    """Runs in which no message holds a tag."""
    concerned = {entry["run"] for entry in entries}
    return [
        run.run.name
        for run in runs
        if run.run.name not in concerned and judged(run) and not any(map(_tag, judged(run)))
    ]


def tell(answer: Mapping[str, Any]) -> list[Block]:
    items = [Paragraph(tuple(_sentences(place, entry))) for place, entry in enumerate(answer["runs"])]
    blocks: list[Block] = [Bullets(tuple(items))]
    if answer["spared"]:
        blocks.append(Paragraph((say("No message of {runs} holds such a tag.", runs=listed(answer["spared"], "or")),)))
    return blocks


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    yield next(_sentences(0, answer["runs"][0]))


def _sentences(place: int, entry: Mapping[str, Any]) -> Iterator[Sentence]:
    at = (*_PATH, place)
    held_against = (
        "of the run's other answers" if entry["against"] == "run" else "of what the other runs answer at these tasks"
    )
    yield say(
        "{rollouts} of {answered} of {run} {hold} the reasoning itself ({tasks}): {shape}. {passes} of them {verb}; "
        + held_against
        + " {rest_passes} of {rest} do (exact test within tasks p {p}).",
        rollouts=amount(entry["rollouts"], *at, "rollouts"),
        answered=fact(count(entry["answered"], "final message"), entry["answered"], *at, "answered"),
        run=entry["run"],
        hold="holds" if entry["rollouts"] == 1 else "hold",
        tasks=f"{count(len(entry['tasks']), 'task')}: {task_list(entry['tasks'])}",
        shape=_shapes(entry),
        passes=fact(f"{entry['passes']:,}" if entry["passes"] else "None", entry["passes"], *at, "passes"),
        verb="passes" if entry["passes"] < 2 else "pass",
        rest_passes=amount(entry["rest_passes"], *at, "rest_passes"),
        rest=amount(entry["rest"], *at, "rest"),
        p=p_value(entry["p"], *at, "p"),
    )
    yield say(
        "These messages have {words} words and the others {rest_words} (medians); e.g. task {task}, attempt {attempt}.",
        words=amount(entry["words"], *at, "words"),
        rest_words=amount(entry["rest_words"], *at, "rest_words"),
        **entry["example"],
    )


def _shapes(entry: Mapping[str, Any]) -> str:
    shapes = [f"{_SHAPES[shape].format(tag=tag)} in {number:,}" for tag, shape, number in entry["tags"]]
    if entry["unparted"]:
        shapes.append(f"no reasoning beside the answer, and far more words, in {entry['unparted']:,}")
    return listed(shapes)


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """The text behind the tag is what was meant as the answer: it can be judged without a new rollout."""
    failures = sum(entry["rollouts"] - entry["passes"] for entry in answer["runs"])
    yield Advice(
        "harness",
        "Parse the reasoning out of the final message of every rollout, and judge what is left again",
        say(
            "{failures} with the reasoning in the message.", failures=count(failures, "rollout fails", "rollouts fail")
        ),
        failures,
        LIKELY,
        before_scores=True,
    )
