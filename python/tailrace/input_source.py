"""Input from all that xarray opens, in a process that a server starts.

    import xarray as xr
    from tailrace.input_source import input_source

    @input_source
    def forcing(file):
        return xr.open_dataset(file, engine="cfgrib").rename(t2m="tas")

The function gets the name of a file of the configuration, and returns an xarray Dataset, whose values are loaded when a
record needs them. Without a function the file is opened by xarray.open_dataset, or xarray.open_zarr for a store.

As a program, `python -m tailrace.input_source [MODULE:FUNCTION] SOCKET`, it answers the requests that
src/input/reader/reader_process.hpp describes.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import math
import os
import signal
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

MOST_BYTES = 1 << 16  # of a message
MOST_OF_A_TEXT = 2000

# What the protocol calls the types of numbers.
TYPES = {
    "i1": "byte",
    "u1": "ubyte",
    "i2": "short",
    "u2": "ushort",
    "i4": "int",
    "u4": "uint",
    "i8": "int64",
    "u8": "uint64",
    "f4": "float",
    "f8": "double",
}
# The types in which they are delivered, where these differ.
DELIVERED = {"u2": "i4", "u4": "i8", "u8": "f8"}


def input_source(function: Callable[[str], xr.Dataset]) -> Callable[[str], xr.Dataset]:
    """Marks a function as a source of input. It takes the name of a file, and returns an xarray Dataset."""
    function.is_input_source = True  # type: ignore[attr-defined]
    return function


def open_with_xarray(file: str) -> xr.Dataset:
    if Path(file).is_dir() or file.rstrip("/").endswith(".zarr"):
        return xr.open_zarr(file, decode_cf=False)
    return xr.open_dataset(file, decode_cf=False, cache=False)


def load_function(name: str) -> Callable[[str], xr.Dataset]:
    """`package.module:function`, or `path/to/file.py:function`."""
    module_name, _, function_name = name.rpartition(":")
    if module_name.endswith(".py"):
        spec = importlib.util.spec_from_file_location("tailrace_user_input", module_name)
        if spec is None or spec.loader is None:
            raise ImportError(f"{module_name} cannot be imported")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    else:
        module = importlib.import_module(module_name)
    return getattr(module, function_name)


class Variable:
    """A variable as the protocol knows it: numbers or characters, with its dims and attributes."""

    def __init__(self, name: str, given: xr.Variable) -> None:
        dates = given.dtype.kind in "mM" or (
            given.dtype == object and given.size > 0 and not isinstance(first(given), str)
        )
        self.variable = xr.conventions.encode_cf_variable(given, name=name) if dates else given
        self.dims = [str(dim) for dim in self.variable.dims]
        self.shape = list(self.variable.shape)
        self.code = self.variable.dtype.kind + str(self.variable.dtype.itemsize)
        self.type = TYPES.get(self.code, "string" if self.variable.dtype.kind in "OU" else f"{self.variable.dtype}")
        if self.code == "b1":
            self.code, self.type = "i1", "byte"
        if self.code == "f2":
            self.code, self.type = "f4", "float"
        if self.variable.dtype.kind == "S":
            self.type = "char"
            if self.variable.dtype.itemsize > 1:  # texts of one length, whose characters are a dim in files
                self.dims.append(f"characters_of_{name}")
                self.shape.append(self.variable.dtype.itemsize)

    def header(self, name: str) -> dict[str, Any]:
        chunks = self.variable.encoding.get("chunks") or self.variable.encoding.get("chunksizes") or []
        chunk = [int(one) for one in chunks] if len(chunks) == len(self.dims) else []
        kept = ("_FillValue", "missing_value", "scale_factor", "add_offset", "units", "calendar")
        attributes = {key: value for key, value in self.variable.encoding.items() if key in kept and value is not None}
        attributes |= self.variable.attrs
        return {
            "name": name,
            "dims": self.dims,
            "shape": [int(one) for one in self.shape],
            "chunk": chunk,
            "type": self.type,
            "attributes": {str(key): attribute(value) for key, value in attributes.items()},
        }

    def read(self, start: list[int], count: list[int]) -> bytes:
        for n, (begin, length) in enumerate(zip(start, count, strict=True)):
            if begin < 0 or length < 1 or begin + length > self.shape[n]:
                raise IndexError(
                    f"cells {begin} to {begin + length - 1} of dim {self.dims[n]} are outside: it has {self.shape[n]}"
                )
        cells = tuple(slice(begin, begin + length) for begin, length in zip(start, count, strict=True))
        if self.type == "char":
            return self.read_characters(cells)
        if self.type not in TYPES.values():
            raise TypeError(f"has the type {self.type}, which cannot be read")
        values = self.variable[cells].values
        return np.ascontiguousarray(values, dtype=np.dtype(DELIVERED.get(self.code, self.code))).tobytes()

    def read_characters(self, cells: tuple[slice, ...]) -> bytes:
        length = self.variable.dtype.itemsize
        if length == 1:
            return np.ascontiguousarray(self.variable[cells].values).tobytes()
        texts = np.ascontiguousarray(self.variable[cells[:-1]].values)
        characters = texts.view("S1").reshape((*texts.shape, length))
        return np.ascontiguousarray(characters[..., cells[-1]]).tobytes()


def first(variable: xr.Variable) -> Any:
    return variable[(0,) * variable.ndim].values.item()


def attribute(value: Any) -> Any:
    """A text, or a list of numbers; JSON has no NaN and no infinity, which are texts."""
    if isinstance(value, str | bytes):
        return value.decode(errors="replace") if isinstance(value, bytes) else value
    array = np.atleast_1d(np.asarray(value))
    if array.dtype.kind not in "biuf":
        return " ".join(str(one) for one in array.ravel())
    return [one if math.isfinite(one) else str(one) for one in array.astype(float).ravel().tolist()]


class Server:
    """Answers the requests of one server, one after the other."""

    def __init__(self, descriptor: int, opener: Callable[[str], xr.Dataset]) -> None:
        self.socket = socket.socket(fileno=descriptor)
        self.opener = opener
        self.files: dict[int, tuple[xr.Dataset, dict[str, Variable]]] = {}
        self.opened = 0

    def run(self) -> None:
        while message := self.socket.recv(MOST_BYTES):
            try:
                self.handle(json.loads(message))
            except Exception as error:  # a function of the user, or any backend of xarray
                text = f"{type(error).__name__}: {error}"[:MOST_OF_A_TEXT]
                self.answer({"error": text})

    def handle(self, request: dict[str, Any]) -> None:
        match request["do"]:
            case "open":
                self.open(request["file"])
            case "read":
                variable = self.files[request["file"]][1][request["variable"]]
                try:
                    values = variable.read(request["start"], request["count"])
                except (TypeError, IndexError) as error:
                    raise type(error)(f"{request['variable']}: {error}") from error
                self.answer({"bytes": len(values)}, values)
            case "close":
                self.files.pop(request["file"])[0].close()
                self.answer({})
            case other:
                raise ValueError(f"there is no request {other!r}")

    def open(self, file: str) -> None:
        data = self.opener(file)
        if not isinstance(data, xr.Dataset):
            raise TypeError(f"the function returned a {type(data).__name__}; expected an xarray Dataset")
        variables = {str(name): Variable(str(name), one) for name, one in data.variables.items()}
        self.opened += 1
        self.files[self.opened] = (data, variables)
        header = json.dumps({"variables": [one.header(name) for name, one in variables.items()]}).encode()
        self.answer({"file": self.opened}, header)

    def answer(self, message: dict[str, Any], attached: bytes | None = None) -> None:
        text = json.dumps(message).encode()
        if attached is None:
            self.socket.send(text)
            return
        memory = os.memfd_create("tailrace input", os.MFD_CLOEXEC)
        try:
            view = memoryview(attached)
            while len(view) > 0:
                view = view[os.write(memory, view) :]
            socket.send_fds(self.socket, [text], [memory])
        finally:
            os.close(memory)


def main() -> None:
    # The launcher may signal all processes of the job; this one ends when its server closes the socket.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    *function, descriptor = sys.argv[1:]
    Server(int(descriptor), load_function(function[0]) if function else open_with_xarray).run()


if __name__ == "__main__":
    main()
