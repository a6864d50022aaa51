"""Kinds where the model or its tools act differently: cut, malformed, broken tools, slices, sampling, another model."""

from __future__ import annotations

from benchmarks.planted_suite.planter import ExpectedCause, Plan, PlantKind, PlantSetting, solve

from blade.simulate.causes import cause
from blade.simulate.error_texts import TOOL_ERRORS

__all__ = ["KINDS"]

BEHAVIOUR = ExpectedCause("behaviour")
TOOLS = ("bookings_search", "directory_find", "invoices_search", "members_search", "shifts_search")


def _cap_lowered(setting: PlantSetting) -> Plan:
    """The largest cap that cuts passes worth the dose; a cut reply never passes."""
    longest = sorted(((row.transcript.output_tokens, row.outlook) for row in setting.clean), reverse=True)
    points_lost, cap = 0.0, longest[0][0]
    for used, odds in longest:
        if points_lost >= setting.dose:
            break
        points_lost += odds / len(setting.clean)
        cap = used - 1
    return Plan((cause("lower_token_cap", cap=cap),))


def _malformed(setting: PlantSetting) -> Plan:
    by = setting.rng.choice(("random", "length"))
    share = min(0.95, setting.dose / max(setting.expected, 0.05))
    return Plan((cause("lost_format", share=share, by=by),))


def _broken_tool(setting: PlantSetting) -> Plan:
    """A tool on which enough passes depend, broken as early as the dose needs."""
    first = min(row.finished for row in setting.clean)
    span = max(row.finished for row in setting.clean) - first
    called = {tool: _tasks_calling(setting, tool) for tool in TOOLS}
    worth = {
        tool: sum(row.outlook for row in setting.clean if row.index in called[tool]) / len(setting.clean)
        for tool in TOOLS
    }
    enough = [tool for tool in TOOLS if worth[tool] >= setting.dose]
    tool = setting.rng.choice(enough or [max(TOOLS, key=lambda name: worth[name])])
    points_lost, since = 0.0, first + span
    for row in sorted(setting.clean, key=lambda row: -row.finished):
        if row.index in called[tool] and points_lost < setting.dose:
            points_lost, since = points_lost + row.outlook / len(setting.clean), row.finished
    start = (since - first) / span - 1e-9
    return Plan((cause("broken_tool", tool=tool, start=start, message=setting.rng.choice(TOOL_ERRORS)),))


def _tasks_calling(setting: PlantSetting, tool: str) -> set[int]:
    return {row.index for row in setting.clean if any(item.get("name") == tool for item in row.transcript.items)}


def _slice_regression(setting: PlantSetting) -> Plan:
    """A category that has the dose to lose."""
    skill = setting.scenario.skill
    mean_by_category = {
        category: setting.mean_chance(skill, category=category)
        for category in sorted({task.category for task in setting.tasks})
    }
    enough = [category for category, mean in mean_by_category.items() if mean >= 1.15 * setting.dose]
    category = setting.rng.choice(enough or [max(mean_by_category, key=lambda name: mean_by_category[name])])
    target = mean_by_category[category] - setting.dose
    level = solve(lambda level: setting.mean_chance(level, category=category), target, skill - 2.0, skill)
    return Plan((cause("slice_regression", category=category, loss=skill - level),))


def _flaky(setting: PlantSetting) -> Plan:
    """The dose is how hot: 5 pp are three times the temperature."""
    return Plan((cause("hotter_sampling", factor=1.0 + 40.0 * setting.dose),))


def _hotter(setting: PlantSetting) -> Plan:
    return Plan((cause("hotter_sampling", factor=3.0, loss=setting.dose),))


def _wrong_model(setting: PlantSetting) -> Plan:
    """A tenth to three tenths of the rows, more only where the dose needs it. What tells depends on the evidence."""
    skill = setting.scenario.skill
    now = setting.mean_chance(skill)
    least = setting.dose / max(0.05, 0.8 * now)
    share = max(least, setting.rng.uniform(0.1, 0.3))
    foreign_skill = solve(setting.mean_chance, now - setting.dose / share, skill - 2.0, skill)
    by_id_form = setting.level == "E2"
    form = "resp_" if by_id_form else "chatcmpl-"
    return Plan((cause("wrong_model_rows", share=share, skill=foreign_skill, keep_name=not by_id_form, id_form=form),))


KINDS = (
    PlantKind(
        "cap_lowered",
        6,
        "controlled",
        _cap_lowered,
        {"E2": "bounds", "E1": "bounds", "E0": "not_identified"},
        {"lower_token_cap": ExpectedCause("truncation", None, ("malformed",))},
    ),
    PlantKind(
        "malformed",
        7,
        "controlled",
        _malformed,
        {"E2": "bounds", "E1": "bounds", "E0": "not_identified"},
        {"lost_format": ExpectedCause("malformed")},
    ),
    PlantKind(
        "broken_tool",
        9,
        "noise_limited",
        _broken_tool,
        {"E2": "identified", "E1": "identified", "E0": "not_identified"},
        {"broken_tool": BEHAVIOUR},
        ("front_desk",),
    ),
    PlantKind(
        "slice_regression",
        10,
        "noise_limited",
        _slice_regression,
        {"E2": "identified", "E1": "identified"},
        {"slice_regression": BEHAVIOUR},
        ("field_notes", "patch_bench", "front_desk"),
    ),
    PlantKind("flaky_sampling", 11, "churn", _flaky, {"E2": "nothing", "E1": "nothing"}),
    PlantKind(
        "hotter_with_loss",
        12,
        "sampling",
        _hotter,
        {"E2": "identified", "E1": "identified"},
        {"hotter_sampling": BEHAVIOUR},
    ),
    PlantKind(
        "wrong_model_rows",
        15,
        "foreign",
        _wrong_model,
        {"E2": "identified", "E1": "identified", "E0": "not_identified"},
        {"wrong_model_rows": ExpectedCause("foreign_rows")},
    ),
)
