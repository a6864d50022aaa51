"""The command blocks of NeMo Gym's BLADE pages run as they stand there, the paths adapted to the example package.

`uv run python` is what they say; plain `python` does the same.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "front_desk"
REPORT = "model_a_golden_report.md"

CREATE = """\
benchmark_name=front_desk
benchmark_dir="benchmarks/${benchmark_name}"

mkdir -p "${benchmark_dir}/skill"
mkdir -p "${benchmark_dir}/rollouts"
mkdir -p "${benchmark_dir}/golden_reports"
"""
COPY = """\
cp results/front_desk_model_a_rollouts.jsonl \\
  "${benchmark_dir}/rollouts/model_a_rollouts.jsonl"

cp results/front_desk_model_b_rollouts.jsonl \\
  "${benchmark_dir}/rollouts/model_b_rollouts.jsonl"
"""
WRITE = """\
golden_report="${benchmark_dir}/golden_reports/model_a_golden_report.md"
"""
SIDECAR = """\
cat > "${benchmark_dir}/golden_reports/model_a_golden_report_metrics.json" <<'JSON'
{
  "model_name": "model_a",
  "benchmark": "front_desk",
  "pass_at_1": %(pass_at_1).2f,
  "pass_at_k": %(pass_at_k).2f,
  "total_tasks": %(total_tasks)d,
  "total_rollouts": %(total_rollouts)d
}
JSON
"""
EXTRACT = """\
tool=".codex/skills/nemo-gym-blade-analysis/scripts/blade_toolkit.py"

uv run python "${tool}" extract-anchor-facts \\
  --golden "${benchmark_dir}/golden_reports/model_a_golden_report.md" \\
  --benchmark "${benchmark_name}" \\
  --model-name model_a \\
  --output "${benchmark_dir}/golden_reports/model_a_anchor_facts.json"
"""
SHALLOW = """\
uv run python "${tool}" make-shallow \\
  --input "${benchmark_dir}/golden_reports/model_a_golden_report.md" \\
  --output "${benchmark_dir}/golden_reports/model_a_shallow.md"
"""
VALIDATE = """\
uv run python "${tool}" validate \\
  --benchmark-dir "${benchmark_dir}" \\
  --phase all
"""
CALIBRATE = """\
uv run python "${tool}" calibrate \\
  --golden-report "${benchmark_dir}/golden_reports/model_a_golden_report.md" \\
  --anchor-facts "${benchmark_dir}/golden_reports/model_a_anchor_facts.json" \\
  --shallow-report "${benchmark_dir}/golden_reports/model_a_shallow.md"
"""
SHORT_PAGE = """\
uv run python .codex/skills/nemo-gym-blade-analysis/scripts/blade_toolkit.py validate \\
  --benchmark-dir benchmarks/front_desk --phase all
"""
NAMES = 'benchmark_name=front_desk\nbenchmark_dir="benchmarks/${benchmark_name}"\n' + EXTRACT.partition("\n")[0] + "\n"


@dataclass(frozen=True)
class Shell:
    """A repository root to type the blocks in, and what `uv run python` is there."""

    folder: Path
    python: str

    @property
    def package(self) -> Path:
        return self.folder / "benchmarks" / "front_desk"

    @property
    def reports(self) -> Path:
        return self.package / "golden_reports"

    def type(self, block: str, code: int = 0) -> str:
        """Run one block; the names that earlier blocks set are set."""
        typed = "set -eu\n" + NAMES + block.replace("uv run python", self.python)
        path = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))
        environment = {
            **os.environ,
            "PATH": path,
            "VIRTUAL_ENV": sys.prefix,
            "UV_OFFLINE": "1",
            "XDG_CACHE_HOME": str(self.folder / ".cache"),
        }
        ended = subprocess.run(
            ["bash", "-c", typed],
            cwd=self.folder, env=environment, capture_output=True, text=True, check=False, timeout=300,
        )  # fmt: skip
        assert ended.returncode == code, ended.stdout + ended.stderr
        assert "Traceback" not in ended.stderr
        return ended.stdout


def shell(folder: Path, python: str) -> Shell:
    """A clone of the repository as far as the blocks look, with the results of two runs in it."""
    (folder / ".codex").symlink_to(ROOT / ".codex")
    shutil.copytree(EXAMPLE / "rollouts", folder / "results")
    for model in ("model_a", "model_b"):
        file = folder / "results" / f"{model}_rollouts.jsonl"
        file.rename(file.with_name(f"front_desk_{file.name}"))
    return Shell(folder, python)


@pytest.fixture(scope="module")
def typed(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    """Everything up to the shallow baseline; the report is drafted by BLADE and accepted."""
    new_shell = shell(tmp_path_factory.mktemp("clone"), "uv run python")
    new_shell.type(CREATE)
    assert all((new_shell.package / part).is_dir() for part in ("skill", "rollouts", "golden_reports"))
    new_shell.type(COPY)
    shutil.copyfile(EXAMPLE / "skill" / "SKILL.md", new_shell.package / "skill" / "SKILL.md")
    new_shell.type(
        f'{WRITE}python "${{tool}}" analyze "${{benchmark_dir}}" --golden model_a && test -s "${{golden_report}}"'
    )
    document = json.loads((new_shell.reports / "model_a_golden_report_metrics.json").read_bytes())
    new_shell.type(SIDECAR % document)
    new_shell.type(EXTRACT)
    new_shell.type(SHALLOW)
    new_shell.type('python "${tool}" review "${benchmark_dir}" model_a --accept all --accept-fact all --by me')
    return new_shell


@pytest.mark.slow
def test_the_sidecar_is_what_was_typed(typed: Shell) -> None:
    document = json.loads((typed.reports / "model_a_golden_report_metrics.json").read_bytes())
    assert set(document) == {"model_name", "benchmark", "pass_at_1", "pass_at_k", "total_tasks", "total_rollouts"}


@pytest.mark.slow
def test_anchor_facts_are_concrete_and_out_of_the_rollouts(typed: Shell) -> None:
    document = json.loads((typed.reports / "model_a_anchor_facts.json").read_bytes())
    assert (document["benchmark"], document["model"], document["extraction_method"]) == (
        "front_desk",
        "model_a",
        "from-runs",
    )
    assert len(document["anchor_facts"]) >= 8
    assert all(any(sign.isdigit() for sign in fact["fact"]) for fact in document["anchor_facts"])


@pytest.mark.slow
def test_the_shallow_baseline_looks_like_a_report_and_lacks_its_diagnosis(typed: Shell) -> None:
    text = (typed.reports / "model_a_shallow.md").read_text(encoding="utf-8")
    assert text.startswith("# ")
    assert "| pass@1 |" in text
    golden = (typed.reports / REPORT).read_text(encoding="utf-8")
    for word in ("desk-7-00001", "fail this way", "\n> "):
        assert word in golden
        assert word not in text


@pytest.mark.slow
@pytest.mark.parametrize("block", [VALIDATE, SHORT_PAGE], ids=["tutorial", "short page"])
def test_validation_across_d1_d2_and_d3_passes(typed: Shell, block: str) -> None:
    lines = typed.type(block).splitlines()
    assert lines[-1].startswith("Summary: ")
    assert {line[:6] for line in lines[:-1]} == {"[PASS]"}


@pytest.mark.slow
def test_calibration_tells_the_report_from_the_metric_dump(typed: Shell) -> None:
    scores = dict(line.split()[:2] for line in typed.type(CALIBRATE).splitlines()[:3])
    assert float(scores["golden_vs_self"]) >= 0.90
    assert float(scores["shallow_vs_golden"]) <= 0.20


@pytest.mark.slow
def test_plain_python_does_the_same(typed: Shell) -> None:
    plain = Shell(typed.folder, "python")
    assert plain.type(VALIDATE) == typed.type(VALIDATE)
    before = (typed.reports / "model_a_shallow.md").read_bytes()
    plain.type(SHALLOW)
    assert (typed.reports / "model_a_shallow.md").read_bytes() == before
