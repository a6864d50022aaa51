"""The agent skill, and the draft of a benchmark's own skill from its data.

The skill's files are no part of this folder in a clone: they stand in `.agents/skills/`, and the build copies them into
the wheel beside these modules.
"""

NAME = "nemo-gym-blade-analysis"
