"""Arrays that the CPU and a GPU of NVIDIA share, for functions of the target `cuda`: by the driver, without CUDA's
libraries."""

from __future__ import annotations

import ctypes

import numpy as np

MANAGED = 1  # CU_MEM_ATTACH_GLOBAL
CLOCK, WIDTH = 36, 37  # CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE in kHz, _GLOBAL_MEMORY_BUS_WIDTH in bits


class NoGpu(Exception):
    """The driver or a GPU is missing; says which."""


class Gpu:
    """The first GPU, with the context that generated functions use too. Its arrays live as long as it does."""

    def __init__(self):
        try:
            self.driver = ctypes.CDLL("libcuda.so.1")
        except OSError as error:
            raise NoGpu(f"no driver of NVIDIA: {error}") from None
        self.pointers: list[ctypes.c_void_p] = []
        self.device, context, count = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_int()
        if self.driver.cuInit(0) or self.driver.cuDeviceGetCount(ctypes.byref(count)) or not count.value:
            raise NoGpu("the driver of NVIDIA finds no GPU")
        self.call("cuDeviceGet", ctypes.byref(self.device), 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), self.device)
        self.call("cuCtxSetCurrent", context)
        text = ctypes.create_string_buffer(100)
        self.call("cuDeviceGetName", text, ctypes.c_int(len(text)), self.device)
        self.name = text.value.decode(errors="replace")

    def call(self, name: str, *arguments):
        status = getattr(self.driver, name)(*arguments)
        if status:
            raise RuntimeError(f"{name}: error {status} of the driver")

    def attribute(self, number: int) -> int:
        value = ctypes.c_int()
        self.call("cuDeviceGetAttribute", ctypes.byref(value), ctypes.c_int(number), self.device)
        return value.value

    def bandwidth(self) -> float:
        """Bytes per second of its memory by the data sheet: two transfers a clock."""
        return 2 * 1e3 * self.attribute(CLOCK) * self.attribute(WIDTH) / 8

    def array(self, values: np.ndarray) -> np.ndarray:
        """A copy that both read and write."""
        values = np.ascontiguousarray(values)
        pointer = ctypes.c_void_p()
        size = max(values.nbytes, 1)
        self.call("cuMemAllocManaged", ctypes.byref(pointer), ctypes.c_size_t(size), ctypes.c_uint(MANAGED))
        self.pointers.append(pointer)
        memory = (ctypes.c_byte * size).from_address(pointer.value)
        result = np.frombuffer(memory, values.dtype, values.size).reshape(values.shape)
        result[...] = values
        return result

    def release(self):
        """Gives back all arrays, which nobody may use any more."""
        for pointer in self.pointers:
            self.call("cuMemFree_v2", pointer)
        self.pointers.clear()
