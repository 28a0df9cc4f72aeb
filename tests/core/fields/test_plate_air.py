"""Forces of the air on thin plates."""

import numpy as np
import pytest

from fracture_addon.core.fields.airflow import AIR_DENSITY, DRAG
from fracture_addon.core.fields.plate_air import EDGE_DRAG, plate_forces

SIDE = 0.1


def plate(count=8, turn=0.0):
    """Faces of a square plate, turned about the Y axis."""
    middle = SIDE * ((np.arange(count) + 0.5) / count - 0.5)
    x, y = (item.ravel() for item in np.meshgrid(middle, middle))
    centers = np.stack([np.cos(turn) * x, y, -np.sin(turn) * x], axis=1)
    areas = np.tile((SIDE / count) ** 2 * np.array([np.sin(turn), 0.0, np.cos(turn)]), (count**2, 1))
    return centers, areas


def torque(centers, forces):
    return np.cross(centers, forces).sum(axis=0)


def falling(centers, velocity=(0.0, 0.0, -2.0), spin=(0.0, 0.0, 0.0)):
    return np.array(velocity) + np.cross(spin, centers)


def test_a_flat_fall_has_the_drag_of_a_plate():
    centers, areas = plate()
    forces = plate_forces(centers, areas, falling(centers))
    assert forces.sum(axis=0) == pytest.approx([0.0, 0.0, 0.5 * AIR_DENSITY * DRAG * SIDE**2 * 4.0])
    assert torque(centers, forces) == pytest.approx(np.zeros(3), abs=1e-12)


def test_a_plate_on_edge_has_little_drag():
    centers, areas = plate(turn=0.5 * np.pi)
    forces = plate_forces(centers, areas, falling(centers))
    assert forces.sum(axis=0) == pytest.approx([0.0, 0.0, 0.5 * AIR_DENSITY * EDGE_DRAG * SIDE**2 * 4.0], abs=1e-9)


@pytest.mark.parametrize("turn", [-0.8, -0.2, 0.2, 0.8])
def test_a_tilted_plate_slides_downhill_and_is_turned_flat(turn):
    centers, areas = plate(turn=turn)
    forces = plate_forces(centers, areas, falling(centers))
    # A positive turn lowers the side at positive X: it slides there, and that side is pushed up.
    assert np.sign(forces.sum(axis=0)[0]) == np.sign(turn)
    assert np.sign(torque(centers, forces)[1]) == -np.sign(turn)
    assert forces.sum(axis=0)[2] > 0.0


def test_the_air_takes_energy_from_a_spinning_plate():
    centers, areas = plate()
    velocities = falling(centers, (0.3, 0.0, -0.4), (0.0, 3.0, 0.0))
    slow = plate_forces(centers, areas, falling(centers, (0.3, 0.0, -0.4)))
    fast = plate_forces(centers, areas, velocities)
    assert torque(centers, fast)[1] < torque(centers, slow)[1]


def test_a_spinning_plate_is_lifted_to_one_side():
    centers, areas = plate()
    sideways = []
    for spin in (-20.0, 20.0):
        forces = plate_forces(centers, areas, falling(centers, (1.0, 0.0, -1e-6), (0.0, spin, 0.0)))
        sideways.append(forces.sum(axis=0)[2])
    assert sideways[0] == pytest.approx(-sideways[1], rel=1e-3)
    assert abs(sideways[0]) > 0.01


def test_the_result_turns_with_the_scene_and_not_with_the_order_or_side_of_faces():
    rotation = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))[0]
    rotation *= np.linalg.det(rotation)
    centers, areas = plate(turn=0.4)
    velocities = falling(centers, (0.5, 0.2, -2.0), (1.0, 2.0, 0.5))
    forces = plate_forces(centers, areas, velocities)
    turned = plate_forces(centers @ rotation.T, areas @ rotation.T, velocities @ rotation.T)
    assert turned == pytest.approx(forces @ rotation.T, abs=1e-12)
    assert plate_forces(centers, -areas, velocities) == pytest.approx(forces, abs=1e-12)
    order = np.random.default_rng(2).permutation(len(centers))
    assert plate_forces(centers[order], areas[order], velocities[order]) == pytest.approx(forces[order], abs=1e-12)


def test_fragments_are_plates_of_their_own():
    centers, areas = plate(turn=0.4)
    velocities = falling(centers)
    away = np.concatenate([centers, centers + np.array([1.0, 0.0, 0.0])])
    both = plate_forces(away, np.tile(areas, (2, 1)), np.tile(velocities, (2, 1)), np.repeat([0, 1], len(centers)))
    single = plate_forces(centers, areas, velocities)
    assert both == pytest.approx(np.tile(single, (2, 1)), abs=1e-12)


def test_a_closed_surface_has_only_the_drag_of_its_faces():
    sides = SIDE * np.concatenate([np.eye(3), -np.eye(3)])
    forces = plate_forces(0.5 * sides, SIDE * sides, np.tile([0.0, 0.0, -1.0], (6, 1)))
    drag = 0.5 * AIR_DENSITY * DRAG * SIDE**2
    assert forces == pytest.approx(np.array([[0, 0, 0], [0, 0, 0], [0, 0, drag]] * 2), abs=1e-12)
