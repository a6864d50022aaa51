"""The section Overview: the shape of the tasks, what the reward means, what the verifier shows of its work."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import median

import polars as pl

from blade.counting.run import Run
from blade.model import Analysis, RunAnalysis, Status
from blade.skill.cells import code, shown
from blade.skill.reading import ExtractionAgreement, Fields
from blade.skill.roles import ANSWER, GOLD, JUDGE, SLICE, TROUBLE, VERIFIER
from blade.skill.schema import Schema
from blade.wording import count, percent, plain

MOST_TOOLS = 15
MOST_TEXTS = 3


def section(runs: Sequence[Run], analysis: Analysis, fields: Fields, schema: Schema) -> list[str]:
    """The whole section, without its heading."""
    facts = pl.concat([run.facts for run in runs]).filter(~pl.col("copy") & ~pl.col("foreign"))
    lines = [*_capability(facts, schema), "", "### Task shape", ""]
    lines += [f"- {line}" for line in (*_shape(facts, analysis), *_texts(analysis))]
    lines += ["", "### Reward", "", *(f"- {line}" for line in _reward(runs, analysis))]
    lines += ["", "### Verifier", "", *(f"- {line}" for line in _verifier(analysis, fields, schema)), ""]
    return lines


def _capability(facts: pl.DataFrame, schema: Schema) -> list[str]:
    slices = schema.named(SLICE)
    hints = [
        f"the tools that are called ({shown(_tools(facts), 6)})" if _tools(facts) else "",
        f"the slices ({shown(slices, 6)})" if slices else "",
        "the beginnings of tasks below",
    ]
    hint_list = ", ".join(hint for hint in hints if hint)
    return [
        (
            f"Target capability: unknown: the artifacts do not say what the benchmark measures. Hints: {hint_list}. "
            "Write it here in a sentence, and say what it does not measure."
        )
    ]


def _tools(facts: pl.DataFrame) -> list[str]:
    called: Counter[str] = Counter()
    for names in facts["tools_called"].to_list():
        called.update(names or ())
    return [name for name, _ in sorted(called.items(), key=lambda pair: (-pair[1], pair[0]))]


def _shape(facts: pl.DataFrame, analysis: Analysis) -> Iterator[str]:
    rows = facts.height
    for run in analysis.runs:
        repeats = sorted({result.attempts for task in analysis.tasks if (result := task.runs.get(run.name))})
        repeats_text = f"{repeats[0]}" if len(repeats) == 1 else f"{repeats[0]} to {repeats[-1]}" if repeats else "no"
        model = shown(run.provenance.models, 3) if run.provenance.models else "unknown"
        size = f"{count(run.tasks, 'task')}, {count(run.rollouts, 'rollout')}, {repeats_text} per task"
        yield f"Run {code(run.name)}: {size}; model {model}."
    called = facts.filter(pl.col("calls") > 0).height
    offered = max(facts["tools_offered"].drop_nulls().to_list(), default=0)
    if called:
        names = _tools(facts)
        calls = _spread(facts.filter(pl.col("calls") > 0)["calls"])
        yield (
            f"Tools: {called:,} of {rows:,} rollouts call tools (calls each: {calls}); up to {offered:,} are offered, "
            f"{len(names):,} are called: {shown(names, MOST_TOOLS)}."
        )
    else:
        yield "Tools: no rollout calls one" + (
            f", though up to {offered:,} are offered." if offered else "; none offered."
        )
    users = facts.filter(pl.col("user_turns") > 0).height
    spread = _spread(facts["messages"])
    if users:
        yield f"Turns: {users:,} of {rows:,} rollouts hold words of a user after the prompt; messages each: {spread}."
    else:
        yield f"Turns: no user speaks after the prompt; messages of the model each: {spread}."
    thinking = facts.filter(pl.col("thoughts") > 0).height
    yield f"Reasoning: {thinking:,} of {rows:,} rollouts show reasoning."
    ends = Counter(facts["ends_on"].drop_nulls().to_list())
    endings = ", ".join(f"{name} ({n:,})" for name, n in sorted(ends.items(), key=lambda pair: (-pair[1], pair[0])))
    yield f"The last item of a rollout: {endings or 'unknown: no rollout has items'}."


def _spread(values: pl.Series) -> str:
    numbers = values.drop_nulls().to_list()
    if not numbers:
        return "an unknown number"
    low, high = min(numbers), max(numbers)
    return f"{low}" if low == high else f"{low} to {high}, median {median(numbers):g}"


def _texts(analysis: Analysis) -> Iterator[str]:
    texts = list(dict.fromkeys(task.text for task in analysis.tasks if task.text))
    for text in texts[:MOST_TEXTS]:
        yield f"A task begins: {code(text, 120)}"
    if not texts:
        yield "How tasks begin: unknown: the rows show no prompt."


def _reward(runs: Sequence[Run], analysis: Analysis) -> Iterator[str]:
    values = Counter(value for run in runs for value in run.graded["reward"].drop_nulls().to_list())
    total = sum(values.values())
    if not values:
        yield "unknown: no row has a reward that could be read."
        return
    listed = sorted(values.items())
    if len(listed) <= 6:
        listing = ", ".join(f"{plain(value)} ({n:,} rows)" for value, n in listed)
        yield f"Values: {listing}."
    else:
        middle = median(value for value, n in listed for _ in range(n))
        low, high = plain(listed[0][0]), plain(listed[-1][0])
        yield f"Values: {len(listed):,} different ones from {low} to {high}, median {plain(middle)} ({total:,} rows)."
    first = analysis.runs[0]
    if len(listed) == 1 and first.scale != "native":
        yield "Scale: unknown: every row has the same reward. Say which others are possible, and between which bounds."
    else:
        yield _scale(first, binary=set(values) <= {0.0, 1.0})
    if first.score_threshold is None:
        yield "A pass: unknown: nothing says it. Give `--pass-threshold`, or `pass_threshold` in benchmark.toml."
    else:
        yield f"A pass: a reward of {plain(first.score_threshold)} or more; told by {first.pass_source}."
    problems = [line for run in runs for line in run.facts["reward_problem"].drop_nulls().to_list()]
    if problems:
        listing = ", ".join(f"{name} ({n:,})" for name, n in sorted(Counter(problems).items()))
        yield f"Rows without a usable reward: {listing}."


def _scale(run: RunAnalysis, *, binary: bool) -> str:
    if run.scale == "native":
        return "Scale: native, outside 0 to 1; scores are means on that scale and not percentages."
    kind = "binary" if binary else "continuous, between 0 and 1"
    return f"Scale: {kind}; the score is the mean over tasks of the mean over attempts."


def _verifier(analysis: Analysis, fields: Fields, schema: Schema) -> Iterator[str]:
    follows = [
        (field, field_role)
        for field, field_role in schema.fields
        if field_role.kind in {VERIFIER, TROUBLE, ANSWER} and field_role.note and not field.listed
    ]
    if not schema.named(VERIFIER, ANSWER, TROUBLE, JUDGE):
        yield (
            "unknown: rows have no verifier field beside the reward, so why a rollout was given its reward cannot be "
            "read from the row. Diagnosis rests on the transcript and, where there are any, the materialized inputs."
        )
    for field, field_role in follows[:12]:
        yield f"{code(field.name, 80)}: {field_role.note}."
    for (answer, gold), pair in fields.agreements.items():
        if pair.passes_equal or pair.fails_equal:
            yield _agreement(answer, gold, pair)
    judges = [field for field, field_role in schema.fields if field_role.kind == JUDGE and "." not in field.name]
    for field in (field for field in judges if not field.listed):
        filled = field.rows - field.types.get("null", 0)
        share = percent(filled / schema.rows) if schema.rows else "0%"
        yield f"A judge takes part: {code(field.name)} is filled on {filled:,} of {schema.rows:,} rows ({share})."
    if not schema.named(GOLD) and not any(field_role.kind == GOLD for _, field_role in schema.inputs):
        yield "What is expected: unknown: neither rows nor inputs show it. Ask for the materialized inputs of the run."
    trouble = Counter[str]()
    for run in analysis.runs:
        trouble.update({name: n for name, n in run.statuses.items() if n and name != Status.OK.value})
    unscored = sum(run.denominator.started - run.denominator.graded for run in analysis.runs)
    if unscored and not trouble:
        trouble["without a usable score"] = unscored
    hurt = ", ".join(f"{name} ({n:,})" for name, n in sorted(trouble.items()))
    yield f"Rollouts that are abnormal: {hurt}." if hurt else "No rollout is abnormal: each ran and has a verdict."


def _agreement(answer: str, gold: str, pair: ExtractionAgreement) -> str:
    statement = (
        f"{code(answer)} equals {code(gold)} on {pair.passes_equal:,} of {count(pair.passes, 'pass', 'passes')} and on "
        f"{pair.fails_equal:,} of {count(pair.fails, 'failure')} (case and blanks aside)"
    )
    if pair.passes and pair.passes_equal == pair.passes and not pair.fails_equal:
        return f"{statement}: the verifier compares them."
    if pair.fails_equal:
        return f"{statement}: read the failures that are equal, the verifier may be at fault."
    return f"{statement}: it accepts other spellings, or looks at something else."
