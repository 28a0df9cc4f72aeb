"""Make the pictures of norton_1991.md: lattices of the two papers of 1991, at some moments from left to right.

python docs/gallery/norton_1991.py [NAME ...]
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parents[1]))

import bpy  # noqa: E402
import numpy as np  # noqa: E402
import stage  # noqa: E402

from fracture_addon.blender.write import materials  # noqa: E402
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
QUALITY, SIZE, ONE_PLACE = 92, (1500, 340), (640, 900)
# Distance between moments over the widest of them; direction to the camera.
STEP, VIEW = 1.15, (0.0, -1.0, 0.32)
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
    colors = [_material(f"Part {row}", color) for row, color in enumerate(COLORS)]
    across = [(points[:, 0].min(), points[:, 0].max()) for points, *_ in shown]
    step = STEP * max(map(np.ptp, across)) if apart else 0.0
    seen = []
    for row, (points, faces, part) in enumerate(shown):
        middle = np.mean(across[row]) if apart else np.mean(across)
        seen.append(points + np.array([step * row - middle, 0.0, 0.0]))
        mesh = bpy.data.meshes.new("Moment")
        mesh.from_pydata(seen[row].tolist(), [], faces.tolist())
        for material in colors:
            mesh.materials.append(material)
        mesh.polygons.foreach_set("material_index", (part % len(COLORS)).astype(np.int32))
        scene.collection.objects.link(bpy.data.objects.new("Moment", mesh))
    lowest = min(0.0, *(points[:, 2].min() for points in seen))
    bpy.ops.mesh.primitive_plane_add(size=40.0, location=(0.0, 0.0, lowest))
    bpy.context.object.data.materials.append(materials.floor())
    stage.set_up(scene, np.concatenate(seen), VIEW, SIZE if apart else ONE_PLACE)
    stage.take(scene).save(path, quality=QUALITY, optimize=True)


def _material(name: str, color) -> bpy.types.Material:
    return materials.plain(name, (*color, 1.0), 0.4)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
