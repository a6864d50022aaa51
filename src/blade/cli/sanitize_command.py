"""Blade sanitize: find what must not be shared, and put tokens in its place."""

from __future__ import annotations

import sys
from pathlib import Path

import click


@click.command("sanitize")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("-o", "--output", type=click.Path(path_type=Path), help="New folder for the cleaned files.")
@click.option("--in-place", is_flag=True, help="Clean the files where they are.")
@click.option("--check", is_flag=True, help="Exit with 1 while anything is open.")
@click.option("--json", "as_data", is_flag=True, help="Print the report as JSON.")
@click.option("--private-name", "names", multiple=True, metavar="NAME", help="A name to take out. May be repeated.")
@click.option("--private-field", "fields", multiple=True, metavar="FIELD", help="A field to take out. May be repeated.")
@click.option("--allow", multiple=True, metavar="PATTERN", help="Values that may stay, as a regular expression.")
@click.option("--keep", multiple=True, metavar="KIND", help="A kind or rule that may stay, such as emails or hosts.")
@click.option(
    "--mapping",
    type=click.Path(path_type=Path),
    help="File outside of the package that keeps tokens the same from one run to the next.",
)
def command(
    paths: tuple[Path, ...],
    output: Path | None,
    in_place: bool,
    check: bool,
    as_data: bool,
    names: tuple[str, ...],
    fields: tuple[str, ...],
    allow: tuple[str, ...],
    keep: tuple[str, ...],
    mapping: Path | None,
) -> None:
    """Find credentials, private hosts, user names, e-mails and declared names; replace them by stable tokens.

    Without -o or --in-place it only reports. What benchmark.toml declares as private_names, private_fields,
    sanitize_allow and sanitize_keep is heeded.
    """
    from blade import sanitize as part  # noqa: PLC0415 - only when the command runs
    from blade.engine.settings import find_benchmark, load_benchmark  # noqa: PLC0415 - as above

    if output is not None and in_place:
        raise click.UsageError("Give -o or --in-place, not both.")
    folders = [path if path.is_dir() else path.parent for path in paths]
    declared, _ = load_benchmark(find_benchmark(folders))
    policy = part.Policy(names, fields, allow, keep).plus(dict(declared.values))
    if output is None and not in_place:
        findings, left, paths_written = part.scan(paths, policy), None, None
    else:
        _outside(mapping, paths, output)
        tokens = part.Tokens(part.load_mapping(mapping) if mapping else None)
        findings, paths_written = part.sanitize(paths, output, policy, tokens)
        left = part.scan([output] if output else paths, policy)
        if mapping:
            part.save_mapping(mapping, tokens)
    path_texts = None if paths_written is None else [path.as_posix() for path in paths_written]
    click.echo(part.as_json(findings, path_texts, left) if as_data else part.as_text(findings, left))
    if check and not (left or findings).is_clean:
        sys.exit(1)


def _outside(mapping: Path | None, paths: tuple[Path, ...], output: Path | None) -> None:
    """The mapping must not travel with the package."""
    from blade.files.remote_paths import real_path  # noqa: PLC0415 - heavy: only when the command runs

    places = [real_path(path) for path in (*paths, *([output] if output else [])) if path.is_dir() or path == output]
    if mapping is not None and any(place in real_path(mapping).parents for place in places):
        raise click.UsageError(f"{mapping}: the mapping would be shared with the package. Keep it elsewhere.")
