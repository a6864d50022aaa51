"""D3: the golden report is a report, speaks of tasks, and what it says is what the rollouts show."""

from __future__ import annotations

import re
from collections.abc import Iterator

from blade.checking import check_text
from blade.counting.run import Run
from blade.package.contents import Contents
from blade.package.golden import Drafted
from blade.package.layout import Golden
from blade.package.review import is_draft
from blade.package.texts import parts, read_text
from blade.package.validate.result import Item, Result, failed, passed, skipped, some, warned

FEWEST_LINES = 40
FEWEST_TASKS = 3
SHORT_ID = 4
_FILE = re.compile(r"`((?:rollouts|artifacts|data)/[\w.@=+-]+)`")


def check_report(contents: Contents, golden: Golden, drafted: Drafted | None, why: str) -> Iterator[Result]:
    where = contents.layout.inside(golden.report)
    text = read_text(golden.report)
    if text.problem:
        fix = "Write the report as Markdown text"
        yield failed(Item.EVIDENCE, "golden report readable", f"the report {text.problem}", fix, where)
        return
    lines = len(text.value.splitlines())
    sections = sum(part.level == 2 for part in parts(text.value))
    check = f"golden report with at least {FEWEST_LINES} lines and a ## section"
    if lines < FEWEST_LINES or not sections:
        fix = "Write the sections that the skill's report template names"
        yield failed(Item.EVIDENCE, check, f"{lines} lines, {sections} sections", fix, where)
    else:
        yield passed(Item.EVIDENCE, check, f"{lines} lines", where)
    if is_draft(golden):
        fix = f"`blade review {contents.layout.folder} {golden.model}`"
        yield warned(Item.EVIDENCE, "reviewed", "still a draft", fix, where)
    yield from _files(text.value, contents, where)
    if not contents.runs or (drafted is None and not golden.comparison):
        yield skipped(Item.EVIDENCE, "cites task-level evidence", why, where)
        return
    yield _cites(text.value, contents.runs, where)
    yield _recomputed(text.value, contents, drafted, where)


def _files(text: str, contents: Contents, where: str) -> Iterator[Result]:
    """Files of the package that the report lists: without them its numbers cannot be made again."""
    named = sorted(set(_FILE.findall(text)))
    lost = [name for name in named if not (contents.layout.folder / name).is_file()]
    check = "files that the report lists"
    if lost:
        fix = "Put them back, or draft the report anew without them"
        yield failed(Item.EVIDENCE, check, f"not there: {some(lost, 3)}", fix, where)
    elif named:
        yield passed(Item.EVIDENCE, check, f"{len(named)} are there", where)


def _cites(text: str, runs: tuple[Run, ...], where: str) -> Result:
    """Task ids in sentences: a table of all tasks is no evidence for anything."""
    prose = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("|"))
    ids = sorted({label for run in runs for label in run.facts["label"].unique().to_list()})
    found = [task for task in ids if speaks_of(prose, task)]
    check = "cites task-level evidence"
    wanted = min(FEWEST_TASKS, len(ids))
    if len(found) < wanted:
        detail = f"{len(found)} of {len(ids)} task ids stand in its sentences; at least {wanted} are wanted"
        return failed(Item.EVIDENCE, check, detail, "Tie claims to task ids, rollout ids and quotes", where)
    return passed(Item.EVIDENCE, check, f"{len(found)} tasks are named", where)


def speaks_of(text: str, task: str) -> bool:
    """A long id stands for itself; a short one, which may be any number, needs the word task or a code span."""
    if task not in text:
        return False
    word = rf"{re.escape(task)}(?![\w-])"
    if len(task) < SHORT_ID or task.isdigit():
        return re.search(rf"(?:\btasks?\s+`?|`){word}", text, re.IGNORECASE) is not None
    return re.search(rf"(?<![\w-]){word}", text) is not None


def _recomputed(text: str, contents: Contents, drafted: Drafted | None, where: str) -> Result:
    check = "numbers, ids and quotes of the report"
    if drafted is not None:
        report, analysis, runs = drafted.report, drafted.together, drafted.runs
    else:
        runs = contents.runs
        analysis = contents.stages.analyze(runs, contents.options)
        report = contents.stages.report(analysis)
    found = check_text(text, report, analysis, runs)
    if found.wrong:
        told = [
            f"line {thing.line}: {thing.kind.value} {thing.said!r}"
            + (f", right is {thing.wanted!r}" if thing.wanted is not None else "")
            for thing in found.wrong
        ]
        fix = "Mend what is wrong; `blade check REPORT --runs rollouts/` lists it all"
        return failed(Item.EVIDENCE, check, f"{len(told)} wrong: {some(told, 3)}", fix, where)
    counts = found.counts
    detail = f"{counts['right']} right, {counts['unverifiable']} that nothing could be held against"
    return passed(Item.EVIDENCE, check, detail, where)
