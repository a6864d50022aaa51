"""Does the simulated user decide rollouts: does it end before the agreed change, invent or confuse identifiers?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import permutations
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.rollout_causes import rollout_causes, sole_acceptances
from blade.document import Advice, Block, Bullets, Fact, Paragraph, Sentence, Table, say
from blade.evidence import open_rows
from blade.extract.names import words
from blade.extract.user_ids import NOWHERE
from blade.extract.user_turns import nearest_turn
from blade.health import Item
from blade.health import item as health_item
from blade.model import Source
from blade.questions import SURE, by_task, judged, task_list, task_words
from blade.stats.rounding import WRITTEN, significant
from blade.stats.strata import Table as Outcomes
from blade.stats.strata import exact_p, risk_difference
from blade.wording import amount, count, fact, listed

TITLE = "The simulated user"
ORDER = 90
WEIGHT = 1.5
DETECTOR = "user_ends_early"
FEWEST = 2
FEWEST_NAMED = 10
FEWEST_ONLY = 5
MOST_PAIRS = 3
MOST_UNASKED = 4
NEVER_ASKS = "user_never_asks"
MOST_RUNS = 7
MOST_VALUES = 4
MUCH_MORE = 1.5
WORDIER = 1.2
MOST_SAID = 2

Seen = tuple[Case, Mapping[str, Any]]


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Per run: failures that end with an acceptance, identifiers that users invent, and those they are asked for."""
    rows = {run.run.name: [(case, case.observed) for case in judged(run)] for run in runs}
    sole = sole_acceptances(runs)
    ends = [entry for name, seen in rows.items() if (entry := _ends(name, seen, sole))["many"]]
    invented = [entry for name, seen in rows.items() if (entry := _invented(name, seen))["rollouts"]]
    entries = {
        "ended": sum(entry["many"] for entry in ends),
        "ended_alone": sum(entry["alone"] for entry in ends),
        "ended_failures": sum(entry["failures"] for entry in ends),
        "ends": ends,
        "decides": _decided(runs) if ends else [],
        "invented": invented if sum(entry["rollouts"] for entry in invented) >= FEWEST else [],
        "named": _named(rows),
        "unasked": _unasked(runs),
    }
    return entries if any(entries[part] for part in ("ends", "invented", "named", "unasked")) else None


def _ends(name: str, seen: Sequence[Seen], sole: Collection[int]) -> dict[str, Any]:
    cut = [case for case, _ in seen if not case.passed and DETECTOR in case.fired()]
    quotes = (item.quote for case in cut for item in case.fired()[DETECTOR].cites if item.quote)
    quote = min(quotes, key=len, default="")
    return {
        "run": name,
        "many": len(cut),
        "failures": sum(not case.passed for case, _ in seen),
        "tasks": sorted({case.label for case in cut}),
        "alone": sum(id(case) in sole for case in cut),
        "alone_tasks": sorted({case.label for case in cut if id(case) in sole}),
        "quote": quote,
    }


def _decided(runs: Sequence[RunCases]) -> list[dict[str, Any]]:
    """Tasks that one run passes and that another loses where its user accepts and ends."""
    grouped = {run.run.name: by_task(judged(run)) for run in runs[:MOST_RUNS]}
    spoken = {run.run.name: _messages(run) for run in runs[:MOST_RUNS]}
    entries: list[dict[str, Any]] = []
    for loser, winner in permutations(grouped, 2):
        common = [key for key in grouped[loser] if key in grouped[winner]]
        only = [key for key in common if _passes(grouped[winner][key]) and not _passes(grouped[loser][key])]
        lost = [grouped[loser][key] for key in only]
        cut = [cases[0].label for cases in lost if any(DETECTOR in case.fired() for case in cases)]
        if len(cut) >= FEWEST and len(only) >= FEWEST_ONLY:
            messages = {"winner_messages": spoken[winner], "loser_messages": spoken[loser]}
            told = {"loser": loser, "winner": winner, "only": len(only), "many": len(cut), "tasks": sorted(cut)}
            entries.append(told | messages)
    return sorted(entries, key=lambda item: (-item["many"] / item["only"], item["loser"], item["winner"]))[:MOST_PAIRS]


def _messages(run: RunCases) -> list[int]:
    """How many messages the model writes in all, and in how many rollouts."""
    rows = judged(run)
    return [sum(case.observed.get("messages", 0) for case in rows), len(rows)]


def _passes(cases: Sequence[Case]) -> bool:
    return any(case.passed for case in cases)


def _unasked(runs: Sequence[RunCases]) -> list[dict[str, Any]]:
    """Tasks whose users mostly never ask for a change that their instruction holds and the key expects."""
    causes = rollout_causes(runs)
    tasks: dict[str, list[Case]] = {}
    for run in runs:
        for case in judged(run):
            tasks.setdefault(case.key, []).append(case)
    entries: list[dict[str, Any]] = []
    for cases in tasks.values():
        silent = [case for case in cases if (cause := causes.get(id(case))) and cause.rule == NEVER_ASKS]
        if len(silent) >= FEWEST and 2 * len(silent) >= len(cases):
            entries.append(
                {
                    "task": cases[0].label,
                    "tool": causes[id(silent[0])].tool,
                    "rollouts": len(silent),
                    "of": len(cases),
                    "passes": sum(bool(case.passed) for case in cases),
                    "places": [case.place for case in silent[:MOST_SAID]],
                }
            )
    entries = sorted(entries, key=lambda item: (-item["rollouts"], item["task"]))[:MOST_UNASKED]
    texts = task_words(item["places"][0] for item in entries)
    return [
        {key: value for key, value in item.items() if key != "places"}
        | {"asks": texts.get(item["places"][0], ""), "says": _said(item["places"])}
        for item in entries
    ]


def _said(places: Sequence[tuple[str, int, int, int]]) -> list[str]:
    """What users say of their task in some rollouts."""
    turns = (nearest_turn(row) for _, row in open_rows(Source(*place) for place in places))
    return list(dict.fromkeys(turn for turn in turns if turn))


def _invented(name: str, seen: Sequence[Seen]) -> dict[str, Any]:
    """Rollouts whose user supplies an identifier that stands nowhere in the row."""
    rows = [
        (case, [item[0] for item in kept["user_ids"] if item[1] == NOWHERE])
        for case, kept in seen
        if "user_ids" in kept
    ]
    rows = [(case, values) for case, values in rows if values]
    most = max(rows, key=lambda pair: len(pair[1]), default=None)
    return {
        "run": name,
        "rollouts": len(rows),
        "passes": sum(bool(case.passed) for case, _ in rows),
        "judged": len(seen),
        "tasks": sorted({case.label for case, _ in rows}),
        "example": {"task": most[0].label, "values": most[1][:MOST_VALUES]} if most else None,
    }


def _named(rows: Mapping[str, Sequence[Seen]]) -> dict[str, Any] | None:
    """Rollouts whose user names an identifier that it was not told, by whether the key holds the first one.

    Of several kinds the one that most rollouts name is told of.
    """
    entries: list[dict[str, Any]] = []
    tables: list[Outcomes] = []
    kinds = Counter(
        kind for seen in rows.values() for _, kept in seen for kind in {_kind(item) for item in _untold(kept)} if kind
    )
    kind = max(sorted(kinds), key=lambda item: kinds[item], default="")
    for name, seen in rows.items():
        known = [(case, [item for item in _untold(kept) if _kind(item) == kind]) for case, kept in seen]
        given = [(case, values) for case, values in known if values]
        if len(given) < FEWEST_NAMED:
            continue
        right = [bool(case.passed) for case, values in given if values[0][2]]
        wrong = [bool(case.passed) for case, values in given if not values[0][2]]
        if any("expected" in kept for _, kept in seen):
            tables.append((sum(wrong), len(wrong) - sum(wrong), sum(right), len(right) - sum(right)))
        entries.append(
            {
                "run": name,
                "rollouts": len(given),
                "asked": sum(any(item[4] for item in values) for _, values in given),
                "judged": len(seen),
                "in_key": len(right),
                "in_key_passes": sum(right),
                "outside": len(wrong),
                "outside_passes": sum(wrong),
            }
        )
    p, effect = exact_p(tables), risk_difference(tables)
    worse = p is not None and p <= SURE and effect is not None and effect < 0
    shares = [item["rollouts"] / item["judged"] for item in entries]
    if not worse and (len(entries) < 2 or max(shares) < MUCH_MORE * min(shares)):
        return None
    told = {"kind": kind, "runs": sorted(entries, key=lambda item: (item["rollouts"], item["run"]))}
    return told | {"worse": worse, "p": significant(p, WRITTEN) if p is not None else None}


def _untold(kept: Mapping[str, Any]) -> list[Any]:
    """The identifiers that the user names though its instruction does not hold them."""
    return [item for item in kept.get("user_ids", ()) if not any(item[6:])]


def _kind(item: Sequence[Any]) -> str:
    return next(iter(item[5:6]), "")


def tell(answer: Mapping[str, Any]) -> list[Block]:
    items = []
    if answer["ends"]:
        items.append(Paragraph(tuple(_ends_words(answer))))
        items += [Paragraph((_decided_words(place, item),)) for place, item in enumerate(answer["decides"])]
    items += [Paragraph(tuple(_unasked_words(place, item))) for place, item in enumerate(answer["unasked"])]
    if answer["invented"]:
        items.append(Paragraph(tuple(_invented_words(answer["invented"]))))
    blocks: list[Block] = [Bullets(tuple(items))] if items else []
    if answer["named"]:
        blocks += [_named_table(answer["named"]), Paragraph((_named_words(answer["named"]),))]
    return blocks


def _ends_words(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    ends = answer["ends"]
    many, failures = answer["ended"], answer["ended_failures"]
    yield say(
        "The simulated user accepts and ends the conversation in the same message, before the agreed change is made, "
        "in {many} of {failures} ({runs}), e.g. “{quote}”. A change that the key expects is missing"
        + (" there." if many == 1 else " in each."),
        many=fact(f"{many:,}", many, *_PATH, "ended"),
        failures=fact(count(failures, "judged failure"), failures, *_PATH, "ended_failures"),
        runs="; ".join(f"{entry['run']} {entry['many']:,}: {task_list(entry['tasks'])}" for entry in ends),
        quote=" ".join(min((entry["quote"] for entry in ends), key=len).split()),
    )
    alone = answer["ended_alone"]
    if alone == many:
        them, these = {1: ("it", "it")}.get(many, ("any of them", "they"))
        yield say(f"Nothing else is known to be wrong in {them}: {these} might have passed.")
        return
    sure = [f"{entry['run']} {entry['alone']:,}" for entry in ends if entry["alone"]]
    alone_words = "In {alone} of them nothing else is known to be wrong{runs}: at most these would have passed. "
    yield say(
        (f"{alone_words}In the others " if alone else "More is wrong in each of them: ")
        + "something was changed wrongly, an answer is missing too, a record was never opened, or what was agreed on "
        "differs from what is missing, or was refused before.",
        alone=fact(f"{alone:,}", alone, *_PATH, "ended_alone"),
        runs=f" ({listed(sure)})" if sure else "",
    )


def _decided_words(place: int, item: Mapping[str, Any]) -> Sentence:
    path = (*_PATH, "decides", place)
    (more, rows), (fewer, others) = item["winner_messages"], item["loser_messages"]
    wordy = rows == others and more >= WORDIER * fewer > 0
    wordier = "; {winner} writes more messages, {more} against {fewer} in as many rollouts." if wordy else "."
    return say(
        "Of the {only} that {winner} passes and {loser} does not, {loser} loses {many} where its user accepts "
        "and ends ({tasks})" + wordier,
        only=fact(count(item["only"], "task"), item["only"], *path, "only"),
        many=fact(f"{item['many']:,}", item["many"], *path, "many"),
        winner=item["winner"],
        loser=item["loser"],
        tasks=task_list(item["tasks"]),
        **(
            {
                "more": amount(more, *path, "winner_messages", 0),
                "fewer": amount(fewer, *path, "loser_messages", 0),
            }
            if wordy
            else {}
        ),
    )


def _unasked_words(place: int, item: Mapping[str, Any]) -> Iterator[Sentence]:
    path = (*_PATH, "unasked", place)
    yield say(
        "Task {task}: in {rollouts} of {of} of all runs the simulated user never asks for {tool}, though its "
        "instruction asks for it, and the users of nearly all passes with such a change name it; {passes} of the "
        "task's rollouts pass.",
        task=item["task"],
        rollouts=fact(f"{item['rollouts']:,}", item["rollouts"], *path, "rollouts"),
        of=fact(count(item["of"], "judged rollout"), item["of"], *path, "of"),
        tool=item["tool"],
        passes=fact(f"{item['passes']:,}" if item["passes"] else "none", item["passes"], *path, "passes"),
    )
    if item["asks"]:
        yield say("Its instruction: “{asks}”.", asks=item["asks"])
    if item["says"]:
        yield say("It says: {says}.", says=listed([f"“{turn}”" for turn in item["says"]]))


def _invented_words(invented: Sequence[Mapping[str, Any]]) -> Iterator[Sentence]:
    parts = [
        f"{entry['run']} in {entry['rollouts']:,} of {count(entry['judged'], 'rollout')}, {entry['passes'] or 'none'} "
        f"of which {'passes' if entry['passes'] == 1 else 'pass'} ({task_list(entry['tasks'])})"
        for entry in invented
    ]
    most = max(invented, key=lambda entry: (entry["rollouts"], entry["run"]))
    yield say(
        "The simulated user invents identifiers: values in the form of real ids that appear nowhere else in the "
        "row, neither in the task nor in any tool's answer: {runs}.",
        runs="; ".join(parts),
    )
    yield say(
        "For instance task {task} of {run}: {values}.",
        task=most["example"]["task"],
        run=most["run"],
        values=listed(most["example"]["values"]),
    )


def _named_table(named: Mapping[str, Any]) -> Table:
    kind = _kind_words(named)
    columns = (
        "Run",
        ">rollouts",
        f">the user names {kind} that it was not told",
        ">left to it to say which",
        ">passes where the first is in the key",
        ">passes where it is not",
    )
    rows = []
    for place, item in enumerate(named["runs"]):
        path = (*_PATH, "named", "runs", place)
        rows.append(
            (
                item["run"],
                *(amount(item[key], *path, key) for key in ("judged", "rollouts", "asked")),
                _share(item, "in_key", path),
                _share(item, "outside", path),
            )
        )
    return Table(columns, tuple(rows))


def _share(item: Mapping[str, Any], key: str, path: tuple[str | int, ...]) -> Fact:
    passes = item[f"{key}_passes"]
    return fact(f"{passes:,} of {item[key]:,}", passes, *path, f"{key}_passes")


def _kind_words(named: Mapping[str, Any]) -> str:
    kind = " ".join(words(named["kind"]))
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}" if kind else "an identifier"


def _named_words(named: Mapping[str, Any]) -> Sentence:
    return say(
        "Where the first identifier that the user names is not in the key, "
        + ("fewer rollouts pass than where it is (p = {p})." if named["worse"] else "passing is not shown to be rarer.")
        + " A model that looks it up does not need to ask.",
        **({"p": fact(f"{named['p']:.2g}", named["p"], *_PATH, "named", "p")} if named["worse"] else {}),
    )


_PATH = ("investigation", "simulated_user")


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """What the simulated user costs; nothing where more is wrong in each of those failures."""
    if answer["ended"] >= FEWEST and answer["ended_alone"]:
        yield say(
            "The simulated user ends {many} of {failures} by accepting and leaving before the agreed change is made; "
            "in {alone} of them nothing else is known to be wrong.",
            alone=fact(f"{answer['ended_alone']:,}", answer["ended_alone"], *_PATH, "ended_alone"),
            many=fact(f"{answer['ended']:,}", answer["ended"], *_PATH, "ended"),
            failures=fact(
                count(answer["ended_failures"], "judged failure"), answer["ended_failures"], *_PATH, "ended_failures"
            ),
        )


def health(answer: Mapping[str, Any]) -> Iterator[Item]:
    """What the users of all runs do against their part."""
    if answer["ends"]:
        one = answer["ended"] == 1
        of_them = "it" if one else f"{answer['ended_alone']:,} of them"
        more_words = "" if one else "; more is wrong in each of them"
        of_run = f" of {answer['ends'][0]['run']}" if len(answer["ends"]) == 1 else ""
        words = (
            f"{answer['ended']:,} of {count(answer['ended_failures'], 'judged failure')}{of_run} "
            f"{'ends' if one else 'end'} with a message of the simulated user that accepts and leaves at once"
        )
        alone = f"; nothing else is known to be wrong in {of_them}" if answer["ended_alone"] else more_words
        severity = "high" if answer["ended_alone"] and not one else "low"
        yield health_item("misleading_users", severity, f"{words}{alone}.")
    for entry in answer["unasked"]:
        words = (
            f"Task {entry['task']}: in {entry['rollouts']:,} of {count(entry['of'], 'judged rollout')} the "
            f"simulated user never asks for {entry['tool']}, which its instruction contains and the key expects."
        )
        yield health_item("misleading_users", "high", words, tasks=[entry["task"]])


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """Have the user wait, ask for all that it was told to ask for, and invent nothing."""
    if answer["ended_alone"]:
        runs = [
            f"{entry['run']} {entry['alone']:,} ({task_list(entry['alone_tasks'], 10)})"
            for entry in answer["ends"]
            if entry["alone"]
        ]
        yield Advice(
            "environment",
            "Do not let the simulated user end a conversation in the message that accepts something; run these again",
            say(
                "Nothing else is known to be wrong in {alone} of {ended} that {end} so, the most that this can gain: "
                "{runs}.",
                end="ends" if answer["ended"] == 1 else "end",
                alone=fact(f"{answer['ended_alone']:,}", answer["ended_alone"], *_PATH, "ended_alone"),
                ended=fact(count(answer["ended"], "failure"), answer["ended"], *_PATH, "ended"),
                runs=listed(runs),
            ),
            answer["ended_alone"],
            0.8,
        )
    for place, item in enumerate(answer["unasked"]):
        yield Advice(
            "environment",
            f"Have the simulated user of task {item['task']} ask for everything in its instruction, and report the "
            "score without the task until then",
            say(
                "In {rollouts} it never asks for {tool}, which the key expects.",
                rollouts=fact(
                    count(item["rollouts"], "rollout"), item["rollouts"], *_PATH, "unasked", place, "rollouts"
                ),
                tool=item["tool"],
            ),
            item["rollouts"],
            0.6,
        )
    lost = sum(entry["rollouts"] - entry["passes"] for entry in answer["invented"])
    if lost:
        yield Advice(
            "environment",
            "Give the simulated user the identifiers that its role would know, or let it say that it does not know",
            say(
                "It invents identifiers in {lost}: {runs}.",
                lost=count(lost, "failure"),
                runs=listed(
                    [
                        f"{entry['run']} {many:,}"
                        for entry in answer["invented"]
                        if (many := entry["rollouts"] - entry["passes"])
                    ]
                ),
            ),
            lost,
            0.4,
        )
