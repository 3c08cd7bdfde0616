"""Finds the format of a path, and the reader or writer for it."""

import difflib
import importlib
from pathlib import Path

from tailrace.convert.contents import Contents, ConversionError, Reader, Writer

ENDINGS = {".nc": "netcdf", ".nc4": "netcdf", ".zarr": "zarr"}
PACKAGES = {"netcdf": ("netCDF4",), "zarr": ("zarr",), "bp": ("adios2",)}
MAGIC = ((b"\x89HDF", "netcdf"), (b"CDF", "netcdf"))


def format_of_source(path: Path) -> str:
    if not path.exists():
        raise ConversionError(f"{path}: no such file or directory.{_hint(path.name, _names_beside(path))}")
    if path.is_dir():
        names = {entry.name for entry in path.iterdir()}
        if names & {"zarr.json", ".zgroup"}:
            return "zarr"
        if names & {"md.idx", "md.0"}:
            return "bp"
        raise ConversionError(f"{path}: is a directory, but no Zarr group (zarr.json, .zgroup) and no BP file (md.idx)")
    start = path.open("rb").read(8)
    for magic, name in MAGIC:
        if start.startswith(magic):
            return name
    raise ConversionError(f"{path}: is no NetCDF file; expected NetCDF, a Zarr group or a BP directory")


def format_of_target(path: Path) -> str:
    if name := ENDINGS.get(path.suffix):
        return name
    if path.suffix == ".bp":
        raise ConversionError(f"{path}: BP is read, but not written; expected a target that ends in .nc or .zarr")
    hint = _hint(path.suffix, list(ENDINGS))
    raise ConversionError(f"{path}: the ending says what is made; expected .nc, .nc4 or .zarr.{hint}")


def _names_beside(path: Path) -> list[str]:
    return [entry.name for entry in path.parent.iterdir()] if path.parent.is_dir() else []


def _hint(name: str, known: list[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    return f" Did you mean {near[0]!r}?" if near else ""


def import_packages(name: str) -> None:
    for package in PACKAGES[name]:
        try:
            importlib.import_module(package)
        except ImportError:
            kind = {"netcdf": "NetCDF files", "zarr": "Zarr stores", "bp": "BP files"}[name]
            raise ConversionError(f"the Python package {package} is needed for {kind}: pip install {package}") from None


def open_reader(name: str, path: Path) -> Reader:
    if name == "netcdf":
        from tailrace.convert.netcdf import NetcdfReader as Opened
    elif name == "zarr":
        from tailrace.convert.zarr import ZarrReader as Opened
    else:
        from tailrace.convert.bp import BpReader as Opened
    return Opened(path)


def open_writer(name: str, path: Path, contents: Contents | None = None) -> Writer:
    if name == "netcdf":
        from tailrace.convert.netcdf import NetcdfWriter

        return NetcdfWriter(path, contents)
    from tailrace.convert.zarr import ZarrWriter

    return ZarrWriter(path, contents)
