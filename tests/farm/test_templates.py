"""Job files for render managers."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from fracture_addon.farm import results, templates
from tests.farm import plans

# Stands for the program: notes its arguments in the folder of the results, which is the argument after --output.
RECORDER = """
import sys
from pathlib import Path
folder = Path(sys.argv[sys.argv.index("--output") + 1])
(folder / ("_".join(sys.argv[1:2] + sys.argv[4:]) + ".called")).touch()
"""

# Calls the job type as Flamenco does, and prints its tasks.
HARNESS = """
const author = {
    Task: (name, type) => ({ name, type, commands: [], dependencies: [],
        addCommand(command) { this.commands.push(command) },
        addDependency(task) { this.dependencies.push(task.name) } }),
    Command: (name, parameters) => ({ name, parameters }),
};
const tasks = [];
compileJob({ settings: JSON.parse(process.argv[2]), addTask: task => tasks.push(task) });
console.log(JSON.stringify({ type: JOB_TYPE, tasks }));
"""


@pytest.fixture
def folder(tmp_path):
    results.open_for(plans.plan(3), tmp_path / "out")
    return tmp_path / "out"


def openjd(*arguments):
    pytest.importorskip("openjd.cli")
    program = Path(sys.executable).with_name("openjd")
    return subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, cwd="/")


def test_an_open_job_description_runs_each_run_and_then_the_page(folder, tmp_path):
    recorder = tmp_path / "recorder.py"
    recorder.write_text(RECORDER)
    templates.write_openjd(plans.plan(3), folder, [sys.executable, str(recorder)])
    checked = openjd("check", folder / templates.OPENJD_FILE)
    assert checked.returncode == 0, checked.stdout
    done = openjd("run", folder / templates.OPENJD_FILE)
    assert done.returncode == 0, done.stdout
    called = sorted((path.stat().st_mtime_ns, path.stem) for path in folder.glob("*.called"))
    assert {name for _, name in called} == {"wedge_--run_1", "wedge_--run_2", "wedge_--run_3", "wedge_--collect"}
    assert called[-1][1] == "wedge_--collect"


def test_an_open_job_description_reports_a_failed_run(folder):
    templates.write_openjd(plans.plan(3), folder, [sys.executable, "-c", "import sys; sys.exit(4)"])
    assert openjd("run", folder / templates.OPENJD_FILE).returncode != 0


def test_the_job_type_of_flamenco_makes_a_task_for_each_run(folder, tmp_path):
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    templates.write_flamenco(plans.plan(3), folder, ["/opt/blender", "--command"])
    job = json.loads((folder / templates.FLAMENCO_FILE).read_text())
    script = tmp_path / "job.js"
    script.write_text(templates.FLAMENCO_SCRIPT.read_text() + HARNESS)
    ended = subprocess.run([node, script, json.dumps(job["settings"])], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    found = json.loads(ended.stdout)
    *runs, page = found["tasks"]
    assert [task["name"] for task in runs] == ["run-1", "run-2", "run-3"]
    assert page["dependencies"] == ["run-1", "run-2", "run-3"]
    assert runs[1]["commands"] == [
        {
            "name": "exec",
            "parameters": {
                "exe": "/opt/blender",
                "args": ["--command", "wedge", "--output", str(folder), "--run", "2"],
            },
        }
    ]
    assert page["commands"][0]["parameters"]["args"][-1] == "--collect"
    assert {setting["key"] for setting in found["type"]["settings"]} == set(job["settings"])


def test_the_job_of_flamenco_has_the_type_that_the_script_defines(folder):
    templates.write_flamenco(plans.plan(3), folder, ["/opt/blender", "--command"])
    job = json.loads((folder / templates.FLAMENCO_FILE).read_text())
    assert job["type"] == "fracture-wedge"
    assert set(job) == {"name", "type", "priority", "submitter_platform", "settings"}
    text = templates.FLAMENCO_SCRIPT.read_text()
    assert "const JOB_TYPE = {" in text
    assert "function compileJob(job) {" in text
