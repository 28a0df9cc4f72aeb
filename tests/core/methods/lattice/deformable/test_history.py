"""Recorded states of a lattice that deforms."""

import numpy as np

from fracture_addon.core.methods.lattice.deformable.history import History


def recorded(frames):
    history = History.of(4, 2, 3)
    for frame in frames:
        positions = np.full((2, 3), float(frame))
        history.record(frame, positions, np.array([True, frame < 1, frame < 3]), np.array([frame >= 2, False]))
    return history


def test_first_frames_of_broken_cells_and_lone_nodes_are_recorded():
    history = recorded(range(4))
    assert history.broken.tolist() == [4, 1, 3]
    assert history.alone.tolist() == [2, 4]
    assert history.nodes[:, 0, 0].tolist() == [0.0, 1.0, 2.0, 3.0]


def test_a_checkpoint_restores_what_was_recorded_and_nothing_later():
    restored = recorded(())
    restored.restore(recorded(range(4)).until(1))
    assert restored.broken.tolist() == [4, 1, 4]
    assert restored.alone.tolist() == [4, 4]
    assert restored.nodes[:2, 0, 0].tolist() == [0.0, 1.0]
