"""Is the key or the simulated user at fault: changes that nobody can make, doing nothing passes, all err alike?

Where most runs make the same change in place of an expected one, and the simulated user names it or agrees to it right
before, the user leads there. A change on top of all that is expected may be left out of the key.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.effective_key import RulingState, refused_changes
from blade.document import Advice, Block, Bullets, Paragraph, Sentence, say
from blade.evidence import open_rows
from blade.extract.user_turns import leads_to
from blade.findings import OF_KEY, OF_USER, TaskFault
from blade.health import Item
from blade.health import item as health_item
from blade.model import Source
from blade.questions import judged, task_list, task_words
from blade.wording import amount, count, fact, listed

TITLE = "Faults of keys and of simulated users, seen over all runs"
ORDER = 80
WEIGHT = 1.5
MOST = 6
FEW_RUNS = 3
"""Of so many runs or fewer, two must agree; of more, half of them and at least three."""
MOST_IDS = 3
HARDLY = 0.1
HARMLESS = 0.05
"""A tool whose changes of what the key does not name stand in passes of this share of the tasks fails none."""
ON_TOP = 1 / 3
"""Where so many make a change besides all expected ones of its tool, it replaces none of them."""
WHOLE = "as a whole: "
Refused = Mapping[int, RulingState | None]
_PLACEHOLDER = re.compile(r"\"[\[<{]\s*[A-Za-z][^\"{}<>\[\]]*[\]>}]\"")
"""A value that was never filled in: that is the agent's doing, however many do it."""
_ID = re.compile(r"(?=[^\s\"',:]*\d)[^\s\"',:{}\[\]]{4,60}")


@dataclass(slots=True)
class _Task:
    """One task over all runs: its judged rollouts, and the changes that it expects."""

    label: str
    rows: list[tuple[str, Case, Mapping[str, Any]]] = field(default_factory=list)

    @property
    def expected(self) -> list[tuple[str, int, str]]:
        seen = self.rows[0][2]
        texts = seen.get("expected_arguments") or [""] * len(seen["expected"])
        return [(name, digest, text) for (name, digest), text in zip(seen["expected"], texts, strict=True)]

    @property
    def runs(self) -> set[str]:
        return {run for run, _, _ in self.rows}

    @property
    def passes(self) -> int:
        return sum(bool(case.passed) for _, case, _ in self.rows)


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Refused keys, what doing nothing scores, and what most runs do alike against the key."""
    tasks: dict[str, _Task] = {}
    for run in runs:
        for case in judged(run):
            seen = case.observed
            if "expected" in seen:
                tasks.setdefault(case.key, _Task(case.label)).rows.append((run.run.name, case, seen))
    if not tasks:
        return None
    refused = refused_changes(runs)
    found = {
        "refused": _refused(tasks, refused),
        "nothing": _nothing(tasks, refused),
        "alike": _alike(tasks),
        "never_made": _never_made(tasks, refused),
    }
    return found if any(found.values()) else None


def _refused(tasks: Mapping[str, _Task], refused: Refused) -> list[dict[str, Any]]:
    """Tasks whose key holds a change that the environment refuses, and who passes them."""
    found = []
    for task in tasks.values():
        for name, digest, text in task.expected:
            if digest not in refused:
                continue
            tried = [(run, seen) for run, _, seen in task.rows if any(item[1] == digest for item in seen["changes"])]
            changed = [(run, case) for run, case, seen in task.rows if _accepted(seen)]
            still = [case for run, case, seen in task.rows if not _accepted(seen)]
            found.append(
                {
                    "task": task.label,
                    "tool": name,
                    "arguments": text,
                    "quote": next((_quote(seen, name) for _, seen in tried), ""),
                    "tried": sorted({run for run, _ in tried}),
                    "state": None if (state := refused[digest]) is None else asdict(state),
                    "sole": all(other in refused for _, other, _ in task.expected),
                    "passes": task.passes,
                    "rollouts": len(task.rows),
                    "passes_unchanged": sum(bool(case.passed) for case in still),
                    "changed": len(changed),
                    "changed_fail": sum(not case.passed for _, case in changed),
                    "changed_runs": sorted({run for run, case in changed if not case.passed}),
                }
            )
    return found


def _accepted(seen: Mapping[str, Any]) -> bool:
    return any(change[2] for change in seen["changes"])


def _quote(seen: Mapping[str, Any], tool: str) -> str:
    return next((entry[3] for entry in seen.get("errors", ()) if entry[0] == tool), "")


def _nothing(tasks: Mapping[str, _Task], refused: Refused) -> dict[str, Any] | None:
    """Tasks that expect no change that can be made, and the passes that made none."""
    still = [task for task in tasks.values() if all(digest in refused for _, digest, _ in task.expected)]
    if not still:
        return None
    silent = [task for task in still if all(seen.get("answers") == 0 for _, _, seen in task.rows)]
    shown = all(seen.get("answers") is not None for task in still for _, _, seen in task.rows)
    per_run: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0])
    for task in tasks.values():
        for run, case, seen in task.rows:
            if case.passed:
                per_run[run][0] += 1
                per_run[run][1] += not _accepted(seen)
    return {
        "tasks": len(tasks),
        "unchanged": len(still),
        "unchanged_tasks": sorted(task.label for task in still),
        "silent": len(silent) if shown else None,
        "silent_tasks": sorted(task.label for task in silent) if shown else [],
        "runs": {name: {"passes": passes, "unchanged": many} for name, (passes, many) in per_run.items()},
    }


def _alike(tasks: Mapping[str, _Task]) -> list[dict[str, Any]]:
    """Accepted changes outside the key that most runs make in a task that (hardly) anybody passes."""
    harmless = _harmless(tasks)
    found = []
    for task in tasks.values():
        runs = len(task.runs)
        if runs < 2 or task.passes > HARDLY * len(task.rows):
            continue
        needed = 2 if runs <= FEW_RUNS else max(3, (runs + 1) // 2)
        same = _outside(task, harmless)
        told = {what: who for what, who in same.items() if len(_mostly(task, who)) >= needed and not _any_pass(who)}
        if told:
            found.append(_alike_data(task, told))
    texts = task_words(
        task.rows[0][1].place for task in tasks.values() if task.label in {item["task"] for item in found}
    )
    asks = {task.label: texts.get(task.rows[0][1].place, "") for task in tasks.values()}
    found = [item | {"asks": asks[item["task"]]} for item in found]
    return sorted(found, key=lambda item: (-item["with"] / item["runs"], -item["with"], item["task"]))


class _Doer(NamedTuple):
    """A run, its rollout, the digest of the change, its arguments and the item of the call."""

    run: str
    case: Case
    digest: int
    text: str
    item: int


def _outside(task: _Task, harmless: Collection[str]) -> dict[tuple[str, str], list[_Doer]]:
    """Accepted changes outside the key: by tool and an id that its expected changes do not name, else as a whole."""
    known = {(name, item) for name, _, text in task.expected for item in _ID.findall(text)}
    same: defaultdict[tuple[str, str], list[_Doer]] = defaultdict(list)
    for run, case, seen in task.rows:
        for name, digest, accepted, expected, at, text in seen["changes"]:
            if accepted and not expected and name not in harmless and not _PLACEHOLDER.search(text):
                foreign = {value for value in _ID.findall(text) if (name, value) not in known}
                for value in foreign or {""}:
                    same[name, value or f"{WHOLE}{digest}"].append(_Doer(run, case, digest, text, at))
    return same


def _any_pass(who: Sequence[_Doer]) -> bool:
    return any(case.passed for _, case, *_ in who)


def _mostly(task: _Task, who: Sequence[_Doer]) -> set[str]:
    """The runs of which at least half of the rollouts make the change."""
    rollouts = Counter(run for run, _, _ in task.rows)
    making = Counter(run for run, _ in {(run, id(case)) for run, case, *_ in who})
    return {run for run, many in making.items() if 2 * many >= rollouts[run]}


def _alike_data(task: _Task, told: Mapping[tuple[str, str], Sequence[_Doer]]) -> dict[str, Any]:
    """The change that most runs make, with the ids that they share."""
    runs_of = {what: _mostly(task, who) for what, who in told.items()}
    tool, _ = first = max(told, key=lambda what: (len(runs_of[what]), what))
    texts = Counter(doer.text for doer in told[first])
    made = {change[1] for _, _, seen in task.rows for change in seen["changes"] if change[2]}
    ids = {
        item: len(who) for (name, item), who in runs_of.items() if name == tool and item in texts.most_common(1)[0][0]
    }
    return {
        "task": task.label,
        "tool": tool,
        "arguments": texts.most_common(1)[0][0],
        "word_for_word": len({doer.digest for doer in told[first]}) == 1,
        "ids": dict(sorted(ids.items(), key=lambda item: (-item[1], item[0]))[:MOST_IDS]),
        "with": len(runs_of[first]),
        "runs": len(task.runs),
        "run_names": sorted(runs_of[first]),
        "passes": task.passes,
        "rollouts": len(task.rows),
        "missing": [[name, text] for name, digest, text in task.expected if digest not in made],
        **_leading(task, tool, told[first]),
    }


def _leading(task: _Task, tool: str, who: Sequence[_Doer]) -> dict[str, Any]:
    """Whether the change stands in place of an expected one of its tool, and whether the users lead to it."""
    rollouts = {id(doer.case): doer for doer in who}
    kept = {id(case): {change[1] for change in seen["changes"] if change[2]} for _, case, seen in task.rows}
    wanted = {digest for name, digest, _ in task.expected if name == tool}
    on_top = sum(wanted <= kept[case] for case in rollouts)
    rows = {
        (source.file, source.line): row
        for source, row in open_rows(Source(*doer.case.place) for doer in rollouts.values())
    }
    known = {value for name, _, text in task.expected if name == tool for value in _ID.findall(text)}
    led = sum(
        doer.case.place[:2] in rows
        and leads_to(rows[doer.case.place[:2]], doer.item, set(_ID.findall(doer.text)) - known)
        for doer in rollouts.values()
    )
    in_place = on_top < ON_TOP * len(rollouts)
    fault = OF_USER if in_place and 2 * led > len(rollouts) else OF_KEY
    return {"making": len(rollouts), "in_place": in_place, "led": led, "fault": fault}


def _harmless(tasks: Mapping[str, _Task]) -> set[str]:
    """Tools whose changes of what the key does not name fail no task, as passes show."""
    extra = Counter[str]()
    for task in tasks.values():
        outside = _outside(task, ())
        extra.update(tool for (tool, what), who in outside.items() if not what.startswith(WHOLE) and _any_pass(who))
    return {tool for tool, many in extra.items() if many > HARMLESS * len(tasks)}


def _never_made(tasks: Mapping[str, _Task], refused: Refused) -> dict[str, Any] | None:
    """Tasks that nobody passes and of which one expected change is made by no run."""
    found = []
    for task in tasks.values():
        made = {change[1] for _, _, seen in task.rows for change in seen["changes"] if change[2]}
        left = [name for name, digest, _ in task.expected if digest not in made and digest not in refused]
        if len(task.runs) >= FEW_RUNS and not task.passes and left:
            found.append(task.label)
    return {"many": len(found), "tasks": sorted(found)} if found else None


def tell(answer: Mapping[str, Any]) -> list[Block]:
    items = [Paragraph(tuple(_refused_words(place, item))) for place, item in enumerate(answer["refused"][:MOST])]
    if answer["nothing"]:
        items.append(Paragraph(tuple(_nothing_words(answer["nothing"]))))
    items += [Paragraph(tuple(_alike_words(place, item))) for place, item in enumerate(answer["alike"][:MOST])]
    if answer["never_made"]:
        items.append(Paragraph((_never_words(answer["never_made"]),)))
    blocks: list[Block] = [Bullets(tuple(items))]
    left = [item["task"] for item in answer["alike"][MOST:]]
    if left:
        words = "Most runs make the same change against the key in {many} as well: {tasks}."
        blocks.append(Paragraph((say(words, many=count(len(left), "more task"), tasks=task_list(left)),)))
    return blocks


def _refused_words(place: int, item: Mapping[str, Any]) -> Iterator[Sentence]:
    path = (*_PATH, "refused", place)
    yield _ruled_out_words(path, item) if item["state"] else _tried_words(item)
    if not item["sole"]:
        return
    numbers = {
        "passes": fact(f"{item['passes']:,}", item["passes"], *path, "passes"),
        "rollouts": fact(count(item["rollouts"], "rollout"), item["rollouts"], *path, "rollouts"),
        "unchanged": fact(f"{item['passes_unchanged']:,}", item["passes_unchanged"], *path, "passes_unchanged"),
        "changed": fact(count(item["changed"], "rollout"), item["changed"], *path, "changed"),
        "fail": fact(f"{item['changed_fail']:,}", item["changed_fail"], *path, "changed_fail"),
    }
    words = "So its end state is the untouched start: {passes} of {rollouts} pass, {unchanged} of them without any "
    words += "accepted change"
    if item["changed"]:
        verb = "fails" if item["changed_fail"] == 1 else "fail"
        words += (
            f"; of the {{changed}} with an accepted change {{fail}} {verb} ({listed(item['changed_runs']) or 'none'})"
        )
    yield say(f"{words}. The task rewards doing nothing.", **numbers)


def _tried_words(item: Mapping[str, Any]) -> Sentence:
    return say(
        "Task {task}: the key holds a change that the environment refuses. {tool} {arguments} was tried word for word "
        "({tried}), was rejected{quote} and was never accepted in any run.",
        task=item["task"],
        tool=item["tool"],
        arguments=item["arguments"],
        tried=listed(item["tried"]),
        quote=f" (“{item['quote']}”)" if item["quote"] else "",
    )


def _ruled_out_words(path: tuple[str | int, ...], item: Mapping[str, Any]) -> Sentence:
    state = item["state"]
    return say(
        "Task {task}: the key holds a change that the environment refuses as far as the rollouts show. {tool} "
        "{arguments} was made by no run; its object has {field} “{value}”, in which {tool} was refused in {refused} "
        "and never accepted, while nearly all of {accepted} met “{usual}”.",
        task=item["task"],
        tool=item["tool"],
        arguments=item["arguments"],
        field=state["field"],
        value=state["value"],
        usual=state["usual"],
        refused=fact(count(state["refused"], "rollout"), state["refused"], *path, "state", "refused"),
        accepted=fact(count(state["accepted"], "accepted call"), state["accepted"], *path, "state", "accepted"),
    )


def _nothing_words(item: Mapping[str, Any]) -> Iterator[Sentence]:
    path = (*_PATH, "nothing")
    yield say(
        "In {many} of {tasks} the expected end state equals the start state ({names}).",
        many=amount(item["unchanged"], *path, "unchanged"),
        tasks=fact(count(item["tasks"], "task"), item["tasks"], *path, "tasks"),
        names=task_list(item["unchanged_tasks"], 30),
    )
    if item["silent"]:
        yield say(
            "{silent} of them expect no answer either ({names}): an agent that does nothing scores {silent} of "
            "{tasks}.",
            silent=amount(item["silent"], *path, "silent"),
            tasks=amount(item["tasks"], *path, "tasks"),
            names=task_list(item["silent_tasks"], 30),
        )
    runs = [
        f"{name} {part['unchanged']:,} of {part['passes']:,}"
        for name, part in item["runs"].items()
        if part["unchanged"]
    ]
    if runs:
        yield say("Passes without any accepted change: {runs}.", runs=listed(runs))


def _alike_words(place: int, item: Mapping[str, Any]) -> Iterator[Sentence]:
    path = (*_PATH, "alike", place)
    change = "the same change" if item["word_for_word"] else "a change of the same kind"
    ids = [f"{name} in {many:,}" for name, many in item["ids"].items()]
    yield say(
        f"Task {{task}}: {{many}} of {{runs}} make {change} that the key does not hold, {{tool}} {{arguments}}{{ids}}, "
        "and {passes} of {rollouts} pass.",
        task=item["task"],
        many=amount(item["with"], *path, "with"),
        runs=fact(count(item["runs"], "run"), item["runs"], *path, "runs"),
        tool=item["tool"],
        arguments=item["arguments"],
        ids=f" (arguments differ; {listed(ids)})" if ids and not item["word_for_word"] else "",
        passes=fact(f"{item['passes']:,}" if item["passes"] else "none", item["passes"], *path, "passes"),
        rollouts=fact(count(item["rollouts"], "rollout"), item["rollouts"], *path, "rollouts"),
    )
    if item["asks"]:
        yield say("The task says: “{asks}”.", asks=item["asks"])
    if item["missing"]:
        missing = [f"{name} {text}" for name, text in item["missing"][:2]]
        yield say("Expected and made by no run: {missing}.", missing=listed(missing))
    yield _whose(item, path)


def _whose(item: Mapping[str, Any], path: tuple[str | int, ...]) -> Sentence:
    """Where to look first: at the user, at what the key left out, or at the task and its key."""
    if item["fault"] == OF_USER:
        return say(
            "In {led} of the {making} that make it the simulated user names it or agrees to it right before, in place "
            "of what the key expects: read what the user says beside its instruction, before the key or any model.",
            led=fact(f"{item['led']:,}", item["led"], *path, "led"),
            making=fact(count(item["making"], "rollout"), item["making"], *path, "making"),
        )
    if not item["in_place"]:
        return say("It comes on top of the changes that the key expects of this tool: see whether the key left it out.")
    return say("It stands in place of what the key expects: look at the task and its key before any model.")


def _never_words(item: Mapping[str, Any]) -> Sentence:
    return say(
        "In {many} that nobody passes, an expected change is made by no run: {tasks}. Either it is hard for all, or "
        "the task does not lead there.",
        many=fact(count(item["many"], "task"), item["many"], *_PATH, "never_made", "many"),
        tasks=task_list(item["tasks"], 30),
    )


_PATH = ("investigation", "key_faults")


def faults(answer: Mapping[str, Any]) -> dict[str, TaskFault]:
    """Task → why failures are not the model's: its key cannot be met, or this run errs as most runs do."""
    found = {
        item["task"]: TaskFault(_reason(item), item["fault"], tuple(item["run_names"])) for item in answer["alike"]
    }
    found |= {
        item["task"]: TaskFault(f"the key holds a change that the environment refuses ({item['tool']})")
        for item in answer["refused"]
        if item["sole"]
    }
    return found


def _reason(item: Mapping[str, Any]) -> str:
    same = f"the same change that the key does not hold ({item['tool']}), and nobody passes"
    return f"the simulated user leads most runs to {same}" if item["fault"] == OF_USER else f"most runs make {same}"


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """Which tasks the key or the simulated user spoils."""
    of_user = [item["task"] for item in answer["alike"] if item["fault"] == OF_USER]
    others = [item["task"] for item in answer["alike"] if item["fault"] != OF_USER]
    nothing = answer["nothing"]
    kinds = (
        ("whose key the environment refuses", [item["task"] for item in answer["refused"]]),
        ("in which the simulated user leads most runs to the same change against the key", of_user),
        ("in which most runs make the same change against the key", others),
        ("that doing nothing passes", nothing["silent_tasks"] if nothing and nothing["silent"] else []),
    )
    parts = [f"{count(len(set(tasks)), 'task')} {words} ({task_list(tasks, MOST)})" for words, tasks in kinds if tasks]
    if parts:
        yield say("The benchmark itself needs a look: {parts}.", parts=listed(parts))


def health(answer: Mapping[str, Any]) -> Iterator[Item]:
    """Tasks whose key cannot be met or is contradicted by most runs, and tasks whose user leads there."""
    for entry in answer["refused"]:
        words = f"Task {entry['task']}: the key holds a change that the environment refuses ({entry['tool']})."
        yield health_item("suspect_gold", "high", words, tasks=[entry["task"]])
    for entry in answer["alike"]:
        check = "misleading_users" if entry["fault"] == OF_USER else "suspect_gold"
        made = f"{entry['with']:,} of {count(entry['runs'], 'run')}"
        words = f"Task {entry['task']}: {_reason(entry)} ({made})."
        yield health_item(check, "high", words, tasks=[entry["task"]])


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """Repair keys that cannot be met, read users that mislead, and keys that most runs contradict."""
    refused = {item["task"]: item for item in answer["refused"]}
    if refused:
        spoilt = sum(item["rollouts"] - item["passes"] for item in refused.values())
        yield Advice(
            "data",
            f"Repair the key of {_tasks(refused)}, and report the score without them until then",
            say(
                "The environment refuses a change that the key holds, so that {spoilt} there say little.",
                spoilt=count(spoilt, "failure"),
            ),
            spoilt,
            0.8,
        )
    for fault, change, sure in (
        (
            OF_USER,
            "Read what the simulated user says in {tasks} beside its instruction, mend it, and run them again",
            0.6,
        ),
        (OF_KEY, "Have two people read the key of {tasks} beside the task's text, and quarantine what is wrong", 0.6),
    ):
        items = [item for item in answer["alike"] if item["fault"] == fault]
        if items:
            many = sum(item["making"] for item in items)
            yield Advice(
                "environment" if fault == OF_USER else "data",
                change.format(tasks=_tasks({item["task"]: item for item in items})),
                say(
                    "Most runs make the same change against the key there, {many} in all, and none passes.",
                    many=count(many, "rollout"),
                ),
                many,
                sure,
            )


def _tasks(tasks: Collection[str]) -> str:
    return f"{'task' if len(tasks) == 1 else 'tasks'} {task_list(tasks)}"
