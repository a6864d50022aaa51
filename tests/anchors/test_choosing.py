"""The choice keeps its quotas, shares one weight in a cluster, and says what is missing."""

from __future__ import annotations

from collections import Counter

from blade.anchors.candidate import DISTRIBUTION, MECHANISM, TASK, About, Candidate
from blade.anchors.choosing import anchors_of, choose, merit


def fact(layer: str, number: int, guess: float = 0.001, *, contrary: bool = False, topic: str = "") -> Candidate:
    about = About({"run": "r"}, (f"thing {number}",), topic=(topic or f"{layer} {number}",))
    kind = {DISTRIBUTION: "concentration", MECHANISM: "contrast", TASK: "task"}[layer]
    words = f"{layer} number{number} says w{number * 7} of x{number * 11}"
    return Candidate(kind, layer, words, about, "count", "==", 1, contrary=contrary, guessability=guess, stability=1.0)


def test_distribution_never_takes_more_than_its_share() -> None:
    distribution_facts = [fact(DISTRIBUTION, number) for number in range(40)]
    other_facts = [fact(MECHANISM, number, 0.05) for number in range(10)] + [
        fact(TASK, number, 0.05) for number in range(8)
    ]
    choice = choose([*distribution_facts, *other_facts])
    layers = Counter(chosen_fact.layer for chosen_fact, *_ in choice.facts)
    total = sum(layers.values())
    assert total == 25
    assert layers[DISTRIBUTION] <= 0.4 * total
    assert layers[MECHANISM] >= 0.3 * total
    assert layers[TASK] >= 0.2 * total


def test_facts_against_the_rest_have_their_place() -> None:
    plain = [fact(MECHANISM, number) for number in range(20)] + [fact(TASK, number) for number in range(20)]
    odd = [fact(TASK, 100 + number, 0.09, contrary=True) for number in range(4)]
    choice = choose([*plain, *odd])
    assert sum(chosen_fact.contrary for chosen_fact, *_ in choice.facts) >= 3
    assert not choice.notes


def test_what_is_missing_is_said() -> None:
    choice = choose([fact(TASK, number) for number in range(20)])
    assert any("mechanisms" in note for note in choice.notes)
    assert any("against the rest" in note for note in choice.notes)
    assert any("fewer than the 15" in note for note in choose([fact(TASK, 1)]).notes)
    assert choose([]).facts == ()


def test_a_cluster_has_one_weight() -> None:
    repeated = [fact(MECHANISM, number, topic="one finding") for number in range(4)]
    records = anchors_of(choose([*repeated, *(fact(TASK, number) for number in range(6))]))
    weights = Counter[str]()
    for record in records:
        weights[record.cluster] += round(record.weight, 4)  # type: ignore[assignment]
    assert all(abs(weight - 1) < 0.01 for weight in weights.values())
    assert len({record.cluster for record in records}) < len(records)


def test_surprise_counts_and_the_order_of_the_candidates_does_not() -> None:
    rare, common = fact(TASK, 1, 0.001), fact(TASK, 2, 0.1)
    assert merit(rare) > merit(common)
    candidates = [
        fact(layer, number, 0.01 + 0.001 * number) for number in range(9) for layer in (DISTRIBUTION, MECHANISM, TASK)
    ]
    assert choose(candidates).facts == choose(candidates[::-1]).facts
