"""Settings for the repair of a surface and for its filling with cells."""

from __future__ import annotations

from dataclasses import dataclass

from ..placed_fields import PaintedField, Region
from .setting import Group, setting

# Limits of the number of cells in the panel. Fewer cells do not break into pieces; the maximum takes several GB and
# about an hour.
LEAST_CELLS, MOST_CELLS = 100, 500_000
# Whether points are independent of one another, by ``FillingSettings.interior_points``.
INDEPENDENT_POINTS = {"blue_noise": False, "uniform": True}


@dataclass(frozen=True)
class RepairSettings(Group):
    """How the mesh of an object becomes closed surfaces, one per body."""

    repair: bool = setting(
        True,
        "Repair Mesh",
        "Repair a mesh that is open, has no thickness or intersects itself. Off: such a mesh is refused. "
        "Valid meshes are not changed. The report lists the repairs. Turn it off to keep exactly your mesh",
    )
    wall_thickness: float = setting(
        0.0,
        "Wall Thickness",
        "Thickness of the wall that repair gives to every open part, inwards from its surface. 0: parts that stay "
        "hollow get a thickness that suits their size and material. Set it for thicker or thinner walls",
        low=0.0,
        soft=(None, 0.1),
        unit="m",
        precision=4,
    )
    openings: str = setting(
        "auto",
        "Openings",
        "Treatment of a mesh without thickness that has openings, such as a cup or a statue without a base. "
        "Change it if the report names the wrong choice",
        choices=(
            ("auto", "Automatic", "Keep vessels hollow, by the shape of their openings; fill other objects"),
            ("hollow", "Hollow", "Keep the openings, and give the mesh a wall"),
            ("filled", "Filled", "Close the openings: the object is solid"),
        ),
    )
    islands: str = setting(
        "join",
        "Islands",
        "Whether the separate parts of an object are one body or several. "
        "Separate them if they should fall and break independently",
        choices=(
            (
                "join",
                "Join",
                "All parts are one body and move together until it breaks. Repair merges overlapping parts",
            ),
            (
                "separate",
                "Separate",
                "Each connected part is a body of its own. It falls and breaks by itself. "
                "A part inside a hollow part stays with it",
            ),
        ),
    )

    @property
    def separates_islands(self) -> bool:
        """Whether each island is a body of its own."""
        return self.islands == "separate"


@dataclass(frozen=True)
class FillingSettings(Group):
    """How a surface is filled with cells.

    Attributes:
        fineness_regions: Regions in which cells are smaller or larger.
        painted_fineness: How many times smaller the cells are, painted on the surface, or ``None``.
    """

    cell_count: int = setting(
        6000,
        "Detail",
        "Approximate number of cells in the object. Cracks run between cells, with finite elements also through them. "
        "Raise it for finer cracks; the computation then takes longer",
        low=1,
        panel_low=LEAST_CELLS,
        high=MOST_CELLS,
        soft=(1_000, 30_000),
        step=500,
        property="resolution",
    )
    lattice: str = setting(
        "tetrahedra",
        "Lattice",
        "Arrangement of the springs. Only for the method Lattice. Choose cubes to compare with Norton et al. 1991",
        choices=(
            ("tetrahedra", "Irregular", "Springs along the edges of irregular tetrahedra. Cracks prefer no direction"),
            (
                "cubes",
                "Cubes",
                "Springs in a regular grid of cubes, as in Norton et al. 1991. Cracks follow its planes",
            ),
        ),
    )
    diagonals: str = setting(
        "face",
        "Diagonals",
        "Springs in a cube besides those along its edges. Poisson's ratio is 0.25 with all of them. "
        "Choose another one to compare with Norton et al. 1991. Only for a lattice of cubes",
        choices=(
            ("face", "Face", "One diagonal in each face. Resists every deformation, also in a wall one cube thick"),
            (
                "body",
                "Body",
                "Four diagonals through the middle. About a tenth less work than Face. Three patterns of deformation "
                "that alternate from cube to cube meet no resistance, and walls of few cubes twist too easily. A body "
                "one cube thick is refused",
            ),
            (
                "both",
                "Face and Body",
                "All four diagonals through the middle and both of each face. The same stiffness in all directions "
                "also at the surface. Takes 1.7 times the work of Face",
            ),
        ),
    )
    interior_points: str = setting(
        "blue_noise",
        "Point Distribution",
        "Distribution of the points inside the object that define the cells. Choose random points for pieces of "
        "very different sizes",
        choices=(
            ("blue_noise", "Even", "Irregular points with even distances. Cells have similar sizes"),
            ("uniform", "Random", "Independent random points. Large and small cells lie side by side"),
        ),
    )
    wall_layers: int = setting(
        0,
        "Wall Layers",
        "Number of cells through walls that are thinner than a cell. "
        "0 chooses the number for the method: two for Lattice, one for the others. Raise it for more accurate bending: "
        "finite elements that are wider than four times the wall thickness are too stiff, and the report says by how "
        "much",
        low=0,
        high=3,
    )
    impact_fineness: float = setting(
        1.0,
        "Finer at Impacts",
        "How many times smaller the cells are around an impact. The total number of cells stays the same. "
        "Raise it for finer cracks at the impact. To find collisions, the scene is first simulated without breaking; "
        "the first hard impact counts",
        low=1.0,
        high=4.0,
        precision=2,
        step=10,
    )
    impact_reach: float = setting(
        0.15,
        "Finer Cells Radius",
        "Radius of the finer cells around an impact, as a fraction of the object's diagonal. "
        "Raise it if the cracks leave the finer cells",
        low=0.01,
        high=1.0,
        unit="fraction",
    )
    fineness_regions: tuple[Region, ...] = ()
    painted_fineness: PaintedField | None = None

    @property
    def independent_points(self) -> bool:
        """Whether the points inside are independent of one another, and not at even distances."""
        return INDEPENDENT_POINTS[self.interior_points]
