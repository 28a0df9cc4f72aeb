"""Command ``wedge``: run the command line for each combination of settings in a TOML file.

python -m fracture_addon wedge sweep.toml --output DIR
blender --command wedge sweep.toml --output DIR
"""

from __future__ import annotations

import argparse
import contextlib
import io
import sys
from collections.abc import Sequence
from pathlib import Path

from ...core.data.errors import SettingsError
from ...core.storage import folders
from ...farm import page, results, sweep_file
from ...farm.plan import Plan, Run
from ..setup import presets
from . import arguments as shatter_arguments
from . import command, many_runs
from .exit_codes import exit_code
from .prepare import prepared

DESCRIPTION = """\
Run the same scene or model with many settings. DIR gets a folder for each run with its .blend file, report and
contact sheet, a table (table.csv), and a page with all pictures (index.html). The same command resumes after a kill."""

EXAMPLE = """\
sweep.toml:
  model = "jar.obj"            # or scene = "shot.blend"
  versions = 3                 # of each combination, with successive seeds
  [options]                    # the same in every run: options, or settings of --list-settings
  preset = "terracotta"
  height = 0.25
  [sweep]                      # each combination is a run
  violence = [1, 2, 4]
  strength = {from = 5, to = 80, count = 5, scale = "log"}

exit codes:
  0 done   2 wrong usage   3 input refused   4 a run failed   130 cancelled; the same command resumes"""


def main(argv: Sequence[str], prog: str = "wedge") -> int:
    """Run the command; arguments and exit codes as for ``command.main``."""
    return exit_code(prog, lambda: _wedge(_parse(list(argv), prog)), "the same command resumes")


def _parse(argv: list[str], prog: str) -> argparse.Namespace:
    parser = shatter_arguments.Parser(
        prog=prog, description=DESCRIPTION, epilog=EXAMPLE, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sweep", metavar="SWEEP.toml", type=Path, nargs="?", help="the sweep; see below")
    many_runs.add_options(parser)
    arguments = parser.parse_args(argv)
    if (arguments.sweep is None) == (arguments.run is None and not arguments.collect):
        parser.error("give SWEEP.toml, or --run or --collect for a folder with results")
    return arguments


def _wedge(arguments: argparse.Namespace) -> int:
    folder = arguments.output.resolve()
    if arguments.sweep is None:
        plan = results.read_plan(folder)
    else:
        plan = sweep_file.read(arguments.sweep)
        _check(plan, arguments.sweep.name)
        results.open_for(plan, folder)
    return many_runs.execute(plan, arguments, lambda place, run: _execute(plan, place, run))


def _execute(plan: Plan, place: Path, run: Run) -> tuple[int, str]:
    outputs = {"output": page.SCENE, "report": results.REPORT} | ({"render": page.PICTURE} if plan.pictures else {})
    options = [f"--{name}={place / file}" for name, file in outputs.items()]
    words = io.StringIO()
    with contextlib.redirect_stderr(words):
        code = command.main([*run.arguments, *options], prog=f"run {run.number}")
    message = words.getvalue().strip()
    sys.stderr.write(message + "\n" if message else "")
    return code, " ".join(message.removeprefix(f"run {run.number}: ").split())


def _check(plan: Plan, name: str) -> None:
    """Check every value of a plan as the command line would, and open the input once.

    Raises:
        SettingsError: A setting is unknown, or a value is out of range.
        InvalidMeshError: The input cannot be read.
    """
    with folders.temporary() as place:
        for run in sweep_file.variants(plan):
            try:
                found = shatter_arguments.check([*run.arguments, f"--output={place / page.SCENE}"], name)
            except SettingsError as error:
                raise SettingsError(f"{name}: {error}") from error
            if found.preset is not None and presets.find(found.preset) is None:
                raise SettingsError(
                    f"{name}: the material '{found.preset}' does not exist; choose from {presets.known()}"
                )
            if run.number == 1:
                prepared(found)
