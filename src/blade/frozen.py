"""Records: dataclasses with slots that nobody changes once they are made, cheap to define and to make.

The standard decorator writes and compiles the source of six methods for each class, a third of the time in which a
small analysis loads its modules, and sets every field of a frozen one through `object.__setattr__`. Here one method is
written for each class, and what compares, hashes and shows a record is shared. That none is changed is the type
checker's to say.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from operator import attrgetter
from typing import Any, TypeVar, dataclass_transform

_T = TypeVar("_T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(cls: type[_T]) -> type[_T]:
    """A class whose annotations are its fields: equal where these are equal, and fit for a key where they are."""
    own = vars(cls)
    made = dataclass(slots=True, eq=False, repr=False)(cls)
    compared = _values([part.name for part in fields(made) if part.compare])  # type: ignore[arg-type]
    shown = [part.name for part in fields(made) if part.repr]  # type: ignore[arg-type]

    def equal(self: Any, other: object) -> bool:
        return compared(self) == compared(other) if type(other) is made else NotImplemented

    def hashed(self: Any) -> int:
        return hash(compared(self))

    def written(self: Any) -> str:
        return f"{made.__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in shown)})"

    for name, method in {"__eq__": equal, "__hash__": hashed, "__repr__": written}.items():
        if own.get(name) is None:
            setattr(made, name, method)
    return made


def _values(names: list[str]) -> Callable[[Any], Any]:
    """What gives the values of these attributes."""
    return attrgetter(*names) if names else lambda _: ()
