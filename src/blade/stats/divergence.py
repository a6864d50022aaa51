"""Where the fails of a task leave the path of its passes: a trie over the actions of all its rollouts.

An action is a word the caller has made alike for alike actions. Stopping is an action too, written None. A node's
smoothed value is V = (passes + base) / (rollouts + 1), base being the pass rate of the task.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import combinations
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import special

Rollout: TypeAlias = tuple[Sequence[str], bool]
"""The actions of a rollout, and whether it passed."""

ALL_LABELLINGS = 2000
"""Up to so many ways to deal out the passes, all are tried; with more, 999 are drawn."""

LONGEST = 400
"""Actions of a rollout that are aligned with another one's."""


@dataclass(frozen=True, slots=True)
class Decision:
    rollout: int  # a fail, by its place
    step: int  # its action that cost most, from 0
    action: str | None  # None: it stopped
    instead: str | None  # what passes more often there; None: stopping
    drop: float | None  # V after minus V before; None if aligned


@dataclass(frozen=True, slots=True)
class Branch:
    action: str | None
    rollouts: int
    passes: int


@dataclass(frozen=True, slots=True)
class Divergence:
    decisions: tuple[Decision, ...]  # of the fails that took a step for the worse
    aligned: bool  # no two rollouts begin alike: fails were aligned with their nearest pass
    node: tuple[str, ...]  # the actions before the step that tells most
    branches: tuple[Branch, ...]  # what was done there, by action; stopping last
    gain: float  # bits: (m/n) [H(s/m) - sum_k (m_k/m) H(s_k/m_k)]
    p: float  # chance of a node with as much, the passes dealt out at random


def diverge(rollouts: Sequence[Rollout], *, seed: int = 0) -> Divergence | None:
    """The divergence of one task; None unless it has both passes and fails, and they do not all act alike.

    A decision is the largest drop of V along a fail, the earliest of equal ones. The node has the largest information
    gain, the shallowest of equal ones, then the first by its actions. With five rollouts p never is small: count
    decisions over tasks.
    """
    passes = sum(passed for _, passed in rollouts)
    if passes in {0, len(rollouts)}:
        return None
    root = _Node.trie(rollouts)
    forks = [(path, node) for path, node in root.walk() if len(node.children) > 1]
    if not forks:
        return None
    path, node, gain, p = _most_telling(forks, len(rollouts), passes, seed)
    aligned = len(root.children) == len(rollouts)
    fails = [index for index, (_, passed) in enumerate(rollouts) if not passed]
    found = [_aligned(rollouts, index) if aligned else _largest_drop(root, rollouts, index) for index in fails]
    branches = tuple(Branch(action, len(child.rollouts), child.passes) for action, child in node.ordered())
    return Divergence(tuple(one for one in found if one is not None), aligned, path, branches, gain, p)


@dataclass(slots=True)
class _Node:
    rollouts: list[int] = field(default_factory=list)
    passes: int = 0
    children: dict[str | None, _Node] = field(default_factory=dict)

    @classmethod
    def trie(cls, rollouts: Sequence[Rollout]) -> _Node:
        """Rollouts are numbered by their actions, so that no number depends on their order."""
        root = cls()
        order = sorted(range(len(rollouts)), key=lambda index: tuple(rollouts[index][0]))
        for number, index in enumerate(order):
            actions, passed = rollouts[index]
            node = root
            node.add(number, passed=passed)
            for action in [*actions, None]:
                node = node.children.setdefault(action, cls())
                node.add(number, passed=passed)
        return root

    def add(self, number: int, *, passed: bool) -> None:
        self.rollouts.append(number)
        self.passes += passed

    def value(self, base: float) -> float:
        return (self.passes + base) / (len(self.rollouts) + 1)

    def ordered(self) -> list[tuple[str | None, _Node]]:
        return sorted(self.children.items(), key=lambda child: (child[0] is None, child[0] or ""))

    def walk(self) -> Iterator[tuple[tuple[str, ...], _Node]]:
        """Nodes with their actions, by depth and then by actions. Paths with one rollout fork no more: not walked."""
        level: list[tuple[tuple[str, ...], _Node]] = [((), self)]
        while level:
            yield from level
            level = [
                ((*path, action), child)
                for path, node in level
                for action, child in node.ordered()
                if action is not None and len(child.rollouts) > 1
            ]


def _most_telling(
    forks: list[tuple[tuple[str, ...], _Node]], rollouts: int, passes: int, seed: int
) -> tuple[tuple[str, ...], _Node, float, float]:
    seen: list[float] = []
    dealt = _labellings(rollouts, passes, seed)
    chance = np.zeros(dealt.shape[1])
    for _, node in forks:
        members = np.zeros((len(node.children), rollouts))
        for row, (_, child) in enumerate(node.ordered()):
            members[row, child.rollouts] = 1.0
        np.maximum(chance, _gain(members, members @ dealt), out=chance)
        counted = np.array([[float(child.passes)] for _, child in node.ordered()])
        seen.append(float(_gain(members, counted)[0]))
    best = next(index for index, gain in enumerate(seen) if gain >= max(seen) - 1e-12)
    hits = int((chance >= seen[best] - 1e-12).sum())
    everything = math.comb(rollouts, passes) <= ALL_LABELLINGS
    p = hits / len(chance) if everything else (1 + hits) / (1 + len(chance))
    return *forks[best], seen[best], p


def _labellings(rollouts: int, passes: int, seed: int) -> npt.NDArray[np.float64]:
    """Rollouts x labellings."""
    if math.comb(rollouts, passes) <= ALL_LABELLINGS:
        chosen = list(combinations(range(rollouts), passes))
        labels = np.zeros((rollouts, len(chosen)))
        labels[np.array(chosen).T, np.arange(len(chosen))] = 1.0
        return labels
    deck = np.repeat([1.0, 0.0], [passes, rollouts - passes])
    return np.random.default_rng(seed).permuted(np.tile(deck, (999, 1)), axis=1).T


def _gain(members: npt.NDArray[np.float64], passes: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Information gain of a node for each labelling: members is branches x rollouts, passes branches x labellings."""
    sizes = members.sum(axis=1)
    total, inside = sizes.sum(), sizes @ _entropy(passes / sizes[:, None])
    gain = total * _entropy(passes.sum(axis=0) / total) - inside
    return np.asarray(gain / members.shape[1])


def _entropy(share: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return np.asarray((special.entr(share) + special.entr(1.0 - share)) / math.log(2.0))


def _largest_drop(root: _Node, rollouts: Sequence[Rollout], index: int) -> Decision | None:
    base, node = root.passes / len(rollouts), root
    best: Decision | None = None
    for step, action in enumerate([*rollouts[index][0], None]):
        child = node.children[action]
        drop = child.value(base) - node.value(base)
        if drop < -1e-12 and (best is None or best.drop is None or drop < best.drop - 1e-12):
            others = [(sibling.value(base), name) for name, sibling in node.ordered() if name != action]
            instead = max(others, key=lambda other: other[0])[1]
            best = Decision(index, step, action, instead, drop)
        node = child
    return best


def _aligned(rollouts: Sequence[Rollout], index: int) -> Decision:
    """The first step after the first stretch shared with the nearest pass where the two part; step 0 if they never met.

    Nearest is the highest ratio of matching actions (difflib), then the first by its actions.
    """
    mine = list(rollouts[index][0])[:LONGEST]
    passes = sorted(list(actions)[:LONGEST] for actions, passed in rollouts if passed)
    matchers = [SequenceMatcher(None, other, mine, autojunk=False) for other in passes]
    matcher, other = max(zip(matchers, passes, strict=True), key=lambda pair: pair[0].ratio())
    codes = matcher.get_opcodes()
    met = next((place for place, code in enumerate(codes) if code[0] == "equal"), None)
    _, theirs, _, step, _ = codes[met + 1] if met is not None and met + 1 < len(codes) else codes[0]
    return Decision(
        rollout=index,
        step=step,
        action=mine[step] if step < len(mine) else None,
        instead=other[theirs] if theirs < len(other) else None,
        drop=None,
    )
