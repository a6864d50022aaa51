"""`blade skill install` in a repository that has never seen BLADE."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from blade.errors import NotFound, UsageError
from blade.skill import NAME
from blade.skill.install import HOME, LINKS, contents, install, source

PLACES = (HOME, *LINKS)


def whats(repository: Path, *, force: bool = False) -> set[str]:
    return {item.what for item in install(repository, force=force)}


def test_every_layout_finds_the_whole_skill(tmp_path: Path) -> None:
    assert whats(tmp_path) == {"wrote", "linked"}
    for place in PLACES:
        assert contents(tmp_path / place) == contents(source())
    assert all((tmp_path / link).readlink() == Path("../..") / HOME for link in LINKS)


def test_the_links_hold_when_the_repository_is_moved(tmp_path: Path) -> None:
    (tmp_path / "before").mkdir()
    install(tmp_path / "before")
    moved = (tmp_path / "before").rename(tmp_path / "after")
    assert all((moved / place / "SKILL.md").is_file() for place in PLACES)


def test_a_second_time_changes_nothing(tmp_path: Path) -> None:
    install(tmp_path)
    assert whats(tmp_path) == {"kept"}


def test_a_changed_file_stays_unless_it_is_forced(tmp_path: Path) -> None:
    install(tmp_path)
    mine = tmp_path / HOME / "SKILL.md"
    mine.write_text("mine", encoding="utf-8")
    assert whats(tmp_path) == {"kept", "differs"}
    assert mine.read_text(encoding="utf-8") == "mine"
    assert "wrote" in whats(tmp_path, force=True)
    assert contents(tmp_path / HOME) == contents(source())


def test_other_skills_are_left_alone(tmp_path: Path) -> None:
    other = tmp_path / ".claude" / "skills" / "other" / "SKILL.md"
    other.parent.mkdir(parents=True)
    other.write_text("other", encoding="utf-8")
    install(tmp_path, force=True)
    assert other.read_text(encoding="utf-8") == "other"


def test_without_links_there_are_copies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(1, "no links here")

    monkeypatch.setattr(Path, "symlink_to", refuse)
    assert whats(tmp_path) == {"wrote"}
    assert not any((tmp_path / link).is_symlink() for link in LINKS)
    assert all(contents(tmp_path / place) == contents(source()) for place in PLACES)
    (tmp_path / LINKS[0] / "SKILL.md").write_text("mine", encoding="utf-8")
    assert whats(tmp_path) == {"kept", "differs"}


def test_a_link_to_somewhere_else_is_neither_followed_nor_replaced(tmp_path: Path) -> None:
    there = tmp_path / "there"
    there.mkdir()
    repository = tmp_path / "repository"
    link = repository / LINKS[0]
    link.parent.mkdir(parents=True)
    link.symlink_to(there)
    assert whats(repository) == {"differs"}
    assert list(there.iterdir()) == []
    assert whats(repository, force=True) == {"wrote", "linked"}
    assert list(there.iterdir()) == []


def everything(folder: Path) -> dict[str, bytes | None]:
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


@pytest.mark.parametrize("file", [*(place / "SKILL.md" for place in PLACES), LINKS[0] / "scripts" / "own.py"], ids=str)
def test_beside_another_skill_of_the_same_name_it_is_all_or_nothing(tmp_path: Path, file: Path) -> None:
    foreign = tmp_path / file
    foreign.parent.mkdir(parents=True)
    foreign.write_text("---\nname: another\n---\n", encoding="utf-8")
    before = everything(tmp_path)
    assert whats(tmp_path) == {"differs"}
    assert everything(tmp_path) == before
    assert "differs" not in whats(tmp_path, force=True)
    assert all(contents(tmp_path / one) == contents(source()) for one in PLACES)
    assert not [path for path in tmp_path.rglob("*") if path.name.endswith(".replaced")]


@pytest.mark.parametrize("force", [False, True])
def test_where_a_place_cannot_be_written_everything_stays_as_it_was(tmp_path: Path, force: bool) -> None:
    (tmp_path / ".codex").write_text("a file, no folder", encoding="utf-8")
    if force:
        for place in (HOME, LINKS[0]):
            (tmp_path / place).mkdir(parents=True)
            (tmp_path / place / "SKILL.md").write_text("mine", encoding="utf-8")
    before = everything(tmp_path)
    with pytest.raises(UsageError, match="nothing was installed"):
        install(tmp_path, force=force)
    assert everything(tmp_path) == before


def test_layouts_that_are_one_folder_are_understood(tmp_path: Path) -> None:
    (tmp_path / ".agents").mkdir()
    (tmp_path / ".claude").symlink_to(".agents")
    install(tmp_path)
    assert whats(tmp_path) == {"kept"}
    assert contents(tmp_path / ".claude" / "skills" / NAME) == contents(source())


def test_a_place_that_is_no_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="no folder"):
        install(tmp_path / "nowhere")


def test_the_command_says_what_it_did(tmp_path: Path) -> None:
    def blade(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "blade", "skill", "install", *words]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    first = blade()
    assert first.returncode == 0, first.stderr
    assert f"linked   .codex/skills/{NAME}" in first.stdout.splitlines()
    (tmp_path / HOME / "SKILL.md").write_text("mine", encoding="utf-8")
    again = blade()
    assert again.returncode == 1
    assert f"differs  {HOME}/SKILL.md" in again.stdout.splitlines()
    assert again.stderr == (
        "nothing was written: one place holds something else; move it away, or replace it with --force\n"
    )
    assert blade("--dir", "nowhere").returncode == 2
