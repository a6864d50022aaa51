"""The columns of the facts: one row per rollout, small values only, never the text of a run.

`fields` holds, as one JSON object, every short scalar of the row under its dotted name (`difficulty`,
`verifier.success`, `metadata.category`): the verifier's own fields, the domain ids and the task's metadata. Top-level
numbers and booleans are all kept there, whatever their name, because aggregate files are recomputed from them.
"""

from __future__ import annotations

import polars as pl

EXTRACTOR_VERSION = 150
"""Raised whenever a column changes its meaning: it is part of every cache key."""

Columns = dict[str, pl.DataType | type[pl.DataType]]

SOURCE: Columns = {
    "file": pl.Int32,  # index into the run's list of files
    "line": pl.Int64,  # 1-based
    "offset": pl.Int64,  # byte offset of the line in the decompressed file
    "length": pl.Int64,  # bytes of the line without its newline
    "row_hash": pl.UInt64,  # of the line's bytes
}

IDENTITY: Columns = {
    "agent": pl.String,  # agent_ref.name
    "skills": pl.String,  # skills_ref.hash
    "task_index": pl.Int64,  # _ng_task_index, else _task_index
    "attempt_index": pl.Int64,  # _ng_rollout_index and its older names
    "retry": pl.Int64,  # _ng_attempt_index: how often the row was dispatched again
    "text_hash": pl.UInt64,  # the task's own text: the last user message of the request
    "text_head": pl.String,  # its first words, for people
    "prompt_hash": pl.UInt64,  # the whole request, role and text
    "system_hash": pl.UInt64,
    "gold_hash": pl.UInt64,
    "gold": pl.String,  # shortened
    "meta_hash": pl.UInt64,  # echoed task metadata (difficulty, category, ...): part of a content key
}

VERDICT: Columns = {
    "reward": pl.Float64,  # null where there is no usable number
    "reward_problem": pl.String,  # absent, null, nan, infinite, string, list, object
    "answer": pl.String,  # what the verifier extracted, shortened
    "answer_state": pl.String,  # given, null (the field is there and empty), none (no such field)
    "skipped": pl.Boolean,  # verification_skipped
    "masked": pl.Boolean,  # mask_sample, of the row or of its instance_config
    "failure_class": pl.String,  # _ng_failure_class
    "failure_terminal": pl.Boolean,
    "checks": pl.String,  # JSON: the sub-checks of the verdict, name → 1 passed or 0 failed; null where none are told
    "log_ends": pl.List(pl.String),  # field and masked last line of every text of several lines beside the transcript
    "signals": pl.List(pl.String),  # claims of trouble, "status|strength|field|value"; believed only after profiling
}

RESPONSE: Columns = {
    "model": pl.String,
    "model_named": pl.String,  # another id of the model's family that the row's texts name most often
    "machine": pl.String,  # the processor that the row's texts name: x86_64 or arm64
    "id_form": pl.String,  # the word that the response's id begins with: `resp` of `resp_1f…`
    "sampling": pl.String,  # canonical JSON of the sampling settings, those of the response where the request has none
    "seed": pl.Int64,
    "tools_hash": pl.UInt64,  # the tools offered
    "tools_offered": pl.Int32,
    "response_state": pl.String,  # there, empty, absent, unknown (of a shape that is not read)
    "status": pl.String,  # response.status as written
    "incomplete": pl.String,  # response.incomplete_details.reason
    "created_at": pl.Float64,
    "heard_hash": pl.UInt64,  # what tools and users answered: the same words after other answers are another output
    "output_hash": pl.UInt64,  # text, call names and canonical arguments, never ids
    "items": pl.Int32,
    "messages": pl.Int32,  # by the assistant
    "calls": pl.Int32,
    "outputs": pl.Int32,
    "thoughts": pl.Int32,
    "user_turns": pl.Int32,
    "output_chars": pl.Int64,
    "final_chars": pl.Int64,
    "tools_called": pl.List(pl.String),  # distinct names, sorted
    "tools_failed": pl.List(pl.String),  # tools whose last call failed, sorted
    "calls_failed": pl.Int32,  # calls whose answer was an error
    "last_call_failed": pl.Boolean,
    "tool_message": pl.String,  # of the last failed call, shortened
    "actions": pl.List(pl.String),  # the calls in order, tool and argument names, at most 64
    "stages": pl.List(pl.String),  # how far it came: first action, core action, received feedback, …
    "acts": pl.Int32,  # turns of the model: calls, thoughts, messages with words; a message with its calls is one
    "final_hash": pl.UInt64,  # the last message of the model: the same words in many tasks are a notice
    "final_form": pl.UInt64,  # a short last message with figures, names and ids masked; null where it is long
    "ends_on": pl.String,  # message, call, output, thought, user, environment, nothing
    "redacted": pl.Boolean,  # some evidence in the row is marked as removed
    "gaps": pl.List(pl.String),  # codes of ng_* attachments
}

USAGE: Columns = {
    "usage_state": pl.String,  # ok, zero, null, absent, chat
    "usage_is_partial": pl.Boolean,  # so few output tokens cannot hold what the model wrote: one of its calls, not all
    "input_tokens": pl.Float64,
    "output_tokens": pl.Float64,
    "total_tokens": pl.Float64,
    "reasoning_tokens": pl.Float64,
    "cached_tokens": pl.Float64,
    "cost": pl.Float64,  # as the usage says, in its own currency
    "call_seconds": pl.Float64,  # of all model calls together, as an observer of them recorded
}

NOTICED: Columns = {
    "asked": pl.String,  # of input rows only: JSON of what was expected, the answer or the actions
    "detectors": pl.String,  # one letter per detector, in order of name: f fired, c clean, n not applicable, g guarded
    "observed": pl.String,  # JSON: changes, errors of tools, the opening, the longest streak: see extract.observed
    "model_phrases": pl.Binary,  # numbers of three words in a row, in what the model says: see extract.phrases
    "environment_phrases": pl.Binary,  # in what tools and programs print
    "user_phrases": pl.Binary,  # in what a user says after the request
    "call_phrases": pl.Binary,  # in what the model writes into calls: code, commands, values
    "thought_phrases": pl.Binary,  # in what the model thinks
    "sightings": pl.String,  # JSON: what fired or was guarded, with its cites
}

SCHEMA: Columns = {
    **SOURCE,
    **IDENTITY,
    **VERDICT,
    **RESPONSE,
    **USAGE,
    **NOTICED,
    "fields": pl.String,
}
