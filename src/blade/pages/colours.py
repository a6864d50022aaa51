"""One colour per run and per outcome, the same in charts, report and viewer.

Outcomes differ in lightness and along the blue-orange axis, which every common form of colour blindness keeps; each
has a sign beside its colour, so that nothing is told by colour alone. Runs take other hues than outcomes.
"""

from __future__ import annotations

from collections.abc import Sequence

from blade.frozen import frozen


@frozen
class Colour:
    """On a light and on a dark page: each has a contrast of at least 3 to 1 with the page."""

    light: str
    dark: str


@frozen
class Outcome:
    """How an attempt came out: its name, its sign, its words and its colour."""

    name: str
    sign: str
    words: str
    colour: Colour


OUTCOMES = {
    outcome.name: outcome
    for outcome in (
        Outcome("pass", "✓", "passed", Colour("#00695c", "#4db6ac")),
        Outcome("fail", "✕", "failed", Colour("#bf360c", "#ff8a65")),
        Outcome("partial", "◐", "graded without a pass rule", Colour("#5a5f7a", "#a9b0d6")),
        Outcome("broken", "!", "does not measure the model", Colour("#7a5b00", "#e0b93f")),
        Outcome("missing", "·", "missing", Colour("#767676", "#9a9a9a")),
    )
}

BUCKETS = {
    "always": OUTCOMES["pass"].colour,
    "sometimes": Colour("#5b4bb5", "#a99cf5"),
    "never": OUTCOMES["fail"].colour,
    "missing": OUTCOMES["missing"].colour,
}

RUNS = (
    Colour("#4a6785", "#9db7d1"),
    Colour("#8e24aa", "#d59ce6"),
    Colour("#0277bd", "#64b5f6"),
    Colour("#ad1457", "#f48fb1"),
    Colour("#6d4c41", "#c8a997"),
    Colour("#33691e", "#a5c98a"),
    Colour("#1010f9", "#7474fb"),
    Colour("#24023c", "#e210f9"),
    Colour("#0663ef", "#248ff9"),
    Colour("#8b6304", "#ef6306"),
    Colour("#081721", "#24e4f9"),
    Colour("#630303", "#f92464"),
    Colour("#c006ef", "#d24bc5"),
    Colour("#092801", "#10f910"),
    Colour("#8a4283", "#f9109c"),
    Colour("#030377", "#8383c3"),
    Colour("#db069b", "#fed7fa"),
    Colour("#043a8b", "#e3edf2"),
    Colour("#500229", "#fb74c5"),
    Colour("#0505b3", "#9a7cde"),
)
"""In the order of the runs: the baseline is the quiet one. Each is as far as can be from those before it."""


def run_colour(place: int) -> Colour:
    """The colour of the run at this place; after the last they begin again, past the baseline's."""
    return RUNS[place] if place < len(RUNS) else RUNS[1 + (place - 1) % (len(RUNS) - 1)]


def run_class(names: Sequence[str], name: str) -> str:
    """The style class of a run: `run-0` is the baseline."""
    if name not in names:
        return ""
    place = list(names).index(name)
    return f"run-{place if place < len(RUNS) else 1 + (place - 1) % (len(RUNS) - 1)}"


def outcome_of(passed: bool | None, status: str, *, evaluable: bool = True) -> str:
    """The name of the outcome of one attempt, from its verdict and its status."""
    if status == "missing":
        return "missing"
    if not evaluable:
        return "broken"
    if passed is None:
        return "partial"
    return "pass" if passed else "fail"


def variables() -> str:
    """The colours as style variables, light first, dark where the reader or the system asks for it."""
    colours = {
        **{f"outcome-{name}": outcome.colour for name, outcome in OUTCOMES.items()},
        **{f"bucket-{name}": colour for name, colour in BUCKETS.items()},
        **{f"run-{place}": colour for place, colour in enumerate(RUNS)},
    }
    light = "".join(f"--{name}:{colour.light};" for name, colour in colours.items())
    dark = "".join(f"--{name}:{colour.dark};" for name, colour in colours.items())
    classes = "".join(f".run-{place}{{--run:var(--run-{place})}}" for place in range(len(RUNS)))
    classes += "".join(f".outcome-{name}{{--tone:var(--outcome-{name})}}" for name in OUTCOMES)
    classes += "".join(f".bucket-{name}{{--tone:var(--bucket-{name})}}" for name in BUCKETS)
    return (
        f":root{{{light}}}\n"
        f"@media (prefers-color-scheme:dark){{:root:not([data-theme=light]){{{dark}}}}}\n"
        f":root[data-theme=dark]{{{dark}}}\n"
        f"@media print{{:root,:root:not([data-theme=light]),:root[data-theme=dark]{{{light}}}}}\n{classes}\n"
    )
