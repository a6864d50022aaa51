"""The notebook that walks an investigation runs from its first cell to its last, and says what it promises."""

from __future__ import annotations

import json
import os
import shutil
from contextlib import chdir, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
NOTEBOOK = EXAMPLES / "investigation.ipynb"


def copied(folder: Path) -> Path:
    """The example where nothing else stands: the notebook must not write beside the runs."""
    shutil.copytree(EXAMPLES / "front_desk" / "rollouts", folder / "examples/front_desk/rollouts")
    return folder


def test_its_cells_run_in_order_and_its_report_is_proved(tmp_path: Path) -> None:
    names: dict[str, Any] = {}
    printed = StringIO()
    with chdir(copied(tmp_path)), redirect_stdout(printed):
        for cell in json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]:
            if cell["cell_type"] == "code":
                exec("".join(cell["source"]), names)  # noqa: S102 - our own notebook
    assert names["many"] == 7
    assert not names["checked"].wrong
    assert not names["checked"].unverifiable
    assert "## Executive Summary" in printed.getvalue()
    assert "names a column that no longer exists" in printed.getvalue()
    assert [path.name for path in (tmp_path / "examples/front_desk/rollouts").glob("annotations*")] == []


def test_it_is_kept_without_outputs() -> None:
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    assert all(not cell.get("outputs") and cell.get("execution_count") is None for cell in cells)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_jupyter_runs_it(tmp_path: Path) -> None:
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    with chdir(copied(tmp_path)):
        os.environ.setdefault("JUPYTER_PLATFORM_DIRS", "1")
        nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    last = notebook.cells[-1].outputs[-1]["data"]["text/plain"]
    assert "'wrong': 0" in last
