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

Floats = npt.NDArray[np.float64]
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
class Fork:
    node: tuple[str, ...]  # the actions before the step that tells most
    branches: tuple[Branch, ...]  # what was done there, by action; stopping last
    gain: float  # bits


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
    found = _forks(rollouts)
    if found is None:
        return None
    root, forks = found
    seen, best = _most_telling(forks, len(rollouts))
    p = _chance(forks, len(rollouts), root.passes, seen[best], seed)
    aligned = len(root.children) == len(rollouts)
    fails = [index for index, (_, passed) in enumerate(rollouts) if not passed]
    made = [_aligned(rollouts, index) if aligned else _largest_drop(root, rollouts, index) for index in fails]
    path, node = forks[best]
    return Divergence(tuple(one for one in made if one is not None), aligned, path, node.branches(), seen[best], p)


def telling_fork(rollouts: Sequence[Rollout]) -> Fork | None:
    """The node of `diverge` alone, without what each fail decided and without p."""
    found = _forks(rollouts)
    if found is None:
        return None
    seen, best = _most_telling(found[1], len(rollouts))
    path, node = found[1][best]
    return Fork(path, node.branches(), seen[best])


def _forks(rollouts: Sequence[Rollout]) -> tuple[_Node, list[tuple[tuple[str, ...], _Node]]] | None:
    if sum(passed for _, passed in rollouts) in {0, len(rollouts)}:
        return None
    root = _Node.trie(rollouts)
    forks = [(path, node) for path, node in root.walk() if len(node.children) > 1]
    return (root, forks) if forks else None


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

    def branches(self) -> tuple[Branch, ...]:
        return tuple(Branch(action, len(child.rollouts), child.passes) for action, child in self.ordered())

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


def _most_telling(forks: list[tuple[tuple[str, ...], _Node]], rollouts: int) -> tuple[list[float], int]:
    """The gain of every fork, and the place of the first with the most."""
    seen = []
    for _, node in forks:
        children = [child for _, child in node.ordered()]
        sizes = np.array([float(len(child.rollouts)) for child in children])
        counted = np.array([[float(child.passes)] for child in children])
        seen.append(float(_gain(sizes, rollouts, counted)[0]))
    return seen, next(index for index, gain in enumerate(seen) if gain >= max(seen) - 1e-12)


def _chance(forks: list[tuple[tuple[str, ...], _Node]], rollouts: int, passes: int, seen: float, seed: int) -> float:
    """P(a node with as much gain), the passes dealt out at random."""
    dealt = _labellings(rollouts, passes, seed)
    chance = np.zeros(dealt.shape[1])
    for _, node in forks:
        members = np.zeros((len(node.children), rollouts))
        for row, (_, child) in enumerate(node.ordered()):
            members[row, child.rollouts] = 1.0
        np.maximum(chance, _gain(members.sum(axis=1), rollouts, members @ dealt), out=chance)
    hits = int((chance >= seen - 1e-12).sum())
    everything = math.comb(rollouts, passes) <= ALL_LABELLINGS
    return hits / len(chance) if everything else (1 + hits) / (1 + len(chance))


def _labellings(rollouts: int, passes: int, seed: int) -> Floats:
    """Rollouts x labellings."""
    if math.comb(rollouts, passes) <= ALL_LABELLINGS:
        chosen = list(combinations(range(rollouts), passes))
        labels = np.zeros((rollouts, len(chosen)))
        labels[np.array(chosen).T, np.arange(len(chosen))] = 1.0
        return labels
    deck = np.repeat([1.0, 0.0], [passes, rollouts - passes])
    return np.random.default_rng(seed).permuted(np.tile(deck, (999, 1)), axis=1).T


def _gain(sizes: Floats, rollouts: int, passes: Floats) -> Floats:
    """Information gain of a node for each labelling, from its branches' sizes; passes are branches x labellings."""
    total, inside = sizes.sum(), sizes @ _entropy(passes / sizes[:, None])
    gain = total * _entropy(passes.sum(axis=0) / total) - inside
    return np.asarray(gain / rollouts)


def _entropy(share: Floats) -> Floats:
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
