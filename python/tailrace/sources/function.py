"""A user's function: where it is, and where in it an error came from."""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import traceback
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from .refusal import Refusal


def load_function(name: str) -> Callable[[str], Any]:
    """`package.module:function`, or `path/to/file.py:function`."""
    module_name, _, function_name = name.rpartition(":")
    module = _load_file(module_name) if module_name.endswith(".py") else importlib.import_module(module_name)
    function = getattr(module, function_name, None)
    if callable(function):
        return function
    known = [key for key, value in vars(module).items() if callable(value) and not key.startswith("_")]
    nearest = difflib.get_close_matches(function_name, known, 1)
    hint = f" Did you mean {nearest[0]!r}?" if nearest else ""
    raise Refusal(f"{module_name} has no function {function_name!r}.{hint}")


def _load_file(name: str) -> ModuleType:
    if not Path(name).exists():
        raise Refusal(f"the file {name} of the source does not exist")
    spec = importlib.util.spec_from_file_location("tailrace_user_input", name)
    if spec is None or spec.loader is None:
        raise Refusal(f"{name} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def told(error: BaseException, file: str | None) -> str:
    """The error in words; with the line and the function where it left `file`, the one of the user's function."""
    words = f"{type(error).__name__}: {error}"
    if isinstance(error, SyntaxError) and error.filename == file:
        return f"{file}:{error.lineno}: {words}"
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    return f"{file}:{frames[-1].lineno}, in {frames[-1].name}: {words}" if frames else words
