"""`tail`: the part of an array from an index on, as an array, without touching any counter of references."""

from __future__ import annotations

from typing import Any

from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np import arrayobj


@intrinsic
def tail(context: Any, array: Any, start: Any) -> Any:
    """array[start:] of a contiguous array of doubles; it lives no longer than the array does."""
    signature = array(array, types.int64)

    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = signature.args[0]
        whole = arrayobj.make_array(kind)(context, builder, value=arguments[0])
        part = arrayobj.make_array(kind)(context, builder)
        size = builder.sub(cgutils.unpack_tuple(builder, whole.shape)[0], arguments[1])
        arrayobj.populate_array(
            part,
            data=builder.gep(whole.data, [arguments[1]]),
            shape=cgutils.pack_array(builder, [size]),
            strides=whole.strides,
            itemsize=whole.itemsize,
            meminfo=None,
        )
        return part._getvalue()

    return signature, lower
