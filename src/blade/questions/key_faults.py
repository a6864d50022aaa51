"""Is the key or the simulated user at fault: changes that nobody can make, doing nothing passes, all err alike?

Where half of the runs or more make the same change in place of an expected one, and simulated users name it first,
or some do and others agree when the model proposes it, the user leads there; where they only agree, nobody is known to.
A change on top of all that is expected may be left out of the key. A change that is refused where the key goes on with
another way is a first try, and no fault.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from blade.diagnosis.cases import RunCases
from blade.diagnosis.copies import original_rollouts
from blade.diagnosis.effective_key import RulingState, refused_changes
from blade.diagnosis.shared_changes import KeyedTask, shared_changes
from blade.document import Advice, Block, Bullets, Paragraph, Sentence, say
from blade.evidence import open_rows
from blade.extract.key_ways import other_ways
from blade.findings import OF_KEY, OF_USER, TaskFault
from blade.health import Item
from blade.health import item as health_item
from blade.model import Source
from blade.questions import task_list, task_words
from blade.wording import amount, count, fact, listed

TITLE = "Faults of keys and simulated users over all runs"
ORDER = 80
WEIGHT = 1.5
MOST = 6
FEW_RUNS = 3
Refused = Mapping[int, RulingState | None]


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Refused keys, what doing nothing scores, and what half of the runs or more do alike against the key."""
    tasks: dict[str, KeyedTask] = {}
    for run, case in original_rollouts(runs):
        seen = case.observed
        if "expected" in seen:
            tasks.setdefault(case.key, KeyedTask(case.label)).rows.append((run, case, seen))
    if not tasks:
        return None
    refused = refused_changes(runs)
    answer = {
        "refused": _refused(tasks, refused),
        "nothing": _nothing(tasks, refused),
        "alike": _alike(tasks),
        "never_made": _never_made(tasks, refused),
    }
    return answer if any(answer.values()) else None


def _refused(tasks: Mapping[str, KeyedTask], refused: Refused) -> list[dict[str, Any]]:
    """Tasks whose key holds a change that the environment refuses, and who passes them."""
    entries = []
    for task in tasks.values():
        ways = _other_ways(task, refused)
        for name, digest, text in task.expected:
            if digest not in refused:
                continue
            tried = [(run, seen) for run, _, seen in task.rows if any(item[1] == digest for item in seen["changes"])]
            changed = [(run, case) for run, case, seen in task.rows if _accepted(seen)]
            still = [case for run, case, seen in task.rows if not _accepted(seen)]
            entries.append(
                {
                    "task": task.label,
                    "tool": name,
                    "arguments": text,
                    "quote": next((_quote(seen, name) for _, seen in tried), ""),
                    "tried": sorted({run for run, _ in tried}),
                    "state": None if (state := refused[digest]) is None else asdict(state),
                    "other_way": ways.get(digest, ""),
                    "fault": not ways.get(digest) and not _passes_with_changes(task),
                    "sole": all(other in refused for _, other, _ in task.expected),
                    "passes": task.passes,
                    "rollouts": len(task.rows),
                    "passes_unchanged": sum(bool(case.passed) for case in still),
                    "changed": len(changed),
                    "changed_fail": sum(not case.passed for _, case in changed),
                    "changed_runs": sorted({run for run, case in changed if not case.passed}),
                }
            )
    return entries


def _other_ways(task: KeyedTask, refused: Refused) -> dict[int, str]:
    """Refused changes of a key → what the key goes on with: it holds them as a first try."""
    if all(digest not in refused for _, digest, _ in task.expected):
        return {}
    rows = open_rows([Source(*task.rows[0][1].place)])
    return next((other_ways(row, refused.keys()) for _, row in rows), {})


def _passes_with_changes(task: KeyedTask) -> bool:
    """Whether more than half of the rollouts pass, and more than half of these with an accepted change."""
    changing = sum(bool(case.passed) and _accepted(seen) for _, case, seen in task.rows)
    return 2 * task.passes > len(task.rows) and 2 * changing > task.passes


def _accepted(seen: Mapping[str, Any]) -> bool:
    return any(change[2] for change in seen["changes"])


def _quote(seen: Mapping[str, Any], tool: str) -> str:
    return next((entry[3] for entry in seen.get("errors", ()) if entry[0] == tool), "")


def _nothing(tasks: Mapping[str, KeyedTask], refused: Refused) -> dict[str, Any] | None:
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


def _alike(tasks: Mapping[str, KeyedTask]) -> list[dict[str, Any]]:
    """What half of the runs or more do alike against the key, with what the task says."""
    entries = shared_changes(tasks)
    told = {item["task"] for item in entries}
    places = {task.label: task.rows[0][1].place for task in tasks.values() if task.label in told}
    texts = task_words(places.values())
    versions = {task.label: _instructions(task) for task in tasks.values() if task.label in told}
    return [
        item | {"asks": texts.get(places[item["task"]], ""), "instructions": versions[item["task"]]} for item in entries
    ]


def _instructions(task: KeyedTask) -> int:
    """How many different instructions the rollouts of a task were made with."""
    told = (seen.get("task", {}).get("instruction") for _, _, seen in task.rows)
    return len({one for one in told if one is not None})


def _never_made(tasks: Mapping[str, KeyedTask], refused: Refused) -> dict[str, Any] | None:
    """Tasks that nobody passes and of which one expected change is made by no run."""
    entries = []
    for task in tasks.values():
        made = {change[1] for _, _, seen in task.rows for change in seen["changes"] if change[2]}
        left = [name for name, digest, _ in task.expected if digest not in made and digest not in refused]
        if len(task.runs) >= FEW_RUNS and not task.passes and left:
            entries.append(task.label)
    return {"many": len(entries), "tasks": sorted(entries)} if entries else None


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
        words = "At least half of the runs also make such a change against the key in {many}: {tasks}."
        blocks.append(Paragraph((say(words, many=count(len(left), "more task"), tasks=task_list(left)),)))
    return blocks


def _refused_words(place: int, item: Mapping[str, Any]) -> Iterator[Sentence]:
    path = (*_PATH, "refused", place)
    yield _ruled_out_words(path, item) if item["state"] else _tried_words(item)
    if item["other_way"]:
        yield say(
            "The key then goes on with {way}: the refused change is a first try, no fault of the key.",
            way=item["other_way"],
        )
    elif not item["fault"]:
        yield say("Most rollouts still pass with other changes: that is no fault of the key.")
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
        "Task {task}: the key contains a change that the environment refuses. {tool} {arguments} was tried word "
        "for word ({tried}), was rejected{quote} and was never accepted in any run.",
        task=item["task"],
        tool=item["tool"],
        arguments=item["arguments"],
        tried=listed(item["tried"]),
        quote=f" (“{item['quote']}”)" if item["quote"] else "",
    )


def _ruled_out_words(path: tuple[str | int, ...], item: Mapping[str, Any]) -> Sentence:
    state = item["state"]
    return say(
        "Task {task}: the key contains a change that the environment refuses as far as the rollouts show. {tool} "
        "{arguments} was made by no run; its object has {field} “{value}”, with which {tool} was refused in "
        "{refused} and never accepted, while nearly all of {accepted} had “{usual}”.",
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
    yield say(
        f"Task {{task}}: {{many}} of {{runs}} make {change} that the key does not contain, {{tool}} "
        "{arguments}{ids}, and {passes} of {rollouts} pass.",
        task=item["task"],
        many=amount(item["with"], *path, "with"),
        runs=fact(count(item["runs"], "run"), item["runs"], *path, "runs"),
        tool=item["tool"],
        arguments=item["arguments"],
        ids="" if item["word_for_word"] else f" (alike in {listed(list(item['ids']))}, else the arguments differ)",
        passes=fact(f"{item['passes']:,}" if item["passes"] else "none", item["passes"], *path, "passes"),
        rollouts=fact(count(item["rollouts"], "rollout"), item["rollouts"], *path, "rollouts"),
    )
    if item["asks"]:
        yield say("The task says: “{asks}”.", asks=item["asks"])
    if item["missing"]:
        missing = [f"{name} {text}" for name, text in item["missing"][:2]]
        yield say("Expected and made by no run: {missing}.", missing=listed(missing))
    yield _whose(item, path)
    if item["instructions"] > 1:
        yield say(
            "Its rollouts had {many} different instructions: compare these first, as one may lack what the key "
            "expects.",
            many=amount(item["instructions"], *path, "instructions"),
        )


def _whose(item: Mapping[str, Any], path: tuple[str | int, ...]) -> Sentence:
    """Where to look first: at the user, at what the key left out, or at the task and its key."""
    if item["fault"] == OF_USER:
        led, named_first = item["led"], item["named_first"]
        how = "names what it concerns before the model does"
        how += "" if named_first == led else " ({named_first}) or agrees when the model proposes it ({agrees})"
        return say(
            f"In {{led}} of the {{making}} that make it the simulated user {how}, instead of what the key expects: "
            "compare what the user says with its instruction before blaming the key or a model.",
            led=fact(f"{led:,}", led, *path, "led"),
            named_first=fact(f"{named_first:,}", named_first, *path, "named_first"),
            agrees=f"{led - named_first:,}",
            making=fact(count(item["making"], "rollout"), item["making"], *path, "making"),
        )
    if item["on_top"] == item["making"]:
        return say(
            "It comes on top of the changes that the key expects of this tool: check whether the key left it out."
        )
    if not item["in_place"]:
        return say(
            "In {top} of the {making} that make it, it comes on top of the changes that the key expects of this "
            "tool, in the others such a change is missing: check whether the key left it out.",
            top=fact(f"{item['on_top']:,}", item["on_top"], *path, "on_top"),
            making=fact(count(item["making"], "rollout"), item["making"], *path, "making"),
        )
    if item["led"]:
        return say(
            "It replaces what the key expects. In {led} of the {making} that make it the simulated user agrees, "
            "right before, to what the model proposes: check the task, its key and what the user says before blaming "
            "any of them.",
            led=fact(f"{item['led']:,}", item["led"], *path, "led"),
            making=fact(count(item["making"], "rollout"), item["making"], *path, "making"),
        )
    return say("It replaces what the key expects: check the task and its key before blaming a model.")


def _never_words(item: Mapping[str, Any]) -> Sentence:
    return say(
        "In {many} that no run passes, an expected change is made by no run: {tasks}. Either it is hard for all, "
        "or the task does not ask for it.",
        many=fact(count(item["many"], "task"), item["many"], *_PATH, "never_made", "many"),
        tasks=task_list(item["tasks"], 30),
    )


_PATH = ("investigation", "key_faults")


def faults(answer: Mapping[str, Any]) -> dict[str, TaskFault]:
    """Task → why failures are not the model's: its key cannot be met, or this run errs as at least half of them do."""
    entries = {
        item["task"]: TaskFault(_reason(item), item["fault"], tuple(item["run_names"])) for item in answer["alike"]
    }
    entries |= {
        item["task"]: TaskFault(f"the key contains a change that the environment refuses ({item['tool']})")
        for item in answer["refused"]
        if item["sole"] and item["fault"]
    }
    return entries


def _reason(item: Mapping[str, Any]) -> str:
    change = "the same change" if item["word_for_word"] else "a change of the same kind"
    passes = f"{item['passes']:,}" if item["passes"] else "none"
    rollouts = count(item["rollouts"], "rollout")
    same = f"{change} that the key does not contain ({item['tool']}), and {passes} of {rollouts}"
    runs = f"{item['with']:,} of {count(item['runs'], 'run')} make"
    end = "passes" if item["passes"] == 1 else "pass"
    if item["fault"] != OF_USER:
        return f"{runs} {same} {end}"
    making = f"{count(item['making'], 'rollout')} that {'makes' if item['making'] == 1 else 'make'} it"
    part = "names it first" if item["named_first"] == item["led"] else "names it first or agrees to it"
    return f"{runs} {same} {end}; the simulated user {part} in {item['led']:,} of the {making}"


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """Which tasks the key or the simulated user spoils."""
    of_user = [item["task"] for item in answer["alike"] if item["fault"] == OF_USER]
    others = [item["task"] for item in answer["alike"] if item["fault"] != OF_USER]
    nothing = answer["nothing"]
    kinds = (
        ("whose key the environment refuses", [item["task"] for item in answer["refused"] if item["fault"]]),
        ("in which the simulated user leads to one kind of change against the key", of_user),
        ("in which at least half of the runs make one kind of change against the key", others),
        ("that pass if the agent does nothing", nothing["silent_tasks"] if nothing and nothing["silent"] else []),
    )
    parts = [f"{count(len(set(tasks)), 'task')} {words} ({task_list(tasks, MOST)})" for words, tasks in kinds if tasks]
    if parts:
        yield say("Possible faults of the benchmark itself: {parts}.", parts=listed(parts))


def health(answer: Mapping[str, Any]) -> Iterator[Item]:
    """Tasks whose key cannot be met or half of the runs or more contradict, and tasks whose user leads there."""
    for entry in answer["refused"]:
        if not entry["fault"]:
            continue
        words = f"Task {entry['task']}: the key contains a change that the environment refuses ({entry['tool']})."
        yield health_item("suspect_gold", "high", words, tasks=[entry["task"]])
    for entry in answer["alike"]:
        check = "misleading_users" if entry["fault"] == OF_USER else "suspect_gold"
        words = f"Task {entry['task']}: {_reason(entry)}."
        yield health_item(check, "high", words, tasks=[entry["task"]])


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """Repair keys that cannot be met, read users that mislead, and keys that half of the runs or more contradict."""
    refused = {item["task"]: item for item in answer["refused"] if item["fault"]}
    if refused:
        spoilt = sum(item["rollouts"] - item["passes"] for item in refused.values())
        yield Advice(
            "data",
            f"Repair the key of {_tasks(refused)}, and report the score without "
            f"{'it' if len(refused) == 1 else 'them'} until then",
            say(
                "The environment refuses a change in the key, so {spoilt} there are not meaningful.",
                spoilt=count(spoilt, "failure"),
            ),
            spoilt,
            0.8,
        )
    for fault, change, sure in (
        (
            OF_USER,
            "Read what the simulated user says in {tasks} against its instruction, fix it, and run them again",
            0.6,
        ),
        (OF_KEY, "Have two people compare the key of {tasks} with the task's text, and quarantine what is wrong", 0.6),
    ):
        items = [item for item in answer["alike"] if item["fault"] == fault]
        if items:
            many = sum(item["making"] for item in items)
            yield Advice(
                "environment" if fault == OF_USER else "data",
                change.format(tasks=_tasks({item["task"]: item for item in items})),
                say(
                    "At least half of the runs make one kind of change against the key there, {many} in all, and none "
                    "of these passes.",
                    many=count(many, "rollout"),
                ),
                many,
                sure,
            )


def _tasks(tasks: Collection[str]) -> str:
    return f"{'task' if len(tasks) == 1 else 'tasks'} {task_list(tasks)}"
