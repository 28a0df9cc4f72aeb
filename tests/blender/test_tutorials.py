"""The tutorials: their pages name what is in the panel, and have the steps and the pictures of their scripts."""

import ast
import importlib.util
import re
import sys
from pathlib import Path

import bpy
import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "tutorials"
PAGES = sorted(path for path in FOLDER.glob("*.md") if path.name != "README.md")
MOST_BYTES = 60_000
STEP = re.compile(r"^## (\d+)\. (.+)$", re.MULTILINE)
# Names of the panel, of menus and of presets are in italics.
ITALIC = re.compile(r"(?<!\*)\*([^*\n]+(?:\n[^*\n]+)?)\*(?!\*)")
# Names of Blender itself, one line for each menu, editor or panel.
BLENDERS = set(
    """
    File; New; General; Import; Wavefront (.obj); Adjust Last Operation; End; Object; Rotation & Scale; Shade Smooth
    Add; Mesh; Cube; Grid; Plane; Dimensions; Location; Rotation; Scale; Edit Mode; Object Mode
    Subdivide; Number of Cuts; Vertex Groups; Assign; Select; Invert; Item; Principled BSDF; Transmission; Roughness
    Physics; Rigid Body; Type; Passive; Active; Mass; Shape; Box
    Force Field; Wind; Turbulence; Strength; Flow; Noise; Size
    """.replace("\n", ";").split(";")
)


def code(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def steps(name: str) -> list[tuple[str, bool]]:
    """Titles of the steps of a script, and whether each has a picture."""
    yields = [node.value for node in ast.walk(code(FOLDER / f"{name}.py")) if isinstance(node, ast.Yield)]
    return [(node.elts[0].value, not isinstance(node.elts[1], ast.Constant)) for node in yields]


def panel_names() -> set[str]:
    """Texts of the panels, names of properties and their choices, labels of operators, names of presets and scenes."""
    from fracture_addon.blender import operators, properties
    from fracture_addon.blender.setup import presets

    found = set()
    for path in (ROOT / "fracture_addon/blender/panels").glob("*.py"):
        found |= {
            node.value
            for node in ast.walk(code(path))
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        }
    kinds = [*properties.CLASSES, *operators.CLASSES, bpy.types.Scene]
    for item in (item for kind in kinds for item in kind.bl_rna.properties):
        found.add(item.name)
        if item.type == "ENUM" and item.identifier != "rna_type":
            found |= {choice.name for choice in item.enum_items}
    for kind in operators.CLASSES:
        found |= {kind.bl_label.removeprefix("Shatter: ")}
        operator = getattr(bpy.ops.fracture, kind.bl_idname.rpartition(".")[2])
        found |= {item.name for item in operator.get_rna_type().properties}
    names = [presets.display_name(path.name) for path in presets.shipped_folder().glob("*.py")]
    names += [presets.scene_name(str(path)) for path in presets.shipped_folder(presets.SCENES).glob("*.py")]
    found |= set(names)
    return found | {re.sub(r" \([^)]+\)$", "", name) for name in found}


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_a_page_has_the_ten_steps_of_its_script(page):
    found = STEP.findall(page.read_text(encoding="utf-8"))
    assert [int(number) for number, _ in found] == list(range(1, 11))
    assert [title for _, title in found] == [title for title, _ in steps(page.stem)]


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_a_page_shows_the_pictures_that_its_script_takes(page):
    sections = STEP.split(page.read_text(encoding="utf-8"))
    shown = {
        number: re.findall(r"\]\((\w+\.jpg)\)", text)
        for number, text in zip(sections[1::3], sections[3::3], strict=True)
    }
    taken = {
        str(number): [f"{page.stem}_{number}.jpg"] if has else [] for number, (_, has) in enumerate(steps(page.stem), 1)
    }
    assert shown == taken
    pictures = [FOLDER / name for names in taken.values() for name in names]
    assert len(pictures) >= 5
    assert all(0 < path.stat().st_size < MOST_BYTES for path in pictures)
    assert set(FOLDER.glob(f"{page.stem}_*.jpg")) == set(pictures)


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_names_in_italics_are_in_the_panel_or_in_blender(page, registered):
    known = panel_names() | {name.strip() for name in BLENDERS}
    named = {
        " ".join(part.split()) for text in ITALIC.findall(page.read_text(encoding="utf-8")) for part in text.split(">")
    }
    assert len(named) > 10
    assert sorted(named - known) == []


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
@pytest.mark.once
def test_the_steps_can_be_done(page, registered, monkeypatch):
    """With few cells; each step with its picture has a box to show, within the frames of the scene."""
    monkeypatch.setattr(sys, "path", [str(FOLDER), *sys.path])
    spec = importlib.util.spec_from_file_location(f"tutorial_{page.stem}", page.with_suffix(".py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    done = 0
    for _, shot in module.steps(detail=0.08):
        done += 1
        if shot is not None:
            assert 1 <= shot.frame <= bpy.context.scene.frame_end + 10
            assert all(low < high for low, high in zip(shot.low, shot.high, strict=True))
    assert done == 10
    assert any("fracture_report" in collection for collection in bpy.data.collections)
