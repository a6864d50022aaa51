"""Do some passes differ from what was wanted in something that the verifier records of both and does not compare?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.counting.fields import Fields
from blade.diagnosis.cases import Case, RunCases
from blade.document import Advice, Block, Bullets, Paragraph, Sentence, say
from blade.extract.names import words
from blade.frozen import frozen
from blade.questions import OF_THE_EVALUATION, in_order, judged, task_list
from blade.wording import amount, count, fact, listed, percent

TITLE = "Passes that differ from what was wanted"
ORDER = 78
WEIGHT = OF_THE_EVALUATION
FEWEST, FEWEST_ALIKE = 3, 20
MOSTLY = 0.8
"""So many of the passes have both alike: what they have alike is what was wanted."""
MOST, MOST_SHOWN = 3, 4
LIKELY = 0.7
_GOT = frozenset("got actual predicted observed submitted received produced output result yours".split())
_WANTED = frozenset("want wanted expected reference gold golden target truth key required".split())
_PATH = ("investigation", "unlike_results", "fields")


@frozen
class _FieldPair:
    """Two fields of one name below what was got and below what was wanted."""

    result: str
    target: str
    rows: tuple[tuple[Case, Any, Any], ...]

    @property
    def unlike(self) -> list[tuple[Case, Any, Any]]:
        """The passes in which they differ."""
        return [row for row in self.rows if row[0].passed and row[1] != row[2]]

    def is_telling(self) -> bool:
        passes, failures = ([row for row in self.rows if bool(row[0].passed) is ended] for ended in (True, False))
        alike = len(passes) - len(self.unlike)
        differing = sum(result != target for _, result, target in failures)
        return (
            len(self.unlike) >= FEWEST
            and alike >= max(FEWEST_ALIKE, MOSTLY * len(passes))
            and len({str(target) for _, _, target in self.rows}) > 1
            and differing * len(passes) > len(self.unlike) * len(failures)
        )


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Pairs of fields that most passes have alike and some have not; failures differ in them more often."""
    pairs = sorted(
        (pair for pair in _pairs(runs) if pair.is_telling()), key=lambda pair: (-len(pair.unlike), pair.result)
    )
    by_passes: dict[frozenset[int], _FieldPair] = {}
    for pair in pairs:  # of fields that differ in the same passes the first
        by_passes.setdefault(frozenset(id(case) for case, *_ in pair.unlike), pair)
    return {"fields": [_entry(pair, runs) for pair in list(by_passes.values())[:MOST]]} if by_passes else None


def _pairs(runs: Sequence[RunCases]) -> Iterator[_FieldPair]:
    rows: defaultdict[tuple[str, str], list[tuple[Case, Any, Any]]] = defaultdict(list)
    partners: dict[tuple[str, ...], list[tuple[str, str]]] = {}
    for run in runs:
        judged_ids = {id(case) for case in judged(run)}
        for case, fields in zip(run.cases, run.fields(), strict=True):
            if id(case) in judged_ids:
                names = tuple(fields)
                if names not in partners:
                    partners[names] = list(_partners(fields))
                for result, target in partners[names]:
                    rows[result, target].append((case, fields[result], fields[target]))
    for (result, target), of_pair in rows.items():
        yield _FieldPair(result, target, tuple(of_pair))


def _partners(fields: Fields) -> Iterator[tuple[str, str]]:
    """Names that differ in one part alone, which says got in the one and wanted in the other."""
    wanted_by_rest: dict[tuple[tuple[str, ...], int], str] = {}
    parts_of = {name: name.split(".") for name in fields}
    for name, parts in parts_of.items():
        for place, part in enumerate(parts):
            if set(words(part)) & _WANTED:
                wanted_by_rest[_rest(parts, place, _WANTED), place] = name
    for name, parts in parts_of.items():
        for place, part in enumerate(parts):
            if set(words(part)) & _GOT:
                target = wanted_by_rest.get((_rest(parts, place, _GOT), place))
                if target is not None and len(parts) > 1:
                    yield name, target


def _rest(parts: Sequence[str], place: int, role: frozenset[str]) -> tuple[str, ...]:
    """The parts of a name without the words of its role."""
    inner = tuple(word for word in words(parts[place]) if word not in role)
    return (*parts[:place], "_".join(inner), *parts[place + 1 :])


def _entry(pair: _FieldPair, runs: Sequence[RunCases]) -> dict[str, Any]:
    unlike = pair.unlike
    examples = list(dict.fromkeys((str(result), str(target)) for _, result, target in unlike))[:MOST_SHOWN]
    unlike_ids = {id(case) for case, *_ in unlike}
    return {
        "got": pair.result,
        "wanted": pair.target,
        "passes": len(unlike),
        "of_passes": sum(bool(case.passed) for case, *_ in pair.rows),
        "shown": [list(values) for values in examples],
        "tasks": in_order({case.label for case, *_ in unlike}),
        "runs": [
            {
                "run": run.run.name,
                "passes": sum(id(case) in unlike_ids for case in judged(run)),
                "left": sum(bool(case.passed) and id(case) not in unlike_ids for case in judged(run)),
                "judged": len(judged(run)),
            }
            for run in runs
        ],
    }


def tell(answer: Mapping[str, Any]) -> list[Block]:
    return [Bullets(tuple(Paragraph(tuple(_sentences(place, one))) for place, one in enumerate(answer["fields"])))]


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    yield next(_sentences(0, answer["fields"][0]))


def _sentences(place: int, entry: Mapping[str, Any]) -> Iterator[Sentence]:
    path = (*_PATH, place)
    examples = [f"{result} for {target}" for result, target in entry["shown"]]
    run_counts = [f"{run['run']} {run['passes']:,}" for run in entry["runs"] if run["passes"]]
    yield say(
        "{passes} of {all} differ in {result} from {target} ({examples}), which the other passes have alike: the "
        "verifier does not compare it, or only a part ({run_counts}; {tasks}).",
        passes=amount(entry["passes"], *path, "passes"),
        all=fact(count(entry["of_passes"], "pass", "passes"), entry["of_passes"], *path, "of_passes"),
        result=entry["got"],
        target=entry["wanted"],
        examples=listed(examples),
        run_counts=listed(run_counts),
        tasks=task_list(entry["tasks"]),
    )
    left = [
        f"{run['run']} passes {run['left']:,} of {run['judged']:,} ({percent(run['left'] / run['judged'])})"
        for run in entry["runs"]
        if run["judged"]
    ]
    yield say("Without these passes {left}.", left=listed(left))


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    for place, entry in enumerate(answer["fields"]):
        yield Advice(
            "verifier",
            f"Let the verifier compare {entry['got']} with {entry['wanted']}, too, and score the stored results again",
            say(
                "{passes} differ in it.",
                passes=fact(count(entry["passes"], "pass", "passes"), entry["passes"], *_PATH, place, "passes"),
            ),
            entry["passes"],
            LIKELY,
            before_scores=True,
        )
