"""Inspect logs: what is easily read wrongly."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import orjson
import pytest
from tests.formats.samples import inspect as made

from blade import api
from blade.engine.discover import discover
from blade.errors import NoRuns
from blade.formats import inspect
from blade.options import Options
from blade.summary.run_summary import unfinished
from blade.translate.archives import UnreadableMember, members, unpack
from blade.translate.foreign_run import BadRecord


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BLADE_CACHE_DIR", str(tmp_path / "cache"))


def translated(folder: Path, *samples: dict[str, Any], **results: Any) -> list[dict[str, Any] | BadRecord]:
    whole = made.log("x") | {"samples": list(samples)}
    whole["results"] |= results
    path = folder / "log.json"
    path.write_text(json.dumps(whole))
    (run,) = inspect.runs([path])
    return [row for row in run.rows() if isinstance(row, dict | BadRecord)]


def row_of(folder: Path, **changes: Any) -> dict[str, Any]:
    (row,) = translated(folder, made.sample("a", 1, True) | changes)
    assert isinstance(row, dict)
    return row


def test_attachments_stand_in_their_place(tmp_path: Path) -> None:
    row = row_of(tmp_path)
    assert row["response"]["output"][1]["output"] == "The list on the wall names the baker for this errand."
    assert row["responses_create_params"]["input"][0]["content"] == "Which shop has errand a?"


def test_tokens_of_a_grader_are_not_the_models_own_though_it_is_the_same_model(tmp_path: Path) -> None:
    def call(model: str, tokens: int) -> dict[str, Any]:
        return {
            "event": "model",
            "model": model,
            "output": {"usage": {"input_tokens": tokens, "output_tokens": tokens}},
        }

    scorers = {"event": "span_begin", "type": "scorers"}
    usage = {"house/model": {"input_tokens": 40, "output_tokens": 38, "total_tokens": 78}}
    row = row_of(tmp_path, events=[call("house/model", 8), scorers, call("house/model", 30)], model_usage=usage)
    assert (row["response"]["usage"]["input_tokens"], row["response"]["usage"]["output_tokens"]) == (10, 8)
    assert "total_tokens" not in row["response"]["usage"], "the grader's calls do not say theirs"
    assert row["verifier"]["judge_model"] == "house/model"
    other = row_of(tmp_path, events=[call("house/model", 8), scorers, call("house/judge", 30)], model_usage=usage)
    assert other["response"]["usage"]["output_tokens"] == 38
    assert other["verifier"]["judge_model"] == "house/judge"


def test_tokens_out_of_a_cache_are_input_where_the_total_counts_them(tmp_path: Path) -> None:
    cache = {"input_tokens_cache_read": 300, "input_tokens_cache_write": 50}
    counted = {"input_tokens": 10, "output_tokens": 40, "total_tokens": 400}
    row = row_of(tmp_path, model_usage={"house/model": counted | cache})
    assert row["response"]["usage"]["input_tokens"] == 360
    assert row["response"]["usage"]["input_tokens_details"] == {"cached_tokens": 300}
    within = row_of(tmp_path, model_usage={"house/model": counted | cache | {"input_tokens": 360}})
    assert within["response"]["usage"]["input_tokens"] == 360
    broken = row_of(tmp_path, model_usage={"house/model": counted | cache | {"total_tokens": None}})
    assert broken["response"]["usage"]["input_tokens"] == 10


def test_sampling_is_that_of_the_calls_where_the_header_says_nothing(tmp_path: Path) -> None:
    call = {"event": "model", "model": "house/model", "config": {"max_tokens": 900, "top_p": 0.5}}
    row = row_of(tmp_path, events=[call])
    assert row["responses_create_params"]["max_output_tokens"] == 900
    assert row["responses_create_params"]["top_p"] == 0.5


@pytest.mark.parametrize(
    ("value", "reward"), [("C", 1.0), ("P", 0.5), ("I", 0.0), ("N", 0.0), ("9.5", 9.5), (True, 1.0), ("maybe", None)]
)
def test_letters_numbers_and_words_are_scores(tmp_path: Path, value: Any, reward: float | None) -> None:
    assert row_of(tmp_path, scores={"match": {"value": value}})["reward"] == reward


def test_a_score_of_several_parts_counts_by_the_part_that_is_the_headline(tmp_path: Path) -> None:
    whole = made.sample("a", 1, True) | {"scores": {"judge": {"value": {"depth": 0.25, "truth": 1}}}}
    parts = [
        {"name": name, "scorer": "judge", "metrics": {"mean": {"name": "mean", "value": 0.5}}}
        for name in ("depth", "truth")
    ]
    headline = {"scorer": "judge", "score": "truth", "metric": "mean"}
    (first,), (told,) = (
        translated(tmp_path, whole, scores=parts),
        translated(tmp_path, whole, scores=parts, headline=headline),
    )
    assert isinstance(first, dict)
    assert isinstance(told, dict)
    assert (first["reward"], told["reward"]) == (0.25, 1.0)
    assert told["verifier"]["scores"] == {"judge/depth": 0.25, "judge/truth": 1.0}


def test_of_a_long_error_the_last_line_is_told(tmp_path: Path) -> None:
    echo = "\\n".join(f'  "part {number}": "of the request",' for number in range(20))
    message = f"RuntimeError('\\nRequest:\\n{echo}\\n\\nPermissionError(\"403: no key left\")\\n')"
    row = row_of(tmp_path, scores={}, error={"message": message, "traceback": "…"})
    assert 'RuntimeError: … PermissionError("403: no key left' in str(row["_translated"])


def test_an_error_is_no_zero_and_keeps_its_class(tmp_path: Path) -> None:
    row = row_of(tmp_path, scores={}, error={"message": "ConnectionError('the line is dead')", "traceback": "…"})
    assert row["reward"] is None
    assert row["_translated"]["status"] == "infrastructure"
    assert row["_translated"]["reason"] == "ConnectionError: the line is dead"


def test_a_score_that_is_no_number_is_the_verifiers_trouble(tmp_path: Path) -> None:
    row = row_of(tmp_path, scores={"match": {"value": float("nan"), "reason": "the judge slept"}})
    assert row["reward"] is None
    assert (row["_translated"]["status"], row["_translated"]["reason"]) == (
        "verifier_error",
        "unscored: the judge slept",
    )


def test_a_limit_ends_an_attempt_unless_most_samples_end_at_it(tmp_path: Path) -> None:
    limit = {"limit": {"type": "message", "limit": 30}}
    samples = [made.sample("a", 1, False) | limit, made.sample("b", 1, True), made.sample(7, 1, True)]
    (first, *_) = translated(tmp_path, *samples)
    assert isinstance(first, dict)
    assert first["_translated"]["status"] == "timed_out"
    rows = translated(tmp_path, *(one | limit for one in samples))
    assert [row["_translated"].get("status") for row in rows if isinstance(row, dict)] == [None, None, None]


def test_what_the_model_could_not_finish_is_truncated(tmp_path: Path) -> None:
    assert row_of(tmp_path, output={"choices": [{"stop_reason": "max_tokens"}]})["_translated"]["status"] == "truncated"


def test_a_sample_that_a_person_marked_invalid_is_left_out_and_said(tmp_path: Path) -> None:
    good, bad = made.sample("a", 1, True), made.sample("b", 1, True) | {"invalidation": {"author": "me"}}
    row, left_out = translated(tmp_path, good, bad)
    assert isinstance(row, dict)
    assert left_out == BadRecord("a sample that a person marked as invalid", "/samples/1")


def test_messages_that_were_compacted_away_are_read_from_the_calls(tmp_path: Path) -> None:
    asked = {"id": "m1", "role": "user", "content": "Go on.", "source": "input"}
    early = {"id": "m2", "role": "assistant", "content": "First I looked.", "source": "generate"}
    late = {"id": "m4", "role": "assistant", "content": "Then I answered.", "source": "generate"}
    events = [
        {"event": "model", "input": [asked], "output": {"choices": [{"message": early}]}},
        {"event": "compaction", "type": "summary"},
        {"event": "model", "input": [], "input_refs": [[0, 1]], "output": {"choices": [{"message": late}]}},
        {"event": "span_begin", "type": "scorers"},
        {
            "event": "model",
            "input": [],
            "output": {"choices": [{"message": {"id": "g", "role": "assistant", "content": "C"}}]},
        },
    ]
    summary = {"id": "m3", "role": "user", "content": "So far: looked."}
    row = row_of(tmp_path, messages=[summary, late], events=events, events_data={"messages": [summary]})
    assert [item["content"] for item in row["response"]["output"]] == [
        "First I looked.",
        "So far: looked.",
        "Then I answered.",
    ]


def test_a_killed_log_has_the_samples_that_are_there_and_knows_how_many_there_should_be(tmp_path: Path) -> None:
    whole = made.log("x")
    whole["samples"] = whole["samples"][:4]
    made.write_archive(tmp_path / "killed.eval", whole, header=False)
    (run,) = api.analyze_runs(api.read(tmp_path / "killed.eval"), Options()).runs
    assert (run.denominator.graded, run.denominator.expected) == (4, 6)
    assert run.provenance.config["status"] == "started"
    assert unfinished(run) == "is unfinished: 2 of the 6 rollouts that its files name have no row"


def test_a_whole_log_is_not_called_unfinished_for_want_of_files_that_only_nemo_gym_writes(tmp_path: Path) -> None:
    made.write_archive(tmp_path / "whole.eval", made.log("x"))
    (run,) = api.analyze_runs(api.read(tmp_path / "whole.eval"), Options()).runs
    assert unfinished(run) == ""


def test_of_a_member_that_stands_twice_the_later_counts(tmp_path: Path) -> None:
    path = tmp_path / "twice.eval"
    made.write_archive(path, made.log("x"), packed=False)
    with zipfile.ZipFile(path, "a") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr("samples/a_epoch_1.json", json.dumps(made.sample("a", 1, False)))
    (run,) = inspect.runs([path])
    rewards = {(row["task_id"], row["_ng_rollout_index"]): row["reward"] for row in run.rows() if isinstance(row, dict)}
    assert len(rewards) == 6
    assert rewards["a", 0] == 0.0


def test_a_retry_replaces_the_samples_of_the_log_before_it(tmp_path: Path) -> None:
    before, after = made.log("same", {("a", 1)}), made.log("same")
    before["status"], before["samples"] = "error", before["samples"][:2]
    after["eval"]["created"] = "2026-01-02T09:00:00+00:00"
    made.write_archive(tmp_path / "1.eval", before)
    made.write_archive(tmp_path / "2.eval", after)
    (plan,) = discover([tmp_path])
    assert plan.translated is not None
    rows = [orjson.loads(line) for line in plan.translated.path.read_bytes().splitlines()]
    assert [row["reward"] for row in rows] == [1.0] * 6
    assert {row["_translated"]["file"] for row in rows} == {"2.eval"}
    (flaw,) = plan.translated.flaws
    assert flaw.rows == 2
    assert "which its retry replaces" in flaw.statement


def test_a_log_without_samples_is_refused_and_its_score_not_reported_as_rows(tmp_path: Path) -> None:
    path = tmp_path / "header.json"
    path.write_text(json.dumps(made.log("x") | {"samples": []}))
    with pytest.raises(NoRuns, match=r"an Inspect log without samples .its header states a score of 1"):
        discover([path])


def test_a_member_that_unpacks_to_more_than_it_says_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bomb.eval"
    made.write_archive(path, made.log("x"))
    info = members(path)["samples/a_epoch_1.json"]
    info.file_size = 10
    with path.open("rb") as stream, pytest.raises(UnreadableMember, match="another length"):
        unpack(stream, info)
    info.file_size = 100 << 20
    with path.open("rb") as stream, pytest.raises(UnreadableMember, match="a thousand times"):
        unpack(stream, info)


def test_a_reported_score_that_the_rows_do_not_give_is_kept_to_be_held_against_them(tmp_path: Path) -> None:
    path = tmp_path / "log.json"
    path.write_text(json.dumps(made.log("x", {("a", 1)})))
    (run,) = inspect.runs([path])
    assert run.reported == pytest.approx(5 / 6)
    assert run.expected == {"a": 2, "b": 2, "7": 2}
    assert run.settings["temperature"] == 0.5


def test_a_log_without_samples_beside_others_is_told_of(tmp_path: Path) -> None:
    (tmp_path / "header.json").write_text(json.dumps(made.log("x") | {"samples": []}))
    (tmp_path / "whole.json").write_text(json.dumps(made.log("y")))
    (plan,) = discover([tmp_path])
    (flaw,) = plan.flaws
    assert "header.json, an Inspect log without samples (its header states a score of 1" in flaw.statement


def test_runs_are_called_by_task_and_model_and_by_the_day_where_these_are_the_same(tmp_path: Path) -> None:
    for name, model, day in (("a", "house/one", "02"), ("b", "house/two", "02"), ("c", "house/one", "03")):
        whole = made.log(name, model=model)
        whole["eval"]["created"] = f"2026-01-{day}T03:04:05+00:00"
        (tmp_path / f"{name}.json").write_text(json.dumps(whole))
    assert [plan.name for plan in discover([tmp_path])] == [
        "errands/one/2026-01-02",
        "errands/two",
        "errands/one/2026-01-03",
    ]
    assert [plan.name for plan in discover([tmp_path / "a.json"])] == ["errands/one"]
    same = [tmp_path / "a.json", tmp_path / "copy.json"]
    same[1].write_bytes(same[0].read_bytes())
    assert [plan.name for plan in discover(same)] == ["a", "copy"]


def test_an_archive_that_is_cut_off_is_named_as_such(tmp_path: Path) -> None:
    path = tmp_path / "cut.eval"
    made.write_archive(path, made.log("x"))
    path.write_bytes(path.read_bytes()[:-200])
    with pytest.raises(NoRuns, match="cut off or damaged"):
        discover([path])


def test_a_score_in_unknown_letters_is_told(tmp_path: Path) -> None:
    whole = made.log("one")
    whole["samples"][0]["scores"]["match"]["value"] = "B"
    made.write_archive(tmp_path / "a.eval", whole)
    (run,) = api.read(tmp_path / "a.eval", options=Options(cache=False))
    (flaw,) = [flaw for flaw in run.raw.flaws if flaw.slug == "score-unknown"]
    assert flaw.statement == "a score 'B' that is neither C, P, I or N nor a number; the row counts as not graded"
    assert flaw.rows == 1


def test_a_sharded_log_says_where_its_samples_are(tmp_path: Path) -> None:
    whole = made.log("one") | {"samples": []}
    whole["eval"]["shards"] = {"ledger": "shards/ledger.json"}
    made.write_archive(tmp_path / "whole.eval", whole)
    with pytest.raises(NoRuns, match="whose samples stand in the logs of its shards") as raised:
        api.read(tmp_path / "whole.eval", options=Options(cache=False))
    assert "the folder that holds the logs of its shards" in raised.value.hint
