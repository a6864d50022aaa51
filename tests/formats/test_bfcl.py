"""BFCL: passes by absence, categories as slices, and what is known of failures only."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.formats.samples.bfcl import failure, keep, result, write
from tests.formats.translated_rows import translated_rows

from blade import api
from blade.engine.discover import discover
from blade.errors import NoRuns
from blade.model import Status
from blade.options import Options

GROUP = "result/lamp-1/non_live"


def test_an_id_that_the_score_file_does_not_name_passed(tmp_path: Path) -> None:
    rows = {row["task_id"]: row for row in translated_rows(*write(tmp_path))["bench"]}
    assert {task: row["reward"] for task, row in rows.items()} == {
        "simple_0": 1.0,
        "simple_1": 0.0,
        "simple_2": 1.0,
        "irrelevance_0": 1.0,
        "irrelevance_1": 0.0,
    }
    assert rows["simple_1"]["verifier"]["error"] == "Wrong lamp."
    assert rows["simple_1"]["verifier"]["question"] == "Light lamp 1."


def test_what_is_known_of_failures_only_is_no_prompt(tmp_path: Path) -> None:
    rows = translated_rows(*write(tmp_path))["bench"]
    assert {str(row["responses_create_params"]["input"]) for row in rows} == {"[]"}
    assert all("tools" not in row["responses_create_params"] for row in rows)


def test_a_model_that_called_nothing_was_not_broken_off(tmp_path: Path) -> None:
    bench = write(tmp_path)[0]
    keep(bench / GROUP / "BFCL_v4_simple_result.json", [result("simple", number, []) for number in range(3)])
    (run,) = api.analyze(bench, options=Options(cache=False)).runs
    assert run.statuses.get("infrastructure", 0) == 0


def test_categories_are_slices_with_their_own_score(tmp_path: Path) -> None:
    bench = write(tmp_path)[0]
    (run,) = api.analyze(bench, options=Options(cache=False)).runs
    levels = {each["level"]: each["score"] for each in run.slices if each["field"] == "metadata.category"}
    assert levels == {"simple": pytest.approx(2 / 3), "irrelevance": 0.5}


def test_results_without_scores_are_not_graded(tmp_path: Path) -> None:
    path = keep(tmp_path / GROUP / "BFCL_v4_simple_result.json", [result("simple", 0, [{"light": "{}"}])])
    (rows,) = translated_rows(path).values()
    assert (rows[0]["reward"], rows[0]["_translated"]["status"]) == (None, Status.SKIPPED)


def test_a_request_that_failed_is_no_answer_of_the_model(tmp_path: Path) -> None:
    path = keep(tmp_path / GROUP / "BFCL_v4_simple_result.json", [result("simple", 0, "Error during inference: 502")])
    (rows,) = translated_rows(path).values()
    assert rows[0]["_translated"]["status"] == Status.INFRASTRUCTURE


def test_calls_of_all_turns_follow_each_other(tmp_path: Path) -> None:
    turns = [[[{"light": '{"lamp": 1}'}], ["Done."]], [[{"dim": "{}"}, {"light": "{}"}]]]
    row = result("multi_turn", 0, turns) | {"output_token_count": [[3, 4], [5]], "latency": [[0.5], [1.0]]}
    path = keep(tmp_path / GROUP / "BFCL_v4_multi_turn_result.json", [row])
    ((made,),) = translated_rows(path).values()
    assert [item.get("name", item.get("content")) for item in made["response"]["output"]] == [
        "light",
        "Done.",
        "dim",
        "light",
    ]
    assert made["response"]["usage"]["output_tokens"] == 12
    assert made["timing"]["seconds"] == 1.5


def test_numbers_as_ids_are_named_behind_their_category(tmp_path: Path) -> None:
    path = keep(tmp_path / "gorilla_openfunctions_v1_test_simple_result.json", [{"id": 1, "result": "light(1)"}])
    keep(
        tmp_path / "gorilla_openfunctions_v1_test_simple_score.json",
        [{"accuracy": 0.0, "correct_count": 0, "total_count": 1}, {"id": 1, "valid": False, "error": ["No."]}],
    )
    ((made,),) = translated_rows(path).values()
    assert (made["task_id"], made["reward"]) == ("simple_1", 0.0)


def test_every_model_is_a_run(tmp_path: Path) -> None:
    bench = write(tmp_path)[0]
    keep(bench / "result/lamp-2/non_live/BFCL_v4_simple_result.json", [result("simple", 0, [{"light": "{}"}])])
    assert {plan.name for plan in discover([bench])} == {"bench@lamp-1", "bench@lamp-2"}


def test_scores_alone_do_not_name_what_passed(tmp_path: Path) -> None:
    path = keep(tmp_path / "BFCL_v4_simple_score.json", [{"accuracy": 0.5, "correct_count": 1, "total_count": 2}])
    with pytest.raises(NoRuns, match="without the results"):
        discover([path])


def test_a_score_file_leads_to_its_results(tmp_path: Path) -> None:
    bench = write(tmp_path)[0]
    (rows,) = translated_rows(bench / "score/lamp-1/non_live/BFCL_v4_simple_score.json").values()
    assert [row["reward"] for row in rows] == [1.0, 0.0, 1.0]


def _bench(folder: Path, passes: dict[str, tuple[int, int]], tables: dict[str, str]) -> Path:
    """Every category with so many passes of so many rows, and the tables of the score folder."""
    bench = folder / "bench"
    for category, (right, rows) in passes.items():
        name = f"lamp-1/group/BFCL_v4_{category}"
        keep(bench / f"result/{name}_result.json", [result(category, number, []) for number in range(rows)])
        wrong = [failure(category, number, "Wrong lamp.") for number in range(right, rows)]
        totals = {"accuracy": right / rows, "correct_count": right, "total_count": rows}
        keep(bench / f"score/{name}_score.json", [totals, *wrong])
    for name, text in tables.items():
        (bench / "score" / name).write_text(text)
    return bench


NON_LIVE = {"simple_python": (3, 4), "simple_java": (1, 2), "simple_javascript": (1, 4)}
NON_LIVE |= {"multiple": (1, 2), "parallel": (0, 1), "parallel_multiple": (1, 1), "irrelevance": (1, 2)}
REST = {"live_simple": (1, 2), "live_multiple": (2, 6), "live_parallel": (0, 1), "live_parallel_multiple": (1, 1)}
REST |= {"live_irrelevance": (1, 1), "web_search_base": (1, 2), "web_search_no_snippet": (0, 2)}
REST |= {f"memory_{name}": (1, 4) for name in ("kv", "vector", "rec_sum")}
REST |= {f"multi_turn_{name}": (1, 5) for name in ("base", "miss_func", "miss_param", "long_context")}


def _items(bench: Path) -> list[str]:
    health = api.analyze(bench, options=Options(cache=False)).health
    return [item["statement"] for item in health if item["check"] == "summary_files"]


def test_the_weighted_accuracy_is_recomputed_as_its_source_computes_it(tmp_path: Path) -> None:
    """Non-live 0.5, live 0.4, irrelevance 0.75, several turns 0.2, agentic 0.25: 10, 10, 10, 30 and 40 percent."""
    header = "Rank,Overall Acc,Model\n"
    groups = {"data_non_live.csv": "Rank,Model,Non-Live Overall Acc\n1,Lamp 1 (FC),50.00%"}
    assert not _items(
        _bench(tmp_path / "a", NON_LIVE | REST, groups | {"data_overall.csv": header + "1,32.50%,Lamp-1 (FC)"})
    )
    (told,) = _items(_bench(tmp_path / "b", NON_LIVE | REST, {"data_overall.csv": header + "1,40.00%,Lamp-1 (FC)"}))
    assert told == "The files of bench state 'Overall Acc' as 40.0%; the rows give 32.5%."


def test_a_figure_whose_categories_are_not_all_there_is_not_held_against_the_rows(tmp_path: Path) -> None:
    tables = {
        "data_overall.csv": "Rank,Overall Acc,Model\n1,40.00%,Lamp-1",
        "data_non_live.csv": "Rank,Model,Non-Live Overall Acc\n1,Other,10.00%\n2,lamp-1 (prompt),49.00%",
    }
    (told,) = _items(_bench(tmp_path, NON_LIVE, tables))
    assert told == "The files of bench state 'Non-Live Overall Acc' as 49.0%; the rows give 50.0%."


@pytest.mark.parametrize("damage", ["link", "text"])
def test_a_damaged_result_file_makes_no_second_run_of_the_others(tmp_path: Path, damage: str) -> None:
    """Two runs would be translated to one place, and one of them would be read twice."""
    bench = write(tmp_path)[0]
    file = bench / GROUP / "BFCL_v4_irrelevance_result.json"
    file.rename(file.with_name("a_copy_result.json"))
    if damage == "link":
        file.symlink_to("nowhere")
    else:
        file.with_name("A_result.json").write_text("no rows", encoding="utf-8")
    (plan,) = discover([bench])
    assert plan.translated is not None
    (run,) = api.read(bench, options=Options(cache=False))
    assert run.facts.height == plan.translated.rows == 5
