"""The tools in the toolbar, and their icons."""

from pathlib import Path
from types import SimpleNamespace

import bpy
import pytest
from bl_ui.space_toolsystem_common import ToolSelectPanelHelper

from fracture_addon.blender.panels import icons, toolbar
from fracture_addon.blender.panels.icons import make


def in_toolbar() -> list[str]:
    tools = ToolSelectPanelHelper._tool_class_from_space_type("VIEW_3D")._tools["OBJECT"]
    return [tool.idname for tool in ToolSelectPanelHelper._tools_flatten(tools) if tool is not None]


TOOLS = [toolbar.FRACTURE_TOOL_impact, toolbar.FRACTURE_TOOL_draw_cracks, toolbar.FRACTURE_TOOL_pull_piece]


@pytest.mark.parametrize("tool", TOOLS)
def test_the_toolbar_has_the_tool_once_and_unregister_removes_it(registered, tool):
    assert in_toolbar().count(tool.bl_idname) == 1
    toolbar.unregister()
    assert tool.bl_idname not in in_toolbar()
    toolbar.register()
    assert in_toolbar().count(tool.bl_idname) == 1


def test_a_press_begins_the_impact(registered):
    tool = toolbar.FRACTURE_TOOL_impact._bl_tool
    items = bpy.context.window_manager.keyconfigs.addon.keymaps[tool.keymap[0]].keymap_items
    (item,) = [item for item in items if item.idname == "fracture.impact_tool"]
    assert item.properties.press
    assert (item.type, item.value) == ("LEFTMOUSE", "PRESS")


@pytest.mark.parametrize("tool", TOOLS)
def test_a_press_acts_before_it_selects(registered, tool):
    """Blender turns the items of an add-on's keymap around when it adds them to the artist's."""
    configs = bpy.context.window_manager.keyconfigs
    configs.update()
    items = configs.user.keymaps[tool._bl_tool.keymap[0]].keymap_items
    names = [item.idname for item in items if item.active]
    assert names[0].startswith("fracture.")
    assert set(names[1:]) == {"view3d.select"}


@pytest.mark.parametrize("tool", TOOLS)
def test_blender_reads_the_icon(registered, tool):
    assert bpy.app.icons.new_triangles_from_file(f"{tool.bl_icon}.dat") > 0


def test_choosing_the_impact_tool_starts_a_worker(registered, monkeypatch):
    started = []
    monkeypatch.setattr(toolbar.waiting_worker, "prepare", lambda: started.append(True))
    layout = SimpleNamespace(label=lambda **_: None, prop=lambda *_: None)
    toolbar.FRACTURE_TOOL_impact.draw_settings(bpy.context, layout, None)
    assert started


def test_icons_are_those_that_the_program_makes():
    for name, triangles in make.ICONS.items():
        file = Path(icons.__file__).with_name(f"{name}.dat")
        assert file.read_bytes() == make.encoded(triangles())
