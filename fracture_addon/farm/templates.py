"""Job files for render managers: an Open Job Description template, and a job for Flamenco 3."""

from __future__ import annotations

import json
import platform
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..core.data.errors import WorkerError
from ..core.storage import files
from .plan import Plan

# The job type of Flamenco, in JavaScript. Flamenco names the type after the file: fracture-wedge.
FLAMENCO_SCRIPT = Path(__file__).with_name("fracture_wedge.js")
OPENJD_FILE, FLAMENCO_FILE = "template.json", "flamenco_job.json"


def write_openjd(plan: Plan, folder: Path, program: Sequence[str]) -> list[str]:
    """Write an Open Job Description template (2023-09): one task for each run, then the page of results.

    The folder with the template is a job bundle of Deadline Cloud.

    Args:
        plan: The plan of the folder.
        folder: Folder of the results.
        program: Command line of this program up to the name of the command.

    Returns:
        Two commands that check and run the template.

    Raises:
        WorkerError: The file cannot be written.
    """
    path = _write(folder / OPENJD_FILE, _openjd(plan, program))
    return [f"openjd check {path}", f"openjd run {path}"]


def write_flamenco(plan: Plan, folder: Path, program: Sequence[str]) -> list[str]:
    """Write a job of the type of ``FLAMENCO_SCRIPT``; arguments and errors as for ``write_openjd``.

    Returns:
        Two commands that install the job type and submit the job.
    """
    job = {
        "name": f"{plan.title} ({plan.command})",
        "type": FLAMENCO_SCRIPT.stem.replace("_", "-"),
        "priority": 50,
        "submitter_platform": platform.system().lower(),
        "settings": {
            "program": json.dumps([*program, plan.command]),
            "folder": str(folder),
            "runs": len(plan.runs),
        },
    }
    path = _write(folder / FLAMENCO_FILE, job)
    send = f"curl -H 'Content-Type: application/json' -d @{path} http://MANAGER:8080/api/v3/jobs"
    return [f"cp {shlex.quote(str(FLAMENCO_SCRIPT))} FLAMENCO/scripts/", send]


def _openjd(plan: Plan, program: Sequence[str]) -> dict[str, Any]:
    first, *rest = program
    name = "{{Param.Folder}}"

    def script(*arguments: str) -> dict[str, Any]:
        output = ["{{Param.Program}}", *rest, plan.command, "--output", name, *arguments]
        return {"actions": {"onRun": {"command": output[0], "args": output[1:]}}}

    numbers = {"name": "Run", "type": "INT", "range": f"1-{len(plan.runs)}"}
    return {
        "specificationVersion": "jobtemplate-2023-09",
        "name": f"Fracture {plan.command}: {plan.title}"[:128],
        "parameterDefinitions": [
            {
                "name": "Folder",
                "type": "PATH",
                "objectType": "DIRECTORY",
                "dataFlow": "INOUT",
                "default": ".",  # relative to the template, as the specification demands
                "description": "Folder of the results, which contains this template.",
            },
            {
                "name": "Program",
                "type": "STRING",
                "default": first,
                "description": "Python with the bpy module, or Blender with the extension.",
            },
        ],
        "steps": [
            {
                "name": "Runs",
                "parameterSpace": {"taskParameterDefinitions": [numbers]},
                "script": script("--run", "{{Task.Param.Run}}"),
            },
            {"name": "Page", "dependencies": [{"dependsOn": "Runs"}], "script": script("--collect")},
        ],
    }


def _write(path: Path, content: dict[str, Any]) -> str:
    try:
        with files.replacing(path, sync=True) as part:
            part.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise WorkerError(f"'{path}' cannot be written ({error.strerror or error}); free some space") from error
    return shlex.quote(str(path))
