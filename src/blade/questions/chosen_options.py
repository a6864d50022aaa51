"""Which options, set by name in code or on command lines, go with failing or passing at tasks that leave the choice?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.phrases import strata
from blade.document import Block, Bullets, Fact, Paragraph, Sentence, say
from blade.frozen import frozen
from blade.questions import SURE, in_order, outcome_p, task_list, undisturbed
from blade.stats.multiple import benjamini_hochberg
from blade.stats.rounding import WRITTEN, significant
from blade.wording import amount, count, fact, listed, printable

TITLE = "Options that calls set"
ORDER = 40
WEIGHT = 1.4
FEWEST, FEWEST_TASKS = 8, 3
APART = 0.3
"""By so much more often, or more seldom, the others at the same tasks pass."""
TOGETHER = 0.7
MOST = 4
_PATH = ("investigation", "chosen_options", "options")


@frozen
class _Option:
    """An option, the rollouts that set it and the others at the same tasks."""

    name: str
    having: Sequence[Case]
    lacking: Sequence[Case]

    @property
    def effect(self) -> float:
        return _rate(self.having) - _rate(self.lacking)

    @property
    def ids(self) -> frozenset[int]:
        return frozenset(map(id, self.having))


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Options of several tasks after which rollouts end otherwise than others at these tasks, beyond chance."""
    cases = [case for run in runs for case in undisturbed(run)]
    options = _options(cases)
    clear = [option for option in options if abs(option.effect) >= APART]
    if not clear:
        return None
    apart = strata(cases)
    chances = [(option, p) for option in clear if (p := outcome_p(cases, option.ids, apart)) is not None]
    untested = [1.0] * (len(options) - len(chances))  # what was looked at counts
    adjusted = benjamini_hochberg([*(p for _, p in chances), *untested])
    sure = [(option, p) for (option, _), p in zip(chances, adjusted, strict=False) if p <= SURE]
    sure.sort(key=lambda pair: (pair[0].effect > 0, -abs(pair[0].effect) * len(pair[0].having), pair[0].name))
    entries = [_entry(group, p, runs) for group, p in _grouped(sure)[:MOST]]
    return {"options": entries, "looked_at": len(options)} if entries else None


def _options(cases: Sequence[Case]) -> list[_Option]:
    setting: defaultdict[str, list[Case]] = defaultdict(list)
    for case in cases:
        for name in case.observed.get("options", ()):
            setting[name].append(case)
    options = []
    for name, having in sorted(setting.items()):
        tasks, ids = {case.key for case in having}, {id(case) for case in having}
        lacking = [case for case in cases if case.key in tasks and id(case) not in ids]
        if len(having) >= FEWEST and len(tasks) >= FEWEST_TASKS and lacking:
            options.append(_Option(name, having, lacking))
    return options


def _rate(cases: Sequence[Case]) -> float:
    return sum(bool(case.passed) for case in cases) / len(cases)


def _grouped(sure: Sequence[tuple[_Option, float]]) -> list[tuple[list[_Option], float]]:
    """Options in much the same rollouts together, under the first of them."""
    groups: list[tuple[list[_Option], float]] = []
    for option, p in sure:
        home = next((group for group, _ in groups if _overlap(group[0].ids, option.ids) >= TOGETHER), None)
        if home is None:
            groups.append(([option], p))
        else:
            home.append(option)
    return groups


def _overlap(first: Collection[int], second: Collection[int]) -> float:
    return len(set(first) & set(second)) / len(set(first) | set(second))


def _entry(group: Sequence[_Option], p: float, runs: Sequence[RunCases]) -> dict[str, Any]:
    option = group[0]
    example = next((case for case in option.having if bool(case.passed) is (option.effect > 0)), option.having[0])
    return {
        "names": [printable(member.name) for member in group[:MOST]],
        **_counts("having", option.having),
        **_counts("lacking", option.lacking),
        "tasks": in_order(case.label for case in option.having),
        "runs": [
            {"run": run.run.name, **_counts("having", [case for case in option.having if case.run == run.run.name])}
            for run in runs
        ],
        "p": significant(p, WRITTEN),
        "place": f"{example.run}, task {example.label}, attempt {example.attempt}, "
        f"item {example.observed['options'][option.name]}",
    }


def _counts(name: str, cases: Sequence[Case]) -> dict[str, int]:
    return {name: len(cases), f"{name}_passes": sum(bool(case.passed) for case in cases)}


def tell(answer: Mapping[str, Any]) -> list[Block]:
    items = tuple(Paragraph((_words(place, entry),)) for place, entry in enumerate(answer["options"]))
    note = say(
        "{options} that several tasks share were looked at. An option is a trace of how the work was done and need not "
        "be its cause.",
        options=fact(count(answer["looked_at"], "option"), answer["looked_at"], *_PATH[:2], "looked_at"),
    )
    return [Bullets(items), Paragraph((note,))]


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    yield _words(0, answer["options"][0])


def _words(place: int, entry: Mapping[str, Any]) -> Sentence:
    at = (*_PATH, place)
    shares: list[str | Fact] = []
    for number, run in enumerate(entry["runs"]):
        shares += ["; " if shares else "", f"{run['run']} "]
        shares += [fact(f"{run['having_passes']:,} of {run['having']:,}", run["having_passes"], *at, "runs", number)]
    head = say(
        "Calls set {names} in {having} of {tasks} ({list}): {passes} of them {verb}, {lacking_passes} of the {lacking} "
        "others at these tasks (exact test within tasks, corrected: p = {p}). Passes of those that set it: ",
        names=listed([f"“{name}”" for name in entry["names"]]),
        having=fact(count(entry["having"], "rollout"), entry["having"], *at, "having"),
        tasks=fact(count(len(entry["tasks"]), "task"), len(entry["tasks"]), *at, "tasks"),
        list=task_list(entry["tasks"]),
        passes=fact(f"{entry['having_passes']:,}" if entry["having_passes"] else "none", entry["having_passes"], *at),
        verb="pass" if entry["having_passes"] > 1 else "passes",
        lacking_passes=amount(entry["lacking_passes"], *at, "lacking_passes"),
        lacking=amount(entry["lacking"], *at, "lacking"),
        p=fact(f"{entry['p']:.2g}", entry["p"], *at, "p"),
    )
    return Sentence((*head.parts, *shares, f" (e.g. {entry['place']})."))
