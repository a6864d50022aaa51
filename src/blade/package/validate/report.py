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
from blade.package.texts import HeadingPart, parts, read_text
from blade.package.validate.headings import Words, lines_below, place_sections
from blade.package.validate.result import Item, Result, failed, passed, skipped, some, warned
from blade.skill.workflow import SECTIONS as TEMPLATE

FEWEST_LINES = 40
FEWEST_TASKS = 3
SHORT_ID = 4
SECTIONS: Words = {
    "Sometimes-Pass Deep Dives": (r"\bsometimes\b", r"\b(flaky|mixed|wavering|inconsistent)\b"),
    "Never-Pass Deep Dives": (r"\bnever\b", r"\balways fail"),
    "Cross-Model Comparison": (r"\bcross model\b", r"\b(comparison|compared|versus|vs)\b"),
    "Workflow Funnel": (r"\bfunnel\b", r"\b(pipeline|stages)\b"),
    "Task Outcome Buckets": (r"\bbuckets?\b", r"\b(outcomes?|consistency distribution)\b"),
    "Dominant Failure Modes": (r"\bfailure modes?\b", r"\bfailure (analysis|taxonomy|classes|categories|types)\b"),
    "Artifact Inventory": (r"\binventory\b", r"\b(artifacts?|files|sources)\b"),
    "Reproducibility Notes": (r"\breproduc", r"\b(provenance|commands|methods?|methodology)\b"),
    "Recommendations": (r"\brecommend", r"\b(interventions?|next steps|what to (change|fix|do))\b"),
    "Aggregate Results": (r"\baggregates?\b", r"\b(results|metrics|scores?|performance)\b"),
    "Executive Summary": (r"\bsummary\b", r"\b(overview|findings|abstract|conclusions?)\b"),
}
CONDITIONAL = {"Sometimes-Pass Deep Dives", "Cross-Model Comparison"}
"""Sections that are wanted where there are repeats, and where there are several runs."""
_FILE = re.compile(r"`((?:rollouts|artifacts|data)/[\w.@=+-]+)`")


def check_report(contents: Contents, golden: Golden, drafted: Drafted | None, reason: str) -> Iterator[Result]:
    file_name = contents.layout.inside(golden.report)
    text = read_text(golden.report)
    if text.problem:
        fix = "Write the report as Markdown text"
        yield failed(Item.EVIDENCE, "golden report readable", f"the report {text.problem}", fix, file_name)
        return
    lines = len(text.value.splitlines())
    sections = sum(part.level == 2 for part in parts(text.value))
    check = f"golden report with at least {FEWEST_LINES} lines and a ## section"
    if lines < FEWEST_LINES or not sections:
        fix = "Write the sections that the skill's report template names"
        yield failed(Item.EVIDENCE, check, f"{lines} lines, {sections} sections", fix, file_name)
    else:
        yield passed(Item.EVIDENCE, check, f"{lines} lines", file_name)
    if not golden.comparison:
        yield _sections(text.value, drafted, file_name)
    if is_draft(golden):
        fix = f"`blade review {contents.layout.folder} {golden.model}`"
        yield warned(Item.EVIDENCE, "reviewed", "still a draft", fix, file_name)
    yield from _files(text.value, contents, file_name)
    if not contents.runs or (drafted is None and not golden.comparison):
        yield skipped(Item.EVIDENCE, "cites task-level evidence", reason, file_name)
        return
    yield _cites(text.value, contents.runs, file_name)
    yield _recomputed(text.value, contents, drafted, file_name)


def _sections(text: str, drafted: Drafted | None, file_name: str) -> Result:
    """The sections of the seeds, as far as BLADE's own draft of this report has them."""
    check = "sections of a report"
    drafted_titles = (
        {section.title for section in drafted.report.sections} if drafted else SECTIONS.keys() - CONDITIONAL
    )
    expected_sections = {name: words for name, words in SECTIONS.items() if name in drafted_titles}
    headings = [part for part in parts(text) if part.level != 1]  # the title of a report is no section of it
    placed = place_sections(headings, expected_sections, deepest=2)
    taken_places = {place for place in placed.values() if place is not None}
    missing = [
        name for name, _ in TEMPLATE if name in expected_sections and not _says(headings, placed[name], taken_places)
    ]
    if missing:
        detail = f"{len(missing)} of {len(expected_sections)} are not there or say nothing: {', '.join(missing)}"
        fix = "Write them; the skill's report template says what belongs there"
        return warned(Item.EVIDENCE, check, detail, fix, file_name)
    return passed(Item.EVIDENCE, check, f"all {len(expected_sections)}", file_name)


def _says(headings: list[HeadingPart], place: int | None, taken_places: set[int]) -> bool:
    return place is not None and any(line.strip() for line in lines_below(headings, place, taken_places))


def _files(text: str, contents: Contents, file_name: str) -> Iterator[Result]:
    """Files of the package that the report lists: without them its numbers cannot be made again."""
    file_names = sorted(set(_FILE.findall(text)))
    missing = [name for name in file_names if not (contents.layout.folder / name).is_file()]
    check = "files that the report lists"
    if missing:
        fix = "Put them back, or draft the report anew without them"
        yield failed(Item.EVIDENCE, check, f"not there: {some(missing, 3)}", fix, file_name)
    elif file_names:
        yield passed(Item.EVIDENCE, check, f"{len(file_names)} are there", file_name)


def _cites(text: str, runs: tuple[Run, ...], file_name: str) -> Result:
    """Task ids in sentences: a table of all tasks is no evidence for anything."""
    prose = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("|"))
    ids = sorted({label for run in runs for label in run.facts["label"].unique().to_list()})
    cited_tasks = [task for task in ids if speaks_of(prose, task)]
    check = "cites task-level evidence"
    fewest = min(FEWEST_TASKS, len(ids))
    if len(cited_tasks) < fewest:
        detail = f"{len(cited_tasks)} of {len(ids)} task ids stand in its sentences; at least {fewest} are wanted"
        return failed(Item.EVIDENCE, check, detail, "Tie claims to task ids, rollout ids and quotes", file_name)
    return passed(Item.EVIDENCE, check, f"{len(cited_tasks)} tasks are named", file_name)


def speaks_of(text: str, task: str) -> bool:
    """A long id stands for itself; a short one, which may be any number, needs the word task or a code span."""
    if task not in text:
        return False
    word = rf"{re.escape(task)}(?![\w-])"
    if len(task) < SHORT_ID or task.isdigit():
        return re.search(rf"(?:\btasks?\s+`?|`){word}", text, re.IGNORECASE) is not None
    return re.search(rf"(?<![\w-]){word}", text) is not None


def _recomputed(text: str, contents: Contents, drafted: Drafted | None, file_name: str) -> Result:
    check = "numbers, ids and quotes of the report"
    if drafted is not None:
        report, analysis, runs = drafted.report, drafted.together, drafted.runs
    else:
        runs = contents.runs
        analysis = contents.stages.analyze(runs, contents.options)
        report = contents.stages.report(analysis)
    check_result = check_text(text, report, analysis, runs)
    if check_result.wrong:
        mistakes = [
            f"line {check_item.line}: {check_item.kind.value} {check_item.said!r}"
            + (f", right is {check_item.wanted!r}" if check_item.wanted is not None else "")
            for check_item in check_result.wrong
        ]
        fix = "Mend what is wrong; `blade check REPORT --runs rollouts/` lists it all"
        return failed(Item.EVIDENCE, check, f"{len(mistakes)} wrong: {some(mistakes, 3)}", fix, file_name)
    counts = check_result.counts
    detail = f"{counts['right']} right, {counts['unverifiable']} that nothing could be held against"
    return passed(Item.EVIDENCE, check, detail, file_name)
