#!/usr/bin/env python3
"""Adds the I/O package of Tailrace to WRF's source: add_to_wrf.py WRF_FOLDER, before `configure`. It needs Python 3.9.

Each place where WRF calls PnetCDF's package gets the same lines for this one; the hook that splits servers off comes
behind MPI_Init. Nothing is changed if a place is not found, if the package was added before, or if a file cannot be
written.
"""

import re
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
LIBRARIES = "$(WRF_SRC_ROOT_DIR)/external/io_tailrace/libwrfio_tailrace.a $(TAILRACE_LIBS)"
TARGET = """wrfio_tailrace :
\t( cd $(WRF_SRC_ROOT_DIR)/external/io_tailrace ; \\
          make $(J) CC="$(DM_CC)" NETCDFPATH="$(NETCDFPATH)" RANLIB="$(RANLIB)" AR="$(AR)" ARFLAGS="$(ARFLAGS)" )

wrfio_grib_share :
"""
FLAGS = "TAILRACE_LIBS   =    $(shell pkg-config --libs tailrace)"
HOOK = "        CALL ext_tailrace_split( mpi_comm_here )\n        CALL wrf_set_dm_communicator( mpi_comm_here )\n"


def renamed(text: str) -> str:
    return text.replace("PNETCDF", "TAILRACE").replace("ext_pnc_", "ext_tailrace_")


def copy_cases(text: str, count: int) -> str:
    """Behind each block `#ifdef PNETCDF` its copy for this package; blocks may contain others."""
    made, block, depth, found = [], [], 0, 0
    for line in text.splitlines(keepends=True):
        made.append(line)
        if depth > 0 or line.strip() == "#ifdef PNETCDF":
            block.append(line)
            depth += bool(re.match(r"`?#\s*if", line)) - bool(re.match(r"`?#\s*endif", line))
            if depth == 0:
                made += [renamed(one) for one in block]
                block, found = [], found + 1
    if found != count:
        raise SystemExit(f"expected {count} blocks of PNETCDF, found {found}")
    return "".join(made)


def replace(text: str, pattern: str, by: str, count: int = 1) -> str:
    made, found = re.subn(pattern, by, text, flags=re.MULTILINE)
    if found != count:
        raise SystemExit(f"expected {count} times {pattern!r}, found {found}")
    return made


def add_suffix(text: str) -> str:
    case = r"^( *ELSE IF \( use_package\(io_form\) \.EQ\. )IO_PNETCDF( \) THEN\n *ext = '\.nc '\n)"
    return replace(text, case, r"\1IO_PNETCDF\2\1IO_TAILRACE\2", 2)


def add_target(text: str) -> str:
    text = replace(text, r"CONFIGURE_WRFIO_ADIOS2 ", "CONFIGURE_WRFIO_ADIOS2 wrfio_tailrace ")
    text = replace(text, r"^( *)-DINTIO \\$", r"\1-DINTIO \\\n\1-DTAILRACE \\")
    return replace(text, r"^wrfio_grib_share :\n", TARGET.replace("\\", "\\\\"))


def add_flag(text: str) -> str:
    text = replace(text, r"^(set\( PROJECT_COMPILE_DEFINITIONS_OPTIONS) +\"\" \)", r"\1 TAILRACE )")
    return replace(text, r"^( +)io_netcdf$", r"\1io_tailrace\n\1io_netcdf")


REGISTRY = (
    r"^package +io_pnetcdf .*\n",
    r"\g<0>package   io_tailrace io_form_restart==15                    -             -\n",
)
CONDITION = (
    r"^( *)\( *use_package\( io_form \) == IO_PNETCDF",
    r"\1( use_package( io_form ) == IO_TAILRACE ) .OR. &\n\g<0>",
)
ATTRIBUTES = (r"use_package\(io_form\) \.EQ\. IO_PNETCDF", r"\g<0> .OR. use_package(io_form) .EQ. IO_TAILRACE")
PLACES = {
    "Registry/Registry.EM_COMMON": lambda text: replace(text, *REGISTRY),
    "Registry/Registry.EM_COMMON.var": lambda text: replace(text, *REGISTRY),
    "Registry/Registry.CONVERT": lambda text: replace(text, *REGISTRY),
    "frame/module_io.F": lambda text: copy_cases(text, 19),
    "frame/md_calls.m4": lambda text: copy_cases(text, 1),
    "share/output_wrf.F": lambda text: replace(text, *CONDITION),
    "share/wrf_ext_write_field.F": lambda text: replace(text, *ATTRIBUTES),
    "share/module_io_domain.F": add_suffix,
    "external/RSL_LITE/module_dm.F": lambda text: replace(
        text, r"^ +CALL wrf_set_dm_communicator\( mpi_comm_here \)\n(?= +CALL wrf_termio_dup)", HOOK
    ),
    "arch/preamble": lambda text: replace(
        replace(text, r"CONFIGURE_ADIOS2_LIB_PATH", rf"CONFIGURE_ADIOS2_LIB_PATH {LIBRARIES}"),
        r"^#NOWIN LIB_EXTERNAL ",
        f"{FLAGS}\n\n\\g<0>",
    ),
    "arch/postamble": add_target,
    "external/CMakeLists.txt": lambda text: text + "\nadd_subdirectory( io_tailrace )\n",
    "CMakeLists.txt": add_flag,
}
ONLY_CMAKE = ("external/CMakeLists.txt", "CMakeLists.txt")  # from WRF 4.6.1 on: 4.6.0 keeps its flags elsewhere


def put_all(made: dict[Path, str], package: Path) -> None:
    """New files beside the old ones and the package first, so that what fails leaves the tree as it was."""
    beside = {path: path.resolve().with_name(path.name + ".tailrace") for path in made}
    try:
        for path, new in beside.items():
            shutil.copy2(path, new)  # with its mode, so that a file that may not be written is refused
            new.write_text(made[path], encoding="latin-1")
        shutil.copytree(HERE / "io_tailrace", package)
    except OSError as error:
        for new in beside.values():
            new.unlink(missing_ok=True)
        shutil.rmtree(package, ignore_errors=True)
        raise SystemExit(f"{error}; nothing was changed") from None
    for path, new in beside.items():
        new.replace(path.resolve())  # a link stays one


def main() -> None:
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    tree = Path(sys.argv[1])
    package = tree / "external" / "io_tailrace"
    if package.exists():
        raise SystemExit(f"{package} exists: the package was added before")
    top = tree / "CMakeLists.txt"
    has_cmake = top.exists() and "PROJECT_COMPILE_DEFINITIONS_OPTIONS" in top.read_text(encoding="latin-1")
    made = {}
    for name, change in PLACES.items():
        path = tree / name
        if name in ONLY_CMAKE and not has_cmake:
            continue
        try:
            text = path.read_text(encoding="latin-1")
            if "tailrace" in text.lower():
                raise SystemExit("it names Tailrace already; expected WRF's own source")
            made[path] = change(text)
        except (OSError, SystemExit) as error:
            raise SystemExit(f"{path}: {error}; nothing was changed") from None
    put_all(made, package)
    print(f"added io_form 15 to {len(made)} files and external/io_tailrace" + " (not for CMake)" * (not has_cmake))


main()
