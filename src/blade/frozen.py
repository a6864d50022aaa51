"""Records: dataclasses with slots that nobody changes once they are made, cheap to define and to make.

The standard decorator writes and compiles the source of six methods for each class, a third of the time in which a
small analysis loads its modules, and sets every field of a frozen one through `object.__setattr__`. Here nothing is
compiled for a class alone: what compares, hashes and shows a record is shared, and classes with as many fields share
the code of their `__init__`, each under the names of its own fields. That none is changed is the type checker's to say.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import Field, dataclass, field, fields
from functools import cache
from operator import attrgetter
from types import CodeType, FunctionType
from typing import Any, TypeVar, dataclass_transform

_T = TypeVar("_T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(cls: type[_T]) -> type[_T]:
    """A class whose annotations are its fields: equal where these are equal, and fit for a key where they are."""
    own = dict(vars(cls))
    plain = _is_plain(cls)
    cls.__doc__ = cls.__doc__ or cls.__name__  # else the standard decorator works out a signature to show instead
    record = dataclass(slots=True, init=not plain, eq=False, repr=False)(cls)
    compared = _values([part.name for part in fields(record) if part.compare])  # type: ignore[arg-type]
    shown = [part.name for part in fields(record) if part.repr]  # type: ignore[arg-type]

    def equal(self: Any, other: object) -> bool:
        return compared(self) == compared(other) if type(other) is record else NotImplemented

    def hashed(self: Any) -> int:
        return hash(compared(self))

    def written(self: Any) -> str:
        return f"{record.__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in shown)})"

    methods: dict[str, Callable[..., Any]] = {"__eq__": equal, "__hash__": hashed, "__repr__": written}
    if plain:
        methods["__init__"] = _init_of(record, own)
    for name, method in methods.items():
        if own.get(name) is None:
            setattr(record, name, method)
    return record


def _values(names: list[str]) -> Callable[[Any], Any]:
    """What gives the values of these attributes."""
    return attrgetter(*names) if names else lambda _: ()


def _is_plain(cls: type) -> bool:
    """Whether each field is a name, with a default or without one, and to make a record is to set them."""
    if hasattr(cls, "__dataclass_fields__") or hasattr(cls, "__post_init__"):
        return False
    return not any(isinstance(value, Field) for value in vars(cls).values())


def _init_of(record: type, own: Mapping[str, Any]) -> FunctionType:
    """The `__init__` of a class of plain fields: the code for as many, under their names."""
    parts = fields(record)
    names = [part.name for part in parts]
    code = _init_code(len(names)).replace(
        co_varnames=("self", *names), co_names=tuple(names), co_qualname=f"{record.__qualname__}.__init__"
    )
    init = FunctionType(code, {}, "__init__", tuple([own[name] for name in names if name in own]))
    init.__module__ = record.__module__
    init.__annotations__ = {**{part.name: part.type for part in parts}, "return": None}
    return init


@cache
def _init_code(count: int) -> CodeType:
    """What sets so many fields, compiled once for all classes that have as many."""
    names = [f"field{number}" for number in range(count)]
    body = [f"    self.{name} = {name}" for name in names] or ["    pass"]
    namespace: dict[str, Any] = {}
    exec("\n".join([f"def __init__({', '.join(['self', *names])}):", *body]), namespace)  # noqa: S102 - made above
    code: CodeType = namespace["__init__"].__code__
    return code
