"""Unknown rows through a field map: what is suggested, what a map gives, and what is wrong with one."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from tests.command_line import blade
from tests.formats.samples import mapped

from blade import api
from blade.engine.discover import discover
from blade.errors import ConfigError, InputError
from blade.options import Options
from blade.translate.field_map import field_map, presets
from blade.translate.field_paths import FieldPath, condition
from blade.translate.foreign_run import BadRecord
from blade.translate.rollout_row import Place
from blade.translate.suggest_map import map_page

ROW = {"a": {"b": [{"c": 1}, {"c": 2}], "d.e": 3}, "x": None, "y": "yes", "n": "7"}


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BLADE_CACHE_DIR", str(tmp_path / "cache"))


def jsonl(path: Path, rows: list[dict[str, object]]) -> Path:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return path


@pytest.mark.parametrize(
    ("path", "value"),
    [("a.b[1].c", 2), ("a.b[].c", [1, 2]), ("x | y", "yes"), ("a.b[9].c", None), ("y.z", None), ("nosuch", None)],
)
def test_a_path_leads_to_a_value_or_to_nothing(path: str, value: object) -> None:
    assert FieldPath(path).of(ROW) == value


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("y == yes", True),
        ("y != yes", False),
        ("n >= 7", True),
        ("n < 7", False),
        ("y in [no, yes]", True),
        ("y ~ ^ye", True),
        ("x ~ .", False),
        ("y", True),
        ("x", False),
        ("nosuch > 1", False),
    ],
)
def test_a_condition_holds_or_not(text: str, holds: bool) -> None:
    assert condition(text).holds(ROW) is holds


def test_a_map_is_suggested_with_its_reasons(tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [
        {
            "instanceId": f"q{task}",
            "trial": trial,
            "inputTokens": 100 + task * 7 + trial,
            "isCorrect": (task + trial) % 2 == 0,
            "difficulty": ["easy", "hard"][task % 2],
            "completion": f"The answer to {task} is {trial}.",
        }
        for task in range(10)
        for trial in range(3)
    ]
    done = blade("map", jsonl(tmp_path / "night.jsonl", rows))
    assert done.stdout.splitlines() == [
        "# suggested from 30 rows; read it, keep it as blade-map.yaml beside the data, or use --map",
        "task: instanceId    # filled in 30 of 30 rows; one row each with the attempt",
        "attempt: trial      # with instanceId it names 100% of the rows",
        "score: isCorrect    # 30 numbers from 0 to 1",
        "output: completion  # texts, 21 characters on average",
        "usage: {input: inputTokens}",
        "slices: [difficulty]",
    ]


def test_measures_and_verdicts_are_no_slices(tmp_path: Path) -> None:
    """A table with what each row cost, and a word on why it failed: both are read, neither is a property of tasks."""
    reasons = ["fine", "wrong unit", "fine", "wrong sign"]
    rows: list[dict[str, object]] = [
        {
            "task_id": f"t{n}",
            "correct": reasons[n % 4] == "fine",
            "raw_output": f"the answer of {n}",
            "failure": reasons[n % 4],
            "memory_mb": 100 + n % 3,
            "latency_s": n / 7,
            "prompt_tokens": 40 + n,
            "topic": "ab"[n // 6 % 2],
        }
        for n in range(24)
    ]
    lines = blade("map", jsonl(tmp_path / "night.jsonl", rows)).stdout.splitlines()
    assert lines[-4:] == [
        "usage: {input: prompt_tokens}",
        "time: {seconds: latency_s}",
        "slices: [topic]",
        "keep: [failure]",
    ]
    (tmp_path / "night.csv").write_text("task_id,correct,latency_s\na,1,2.5\nb,0,0.5\n")
    (tmp_path / "m.yaml").write_text("task: task_id\nscore: correct\ntime: {seconds: latency_s}\n")
    (plan,) = discover([tmp_path / "night.csv"], tmp_path / "m.yaml")
    assert plan.translated is not None
    timings = [json.loads(line)["timing"] for line in plan.translated.path.read_bytes().splitlines()]
    assert timings == [{"seconds": 2.5}, {"seconds": 0.5}]


def test_a_suggested_map_is_used_only_when_it_is_given(tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [{"qid": f"q{one}", "correct": one % 4 > 0, "answer": "so"} for one in range(8)]
    file = jsonl(tmp_path / "night.jsonl", rows)
    refused = blade("analyze", file, "-o", tmp_path / "out")
    assert refused.returncode == 2
    assert "`blade map FILE` suggests a field map" in refused.stderr
    (tmp_path / "m.yaml").write_text(blade("map", file).stdout)
    done = blade("analyze", file, "--map", tmp_path / "m.yaml", "-o", tmp_path / "out")
    assert "night scores 75.0%" in done.stdout


def test_rows_without_a_score_are_refused_with_their_fields(tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [{"id": one, "prediction": f"dish {one}", "latency": one / 7} for one in range(9)]
    done = blade("map", jsonl(tmp_path / "p.jsonl", rows))
    assert done.returncode == 2
    assert "no field could be the score of a row. The rows have: id, prediction, latency." in done.stderr


def test_a_score_is_known_by_a_name_with_a_digit(tmp_path: Path) -> None:
    file = jsonl(tmp_path / "f.jsonl", [{"id": n, "f1": n % 4 / 4, "raw_output": f"bread {n}"} for n in range(20)])
    assert "score: f1           # 20 numbers from 0 to 0.75" in map_page(file)


def test_answers_that_nobody_graded_are_said_to_stand_beside_the_key(tmp_path: Path) -> None:
    rows = [{"id": n, "ground_truth": {"foods": ["bread"]}, "prediction": {"foods": [f"roll {n}"]}} for n in range(4)]
    with pytest.raises(
        InputError, match=r"prediction\.foods stands beside ground_truth\.foods, but no row says how well"
    ):
        map_page(jsonl(tmp_path / "n.jsonl", rows))


def test_runs_scale_status_and_ids_are_as_the_map_says(tmp_path: Path) -> None:
    (folder,) = mapped.write(tmp_path)
    text = (
        (folder / "answers.csv")
        .read_text()
        .replace("004,amber,plants,Which tree 004?,elm,oak,0,end", "004,amber,plants,Which tree 004?,elm,oak,0,length")
    )
    (folder / "answers.csv").write_text(text)
    runs = {run.name: run for run in api.read(folder, options=Options(cache=False))}
    assert sorted(runs) == ["amber", "basalt"]
    rollouts = {rollout.task: rollout for rollout in runs["amber"].rollouts()}
    assert sorted(rollouts) == ["001", "002", "003", "004"]  # an id is no number
    assert [rollouts[task].score for task in sorted(rollouts)] == [1.0, 1.0, 1.0, 0.0]
    assert rollouts["004"].status.value == "truncated"


def test_parquet_and_documents_are_read(tmp_path: Path) -> None:
    pl.DataFrame({"prompt": ["one\nmore", "two"], "reward": [0.5, 1.0], "step": [3, 3]}).write_parquet(
        tmp_path / "completions.parquet"
    )
    (tmp_path / "m.yaml").write_text("preset: trl\noutput: prompt\n")
    (run,) = api.read(tmp_path / "completions.parquet", options=Options(cache=False, field_map=tmp_path / "m.yaml"))
    assert run.name == "step 3"
    assert sorted(rollout.task[:5] for rollout in run.rollouts()) == ["text:", "two"]
    (tmp_path / "all.json").write_text(json.dumps({"results": [{"id": "a", "ok": True}, {"id": "b", "ok": False}, 7]}))
    (tmp_path / "n.yaml").write_text("rows: results[]\ntask: id\nscore: ok\n")
    (run,) = api.read(tmp_path / "all.json", options=Options(cache=False, field_map=tmp_path / "n.yaml"))
    assert [rollout.score for rollout in run.rollouts()] == [1.0, 0.0]
    assert [flaw.statement for flaw in run.raw.flaws] == ["a record that gives no rollout: it is no object"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([], "the field map is no mapping"),
        ({"task": "id"}, "the field map has no 'score'"),
        ({"task": "id", "score": "s", "scoer": 1}, "a field map has no 'scoer'"),
        ({"task": "id", "score": "s", "scale": [1]}, "scale is [1]"),
        ({"task": "id", "score": "s", "status": {"broken": "x"}}, "status is"),
        ({"task": "id", "score": "s", "pass": "x ~ ("}, "no regular expression"),
        ({"preset": "nosuch"}, "no preset is called 'nosuch'"),
    ],
)
def test_what_is_wrong_with_a_map_is_said(given: object, said: str) -> None:
    with pytest.raises(ConfigError, match=r".") as caught:
        field_map(given, "m.yaml")
    assert said in caught.value.message


def test_a_field_that_no_row_has_is_an_error_with_the_nearest_names(tmp_path: Path) -> None:
    file = jsonl(tmp_path / "night.jsonl", [{"question_id": "a", "points": 1}])
    (tmp_path / "m.yaml").write_text("task: question_idx\nscore: points\n")
    done = blade("analyze", file, "--map", tmp_path / "m.yaml")
    assert done.returncode == 2
    assert "no row has the field 'question_idx' that the map names as task" in done.stderr
    assert "The rows have: question_id" in done.stderr


@pytest.mark.parametrize(
    ("score", "said"),
    [
        ("guess", '\'score: guess\' is a number in none of 2 rows (first: {"food":"plum"}).'),
        ("id", "'id' is named as the task and as the score."),
    ],
)
def test_a_score_that_says_nothing_is_an_error(tmp_path: Path, score: str, said: str) -> None:
    rows = [{"id": n, "guess": {"food": "plum"}} for n in range(2)]
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (tmp_path / "blade-map.yaml").write_text(f"task: id\nscore: {score}\n")
    with pytest.raises(ConfigError) as caught:
        api.analyze(tmp_path)
    assert said in str(caught.value)


def test_checks_gold_usage_and_error_go_where_the_engine_looks() -> None:
    used = field_map(
        {
            "task": "id",
            "score": "s",
            "checks": "rubric[].ok",
            "gold_actions": "calls",
            "usage": {"input": "tokens.in"},
            "expected": "key",
            "pass": "s >= 0.5",
            "output": "messages",
        },
        "m",
    )
    chat = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]
    row = used.row(
        {"id": 4, "s": "0.5", "rubric": [{"ok": True}, {"ok": "no"}], "calls": [{"name": "f"}], "tokens": {"in": 9}}
        | {"key": "K", "messages": chat},
        Place("t.jsonl", "line 1"),
    )
    assert not isinstance(row, BadRecord)
    assert (row["task_id"], row["reward"], row["passed"]) == ("4", 0.5, True)
    assert row["verifier"]["checks"] == {"check 1": True, "check 2": False}
    assert row["verifier"]["reference_actions"] == [{"name": "f"}]
    assert row["verifier"]["expected_answer"] == "K"
    assert row["response"]["usage"] == {"input_tokens": 9.0}
    assert [item["content"] for item in row["responses_create_params"]["input"]] == ["hi"]
    assert [item["content"] for item in row["response"]["output"]] == ["hello"]


@pytest.mark.parametrize("name", presets())
def test_every_preset_is_a_map(name: str) -> None:
    assert field_map({"preset": name}, name).paths["task"].text


@pytest.mark.parametrize("path", [".", "[", "]", "[]", "...", "| ."])
def test_a_path_without_a_name_leads_nowhere(path: str) -> None:
    assert not FieldPath(path).known_in({"task", "score"})
