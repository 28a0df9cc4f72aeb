"""Messages name the object that they are about."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fracture_addon.core.data.errors import FractureError, SettingsError, SolverDivergedError, about
from fracture_addon.core.data.job import Settings
from fracture_addon.core.methods.network import method as network
from tests.core.timeline_scenes import block, run, tap


def test_the_name_is_put_in_front_once():
    with pytest.raises(SolverDivergedError, match=r"^'jar': no rest; try another seed$"), about("jar"):
        raise SolverDivergedError("no rest; try another seed")
    with pytest.raises(SettingsError, match=r"^the seed of 'jar' is odd; use 2$"), about("jar"):
        raise SettingsError("the seed of 'jar' is odd; use 2")


def test_a_solver_that_fails_names_the_object(monkeypatch):
    def fail(*_):
        raise SolverDivergedError("the forces did not settle; try another seed")

    monkeypatch.setattr(network, "initial_state", fail)
    body = block(settings=Settings.of(cell_count=100), impacts=(tap(2.0),))
    with pytest.raises(FractureError, match=r"^'block': the forces did not settle"):
        run(body)


def test_more_softening_than_finite_elements_bear_is_refused_with_the_name():
    settings = Settings.of(method="fem", dynamics="deformable", cell_count=100, softening=1e6)
    body = block(settings=settings)
    soft = replace(body.material, young_modulus=1e6)
    with pytest.raises(SettingsError, match=r"'block' is softened 1e\+06 times.*lower the softening"):
        run(replace(body, material=soft))
