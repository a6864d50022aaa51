"""D1: the analysis skill is there, names itself, its six sections say something, and no question is left open."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import yaml

from blade.package.layout import Layout
from blade.package.texts import FENCE, HeadingPart, Read, parts, read_text
from blade.package.validate.headings import Words, lines_below, place_sections
from blade.package.validate.result import Item, Result, failed, passed, some, warned
from blade.wording import count

FEWEST_LINES = 50
FEWEST_SECTIONS = 3
FEWEST_WORDS = 25
LARGEST_HEAD = 64 << 10

SECTIONS: Words = {
    "Workflow funnel": (r"\bfunnel\b", r"\bpipeline stages\b", r"\bstages\b"),
    "Report template": (r"\breport (template|format|structure|outline|sections)\b", r"\btemplate\b"),
    "Failure taxonomy": (r"\btaxonomy\b", r"\bfailure (modes|labels|classes|categories)\b"),
    "Input schema": (r"\bschema\b", r"\b(input|data|rollout) (fields|format)\b", r"\bfields\b"),
    "Analysis workflow": (r"\banalysis (workflow|procedure|steps|process|method)\b", r"\bworkflow\b", r"\bprocedure\b"),
    "Overview": (r"\boverview\b", r"\babout\b", r"\bintroduction\b", r"\bwhat (this|the) benchmark\b"),
}

_MARK = re.compile(r"(?<![\w`])unknown:")
_CODE = re.compile(r"(`+).*?\1")
_PLACEHOLDER = re.compile(
    r"\b(?:todo|tbd|fixme|xxx|lorem|ipsum|placeholder|fill in|to be (?:written|done|added))\b|\.{3,}|…"
)


def check_skill(layout: Layout) -> Iterator[Result]:
    path = layout.skill
    draft = f"`{layout.draft_skill}` drafts it"
    if path is None:
        fix = f"Add skill/SKILL.md or SKILL.md: {draft}"
        yield failed(Item.SKILL, "D1 skill missing", "no benchmark-specific analysis skill was found", fix)
        return
    file_name = layout.inside(path)
    text = read_text(path)
    if text.problem:
        fix = f"Write it as text: {draft}"
        yield failed(Item.SKILL, "D1 skill readable", f"the skill {text.problem}", fix, file_name)
        return
    yield passed(Item.SKILL, "D1 skill present", file_name=file_name)
    head, body = _split(text.value)
    yield _frontmatter(head, file_name)
    yield _length(text.value, body, file_name, draft)
    yield from _sections(body, file_name)
    yield _marks(text.value, file_name)


def _split(text: str) -> tuple[str | None, str]:
    """The frontmatter between two lines `---` at the very beginning, and the rest."""
    lines = text.splitlines()
    if not lines or lines[0].strip() != "---":
        return None, text
    for place, line in enumerate(lines[1:], start=1):
        if line.strip() in {"---", "..."}:
            return "\n".join(lines[1:place]), "\n".join(lines[place + 1 :])
    return None, text


def load_frontmatter(head: str) -> Read:
    """YAML that must be a small mapping. Aliases, which can multiply without end, have no place in it."""
    if len(head) > LARGEST_HEAD:
        return Read(problem=f"is longer than {LARGEST_HEAD >> 10} KB")
    try:
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(head, Loader=yaml.SafeLoader)):
            return Read(problem="uses YAML aliases")
        value: Any = yaml.safe_load(head)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        first = (str(error).splitlines() or [type(error).__name__])[0]
        return Read(problem=f"is not YAML ({first})")
    return Read(value) if isinstance(value, dict) else Read(problem="is not a mapping of keys to values")


def _frontmatter(head: str | None, file_name: str) -> Result:
    check = "YAML frontmatter with name and description"
    fix = "Begin the file with a block between two lines `---` that has `name:` and `description:`"
    if head is None:
        return failed(Item.SKILL, check, "there is no frontmatter", fix, file_name)
    read = load_frontmatter(head)
    if read.problem:
        return failed(Item.SKILL, check, f"the frontmatter {read.problem}", fix, file_name)
    values = {key: read.value.get(key) for key in ("name", "description")}
    empty = [key for key, value in values.items() if not isinstance(value, str) or not value.strip()]
    if empty:
        return failed(Item.SKILL, check, f"no text under {' and '.join(empty)}", fix, file_name)
    return passed(Item.SKILL, check, file_name=file_name)


def _length(text: str, body: str, file_name: str, draft: str) -> Result:
    lines = len(text.splitlines())
    sections = sum(part.level == 2 for part in parts(body))
    check = f"at least {FEWEST_LINES} lines and {FEWEST_SECTIONS} ## sections"
    detail = f"{lines} lines, {sections} sections"
    if lines < FEWEST_LINES or sections < FEWEST_SECTIONS:
        fix = f"Do not leave a short placeholder: {draft}; then add what you know"
        return failed(Item.SKILL, check, detail, fix, file_name)
    return passed(Item.SKILL, check, detail, file_name)


def _sections(body: str, file_name: str) -> Iterator[Result]:
    headings = parts(body)
    placed = place_sections(headings, SECTIONS, deepest=3)
    taken_places = {place for place in placed.values() if place is not None}
    for section in sorted(SECTIONS, key=ORDER.index):
        place = placed[section]
        check = f"section {section}"
        if place is None:
            yield failed(Item.SKILL, check, "no heading says so", f"Add a section `## {section}`", file_name)
            continue
        words, empty = _substance(headings, place, taken_places)
        if words < FEWEST_WORDS:
            note = f" (and placeholders: {some(empty, 3)})" if empty else ""
            detail = f"`{headings[place].title}` has {words} words that say something{note}"
            fix = f"Write at least {FEWEST_WORDS} words that speak of this benchmark"
            yield failed(Item.SKILL, check, detail, fix, file_name)
        else:
            yield passed(Item.SKILL, check, file_name=file_name)


ORDER = ["Overview", "Input schema", "Workflow funnel", "Failure taxonomy", "Analysis workflow", "Report template"]


def _substance(headings: list[HeadingPart], place: int, taken_places: set[int]) -> tuple[int, list[str]]:
    """Words below a heading that are no placeholders, deeper headings included; and the placeholders."""
    text = "\n".join(
        line for line in lines_below(headings, place, taken_places) if line.strip() != headings[place].title
    )
    empty = _PLACEHOLDER.findall(text.lower())
    plain = _PLACEHOLDER.sub(" ", re.sub(r"<[^<>\n]{1,60}>", " ", text.lower()))
    return len(set(re.findall(r"[^\W\d_][\w@.-]*", plain))), empty


def _marks(text: str, file_name: str) -> Result:
    """What the draft could not tell from the data and asked its author."""
    check = "no open `unknown:` marks"
    lines = open_marks(text)
    if lines:
        line_list = some([f"line {line}" for line in lines])
        detail = f"{count(len(lines), 'question')} of the draft {'is' if len(lines) == 1 else 'are'} open ({line_list})"
        return warned(
            Item.SKILL, check, detail, "Answer each in words of your own and take its `unknown:` away", file_name
        )
    return passed(Item.SKILL, check, file_name=file_name)


def open_marks(text: str) -> list[int]:
    """The lines with an `unknown:` that is neither quoted as code nor inside a code block."""
    line_numbers, fence = [], ""
    for number, line in enumerate(text.splitlines(), start=1):
        mark = FENCE.match(line)
        if mark and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
        elif not fence and _MARK.search(_CODE.sub("", line)):
            line_numbers.append(number)
    return line_numbers
