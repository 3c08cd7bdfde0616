"""Puts finished files at the paths that a user named. Files of others are replaced only with --force."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from .errors import WeightsError

NAME = 50  # characters of the output's name in that of a folder beside it: a long name has no room for more


def check_place(path: Path, force: bool, inputs: Iterable[Path | str] = ()) -> None:
    """Raises WeightsError if `path` is taken, is one of `inputs` (by whatever name), or cannot be looked at."""
    with _written(path):
        if not path.parent.is_dir():
            raise WeightsError(f"{path}: there is no directory {path.parent}")
        taken = _is_taken(path)
    for one in inputs:
        with contextlib.suppress(OSError):  # one of the two is not there
            if path.samefile(one):
                raise WeightsError(f"{path}: exists and is read; expected another file than {one}")
    if taken and not force:
        raise WeightsError(f"{path}: exists; expected another file, or --force to replace it")


def folder_beside(path: Path) -> contextlib.AbstractContextManager[Path]:
    """A folder on the file system of `path`, for what is unfinished; it is removed at the end."""
    return _folder(path.parent, path.name, path)


def folder_in(directory: Path, name: str) -> contextlib.AbstractContextManager[Path]:
    """A new folder of nearly this name; it is removed at the end."""
    return _folder(directory, name, directory)


@contextlib.contextmanager
def _folder(directory: Path, name: str, told: Path) -> Iterator[Path]:
    """`told`: the path in messages."""
    with _written(told):
        folder = tempfile.TemporaryDirectory(prefix=f".{name[:NAME]}.", dir=directory, ignore_cleanup_errors=True)
    with folder as name:
        yield Path(name)


def put(made: Path, path: Path, force: bool) -> None:
    """Gives the whole file `made` the name `path`, at once. Without `force`, a file that came there stays."""
    with _written(path):
        if force:
            made.replace(path)
            return
        try:
            os.link(made, path)  # refuses where there is something, unlike a rename
        except FileExistsError:
            raise _came(path) from None
        except OSError:  # a file system without links
            if _is_taken(path):
                raise _came(path) from None
            made.replace(path)


def _came(path: Path) -> WeightsError:
    return WeightsError(
        f"{path}: a file came there in the meantime, and stays; expected none, or --force to replace it"
    )


def _is_taken(path: Path) -> bool:
    """Also by a symbolic link to nothing."""
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


@contextlib.contextmanager
def _written(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise WeightsError(f"{path}: cannot be written: {error.strerror or error}") from None
