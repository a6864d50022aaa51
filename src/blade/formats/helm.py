"""HELM run folders: requests in `scenario_state.json`, their metrics in `per_instance_stats.json`.

The run is the test split without perturbations, as HELM's tables count it; every other split and every perturbation is
a run of its own beside it. Attempts are train trials: other examples in the prompt, not the same request again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from blade.frozen import frozen
from blade.model import Status
from blade.translate.chat import Item, chat_items, content_words, text_item, thought_item
from blade.translate.documents import as_mapping, as_rows, document, records_of
from blade.translate.foreign_run import BadRecord, ForeignRun
from blade.translate.rollout_row import Place, SourceVerdict, rollout_row, score_of

VERSION = 1
STATE, STATS, SPEC, TOTALS = "scenario_state.json", "per_instance_stats.json", "run_spec.json", "stats.json"
ENDINGS = ("", ".zst", ".gz")
USUAL = ("exact_match", "quasi_exact_match", "f1_score", "accuracy", "rouge_l", "bleu_4")
"""Metrics that count where the run does not say which it has."""
BOOKKEEPING = (
    "num_",
    "finish_reason",
    "training_",
    "inference_",
    "batch_size",
    "prompt_truncated",
    "max_prob",
    "logprob",
)
"""How figures begin that are no metric of the answer."""
_ADAPTER = (
    "model", "model_deployment", "method", "temperature", "max_tokens", "max_train_instances", "max_eval_instances",
    "num_train_trials", "num_outputs", "instructions", "stop_sequences",
)  # fmt: skip

Group = tuple[str, str]
"""A split, and the name of a perturbation or nothing."""
Key = tuple[str, int]


def recognises_folder(folder: Path) -> bool:
    return _file(folder, STATE) is not None and _file(folder, STATS) is not None


def _file(folder: Path, name: str) -> Path | None:
    return next((file for end in ENDINGS if (file := folder / f"{name}{end}").is_file()), None)


def _document(folder: Path, name: str) -> Any:
    file = _file(folder, name)
    return None if file is None else document(file)


def runs(paths: Sequence[Path]) -> Iterator[ForeignRun]:
    for folder in paths:
        spec = as_mapping(_document(folder, SPEC))
        stats = as_rows(_document(folder, STATS))
        groups = _groups(stats)
        metric = _metric(spec, stats)
        files = tuple(file for name in (STATE, STATS, SPEC, TOTALS) if (file := _file(folder, name)))
        for number, group in enumerate(groups or [("", "")]):
            yield ForeignRun(
                (folder, *files),
                partial(_rows, folder, group, metric),
                name="@" + ",".join(filter(None, group)) if number else "",
                settings=_settings(spec, metric),
                reported=_reported(folder, group, metric),
            )


def _groups(stats: Sequence[Mapping[str, Any]]) -> list[Group]:
    """The headline first: the test split, without perturbation."""
    groups = dict.fromkeys(_group(entry) for entry in stats)
    return sorted(groups, key=lambda group: (group[1] != "", group[0] != "test", group))


def _group(entry: Mapping[str, Any]) -> Group:
    splits = (as_mapping(stat.get("name")).get("split") for stat in as_rows(entry.get("stats")))
    return str(next(filter(None, splits), "")), _perturbation(entry)


def _perturbation(holder: Mapping[str, Any]) -> str:
    return str(as_mapping(holder.get("perturbation")).get("name") or "")


def _metric(spec: Mapping[str, Any], stats: Sequence[Mapping[str, Any]]) -> str:
    """The first metric that the run names and has."""
    present = {str(as_mapping(stat.get("name")).get("name")) for entry in stats for stat in as_rows(entry.get("stats"))}
    listed = (as_mapping(metric.get("args")).get("names") for metric in as_rows(spec.get("metric_specs")))
    named_metrics = [name for names in listed if isinstance(names, list) for name in names if isinstance(name, str)]
    other_metrics = sorted(name for name in present if not name.startswith(BOOKKEEPING))
    return next((name for name in (*named_metrics, *USUAL, *other_metrics) if name in present), "")


def _settings(spec: Mapping[str, Any], metric: str) -> dict[str, Any]:
    scenario, adapter = as_mapping(spec.get("scenario_spec")), as_mapping(spec.get("adapter_spec"))
    settings = {
        "scenario": scenario.get("class_name"),
        "scenario_args": scenario.get("args"),
        "metric": metric,
        **{name: adapter.get(name) for name in _ADAPTER},
    }
    return {name: value for name, value in settings.items() if value not in (None, "", [], {})}


def _reported(folder: Path, group: Group, metric: str) -> float | None:
    for stat in as_rows(_document(folder, TOTALS)):
        name = as_mapping(stat.get("name"))
        if name.get("name") == metric and (str(name.get("split") or ""), _perturbation(name)) == group:
            return score_of(stat.get("mean"))
    return None


def _rows(folder: Path, group: Group, metric: str) -> Iterator[dict[str, Any] | BadRecord]:
    states_file = as_mapping(_document(folder, STATE))
    states: dict[Key, list[Mapping[str, Any]]] = {}
    for state in as_rows(states_file.get("request_states")):
        instance = as_mapping(state.get("instance"))
        if _perturbation(instance) == group[1]:
            states.setdefault(_key(instance.get("id"), state.get("train_trial_index")), []).append(state)
    listed = list(records_of(_document(folder, STATS)))
    yield from (entry for _, entry in listed if isinstance(entry, BadRecord))
    every = [(place, entry) for place, entry in listed if isinstance(entry, Mapping)]
    entries = [(place, entry, _figures(entry)) for place, entry in every if _group(entry) == group]
    cut_short = sum(figures.get("finish_reason_length") == 1 for _, _, figures in entries)
    for place, entry, figures in entries:
        if entry.get("instance_id") is None:
            yield BadRecord("statistics without an instance", place)
            continue
        key = _key(entry.get("instance_id"), entry.get("train_trial_index"))
        scored = _Scored(group, figures, metric, cut_is_usual=cut_short * 2 > len(entries))
        yield _row(place, key, scored, states.get(key, []))


def _key(instance: Any, trial: Any) -> Key:
    return str(instance), trial if isinstance(trial, int) and trial >= 0 else 0


def _figures(entry: Mapping[str, Any]) -> dict[str, float | None]:
    """The figures of an instance by name; of two with one name the first counts."""
    figures: dict[str, float | None] = {}
    for stat in as_rows(entry.get("stats")):
        figures.setdefault(str(as_mapping(stat.get("name")).get("name") or ""), score_of(stat.get("mean")))
    return figures


@frozen
class _Scored:
    """What the statistics say of an attempt."""

    group: Group
    figures: Mapping[str, float | None]
    metric: str
    cut_is_usual: bool


def _row(pointer: str, key: Key, scored: _Scored, states: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    first = states[0] if states else {}
    request, instance = as_mapping(first.get("request")), as_mapping(first.get("instance"))
    model = request.get("model")
    split, perturbation = scored.group
    metadata = {"split": split, "sub_split": instance.get("sub_split"), "perturbation": perturbation}
    figures = scored.figures
    usage = {
        "input_tokens": figures.get("num_prompt_tokens"),
        "output_tokens": figures.get("num_completion_tokens") or figures.get("num_output_tokens"),
    }
    verdict = _verdict(scored, states)
    row = rollout_row(
        key[0],
        key[1],
        verdict,
        Place(STATS, pointer),
        prompt=_prompt(request, instance),
        output=_output(states) if states else None,
        model=model if isinstance(model, str) else None,
        sampling={
            name: request[key]
            for name, key in (("temperature", "temperature"), ("top_p", "top_p"), ("max_output_tokens", "max_tokens"))
            if request.get(key) is not None
        },
        usage={name: value for name, value in usage.items() if value is not None} or None,
        verifier=_verifier(scored, first),
        metadata={name: value for name, value in metadata.items() if value},
    )
    if states and verdict.status is None:
        row["response"]["status"] = "completed"  # a letter that fills its limit of one token is no cut
    return row


def _prompt(request: Mapping[str, Any], instance: Mapping[str, Any]) -> list[Item]:
    if messages := as_rows(request.get("messages")):
        return chat_items(messages)
    text = content_words(request.get("prompt")) or content_words(as_mapping(instance.get("input")).get("text"))
    return [text_item("user", text)] if text else []


def _output(states: Sequence[Mapping[str, Any]]) -> list[Item]:
    """The first completion; where every reference was a request of its own, how likely each was."""
    if len(states) > 1:
        return [text_item("assistant", "\n".join(_likelihood(state) for state in states))]
    completion = _completion(states[0])
    thought = content_words(as_mapping(completion.get("thinking")).get("text"))
    text = content_words(completion.get("text"))
    return [*([thought_item(thought)] if thought else ()), *([text_item("assistant", text)] if text else ())]


def _completion(state: Mapping[str, Any]) -> Mapping[str, Any]:
    completions = as_rows(as_mapping(state.get("result")).get("completions"))
    return completions[0] if completions else {}


def _likelihood(state: Mapping[str, Any]) -> str:
    references = as_rows(as_mapping(state.get("instance")).get("references"))
    index = state.get("reference_index")
    reference = references[index] if isinstance(index, int) and 0 <= index < len(references) else {}
    text = content_words(as_mapping(reference.get("output")).get("text")) or "the prompt"
    return f"{state.get('request_mode') or 'original'}, {text}: {_completion(state).get('logprob')}"


def _verdict(scored: _Scored, states: Sequence[Mapping[str, Any]]) -> SourceVerdict:
    reward = scored.figures.get(scored.metric)
    failed = [result for state in states if (result := as_mapping(state.get("result"))).get("success") is False]
    if failed:
        reason = content_words(failed[0].get("error"))[:200] or "the request failed"
        return SourceVerdict(None, Status.INFRASTRUCTURE, reason)
    if scored.figures.get("finish_reason_length") == 1 and not scored.cut_is_usual:
        return SourceVerdict(reward, Status.TRUNCATED, "finish reason length")
    return SourceVerdict(reward)


def _verifier(scored: _Scored, state: Mapping[str, Any]) -> dict[str, Any]:
    scores = {name: value for name, value in scored.figures.items() if name and not name.startswith(BOOKKEEPING)}
    mapping = as_mapping(state.get("output_mapping"))
    right = [
        content_words(as_mapping(reference.get("output")).get("text"))
        for reference in as_rows(as_mapping(state.get("instance")).get("references"))
        if isinstance(reference.get("tags"), list) and "correct" in reference["tags"]
    ]
    letters = [letter for letter, text in mapping.items() if text in right]
    expected = letters or right
    verifier = {
        "metric": scored.metric,
        "scores": {name: value for name, value in scores.items() if value is not None},
        "expected_answer": expected[0] if len(expected) == 1 else expected,
        "choices": dict(mapping),
    }
    return {name: value for name, value in verifier.items() if value not in (None, "", [], {})}
