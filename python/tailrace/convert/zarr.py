"""Zarr stores for `tailrace convert`, read and written by zarr-python.

Written are stores of Zarr v3 as Tailrace writes them (docs/formats/zarr.md); read are these, and what xarray writes in
either version. Details of attributes that JSON forgets are kept in attributes of the store that xarray hides.
"""

import base64
import contextlib
import struct
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import zarr
from zarr.codecs import BloscCodec

from tailrace.convert.contents import (
    Compression,
    Contents,
    ConversionError,
    Dimension,
    Region,
    Variable,
    dims_of,
    fill_of,
)

UNLIMITED = "_nc_unlimited_dimensions"  # names
BARE = "_nc_dimensions"  # name -> size of dimensions along which no array lies
TYPES = "_nc_attribute_types"  # array ("" for the store) -> attribute -> type
DIMENSIONS = "_ARRAY_DIMENSIONS"  # of Zarr v2
NATURAL = {np.dtype("float64"), np.dtype("int64")}  # what a number in JSON is taken for
DEFAULT_FILL = {"i1": -127, "u1": 255, "i2": -32767, "u2": 65535, "i4": -2147483647, "u4": 4294967295} | {
    "i8": -9223372036854775806,
    "u8": 18446744073709551614,
    "f4": 9.969209968386869e36,
    "f8": 9.969209968386869e36,
}  # those of netCDF


def _quietly(function, *arguments, **options):
    """zarr-python warns of text types and consolidated metadata, which have no final specification."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*arguments, **options)


def _as_typed(value: Any, type_name: str | None) -> Any:
    if isinstance(value, str) or (isinstance(value, list) and value and all(isinstance(one, str) for one in value)):
        return value
    if isinstance(value, (dict, bool)) or value is None:
        raise ConversionError(f"{value!r} is no text and no number, so NetCDF has no attribute for it")
    array = np.asarray(value, dtype=type_name)
    if array.dtype.kind not in "iuf" or array.ndim > 1:
        raise ConversionError(f"{value!r} is no text, number or list of numbers, so NetCDF has no attribute for it")
    return array[()] if array.ndim == 0 else array


def _as_json(value: Any) -> Any:
    if isinstance(value, (str, list)):
        return value
    return np.asarray(value).tolist()


def _type_of(value: Any) -> str | None:
    if isinstance(value, (str, list)):
        return None
    dtype = np.asarray(value).dtype
    return None if dtype in NATURAL else dtype.name


def _fill_from(name: str, attribute: Any, dtype: np.dtype | None) -> Any:
    """_FillValue as xarray keeps it: base64 of a double, or of bytes; integers as they are."""
    value = attribute
    if isinstance(attribute, str) and dtype is not None:
        with contextlib.suppress(ValueError, struct.error):  # it is something else, which fill_of looks at
            content = base64.standard_b64decode(attribute)
            value = struct.unpack("<d", content)[0] if dtype.kind == "f" else content
    return fill_of(name, value, dtype)


def _fill_as_json(fill: Any, dtype: np.dtype | None) -> Any:
    if dtype is None:
        return str(fill)
    if dtype.kind == "f":
        return base64.standard_b64encode(struct.pack("<d", float(fill))).decode()
    return base64.standard_b64encode(bytes(fill)).decode() if dtype.kind == "S" else int(fill)


class ZarrReader:
    def __init__(self, path: Path):
        self.path = path
        self.group = _quietly(zarr.open_group, str(path), mode="r")
        self.notes = dict(self.group.attrs)
        self.arrays = dict(_quietly(lambda: list(self.group.arrays())))

    def contents(self) -> Contents:
        if groups := list(_quietly(lambda: list(self.group.group_keys()))):
            raise ConversionError(f"has groups ({', '.join(groups)}), which are not converted; give the path of one")
        variables = [self._variable(name, array) for name, array in self.arrays.items()]
        attributes = {
            name: self._typed("", name, value)
            for name, value in self.notes.items()
            if not name.lower().startswith("_nc")
        }
        bare = {name: Dimension(size) for name, size in self.notes.get(BARE, {}).items()}
        dims = bare | dims_of(variables, set(self.notes.get(UNLIMITED, [])) - bare.keys())
        return Contents(dims, attributes, variables)

    def _typed(self, owner: str, name: str, value: Any) -> Any:
        try:
            return _as_typed(value, self.notes.get(TYPES, {}).get(owner, {}).get(name))
        except ConversionError as error:
            where = f"array {owner!r}: " if owner else ""
            raise ConversionError(f"{where}attribute {name!r}: {error}") from None

    def _variable(self, name: str, array: zarr.Array) -> Variable:
        attributes = dict(array.attrs)
        dims = getattr(array.metadata, "dimension_names", None) or attributes.pop(DIMENSIONS, None) or ()
        if len(dims) != array.ndim or None in dims:
            raise ConversionError(
                f"array {name!r} does not name its dimensions; expected `dimension_names` in its metadata, or "
                f"{DIMENSIONS!r} in Zarr v2"
            )
        dtype = self._dtype(name, array)
        fill = attributes.pop("_FillValue", None)
        if fill is not None:
            fill = _fill_from(name, fill, dtype)
        elif array.metadata.zarr_format == 2:
            fill = array.fill_value  # as xarray takes it
        return Variable(
            name,
            dtype,
            tuple(dims),
            array.shape,
            tuple(array.chunks) if array.ndim else None,
            {key: self._typed(name, key, value) for key, value in attributes.items()},
            fill,
            self._compression(array),
        )

    @staticmethod
    def _dtype(name: str, array: zarr.Array) -> np.dtype | None:
        dtype = array.dtype
        if dtype.kind in "TUO":
            return None
        if dtype == np.dtype("S1") or (dtype.kind in "iuf" and dtype != np.dtype("float16")):
            return dtype.newbyteorder("=")
        raise ConversionError(
            f"array {name!r} is of the type {dtype}, which NetCDF does not have; expected integers, float32, "
            "float64 or texts"
        )

    @staticmethod
    def _compression(array: zarr.Array) -> Compression | None:
        if not array.compressors:
            return None
        codec = array.compressors[0]
        settings = codec.to_dict().get("configuration", {}) if hasattr(codec, "to_dict") else codec.get_config()
        name = str(settings.get("cname", settings.get("id", type(codec).__name__))).lower()
        level = int(settings.get("clevel", settings.get("level", 1)) or 1)
        shuffle = str(settings.get("shuffle", "noshuffle")) in ("shuffle", "1", "bitshuffle", "2")
        codec_name = "zstd" if "zst" in name else "zlib"
        return Compression(codec_name, max(1, min(level, 9)), shuffle)

    def read(self, name: str, region: Region) -> np.ndarray:
        return np.asarray(self.arrays[name][region if region else ...])

    def close(self) -> None:
        pass


class ZarrWriter:
    in_parallel = True

    def __init__(self, path: Path, contents: Contents | None = None):
        """Without `contents` it adds to a store that is there."""
        self.path = path
        if contents is None:
            self.group = _quietly(zarr.open_group, str(path), mode="r+")
            return
        self.group = zarr.create_group(str(path), zarr_format=3, attributes=self._notes(contents))
        for variable in contents.variables:
            _quietly(self._create, variable)

    @staticmethod
    def _notes(contents: Contents) -> dict:
        attributes = {name: _as_json(value) for name, value in contents.attributes.items()}
        used = {dim for variable in contents.variables for dim in variable.dims}
        notes: dict[str, Any] = {
            UNLIMITED: [name for name, dim in contents.dims.items() if dim.unlimited],
            BARE: {name: dim.size for name, dim in contents.dims.items() if name not in used},
            TYPES: {},
        }
        for owner, named in [("", contents.attributes), *((one.name, one.attributes) for one in contents.variables)]:
            if types := {name: kind for name, value in named.items() if (kind := _type_of(value))}:
                notes[TYPES][owner] = types
        return attributes | {name: note for name, note in notes.items() if note}

    def _create(self, variable: Variable) -> None:
        dtype = variable.dtype
        compressors = None
        if variable.compression and dtype is not None and variable.shape:
            shuffle = "shuffle" if variable.compression.shuffle else "noshuffle"
            level = min(variable.compression.level, 9)
            compressors = [BloscCodec(cname=variable.compression.codec, clevel=level, shuffle=shuffle)]
        attributes = {name: _as_json(value) for name, value in variable.attributes.items()}
        fill = variable.fill
        if fill is not None:
            attributes["_FillValue"] = _fill_as_json(fill, dtype)
        elif dtype is not None:
            fill = DEFAULT_FILL.get(dtype.str[1:], b"")
        else:
            fill = ""
        self.group.create_array(
            variable.name,
            shape=variable.shape,
            dtype=dtype if dtype is not None else str,
            chunks=variable.grid(),
            compressors=compressors,
            fill_value=fill,
            dimension_names=variable.dims,
            attributes=attributes,
        )

    def write(self, name: str, region: Region, values: np.ndarray) -> None:
        _quietly(self._put, name, region, values)

    def _put(self, name: str, region: Region, values: np.ndarray) -> None:
        self.group[name][region if region else ...] = values

    def close(self) -> None:
        _quietly(zarr.consolidate_metadata, str(self.path))
