"""Where the plugin is with which HDF5 and zarr-python decode the codec `lorenzo`. It needs no compiled module."""

from pathlib import Path

LIBRARY = "libtailrace_hdf5_plugin.so"


def hint_for(error: Exception) -> str:
    """The remedy if netCDF-C has no plugin for a filter; empty for another error."""
    if "undefined filter" not in str(error):
        return ""
    return "; chunks of the codec lorenzo need `export HDF5_PLUGIN_PATH=$(tailrace plugins)`"


def plugin_folder() -> Path:
    """The folder for HDF5_PLUGIN_PATH: in this package, where a wheel has it and tools/link_python links it, or in the
    library folder of the installation around the package."""
    package = Path(__file__).absolute().parent
    folders = (package / "hdf5_plugin", package.parents[2] / "tailrace" / "hdf5_plugin")
    for folder in folders:
        if (folder / LIBRARY).exists():
            return folder
    raise FileNotFoundError(f"{LIBRARY} is neither in {folders[0]} nor in {folders[1]}; is Tailrace installed whole?")
