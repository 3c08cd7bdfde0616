"""Small models in each language, built against the installed package like by a user."""

import os
import subprocess
import sys
from pathlib import Path

from support.harness import TREE, Running, mpi_environment

INSTALLED = Path(os.environ.get("TAILRACE_INSTALLED", TREE / "build" / "install"))
COMPILERS = {"c": ("model.c", "C"), "cpp": ("model.cpp", "CXX"), "fortran": ("model.f90", "Fortran")}


def build_program(folder: Path, language: str, text: str) -> list[str]:
    """The command that starts it in the folder."""
    if language == "python":
        (folder / "model.py").write_text(text)
        return [sys.executable, "model.py"]
    name, compiler = COMPILERS[language]
    (folder / name).write_text(text)
    target = "tailrace::fortran" if language == "fortran" else "tailrace::tailrace"
    lines = ["cmake_minimum_required(VERSION 3.25)", f"project(model LANGUAGES C CXX {compiler})"]
    lines += ["find_package(MPI REQUIRED)", "find_package(tailrace REQUIRED)", f"add_executable(model {name})"]
    lines += ["set_target_properties(model PROPERTIES CXX_STANDARD 20)"]
    lines += [f"target_link_libraries(model PRIVATE {target} MPI::MPI_{compiler})"]
    (folder / "CMakeLists.txt").write_text("\n".join(lines) + "\n")
    for command in (["cmake", "-B", "build", f"-DCMAKE_PREFIX_PATH={INSTALLED}"], ["cmake", "--build", "build"]):
        done = subprocess.run(
            command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300
        )
        assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return ["build/model"]


def heard_alone(folder: Path, language: str, text: str, config: str) -> list[str]:
    """Runs the program as a single rank to its end, and returns the lines that it prints after `HEARD`."""
    program = build_program(folder, language, text)
    (folder / "tailrace.yaml").write_text(config)
    with Running(["mpirun", "-n", "1", *program], folder, mpi_environment()) as running:
        result = running.wait(60)
    assert result.status == 0, result.output
    return [line.removeprefix("HEARD ") for line in result.output.splitlines() if line.startswith("HEARD")]
