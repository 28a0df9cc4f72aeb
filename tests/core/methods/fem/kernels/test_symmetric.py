"""Closed-form eigenvalues of the kernels against NumPy."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from fracture_addon.core.methods.fem.cracks import separation as apart
from fracture_addon.core.methods.fem.kernels.symmetric import _largest, _positive_part


@pytest.mark.parametrize(
    "values", [(3.0, 1.0, -2.0), (2.0, 2.0, -1.0), (2.0, -1.0, -1.0), (1.0, 1.0, 1.0), (5.0, 0.0, 0.0)]
)
def test_closed_form_eigenvalues(values):
    for seed in range(20):
        frame = Rotation.random(random_state=seed).as_matrix()
        matrix = frame @ np.diag(values) @ frame.T
        six = matrix[[0, 1, 2, 1, 0, 0], [0, 1, 2, 2, 2, 1]]
        value, *vector = _largest(*six)
        assert value == pytest.approx(max(values), abs=1e-13 * 5.0)
        np.testing.assert_allclose(matrix @ vector, value * np.array(vector), atol=1e-7)
        expected, _ = apart.split_stress(matrix[None])
        xx, yy, zz, yz, xz, xy = _positive_part(*six)
        np.testing.assert_allclose([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], expected[0], atol=1e-7)
