"""Every clean mesh, broken by every method: the fragments are exactly the artist's surface, and no sliver is left."""

import numpy as np
import pytest

from fracture_addon.core.cutting import fragments
from fracture_addon.core.data.cut_part import CutPart
from fracture_addon.core.data.job import Settings
from fracture_addon.core.data.solid import cell_centers, cell_volumes
from fracture_addon.core.data.surface import Surface, volume
from fracture_addon.core.methods import table
from tests import exactness, shapes
from tests.exactness import dressed, struck

CASES = [(name, "network") for name in ("old_jar", "glass_12oz", "stoneLantern", "bread-plate")]
CASES += [("rock3", "lattice"), ("rock3", "fem")]


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_the_fragments_are_the_surface(name, kind):
    surface = dressed(shapes.shipped(name))
    settings = Settings.of(method=kind, cell_count=600, seed=1, dust_volume=0.002)
    pieces = struck(surface, settings)
    assert len(pieces) > 1
    found = exactness.measure(surface, pieces, settings.pieces.dust_volume * volume(surface))
    assert not found.faults, found


@pytest.mark.parametrize("fault", ["moved", "recoloured", "opened", "turned"])
def test_the_measure_sees_a_fault(fault):
    surface = dressed(shapes.shipped("rock3"))
    fragment = CutPart(0, surface, np.zeros(len(surface.faces), bool))
    points, faces = surface.points.copy(), surface.faces
    corner = {name: values.copy() for name, values in surface.corner_attributes.items()}
    if fault == "moved":
        points[0] += 1e-5 * surface.diagonal
    elif fault == "recoloured":
        corner["color/Glaze"][3] += 1e-4
    elif fault == "opened":
        faces = np.concatenate([faces[:-1], faces[:1]])
    else:
        corner["normal"][::20] *= -1.0
    other = Surface(points, faces, surface.face_source, surface.face_attributes, corner)
    assert not exactness.measure(surface, [fragment]).faults
    expected = {
        "moved": "distance",
        "recoloured": "corner_values",
        "opened": "open_fragments",
        "turned": "normal_angle",
    }
    assert expected[fault] in exactness.measure(surface, [CutPart(0, other, fragment.interior)]).faults


def test_dust_inside_one_fragment_joins_that_fragment():
    surface = exactness.numbered(dressed(shapes.cube()))
    settings = Settings.of(cell_count=1500)
    solid = table.discretise(surface, settings)
    distance = np.linalg.norm(cell_centers(solid.points, solid.cells), axis=1)
    labels = (distance < 0.2).astype(int)
    inner = cell_volumes(solid.points, solid.cells)[labels == 1].sum()
    # The crack faces are smoothed and shrink: as cells it is large enough, as a fragment it is dust.
    (fragment,) = fragments.cut(surface, solid, labels, settings.changed(dust_volume=0.99 * inner))
    assert volume(fragment.surface) == pytest.approx(volume(surface), rel=1e-12)
    assert not fragment.interior.any()
