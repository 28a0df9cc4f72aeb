"""What a break weakens."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from fracture_addon.core.data.job import Settings
from fracture_addon.core.meshing.filling.tetrahedralize import tetrahedralize
from fracture_addon.core.methods.network.crack_growth import Growth, Tips, carry, face_neighbours, growth_of, weaken
from fracture_addon.core.methods.network.full_glue import FullGlue
from fracture_addon.core.methods.network.point_glue import PointGlue
from tests import shapes


@pytest.fixture(scope="module")
def solid():
    return tetrahedralize(shapes.cube(), 300, 0)


def fan(cosines):
    """Face 0 in a plane and others around it at angles of those cosines, all its neighbours."""
    normals = np.array([[0.0, 0.0, 1.0]] + [[np.sqrt(1.0 - c * c), 0.0, c] for c in cosines])
    matrix = np.zeros((len(normals), len(normals)), np.int8)
    matrix[0, 1:] = matrix[1:, 0] = 1
    return normals, csr_array(matrix)


def test_neighbours_share_an_edge(solid):
    found = face_neighbours(solid.faces, len(solid.points)).toarray()
    sets = [set(face) for face in solid.faces.tolist()]
    expected = np.array([[len(a & b) == 2 for b in sets] for a in sets])
    assert (found.astype(bool) == expected).all()


def lobe(amount, sharpness=4.0, size_effect=0.3):
    return growth_of(Settings.of(crack_growth=amount, crack_sharpness=sharpness), size_effect, FullGlue)


@pytest.mark.parametrize("sharpness", [1.0, 4.0, 16.0])
def test_a_crack_weakens_its_continuation_most(sharpness):
    normals, neighbours = fan([1.0, -1.0, 0.7, 0.0])
    first = np.full(5, 10.0)
    found = weaken(first, first, Tips.of(np.array([0]), neighbours, normals, lobe(0.6, sharpness)))
    np.testing.assert_allclose(found, 10.0 * np.array([1.0, 0.4, 0.4, 1.0 - 0.6 * 0.7**sharpness, 1.0]))


def test_no_growth_weakens_nothing():
    normals, neighbours = fan([1.0, 0.5])
    first = np.full(3, 10.0)
    for growth in (lobe(0.0), growth_of(Settings.of(crack_function="none"), 0.3, FullGlue)):
        np.testing.assert_array_equal(weaken(first, first, Tips.of(np.array([0]), neighbours, normals, growth)), first)


def test_weakening_adds_up_to_a_floor():
    normals, neighbours = fan([1.0, 0.3])
    first = np.array([10.0, 10.0, 20.0])
    strengths, growth = first, Growth(lobe(0.9).factor, 0.2)
    for _ in range(60):
        weaker = weaken(strengths, first, Tips.of(np.array([0]), neighbours, normals, growth))
        assert (weaker <= strengths).all()
        strengths = weaker
    np.testing.assert_allclose(strengths[1], 2.0)
    assert strengths[2] > 4.0
    both = weaken(first, first, Tips.of(np.array([0, 0]), neighbours, normals, lobe(0.5)))
    np.testing.assert_allclose(both[1], 10.0 * max(0.25, 0.3 ** (0.5 / 0.7)))


def test_natural_growth_goes_down_to_what_toughness_bears():
    assert lobe(0.7, size_effect=0.3).floor == pytest.approx(0.3)
    assert lobe(0.0, size_effect=0.3).floor == 1.0
    assert lobe(1.0, size_effect=0.3).floor < 0.3
    assert lobe(0.7, size_effect=1.0).floor == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("name", "straight", "diagonal", "across"),
    [
        ("none", 1.0, 1.0, 1.0),
        ("moderate", 0.5, 0.75, 1.0),
        ("moderate_as_printed", 0.0, 1.0, 2.0),
        ("dramatic", 0.001, 1.0, 0.001),
    ],
)
def test_the_papers_functions(name, straight, diagonal, across):
    """Section 3.4 at 0, 45 and 90 degrees; equation 4 weakens ahead and across alike."""
    factor = growth_of(Settings.of(crack_function=name), 0.3, FullGlue).factor
    np.testing.assert_allclose(factor(np.radians([0.0, 45.0, 90.0])), [straight, diagonal, across], atol=1e-12)


def test_the_papers_functions_leave_full_bonds_what_toughness_bears():
    """A thousandth would make all other cracks wait; with point bonds it is the paper's."""
    floors = [growth_of(Settings.of(crack_function="dramatic"), 0.3, glue).floor for glue in (FullGlue, PointGlue)]
    assert floors == [lobe(1.0, size_effect=0.3).floor, 1e-3]


def test_a_running_crack_carries_its_stress_along():
    """A face that continues the crack and lies across the tension takes over most of what broke; others do not."""
    normals, neighbours = fan([1.0, 1.0, 0.0])
    burden = np.array([100.0, 1.0, 0.0, 1.0])
    running, staying = (Tips.of(np.array([0]), neighbours, normals, lobe(amount)) for amount in (0.7, 0.0))
    np.testing.assert_allclose(carry(burden, running, np.full(4, 0.25)), [100.0, 100.0**0.75, 0.0, 1.0])
    np.testing.assert_array_equal(carry(burden, staying, np.full(4, 0.25)), burden)
    np.testing.assert_array_equal(carry(burden, running, np.ones(4)), burden)
