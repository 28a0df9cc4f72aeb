"""Make the pictures of norton_1991.md: lattices of the two papers of 1991, at some moments from left to right.

python docs/gallery/norton_1991.py [NAME ...]
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parents[1]))

import bpy  # noqa: E402
import numpy as np  # noqa: E402
from mathutils import Vector  # noqa: E402

from fracture_addon.core.methods.lattice import advance  # noqa: E402
from fracture_addon.core.methods.lattice.advance import Surroundings  # noqa: E402
from fracture_addon.core.methods.lattice.contact.spring_contact import SpringContact  # noqa: E402
from fracture_addon.core.methods.lattice.debris_shapes import debris_tetrahedra  # noqa: E402
from fracture_addon.core.methods.lattice.lattice import Lattice  # noqa: E402
from fracture_addon.core.methods.lattice.model import model_of  # noqa: E402
from fracture_addon.core.methods.lattice.operators.structure import hierarchy_of_lattice  # noqa: E402
from fracture_addon.core.methods.obstacle import Obstacle  # noqa: E402
from tests import profiles, teapot  # noqa: E402
from tests.sweeney_operators import Intact, isolated_points, surface_model  # noqa: E402

GRAVITY = np.array([0.0, 0.0, -9.81])
# Pixels of a picture whose moments are side by side, and of one in which they are where they are.
QUALITY, SIZE, ONE_PLACE = 88, (1500, 340), (640, 900)
# Colours of sub-objects in their order.
COLORS = (
    (0.75, 0.72, 0.66),
    (0.55, 0.16, 0.10),
    (0.13, 0.28, 0.42),
    (0.16, 0.36, 0.22),
    (0.5, 0.4, 0.12),
    (0.35, 0.2, 0.4),
)
# Teapot: m over Newell's units, kg/m3 and Pa. The density is that of porcelain, the stiffness that of jelly.
SCALE, DENSITY, MODULUS = 0.25, 2400.0, 1.5e6

Moment = Callable[[float], Surroundings]


def scaled(lattice: Lattice, scale: float, lift: float = 0.0) -> Lattice:
    """A lattice in another size; stiffness over Young's modulus is a length."""
    return replace(
        lattice,
        points=scale * lattice.points + np.array([0.0, 0.0, lift]),
        volumes=scale**3 * lattice.volumes,
        rest_lengths=scale * lattice.rest_lengths,
        stiffness=scale * lattice.stiffness,
    )


def moments(model, course: Moment, times, state=None) -> Iterator[tuple]:
    """The surface of a lattice at some times, with the sub-object of each face."""
    state = state or advance.initial_state(model)
    hierarchy = hierarchy_of_lattice(model.lattice)
    for time in times:
        while state.time < time - 1e-9:
            around = course(state.time)
            step = advance.checked_step(model, None, np.maximum(around.stiffness, 1.0))
            advance.run(model, state, around, step, min(40, max(1, int(np.ceil((time - state.time) / step)))))
        intact = Intact(state.alive, state.valid)
        surface, points = surface_model(hierarchy, intact, state.positions)
        starts = model.lattice.part_starts
        part = np.searchsorted(starts, points, side="right") - 1
        dust = isolated_points(hierarchy, intact)
        small = debris_tetrahedra(state.positions[dust], 0.5 * model.lattice.volumes[dust], 1)
        slots = np.repeat(np.searchsorted(starts, dust, side="right") - 1, 4)
        count = len(surface.points)
        faces = np.concatenate([surface.faces, count + small.faces])
        parts = np.concatenate([part[surface.faces[:, 0]], slots])
        yield np.concatenate([surface.points, small.points]), faces, parts


def floor_under(model, friction: float = 0.4) -> SpringContact:
    """A floor at height 0 that hardly bounces."""
    rate = 0.9 / model.largest_step
    floor = Obstacle.plane(np.zeros(3), friction=friction)
    return SpringContact(floor, stiffness=rate**2 * model.masses, damping=0.4 * rate * model.masses)


def pot(lift: float, **parts):
    """The glued teapot above the floor, as a model."""
    lattice = scaled(teapot.glued(teapot.parts(), teapot.WALL), SCALE)
    points = lattice.points + np.array([0.0, 0.0, lift - lattice.points[:, 2].min()])
    return model_of(replace(lattice, points=points), DENSITY, MODULUS, moved_mass_share=0.02, **parts)


def cylinder() -> Iterator[tuple]:
    """Norton et al., figure 3."""
    levels = np.linspace(0.0, 0.5, 6)
    outer, inner = (np.stack([np.full(6, radius), levels], axis=1) for radius in (0.5, 0.4))
    lattice = scaled(profiles.revolved(outer, inner, 28, 1), SCALE, 0.15)
    model = model_of(lattice, DENSITY, 0.3 * MODULUS)
    floor = floor_under(model)
    return moments(model, lambda _: Surroundings(GRAVITY, (floor,)), (0.0, 0.16, 0.19, 0.22, 0.26, 0.5))


def flexes() -> Iterator[tuple]:
    """Norton et al., figure 4."""
    model = pot(0.12)
    floor = floor_under(model)
    return moments(model, lambda _: Surroundings(GRAVITY, (floor,)), (0.0, 0.16, 0.185, 0.21, 0.25, 0.6))


def hiccup() -> Iterator[tuple]:
    """Norton et al., figure 5: gravity 1 g, 5 g, 1 g."""
    model = pot(0.0)
    floor = floor_under(model)

    def course(time: float) -> Surroundings:
        return Surroundings(GRAVITY * (5.0 if 0.3 <= time < 0.4 else 1.0), (floor,))

    return moments(model, course, (0.29, 0.35, 0.4, 0.43, 0.47, 0.54))


def sneeze() -> Iterator[tuple]:
    """Norton et al., figure 6: stiffness down by two orders of magnitude, and back."""
    model = pot(0.0, self_collision=True)
    floor = floor_under(model)

    def course(time: float) -> Surroundings:
        return Surroundings(GRAVITY, (floor,), stiffness=0.01 if 0.2 <= time < 0.36 else 1.0)

    return moments(model, course, (0.19, 0.28, 0.36, 0.375, 0.39, 0.45))


def leaf() -> Iterator[tuple]:
    """Sweeney et al.: the leaf of the example scene, which flutters down."""
    return falling("sweeney_leaf", "Leaf", (1, 9, 15, 19, 23, 27, 32, 36, 46), 4)


def paper() -> Iterator[tuple]:
    """The sheet of paper of the example scene."""
    return falling("falling_paper", "Paper", (1, 8, 13, 18, 23, 28, 33, 38, 44, 60), 0)


def falling(scene: str, name: str, frames: tuple[int, ...], color: int) -> Iterator[tuple]:
    """The deformed object of an example scene on some frames."""
    from fracture_addon.blender import registration
    from fracture_addon.blender.setup import presets

    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    registration.register()
    presets.build(bpy.context, presets.find(scene, presets.SCENES))
    bpy.ops.fracture.shatter()
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        fallen = bpy.data.objects[f"{name} Deformed"].evaluated_get(bpy.context.evaluated_depsgraph_get())
        mesh = fallen.to_mesh()
        points = np.array([fallen.matrix_world @ vertex.co for vertex in mesh.vertices])
        faces = np.array([face.vertices for face in mesh.loop_triangles])
        yield points, faces, np.full(len(faces), color)


# Pictures whose moments are where they are.
IN_PLACE = (leaf, paper)
PICTURES = {f"norton_{item.__name__}": item for item in (cylinder, flexes, hiccup, sneeze, leaf, paper)}
NAMES = tuple(PICTURES)


def main(names: list[str]) -> int:
    """Make some pictures, all by default."""
    from names import chosen

    for name in chosen(names, PICTURES):
        draw(list(PICTURES[name]()), FOLDER / f"{name}.jpg", apart=PICTURES[name] not in IN_PLACE)
        sys.stdout.write(f"{name}.jpg\n")
        sys.stdout.flush()
    return 0


def draw(shown: list[tuple], path: Path, *, apart: bool) -> None:
    """Render surfaces where they are, or apart, each a step to the right of the one before."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    materials = [_material(f"Part {row}", color) for row, color in enumerate(COLORS)]
    # Dust may fly out of the picture.
    across = [np.percentile(points[:, 0], (3, 97)) for points, *_ in shown]
    breadth = 1.2 * (max(map(np.ptp, across)) if apart else np.ptp(across))
    tallest = max(np.percentile(points[:, 2], 97) for points, *_ in shown)
    lowest = min(0.0, *(points[:, 2].min() for points, *_ in shown))
    for row, (points, faces, part) in enumerate(shown):
        middle = across[row].mean() if apart else np.mean(across)
        offset = np.array([breadth * row * apart - middle, 0.0, 0.0])
        mesh = bpy.data.meshes.new("Moment")
        mesh.from_pydata((points + offset).tolist(), [], faces.tolist())
        for material in materials:
            mesh.materials.append(material)
        mesh.polygons.foreach_set("material_index", (part % len(COLORS)).astype(np.int32))
        scene.collection.objects.link(bpy.data.objects.new("Moment", mesh))
    size = SIZE if apart else ONE_PLACE
    scene.render.resolution_x, scene.render.resolution_y = size
    _stage(scene, breadth * (len(shown) - 1) * apart, breadth, lowest, tallest)
    with tempfile.TemporaryDirectory() as folder:
        scene.render.filepath = str(Path(folder) / "picture.jpg")
        scene.render.image_settings.file_format, scene.render.image_settings.quality = "JPEG", QUALITY
        bpy.ops.render.render(write_still=True)
        path.write_bytes((Path(folder) / "picture.jpg").read_bytes())


def _stage(scene, length: float, breadth: float, lowest: float, tallest: float) -> None:
    floor = bpy.data.meshes.new("Floor")
    far = 40.0 * breadth
    floor.from_pydata(
        [(-far, -far, lowest), (far, -far, lowest), (far, far, lowest), (-far, far, lowest)], [], [(0, 1, 2, 3)]
    )
    floor.materials.append(_material("Floor", (0.16, 0.17, 0.19)))
    scene.collection.objects.link(bpy.data.objects.new("Floor", floor))
    sun = bpy.data.objects.new("Sun", bpy.data.lights.new("Sun", "SUN"))
    sun.data.energy, sun.data.angle = 3.0, 0.1
    sun.rotation_euler = (0.7, 0.1, 0.5)
    scene.collection.objects.link(sun)
    scene.world = bpy.data.worlds.new("Sky")
    scene.world.use_nodes = True
    scene.world.node_tree.nodes["Background"].inputs["Color"].default_value = (0.6, 0.65, 0.75, 1.0)
    scene.world.node_tree.nodes["Background"].inputs["Strength"].default_value = 0.5
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    camera.data.type, camera.data.sensor_fit = "ORTHO", "HORIZONTAL"
    wide = length + 1.1 * breadth
    width, height = scene.render.resolution_x, scene.render.resolution_y
    camera.data.ortho_scale = max(wide, 1.25 * (tallest - lowest) * width / height)
    middle = Vector((0.5 * length, 0.0, 0.5 * (lowest + tallest)))
    camera.location = middle + Vector((0.0, -6.0 * breadth, 1.6 * breadth))
    camera.rotation_euler = (middle - camera.location).to_track_quat("-Z", "Y").to_euler()
    scene.collection.objects.link(camera)
    scene.camera = camera
    scene.render.engine = "CYCLES"
    scene.cycles.samples, scene.cycles.use_denoising = 24, False
    scene.view_settings.view_transform = "Standard"


def _material(name: str, color) -> bpy.types.Material:
    material = bpy.data.materials.new(name)
    material.use_nodes = True
    shader = material.node_tree.nodes["Principled BSDF"]
    shader.inputs["Base Color"].default_value = (*color, 1.0)
    shader.inputs["Roughness"].default_value = 0.5
    return material


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
