"""lm-evaluation-harness: filters, metrics, log-likelihoods, and what its header says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.formats.samples.lm_eval import TIME, graded, header, row, write
from tests.formats.translated_rows import translated_rows

from blade import api
from blade.engine.discover import discover
from blade.errors import NoRuns
from blade.model import Status
from blade.options import Options


def keep(folder: Path, rows: list[dict[str, Any]], head: dict[str, Any] | None, task: str = "sums") -> Path:
    folder.mkdir(exist_ok=True)
    (folder / f"samples_{task}_{TIME}.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in rows))
    if head is not None:
        (folder / f"results_{TIME}.json").write_text(json.dumps(head, indent=1))
    return folder


def test_rows_that_do_not_name_their_filter_stand_in_blocks_in_the_order_of_the_header(tmp_path: Path) -> None:
    named = translated_rows(*write(tmp_path))
    unnamed = translated_rows(keep(tmp_path / "old", graded(named=False), header()))
    rewards = [[each["reward"] for each in rows] for rows in unnamed.values()]
    assert list(unnamed) == ["old@strict", "old@lenient"]
    assert rewards == [[each["reward"] for each in rows] for rows in named.values()] == [[1, 0, 0, 0], [1, 1, 0, 0]]


def test_a_row_whose_filter_has_an_empty_name_is_not_lost(tmp_path: Path) -> None:
    rows = [each | ({"filter": ""} if not place else {}) for place, each in enumerate(graded(named=True))]
    taken = translated_rows(keep(tmp_path / "blank", rows, header()))
    assert sum(map(len, taken.values())) == len(rows)


def test_what_no_filter_could_read_is_malformed_and_has_no_answer(tmp_path: Path) -> None:
    rows = translated_rows(*write(tmp_path))["lamp__small@strict"]
    assert [each["_translated"].get("status") for each in rows] == [None, Status.MALFORMED, None, Status.MALFORMED]
    assert rows[1]["verifier"]["extracted_answer"] == ""
    assert "the filter strict found no answer" in rows[1]["_translated"]["reason"]


def test_the_header_gives_settings_the_stated_mean_and_the_rows_that_should_be_there(tmp_path: Path) -> None:
    run = discover([keep(tmp_path / "cut", graded()[:2], header(("strict",), (0.25,)))])[0].translated
    assert run is not None
    assert run.reported == 0.25
    assert run.expected == {f"sums/{number}": 1 for number in range(4)}
    assert run.settings["model"] == "lamp/small"
    assert run.settings["tasks"]["sums"]["filter_list"][0]["filter"][0]["regex_pattern"] == "strict ([0-9])"


def test_a_filter_that_changed_is_the_cause_where_the_outputs_are_the_same(tmp_path: Path) -> None:
    docs = range(4)
    before = keep(tmp_path / "before", [row(doc, "[invalid]", 0.0) for doc in docs], header(("strict",), (0.0,)))
    changed = header(("strict",), (1.0,))
    changed["configs"]["sums"]["filter_list"][0]["filter"][0]["regex_pattern"] = "([0-9])"
    after = keep(tmp_path / "after", [row(doc, "4", 1.0) for doc in docs], changed)
    analysis = api.analyze(before, after, options=Options(cache=False))
    (change,) = analysis.changes
    assert change.common_tasks == 4
    assert {part.cause: part.points for part in change.parts if part.points} == {"verifier": pytest.approx(1.0)}


def test_tasks_of_one_call_are_one_run_and_a_slice(tmp_path: Path) -> None:
    head = header(("strict",), (0.25,))
    for part in ("results", "configs", "versions", "n-samples", "higher_is_better"):
        head[part]["more"] = head[part]["sums"]
    rows = [each for each in graded() if each["filter"] == "strict"]
    keep(tmp_path / "both", rows, head)
    runs = translated_rows(keep(tmp_path / "both", rows, None, task="more"))
    (made,) = runs.values()
    assert {each["metadata"]["benchmark"] for each in made} == {"sums", "more"}
    assert len({each["task_id"] for each in made}) == 8


def test_tasks_with_other_metrics_are_other_runs(tmp_path: Path) -> None:
    keep(tmp_path / "both", graded()[:4], None)
    more = [each | {"metrics": ["f1"], "f1": 0.5} for each in graded()[:4]]
    for each in more:
        del each["exact_match"]
    runs = translated_rows(keep(tmp_path / "both", more, None, task="more"))
    assert {name: {each["reward"] for each in rows} for name, rows in runs.items()} == {
        "samples_more@f1,strict": {0.5},
        "samples_sums@exact_match,strict": {0.0, 1.0},
    }


def weighed(options: list[str], likelihoods: list[float], target: str) -> dict[str, Any]:
    asked = {f"gen_args_{at}": {"arg_0": "It is", "arg_1": f" {option}"} for at, option in enumerate(options)}
    resps = [[[str(value), "False"]] for value in likelihoods]
    return {
        "doc_id": 0,
        "target": target,
        "arguments": asked,
        "resps": resps,
        "filtered_resps": [entry[0] for entry in resps],
        "acc": 0.0,
    }


def test_weighed_options_are_no_text_that_the_model_wrote(tmp_path: Path) -> None:
    (rows,) = translated_rows(
        keep(tmp_path / "weighed", [weighed(["red", "blue"], [-2.0, -7.5], "blue")], None)
    ).values()
    assert "response" not in rows[0]
    assert rows[0]["verifier"]["extracted_answer"] == "red"
    assert rows[0]["verifier"]["expected_answer"] == "blue"
    assert rows[0]["verifier"]["log_likelihoods"] == [-2.0, -7.5]


def test_a_target_may_be_the_number_of_an_option(tmp_path: Path) -> None:
    sample = weighed(["red", "blue"], [-2.0, -7.5], "1")
    (rows,) = translated_rows(keep(tmp_path / "weighed", [sample], None)).values()
    assert (rows[0]["verifier"]["extracted_answer"], rows[0]["verifier"]["expected_answer"]) == ("red", "blue")


def test_samples_as_one_list_are_read(tmp_path: Path) -> None:
    path = tmp_path / f"samples_sums_{TIME}.jsonl"
    path.write_text(json.dumps([row(0, "4", 1.0), row(1, "[invalid]", 0.0)], indent=2))
    (rows,) = translated_rows(path).values()
    assert [each["reward"] for each in rows] == [1.0, 0.0]


def test_options_that_are_spelled_alike_have_no_chosen_one(tmp_path: Path) -> None:
    (rows,) = translated_rows(keep(tmp_path / "weighed", [weighed(["it", "it"], [-2.0, -7.5], "it")], None)).values()
    assert "extracted_answer" not in rows[0]["verifier"]


@pytest.mark.parametrize(
    ("value", "better", "reward"),
    [([1, 2], True, None), (float("nan"), True, None), (0.5, False, None), (True, True, 1)],
)
def test_values_that_are_no_score_of_a_row_are_no_zero(
    tmp_path: Path, value: Any, better: bool, reward: float | None
) -> None:
    head = header(("strict",), (0.5,))
    head["higher_is_better"]["sums"]["exact_match"] = better
    (rows,) = translated_rows(keep(tmp_path / "odd", [row(0, "4", 1.0) | {"exact_match": value}], head)).values()
    assert rows[0]["reward"] == reward


def test_results_without_samples_say_what_to_do(tmp_path: Path) -> None:
    (tmp_path / f"results_{TIME}.json").write_text(json.dumps(header()))
    with pytest.raises(NoRuns) as caught:
        discover([tmp_path / f"results_{TIME}.json"])
    assert "--log_samples" in str(caught.value.hint)


def test_a_line_separator_inside_a_text_ends_no_line(tmp_path: Path) -> None:
    each = row(0, "4", 1.0)
    each["resps"] = [["one\u2028two"]]
    folder = keep(tmp_path / "lines", [], None)
    (folder / f"samples_sums_{TIME}.jsonl").write_text(json.dumps(each, ensure_ascii=False) + "\n", encoding="utf-8")
    (rows,) = translated_rows(folder).values()
    assert rows[0]["response"]["output"][0]["content"] == "one\u2028two"
