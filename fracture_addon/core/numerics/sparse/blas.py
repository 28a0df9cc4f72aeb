"""Products of matrices within larger ones, for compiled kernels: single precision, by the BLAS that SciPy brings.

NumPy's product, as Numba compiles it, wants copies of what is not contiguous, and a place of its own for the result.
"""

from __future__ import annotations

from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import get_cython_function_address, intrinsic

# Kernels take this as an argument: with an address as a constant they could not be cached.
SGEMM = get_cython_function_address("scipy.linalg.cython_blas", "sgemm")
_TRANSPOSED, _PLAIN = ord("T"), ord("N")


@njit(cache=True)
def multiply(sgemm, sign, left, right, kept, result):
    """``result`` (N, M) becomes ``kept`` times itself and ``sign`` times left^T right; (W, N) and (W, M)."""
    # What Fortran sees are the transposes, with any distance between their columns.
    shape = (_PLAIN, _TRANSPOSED, right.shape[1], left.shape[1], len(left))
    factors = (sign, right, right.strides[0] // 4, left, left.strides[0] // 4)
    call(sgemm, shape + factors + (kept, result, result.strides[0] // 4))


@intrinsic
def call(typing_context, address, arguments):
    """Call a Fortran routine, which takes all by reference: arrays, integers, letters by their code, and reals."""

    def generate(context, builder, signature, values):
        pointers, byte = [], ir.IntType(8).as_pointer()
        kinds = signature.args[1].types
        for kind, value in zip(kinds, cgutils.unpack_tuple(builder, values[1], len(kinds)), strict=True):
            if isinstance(kind, types.Array):
                place = context.make_array(kind)(context, builder, value).data
            else:
                # The first byte of a small integer is its code as a letter.
                single = types.float32 if isinstance(kind, types.Float) else types.int32
                place = cgutils.alloca_once_value(builder, context.cast(builder, value, kind, single))
            pointers.append(builder.bitcast(place, byte))
        routine = ir.FunctionType(ir.VoidType(), [byte] * len(pointers)).as_pointer()
        builder.call(builder.inttoptr(values[0], routine), pointers)
        return context.get_dummy_value()

    return types.void(address, arguments), generate
