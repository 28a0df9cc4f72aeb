"""With every method and dynamics, a setting changes the recording or the table says that it does not."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest

from fracture_addon.core.data import arrays
from fracture_addon.core.data.errors import FractureError
from fracture_addon.core.data.job import AuthoredImpact, Body, Job, Settings
from fracture_addon.core.data.material import PORCELAIN, Material
from fracture_addon.core.data.placed_fields import (
    Alternation,
    CleavingPlane,
    GrainDirection,
    PaintedField,
    Region,
    WeakSheet,
)
from fracture_addon.core.data.settings.settings import groups
from fracture_addon.core.data.surface import Surface, joined
from fracture_addon.core.methods import table
from fracture_addon.core.methods.capabilities import THERMAL
from fracture_addon.core.timeline.timeline import simulate
from tests import shapes
from tests.core.timeline_scenes import DOWN, FLOOR

KINDS = [("network", "rigid"), ("lattice", "rigid"), ("fem", "rigid"), ("lattice", "deformable"), ("fem", "deformable")]
# Soft enough for few time steps.
CHALK = Material("Chalk", 1500.0, 1e6, 0.25, 2e4, 2e5, 1e3, strength_variation=0.1)
BLOCK = shapes.box((0.1, 0.06, 0.08), (0.0, 0.0, 0.041))
CUP = Surface(BLOCK.points, BLOCK.faces[2:])
TWO = joined([shapes.box((0.04, 0.06, 0.08), (x, 0.0, 0.041)) for x in (-0.03, 0.03)])
STILL = np.array([[0.0, 0.0, 0.041, 1.0, 0.0, 0.0, 0.0]])
PAINT = PaintedField(BLOCK.points, BLOCK.faces, (BLOCK.points[:, 0] > 0.0).astype(float), 3.0)
SLAB = shapes.box((1.0, 1.0, 0.3), (0.0, 0.0, 0.2))
CENTER = np.array([0.02, 0.0, 0.06])
SHEET = WeakSheet([[0.0, -1, -1], [0, 1, -1], [0, 1, 1], [0, -1, 1]], [[0, 1, 2], [0, 2, 3]])
COARSE = {"relief": "granular"}
ROUGH = {**COARSE, "roughness": 0.8}
DEEP = {**ROUGH, "fractal_depth": 2}
NOISY = {"noise": 0.8}
VARIED = {"noise": 0.8, "noise_kind": "thresholded"}
POINTS = {"bonds": "point"}
FLOWS = {"creep": 20.0}
FINE = {"cell_count": 120, "loading": "events"}
WOOD = {"grain_strength_ratio": 8.0}
YIELDS = {"yield_strength": 0.5}

WAITS = {"activation": "event"}
HELD = {**WAITS, "activation_speed": 0.0}
# Another value of each setting, and what it needs to act: settings, material values, values of the body. Where it can
# be, what one needs is what another changes to, so that fewer runs are needed.
CHANGES = {
    "seed": (9,),
    "repair": (False, {}, {}, {"surface": CUP}),
    "wall_thickness": (0.02, {"openings": "hollow"}, {}, {"surface": CUP}),
    "openings": ("hollow", {}, {}, {"surface": CUP}),
    "islands": ("separate", {}, {}, {"surface": TWO}),
    "cell_count": (90,),
    "lattice": ("cubes",),
    "diagonals": ("both", {"lattice": "cubes"}),
    "interior_points": ("uniform",),
    "wall_layers": (3, {}, {}, {"surface": shapes.box((0.1, 0.06, 0.01), (0.0, 0.0, 0.0765))}),
    "impact_fineness": (3.0,),
    "impact_reach": (0.5, {"impact_fineness": 3.0}),
    "fineness_regions": ((Region(CENTER, 0.03, fineness=3.0),),),
    "painted_fineness": (PAINT,),
    "noise": (0.8,),
    "noise_kind": ("thresholded", NOISY),
    "noise_size": (0.5, NOISY),
    "noise_threshold": (0.2, VARIED),
    "area_exponent": (1.0,),
    "volume_exponent": (1.0,),
    "density_noise": (0.5,),
    "tempering": (5e7,),
    "prior_stress": (2e7, {"painted_stress": PAINT}),
    "painted_stress": (PAINT, {"prior_stress": 2e7}),
    "film_thickness": (1e-3,),
    "bar_diameter": (0.01,),
    "bar_spacing": (5.0, {"bar_diameter": 0.01}, {}, {"surface": SLAB}),
    "grain": (np.array([1.0, 0.0, 0.0]), {}, WOOD),
    "grains": ((GrainDirection(np.zeros(3), np.array([1.0, 0.2, 0.0])),), {}, WOOD),
    "planes": ((CleavingPlane(np.zeros(3), np.array([1.0, 0.0, 0.0])),),),
    "sheets": ((SHEET,),),
    "regions": ((Region(CENTER, 0.05, 0.3),),),
    "alternations": ((Alternation(np.array([1.0, 0.0, 0.0]), 0.03),),),
    "painted_strength": (PAINT,),
    "painted_second_strength": (PAINT,),
    "painted_density": (PAINT,),
    "bonds": ("point",),
    "loading": ("events",),
    "load_steps": (3, POINTS),
    "creep": (20.0,),
    "yield_share": (0.02, FLOWS),
    "self_collision": (True, {"softening": 30.0, "threshold": 100.0}, {}, {"velocity": 12.0 * DOWN}),
    "integrator": ("euler",),
    "contact": ("node",),
    "separation_force": (5.0,),
    "crack_speed": (0.5,),
    "crack_passes": (4,),
    "time_steps": ("implicit",),
    "violence": (1.7,),
    "crack_function": ("none",),
    "crack_growth": (0.1,),
    "crack_sharpness": (1.0,),
    "impact_schedule": (((0.0, 1.0), (0.2, 1.0), (1.0, 0.0)),),
    "piece_count": (2,),
    "painted_dust": (PAINT, {"dust": "debris", "violence": 0.4}),
    "dust": ("debris", {"dust_volume": 0.3}),
    "dust_volume": (0.3,),
    "velocity_fit": ("centroids", FINE),
    "relief": ("granular",),
    "roughness": (0.8, COARSE),
    "relief_size": (2.0, ROUGH),
    "fractal_depth": (2, ROUGH),
    "fractal_amplitude": (0.4, DEEP),
    "wall_smoothing": (0,),
    "chips": (0.9, FINE),
    "face_budget": (1000, DEEP),
    "softening": (3.0,),
    "threshold": (0.5,),
    "pinned": (PAINT, {}, {}, {"track": STILL}),
    "activation": ("event", {"activation_speed": 0.0}, {}, {"track": STILL}),
    "order": (PAINT, HELD, {}, {"track": STILL}),
    "order_start": (3, {**HELD, "order": PAINT}, {}, {"track": STILL}),
    "order_end": (2, {**HELD, "order": PAINT}, {}, {"track": STILL}),
    "activation_distance": (1e-6, {**HELD, "order": PAINT}, {}, {"track": STILL}),
    "activation_speed": (0.0, WAITS, {}, {"track": STILL}),
    "density": (3000.0,),
    "young_modulus": (0.5,),
    "poisson_ratio": (0.4,),
    "tensile_strength": (5.0,),
    "compressive_strength": (0.5,),
    # A stronger block, which the impact cracks but does not crush.
    "toughness": (10.0, {}, {"tensile_strength": 5.0}),
    "strength_variation": (0.6,),
    "grain_strength_ratio": (8.0,),
    "grain_stiffness_ratio": (2.0, {}, WOOD),
    "friction": (0.05,),
    "restitution": (0.9,),
    "yield_strength": (0.5,),
    "hardening": (5.0, {}, YIELDS),
    "plastic_limit": (0.01, {}, YIELDS),
    "dilation_damping": (1e4,),
    "rigidity_damping": (1e4,),
}
# Given above as multiples of the material's own value, and of its tensile strength.
OF_ITSELF = ("young_modulus", "tensile_strength", "toughness")
OF_STRENGTH = ("compressive_strength", "yield_strength", "hardening")
# The kinds choose the dynamics, and a material's name is for messages. Breaks of fragments and bodies that stand take
# larger bodies: they are tested in test_breaking_again.py and test_collapse.py; temperature in test_thermal_shocks.py.
ELSEWHERE = {"dynamics", "name", "break_depth", "own_weight", *THERMAL}
MATERIAL = {item.name for item in fields(Material)}


def material_of(base, values):
    """Return a material with changed values, of which those in Pa are multiples."""
    scaled = dict(values)
    for name in scaled.keys() & {*OF_ITSELF, *OF_STRENGTH}:
        scaled[name] *= getattr(base, name) if name in OF_ITSELF else base.tensile_strength
    return replace(base, **scaled)


def job(kind, settings, material, body):
    """Return a block on a floor under an impact."""
    method, dynamics = kind
    deforms = dynamics == "deformable"
    base = {"softening": 1.0} if deforms else {"dust_volume": 0.002, "break_depth": 1}
    chosen = Settings.of(**{"method": method, "dynamics": dynamics, "cell_count": 40, "seed": 3, **base, **settings})
    values = {"surface": BLOCK, "velocity": 3.0 * DOWN if deforms else np.zeros(3), **body}
    top = values["surface"].points[:, 2].max()
    impact = AuthoredImpact(1, np.array([0.02, 0.01, top]), DOWN, 1.5 if deforms else 6.0)
    made = material_of(CHALK if deforms else PORCELAIN, material)
    # A deformable body has met the impact and the floor on the second frame; parts of a fast one meet on the third.
    end = 2 if deforms and "velocity" not in body else 3
    return Job((Body("Block", material=made, settings=chosen, impacts=(impact,), **values),), (FLOOR,), 1, end)


OUTCOMES = {}


def outcome(kind, settings, material, body):
    """Return the digest of a recording, or the message of an error. Several settings share runs."""
    values = (sorted((name, repr(value)) for name, value in part.items()) for part in (settings, material))
    key = repr((kind, *values, sorted((name, id(value)) for name, value in body.items())))
    if key not in OUTCOMES:
        try:
            OUTCOMES[key] = arrays.digest(simulate(job(kind, settings, material, body), lambda *_: None))
        except FractureError as error:
            OUTCOMES[key] = str(error)
    return OUTCOMES[key]


def changed(kind, name):
    """Return whether the outcome changes with a setting."""
    value, settings, material, body = (*CHANGES[name], {}, {}, {})[:4]
    before = outcome(kind, settings, material, body)
    return before != outcome(kind, *with_value(kind, name, value, settings, material), body)


def with_value(kind, name, value, settings, material):
    """Return settings and material values with another value of one."""
    if kind[1] == "deformable":
        value = 1e-5 * value if name in ("tempering", "prior_stress") else value
        settings = (
            settings | {"prior_stress": 1e-5 * settings["prior_stress"]} if "prior_stress" in settings else settings
        )
    return (settings, {**material, name: value}) if name in MATERIAL else ({**settings, name: value}, material)


def unused(kind):
    """Return the names of the settings that have no effect."""
    return set(table.METHODS[kind[0]].capabilities.unused(deforms=kind[1] == "deformable"))


def test_every_setting_is_changed():
    settings = {item.name for group in groups(Settings).values() for item in fields(group)}
    assert set(CHANGES) == (settings | {"seed"} | MATERIAL) - ELSEWHERE
    assert all(unused(kind) <= set(CHANGES) | ELSEWHERE for kind in KINDS)


@pytest.mark.parametrize("kind", KINDS, ids="-".join)
def test_every_setting_acts_unless_the_table_says_that_it_does_not(kind):
    assert {name for name in set(CHANGES) - unused(kind) if not changed(kind, name)} == set()


@pytest.mark.parametrize("kind", KINDS, ids="-".join)
def test_no_setting_acts_that_has_no_effect_by_the_table(kind):
    settings, material = {}, {}
    for name in sorted(unused(kind) - ELSEWHERE):
        settings, material = with_value(kind, name, CHANGES[name][0], settings, material)
    assert outcome(kind, settings, material, {}) == outcome(kind, {}, {}, {})
