"""The package adios2, made ready for values that Tailrace compressed."""

import os
from pathlib import Path

LIBRARY = "libtailrace_adios2_codecs.so"
SEARCHED = "ADIOS2_PLUGIN_PATH"


def plugin_folder() -> Path | None:
    """Where the operator lies that undoes the compression: beside this package, in the library folder of its
    installation, or in the tree that `./quickstart` built."""
    package = Path(__file__).absolute().parent
    tree = Path(__file__).resolve().parents[2]
    candidates = [package, package.parents[2], tree / "build" / "install" / "lib"]
    return next((folder for folder in candidates if (folder / LIBRARY).exists()), None)


def _let_it_be_found() -> None:
    folder = plugin_folder()
    searched = [part for part in os.environ.get(SEARCHED, "").split(":") if part]
    if folder is not None and str(folder) not in searched:
        os.environ[SEARCHED] = ":".join([*searched, str(folder)])


_let_it_be_found()

import adios2  # noqa: E402 - it must find the operator

__all__ = ["adios2"]
