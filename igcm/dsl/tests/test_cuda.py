"""Code for GPUs: it compiles, and gpu_check runs it, here on the CPU. test_dsl_kernels.py compares its bits."""

import importlib.util
import os
import subprocess
import sys

import pytest
from stencilc import output, target
from stencils import DSL, KERNELS, analysis_of, compile_library, source_of

spec = importlib.util.spec_from_loader(
    "gpu_check", importlib.machinery.SourceFileLoader("gpu_check", str(DSL / "gpu_check"))
)
gpu_check = importlib.util.module_from_spec(spec)
spec.loader.exec_module(gpu_check)


@pytest.mark.skipif(gpu_check.nvcc() is None, reason="no nvcc: not in $NVCC, on the PATH or as a package of Python")
@pytest.mark.parametrize("source", KERNELS)
@pytest.mark.parametrize("architecture", gpu_check.ARCHITECTURES)
def test_nvcc_compiles_without_a_gpu(tmp_path, source, architecture):
    output.write(tmp_path, output.files(analysis_of(source), target.load("cuda")))
    options = [
        "--fmad=false",
        f"-gencode=arch=compute_{architecture},code=sm_{architecture}",
        "--cubin",
        "-Werror",
        "all-warnings",
    ]
    done = subprocess.run(
        [gpu_check.nvcc(), *options, f"{source}_stencils.cu"], cwd=tmp_path, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / f"{source}_stencils.cubin").read_bytes()[:4] == b"\x7fELF"
    made = (tmp_path / f"{source}_stencils.cubin").read_bytes()
    for name in (facts.kernel.name for facts in analysis_of(source).kernels):
        assert f"stencil_{name}_1".encode() in made


def checked(*arguments, **environment):
    return subprocess.run(
        [sys.executable, str(DSL / "gpu_check"), *map(str, arguments)],
        env=os.environ | environment, capture_output=True, text=True, timeout=120,
    )  # fmt: skip


@pytest.fixture
def driver(tmp_path):
    library = tmp_path / "driver" / "libcuda.so.1"
    library.parent.mkdir()
    subprocess.run(["gcc", "-shared", "-fPIC", DSL / "tests/fake_driver.c", "-o", library], check=True)
    return {"LD_LIBRARY_PATH": str(library.parent)}


@pytest.fixture
def compiled(tmp_path):
    """As gpu_check --compile leaves it, but for a CPU."""
    folder = tmp_path / "compiled"
    for source, path in KERNELS.items():
        for code in ("serial", "cuda"):
            output.write(folder / f"{source}_{code}", output.files(analysis_of(source), target.load(code)))
            serial = f"{source}.c" if path.suffix == ".c" else f"{source}_stencils.c"
            compile_library(folder / f"{source}_{code}", f"{source}_stencils.cu" if code == "cuda" else serial)
    return folder


def test_gpu_check_says_that_there_is_no_gpu(tmp_path, driver):
    assert checked("--run", tmp_path).returncode == 2
    (tmp_path / "icon_cuda").mkdir()
    (tmp_path / "icon_cuda/libstencils.so").touch()
    done = checked("--run", tmp_path, FAKE_GPUS="0", **driver)
    assert (done.returncode, done.stdout) == (3, "gpu_check: the driver of NVIDIA finds no GPU: nothing ran\n")


def python_with(change: str, *arguments):
    """A command that runs gpu_check after a change of it."""
    code = f"""
import importlib.machinery, importlib.util, sys
loader = importlib.machinery.SourceFileLoader("gpu_check", {str(DSL / "gpu_check")!r})
check = importlib.util.module_from_spec(importlib.util.spec_from_loader("gpu_check", loader))
loader.exec_module(check)
{change}
sys.argv = ["gpu_check", *{[str(argument) for argument in arguments]!r}]
sys.exit(check.main())
"""
    return [sys.executable, "-c", code]


def test_gpu_check_says_that_there_is_no_compiler(driver):
    command = python_with("check.nvcc = lambda: None")
    done = subprocess.run(command, env=os.environ | driver, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (4, "") and done.stdout.startswith("gpu_check: no nvcc")


def test_gpu_check_says_that_a_compiler_is_not_there(tmp_path):
    done = checked("--compile", tmp_path / "made", NVCC="/no/such/nvcc")
    expected = "gpu_check: /no/such/nvcc: cannot be run: No such file or directory\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", expected)


def test_gpu_check_runs_all_kernels(compiled, driver):
    command = python_with("check.LARGE = check.SMALL", "--run", compiled)
    done = subprocess.run(command, env=os.environ | driver, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = done.stdout.splitlines()
    assert rows[0].startswith("no GPU at all, 128 GB/s by its data sheet") and len(rows) == 2 + 8 + 4 + 7
    assert all(row.split()[1] == "0.0e+00" for row in rows[2:])
    # A kernel that computes something else is found.
    path = compiled / "nicam_cuda" / "nicam_stencils.cu"
    text = path.read_text()
    assert text.count("rho_t[") > 1
    path.write_text(text.replace("rho_t[", "1.000001 + rho_t[", 2).replace("1.000001 + rho_t[", "rho_t[", 1))
    compile_library(path.parent, path.name)
    done = subprocess.run(command, env=os.environ | driver, capture_output=True, text=True, timeout=120)
    assert done.returncode == 1, done.stdout + done.stderr
    assert [row.split()[0] for row in done.stdout.splitlines() if "DIFFERS" in row] == ["horizontal_flux"]


def test_host_code_stays_in_c(tmp_path):
    """The functions are apart: host code may be C that no compiler of C++ takes."""
    text = """mesh triangles;
field cell full T;
kernel fill { foreach c in cells, k in levels T[c, k] = 1; }
int *host(void) { int class = 3; int *new = (void *)(long)class; return new; }
"""
    output.write(tmp_path, output.files(source_of(text), target.load("cuda")))
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".c", ".cu", ".f90", ".h", ".py"]
    for command in (["gcc", "-c", "s.c"], ["g++", "-x", "c++", "-c", "s_stencils.cu"]):
        subprocess.run([*command, "-Wall", "-Werror"], cwd=tmp_path, check=True)
