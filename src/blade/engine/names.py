"""Names of runs: the shortest path tail that tells them apart."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from blade.files.sniff import stem

_SHARD = re.compile(
    r"^(?:(?P<base>.*?)[-_.])?(?:rs\d+(?:[-_.]chunk[-_]?\d+)?|chunk[-_]?\d+|shard[-_]?\d+(?:[-_]?of[-_]?\d+)?|part[-_]?\d+)$",
)
_TIME = re.compile(r"[-_]\d{4}-\d{2}-\d{2}T[\d.:-]+$")
_HASH = re.compile(r"(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{8,64}")
"""A name that a program drew: it tells runs apart and says nothing, so that its folder stands before it."""
_PLAIN = {"rollouts", "rollout", "example", "output", "outputs", "results", "result", "run", "data", "traces"}
_FOLDERS = {"rollouts", "artifacts", "data", "results"}


def shard_base(name: str) -> str:
    """`rollouts-rs0-chunk3` → `rollouts`; a name that is no shard stays."""
    match = _SHARD.match(name)
    return (match["base"] or "rollouts") if match else name


def says_nothing(name: str) -> bool:
    """Whether a file is called as every other, such as `rollouts`."""
    return name in _PLAIN


def parts(path: Path) -> tuple[str, ...]:
    """The words a run can be called by, outermost first; names that say nothing are left out."""
    base = _TIME.sub("", shard_base(path.name if path.is_dir() else stem(path)))
    mark = "unsafe_" if base.startswith("unsafe_") else ""
    short = re.sub(r"[-_](rollouts?)$", "", base.removeprefix(mark))
    folders = [part for part in path.parent.parts if part not in {"", ".", "..", "/"}]
    while folders and folders[-1] in _FOLDERS and short in _PLAIN:
        folders.pop()
    if short in _PLAIN and folders:
        return (*folders[:-1], mark + folders[-1])
    return (*folders, mark + short)


def name_all(paths: Sequence[Path]) -> list[str]:
    """One name per path, as short as they stay apart."""
    distinct = list(dict.fromkeys(paths))
    names = dict(zip(distinct, _tails(distinct), strict=True))
    return _numbered([names[path] for path in paths])


def _tails(paths: Sequence[Path]) -> list[str]:
    words = [parts(path) for path in paths]
    names = ["/".join(word[-2:]) if _HASH.fullmatch(word[-1]) else word[-1] for word in words]
    for depth in range(2, max((len(word) for word in words), default=1) + 1):
        counts = Counter(names)
        if max(counts.values(), default=0) < 2:
            break
        names = ["/".join(word[-depth:]) if counts[name] > 1 else name for name, word in zip(names, words, strict=True)]
    counts = Counter(names)
    return [f"{name}/{stem(path)}" if counts[name] > 1 else name for name, path in zip(names, paths, strict=True)]


def _numbered(names: Sequence[str]) -> list[str]:
    """Where the same tail still stands twice, a number tells."""
    name_counts: Counter[str] = Counter()
    final = []
    for name in names:
        name_counts[name] += 1
        final.append(name if name_counts[name] == 1 else f"{name}#{name_counts[name]}")
    return final
