"""Arguments of the command line, their help texts and checks."""

from __future__ import annotations

import argparse
import contextlib
import io
import math
import os
import re
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn

import bpy

from ...core.data.errors import SettingsError
from ...core.data.settings.filling import LEAST_CELLS, MOST_CELLS
from ...core.data.settings.settings import all_rows
from ...core.methods.table import METHODS
from ..properties import limits
from ..setup import named_settings
from ..setup.scenario import NAMES as SCENARIOS
from .exit_codes import WRONG_USAGE
from .import_model import SUFFIXES

# From one frame a second to the fastest high-speed cameras in use.
LEAST_FRAME_RATE, MOST_FRAME_RATE = 1, 10_000
MADE_AS = ("shell", "sheet", "rope")
# Method that adds an option to a group.
Add = Callable[..., argparse.Action]

DESCRIPTION = """\
Break meshes by computed forces, and write a .blend file with keyframed pieces.

A model file (.obj, .ply, .stl, .glb, .gltf) is imported into an empty scene and broken in one of seven scenarios:
  drop      it falls on a floor from --drop-height (the default)
  ball      a steel ball with --speed flies at its centre, along --direction
  impact    it stands on a floor and gets an impact along --direction
  blast     it stands on a floor, and --charge explodes beside it; the wave comes along --direction
  snap      two grips hold its ends and bend it until it breaks
  quench    it stands on a floor, and cold water around it breaks it by the shock of the temperature
  fracture  it breaks without motion, into about --pieces pieces, or by an impact on its front
A .blend file is simulated as it is ("scene"): its rigid bodies are floors, walls and projectiles.
The settings in its Fracture panel apply; the options below override them. With --scenario fracture, its objects break
where they are on its current frame."""

EXAMPLES = """\
examples:
  {prog} jar.obj --height 0.25 --preset terracotta --output jar.blend --render jar.png
  {prog} vase.glb --scenario ball --speed 15 --direction 1,0,0 --output vase.blend
  {prog} plank.obj --height 1 --preset wood_pine --set relief_size=2 --set held=on --output plank.blend
  {prog} set.blend --object Vase --frames 1-80 --seed 7 --output broken.blend --report broken.json

exit codes:
  0 done   2 wrong usage   3 input refused   4 simulation failed   130 cancelled"""


class Parser(argparse.ArgumentParser):
    """Parser that reports an error in one line."""

    def error(self, message: str) -> NoReturn:
        """Print the message as one line, and exit with code 2."""
        self.exit(2, f"{self.prog}: {message} (see --help)\n")


class _ListSettings(argparse.Action):
    """Action that prints all settings and exits, as ``--help`` does for options."""

    def __init__(self, option_strings: Sequence[str], dest: str, help: str):
        super().__init__(option_strings, argparse.SUPPRESS, nargs=0, help=help)

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        context: Any = bpy.context
        sys.stdout.write(named_settings.listing(context.scene))
        parser.exit()


def check(argv: list[str], prog: str) -> argparse.Namespace:
    """Parse arguments that another command made.

    Raises:
        SettingsError: An argument is wrong.
    """
    words = io.StringIO()
    try:
        with contextlib.redirect_stderr(words):
            return parse(argv, prog)
    except SystemExit as ending:
        message = words.getvalue().strip().removeprefix(f"{prog}: ").removesuffix(" (see --help)")
        raise SettingsError(message) from (ending if ending.code == WRONG_USAGE else None)


def parse(argv: list[str], prog: str) -> argparse.Namespace:
    """Parse the arguments and check them without reading the input file.

    Raises:
        SystemExit: 2 with one line on standard error, or 0 after ``--help``.
    """
    parser = _make_parser(prog)
    arguments = parser.parse_args(argv)
    if (arguments.input is None) == (arguments.scene is None):
        parser.error("give either an INPUT file or --scene")
    is_model = arguments.input is not None and arguments.input.suffix.lower() != ".blend"
    arguments.scenario = arguments.scenario or ("drop" if is_model else "scene")
    if arguments.input is not None and (fault := _input_fault(arguments.input)):
        parser.error(fault)
    if is_model and arguments.scenario == "scene":
        parser.error(
            f"'{arguments.input.name}' is a model without a scene; choose --scenario drop, ball, impact, blast, snap, "
            "quench or fracture"
        )
    if not is_model and arguments.height is not None:
        parser.error("--height applies only to model files; scale the object in the .blend file instead")
    outputs = {"output": ".blend", "report": ".json", "render": ".png", "film": ".webm", "events": ".csv"}
    for option, suffix in outputs.items():
        path = getattr(arguments, option)
        if path is not None and (fault := _fault(path, suffix)):
            parser.error(f"--{option} {path}: {fault}")
        if path is not None and (fault := _overwrites(arguments, option, path)):
            parser.error(f"--{option} {path}: {fault}")
    return arguments


def _make_parser(prog: str) -> Parser:
    parser = Parser(
        prog=prog,
        description=DESCRIPTION,
        epilog=EXAMPLES.format(prog=prog),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("input", metavar="INPUT", type=Path, nargs="?", help="a .blend, .obj, .ply, .stl, .glb or .gltf file")
    add("--scene", metavar="NAME", help="an example scene instead of INPUT: obrien_wall_2, ...")
    _add_object(parser.add_argument_group("object").add_argument)
    _add_simulation(parser.add_argument_group("simulation").add_argument)
    _add_output(parser.add_argument_group("output").add_argument)
    return parser


def _add_object(add: Add) -> None:
    """Add the options of the object."""
    add("--object", metavar="NAME", help="break only this object; default: the selected objects, or all")
    add("--height", metavar="METRES", type=_positive, help="scale the model to this height")
    add("--preset", metavar="NAME", help="material preset: soda_lime_glass, porcelain, terracotta, ...")
    add("--look", action="store_true", help="replace the object's materials by one that looks like the preset")
    add(
        "--repair",
        action=argparse.BooleanOptionalAction,
        help="repair a mesh that is open or intersects itself (default), or refuse it",
    )
    add(
        "--wall",
        metavar="METRES",
        type=_positive,
        help="repair open parts with a wall of this thickness instead of closing their holes",
    )
    add(
        "--islands",
        choices=_choices("islands"),
        help="join: separate parts of an object are one body (default); separate: each part is a body",
    )


def _add_simulation(add: Add) -> None:
    """Add the options of the load, the method and the frames."""
    add("--scenario", choices=SCENARIOS, help="load on the object, see above")
    add(
        "--drop-height",
        metavar="M",
        type=_not_negative,
        default=1.0,
        help="height of the lowest point above the floor, metres; default 1",
    )
    add("--speed", metavar="M/S", type=_positive, default=8.0, help="speed of the ball; default 8")
    add(
        "--direction",
        metavar="X,Y,Z",
        type=_direction,
        default=(1.0, 0.0, 0.0),
        help="direction of the ball, the impact or the blast; default 1,0,0",
    )
    add("--charge", metavar="KG", type=_positive, help="TNT of the blast; by default it suits the size of the object")
    add("--method", choices=sorted(METHODS), help="method that computes the cracks")
    add(
        "--softening",
        metavar="S",
        type=_positive,
        help="make the object deformable for the whole shot, S times softer than its material; 1000 bends visibly. "
        "Uses the method lattice unless --method fem is given",
    )
    add(
        "--made-as",
        choices=MADE_AS,
        help="structure of the lattice: a shell or a sheet from the surface, or a rope from the lines",
    )
    add("--thickness", metavar="METRES", type=_positive, help="thickness of a shell, a sheet or a rope; default 0.01")
    add(
        "--checkpoint-every",
        metavar="FRAMES",
        type=_count(1, limits.MOST_FRAMES),
        help="frames between checkpoints of deformable objects; after a crash the same command resumes at the last one",
    )
    add(
        "--continue-from",
        metavar="FRAME",
        type=_count(limits.FIRST_FRAME, limits.LAST_FRAME),
        help="continue from the checkpoint of this frame, with the current settings",
    )
    add(
        "--violence",
        metavar="V",
        type=_not_negative,
        help="multiplies the load of every impact; 1 is the physical load",
    )
    add(
        "--resolution",
        metavar="CELLS",
        type=_count(LEAST_CELLS, MOST_CELLS),
        help="approximate number of cells per object",
    )
    add(
        "--pieces",
        metavar="N",
        type=_count(0, MOST_CELLS),
        help="number of pieces of the first break; 0: the load determines it",
    )
    add("--dust", choices=_choices("dust"), help="small pieces stay on a neighbour, are removed, or become debris")
    add("--seed", metavar="N", type=_count(0), help="seed of all random numbers")
    add(
        "--set",
        metavar="NAME=VALUE",
        type=_setting,
        action="append",
        default=[],
        help="set any setting of the panel; overrides all other options; repeatable",
    )
    add("--list-settings", action=_ListSettings, help="list the settings for --set and exit")
    add("--frames", metavar="A-B", type=_frames, help="first and last frame; default for a model: 1-80")
    add(
        "--fps",
        metavar="RATE",
        type=_frame_rate,
        help="frames per second, for example 23.976; default: that of the scene, 24 for a model",
    )


def _add_output(add: Add) -> None:
    """Add the options of the result and of the files."""
    add("--one-object", action="store_true", help="put all pieces into one object; for thousands of pieces")
    add("--stress", action="store_true", help="add the stress preview: stress and cracks during the first impact")
    add("--output", metavar="OUT.blend", type=Path, required=True, help="file for the result")
    add("--overwrite-input", action="store_true", help="allow --output to overwrite INPUT")
    add("--report", metavar="OUT.json", type=Path, help="write counts, volumes, times and warnings as JSON")
    add("--events", metavar="OUT.csv", type=Path, help="write time, place and energy of impacts, breaks and collisions")
    add(
        "--render",
        metavar="OUT.png",
        type=Path,
        help="render up to eight frames, from the break until hardly anything moves",
    )
    add("--film", metavar="OUT.webm", type=Path, help="render a film, from before the first break to the end")


def _input_fault(path: Path) -> str:
    """Return the reason why a file cannot be read; empty if it can."""
    if path.suffix.lower() not in SUFFIXES:
        return f"the file type of '{path}' is unknown; use one of {', '.join(SUFFIXES)}"
    if (length := len(os.fsencode(os.path.abspath(path)))) > limits.MOST_INPUT_BYTES:
        return f"the input's path has {length} bytes, more than {limits.MOST_INPUT_BYTES}; move or rename the file"
    if not (os.path.isfile(path) and os.access(path, os.R_OK)):
        return f"the file '{path}' does not exist or cannot be read; check the path and its permissions"
    return ""


def _fault(path: Path, suffix: str) -> str:
    """Return the reason why a file cannot be written; empty if it can."""
    if path.suffix.lower() != suffix:
        return f"the name must end in {suffix}"
    if (length := len(os.fsencode(path.name))) > limits.MOST_NAME_BYTES:
        return f"the name has {length} bytes; use at most {limits.MOST_NAME_BYTES}"
    if (length := len(os.fsencode(os.path.realpath(path)))) > limits.MOST_PATH_BYTES:
        return f"the full path has {length} bytes; use at most {limits.MOST_PATH_BYTES}"
    if os.path.isdir(path):
        return "this is a folder; add a file name"
    if os.path.exists(path) and not os.access(path, os.W_OK):
        return "the existing file is write-protected; choose another name"
    try:
        with contextlib.suppress(FileNotFoundError):
            os.stat(path)  # fails for a link that leads to itself
        with tempfile.TemporaryFile(dir=os.path.dirname(os.path.realpath(path))):
            return ""
    except OSError as error:
        return f"cannot be written ({error.strerror}); choose another folder"


def _overwrites(arguments: argparse.Namespace, option: str, path: Path) -> str:
    """Return the reason why a file must not overwrite the input; empty if it may, or is another file."""
    if arguments.input is None or not os.path.exists(path) or not os.path.samefile(path, arguments.input):
        return ""
    if option == "output":
        return "" if arguments.overwrite_input else "this is the input; choose another name, or add --overwrite-input"
    return "this is the input; choose another name"


def _choices(name: str) -> list[str]:
    """Return the values of a setting that is an enumeration."""
    row, _ = all_rows()[name]
    return [choice.value for choice in row.choices]


def _setting(text: str) -> named_settings.NamedSetting:
    try:
        return named_settings.read(text)
    except SettingsError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number") from None
    if not math.isfinite(value):
        raise argparse.ArgumentTypeError(f"'{text}' is not a finite number")
    return value


def _positive(text: str) -> float:
    value = _number(text)
    if value <= 0.0:
        raise argparse.ArgumentTypeError(f"'{text}' is not above zero; choose a positive number")
    return value


def _not_negative(text: str) -> float:
    value = _number(text)
    if value < 0.0:
        raise argparse.ArgumentTypeError(f"'{text}' is negative; choose zero or more")
    return value


def _count(least: int, most: int = 2**31 - 1) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not re.fullmatch(r"[+-]?\d+", text):
            raise argparse.ArgumentTypeError(f"'{text}' is not a whole number")
        # No limit has more than 20 digits; Python cannot convert 4,300 or more.
        if len(text) > 20 or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"'{text}' is out of range; choose {least} to {most}")
        return int(text)

    return read


def _direction(text: str) -> tuple[float, ...]:
    values = tuple(_number(part) for part in text.split(","))
    if len(values) != 3 or not any(values):
        raise argparse.ArgumentTypeError(f"'{text}' is not a direction; write three numbers, for example 1,0,0")
    return values


def _frame_rate(text: str) -> float:
    value = _number(text)
    if not LEAST_FRAME_RATE <= value <= MOST_FRAME_RATE:
        raise argparse.ArgumentTypeError(
            f"{text} frames per second are out of range; choose {LEAST_FRAME_RATE} to {MOST_FRAME_RATE}"
        )
    return value


def _frames(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"(-?\d+)-(-?\d+)", text)
    if match is None:
        raise argparse.ArgumentTypeError(f"'{text}' is not a frame range; write it like 1-80")
    start, end = (_count(limits.FIRST_FRAME, limits.LAST_FRAME)(part) for part in match.groups())
    if end <= start:
        raise argparse.ArgumentTypeError(f"the frame range {text} is empty; choose an end after the start")
    if end - start >= limits.MOST_FRAMES:
        raise argparse.ArgumentTypeError(
            f"the frame range {text} has {end - start + 1} frames; use at most {limits.MOST_FRAMES}"
        )
    return start, end
