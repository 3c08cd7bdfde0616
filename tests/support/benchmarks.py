"""Imports the benchmarks' support package, which has the same name as that of the tests."""

import importlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

PLACE = Path(__file__).resolve().parents[2] / "benchmarks" / "support"
NAME = "benchmarks_support"


def module(name: str) -> ModuleType:
    if NAME not in sys.modules:
        spec = importlib.util.spec_from_file_location(NAME, PLACE / "__init__.py")
        assert spec
        sys.modules[NAME] = importlib.util.module_from_spec(spec)
    return importlib.import_module(f"{NAME}.{name}")
