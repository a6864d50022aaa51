"""Records behave as frozen dataclasses with slots do, and whoever changes one is told by the type checker."""

from __future__ import annotations

import dataclasses
import inspect
import pickle
from typing import Any

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
class Shelf:
    jars: list[Jar] = dataclasses.field(default_factory=list)


@frozen
class Halved:
    weight: int
    times: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "weight", self.weight // 2)


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


def test_a_record_is_made_by_place_by_name_and_by_default_as_a_dataclass_is() -> None:
    @dataclasses.dataclass
    class Standard:
        name: str
        size: int = 2
        tag: str | None = None

    @frozen
    class Record:
        name: str
        size: int = 2
        tag: str | None = None

    assert dataclasses.astuple(Record("fig", tag="x")) == dataclasses.astuple(Standard("fig", tag="x"))
    assert inspect.signature(Record) == inspect.signature(Standard)
    assert Record.__init__.__annotations__ == Standard.__init__.__annotations__
    wrong: list[dict[str, Any]] = [{}, {"name": "fig", "colour": "blue"}]
    for arguments in wrong:
        with pytest.raises(TypeError) as ours:
            Record(**arguments)
        with pytest.raises(TypeError) as theirs:
            Standard(**arguments)
        assert str(ours.value) == str(theirs.value).replace("Standard", "Record")


def test_a_list_is_made_for_each_record_and_what_follows_the_making_is_done() -> None:
    assert Shelf().jars == []
    assert Shelf().jars is not Shelf().jars
    assert Halved(8) == Halved(9)
