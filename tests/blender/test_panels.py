"""The panel shows what the chosen method heeds, and nothing else."""

import bpy
import pytest

from fracture_addon.blender.panels import cracks, places, sections


class Drawn:
    """A layout that notes the names of the properties which are drawn into it."""

    def __init__(self, names=None):
        self.names = set() if names is None else names

    def prop(self, _group, name, **_options):
        self.names.add(name)

    def prop_search(self, _group, name, *_others, **_options):
        self.names.add(name)

    def __getattr__(self, name):
        if name in ("column", "row", "box", "split", "grid_flow"):
            return lambda **_options: Drawn(self.names)
        return lambda *_arguments, **_options: Drawn()


def drawn(panel, obj) -> set[str]:
    """Names of the properties that a panel shows of an object."""
    if not panel.poll(bpy.context):
        return set()
    layout = Drawn()
    stand_in = type("Panel", (), {"layout": layout, "column": lambda self, context: (layout, obj.fracture)})()
    panel.draw(stand_in, bpy.context)
    return layout.names


@pytest.mark.parametrize(
    ("panel", "name", "methods"),
    [
        (cracks.FRACTURE_PT_cracks, "bonds", {"NETWORK"}),
        (cracks.FRACTURE_PT_cracks, "crack_growth", {"NETWORK"}),
        (cracks.FRACTURE_PT_cracks, "lattice", {"LATTICE"}),
        (cracks.FRACTURE_PT_cracks, "contact", {"FEM"}),
        (sections.FRACTURE_PT_impact, "impact_load", {"NETWORK", "FEM"}),
        (cracks.FRACTURE_PT_strength, "density_noise", {"NETWORK"}),
        (cracks.FRACTURE_PT_strength, "tempering_mpa", {"NETWORK", "FEM"}),
        (cracks.FRACTURE_PT_strength, "separation_force", {"FEM"}),
        (cracks.FRACTURE_PT_strength, "noise", {"NETWORK", "LATTICE", "FEM"}),
        (sections.FRACTURE_PT_material, "yield_strength_mpa", {"FEM"}),
        (places.FRACTURE_PT_places, "density_paint", {"NETWORK"}),
        (places.FRACTURE_PT_places, "strength_paint", {"NETWORK", "LATTICE", "FEM"}),
        (cracks.FRACTURE_PT_crack_faces, "relief", {"NETWORK", "LATTICE", "FEM"}),
    ],
)
def test_a_control_is_there_where_it_acts(cube, panel, name, methods):
    shown = set()
    for method in ("NETWORK", "LATTICE", "FEM"):
        cube.fracture.method = method
        if name in drawn(panel, cube):
            shown.add(method)
    assert shown == methods


def test_pins_are_where_the_object_moves_or_deforms(cube):
    """Once, with every method."""
    found = set()
    for method in ("NETWORK", "LATTICE", "FEM"):
        for dynamics in ("RIGID", "DEFORMABLE"):
            cube.fracture.method, cube.fracture.dynamics = method, dynamics
            panels = (sections.FRACTURE_PT_motion, sections.FRACTURE_PT_deforming)
            found.add((dynamics, *("pin_group" in drawn(panel, cube) for panel in panels)))
    assert found == {("RIGID", True, False), ("DEFORMABLE", False, True)}


def test_load_steps_are_those_of_levels_with_point_bonds(cube):
    shown = {}
    for bonds in ("FULL", "POINT"):
        for loading in ("RAMP", "EVENTS"):
            cube.fracture.bonds, cube.fracture.loading = bonds, loading
            shown[bonds, loading] = drawn(cracks.FRACTURE_PT_cracks, cube) & {"loading", "load_steps"}
    both = {"loading", "load_steps"}
    assert [key for key, names in shown.items() if names == both] == [("POINT", "RAMP")]
    assert all("loading" in names for names in shown.values())
