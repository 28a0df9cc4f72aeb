"""The command line's arguments: what may be said, and what a nonsense value is answered with."""

from __future__ import annotations

import argparse
import math
import os
import re
import sys
import tempfile
from pathlib import Path

import bpy

from ..core.data.errors import SettingsError
from ..core.methods.table import METHODS
from . import limits, named_settings
from .import_model import SUFFIXES
from .scenario import NAMES as SCENARIOS

DUST = ("merge", "drop", "debris")
MADE_AS = ("shell", "sheet", "rope")
ISLANDS = ("join", "separate")

DESCRIPTION = """\
Break meshes by the forces in their material, and write a .blend with keyframed pieces.

A model file (.obj, .ply, .stl, .glb) is put into an empty scene, broken in one of three scenarios:
  drop    it falls on a floor, from --drop-height above it (the default)
  ball    a steel ball hits its middle with --speed, along --direction
  impact  it is struck where it stands, along --direction
A .blend file is broken as it is ("scene"): its rigid bodies are floors, walls and projectiles,
its objects' settings in the Fracture panel hold, and the options below override them."""

EXAMPLES = """\
examples:
  {prog} jar.obj --height 0.25 --preset terracotta --output jar.blend --render jar.png
  {prog} vase.glb --scenario ball --speed 15 --direction 1,0,0 --output vase.blend
  {prog} plank.obj --height 1 --preset wood_pine --set relief_size=2 --set held=on --output plank.blend
  {prog} set.blend --object Vase --frames 1-80 --seed 7 --output broken.blend --report broken.json

exit codes:
  0 done   2 wrong usage   3 input refused   4 simulation failed   130 cancelled"""


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str):
        self.exit(2, f"{self.prog}: {message} (see --help)\n")


class _ListSettings(argparse.Action):
    """Says what settings there are, as ``--help`` says what options there are."""

    def __init__(self, option_strings, dest, help):
        super().__init__(option_strings, argparse.SUPPRESS, nargs=0, help=help)

    def __call__(self, parser, namespace, values, option_string=None):
        sys.stdout.write(f"{named_settings.listing(bpy.context.scene)}")
        parser.exit()


def parse(argv: list[str], prog: str) -> argparse.Namespace:
    """The arguments, checked as far as that goes without reading the input.

    Raises:
        SystemExit: With 2 and a line on standard error, or with 0 after ``--help``.
    """
    parser = _make_parser(prog)
    arguments = parser.parse_args(argv)
    if (arguments.input is None) == (arguments.scene is None):
        parser.error("give an INPUT file or a --scene, one of the two")
    is_model = arguments.input is not None and arguments.input.suffix.lower() != ".blend"
    arguments.scenario = arguments.scenario or ("drop" if is_model else "scene")
    if arguments.input is not None and (fault := _input_fault(arguments.input)):
        parser.error(fault)
    if is_model and arguments.scenario == "scene":
        parser.error(f"'{arguments.input.name}' comes without a scene; choose --scenario drop, ball or impact")
    if not is_model and arguments.height is not None:
        parser.error("--height is for model files; scale the object in the .blend instead")
    for option, suffix in (("output", ".blend"), ("report", ".json"), ("render", ".png")):
        path = getattr(arguments, option)
        if path is not None and (fault := _fault(path, suffix)):
            parser.error(f"--{option} {path}: {fault}")
        if path is not None and (fault := _overwrites(arguments, option, path)):
            parser.error(f"--{option} {path}: {fault}")
    return arguments


def _make_parser(prog: str) -> _Parser:
    parser = _Parser(
        prog=prog,
        description=DESCRIPTION,
        epilog=EXAMPLES.format(prog=prog),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("input", metavar="INPUT", type=Path, nargs="?", help="a .blend, .obj, .ply, .stl or .glb file")
    add("--scene", metavar="NAME", help="a scene that comes with this instead of INPUT: obrien_wall_2, ...")
    what = parser.add_argument_group("what breaks")
    what.add_argument("--object", metavar="NAME", help="only this object; else the selected ones, or all")
    what.add_argument("--height", metavar="METRES", type=_positive, help="scale a model to this height")
    what.add_argument("--preset", metavar="NAME", help="its material: soda_lime_glass, porcelain, terracotta, ...")
    what.add_argument(
        "--repair",
        action=argparse.BooleanOptionalAction,
        help="mend a mesh that is open or crosses itself, as by default, or refuse it",
    )
    what.add_argument(
        "--wall", metavar="METRES", type=_positive, help="a repair gives open parts a wall instead of caps"
    )
    what.add_argument(
        "--islands", choices=ISLANDS, help="parts of an object are one body, or a body each; default join"
    )
    how = parser.add_argument_group("how it breaks")
    how.add_argument("--scenario", choices=SCENARIOS, help="see above")
    how.add_argument("--drop-height", metavar="M", type=_not_negative, default=1.0, help="metres; default 1")
    how.add_argument("--speed", metavar="M/S", type=_positive, default=8.0, help="of the ball; default 8")
    how.add_argument(
        "--direction",
        metavar="X,Y,Z",
        type=_direction,
        default=(1.0, 0.0, 0.0),
        help="of the ball or blow; default 1,0,0",
    )
    how.add_argument("--method", choices=sorted(METHODS), help="how the breaking is computed")
    how.add_argument(
        "--softening",
        metavar="S",
        type=_positive,
        help="bend and sway for the whole shot, S times softer than the material: 1000 flexes visibly;"
        " as a lattice, unless --method fem",
    )
    how.add_argument(
        "--made-as",
        choices=MADE_AS,
        help="a lattice of the surface's own: a shell or a sheet; or of its lines: a rope",
    )
    how.add_argument(
        "--thickness", metavar="METRES", type=_positive, help="of a shell, a sheet or a rope; default 0.01"
    )
    how.add_argument(
        "--checkpoint-every",
        metavar="FRAMES",
        type=_count(1, limits.MOST_FRAMES),
        help="what deforms leaves checkpoints: after a crash the same command goes on from the last one",
    )
    how.add_argument(
        "--continue-from",
        metavar="FRAME",
        type=_count(limits.FIRST_FRAME, limits.LAST_FRAME),
        help="go on from that frame's checkpoint with the settings of now",
    )
    how.add_argument("--violence", metavar="V", type=_not_negative, help="scales every blow; 1 is the physics")
    how.add_argument(
        "--resolution",
        metavar="CELLS",
        type=_count(limits.LEAST_CELLS, limits.MOST_CELLS),
        help="cells an object is divided into",
    )
    how.add_argument(
        "--pieces", metavar="N", type=_count(0, limits.MOST_CELLS), help="pieces wanted; 0 leaves that to the violence"
    )
    how.add_argument("--dust", choices=DUST, help="crumbs join a neighbour, vanish, or fly on as grains")
    how.add_argument("--seed", metavar="N", type=_count(0), help="of every random choice")
    how.add_argument(
        "--set",
        metavar="NAME=VALUE",
        type=_setting,
        action="append",
        default=[],
        help="any setting of the panel, over all other options; as often as you like",
    )
    how.add_argument("--list-settings", action=_ListSettings, help="say what --set can set, and end")
    how.add_argument("--frames", metavar="A-B", type=_frames, help="first and last frame; 1-80 for a model")
    out = parser.add_argument_group("what is written")
    out.add_argument("--one-object", action="store_true", help="all pieces in one object, for thousands of them")
    out.add_argument(
        "--stress", action="store_true", help="add what Show Stress shows: stress and cracks during the first blow"
    )
    out.add_argument("--output", metavar="OUT.blend", type=Path, required=True)
    out.add_argument(
        "--overwrite-input", action="store_true", help="allow --output to be INPUT itself; it is refused otherwise"
    )
    out.add_argument("--report", metavar="OUT.json", type=Path, help="counts, volumes, seconds, warnings")
    out.add_argument("--render", metavar="OUT.png", type=Path, help="a contact sheet of about eight frames")
    return parser


def _input_fault(path: Path) -> str:
    """Why a file cannot be read, empty when it can."""
    if path.suffix.lower() not in SUFFIXES:
        return f"'{path}' is of no known kind; use one of {', '.join(SUFFIXES)}"
    if (length := len(os.fsencode(os.path.abspath(path)))) > limits.MOST_INPUT_BYTES:
        return f"the input's path has {length} bytes; Blender takes {limits.MOST_INPUT_BYTES}: move or rename the file"
    if not (os.path.isfile(path) and os.access(path, os.R_OK)):
        return f"there is no file '{path}' that can be read"
    return ""


def _fault(path: Path, suffix: str) -> str:
    """Why a file cannot be written, empty when it can."""
    if path.suffix.lower() != suffix:
        return f"the name has to end in {suffix}"
    if (length := len(os.fsencode(path.name))) > limits.MOST_NAME_BYTES:
        return f"the name has {length} bytes; use {limits.MOST_NAME_BYTES} at most"
    if (length := len(os.fsencode(os.path.realpath(path)))) > limits.MOST_PATH_BYTES:
        return f"the whole path has {length} bytes; use {limits.MOST_PATH_BYTES} at most"
    if os.path.isdir(path):
        return "that is a folder"
    if os.path.exists(path) and not os.access(path, os.W_OK):
        return "the file there is write-protected"
    try:
        with tempfile.TemporaryFile(dir=path.resolve().parent):
            return ""
    except OSError as error:
        return f"cannot be written ({error.strerror}); choose another folder"


def _overwrites(arguments: argparse.Namespace, option: str, path: Path) -> str:
    """Why a file is not written over the input, empty when it is another file or the user asks for it."""
    if arguments.input is None or not os.path.exists(path) or not os.path.samefile(path, arguments.input):
        return ""
    if option == "output":
        return "" if arguments.overwrite_input else "this is the input; choose another name, or add --overwrite-input"
    return "this is the input; choose another name"


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
        raise argparse.ArgumentTypeError(f"'{text}' has to be above zero")
    return value


def _not_negative(text: str) -> float:
    value = _number(text)
    if value < 0.0:
        raise argparse.ArgumentTypeError(f"'{text}' must not be negative")
    return value


def _count(least: int, most: int = 2**31 - 1):
    def read(text: str) -> int:
        if not re.fullmatch(r"[+-]?\d+", text):
            raise argparse.ArgumentTypeError(f"'{text}' is not a whole number")
        # More digits than any limit has are not read at all: Python refuses to from 4,300 on.
        if len(text) > 20 or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"'{text}' is out of range; choose {least} to {most}")
        return int(text)

    return read


def _direction(text: str) -> tuple[float, ...]:
    values = tuple(_number(part) for part in text.split(","))
    if len(values) != 3 or not any(values):
        raise argparse.ArgumentTypeError(f"'{text}' is no direction; write three numbers as in 1,0,0")
    return values


def _frames(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"(-?\d+)-(-?\d+)", text)
    if match is None:
        raise argparse.ArgumentTypeError(f"'{text}' is no frame range; write it as in 1-80")
    start, end = (_count(limits.FIRST_FRAME, limits.LAST_FRAME)(part) for part in match.groups())
    if end <= start:
        raise argparse.ArgumentTypeError(f"the frame range {text} is empty; the end has to come after the start")
    if end - start >= limits.MOST_FRAMES:
        raise argparse.ArgumentTypeError(
            f"the frame range {text} has {end - start + 1} frames; use {limits.MOST_FRAMES} at most"
        )
    return start, end
