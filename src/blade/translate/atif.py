"""Agent trajectories in the interchange form ATIF, as the items of a response.

Real files break the schema's rules, so nothing is validated beyond its type. A step that a continuation repeats and
the side chains of sub-agents are left out: they are not what the agent did next.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from blade.translate.chat import Item, call_item, content_words, result_item, text_item, thought_item
from blade.translate.documents import as_mapping, as_rows

MOST_PARTS = 100
"""Files that one trajectory may be continued in."""
_NUMBERS = {int, float}


@dataclass(slots=True)
class Trajectory:
    prompt: list[Item] = field(default_factory=list)
    output: list[Item] = field(default_factory=list)
    model: str | None = None
    agent: str | None = None
    tools: list[Any] = field(default_factory=list)
    usage: dict[str, Any] = field(default_factory=dict)


def is_atif(document: Any) -> bool:
    return str(as_mapping(document).get("schema_version") or "").startswith("ATIF-") and "steps" in document


def trajectory(documents: Sequence[Mapping[str, Any]]) -> Trajectory:
    """One trajectory from its file and those that continue it."""
    joined = Trajectory()
    for document in documents:
        agent = as_mapping(document.get("agent"))
        joined.model = joined.model or _text(agent.get("model_name"))
        joined.agent = joined.agent or _text(agent.get("name"))
        joined.tools = joined.tools or list(as_rows(agent.get("tool_definitions")))
        joined.usage = _usage(as_mapping(document.get("final_metrics"))) or joined.usage
        for step in as_rows(document.get("steps")):
            _add(joined, step)
    return joined


def continued(first: Any, load: Callable[[str], Any]) -> list[Mapping[str, Any]]:
    """A document and the files it is continued in; `load` gives the document of a name, or nothing."""
    documents = [as_mapping(first)]
    names: set[str] = set()
    while (name := _text(documents[-1].get("continued_trajectory_ref"))) and name not in names:
        names.add(name)
        following = as_mapping(load(name))
        if not following or len(documents) >= MOST_PARTS:
            break
        documents.append(following)
    return documents


def _add(joined: Trajectory, step: Mapping[str, Any]) -> None:
    if step.get("is_copied_context") or as_mapping(step.get("extra")).get("is_sidechain"):
        return
    source, words = step.get("source"), content_words(step.get("message"))
    if source == "agent":
        joined.model = joined.model or _text(step.get("model_name"))
        joined.output.extend(_agent_items(step, words))
        return
    if not words.strip():
        return
    item = text_item("system" if source == "system" else "user", words)
    (joined.output or joined.prompt).append(item)


def _agent_items(step: Mapping[str, Any], words: str) -> list[Item]:
    items: list[Item] = []
    thought = content_words(step.get("reasoning_content"))
    if thought.strip():
        items.append(thought_item(thought))
    if words.strip():
        items.append(text_item("assistant", words))
    calls = [
        (str(call.get("tool_call_id") or f"call_{at}"), call) for at, call in enumerate(as_rows(step.get("tool_calls")))
    ]
    items += [call_item(str(call.get("function_name") or ""), call.get("arguments"), name) for name, call in calls]
    for result in as_rows(as_mapping(step.get("observation")).get("results")):
        text = content_words(result.get("content"))
        caller = _text(result.get("source_call_id")) or (calls[0][0] if len(calls) == 1 else None)
        if caller:
            items.append(result_item(text, caller))
        elif text.strip():
            items.append(text_item("environment", text))
    return items


def _usage(metrics: Mapping[str, Any]) -> dict[str, Any]:
    usage = usage_of(
        metrics.get("total_prompt_tokens"), metrics.get("total_completion_tokens"), metrics.get("total_cached_tokens")
    )
    if isinstance(metrics.get("total_cost_usd"), (int, float)):
        usage["cost"] = metrics["total_cost_usd"]
    return usage


def usage_of(input_tokens: Any, output_tokens: Any, cached: Any = None) -> dict[str, Any]:
    """Tokens as a response states them; what is unknown is left out."""
    usage: dict[str, Any] = {}
    if type(input_tokens) in _NUMBERS:
        usage["input_tokens"] = input_tokens
    if type(output_tokens) in _NUMBERS:
        usage["output_tokens"] = output_tokens
    if type(cached) in _NUMBERS:
        usage["input_tokens_details"] = {"cached_tokens": cached}
    return usage


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
