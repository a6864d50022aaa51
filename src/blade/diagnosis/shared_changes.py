"""Changes that the key does not hold and half of the runs or more make in a task that (hardly) anybody passes.

A change is the same where its tool and the identifiers are that the key does not name; what else differs is counted.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from blade.diagnosis.cases import Case
from blade.evidence import open_rows
from blade.extract.user_turns import NAMES_FIRST, user_part
from blade.findings import OF_KEY, OF_USER
from blade.late_regex import late_regex
from blade.model import Source

FEW_RUNS = 3
"""Of so many runs or fewer, two must agree; of more, half of them and at least three."""
MOST_IDS = 3
HARDLY = 0.1
HARMLESS = 0.05
"""A tool whose changes of what the key does not name stand in passes of this share of the tasks fails none."""
ON_TOP = 1 / 3
"""Where so many make a change besides all expected ones of its tool, it replaces none of them."""
WHOLE = "as a whole: "
_PLACEHOLDER = late_regex(r"\"[\[<{]\s*[A-Za-z][^\"{}<>\[\]]*[\]>}]\"")
"""A value that was never filled in: that is the agent's doing, however many do it."""
_ARGUMENT = late_regex(r"\"(\w+)\":")
_ID = late_regex(r"(?=[^\s\"',:]*\d)[^\s\"',:{}\[\]]{4,60}")


@dataclass(slots=True)
class KeyedTask:
    """One task over all runs: its judged rollouts, and the changes that it expects."""

    label: str
    rows: list[tuple[str, Case, Mapping[str, Any]]] = field(default_factory=list)

    @property
    def expected(self) -> list[tuple[str, int, str]]:
        observed = self.rows[0][2]
        texts = observed.get("expected_arguments") or [""] * len(observed["expected"])
        return [(name, digest, text) for (name, digest), text in zip(observed["expected"], texts, strict=True)]

    @property
    def runs(self) -> set[str]:
        return {run for run, _, _ in self.rows}

    @property
    def passes(self) -> int:
        return sum(bool(case.passed) for _, case, _ in self.rows)


class _Doer(NamedTuple):
    """A run, its rollout, the digest of the change, its arguments and the item of the call."""

    run: str
    case: Case
    digest: int
    text: str
    item: int


def shared_changes(tasks: Mapping[str, KeyedTask]) -> list[dict[str, Any]]:
    """Accepted changes outside the key that half of the runs or more make, the most shared first."""
    harmless = _harmless(tasks)
    shared = []
    for task in tasks.values():
        runs = len(task.runs)
        if runs < 2 or task.passes > HARDLY * len(task.rows):
            continue
        needed = 2 if runs <= FEW_RUNS else max(3, (runs + 1) // 2)
        doers_by_change = _outside(task, harmless)
        widely_shared = {
            change: doers
            for change, doers in doers_by_change.items()
            if len(_mostly(task, doers)) >= needed and not _any_pass(doers)
        }
        if widely_shared:
            shared.append(_shared(task, widely_shared, needed))
    return sorted(shared, key=lambda item: (-item["with"] / item["runs"], -item["with"], item["task"]))


def _outside(task: KeyedTask, harmless: Collection[str]) -> dict[tuple[str, str], list[_Doer]]:
    """Accepted changes outside the key: by tool and an id that its expected changes do not name, else as a whole."""
    expected_ids = {(name, item) for name, _, text in task.expected for item in _ID.findall(text)}
    doers_by_change: defaultdict[tuple[str, str], list[_Doer]] = defaultdict(list)
    for run, case, observed in task.rows:
        for name, digest, accepted, expected, at, text in observed["changes"]:
            if accepted and not expected and name not in harmless and not _PLACEHOLDER.search(text):
                foreign = {value for value in _ID.findall(text) if (name, value) not in expected_ids}
                for value in foreign or {""}:
                    doers_by_change[name, value or f"{WHOLE}{digest}"].append(_Doer(run, case, digest, text, at))
    return doers_by_change


def _any_pass(doers: Sequence[_Doer]) -> bool:
    return any(case.passed for _, case, *_ in doers)


def _mostly(task: KeyedTask, doers: Sequence[_Doer]) -> set[str]:
    """The runs of which at least half of the rollouts make the change."""
    rollouts = Counter(run for run, _, _ in task.rows)
    making = Counter(run for run, _ in {(run, id(case)) for run, case, *_ in doers})
    return {run for run, attempts in making.items() if 2 * attempts >= rollouts[run]}


def _shared(task: KeyedTask, doers_by_change: Mapping[tuple[str, str], Sequence[_Doer]], needed: int) -> dict[str, Any]:
    """The change that most runs make, and who makes it with all the ids that enough of them share."""
    tool, _ = first = max(doers_by_change, key=lambda change: (len(_mostly(task, doers_by_change[change])), change))
    doers = list(doers_by_change[first])
    common = Counter(doer.text for doer in doers).most_common(1)[0][0]
    values = [value for name, value in doers_by_change if name == tool and value in common]
    ids: dict[str, int] = {}
    for value in sorted(values, key=lambda value: (-len(_mostly(task, doers_by_change[tool, value])), value)):
        also_naming = [doer for doer in doers if value in doer.text]
        if len(_mostly(task, also_naming)) >= needed and len(ids) < MOST_IDS:
            doers = also_naming
            ids[value] = 0
    runs = _mostly(task, doers)
    accepted_digests = {change[1] for _, _, observed in task.rows for change in observed["changes"] if change[2]}
    return {
        "task": task.label,
        "tool": tool,
        "arguments": Counter(doer.text for doer in doers).most_common(1)[0][0],
        "word_for_word": len({doer.digest for doer in doers}) == 1,
        "ids": dict.fromkeys(ids, len(runs)),
        "with": len(runs),
        "runs": len(task.runs),
        "run_names": sorted(runs),
        "passes": task.passes,
        "rollouts": len(task.rows),
        "missing": [[name, text] for name, digest, text in task.expected if digest not in accepted_digests],
        **_leading(task, tool, doers),
    }


def _leading(task: KeyedTask, tool: str, doers: Sequence[_Doer]) -> dict[str, Any]:
    """How many make the expected changes of its tool as well, and whether users name it first or agree to it."""
    rollouts = {id(doer.case): doer for doer in doers}
    accepted_by_case = {
        id(case): {change[1] for change in observed["changes"] if change[2]} for _, case, observed in task.rows
    }
    expected_digests = {digest for name, digest, _ in task.expected if name == tool}
    on_top = sum(expected_digests <= accepted_by_case[case] for case in rollouts)
    rows = {
        (source.file, source.line): row
        for source, row in open_rows(Source(*doer.case.place) for doer in rollouts.values())
    }
    expected_ids = {value for name, _, text in task.expected if name == tool for value in _ID.findall(text)}
    parts = [
        user_part(rows[doer.case.place[:2]], doer.item, _values(doer.text, expected_ids))
        for doer in rollouts.values()
        if doer.case.place[:2] in rows
    ]
    led = sum(map(bool, parts))
    in_place = on_top < ON_TOP * len(rollouts)
    named_first = parts.count(NAMES_FIRST)
    fault = OF_USER if in_place and named_first and 2 * led > len(rollouts) else OF_KEY
    return {
        "making": len(rollouts),
        "in_place": in_place,
        "on_top": on_top,
        "led": led,
        "named_first": named_first,
        "fault": fault,
    }


def _values(text: str, expected_ids: Collection[str]) -> dict[str, str]:
    """The identifiers of a change that the key does not name, each with the name of the argument that holds it."""
    arguments = [(match.start(), match[1]) for match in _ARGUMENT.finditer(text)]
    return {
        match[0]: next((name for at, name in reversed(arguments) if at < match.start()), "")
        for match in _ID.finditer(text)
        if match[0] not in expected_ids
    }


def _harmless(tasks: Mapping[str, KeyedTask]) -> set[str]:
    """Tools whose changes of what the key does not name fail no task, as passes show."""
    extra = Counter[str]()
    for task in tasks.values():
        outside = _outside(task, ())
        extra.update(
            tool for (tool, change), doers in outside.items() if not change.startswith(WHOLE) and _any_pass(doers)
        )
    return {tool for tool, tasks_changed in extra.items() if tasks_changed > HARMLESS * len(tasks)}
