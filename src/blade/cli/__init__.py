"""The command line: one thin file per command. Commands are imported only when they are called."""

from __future__ import annotations

import atexit
import gc
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from errno import EDQUOT, EFBIG, ENOSPC
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path
from types import FrameType

import click

from blade.errors import BladeError
from blade.version import __version__

FULL = {ENOSPC, EDQUOT, EFBIG}
"""A disk, a share of it or a file that holds no more."""

COMMANDS = {
    "analyze": "Read runs, count them truthfully, and write the report.",
    "compare": "Compare two runs: the verdict, the ledger, the tasks that moved.",
    "report": "Print single sections of the report, of all runs or of a pair.",
    "tasks": "Show tasks against runs: passes of judged attempts, void attempts apart.",
    "grep": "Find words in the texts of rollouts, by who wrote them, and count where they stand.",
    "count": "Count the rollouts that meet a condition, under an id that a report can cite.",
    "contrast": "Hold two groups of rollouts against each other: what goes with the one and not the other.",
    "reading-list": "Say which transcripts to read next, why, and print them shortened.",
    "rerun-list": "List the void and missing attempts as input rows, to run them again.",
    "note": "Note what was read in a rollout; notes overrule the engine's labels and are counted.",
    "check": "Check a report against its runs: every number, id and quote.",
    "extract-anchor-facts": "Write the facts that a good report must know, out of its runs or its text.",
    "score": "Grade a report: its anchors, diagnosis, numbers, ids and quotes.",
    "calibrate": "Grade the golden report, the shallow baseline and every attack.",
    "map": "Suggest a field map for rows of an unknown shape.",
    "convert": "Write the runs of other programs as NeMo Gym rollouts.",
    "cache": "Show or clear the cache of facts.",
    "sanitize": "Find what must not be shared, and put stable tokens in its place.",
    "show": "Show one trajectory: prompt, thinking, calls, outputs, the verifier's word.",
    "skill": "Put the agent skill into a repository, or draft a benchmark's own skill from its data.",
    "init": "Make a benchmark package from runs: skill, rollouts, golden reports.",
    "validate": "Check a benchmark package: skill, rollouts, golden reports.",
    "make-shallow": "Make the shallow baseline of a golden report: its titles and metric tables.",
    "review": "Record who accepted the sections and facts of a golden report, and when.",
    "ready": "Walk the readiness checklist of a package and say what is open.",
    "view": "Open runs in a browser: verdict, tasks, transcripts with their findings, twins, search.",
    "mcp": "Serve the questions to an agent over MCP, confined to the folders given.",
    "demo": "Simulate two runs with planted causes, analyze them, and say where the report is.",
    "list": "List what BLADE has: readers, health checks, sections, renderers.",
}


class ClosedPipe(Exception):
    """Whoever read the output has seen enough. Click would end the command with 1, which is the code of gates."""


class LateGroup(click.Group):
    """A group that knows its commands by name and loads one only when it runs."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        if cmd_name not in COMMANDS:
            return None
        command = import_module(f"blade.cli.{cmd_name.replace('-', '_')}_command").command
        assert isinstance(command, click.Command)  # noqa: S101 - a promise of this package to itself
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in COMMANDS and not name.startswith("-"):
            from difflib import get_close_matches  # noqa: PLC0415 - only on a typing slip

            near = get_close_matches(name, COMMANDS, 1)
            hint = f" Nearest: '{near[0]}'." if near else f" There are: {', '.join(COMMANDS)}."
            raise click.UsageError(f"No command is named '{name}'.{hint}")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise ClosedPipe from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's signature
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=LateGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="blade")
@click.option(
    "--settings",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Defaults of options (default: the nearest blade.toml, here or in a folder above).",
)
@click.pass_context
def cli(context: click.Context, settings: Path | None) -> None:
    """BLADE reads finished evaluation runs: why did the score change, which tasks failed, why, and what to fix."""
    from blade.cli import settings_file  # noqa: PLC0415 - only when a command runs

    command = context.invoked_subcommand
    file = settings_file.find_settings(settings)
    if file is None or command is None:
        return
    options = {
        name: settings_file.options_of(known_command)
        for name in COMMANDS
        if (known_command := cli.get_command(context, name))
    }
    values = settings_file.read_settings(file, options)
    defaults = settings_file.defaults_of(file, values, command, options[command])
    context.default_map = {command: {str(options[command][name].name): value for name, value in defaults.items()}}
    if defaults and not (defaults.get("quiet") or {"-q", "--quiet"} & set(sys.argv)):
        click.echo(f"settings of {os.path.relpath(file)}: {', '.join(defaults)}", err=True)


def main() -> None:
    """Run the command line. Errors of ours end in one line and exit code 2, never in a traceback."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # numpy would start threads as it loads, and none is used
    gc.set_threshold(100_000, 50, 50)  # rows make no cycles, and looking for them among millions of values takes long
    _print_any_letter()
    with _termination_as_exit():
        code, flush_code = _exit_code(cli), _exit_code(_flush)
    sys.exit(code or flush_code)


def program() -> None:
    """`main` as a program of its own: what was left to be done at the end is done, and then the process just ends.

    Python would first take apart every module and value, one by one, which takes longer than many a report; the system
    takes back all of it at once. Where a thread still works it is waited for, and who traces the program sees its end.
    """
    try:
        main()
    except SystemExit as end:
        is_traced = sys.gettrace() is not None or sys.getprofile() is not None
        if isinstance(end.code, int) and threading.active_count() == 1 and not is_traced:
            atexit._run_exitfuncs()  # noqa: SLF001 - what Python's own processes call before they end in this way
            for stream in (sys.stdout, sys.stderr):
                with suppress(OSError, ValueError):
                    stream.flush()
            os._exit(end.code)
        raise


def _print_any_letter() -> None:
    """Where the locale is not UTF-8, letters that it lacks are printed as escapes instead of ending the command."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper) and stream.encoding.lower().replace("-", "") != "utf8":
            stream.reconfigure(errors="backslashreplace")


@contextmanager
def _termination_as_exit() -> Iterator[None]:
    """SIGTERM ends a command as an error does: processes are ended and unfinished files go. The exit code is 143."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, _frame: FrameType | None) -> None:
        click.echo("stopped", err=True)
        raise SystemExit(128 + number)

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _exit_code(action: Callable[..., object]) -> int:
    """The exit code of a command line that was run to its end."""
    try:
        action(standalone_mode=False)
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else int(bool(stop.code))
    except (click.Abort, KeyboardInterrupt):
        click.echo("stopped", err=True)
        return 130
    except click.ClickException as error:
        error.show()
        return 2
    except BladeError as error:
        _say(error)
        return 2
    except (BrokenPipeError, ClosedPipe):
        _write_to_nowhere()
    except OSError as error:
        if error.errno in FULL:
            _write_to_nowhere()
            click.echo(f"blade: {error.filename or 'standard output'}: no space is left to write.", err=True)
        elif error.filename is None:  # no file of the user's, but a fault of ours
            raise
        else:
            text = f"{error.filename}: cannot be read or written ({error.strerror})."
            _say(BladeError(text, "Check the path and its permissions, or give another one."))
        return 2
    return 0


def _say(error: BladeError) -> None:
    """What happened and the way out; names out of files do nothing to the screen."""
    from blade.cli.printing import echo  # noqa: PLC0415 - only where something went wrong

    echo(f"blade: {error.message}", err=True)
    if error.hint:
        echo(f"       {error.hint}", err=True)


def _flush(**_: object) -> None:
    """What is still held back is written now: an error at the very end of Python would have no code of ours."""
    sys.stdout.flush()


def _write_to_nowhere() -> None:
    """Python writes what it held back once more when it ends; nobody would read it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
