"""Products of submatrices in single precision for compiled kernels, by SciPy's BLAS.

Numba's ``np.dot`` copies operands that are not contiguous, and cannot add to a submatrix.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.core.typing.templates import Signature
from numba.extending import get_cython_function_address, intrinsic

# Address of the routine. Kernels take it as an argument, because numba does not cache code with a constant address.
SGEMM = get_cython_function_address("scipy.linalg.cython_blas", "sgemm")
_TRANSPOSED, _PLAIN = ord("T"), ord("N")


@njit(cache=True)
def multiply(sgemm: int, sign: float, left: np.ndarray, right: np.ndarray, kept: float, result: np.ndarray) -> None:
    """Compute ``result`` = ``kept`` ``result`` + ``sign`` ``left``^T ``right`` in place.

    Args:
        sgemm: ``SGEMM``.
        sign: Factor of the product.
        left: (W, N) float32; rows may be any distance apart.
        right: (W, M) float32, likewise.
        kept: Factor of the present result.
        result: (N, M) float32, likewise.

    Notes:
        sgemm of BLAS, level 3 (Dongarra et al. 1990).

    Example:
        >>> one, result = np.ones((3, 2), np.float32), np.full((2, 2), 10.0, np.float32)
        >>> multiply(SGEMM, -1.0, one, one, 1.0, result)
        >>> result.tolist()
        [[7.0, 7.0], [7.0, 7.0]]
    """
    # Fortran reads these arrays as transposed matrices with the given distance between columns.
    shape = (_PLAIN, _TRANSPOSED, right.shape[1], left.shape[1], len(left))
    factors = (sign, right, right.strides[0] // 4, left, left.strides[0] // 4)
    # numba's stubs do not describe how an intrinsic is called.
    call(sgemm, shape + factors + (kept, result, result.strides[0] // 4))  # type: ignore[call-arg, arg-type]


@intrinsic
def call(
    typing_context: object, address: types.Type, arguments: types.Type
) -> tuple[Signature, Callable[..., ir.Value]]:
    """Call a Fortran routine with arrays, integers, letters (their code) and reals, all passed by reference."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> ir.Value:
        pointers, byte = [], ir.IntType(8).as_pointer()
        kinds = signature.args[1].types
        for kind, value in zip(kinds, cgutils.unpack_tuple(builder, values[1], len(kinds)), strict=True):
            if isinstance(kind, types.Array):
                place = context.make_array(kind)(context, builder, value).data
            else:
                # The first byte of a small integer is the code of the letter.
                single = types.float32 if isinstance(kind, types.Float) else types.int32
                place = cgutils.alloca_once_value(builder, context.cast(builder, value, kind, single))
            pointers.append(builder.bitcast(place, byte))
        routine = ir.FunctionType(ir.VoidType(), [byte] * len(pointers)).as_pointer()
        builder.call(builder.inttoptr(values[0], routine), pointers)
        return context.get_dummy_value()

    return types.void(address, arguments), generate
