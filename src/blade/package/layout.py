"""Where the parts of a package stand: the paths of the seeds, and the variants that upstream accepts."""

from __future__ import annotations

from pathlib import Path

from blade.errors import NotFound
from blade.files.remote_paths import real_path
from blade.frozen import frozen

ROLLOUT_ENDS = tuple(f".jsonl{end}" for end in ("", ".gz", ".zst", ".zstd"))
NOT_ROLLOUTS = ("materialized_inputs", "reward_profiling", "aggregate_metrics", "agent_metrics", "_failures")
REPORT_ENDS = ("_golden_report.md", "-golden-report.md")
PARTS = ("skill", "rollouts", "golden_reports")
ARTIFACTS = "artifacts"


@frozen
class Golden:
    """One golden report and what stands beside it; a part that is not there is None."""

    report: Path
    model: str
    sidecar: Path | None
    anchors: Path | None
    shallow: Path | None
    review: Path | None

    @property
    def comparison(self) -> bool:
        """A report of one model against another: it needs neither sidecar nor anchors."""
        return "_vs_" in self.model.replace("-", "_")


@frozen
class Layout:
    """The paths of one package. Nothing is opened here; a folder that is not there holds nothing."""

    folder: Path

    @property
    def name(self) -> str:
        return real_path(self.folder).name

    @property
    def reports(self) -> Path:
        return self.folder / "golden_reports"

    @property
    def artifacts(self) -> Path:
        return self.folder / ARTIFACTS

    @property
    def skill(self) -> Path | None:
        places = (self.folder / "skill" / "SKILL.md", self.folder / "SKILL.md")
        return next((place for place in places if _is_there(place)), None)

    @property
    def rollouts(self) -> tuple[Path, ...]:
        """`rollouts/*.jsonl`, else `data/*rollout*.jsonl`; plain or compressed, without what goes with them."""
        own_files = [file for file in _files(self.folder / "rollouts") if _may_hold_rollouts(file)]
        if not own_files:
            own_files = [
                file for file in _files(self.folder / "data") if "rollout" in file.name and _may_hold_rollouts(file)
            ]
        return tuple(own_files)

    @property
    def goldens(self) -> tuple[Golden, ...]:
        files = _files(self.reports)
        return tuple(_golden(file, files) for file in files if file.name.lower().endswith(REPORT_ENDS))

    def golden_of(self, model: str) -> Golden:
        """The golden report of a model, however its name is spelled in the file."""
        goldens = self.goldens
        for golden in goldens:
            if same_name(golden.model, model):
                return golden
        model_names = ", ".join(golden.model for golden in goldens) or "none"
        raise NotFound(f"{self.reports}: no golden report of '{model}'.", f"Golden reports here: {model_names}.")

    def report_path(self, model: str) -> Path:
        return self.reports / f"{file_name(model)}_golden_report.md"

    def sidecar_path(self, model: str) -> Path:
        return self.reports / f"{file_name(model)}_golden_report_metrics.json"

    def anchors_path(self, model: str) -> Path:
        return self.reports / f"{file_name(model)}_anchor_facts.json"

    def shallow_path(self, model: str) -> Path:
        return self.reports / f"{file_name(model)}_shallow.md"

    def review_path(self, model: str) -> Path:
        return self.reports / f"{file_name(model)}_review.json"

    @property
    def draft_skill(self) -> str:
        """The command that drafts the skill; so for the others below."""
        return f"blade skill draft {self.folder / 'rollouts'} -o {self.folder / 'skill' / 'SKILL.md'}"

    def draft_report(self, model: str = "MODEL") -> str:
        return f"blade analyze {self.folder} --golden {model}"

    def draft_anchors(self, golden: Golden) -> str:
        arguments = f"--golden {golden.report} --benchmark {self.name} --model-name {golden.model}"
        return f"blade extract-anchor-facts {arguments} --output {self.anchors_path(golden.model)}"

    def draft_shallow(self, golden: Golden) -> str:
        return f"blade make-shallow --input {golden.report} --output {self.shallow_path(golden.model)}"

    def inside(self, path: Path) -> str:
        """A path of the package as people read it: relative to its folder."""
        return str(path.relative_to(self.folder)) if path.is_relative_to(self.folder) else str(path)


def open_layout(folder: Path) -> Layout:
    """The package in a folder that must be there."""
    if not _is_folder(folder):
        raise NotFound(f"{folder}: there is no folder at this path.", "Make a package with `blade init NAME --runs …`.")
    return Layout(folder)


def package_of(path: Path) -> Layout | None:
    """The package that a path lies in: the folder itself, its `rollouts/`, or a file inside one of its parts."""
    for place in (path, path.parent, path.parent.parent):
        if any(_is_folder(place / part) for part in ("golden_reports", "skill")):
            return Layout(place)
    return None


def same_name(left: str, right: str) -> bool:
    """Hyphens, blanks and underscores are one to people who name files."""
    return _plain(left) == _plain(right)


def file_name(model: str) -> str:
    """A model's name as the beginning of a file's name: what a path cannot hold becomes an underscore."""
    return "".join(sign if sign.isalnum() or sign in "._-+@=" else "_" for sign in model).strip(".") or "model"


def _plain(name: str) -> str:
    return file_name(name).lower().replace("-", "_")


def _golden(report: Path, files: list[Path]) -> Golden:
    model = report.name[: -len(REPORT_ENDS[0])]
    stem = report.name.removesuffix(".md")

    def find(*names: str) -> Path | None:
        plain_names = [_plain(name) for name in names]
        matches = sorted(
            (plain_names.index(_plain(file.name)), file) for file in files if _plain(file.name) in plain_names
        )
        return matches[0][1] if matches else None

    return Golden(
        report=report,
        model=model,
        sidecar=find(f"{stem}_metrics.json", f"{stem}.metrics.json", f"{model}_metrics.json"),
        anchors=find(f"{model}_anchor_facts.json", f"{stem}_anchor_facts.json"),
        shallow=find(f"{model}_shallow.md", f"{model}_shallow_report.md"),
        review=find(f"{model}_review.json"),
    )


def _may_hold_rollouts(file: Path) -> bool:
    return file.name.endswith(ROLLOUT_ENDS) and not any(word in file.name for word in NOT_ROLLOUTS)


def _files(folder: Path) -> list[Path]:
    try:
        return sorted(file for file in folder.iterdir() if file.is_file() and not file.name.startswith("."))
    except OSError:
        return []


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def _is_there(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False
