"""Where the fails of a task leave the path of its passes: a trie over the actions of all its rollouts.

An action is a word the caller has made alike for alike actions. Stopping is an action too, written None.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from blade.frozen import frozen
from blade.stats.scipy_functions import special

Floats = npt.NDArray[np.float64]
Rollout: TypeAlias = tuple[Sequence[str], bool]
"""The actions of a rollout, and whether it passed."""


@frozen
class Branch:
    action: str | None
    rollouts: int
    passes: int


@frozen
class Fork:
    node: tuple[str, ...]  # the actions before the step that tells most
    branches: tuple[Branch, ...]  # what was done there, by action; stopping last
    gain: float  # bits: (m/n) [H(s/m) - sum_k (m_k/m) H(s_k/m_k)]


def telling_fork(rollouts: Sequence[Rollout]) -> Fork | None:
    """The node with the largest information gain; None unless there are both passes and fails that act differently.

    Of equal nodes it is the shallowest, then the first by its actions.
    """
    if sum(passed for _, passed in rollouts) in {0, len(rollouts)}:
        return None
    forks = [(path, node) for path, node in _Node.trie(rollouts).walk() if len(node.children) > 1]
    if not forks:
        return None
    gains = [_gain(node, len(rollouts)) for _, node in forks]
    best = next(index for index, gain in enumerate(gains) if gain >= max(gains) - 1e-12)
    path, node = forks[best]
    return Fork(path, node.branches(), gains[best])


@dataclass(slots=True)
class _Node:
    rollouts: int = 0
    passes: int = 0
    children: dict[str | None, _Node] = field(default_factory=dict)

    @classmethod
    def trie(cls, rollouts: Sequence[Rollout]) -> _Node:
        root = cls()
        for actions, passed in rollouts:
            node = root
            node.add(passed=passed)
            for action in [*actions, None]:
                node = node.children.setdefault(action, cls())
                node.add(passed=passed)
        return root

    def add(self, *, passed: bool) -> None:
        self.rollouts += 1
        self.passes += passed

    def ordered(self) -> list[tuple[str | None, _Node]]:
        return sorted(self.children.items(), key=lambda child: (child[0] is None, child[0] or ""))

    def branches(self) -> tuple[Branch, ...]:
        return tuple(Branch(action, child.rollouts, child.passes) for action, child in self.ordered())

    def walk(self) -> Iterator[tuple[tuple[str, ...], _Node]]:
        """Nodes with their actions, by depth and then by actions. Paths with one rollout fork no more: not walked."""
        level: list[tuple[tuple[str, ...], _Node]] = [((), self)]
        while level:
            yield from level
            level = [
                ((*path, action), child)
                for path, node in level
                for action, child in node.ordered()
                if action is not None and child.rollouts > 1
            ]


def _gain(node: _Node, rollouts: int) -> float:
    """Information gain of a node, weighed by the share of rollouts that reach it."""
    children = [child for _, child in node.ordered()]
    sizes = np.array([float(child.rollouts) for child in children])
    passes = np.array([float(child.passes) for child in children])
    remaining = sizes @ _entropy(passes / sizes)
    return float((sizes.sum() * _entropy(passes.sum() / sizes.sum()) - remaining) / rollouts)


def _entropy(share: npt.ArrayLike) -> Floats:
    share = np.asarray(share, dtype=np.float64)
    return np.asarray((special.entr(share) + special.entr(1.0 - share)) / math.log(2.0))
