"""A model that only the settings of a run name is told as the model, and in the table of all runs as its own."""

from __future__ import annotations

from pathlib import Path

from tests.questions.made_cases import words

from blade import api
from blade.options import Options
from blade.sections import executive_summary


def _submission(folder: Path, tags: str) -> Path:
    (folder / "results").mkdir(parents=True)
    (folder / "results" / "results.json").write_text('{"resolved": ["l__l-1", "l__l-2"], "no_generation": ["l__l-3"]}')
    (folder / "metadata.yaml").write_text(tags)
    return folder


def test_each_run_has_its_own_model_and_one_that_tells_none_has_none(tmp_path: Path) -> None:
    board = tmp_path / "lite"
    paths = [
        _submission(board / "first", "tags: {model: [lamp-1]}\ninfo: {name: Wick}"),
        _submission(board / "second", "tags: {model: [oil-2]}\ninfo: {name: Tank}"),
        _submission(board / "third", "tags: {}\ninfo: {name: Globe}"),
    ]
    analysis = api.analyze(*paths, options=Options(cache=False))
    second, third = ({item["field"]: item["candidate"] for item in change.passport} for change in analysis.changes)
    assert (second["model"], second["agent"]) == ("oil-2", "Tank")
    assert (third["model"], third["agent"]) == ("not recorded", "Globe")
    table = words(executive_summary.build(analysis))
    assert "first | lamp-1 |" in table
    assert "second | oil-2 |" in table
    assert "third | not recorded |" in table
