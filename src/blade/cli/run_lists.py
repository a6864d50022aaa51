"""Options that take several paths after one name, as people write them."""

from __future__ import annotations

import click


class ManyRuns(click.Command):
    """Takes `--runs A B C` as well as `--runs A --runs B`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        spread: list[str] = []
        in_list = False
        for word in args:
            if word == "--runs":
                in_list = True
                continue
            in_list = in_list and not word.startswith("-")
            spread += ["--runs", word] if in_list else [word]
        if args[-1:] == ["--runs"]:
            spread.append("--runs")
        return super().parse_args(ctx, spread)
