"""How often each rule that gives a label is right, on packages whose causes are known; writes docs/reference/labels.md.

    python benchmarks/label_calibration.py ../shared

Two packages hold labels that people gave by hand to every failed rollout, with alternatives that they accept; in three
others every rollout was made to fail in a known way. A rule is judged on the benchmarks that it was not developed on
where there are any: its precision with one benchmark left out is what the others give it.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

import blade
from blade.diagnosis import labels
from blade.diagnosis.definitions import INSUFFICIENT
from blade.model import Analysis
from blade.stats.intervals import wilson

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "labels.md"
HAND = ("tau_retail", "terminal")
PLANTED = ("mcqa", "reasoning_gym", "workplace_assistant")
MODES = {
    "wrong_option": {"KG", "UK"},
    "scrambled_answer": {"KG", "UK"},
    "unknown_tool": {"KG", "BI"},
}
"""What was planted, and the labels that it deserves; all else was planted as behaviour."""
ENOUGH = 0.6
UNPROVEN = labels.UNPROVEN
FEWEST = 3
PACKAGES = (*HAND, *PLANTED)
TEXT = """# How often labels are right

Measured by `benchmarks/label_calibration.py` on benchmarks whose causes are known: `tau_retail` and `terminal` hold the
labels that people gave to every failed rollout after reading, with alternatives that they accept; in the three others
every rollout was made to fail in a known way, and a task is right where its label fits at least half of its failed
attempts. How labels come about: [why did a task fail?](../explanation/why-did-a-task-fail.md).

## By rule

Rollouts (in the planted benchmarks tasks) that a rule labelled and whose cause is known: how many of its labels are
right, benchmark by benchmark. A rule that is right in less than {enough} of {few} or more abstains: its tasks are IE.
Most rules were met by one benchmark only, so that nothing tells how they fare elsewhere: read the columns, not the sum.

{rules}

## By package, one left out

What is left open counts as neither right nor wrong. Failures of unknown cause are those that people left open as well:
they read the same rows and could not tell. In the last column a rule counts only where the *other* packages bear it
out, so that no package judges the rules that it helped to write.

{packages}

## Read by hand on sets no rule was written for

Readers who also wrote rules labelled failed rollouts of nine benchmarks, drawn by a seed, before BLADE did. Rules were
mended on all but the last two afterwards; those two were opened when all was done, and no rule was mended on them.
Often a reader accepts two or three labels. *Blames the model* counts labels KG, UK or BI where the reader blames the
environment, the verifier, the task or the simulated user; it was not noted for the first four.

{hand}

Alike and both labelled over all nine: {alike} of {both}, κ {kappa}; over the two that were held out 12 of 12, all of
them one label of one rule (`nonexistent_api`). A single attempt at each task of an unknown environment (nemo_gym: one
row of each of fifteen) gives BLADE nothing to rest on: it leaves all open, where the reader left four.

## Read by strangers on sixteen sets

Readers who know neither BLADE nor its rules labelled failures that were drawn by a seed, with a quote each
(November 2026); of *incident*, *office* and *repair*, made sets of agents with tools, the makers planted the causes,
and all failures count.
*Accepted* are labels that the reader gives or would defend, of those that both give. *Held out* are sets that nobody
had looked at when the rules of that day were done: the figures of that first look stand there, with what was left
open. Then rules were mended on all sets but harbor, intercode_bash, mle, tau2 and terminal_bench. Of 988 failures 772
were open before and 418 are now; of the labels that both give 136 of 216 were accepted, and 521 of 562 are now.

{strangers}

What they taught: wrong answers that calls lead to were called unreliable knowledge, and no reader did so; where an
agent passes a task in one attempt and fails it in another, readers blame what it did, four times in five, and knowledge
hardly ever, but its log may show that its work never ran at the verifier's; and most of what the investigation had
found about single rollouts never reached their labels. Where rows hold no transcript (harbor, mcpmark, terminal_bench),
or one attempt at each task, most failures stay open.

## Reports read statement by statement

Five environments of the corpus that no rule was written for, five rows each: a reader wrote down what the rows show,
then judged each paragraph of the short report and each finding of its health table (tables of counts apart). The wrong
ones were mended afterwards, so that the second figure of each column is no measure on unseen data.

| environment | right | partly | wrong | findings that are missing |
|---|---|---|---|---|
| hotpotqa_qa | 15 → 15 | 0 → 0 | 0 → 0 | 0 → 0 |
| spider2_lite | 14 → 14 | 0 → 0 | 0 → 0 | 0 → 0 |
| conversational_tool_use_simulation | 16 → 20 | 3 → 0 | 2 → 0 | 1 → 1 |
| math_with_code | 20 → 20 | 4 → 4 | 0 → 0 | 0 → 0 |
| grl_sokoban | 16 → 16 | 4 → 4 | 0 → 0 | 0 → 0 |

Missing: that two of the failures are masked by the rows themselves. Partly right: advice to raise a limit where
attempts go in circles, and to call a tool after a single answer without one.

Over all NeMo Gym environments of the corpus 18 tasks had a label that blames the model: 3 were right, 3 had the right
label for a doubtful reason, 12 were wrong (a limit that nobody fits into, compile errors each of its own kind, calls of
a transcript that repeats itself, a limit on counted words read as one on the whole answer). Afterwards 7 are left: 3
right, 4 with a doubtful reason.
"""


READ_BY_HAND = (
    ("intercode_ctf", 15, 6, 0, 9, 9, 9, 9, ""),
    ("tau_bench_airline", 15, 11, 1, 3, 4, 4, 4, ""),
    ("mast_ag2_gsmplus", 15, 0, 0, 11, 15, 15, 15, ""),
    ("intercode_python", 15, 4, 6, 7, 9, 11, 11, ""),
    ("intercode_bash", 15, 5, 0, 7, 10, 10, 10, "2"),
    ("tau2 (airline, retail)", 15, 7, 0, 5, 8, 7, 8, "2"),
    ("harbor (terminal-bench 2)", 14, 11, 7, 0, 2, 3, 3, "0"),
    ("starsim, held out", 13, 1, 0, 12, 12, 12, 12, "0"),
    ("nemo_gym, held out", 15, 15, 4, 0, 0, 0, 0, "0"),
)
"""Set, failures, left open by BLADE, by the reader, alike of those that both label, accepted of those that BLADE
labels, and where it blames the model wrongly; counted against labels that are kept outside of the project."""
STRANGERS = (
    ("apps", 36, 36, 9, 0, "0 of 0", "", "27 of 27"),
    ("assistant", 36, 9, 8, 0, "5 of 27", "", "28 of 28"),
    ("bfcl", 36, 29, 29, 4, "7 of 7", "", "7 of 7"),
    ("constraints", 36, 23, 4, 0, "7 of 13", "", "30 of 32"),
    ("harbor", 32, 31, 31, 1, "1 of 1", "1 of 1, 31 open", "1 of 1"),
    ("incident", 196, 163, 68, 0, "12 of 33", "86 of 125, 71 open", "114 of 128"),
    ("intercode_bash", 32, 6, 6, 0, "23 of 26", "23 of 26, 6 open", "23 of 26"),
    ("livecodebench", 36, 34, 21, 0, "2 of 2", "", "15 of 15"),
    ("mast_ag2_gsmplus", 32, 1, 2, 0, "21 of 31", "21 of 31, 1 open", "28 of 30"),
    ("mcpmark", 36, 31, 21, 19, "5 of 5", "", "14 of 14"),
    ("mle", 36, 35, 11, 0, "1 of 1", "21 of 25, 11 open", "21 of 25"),
    ("office", 188, 156, 64, 4, "19 of 32", "99 of 109, 75 open", "110 of 120"),
    ("repair", 165, 156, 87, 3, "7 of 9", "79 of 109, 53 open", "72 of 75"),
    ("tau_bench_airline", 36, 21, 16, 0, "15 of 15", "", "20 of 20"),
    ("tau2", 19, 10, 10, 0, "6 of 9", "6 of 9, 10 open", "6 of 9"),
    ("terminal_bench", 36, 31, 31, 10, "5 of 5", "5 of 5, 31 open", "5 of 5"),
)
"""Set, failures, left open before, now, and by the reader; accepted before, at the first look, and now."""
KAPPA = ".67"
"""Of all that both label in these sets together."""


@dataclass(frozen=True, slots=True)
class Judged:
    """One failed rollout: what we say, by which rule, and what is known. `accepted` is empty where nobody can tell."""

    package: str
    label: str
    rule: str
    accepted: frozenset[str]


def _task(name: str) -> str:
    plain = re.sub(r" \(.*\)$", "", name)
    number = re.fullmatch(r"(?:retail|task)?[-_ ]?0*(\d+)", plain)
    return number.group(1) if number else plain


def _said(analysis: Analysis) -> dict[tuple[str, str, int | None], tuple[str, str]]:
    """Run, task and attempt → label and rule, under every name that the run has."""
    names = {
        run.name: {run.name, *(file.path.name.removesuffix(".jsonl") for file in run.files)} for run in analysis.runs
    }
    return {
        (name, _task(label.task), label.attempt): (label.labels[0], label.rule)
        for label in (*analysis.labels, *analysis.rollout_labels)
        for name in names[label.run]
    }


def by_hand(folder: Path) -> Iterator[Judged]:
    """Failed rollouts that people labelled."""
    said = _said(blade.analyze(*sorted((folder / "data").glob("*.jsonl"))))
    runs: dict[str, str] = orjson.loads((folder / "signs.json").read_bytes()).get("runs", {})
    for line in (folder / "labels.jsonl").read_text(encoding="utf-8").splitlines():
        hand = orjson.loads(line)
        run, task = runs.get(hand["run"], hand["run"]), str(hand["task"])
        found = said.get((run, task, hand.get("attempt"))) or said.get((run, task, None))
        known = {hand["label"], *(hand.get("accept") or ())} if hand["label"] != "insufficient" else set()
        if found is not None:
            yield Judged(folder.name, *found, frozenset(known - {"insufficient"}))


def planted(folder: Path, truth: dict[str, Any]) -> Iterator[Judged]:
    """Tasks whose attempts were made to fail in a known way: what at least half of its failed attempts deserve."""
    for model in sorted(path.name for path in folder.iterdir() if path.is_dir()):
        failed: defaultdict[str, list[set[str]]] = defaultdict(list)
        for place, one in truth[folder.name][model].items():
            if one["reward"] < 1 and one["mode"] != "ok":
                failed[place.split(":")[0]].append(MODES.get(one["mode"], {"BI"}))
        analysis = blade.analyze(folder / model)
        for (run, task, attempt), found in _said(analysis).items():
            if run == analysis.runs[0].name and attempt is None and task in failed:
                votes = Counter(label for labels in failed[task] for label in labels)
                most = {label for label, many in votes.items() if 2 * many >= len(failed[task])}
                yield Judged(folder.name, *found, frozenset(most))


def by_rule(rows: Sequence[Judged]) -> dict[tuple[str, str], list[Judged]]:
    """The rollouts of each rule and the label that it gave, those of which the truth is known; the commonest first."""
    groups: defaultdict[tuple[str, str], list[Judged]] = defaultdict(list)
    for row in rows:
        if row.label != INSUFFICIENT and row.accepted:
            groups[row.rule or "status", row.label].append(row)
    return dict(sorted(groups.items(), key=lambda pair: (-len(pair[1]), pair[0])))


def _right(rows: Sequence[Judged]) -> int:
    return sum(row.label in row.accepted for row in rows)


def _cell(rows: Sequence[Judged]) -> str:
    return f"{_right(rows)} of {len(rows)}" if rows else ""


def rule_table(rows: Sequence[Judged]) -> list[tuple[str, ...]]:
    """Rule, label, right of all judged per package, the share over all with its interval, and what becomes of it."""
    made = []
    for (rule, label), members in by_rule(rows).items():
        low, high = wilson(_right(members), len(members))
        share = _right(members) / len(members)
        parts = ([row for row in members if row.package == name] for name in PACKAGES)
        told = "abstains" if rule in UNPROVEN else "few" if len(members) < FEWEST else "stays"
        made.append((f"`{rule}`", label, *map(_cell, parts), f"{share:.2f} ({low:.2f} to {high:.2f})", told))
    return made


def package_table(rows: Sequence[Judged]) -> list[tuple[str, ...]]:
    """Per package: failures, what we and what people leave open, and how often the labels given are right.

    The last columns use only rules that the other packages bear out: those right there in 60 % or more.
    """
    made = []
    for name in PACKAGES:
        mine, others = [row for row in rows if row.package == name], [row for row in rows if row.package != name]
        borne = {key for key, members in by_rule(others).items() if _right(members) >= ENOUGH * len(members)}
        given = [row for row in mine if row.label != INSUFFICIENT]
        known = [row for row in given if row.accepted]
        vetted = [row for row in known if (row.rule or "status", row.label) in borne]
        unknown = sum(not row.accepted for row in mine)
        open_ = len(mine) - len(given)
        made.append(
            (
                name,
                f"{len(mine):,}",
                f"{open_:,} ({open_ / len(mine):.0%})",
                f"{unknown:,}",
                _cell(known),
                _cell(vetted),
            )
        )
    return made


def page(rows: Sequence[Judged], withheld: Sequence[Judged]) -> str:
    """The whole page; `withheld` are the labels of rules that abstain."""
    rules = _markdown(("rule", "label", *PACKAGES, "right, 95 % interval", ""), rule_table([*rows, *withheld]))
    heads = ("package", "failures", "left open", "of unknown cause", "right", "right, rules that others bear out")
    return TEXT.format(
        rules=rules,
        packages=_markdown(heads, package_table(rows)),
        few=FEWEST,
        enough=f"{ENOUGH:.0%}",
        hand=_read_by_hand(),
        strangers=_read_by_strangers(),
        alike=sum(entry[4] for entry in READ_BY_HAND),
        both=sum(entry[5] for entry in READ_BY_HAND),
        kappa=KAPPA,
    )


def _read_by_strangers() -> str:
    heads = (
        "set",
        "failures",
        "open before",
        "open now",
        "open, reader",
        "accepted before",
        "held out",
        "accepted now",
    )
    return _markdown(heads, [tuple(map(str, entry)) for entry in STRANGERS])


def _read_by_hand() -> str:
    heads = ("set", "failures", "left open", "by the reader", "alike of both", "accepted of given", "blames the model")
    cells = [
        (name, f"{failures}", f"{left}", f"{by_reader}", f"{alike} of {both}", f"{accepted} of {given}", wrongly)
        for name, failures, left, by_reader, alike, both, accepted, given, wrongly in READ_BY_HAND
    ]
    return _markdown(heads, cells)


def _markdown(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shared", type=Path)
    shared = parser.parse_args(arguments).shared
    rows = measured(shared)
    labels.UNPROVEN = frozenset()  # what abstains is measured as well
    withheld = [row for row in measured(shared) if row.rule in UNPROVEN]
    PAGE.write_text(page(rows, withheld), encoding="utf-8")
    return 0


def measured(shared: Path) -> list[Judged]:
    """Every failed rollout of all packages with the label that it gets."""
    truth = orjson.loads((shared / "corpus" / "gym-live" / "TRUTH.json").read_bytes())
    rows = [row for name in HAND for row in by_hand(shared / "golden" / name)]
    return rows + [row for name in PLANTED for row in planted(shared / "corpus" / "gym-live" / name, truth)]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
