"""Do all rollouts score alike, though the verifier records something that differs between them?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Advice, Block, Bullets, Paragraph, Sentence, say
from blade.questions import judged
from blade.wording import amount, count, fact, listed

TITLE = "One score for outcomes that differ"
ORDER = 18
WEIGHT = 2.0
FEWEST, FEWEST_OTHERWISE = 10, 3
NEARLY_ALL, SOME = 0.9, 0.05
MOST = 3
LIKELY = 0.5
VERIFIERS = ("verifier", "verification", "judge", "grading", "evaluation", "verifier_metadata")
"""What holds the fields of a verifier."""


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Where every judged rollout has one reward: the verifier's fields of yes and no that differ all the same."""
    cases = [case for run in runs for case in judged(run)]
    if len(cases) < FEWEST or len({case.reward for case in cases}) > 1:
        return None
    values: defaultdict[str, dict[int, bool]] = defaultdict(dict)
    for run in runs:
        for case, fields in zip(run.cases, run.fields(), strict=True):
            for name, value in fields.items():
                if isinstance(value, bool) and name.split(".")[0] in VERIFIERS:
                    values[name][id(case)] = value
    entries = [entry for name in sorted(values) if (entry := _entry(name, values[name], cases)) is not None]
    entries.sort(key=lambda entry: (-min(entry["yes"], entry["no"]), entry["field"]))
    if not entries:
        return None
    return {"rollouts": len(cases), "reward": cases[0].reward, "fields": entries[:MOST]}


def _entry(name: str, values: Mapping[int, bool], cases: Sequence[Case]) -> dict[str, Any] | None:
    with_field = [case for case in cases if id(case) in values]
    yes = sum(values[id(case)] for case in with_field)
    fewer = min(yes, len(with_field) - yes)
    if len(with_field) < NEARLY_ALL * len(cases) or fewer < max(FEWEST_OTHERWISE, SOME * len(with_field)):
        return None
    by_run: dict[str, list[int]] = {}
    for case in with_field:
        counts = by_run.setdefault(case.run, [0, 0])
        counts[0] += values[id(case)]
        counts[1] += 1
    return {"field": name, "yes": yes, "no": len(with_field) - yes, "runs": by_run}


def tell(answer: Mapping[str, Any]) -> list[Block]:
    items = [Paragraph((_words(place, answer),)) for place in range(len(answer["fields"]))]
    return [Bullets(tuple(items))]


def _words(place: int, answer: Mapping[str, Any]) -> Sentence:
    entry, path = answer["fields"][place], (*_PATH, "fields", place)
    runs = [f"{run} {yes:,} of {of:,}" for run, (yes, of) in entry["runs"].items()]
    return say(
        "All {rollouts} have a reward of {reward}, but {field} is true in {yes} and false in {no}{runs}: the score "
        "does not measure that.",
        rollouts=fact(count(answer["rollouts"], "judged rollout"), answer["rollouts"], *_PATH, "rollouts"),
        reward=fact(f"{answer['reward']:g}", answer["reward"], *_PATH, "reward"),
        field=entry["field"],
        yes=amount(entry["yes"], *path, "yes"),
        no=amount(entry["no"], *path, "no"),
        runs=f" (true in {listed(runs)})" if len(runs) > 1 else "",
    )


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """For the first screen: what differs most."""
    yield _words(0, answer)


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """Say what is to be measured before tasks are blamed for being too easy or too hard."""
    entry = answer["fields"][0]
    yield Advice(
        "verifier",
        f"Settle what the score is to measure: whether {entry['field']} counts, and score the stored rollouts again",
        say(
            "It differs between rollouts ({yes} true, {no} false) that all have one reward.",
            yes=amount(entry["yes"], *_PATH, "fields", 0, "yes"),
            no=amount(entry["no"], *_PATH, "fields", 0, "no"),
        ),
        min(entry["yes"], entry["no"]),
        LIKELY,
        before_scores=True,
    )


_PATH = ("investigation", "one_score")
