"""NetCDF files for `tailrace convert`, read and written by netCDF4-python."""

from pathlib import Path

import netCDF4
import numpy as np

from tailrace.convert.contents import Compression, Contents, ConversionError, Dimension, Region, Variable

HIDDEN = {"_NCProperties"}


def _attributes(item) -> dict:
    return {name: item.getncattr(name) for name in item.ncattrs() if name not in HIDDEN | {"_FillValue"}}


def _compression(filters: dict | None) -> Compression | None:
    """The nearest compression of the other format: a filter that it does not know becomes zstd."""
    filters = filters or {}
    shuffle = bool(filters.get("shuffle"))
    if filters.get("zlib"):
        return Compression("zlib", int(filters["complevel"]), shuffle)
    if filters.get("zstd"):
        return Compression("zstd", int(filters["complevel"]), shuffle)
    known = any(filters.get(name) for name in ("szip", "bzip2", "blosc"))
    return Compression("zstd", 1, True) if known else None


class NetcdfReader:
    def __init__(self, path: Path):
        self.file = netCDF4.Dataset(path, "r")
        self.file.set_auto_maskandscale(False)
        self.file.set_auto_chartostring(False)

    def contents(self) -> Contents:
        if self.file.groups:
            names = ", ".join(self.file.groups)
            raise ConversionError(f"has groups ({names}), which are not converted; expected all variables at the root")
        dims = {name: Dimension(len(dim), dim.isunlimited()) for name, dim in self.file.dimensions.items()}
        return Contents(dims, _attributes(self.file), [self._variable(one) for one in self.file.variables.values()])

    def _variable(self, variable) -> Variable:
        text = variable.dtype is str
        if not text and not isinstance(variable.datatype, np.dtype):
            kind = type(variable.datatype).__name__
            raise ConversionError(
                f"variable {variable.name!r} is of a type of its own ({kind}), which is not converted"
            )
        chunking = variable.chunking()
        return Variable(
            variable.name,
            None if text else variable.dtype.newbyteorder("="),
            variable.dimensions,
            variable.shape,
            tuple(int(extent) for extent in chunking) if isinstance(chunking, list) else None,
            _attributes(variable),
            variable.getncattr("_FillValue") if "_FillValue" in variable.ncattrs() else None,
            _compression(variable.filters()),
        )

    def read(self, name: str, region: Region) -> np.ndarray:
        values = self.file.variables[name]
        return np.asarray(values[region if region else ...])

    def close(self) -> None:
        self.file.close()


class NetcdfWriter:
    in_parallel = False  # HDF5 writes a file from one process

    def __init__(self, path: Path, contents: Contents):
        self.file = netCDF4.Dataset(path, "w", format="NETCDF4", clobber=False)
        self.file.set_fill_on()
        for name, dim in contents.dims.items():
            self.file.createDimension(name, None if dim.unlimited else dim.size)
        self.file.setncatts(contents.attributes)
        unlimited = {name for name, dim in contents.dims.items() if dim.unlimited}
        for variable in contents.variables:
            self._create(variable, unlimited)

    def _create(self, variable: Variable, unlimited: set[str]) -> None:
        one_piece = variable.chunk is None or all(map(int.__ge__, variable.chunk, variable.shape))
        plain = one_piece and variable.compression is None and not unlimited & set(variable.dims)
        options = {}
        if variable.dims and not plain:
            limits = zip(variable.dims, variable.grid(), variable.shape, strict=True)
            options["chunksizes"] = [most if dim in unlimited else min(most, size) for dim, most, size in limits]
        if variable.compression and variable.dims and variable.dtype is not None:
            options |= self._filters(variable.compression)
        made = self.file.createVariable(
            variable.name, variable.dtype or str, variable.dims, fill_value=variable.fill, contiguous=plain, **options
        )
        made.set_auto_maskandscale(False)
        made.set_auto_chartostring(False)
        made.setncatts(variable.attributes)

    def _filters(self, wanted: Compression) -> dict:
        has_codec = wanted.codec == "zlib" or self.file.has_zstd_filter()
        codec = wanted.codec if has_codec else "zlib"
        level = wanted.level if has_codec else 1
        return {"compression": codec, "complevel": min(level, 9) if codec == "zlib" else level} | {
            "shuffle": wanted.shuffle
        }

    def write(self, name: str, region: Region, values: np.ndarray) -> None:
        target = self.file.variables[name]
        if target.dtype is str:
            values = np.asarray(values).astype(object)
        if not region:
            target[...] = values if target.dtype is not str else values.item()
        else:
            target[region] = values

    def close(self) -> None:
        self.file.close()
