"""Command ``dataset``: many breaks of many meshes, in the layout of Breaking Bad.

python -m fracture_addon dataset MESH ... --output DIR --breaks N
blender --command dataset MESH ... --output DIR --breaks N
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import math
import re
import sys
import time
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from ...core.data.errors import FractureError, SettingsError, SolverDivergedError
from ...core.data.job import Body
from ...core.geometry.shells import is_closed
from ...core.storage import files, folders
from ...farm import break_files, results
from ...farm.pieces import Piece, merged, pieces_of, total_volume
from ...farm.plan import Plan, Run, digests
from ...farm.sweep_file import as_argument
from .. import extension
from ..process.job_process import run_job
from ..read import settings
from ..read.job import read_job
from ..setup import presets
from . import arguments as shatter_arguments
from . import many_runs
from .exit_codes import FAILED, exit_code
from .prepare import prepared

DESCRIPTION = """\
Break each mesh N times, each time with another impact. DIR gets the pieces at rest as OBJ or PLY files in the layout of
the data set Breaking Bad, with labels, poses, contacts, material and impact beside them. The same command resumes."""

# Breaks of one process: starting it takes about as long as two breaks of a small mesh.
BREAKS_A_RUN = 10
# Most attempts to get the wanted number of pieces, and the factor on the number of the next attempt after too few
# pieces. With the shipped meshes the first attempts gave at least 70 % of the number (measured); 1 / 0.7 is about 1.4.
ATTEMPTS, GROWTH = 6, 1.4
# Most breaks of one mesh, each in a folder of its own.
MOST_BREAKS = 100_000


def main(argv: Sequence[str], prog: str = "dataset") -> int:
    """Run the command; arguments and exit codes as for ``command.main``."""
    return exit_code(prog, lambda: _dataset(_parse(list(argv), prog)), "the same command resumes")


def _parse(argv: list[str], prog: str) -> argparse.Namespace:
    parser = shatter_arguments.Parser(prog=prog, description=DESCRIPTION)
    add = parser.add_argument
    add("meshes", metavar="MESH", type=Path, nargs="*", help="model files, each with one closed mesh")
    add("--breaks", metavar="N", type=_breaks, default=1, help="breaks of each mesh; default 1")
    add("--pieces", metavar="A-B", type=_pieces, help="exact number of pieces, or a range; default: the load decides")
    add("--preset", metavar="NAMES", default="", help="materials to choose from, separated by commas")
    add("--option", metavar="NAME=VALUE", action="append", default=[], help="option of the command line, such as "
        "height=0.2 or resolution=3000, or a setting of --list-settings; repeatable")  # fmt: skip
    add("--seed", metavar="N", type=int, default=0, help="seed of impacts, materials and cracks; default 0")
    add("--subset", metavar="NAME", default="fracture", help="name of the folder and of the lists; default fracture")
    add("--format", choices=break_files.FORMATS, default="obj", help="PLY has the label of each face; default obj")
    many_runs.add_options(parser)
    arguments = parser.parse_intermixed_args(argv)
    if bool(arguments.meshes) == (arguments.run is not None or arguments.collect):
        parser.error("give MESH files, or --run or --collect for a folder with results")
    if not re.fullmatch(r"\w[\w-]*", arguments.subset):
        parser.error(f"--subset {arguments.subset}: this is no name of a folder; use letters, digits, - and _")
    return arguments


def _dataset(arguments: argparse.Namespace) -> int:
    folder = arguments.output.resolve()
    if arguments.meshes:
        plan = _plan(arguments)
        results.open_for(plan, folder)
        names = sorted({str(run.values["mesh"]) for run in plan.runs})
        break_files.write_split(folder, arguments.subset, names)
    else:
        plan = results.read_plan(folder)
    return many_runs.execute(plan, arguments, lambda place, run: _execute(folder, place, run))


def _plan(arguments: argparse.Namespace) -> Plan:
    """Return runs of up to ``BREAKS_A_RUN`` breaks, after a check of all options.

    Raises:
        SettingsError: A file, an option or a value is wrong.
    """
    options = []
    for option in arguments.option:
        name, sign, value = option.partition("=")
        if not sign:
            raise SettingsError(f"--option {option} has no value; write it like resolution=3000")
        options.append(as_argument(name.strip(), value.strip()))
    materials = [name for name in arguments.preset.split(",") if name]
    if unknown := [name for name in materials if presets.find(name) is None]:
        raise SettingsError(f"the material '{unknown[0]}' does not exist; choose from {presets.known()}")
    recipe = {"pieces": arguments.pieces, "presets": materials, "seed": arguments.seed,
              "subset": arguments.subset, "format": arguments.format}  # fmt: skip
    runs: list[Run] = []
    meshes = [path.resolve() for path in arguments.meshes]
    for path in meshes:
        name = f"{path.parent.name or 'mesh'}/{path.stem}"
        if any(run.values["mesh"] == name and run.arguments[0] != str(path) for run in runs):
            raise SettingsError(f"two meshes have the name {name}; rename the file or the folder of one")
        _check(str(path), options)
        for first in range(0, arguments.breaks, BREAKS_A_RUN):
            values = {"mesh": name, "first": first, "count": min(BREAKS_A_RUN, arguments.breaks - first)}
            runs.append(Run(len(runs) + 1, values, (str(path), json.dumps(recipe), *options)))
    if len({run.arguments[0] for run in runs}) < len(meshes):
        raise SettingsError("a mesh is given twice; remove one of them")
    return Plan("dataset", arguments.subset, digests(meshes), tuple(runs), False)


def _check(path: str, options: Sequence[str]) -> None:
    impact = _impact(np.array([1.0, 0.0, 0.0]))
    with folders.temporary() as place:
        found = shatter_arguments.check([path, *impact, *options, f"--output={place / 'x.blend'}"], "dataset")
    if len(objects := prepared(found)) != 1:
        names = ", ".join(obj.name for obj in objects)
        raise SettingsError(f"'{path}' contains {len(objects)} objects ({names}); choose one with --option object=NAME")


def _impact(direction: np.ndarray) -> list[str]:
    heading = ",".join(f"{value:.6f}" for value in direction)
    return ["--scenario=impact", "--frames=1-24", f"--direction={heading}"]


def _execute(folder: Path, place: Path, run: Run) -> tuple[int, str]:
    """Make all breaks of a run that are missing; a break that fails does not stop the others."""
    bodies, faults, start = [], [], time.perf_counter()
    first, count = int(run.values["first"]), int(run.values["count"])
    recipe, mesh = json.loads(run.arguments[1]), str(run.values["mesh"])
    for index in range(first, first + count):
        done = break_files.labels_path(folder, recipe["subset"], mesh, index)
        if not done.exists():
            try:
                pieces, facts = _break(run, recipe, index)
                break_files.write_break(folder, recipe["subset"], mesh, index, pieces, facts, recipe["format"])
            except FractureError as error:
                faults.append(f"break {index}: {error}")
                sys.stderr.write(f"{mesh}, {faults[-1]}\n")
                continue
        bodies.append(json.loads(done.read_text(encoding="utf-8")))
    if faults:
        return FAILED, "; ".join(faults)
    report = {"seconds": {"simulating": round(time.perf_counter() - start, 3)}, "bodies": bodies}
    with files.replacing(place / results.REPORT, sync=True) as part:
        part.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    return 0, ""


def _break(run: Run, recipe: dict[str, Any], index: int) -> tuple[list[Piece], dict[str, Any]]:
    """Break a mesh once, from a random side, into the wanted number of pieces.

    Each attempt has another seed. After too few pieces, the next one asks for more; too many are merged.

    Raises:
        FractureError: A run failed, or no attempt gave enough pieces.
    """
    mesh = str(run.values["mesh"])
    random = np.random.default_rng([recipe["seed"], zlib.crc32(mesh.encode()), index])
    direction = random.normal(size=3)
    low, high = recipe["pieces"] or (0, 0)
    wanted = int(random.integers(low, high + 1))
    material = [f"--preset={random.choice(recipe['presets'])}"] if recipe["presets"] else []
    seeds = random.integers(0, 2**31 - 1, ATTEMPTS)
    pieces: list[Piece] = []
    for attempt, seed in enumerate(seeds):
        asked = math.ceil(wanted * GROWTH**attempt)
        count = [f"--pieces={asked}"] if wanted else [f"--violence={GROWTH**attempt:.4f}"] if attempt else []
        line = [run.arguments[0], *_impact(direction), *material, f"--seed={seed}", *run.arguments[2:], *count]
        body, pieces, report = _shattered(line)
        found = len(pieces)
        if wanted:  # pieces without a neighbour are not merged
            pieces = merged(pieces, wanted)
        if len(pieces) == wanted or (found > 1 and not wanted):
            break
    else:
        raise SolverDivergedError(
            f"'{mesh}' broke into {len(pieces)} pieces instead of {max(wanted, 2)} in {ATTEMPTS} attempts; raise the "
            "resolution"
        )
    facts = {
        "mesh": mesh,
        "index": index,
        "fragments": len(pieces),
        "wanted": wanted or None,
        "attempts": attempt + 1,
        "merged": found - len(pieces),
        "closed": sum(is_closed(piece.surface.faces) for piece in pieces),
        "volume_error": total_volume(pieces) / report["volume"] - 1.0,
        "seed": int(seed),
        "method": body.settings.method,
        "material": _plain(body.material),
        "impact": {name: np.asarray(getattr(body.impacts[0], name)).tolist()
                   for name in ("frame", "point", "direction", "strength", "radius")},
        **{name: report[name] for name in ("cells", "load_factor", "warnings", "breaks", "dust_count")},
    }  # fmt: skip
    return pieces, facts


def _shattered(line: Sequence[str]) -> tuple[Body, list[Piece], dict[str, Any]]:
    """Run a command line without writing a scene; return the body, its pieces and its report.

    Raises:
        FractureError: The run failed.
    """
    with folders.temporary() as place:
        arguments = shatter_arguments.parse([*line, f"--output={place / 'x.blend'}"], "dataset")
    objects = prepared(arguments)
    context: Any = bpy.context
    job = read_job(context, objects, settings.frame_range(context.scene), {})
    recording, _ = run_job(job, None, extension.job_folder())
    return job.bodies[0], pieces_of(recording), dict(recording.report["bodies"][0])


def _plain(material: Any) -> dict[str, Any]:
    values = {item.name: getattr(material, item.name) for item in dataclasses.fields(material)}
    return {name: value for name, value in values.items() if isinstance(value, str | int | float | bool)}


def _breaks(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text[:9]) <= MOST_BREAKS:
        raise argparse.ArgumentTypeError(f"'{text}' is out of range; choose 1 to {MOST_BREAKS}")
    return int(text)


def _pieces(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d{1,6})(?:-(\d{1,6}))?", text)
    low, high = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
    if not 2 <= low <= high:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number of pieces; write it like 8 or 2-20")
    return low, high
