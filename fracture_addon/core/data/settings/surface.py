"""Settings for the shape of crack faces."""

from __future__ import annotations

from dataclasses import dataclass

from .setting import Group, setting


@dataclass(frozen=True)
class SurfaceSettings(Group):
    """Shape of crack faces and of their edges."""

    relief: str = setting(
        "smooth",
        "Relief",
        "Look of the crack faces. Material presets set it. Change it for a material without a preset",
        choices=(
            ("smooth", "Smooth", "Slightly uneven"),
            (
                "conchoidal",
                "Conchoidal",
                "Smooth and curved like a shell, with faint ripples around the point of impact: glass, flint, ice",
            ),
            ("granular", "Granular", "Fine granular bumps: stone, brick, clay"),
            ("stony", "Stony", "Round stones in a finer matrix; the crack runs around the stones: concrete"),
            ("splintered", "Splintered", "Fibres along the grain, torn at their ends: wood"),
        ),
    )
    roughness: float = setting(
        0.35,
        "Roughness",
        "Height of the relief on crack faces, as a fraction of the cell size. Raise it for coarser materials; "
        "0 for flat faces",
        low=0.0,
        high=1.0,
        unit="fraction",
    )
    relief_size: float = setting(
        1.0,
        "Relief Size",
        "Multiplies the width of the bumps on crack faces. 1 is the usual size for this kind of relief. "
        "Lower it for a fine relief on a large object",
        low=0.1,
        high=10.0,
        precision=2,
    )
    fractal_depth: int = setting(
        0,
        "Subdivisions",
        "Number of times that crack faces are subdivided. Raise it for close-ups. "
        "Each subdivision makes four triangles of one, up to Face Budget; small pieces get fewer subdivisions",
        low=0,
        high=5,
    )
    fractal_amplitude: float = setting(
        0.12,
        "Displacement",
        "Displacement of the middle of each subdivided edge, as a fraction of the edge's length. "
        "Raise it for rougher close-ups. Smooth and conchoidal faces do not use it",
        low=0.0,
        high=0.5,
        unit="fraction",
    )
    wall_smoothing: int = setting(
        5,
        "Smoothing",
        "Number of smoothing passes over the crack faces. "
        "Raise it if the jagged edges of the cells, or the steps of cubes, are visible",
        low=0,
        high=50,
    )
    chips: float = setting(
        0.0,
        "Chips",
        "Fraction of the cells along crack edges that come off as small pieces. "
        "Raise it for more small pieces; 0 for none",
        low=0.0,
        high=1.0,
        unit="fraction",
    )
    face_budget: int = setting(
        40_000,
        "Face Budget",
        "Approximate maximum number of triangles on all crack faces of one break. "
        "Raise it if subdivisions stop too early; lower it to save memory",
        low=1000,
        soft=(None, 1_000_000),
    )
