"""The codec `lorenzo` for zarr-python: it decodes what Tailrace wrote. An installed package makes it known by its entry
point; elsewhere `import tailrace.zarr_codec` does."""

import asyncio
import ctypes
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from zarr.abc.codec import BytesBytesCodec
from zarr.registry import register_codec

from .plugins import LIBRARY, plugin_folder

if TYPE_CHECKING:
    from zarr.core.array_spec import ArraySpec
    from zarr.core.buffer import Buffer

NAME = "tailrace.lorenzo"
HEADER = 40  # bytes, with the number of values at 8 and their size at 5
MOST_BYTES = 1 << 32


@cache
def _library() -> ctypes.CDLL:
    library = ctypes.CDLL(str(plugin_folder() / LIBRARY))
    library.tailrace_lorenzo_decode.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_size_t]
    return library


def decode(chunk: Any) -> np.ndarray:
    """The bytes of the values of a chunk."""
    encoded = np.frombuffer(chunk, "u1")
    if len(encoded) < HEADER:
        raise ValueError(f"a chunk of codec {NAME} is damaged: it has {len(encoded)} bytes, fewer than its header")
    size = int(encoded[8:16].view("<u8")[0]) * int(encoded[5])
    if size > MOST_BYTES:
        raise ValueError(f"a chunk of codec {NAME} is damaged: its header promises {size} bytes of values")
    values = np.empty(size, "u1")
    if _library().tailrace_lorenzo_decode(encoded.ctypes.data, len(encoded), values.ctypes.data, size):
        raise ValueError(f"a chunk of codec {NAME} is damaged: its {len(encoded)} bytes cannot be decoded")
    return values


@dataclass(frozen=True)
class Lorenzo(BytesBytesCodec):
    is_fixed_size = False

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "Lorenzo":
        if data.get("name") != NAME or data.get("configuration"):
            raise ValueError(f"expected the codec {NAME} without a configuration, but got {data}")
        return cls()

    def to_dict(self) -> dict[str, Any]:
        return {"name": NAME, "configuration": {}}

    async def _decode_single(self, chunk_bytes: "Buffer", chunk_spec: "ArraySpec") -> "Buffer":
        values = await asyncio.to_thread(decode, chunk_bytes.as_numpy_array())
        return chunk_spec.prototype.buffer.from_array_like(values)

    async def _encode_single(self, chunk_bytes: "Buffer", chunk_spec: "ArraySpec") -> "Buffer | None":
        raise NotImplementedError(f"the codec {NAME} only decodes; Tailrace writes it")

    def compute_encoded_size(self, input_byte_length: int, chunk_spec: "ArraySpec") -> int:
        raise NotImplementedError("the size depends on the values")


register_codec(NAME, Lorenzo)
