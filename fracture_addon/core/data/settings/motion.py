"""Settings for the motion of a body and for bodies that deform during the whole shot."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ..placed_fields import PaintedField
from .setting import Group, setting

# Largest softening. Porcelain (70 GPa) then has 70 kPa, less than rubber (about 1 MPa). It only limits the input.
MOST_SOFTENING = 1e6
# Blender's last frame.
FARTHEST_FRAME = 1_048_574
# Whether a body deforms, by ``MotionSettings.dynamics``.
DEFORMS = {"rigid": False, "deformable": True}


@dataclass(frozen=True)
class MotionSettings(Group):
    """Motion of a body before, between and after its breaks.

    Attributes:
        order: Weights above 0 mark what goes from ``order_start`` (weight 1) to ``order_end`` of an object that lets
            its pieces go one by one, or ``None``.
        pinned: Weights over one half mark points that are fixed in space or follow the body's track, or ``None``. A
            rigid body is fixed until it breaks; then the fragments that contain such points stay fixed.
    """

    dynamics: str = setting(
        "rigid",
        "Dynamics",
        "How the object moves. Choose Deformable if it should visibly bend",
        choices=(
            ("rigid", "Rigid", "The object moves rigidly until an impact breaks it, and so do its pieces"),
            (
                "deformable",
                "Deformable",
                "The object bends and breaks during the whole shot. Needs the method Lattice or Finite Elements. "
                "The result is one object with a mesh cache",
            ),
        ),
    )
    break_depth: int = setting(
        2,
        "Times It Can Break",
        "Number of times that the same matter can break. 1: only the object breaks. 2: its pieces can break too, and "
        "so on. Lower it for fewer small pieces and a shorter run",
        low=1,
        soft=(None, 5),
    )
    softening: float = setting(
        1000.0,
        "Softening",
        "Divides the stiffness of the material; the energy to open a crack stays the same. Raise it to see the object "
        "bend: at 1000 porcelain vibrates, at 30000 it wobbles. Lower values take longer: a tenth of the value takes "
        "about three times as long. Only for deformable objects",
        low=1.0,
        high=MOST_SOFTENING,
        soft=(10.0, 1e5),
    )
    threshold: float = setting(
        1.0,
        "Threshold",
        "Multiplies the strain at which the object breaks; 1 is that of its material. "
        "Lower it if the object does not break, raise it if it crumbles; the magnifier button finds a value. Only for "
        "deformable objects",
        low=0.01,
        high=100.0,
        soft=(0.1, 10.0),
    )
    own_weight: bool = setting(
        False,
        "Own Weight",
        "Load the object by its weight (gravity) and by all that rests on it. What the supports cannot carry breaks "
        "off and falls on the first frame, and again whenever something has broken or come to rest on it. Supports are "
        "Pinned points and joints with objects that do not move. Without them, the object breaks by its inertia while "
        "something pushes it. Turn it on for walls, shelves and bridges that should collapse, and for chimneys that "
        "break as they fall. Only for rigid objects with the method Network",
    )
    activation: str = setting(
        "break",
        "Activation",
        "What lets go of the pieces of an object with Hold in Place. Choose One by One for walls and windows of which "
        "only the pieces that are hit should fall. Only for rigid objects",
        choices=(
            ("break", "At the Break", "All pieces go when the object breaks, except pinned ones"),
            (
                "event",
                "One by One",
                "The object and each of its pieces stay in place until something hits them, a Release reaches them, a "
                "painted order or a piece that leaves lets them go, or Hold in Place is keyed off. Pinned pieces only "
                "go when it is keyed off",
            ),
        ),
    )
    activation_speed: float = setting(
        1.0,
        "Activation Speed",
        "Least change of speed, in m/s, that an impact would give to a piece to let it go. Raise it if too many pieces "
        "fall; 0: impacts let none go. Only for Activation One by One",
        low=0.0,
        soft=(None, 10.0),
        unit="m/s",
    )
    activation_distance: float = setting(
        0.0,
        "Activation Distance",
        "A piece goes when a piece beside it has moved away by this distance. Set it for walls and ceilings that come "
        "down one after the other; larger is slower. 0: no piece goes because of another. Only for Activation One by "
        "One",
        low=0.0,
        soft=(None, 1.0),
        unit="m",
    )
    order_start: int = setting(
        1,
        "Order Start",
        "Frame on which pieces with full Order Paint go. Only for Activation One by One",
        low=-FARTHEST_FRAME,
        high=FARTHEST_FRAME,
        soft=(1, 250),
    )
    order_end: int = setting(
        100,
        "Order End",
        "Frame on which pieces with the least Order Paint go. Set it before the start to let those go first. Only for "
        "Activation One by One",
        low=-FARTHEST_FRAME,
        high=FARTHEST_FRAME,
        soft=(1, 250),
    )
    order: PaintedField | None = None
    pinned: PaintedField | None = None

    @property
    def deforms(self) -> bool:
        """Whether the object bends during the whole shot."""
        return DEFORMS[self.dynamics]

    @property
    def waits(self) -> bool:
        """Whether each held fragment waits for an event of its own."""
        return self.activation == "event"

    @property
    def least_gain(self) -> float:
        """Least change of speed, m/s, with which a held fragment goes; infinite if impacts let none go."""
        return (self.activation_speed or math.inf) if self.waits else 0.0
