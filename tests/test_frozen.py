"""Records behave as frozen dataclasses with slots do, and whoever changes one is told by the type checker."""

from __future__ import annotations

import dataclasses
import pickle

import pytest

from blade.frozen import frozen


@frozen
class Jar:
    name: str
    lids: tuple[str, ...] = ()
    note: str = dataclasses.field(default="", compare=False, repr=False)

    @property
    def closed(self) -> bool:
        return bool(self.lids)


@frozen
class Empty:
    """No field at all."""


@frozen
class Odd:
    number: int

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Odd)

    def __hash__(self) -> int:
        return 7


def test_equal_fields_make_equal_records_and_keys_and_what_is_not_compared_does_not_count() -> None:
    first, second = Jar("plum", ("tin",), note="left"), Jar("plum", ("tin",), note="right")
    assert first == second
    assert len({first, second}) == 1
    assert first != Jar("plum")
    assert first != ("plum", ("tin",))  # type: ignore[comparison-overlap]
    assert Empty() == Empty()
    assert hash(Empty()) == hash(Empty())


def test_a_record_is_shown_with_its_fields_and_stays_a_dataclass() -> None:
    jar = Jar("plum", ("tin",), note="left")
    assert repr(jar) == "Jar(name='plum', lids=('tin',))"
    assert dataclasses.replace(jar, name="fig") == Jar("fig", ("tin",))
    assert dataclasses.asdict(jar) == {"name": "plum", "lids": ("tin",), "note": "left"}
    assert pickle.loads(pickle.dumps(jar)) == jar  # noqa: S301 - made here
    assert jar.closed


def test_there_is_no_place_for_another_attribute() -> None:
    with pytest.raises(AttributeError):
        Jar("plum").lid = "tin"  # type: ignore[attr-defined]


def test_what_a_class_defines_itself_stays() -> None:
    assert Odd(1) == Odd(2)
    assert hash(Odd(1)) == 7
