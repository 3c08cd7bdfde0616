"""The findings of independent CF and UGRID checkers."""

import functools
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import compliance_checker

BIN = Path(sys.executable).parent
STANDARD_NAMES = Path(compliance_checker.__file__).parent / "data" / "cf-standard-name-table.xml"
# cfchecks downloads these tables unless they are given; no file of the tests has area types or regions.
EMPTY_TABLE = "<table><version_number>0</version_number><date>none</date></table>"

# Rules in which a checker lags behind the convention of a file: part of the message -> why it is wrong.
BEHIND = {
    # compliance-checker 6.1 knows CF 1.6 to 1.11.
    "Conventions global attribute": "files name the version whose features they use, which may be CF 1.12 or 1.13",
    "mesh_topology is not a valid cf_role value": "CF 1.11, 5.9: UGRID's roles",
    "face_node_connectivity is not a valid cf_role value": "the same",
    "edge_node_connectivity is not a valid cf_role value": "the same",
    "There may only be one variable containing the cf_role attribute.": "CF 9.5 says so of discrete samplings only",
    "Invalid value for cf_role attribute": "CF 1.11, 5.9: UGRID's roles",
    "healpix is not a valid grid_mapping_name": "CF 1.13, appendix F",
    "healpix_index is not defined in Standard Name Table": "the tables that CF 1.13 refers to have it",
    # cfchecks 4.1 knows CF 1.0 to 1.8.
    "Invalid grid_mapping_name: healpix": "CF 1.13, appendix F",
    "Invalid standard_name: healpix_index": "the tables that CF 1.13 refers to have it",
    "This netCDF file does not appear to contain CF Convention data": "it knows only the names of these versions",
    "(8.1): must be of type byte, short or int": "CF 1.9, 2.2 and 8.1: unsigned ones too",
    "formula_terms attribute only allowed on coordinate variables": "CF 1.7, 7.1: on the bounds of levels too",
    "Cannot get formula definition as no standard_name": "the same",
    "Invalid cell_method: root_mean_square": "appendix E has it since CF 1.7",
}

# Requested by MONC's own configuration files: units that UDUNITS does not know, and a time axis with a dot in its name,
# which CF 2.3 advises against and the checkers cannot read in `bounds` and `cell_methods`.
AS_MONC_ASKS = re.compile(
    r"diagnostics_[\d.]+\.nc .*"
    r"(units: (SI|Km/s|fraction)$|\"(SI|Km/s|fraction)\" are not recognized|\(7\.1\): Invalid syntax for 'bounds'|"
    r"\"time_series_\d+_\d+\.\d+(_instant)?: \w+\" is not a valid format for cell_methods)"
)


def beyond(messages: list[str]) -> list[str]:
    """The messages that Tailrace is responsible for."""
    return [
        message
        for message in messages
        if not any(part in message for part in BEHIND) and not AS_MONC_ASKS.match(message)
    ]


def cfchecks(*paths: Path) -> list[str]:
    """Its errors, each with the name of the file; against CF 1.8, the newest version that it knows."""
    table = paths[0].parent / "empty_table.xml"
    table.write_text(EMPTY_TABLE)
    tables = ["-s", STANDARD_NAMES, "-a", table, "-r", table]
    command = [BIN / "cfchecks", "-v", "1.8", *tables, *paths]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    errors, file = [], ""
    for line in done.stdout.splitlines():
        if line.startswith("CHECKING NetCDF FILE:"):
            file = Path(line.split(":", 1)[1].strip()).name
        if re.match(r"(ERROR|FATAL)\b", line) and not line.startswith("ERRORS detected"):
            errors.append(f"{file} {line}")
    assert done.stdout.count("CHECKING NetCDF FILE:") == len(paths), done.stdout + done.stderr
    return beyond(errors)


def compliance_checker_errors(path: Path) -> list[str]:
    """The errors of compliance-checker, against CF 1.11, the newest version that it knows."""
    report = path.with_suffix(".json")
    command = [BIN / "compliance-checker", "--test", "cf:1.11", "-f", "json", "-o", report, path]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    assert report.exists(), done.stderr
    result = next(iter(json.loads(report.read_text()).values()))
    return beyond([f"{path.name} {message}" for one in result["high_priorities"] for message in one["msgs"]])


@functools.cache
def loaded_suite():
    from compliance_checker.suite import CheckSuite

    CheckSuite.load_all_available_checkers()
    return CheckSuite()


seen: set[str] = set()  # structures of files that this process has checked


def structure_of(path: Path) -> str:
    """The structure of a file, without lengths, values and the history of its creation."""
    import netCDF4

    with netCDF4.Dataset(path) as data:
        own = {name: data.getncattr(name) for name in data.ncattrs()}
        variables = {
            name: (str(one.dtype), one.dimensions, {key: str(one.getncattr(key)) for key in one.ncattrs()})
            for name, one in data.variables.items()
        }
    return repr([sorted(own.keys()), own.get("Conventions"), own.get("featureType"), sorted(variables.items())])


def quick_complaints(*paths: Path) -> list[str]:
    """The errors of compliance-checker, run in this process; once for each structure of a file."""
    told = []
    for path in paths:
        structure = structure_of(path)
        if structure in seen:
            continue
        seen.add(structure)
        suite = loaded_suite()
        dataset = suite.load_dataset(str(path))
        groups, _ = suite.run_all(dataset, ["cf:1.11"], skip_checks=[])["cf:1.11"]
        dataset.close()
        wrong = [one for one in groups if one.weight >= 3 and one.value[0] < one.value[1]]
        told += beyond([f"{path.name} {message}" for one in wrong for message in one.msgs])
    return told


def ugrid_errors(path: Path) -> list[str]:
    """The errors and warnings of ugrid-checker for a file with a mesh."""
    done = subprocess.run([str(BIN / "ugrid-checker"), str(path)], capture_output=True, text=True)
    return re.findall(r"^.*\b[RA]\d{3}\b.*$", done.stdout, re.MULTILINE)


def cdo_warnings(*paths: Path) -> list[str]:
    """The warnings of CDO, if it is installed, when it lists a file's grids, levels and times. Files of stations are
    skipped, since CDO does not support discrete sampling geometries."""
    told = []
    for path in paths if shutil.which("cdo") else ():
        if has_stations(path):
            continue
        done = subprocess.run(["cdo", "-s", "sinfov", str(path)], capture_output=True, text=True, timeout=60)
        said = done.stdout + done.stderr
        told += [f"{path.name}: {line}" for line in said.splitlines() if done.returncode or "arning" in line]
    return told


def has_stations(path: Path) -> bool:
    import netCDF4

    with netCDF4.Dataset(path) as data:
        return "featureType" in data.ncattrs()


@functools.cache
def has_mesh(path: Path) -> bool:
    import netCDF4

    with netCDF4.Dataset(path) as data:
        return any(getattr(one, "cf_role", "") == "mesh_topology" for one in data.variables.values())


def complaints(*paths: Path) -> list[str]:
    """The complaints of all checkers."""
    told = cfchecks(*paths)
    for path in paths:
        told += compliance_checker_errors(path)
        if has_mesh(path):
            told += ugrid_errors(path)
    return told
