"""The target `product`, which ./quickstart and the build for MPICH make before they install."""

import re
import subprocess
from pathlib import Path

from support.harness import BUILD


def installed_programs() -> set[str]:
    """Libraries and programs that `cmake --install` takes from the build folder, relative to it."""
    taken = set()
    for script in Path(BUILD).rglob("cmake_install.cmake"):
        taken.update(re.findall(rf'FILES "{re.escape(str(BUILD))}/([^"]+)"', script.read_text()))
    return {path for path in taken if Path(path).suffix in ("", ".so")}


def test_it_has_all_programs_that_are_installed():
    command = ["ninja", "-C", str(BUILD), "-t", "commands", "product"]
    words = set(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())
    installed = installed_programs()
    assert "bindings/c/libtailrace.so" in installed
    assert installed - words == set()
