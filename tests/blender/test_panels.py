"""The panel has three levels. It greys out what the object's method does not read."""

import re
from types import SimpleNamespace

import bpy
import pytest

from fracture_addon.blender.operators import CLASSES
from fracture_addon.blender.panels import advanced, controls, main, menus, place, sections, status_bar
from fracture_addon.blender.process import run
from fracture_addon.blender.read import settings
from fracture_addon.blender.read.job import read_job
from fracture_addon.blender.write import bake
from tests.blender import halves


class Drawn:
    """A layout that notes the properties and operators that are drawn and not greyed out, and the texts of labels."""

    def __init__(self, parent=None):
        self.parent, self.enabled = parent, True
        self.names = set() if parent is None else parent.names
        self.labels = [] if parent is None else parent.labels

    @property
    def is_enabled(self):
        return self.enabled and (self.parent is None or self.parent.is_enabled)

    def prop(self, _group, name, **_options):
        if self.is_enabled:
            self.names.add(name)

    def prop_search(self, group, name, *_others, **_options):
        self.prop(group, name)

    def operator(self, name, **_options):
        self.names.add(name)
        return Drawn()

    def label(self, text="", **_options):
        self.labels.append(text)

    def __getattr__(self, name):
        if name in ("column", "row", "box", "split", "grid_flow"):
            return lambda **_options: Drawn(self)
        return lambda *_arguments, **_options: Drawn()


def drawn(panel, obj, layout=None) -> set[str]:
    """Names of the properties and operators of an object that a panel lets the artist use."""
    if not panel.poll(bpy.context):
        return set()
    layout = Drawn() if layout is None else layout
    members = {name: getattr(panel, name) for name in ("rows", "is_split", "_draw_preview") if hasattr(panel, name)}
    own = {"layout": layout, "column": lambda self, context: (layout, obj.fracture)}
    panel.draw(type("Panel", (), {**members, **own})(), bpy.context)
    return layout.names


@pytest.mark.parametrize(
    ("kind", "factor", "is_shown"), [("GRIP", 0.9, True), ("GRIP", 1.1, False), ("BLAST", 0.9, False)]
)
def test_the_panel_of_a_grip_says_when_it_breaks_nothing(cube, kind, factor, is_shown):
    """At once: the run that shows it takes seconds."""
    bpy.ops.fracture.add_place(kind=kind, select=True)
    empty, layout = bpy.context.object, Drawn()
    empty.fracture.place_relative, empty.fracture.place_load_factor = True, factor
    drawn(place.FRACTURE_PT_place, empty, layout)
    assert ("Below 1 nothing breaks" in layout.labels) == is_shown


def first_level(obj) -> set[str]:
    """Names that the main panel shows above its report."""
    panel = type("Panel", (), {"layout": Drawn(), "_draw_loads": main.FRACTURE_PT_main._draw_loads})()
    main.FRACTURE_PT_main._draw_settings(panel, bpy.context, obj)
    main.FRACTURE_PT_main._draw_run(panel, bpy.context)
    return panel.layout.names


def run_labels() -> list[str]:
    """Texts that the main panel shows around its buttons."""
    panel = type("Panel", (), {"layout": Drawn()})()
    main.FRACTURE_PT_main._draw_run(panel, bpy.context)
    return panel.layout.labels


def test_while_the_artist_paints_no_hint_names_buttons_that_are_off(cube, monkeypatch):
    monkeypatch.setattr(main.hints, "hint", lambda *_: "Next: press Shatter")
    assert "Next: press Shatter" in run_labels()
    bpy.ops.object.mode_set(mode="WEIGHT_PAINT")
    assert "Next: press Shatter" not in run_labels()
    bpy.ops.object.mode_set(mode="OBJECT")
    assert "Next: press Shatter" in run_labels()


def test_the_expected_stress_is_offered_once(cube, monkeypatch):
    """While the artist paints, at the top, where the panel is never collapsed."""
    monkeypatch.setattr(main, "characters_of", lambda _context: 40)  # there is no sidebar here

    def offered():
        panel = type("Panel", (), {"layout": Drawn()})()
        main.FRACTURE_PT_main._draw_result(panel, bpy.context, cube)
        return [
            "fracture.expected_stress" in names
            for names in (panel.layout.names, drawn(sections.FRACTURE_PT_where, cube))
        ]

    assert offered() == [False, True]
    bpy.ops.object.mode_set(mode="WEIGHT_PAINT")
    assert offered() == [True, False]
    bpy.ops.object.mode_set(mode="OBJECT")


def test_no_hint_says_to_play_the_break_where_nothing_broke(cube, monkeypatch):
    """The report says what to do."""
    monkeypatch.setattr(main.hints, "hint", lambda *_: "Next: play the break")
    cube.fracture.resolution, cube.fracture.violence = 200, 0.0
    bpy.ops.fracture.drop(height=0.001)
    bpy.ops.fracture.shatter()
    assert "Next: play the break" not in run_labels()
    cube.fracture.violence = 50.0
    bpy.ops.fracture.drop(height=1.0)
    bpy.ops.fracture.shatter()
    assert "Next: play the break" in run_labels()


@pytest.mark.parametrize(
    ("panel", "name", "methods"),
    [
        (advanced.FRACTURE_PT_method, "bonds", {"NETWORK"}),
        (advanced.FRACTURE_PT_method, "crack_growth", {"NETWORK"}),
        (advanced.FRACTURE_PT_method, "lattice", {"LATTICE"}),
        (advanced.FRACTURE_PT_method, "contact", {"FEM"}),
        (sections.FRACTURE_PT_where, "impact_load", {"NETWORK", "FEM"}),
        (advanced.FRACTURE_PT_strength, "density_noise", {"NETWORK"}),
        (advanced.FRACTURE_PT_strength, "stress_paint", {"NETWORK", "FEM"}),
        (advanced.FRACTURE_PT_material, "tempering_mpa", {"NETWORK", "FEM"}),
        (advanced.FRACTURE_PT_method, "separation_force", {"FEM"}),
        (advanced.FRACTURE_PT_strength, "noise", {"NETWORK", "LATTICE", "FEM"}),
        (advanced.FRACTURE_PT_material, "yield_strength_mpa", {"NETWORK", "LATTICE", "FEM"}),
        (advanced.FRACTURE_PT_material, "compressive_strength_mpa", {"NETWORK", "FEM"}),
        (advanced.FRACTURE_PT_material, "poisson_ratio", {"NETWORK", "LATTICE", "FEM"}),
        (advanced.FRACTURE_PT_cells, "density_paint", {"NETWORK"}),
        (sections.FRACTURE_PT_where, "strength_paint", {"NETWORK", "LATTICE", "FEM"}),
        (sections.FRACTURE_PT_look, "relief", {"NETWORK", "LATTICE", "FEM"}),
    ],
)
def test_a_control_is_enabled_where_it_acts(cube, panel, name, methods):
    shown, cube.fracture.impact_enabled = set(), True
    for method in ("NETWORK", "LATTICE", "FEM"):
        cube.fracture.method = method
        if name in drawn(panel, cube):
            shown.add(method)
    assert shown == methods


def test_a_greyed_control_says_which_methods_read_it(cube):
    cube.fracture.method, layout = "LATTICE", Drawn()
    drawn(advanced.FRACTURE_PT_method, cube, layout)
    assert layout.labels == ["Only Network:", "Only Finite Elements:"]


def test_a_control_is_greyed_out_where_the_dynamics_do_not_use_it(cube):
    shown = {}
    cube.fracture.method = "LATTICE"
    for dynamics in ("RIGID", "DEFORMABLE"):
        cube.fracture.dynamics, layout = dynamics, Drawn()
        shown[dynamics] = drawn(sections.FRACTURE_PT_look, cube, layout)
    assert "chips" in shown["RIGID"]
    assert "chips" not in shown["DEFORMABLE"]
    assert "Only rigid bodies:" in layout.labels


def test_the_panel_says_that_a_ductile_object_keeps_its_shape(cube):
    cube.fracture.yield_strength_mpa = 20.0
    for method, said in (("NETWORK", True), ("FEM", False)):
        cube.fracture.method = method
        panel = type("Panel", (), {"layout": Drawn(), "_draw_loads": main.FRACTURE_PT_main._draw_loads})()
        main.FRACTURE_PT_main._draw_settings(panel, bpy.context, cube)
        assert any("Ductile" in label for label in panel.layout.labels) == said


def test_what_only_some_deformable_bodies_have_is_greyed_out(cube):
    cube.fracture.dynamics, found = "DEFORMABLE", {}
    lattice_only = {"creep", "yield_share"}
    for method in ("LATTICE", "FEM"):
        cube.fracture.method = method
        found[method] = drawn(sections.FRACTURE_PT_deformable, cube)
    assert {"softening", "threshold", "stiffness", "glue_object", "self_collision"} <= found["FEM"] & found["LATTICE"]
    assert lattice_only <= found["LATTICE"]
    assert not lattice_only & found["FEM"]


def test_pins_are_where_the_object_moves_or_deforms(cube):
    """Once, with every method that has deformable bodies."""
    found = set()
    for method in ("LATTICE", "FEM"):
        for dynamics in ("RIGID", "DEFORMABLE"):
            cube.fracture.method, cube.fracture.dynamics = method, dynamics
            panels = (sections.FRACTURE_PT_move, sections.FRACTURE_PT_deformable)
            found.add((dynamics, *("pin_group" in drawn(panel, cube) for panel in panels)))
    assert found == {("RIGID", True, False), ("DEFORMABLE", False, True)}


def test_load_steps_are_those_of_levels_with_point_bonds(cube):
    shown = {}
    for bonds in ("FULL", "POINT"):
        for loading in ("RAMP", "EVENTS"):
            cube.fracture.bonds, cube.fracture.loading = bonds, loading
            shown[bonds, loading] = drawn(advanced.FRACTURE_PT_method, cube) & {"loading", "load_steps"}
    both = {"loading", "load_steps"}
    assert [key for key, names in shown.items() if names == both] == [("POINT", "RAMP")]
    assert all("loading" in names for names in shown.values())


def test_the_first_level_has_the_main_settings_and_buttons(cube):
    wanted = {
        "violence",
        "resolution",
        "seed",
        "break_anyway",
        "fracture.shatter",
        "fracture.fracture_only",
        "fracture.preview_break",
        "fracture.rough_run",
        "fracture.clear",
        "fracture.preview",
    }
    bpy.ops.fracture.drop()
    assert first_level(cube) == wanted | {
        "fracture.material_preset",
        "fracture.drop",
        "fracture.throw_ball",
        "fracture.add_impact",
    }


def test_research_terms_are_behind_advanced(cube):
    research = {
        "bonds",
        "loading",
        "crack_function",
        "area_exponent",
        "velocity_fit",
        "contact",
        "method",
        "noise_kind",
    }
    for method in ("NETWORK", "LATTICE", "FEM"):
        cube.fracture.method = method
        second = set().union(*(drawn(panel, cube) for panel in sections.CLASSES))
        assert not research & (second | first_level(cube))
        assert "method" in drawn(advanced.FRACTURE_PT_method, cube)


def test_every_setting_of_an_object_is_somewhere_in_the_panel(cube):
    """Also those that apply to one method or kind of object only."""
    found = {control.name for rows in controls.SECTIONS.values() for control in rows}
    cube.fracture.impact_enabled, cube.fracture.dynamics = True, "DEFORMABLE"
    for method, structure in (("NETWORK", "SOLID"), ("FEM", "SOLID"), ("LATTICE", "ROPE"), ("LATTICE", "TURNED")):
        cube.fracture.method, cube.fracture.structure = method, structure
        found |= set().union(*(drawn(panel, cube) for panel in sections.CLASSES)) | first_level(cube)
    cube.fracture.structure, cube.fracture.dynamics = "SOLID", "RIGID"
    found |= drawn(sections.FRACTURE_PT_move, cube)
    lists = {"more_impacts", "more_glue", "joints"}
    properties = {item.identifier for item in cube.fracture.bl_rna.properties} - {"rna_type", "name"} - lists
    shown_otherwise = {"young_modulus", "tensile_strength", "compressive_strength", "toughness", "tempering"}
    shown_otherwise |= {"yield_strength", "hardening", "prior_stress", "thermal_expansion"}
    of_places = {name for name in properties if name.startswith("place_")}
    assert properties - found - shown_otherwise - of_places == set()


def test_the_search_finds_settings_by_name_and_by_tooltip(cube):
    def names(text):
        return {control.name for control in controls.matching(cube.fracture, text)}

    assert "dust_volume" in names("dust below")
    assert "roughness" in names("ROUGHNESS")
    assert names("no such setting") == set()
    assert "lattice" not in names("lattice")
    cube.fracture.method = "LATTICE"
    assert "lattice" in names("lattice")


def test_a_search_hides_the_groups(cube, monkeypatch):
    assert advanced.FRACTURE_PT_method.poll(bpy.context)
    bpy.context.window_manager.fracture_search = "dust"
    try:
        assert not advanced.FRACTURE_PT_method.poll(bpy.context)
        assert "dust" in drawn(advanced.FRACTURE_PT_advanced, cube)
    finally:
        bpy.context.window_manager.fracture_search = ""


def test_the_eye_shows_and_removes_the_cell_preview(cube):
    cube.fracture.resolution = 200
    assert {"fracture.preview", "fracture.remove_preview"} & first_level(cube) == {"fracture.preview"}
    bpy.ops.fracture.preview()
    assert {"fracture.preview", "fracture.remove_preview"} & first_level(cube) == {"fracture.remove_preview"}
    bpy.ops.fracture.remove_preview()
    assert "fracture.preview" in first_level(cube)


def test_names_in_the_search_for_operators_begin_with_shatter():
    labels = [operator.bl_label for operator in CLASSES]
    assert all(label.startswith("Shatter") for label in labels)
    assert len(set(labels)) == len(labels)


@pytest.mark.parametrize("name", menus.ADDED)
def test_blenders_menus_have_an_entry(scene, name):
    assert menus.ADDED[name] in getattr(bpy.types, name).draw._draw_funcs


class Pie(Drawn):
    """A layout with a pie."""

    def menu_pie(self):
        return self

    def menu(self, name, **_options):
        self.names.add(name)


class Shown:
    """A layout that notes the texts of labels, buttons and menus from top to bottom."""

    def __init__(self):
        self.texts = []

    def label(self, text="", **_options):
        self.texts.append(text)

    def operator(self, name, text="", **_options):
        self.texts.append(text or f"label of {name}")

    def menu(self, name, **_options):
        self.texts.append(name)

    def column(self, **_options):
        return self

    row = column

    def __getattr__(self, name):
        return lambda *_arguments, **_options: None


@pytest.mark.parametrize(
    ("kind", "some"),
    [
        (menus.FRACTURE_MT_after, {"Freeze Pieces", "Make Rigid Bodies"}),
        (menus.FRACTURE_MT_shatter, {"Drop It", "Join Objects"}),
    ],
)
def test_entries_of_a_menu_do_not_repeat_the_name_of_the_extension(scene, kind, some):
    menu = type("Menu", (), {"layout": Shown()})()
    kind.draw(menu, bpy.context)
    assert some <= set(menu.layout.texts)
    assert {text for text in menu.layout.texts if text.startswith("label of")} <= {"label of fracture.shatter"}


class Buttons(Shown):
    """A layout whose buttons take the values of their operators."""

    def operator(self, name, text="", **_options):
        super().operator(name, text)
        return SimpleNamespace()


def test_scenes_of_papers_are_below_the_others(scene):
    menu = type("Menu", (), {"layout": Buttons()})()
    menus.FRACTURE_MT_scenes.draw(menu, bpy.context)
    names = menu.layout.texts
    of_papers = [name.endswith(("9)", "0)", "1)")) for name in names]
    assert {"Felled Chimney", "Wall That Loses a Pillar", "Falling Leaf (Sweeney 1991)"} <= set(names)
    assert of_papers == sorted(of_papers)


@pytest.mark.parametrize(("width", "is_split"), [(280, False), (560, True)])
def test_a_name_too_long_for_the_sidebar_is_inside_the_field(cube, monkeypatch, width, is_split):
    region = SimpleNamespace(type="UI", width=width)
    preferences = SimpleNamespace(system=SimpleNamespace(ui_scale=1.0))
    monkeypatch.setattr(
        controls, "bpy", SimpleNamespace(context=SimpleNamespace(region=region, preferences=preferences))
    )
    for name, is_long in (("density", False), ("compressive_strength_mpa", True)):
        row = SimpleNamespace(use_property_split=True, prop=lambda *_values, **_options: None)
        controls.draw_fitting(row, cube.fracture, name)
        assert row.use_property_split == (is_split or not is_long)


def test_a_message_is_below_the_menu_of_the_result(struck, scene):
    job = read_job(bpy.context, [struck], settings.frame_range(scene))
    bake.bake(bpy.context, job, halves.recording(job, 5), [struck], {})
    wide = {"region": SimpleNamespace(width=300), "preferences": SimpleNamespace(system=SimpleNamespace(ui_scale=1.0))}
    names = ("scene", "view_layer", "object", "selected_objects", "mode")
    context = SimpleNamespace(**wide, **{name: getattr(bpy.context, name) for name in names})
    panel = type("Panel", (), {"layout": Shown()})()
    run.say("Message")
    main.FRACTURE_PT_main._draw_result(panel, context, struck)
    run.message = None
    texts = panel.layout.texts
    assert texts.index("FRACTURE_MT_after") < texts.index("Message")


def test_the_status_bar_begins_with_the_percentage(struck):
    """Blender cuts off the end of a long text there, and most of it without a width."""
    texts = []
    row = SimpleNamespace(ui_units_x=0.0, progress=lambda factor, text: texts.append(text))
    header = SimpleNamespace(layout=SimpleNamespace(row=lambda: row))
    run.begin(bpy.context, [struck], "recording")
    status_bar._draw(header, bpy.context)
    run.stop()
    assert re.fullmatch(r"\d+ %: .+", texts[0])
    assert row.ui_units_x > 0.25 * len("100 %: Fracture compiles for the first run")


def test_the_pie_menu_has_the_main_operators(scene):
    menu = type("Menu", (), {"layout": Pie()})()
    menus.FRACTURE_MT_pie.draw(menu, bpy.context)
    assert menu.layout.names == {
        "fracture.drop_it",
        "fracture.hit_it",
        "fracture.blast_it",
        "fracture.clear",
        "fracture.shatter",
        "fracture.add_impact",
        "FRACTURE_MT_material_presets",
    }


def test_the_key_of_the_pie_menu_can_be_configured(scene):
    config = bpy.context.window_manager.keyconfigs.addon
    if config is None:
        pytest.skip("Blender has no key configuration for add-ons here")
    (item,) = [item for item in config.keymaps["Object Mode"].keymap_items if item.idname == "wm.call_menu_pie"]
    assert item.properties.name == "FRACTURE_MT_pie"


def test_sliders_that_are_judged_by_feel_have_words_at_their_ends(cube):
    layout = Drawn()
    drawn(sections.FRACTURE_PT_look, cube, layout)
    assert {"smooth", "rough", "sharp edges", "chipped", "keep all", "only large pieces"} <= set(layout.labels)
