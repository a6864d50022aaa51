"""The comparability passport: what was held and what moved between two runs.

A field that moved is the treatment if it is the only one or the user named it; when several moved and nobody said which
was meant, the cause of a change cannot be separated, and the report says so.

Of prompts that moved the lines are shown in which the two differ, out of one row of each.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from difflib import ndiff
from pathlib import PurePath
from typing import Any

import orjson
import polars as pl

from blade.counting.align import Alignment
from blade.counting.config_fields import config_fields, named_setting
from blade.counting.identity import spoken
from blade.counting.provenance import CHECKPOINT_KEYS
from blade.counting.row_settings import OF_THE_PLACE, row_settings
from blade.counting.run import Run
from blade.evidence import open_rows
from blade.extract.names import words
from blade.extract.schema import offered_tools
from blade.extract.text import clean, clip
from blade.extract.transcript import prompt_steps
from blade.frozen import frozen
from blade.model import Source

MOST_LINES = 6
LONGEST_LINE = 200
SHORTEST_WORD = 3
MOST_WORDS = 300
SPACE = 32
_WORD = re.compile(r"\w+")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
LONGEST_PROMPT = 60_000
"""A longer prompt is not compared line by line."""


def prompt_diff(base: Run, candidate: Run) -> dict[str, Any] | None:
    """`removed` and `added` lines, the first of each, and how many there are; None where a prompt cannot be opened."""
    return _diff([usual_prompt(run) for run in (base, candidate)])


def _asked_alike(base: Run, candidate: Run, alignment: Alignment) -> bool:
    """Whether the first common task is put in the same words, whatever the system prompt says before them."""
    shared = sorted(task for task in candidate.facts["task"].unique().to_list() if task in alignment.same)
    if not shared:
        return False
    tasks = ((base, alignment.same[shared[0]]), (candidate, shared[0]))
    one, other = (_prompt(run, run.facts.filter(pl.col("task") == task), frozenset({"user"})) for run, task in tasks)
    return bool(one) and one == other


def task_prompt_diff(base: Run, candidate: Run, alignment: Alignment) -> dict[str, Any] | None:
    """The same of the whole prompts of one common task: what stands around the words of the task in both."""
    shared = sorted(task for task in candidate.facts["task"].unique().to_list() if task in alignment.same)
    if not shared:
        return None
    tasks = ((base, alignment.same[shared[0]]), (candidate, shared[0]))
    return _diff([_prompt(run, run.facts.filter(pl.col("task") == task)) for run, task in tasks])


def tools_diff(base: Run, candidate: Run) -> dict[str, Any] | None:
    """The names of tools that one run alone offers, as `removed` and `added`; None where a run offers several sets."""
    if any(run.facts["tools_hash"].drop_nulls().n_unique() != 1 for run in (base, candidate)):
        return None
    diff = _diff(["\n".join(_tool_names(run)) for run in (base, candidate)])
    return diff if diff and (diff["removed"] or diff["added"]) else None


def tools_of(run: Run) -> list[str] | None:
    """The names of the tools that a run offers; None where its rows tell of none, or of several sets."""
    return None if run.facts["tools_hash"].drop_nulls().n_unique() != 1 else _tool_names(run)


def _tool_names(run: Run) -> list[str]:
    place = run.facts.filter(pl.col("tools_hash").is_not_null()).select("file", "line", "offset", "length").row(0)
    for _, row in open_rows([Source(run.raw.sources[place[0]], *place[1:])]):
        return sorted(offered_tools(row.get("responses_create_params")) or ())
    return []


def _diff(texts: Sequence[str]) -> dict[str, Any] | None:
    """The lines in which two texts differ; of long lines the sentences."""
    if not all(texts) or any(len(text) > LONGEST_PROMPT for text in texts):
        return None
    before, after = ([_visible_line(line) for line in lines] for lines in prompt_lines(texts))
    lines = [line for line in ndiff(before, after) if line[:2] in {"- ", "+ "} and line[2:].strip()]
    removed, added = ([line[2:].strip() for line in lines if line[0] == sign] for sign in "-+")
    return {
        "removed": _newest(removed, after),
        "added": _newest(added, before),
        "removed_lines": len(removed),
        "added_lines": len(added),
        "removed_words": _new_words(removed, after),
        "added_words": _new_words(added, before),
    }


def prompt_lines(texts: Sequence[str]) -> list[list[str]]:
    """The lines of some prompts; where any has a long line, all are taken apart into sentences alike."""
    lines = [text.split("\n") for text in texts]
    if not any(len(line) > LONGEST_LINE for of_text in lines for line in of_text):
        return lines
    return [[sentence for line in of_text for sentence in _SENTENCE_END.split(line)] for of_text in lines]


def _new_words(lines: Sequence[str], other_lines: Sequence[str]) -> list[str]:
    """The words of some lines, in small letters, that the other prompt has nowhere; the shortest are left out."""
    other_words = {word for line in other_lines for word in _WORD.findall(line.lower())}
    words_of_lines = {word for line in lines for word in _WORD.findall(line.lower())}
    return sorted(word for word in words_of_lines - other_words if len(word) >= SHORTEST_WORD)[:MOST_WORDS]


def _newest(lines: Sequence[str], other_lines: Sequence[str]) -> list[str]:
    """The lines with the most words that the other prompt has nowhere, in their order: other words are no news."""
    other_words = {word for line in other_lines for word in _WORD.findall(line.lower())}
    news = [len(set(_WORD.findall(line.lower())) - other_words) for line in lines]
    newest_places = sorted(range(len(lines)), key=lambda place: (-news[place], place))[:MOST_LINES]
    return [clip(lines[place], LONGEST_LINE) for place in sorted(newest_places)]


def usual_prompt(run: Run) -> str:
    """The system prompt that most rows have."""
    prompted_rows = run.facts.filter(pl.col("system_hash").is_not_null())
    if prompted_rows.is_empty():
        return ""
    usual = prompted_rows["system_hash"].mode().sort()[0]
    return _prompt(run, prompted_rows.filter(pl.col("system_hash") == usual), frozenset({"system", "developer"}))


def _prompt(run: Run, facts: pl.DataFrame, roles: Collection[str] = ()) -> str:
    """The prompt of the first of some rows; of all roles where none is named."""
    if facts.is_empty():
        return ""
    place = facts.select("file", "line", "offset", "length").row(0)
    for _, row in open_rows([Source(run.raw.sources[place[0]], *place[1:])]):
        steps = prompt_steps(row.get("responses_create_params"))
        return "\n".join(step.text for step in steps if not roles or step.role in roles)
    return ""


def _visible_line(line: str) -> str:
    """A line with its control characters as their escapes: what was damaged on the way is seen."""
    return clean("".join(repr(mark)[1:-1] if ord(mark) < SPACE and mark != "\t" else mark for mark in line))


UNKNOWN = None
NOT_RECORDED = "not recorded"
"""In the place of a model that one of two runs tells and the other does not."""
MODEL = "model"
_MODEL_SETTINGS = frozenset({("model",), ("model", "name"), ("model", "id")})
_OTHER_MODELS = frozenset({"judge", "user", "verifier", "grader", "simulator"})
CONFIG = "config."
USUAL = 0.95
_SELECTION = ("limit", "sample_id", "num_samples", "max_samples", "n_samples", "epochs", "status")
BYSTANDERS = {"gym build", *(f"{CONFIG}{name}" for name in _SELECTION)}
"""What is worth knowing and moves no score by itself: which tasks were taken, and how often, is compared by itself."""
_CALLED = frozenset("config configuration variant setup condition arm label name".split())
"""Last words of fields that call a configuration by a name."""
_VERIFIER_FIELDS = (
    "verifier.kind",
    "verifier_type",
    "verifier_metadata.verifier",
    "eval_function",
    "grading_mode",
    "judge_model",
)

TASKS = "tasks"


@frozen
class ConfigField:
    """One field of the passport. `role` is null where nothing moved."""

    field: str
    base: Any
    candidate: Any
    role: str | None  # treatment | control_moved | unknown
    diff: Mapping[str, Any] | None = None
    """The lines in which two texts differ."""

    @property
    def moved(self) -> bool:
        return self.role is not None


@frozen
class ConfigDiff:
    fields: tuple[ConfigField, ...]
    separable: bool
    confounded_with: tuple[str, ...]

    @property
    def moved(self) -> tuple[ConfigField, ...]:
        return tuple(field for field in self.fields if field.moved)


def passport(base: Run, candidate: Run, alignment: Alignment, treatment: Collection[str] = ()) -> ConfigDiff:
    """Compare two runs field by field. What one side does not tell is unknown and does not count as moved.

    A model that one side alone tells does, beside something else that moved: that is then not the only difference.
    """
    pairs = [(field, value_of(base), value_of(candidate)) for field, value_of in _fields(base, candidate)]
    pairs.append(_tasks(base, candidate, alignment))
    system_differs = any(field == "system prompt" and _differ(*values) for field, *values in pairs)
    if not (system_differs and _asked_alike(base, candidate, alignment)):
        pairs.extend(_prompts(base, candidate, alignment, "text_hash" if system_differs else "prompt_hash"))
    pairs.extend(_configs(base, candidate, pairs))
    pairs.extend(_row_settings(base, candidate, pairs))
    pairs = _with_unrecorded_model(base, candidate, pairs)
    differ = [field for field, base_value, candidate_value in pairs if _differ(base_value, candidate_value)]
    moved = [field for field in differ if not _stands_by(field)]
    not_told = [field for field, *values in pairs if NOT_RECORDED in values]
    roles = _roles(moved, treatment) | dict.fromkeys([*filter(_stands_by, differ), *not_told], "unknown")
    diffs = {"system prompt": prompt_diff(base, candidate)} if "system prompt" in differ else {}
    if "prompt" in differ and "system prompt" not in differ:
        diffs["prompt"] = task_prompt_diff(base, candidate, alignment)
    if "tools" in differ:
        diffs["tools"] = tools_diff(base, candidate)
    fields = tuple(
        ConfigField(field, base_value, candidate_value, roles.get(field), diffs.get(field))
        for field, base_value, candidate_value in pairs
    )
    causes = [field for field in moved if field != TASKS]  # the change is told on the common ones
    confounders = tuple(field for field in causes if roles[field] != "treatment")
    return ConfigDiff(fields, separable=not confounders, confounded_with=confounders if len(causes) > 1 else ())


def line_about(config_diff: ConfigDiff, levels: Iterable[str]) -> dict[str, str] | None:
    """The line of a prompt that speaks of a part of the tasks by its name, while the other prompt has no such word.

    `levels` are as slices have them, `field=level`; `side` is the run whose prompt has the line.
    """
    wanted = [set(_WORD.findall(level.rpartition("=")[2].lower())) for level in levels]
    for item in config_diff.moved:
        for side, key in (("candidate", "added"), ("base", "removed")) if item.diff and item.field != "tools" else ():
            new_words = set((item.diff or {})[f"{key}_words"])
            for level_words in wanted:
                if not level_words or not level_words <= new_words:
                    continue
                lines = [line for line in (item.diff or {})[key] if level_words <= set(_WORD.findall(line.lower()))]
                if lines:
                    return {"field": item.field, "side": side, "line": lines[0]}
    return None


def _differ(base_value: Any, candidate_value: Any) -> bool:
    """Whether both sides tell, and tell different things."""
    return base_value is not UNKNOWN and candidate_value is not UNKNOWN and bool(base_value != candidate_value)


def _stands_by(field: str) -> bool:
    return field in BYSTANDERS or (field.startswith(CONFIG) and not OF_THE_PLACE.isdisjoint(words(field)))


def _roles(moved: list[str], treatment: Collection[str]) -> dict[str, str]:
    if treatment:
        return {field: "treatment" if _is_named(field, treatment) else "control_moved" for field in moved}
    causes = [field for field in moved if field != TASKS] or moved
    return {field: "treatment" if causes == [field] else "unknown" for field in moved}


def _is_named(field: str, treatment: Collection[str]) -> bool:
    return not {field, field.removeprefix(CONFIG), field.partition(".")[0]}.isdisjoint(treatment)


def _fields(base: Run, candidate: Run) -> list[tuple[str, Callable[[Run], Any]]]:
    fields: list[tuple[str, Callable[[Run], Any]]] = [
        (MODEL, _model),
        ("agent", lambda run: run.agent),
        ("skills", lambda run: run.skills or ("none" if base.skills or candidate.skills else UNKNOWN)),
        ("checkpoint", _checkpoint),
        ("system prompt", lambda run: _hashes(run.facts["system_hash"])),
        ("tools", lambda run: _hashes(run.facts["tools_hash"])),
        ("reward scale", lambda run: run.rule.scale),
    ]
    settings = sorted({name for run in (base, candidate) for name in _settings(run)})
    fields += [(f"sampling.{name}", lambda run, name=name: _setting(run, name)) for name in settings]  # type: ignore[misc]
    fields.append(("verifier", _verifier))
    fields.append(("gym build", _build))
    fields.append(("verifier fields", _verifier_names))
    return fields


def _values(column: pl.Series) -> Any:
    counts = Counter(column.drop_nulls().to_list())
    if not counts:
        return UNKNOWN
    if len(counts) == 1:
        return next(iter(counts))
    top, rows = max(counts.items(), key=lambda pair: (pair[1], pair[0]))
    return top if rows * 3 >= 2 * len(column) else sorted(counts)


def _hashes(column: pl.Series) -> Any:
    values = column.drop_nulls().unique().sort().to_list()
    if not values:
        return UNKNOWN
    return f"{values[0]:016x}" if len(values) == 1 else f"{len(values)} variants {sum(values) % (1 << 64):016x}"


def _settings(run: Run) -> set[str]:
    return {name for text in run.facts["sampling"].unique().to_list() if text for name in orjson.loads(text)}


def _setting(run: Run, name: str) -> Any:
    values: Counter[str] = Counter()
    for text, rows in Counter(run.facts["sampling"].to_list()).items():
        if text:
            values[orjson.dumps(orjson.loads(text).get(name)).decode()] += rows
    values.pop("null", None)
    if not values:
        return UNKNOWN
    return orjson.loads(max(values.items(), key=lambda pair: (pair[1], pair[0]))[0])


def _checkpoint(run: Run) -> Any:
    value = run.raw.checkpoint or named_setting(run.raw.config, CHECKPOINT_KEYS)
    return value if isinstance(value, (str, int, float)) else UNKNOWN


def _configs(base: Run, candidate: Run, pairs: list[tuple[str, Any, Any]]) -> Iterable[tuple[str, Any, Any]]:
    """Every setting, however deep, that both configs have and that differs; not what the passport says already."""
    changed_names = {
        field.rsplit(".", 1)[-1] for field, base_value, candidate_value in pairs if _differ(base_value, candidate_value)
    }
    values = {
        (str(base_value), str(candidate_value))
        for _, base_value, candidate_value in pairs
        if _differ(base_value, candidate_value)
    }
    base_config, candidate_config = config_fields(base.raw.config), config_fields(candidate.raw.config)
    for name in sorted(base_config.keys() & candidate_config.keys(), key=lambda name: (name.count("."), name)):
        base_value, candidate_value = base_config[name], candidate_config[name]
        if (
            _differ(base_value, candidate_value)
            and name.rsplit(".", 1)[-1] not in changed_names
            and (str(base_value), str(candidate_value)) not in values
        ):
            values.add((str(base_value), str(candidate_value)))  # a value that is handed down stands at several places
            yield CONFIG + name, base_value, candidate_value


def _with_unrecorded_model(base: Run, candidate: Run, pairs: list[tuple[str, Any, Any]]) -> list[tuple[str, Any, Any]]:
    """The pairs; where a setting differs and one run alone tells its model, with this model, too."""
    models = [_model(run) for run in (base, candidate)]
    settings_differ = any(field not in {TASKS, *BYSTANDERS} and _differ(*values) for field, *values in pairs)
    if not settings_differ or sum(model is not UNKNOWN for model in models) != 1:
        return pairs
    values = [NOT_RECORDED if model is UNKNOWN else model for model in models]
    return [*(pair for pair in pairs if pair[0] != MODEL), (MODEL, values[0], values[1])]


def _model(run: Run) -> Any:
    """The model that the rows or any setting name."""
    settings = config_fields(run.raw.config)
    named_models = [_values(run.facts["model"]), *(settings[name] for name in sorted(settings) if _names_model(name))]
    return next((model for model in named_models if model is not UNKNOWN), UNKNOWN)


def _names_model(setting: str) -> bool:
    """Whether it is the model under test: that of a judge or of a user stands under their names."""
    return words(setting) in _MODEL_SETTINGS and _OTHER_MODELS.isdisjoint(_WORD.findall(setting.lower()))


def _row_settings(base: Run, candidate: Run, pairs: list[tuple[str, Any, Any]]) -> Iterable[tuple[str, Any, Any]]:
    """Fields of the rows with one value in either run, and not the same; not what the passport says already.

    Nor other names of an agent that moved, or of the whole configuration beside what moved in it.
    """
    reported_values = {
        (str(base_value), str(candidate_value))
        for _, base_value, candidate_value in pairs
        if _differ(base_value, candidate_value)
    }
    moved = {field for field, base_value, candidate_value in pairs if _differ(base_value, candidate_value)}
    base_settings, candidate_settings = (row_settings(run.columns, run.facts.height) for run in (base, candidate))
    for name in sorted(base_settings.keys() & candidate_settings.keys(), key=lambda name: (name.count("."), name)):
        base_value, candidate_value = base_settings[name], candidate_settings[name]
        is_alias = ("agent" in moved and words(name)[:1] == ("agent",)) or (
            bool(moved) and _names_the_run(name, base_value, base) and _names_the_run(name, candidate_value, candidate)
        )
        if is_alias:
            continue
        if _differ(base_value, candidate_value) and (str(base_value), str(candidate_value)) not in reported_values:
            reported_values.add((str(base_value), str(candidate_value)))
            yield name, base_value, candidate_value


def _names_the_run(field: str, value: Any, run: Run) -> bool:
    """Whether a field only says what the whole configuration is called: the run or its file bears that name, too."""
    if _CALLED.isdisjoint(words(field)[-1:]) or not isinstance(value, str):
        return False
    return value in run.name or all(value in PurePath(source).name for source in run.raw.sources)


def _verifier(run: Run) -> Any:
    columns = {column.name: column for column in run.columns}
    for field in _VERIFIER_FIELDS:
        values = {value for value in columns[field].values if isinstance(value, str)} if field in columns else set()
        if values:
            return ", ".join(sorted(values))
    return UNKNOWN


def _build(run: Run) -> Any:
    """What a build leaves on its rows: fields, and whether a response has a status."""
    facts = run.facts
    marks = [name for name in ("task_index", "attempt_index", "agent") if facts[name].null_count() == 0]
    marks += ["response status"] if facts["status"].null_count() < facts.height else []
    return f"rows with {', '.join(marks)}" if marks else "rows without stamps"


def _verifier_names(run: Run) -> Any:
    """The names of the numeric and boolean fields a verifier writes: another verifier writes other ones."""
    number_counts = {column.name: column.numbers() for column in run.columns if "." not in column.name}
    least = USUAL * run.facts.height
    usual = {name for name, numbers in number_counts.items() if numbers and numbers >= least} - {
        "reward",
        "_ng_attempt_index",
    }
    return ", ".join(sorted(usual)) if usual else UNKNOWN


def _tasks(base: Run, candidate: Run, alignment: Alignment) -> tuple[str, Any, Any]:
    base_tasks, candidate_tasks = set(base.facts["task"].to_list()), set(candidate.facts["task"].to_list())
    common = {task for task in candidate_tasks if task in alignment.same}
    only = len(base_tasks) - len({alignment.same[task] for task in common} & base_tasks)
    if not only and len(common) == len(candidate_tasks):
        return TASKS, len(base_tasks), len(base_tasks)
    return (
        TASKS,
        f"{len(base_tasks)} ({only} only here)",
        f"{len(candidate_tasks)} ({len(candidate_tasks) - len(common)} only here)",
    )


def _prompts(base: Run, candidate: Run, alignment: Alignment, column: str) -> Iterable[tuple[str, Any, Any]]:
    """The prompt around the task's own text: compared on common tasks, where both rows show one prompt per task.

    What a simulated user says first is sampled, and no setting: the system prompt has a line of its own, and where it
    differs, the task's own text alone is compared (`column`).
    """
    if not all(map(_prompt_is_set, (base, candidate))):
        return []
    base_prompts, candidate_prompts = _prompt_by_task(base, column), _prompt_by_task(candidate, column)
    pairs = [
        (base_prompts[alignment.same[task]], candidate_prompts[task])
        for task in candidate_prompts
        if task in alignment.same and alignment.same[task] in base_prompts
    ]
    if not pairs:
        return [("prompt", UNKNOWN, UNKNOWN)]
    equal_prompts = sum(base_prompt == candidate_prompt for base_prompt, candidate_prompt in pairs)
    if equal_prompts == len(pairs):
        return [("prompt", "the same", "the same")]
    return [("prompt", f"of {len(pairs)} common tasks", f"{len(pairs) - equal_prompts} have another prompt")]


def _prompt_is_set(run: Run) -> bool:
    """Whether the prompts are given: nobody else speaks in the rollouts, or the attempts at a task have one prompt."""
    if not spoken(run.facts):
        return True
    repeated = run.facts.group_by("task").agg(pl.col("prompt_hash").n_unique().alias("n"), pl.len().alias("rows"))
    repeated = repeated.filter(pl.col("rows") > 1)
    return repeated.height > 0 and int((repeated["n"] == 1).sum()) >= USUAL * repeated.height


def _prompt_by_task(run: Run, column: str) -> dict[str, int]:
    """Prompt hash per task, for tasks whose attempts all show the same one (environments may add observations)."""
    grouped = run.facts.group_by("task").agg(pl.col(column).n_unique().alias("n"), pl.col(column).first())
    return {task: value for task, prompts, value in grouped.rows() if prompts == 1 and value is not None}
