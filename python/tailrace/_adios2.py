"""The package adios2, made ready for values that Tailrace compressed."""

import os
from pathlib import Path

LIBRARY = "libtailrace_adios2_codecs.so"
SEARCHED = "ADIOS2_PLUGIN_PATH"


def plugin_folder() -> Path | None:
    """The folder of the operator that undoes the compression: this package, where tools/link_python links it, or the
    library folder of the installation around the package."""
    package = Path(__file__).absolute().parent
    return next((folder for folder in (package, package.parents[2]) if (folder / LIBRARY).exists()), None)


def _let_it_be_found() -> None:
    folder = plugin_folder()
    searched = [part for part in os.environ.get(SEARCHED, "").split(":") if part]
    if folder is not None and str(folder) not in searched:
        os.environ[SEARCHED] = ":".join([*searched, str(folder)])


_let_it_be_found()

import adios2  # noqa: E402 - it must find the operator

__all__ = ["adios2"]
