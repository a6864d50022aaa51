"""NeMo-Skills: `eval-results/<benchmark>/output-rs<seed>.jsonl`, a benchmark's seeds as the attempts of one run.

Rows without an id are named by their line, which is the same in all seeds. The score is the benchmark's own correctness
key; further ones stand under `verifier.scores`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from blade.files.sniff import Head, mostly
from blade.model import Status
from blade.translate.chat import chat_items, text_item
from blade.translate.documents import as_mapping, as_rows, document, rows_of
from blade.translate.foreign_run import BadRecord, ForeignRun
from blade.translate.rollout_row import Items, Place, SourceVerdict, rollout_row, score_of
from blade.translate.task_fields import task_fields
from blade.translate.usage import usage_of

VERSION = 2
_FILE = re.compile(
    r"^output(?:-rs(?P<seed>\d+))?(?P<greedy>-greedy)?(?:_chunk_(?P<chunk>\d+))?\.jsonl(?P<async>-async)?(?:\.gz|\.zst)?$"
)
_IDS = ("id", "problem_id", "task_id", "question_id", "instance_id")
_STATED = {
    "symbolic_correct": ("symbolic_correct",),
    "judge_correct": ("judge_correct",),
    "correct_judgement": ("correct_judgements",),
    "is_correct": ("passing_base_tests", "symbolic_correct", "accuracy"),
    "prompt_strict": ("prompt_strict_accuracy",),
    "proof_completed": ("lean4_correct",),
    "graded": ("accuracy",),
    "resolved": ("issues_resolved",),
}
"""A score and its names in metrics.json."""
_JUDGEMENT = "judgement:"
_VERDICTS = {True: "Yes", False: "No"}
UNREAD_JUDGEMENT = "no 'Judgement: Yes' or 'Judgement: No' is found in the judgement"
_CORRECTNESS = frozenset(
    "symbolic_correct judge_correct is_correct is_correct-plus graded_list strict_eval loose_eval proof_status "
    "judgement expected_judgement swe-bench-metrics judgement-gen-base judgement-base-gen".split()
)
_OWN = _CORRECTNESS | frozenset(
    "generation predicted_answer expected_answer problem question prompt messages conversation serialized_output "
    "num_generated_tokens num_input_tokens num_reasoning_tokens num_answer_tokens generation_start_time "
    "generation_end_time generation_time finish_reason reward_model_score instruction_id_list _async_position".split()
)
_NO_FIELDS = _OWN | set(_IDS)
_FURTHER = (
    "judgement", "strict_eval", "proof_status", "reward_model_score", "judgement-gen-base", "judgement-base-gen",
)  # fmt: skip


def recognises(head: Head) -> bool:
    return bool(_FILE.match(head.path.name)) and mostly(
        head, lambda row: not _CORRECTNESS.isdisjoint(row) or {"generation", "predicted_answer"} <= row.keys()
    )


def runs(paths: Sequence[Path]) -> Iterator[ForeignRun]:
    """One run per folder; greedy outputs beside the seeds are a run of their own."""
    folders: dict[tuple[Path, bool], dict[int, list[Path]]] = {}
    for path in paths:
        match = _FILE.match(path.name)
        sampled = bool(match and match["seed"] is not None)
        seed = int(match["seed"]) if match and match["seed"] is not None else 0
        folders.setdefault((path.parent, sampled), {}).setdefault(seed, []).append(path)
    for (folder, _), seeds in folders.items():
        files = {seed: _parts(parts) for seed, parts in sorted(seeds.items())}
        benchmark = _benchmark(folder)
        yield ForeignRun(
            (*(path for parts in files.values() for path in parts), *filter(Path.is_file, _metrics_files(folder))),
            partial(_rows, files, benchmark),
            settings={"benchmark": folder.name, "seeds": len(files)},
            reported=_reported(folder, next(iter(files.values()))[0], len(files)),
        )


def _parts(paths: list[Path]) -> list[Path]:
    """The file of a seed; its chunks in their order, or the rows of a run still going on, where it is not there yet."""
    matches = [(path, _FILE.match(path.name)) for path in paths]
    complete = [path for path, match in matches if match and match["chunk"] is None and not match["async"]]
    chunks = sorted(
        (int(match["chunk"]), path) for path, match in matches if match and match["chunk"] and not match["async"]
    )
    return complete[:1] or [path for _, path in chunks] or paths


def _benchmark(folder: Path) -> str:
    """What tasks are named after where several benchmarks stand beside each other."""
    above = folder.parent
    prefixed = above.name == "eval-results" or folder.name in as_mapping(document(above / "metrics.json"))
    return f"{folder.name}/" if prefixed else ""


def _metrics_files(folder: Path) -> tuple[Path, Path]:
    return folder / "metrics.json", folder.parent / "metrics.json"


def _reported(folder: Path, file: Path, seeds: int) -> float | None:
    """The mean over all seeds in metrics.json, which counts in percent."""
    first = next((row for _, row in rows_of(file) if isinstance(row, dict)), {})
    for place in _metrics_files(folder):
        modes = as_mapping(as_mapping(document(place) if place.is_file() else None).get(folder.name))
        modes = as_mapping(modes.get("_all_", modes))
        mode = as_mapping(modes.get(f"pass@1[avg-of-{seeds}]") if seeds > 1 else modes.get("pass@1"))
        for name in _STATED.get(next(iter(_scores(first)), ""), ()):
            value = score_of(mode.get(name))
            if value is not None:
                return value / 100
    return None


def _rows(files: Mapping[int, Sequence[Path]], benchmark: str) -> Iterator[dict[str, Any] | BadRecord]:
    for seed, parts in files.items():
        before = 0
        for path in parts:
            last, file = 0, path.name
            for number, row in rows_of(path):
                last = number
                if isinstance(row, BadRecord):
                    yield row
                    continue
                yield _row(row, f"{benchmark}{_task(row, before + number)}", seed, Place(file, f"line {number}"))
            before += last


def _task(row: Mapping[str, Any], line: int) -> str:
    """The id of a problem; without one its line, which the rows of a run still going on say themselves."""
    for key in _IDS:
        if key in row and isinstance(row[key], (str, int)):
            return str(row[key])
    place = row.get("_async_position")
    return f"line {place + 1 if isinstance(place, int) else line}"


def _row(row: Mapping[str, Any], task: str, seed: int, place: Place) -> dict[str, Any]:
    scores = _scores(row)
    return rollout_row(
        task,
        seed,
        _verdict(row, scores),
        place,
        prompt=_prompt(row),
        output=_output(row),
        usage=usage_of({"output_tokens": row.get("num_generated_tokens"), "input_tokens": row.get("num_input_tokens")}),
        verifier=_verifier(row, scores),
        metadata=task_fields(row, _NO_FIELDS),
        timing={"started": row.get("generation_start_time"), "finished": row.get("generation_end_time")},
    )


def _scores(row: Mapping[str, Any]) -> dict[str, float | None]:
    """Every correctness of a row, the benchmark's own first. None where a judge's words say neither yes nor no."""
    scores: dict[str, float | None] = {}
    if "symbolic_correct" in row:
        scores["symbolic_correct"] = score_of(row["symbolic_correct"])
    if "expected_judgement" in row:
        scores["correct_judgement"] = _same_judgement(row)
    elif "judge_correct" in row:
        scores["judge_correct"] = score_of(row["judge_correct"])
    elif "judgement" in row:
        verdict = _judgement(row["judgement"])
        scores["judge_correct"] = None if verdict is None else float(verdict)
    for key, name in (("is_correct", "is_correct"), ("is_correct-plus", "is_correct-plus")):
        if key in row:
            scores[name] = score_of(row[key])
    graded = row.get("graded_list")
    if isinstance(graded, list) and graded:
        scores["graded"] = score_of(graded[0])
    for key, name in (("strict_eval", "prompt_strict"), ("loose_eval", "prompt_loose")):
        if key in row:
            scores[name] = score_of(as_mapping(row[key]).get("follow_all_instructions"))
    if "proof_status" in row:
        scores["proof_completed"] = float(row["proof_status"] == "completed")
    if "swe-bench-metrics" in row:
        scores["resolved"] = score_of(as_mapping(row["swe-bench-metrics"]).get("resolved"))
    return scores


def _judgement(text: Any) -> bool | None:
    return _yes_or_no(text) if isinstance(text, str) else None


@lru_cache(maxsize=64)
def _yes_or_no(judgement: str) -> bool | None:
    """What a judge's words come to; several parts of a row ask."""
    _, mark, ending = judgement.lower().rpartition(_JUDGEMENT)
    word = ending.strip() if mark else ""
    return True if word.startswith("yes") else False if word.startswith("no") else None


def _same_judgement(row: Mapping[str, Any]) -> float | None:
    expected = _judgement(row.get("expected_judgement"))
    return None if expected is None else float(_judgement(row.get("judgement")) is expected)


def _verdict(row: Mapping[str, Any], scores: Mapping[str, float | None]) -> SourceVerdict:
    score = next(iter(scores.values()), None)
    if row.get("finish_reason") == "length":
        return SourceVerdict(score, Status.TRUNCATED, "finish_reason: length")
    if score is None and "judgement" in row and "expected_judgement" not in row:
        return SourceVerdict(None, Status.VERIFIER_ERROR, UNREAD_JUDGEMENT)
    if score is None:
        return SourceVerdict(None, Status.SKIPPED, "the row has no score of its own")
    nothing = "predicted_answer" in row and row["predicted_answer"] is None
    unread = "expected_judgement" in row and _judgement(row.get("judgement")) is None
    if not score and (nothing or unread):
        return SourceVerdict(
            score,
            Status.MALFORMED,
            "no answer was extracted (predicted_answer is null)" if nothing else UNREAD_JUDGEMENT,
        )
    return SourceVerdict(score)


def _verifier(row: Mapping[str, Any], scores: Mapping[str, float | None]) -> dict[str, Any]:
    verifier: dict[str, Any] = {"scores": {name: score for name, score in scores.items() if score is not None}}
    if "predicted_answer" in row:
        answer = row["predicted_answer"]
        verifier["extracted_answer"] = "" if answer is None else answer
    if row.get("expected_answer") is not None:
        verifier["expected_answer"] = row["expected_answer"]
    if "expected_judgement" in row:  # judging is the task: the judgement is the answer
        for name, key in (("expected_answer", "expected_judgement"), ("extracted_answer", "judgement")):
            verdict = _judgement(row.get(key))
            verifier[name] = "" if verdict is None else _VERDICTS[verdict]
    for key in _FURTHER:
        if row.get(key) is not None:
            verifier[key] = row[key]
    return verifier


def _prompt(row: Mapping[str, Any]) -> Items:
    for key in ("prompt", "messages", "problem", "question"):
        content = row.get(key)
        if not content:
            continue
        if isinstance(content, str):
            return [text_item("user", content)]
        if messages := as_rows(content):
            return chat_items(messages)
    return []


def _output(row: Mapping[str, Any]) -> Items | None:
    """The conversation where tools were used, else the generated text; where judging is the task, the judgement."""
    for key in ("conversation", "serialized_output"):
        if key in row and (messages := as_rows(row[key])):
            return chat_items(messages)
    generated = row.get("generation")
    if generated is None and "expected_judgement" in row:
        generated = row.get("judgement")
    if not isinstance(generated, str):
        return None
    return [text_item("assistant", generated)] if generated else []
