"""The worker and the benchmarks compute with the same thread settings."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from fracture_addon import thread_settings

ROOT = Path(__file__).resolve().parents[2]
CODE = "import sys, os; import {0}; print({{name: os.environ.get(name) for name in sys.argv[1:]}})"


@pytest.mark.parametrize("module", ["fracture_addon.worker", "benchmarks"])
def test_a_process_sets_its_threads_before_numpy_is_imported(module):
    names = [*thread_settings.ONE_THREAD, *thread_settings.SLEEPING]
    environment = {name: value for name, value in os.environ.items() if name not in names}
    ended = subprocess.run(
        [sys.executable, "-c", CODE.format(module), *names], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert ended.returncode == 0, ended.stderr
    assert eval(ended.stdout) == dict.fromkeys(thread_settings.ONE_THREAD, "1") | thread_settings.SLEEPING


def test_the_settings_need_no_library():
    code = "import sys; import fracture_addon.thread_settings; print({'numpy', 'numba'} & set(sys.modules))"
    ended = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert ended.stdout == "set()\n"


def test_a_wait_policy_of_the_user_stays(monkeypatch):
    monkeypatch.setenv("OMP_WAIT_POLICY", "ACTIVE")
    for name in thread_settings.ONE_THREAD:
        monkeypatch.setenv(name, "4")
    thread_settings.apply()
    assert os.environ["OMP_WAIT_POLICY"] == "ACTIVE"
    assert os.environ["OMP_NUM_THREADS"] == "1"
