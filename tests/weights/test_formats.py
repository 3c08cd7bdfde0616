"""Files of weights by others: read, converted and refused with the cell and the file."""

import re
import shutil
import subprocess

import netCDF4
import numpy as np
import pytest
from support.weights import needs_cdo, run_maker
from tailrace.weights.checks import rows_of_file
from tailrace.weights.errors import WeightsError
from tailrace.weights.foreign import read_weights
from tailrace.weights.grids import LatLon
from tailrace.weights.methods import make_rows

SOURCE = LatLon(np.array([-67.5, -22.5, 22.5, 67.5]), np.arange(6) * 60.0)
TARGET = LatLon(np.array([-60.0, 0.0, 60.0]), np.arange(5) * 72.0 + 3)
ROWS = make_rows(SOURCE, TARGET, "conservative", 0, TARGET.cells).rows
KINDS = ("NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET", "NETCDF3_64BIT_DATA", "NETCDF4")


def links(order=None):
    """Target, source and weight of each link, numbered from 1, in any order."""
    made = np.stack((ROWS.targets() + 1.0, ROWS.source + 1.0, ROWS.weight))
    return made if order is None else made[:, order]


def write_scrip(path, made=None, kind="NETCDF3_CLASSIC", method="Conservative remapping", normalization="destarea",
                weights=1, radians=False, **frac):  # fmt: skip
    target, source, weight = links() if made is None else made
    with netCDF4.Dataset(path, "w", format=kind) as file:
        file.setncatts({"map_method": method, "normalization": normalization, "conventions": "SCRIP"})
        for side, grid in (("src", SOURCE), ("dst", TARGET)):
            file.createDimension(f"{side}_grid_size", grid.cells)
            file.createDimension(f"{side}_grid_rank", 2)
            file.createVariable(f"{side}_grid_dims", "i4", (f"{side}_grid_rank",))[:] = grid.shape[::-1]
            for axis, values in zip(("lat", "lon"), grid.centres(), strict=True):
                centre = file.createVariable(f"{side}_grid_center_{axis}", "f8", (f"{side}_grid_size",))
                centre.units = "radians" if radians else "degrees"
                centre[:] = np.radians(values) if radians else values
            file.createVariable(f"{side}_grid_area", "f8", (f"{side}_grid_size",))[:] = grid.areas()
        file.createVariable("dst_grid_frac", "f8", ("dst_grid_size",))[:] = frac.get("frac", np.ones(TARGET.cells))
        file.createDimension("num_links", len(weight))
        file.createDimension("num_wgts", weights)
        for name, values in (("dst_address", target), ("src_address", source)):
            file.createVariable(name, "i4", ("num_links",))[:] = values.astype(int)
        matrix = file.createVariable("remap_matrix", "f8", ("num_links", "num_wgts"))
        matrix[:] = 0.25
        matrix[:, 0] = weight


def write_esmf(path, made=None, kind="NETCDF3_64BIT_OFFSET", whole=True):
    """As ESMF_RegridWeightGen writes it; with --weight_only only the links."""
    target, source, weight = links() if made is None else made
    with netCDF4.Dataset(path, "w", format=kind) as file:
        file.createDimension("n_s", len(weight))
        if whole:
            file.setncatts(
                {"map_method": "Conservative remapping", "normalization": "destarea", "ESMF_version": "8.6.0"}
            )
            for letter, name, grid in (("a", "src", SOURCE), ("b", "dst", TARGET)):
                file.createDimension(f"n_{letter}", grid.cells)
                file.createDimension(f"{name}_grid_rank", 2)
                file.createVariable(f"{name}_grid_dims", "i4", (f"{name}_grid_rank",))[:] = grid.shape[::-1]
                for axis, values in zip(("yc", "xc"), grid.centres(), strict=True):
                    centre = file.createVariable(f"{axis}_{letter}", "f8", (f"n_{letter}",))
                    centre.units = "degrees"
                    centre[:] = values
                file.createVariable(f"area_{letter}", "f8", (f"n_{letter}",))[:] = grid.areas()
                file.createVariable(f"frac_{letter}", "f8", (f"n_{letter}",))[:] = 1
        for name, values in (("row", target), ("col", source)):
            file.createVariable(name, "i4", ("n_s",))[:] = values.astype(int)
        file.createVariable("S", "f8", ("n_s",))[:] = weight


def write_yac(path, made=None, kind="NETCDF3_64BIT_OFFSET", **changes):
    """As yac_interp_weights_write_to_file of YAC 3 has it."""
    target, source, weight = links() if made is None else made
    with netCDF4.Dataset(path, "w", format=kind) as file:
        attributes = {
            "contains_links": "TRUE",
            "contains_fixed_dst": "FALSE",
            "src_grid_name": "a",
            "dst_grid_name": "b",
        }
        file.setncatts({"version": "yac weight file 1.0", **attributes, **changes})
        for dim, length in (
            ("num_links", len(weight)),
            ("num_wgts", 1),
            ("num_src_fields", 1),
            ("max_loc_str_len", 10),
        ):
            file.createDimension(dim, length)
        for name, values in (("src_address", source), ("dst_address", target)):
            file.createVariable(name, "i4", ("num_links",))[:] = values.astype(int)
        file.createVariable("remap_matrix", "f8", ("num_links", "num_wgts"))[:, 0] = weight
        file.createVariable("num_links_per_src_field", "i4", ("num_src_fields",))[:] = len(weight)
        file.createVariable("src_locations", "S1", ("num_src_fields", "max_loc_str_len"))[:] = [
            list("CELL".ljust(10, "\0"))
        ]
        file.createVariable("dst_location", "S1", ("max_loc_str_len",))[:] = list("CELL".ljust(10, "\0"))


WRITERS = {"SCRIP": write_scrip, "ESMF": write_esmf, "YAC": write_yac}


def read(path, source=SOURCE, target=TARGET):
    return rows_of_file(read_weights(path), source, target)


def refusal(path, source=SOURCE, target=TARGET):
    with pytest.raises(WeightsError) as caught:
        read(path, source, target)
    text = str(caught.value)
    assert text.startswith(f"{path}: ")
    return text[len(f"{path}: ") :]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("layout", WRITERS)
def test_every_layout_and_kind(tmp_path, layout, kind):
    shuffled = links(np.random.default_rng(1).permutation(ROWS.links))
    WRITERS[layout](tmp_path / "w.nc", shuffled, kind)
    assert read_weights(tmp_path / "w.nc").layout == layout
    rows = read(tmp_path / "w.nc")
    assert (rows.start == ROWS.start).all() and (rows.source == ROWS.source).all()
    assert (np.abs(rows.weight - ROWS.weight) < 1e-14).all()


def test_links_of_esmf_alone(tmp_path):
    write_esmf(tmp_path / "w.nc", whole=False)
    assert (read(tmp_path / "w.nc").weight == ROWS.weight).all()
    assert rows_of_file(read_weights(tmp_path / "w.nc")).count == TARGET.cells


def test_radians_and_normalizations_of_scrip(tmp_path):
    """Half of each target cell is covered: its weights as shares, as means of the covered part, and as areas."""
    half = links()
    half[2] *= 0.5
    frac = np.full(TARGET.cells, 0.5)
    factors = {"destarea": 1.0, "fracarea": 2.0, "none": TARGET.areas()[half[0].astype(int) - 1]}
    for normalization, factor in factors.items():
        made = np.stack((half[0], half[1], half[2] * factor))
        write_scrip(tmp_path / "w.nc", made, normalization=normalization, radians=True, frac=frac)
        rows = read(tmp_path / "w.nc")
        assert np.abs(rows.weight - 0.5 * ROWS.weight).max() < 1e-15, normalization


def test_more_weights_a_link(tmp_path):
    """SCRIP's conservative files have the gradients' weights too; those of bicubic are no rows."""
    write_scrip(tmp_path / "w.nc", weights=3)
    assert (read(tmp_path / "w.nc").weight == ROWS.weight).all()
    write_scrip(tmp_path / "w.nc", weights=4, method="Bicubic remapping")
    assert refusal(tmp_path / "w.nc").startswith(
        "has 4 weights a link (Bicubic remapping); expected 1, or 3 of a conserv"
    )


@pytest.mark.parametrize("layout", WRITERS)
def test_links_that_occur_twice_are_added_up(tmp_path, layout):
    """A program that cuts cells at the date line writes two parts of one link. The sums of rows show real mistakes."""
    target, source, weight = links()
    made = np.stack((np.append(target, target[4]), np.append(source, source[4]), np.append(weight, 0.3 * weight[4])))
    made[2, 4] *= 0.7
    WRITERS[layout](tmp_path / "w.nc", made)
    rows = read(tmp_path / "w.nc")
    assert (rows.source == ROWS.source).all() and np.abs(rows.weight - ROWS.weight).max() < 1e-15
    made[2, -1] = made[2, 4] = weight[4]
    WRITERS[layout](tmp_path / "w.nc", made)
    assert "are not normalised: their sum is 1." in refusal(tmp_path / "w.nc")


def changed(row, link, value):
    made = links()
    made[row, link] = value
    return made


CHANGES = {
    "source beyond": (
        changed(1, 7, 25),
        r"link 7 of target cell 1: the address 25 of its source cell is out of .*1 to 24",
    ),
    "source 0": (changed(1, 7, 0), r"link 7 of target cell 1: the address 0 of its source cell is out of range"),
    "target beyond": (
        changed(0, 7, 16),
        r"link 7 of target cell 15: the address 16 of its target cell is out .*1 to 15",
    ),
    "not a number": (
        changed(2, 7, np.nan),
        r"target cell 1 \(0, 1\) at latitude -60, longitude 75 has a weight that is",
    ),
    "unnormalised": (
        changed(2, 7, 0.9),
        r"weights of target cell 1 \(0, 1\) at .* are not normalised: their sum is 1\.",
    ),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("layout", WRITERS)
def test_wrong_links_are_refused(tmp_path, layout, change):
    made, expected = CHANGES[change]
    WRITERS[layout](tmp_path / "w.nc", made)
    assert re.search(expected, refusal(tmp_path / "w.nc"))


def test_negative_weights(tmp_path):
    made = changed(2, 7, -0.01)
    write_scrip(tmp_path / "w.nc", made)
    assert refusal(tmp_path / "w.nc").endswith(
        "has the negative weight -0.01 of source cell " + str(int(made[1, 7]) - 1)
    )
    # They are right in methods of higher order, if rows are normalised.
    made[2, 8] += 0.01 + ROWS.weight[7]
    write_scrip(tmp_path / "w.nc", made, method="Bilinear remapping")
    assert read(tmp_path / "w.nc").weight.min() == -0.01


def test_rows_that_do_not_fit_their_fraction(tmp_path):
    write_scrip(tmp_path / "w.nc", frac=np.full(TARGET.cells, 0.75))
    assert refusal(tmp_path / "w.nc").endswith(
        "their sum is 1; expected the fraction in dst_grid_frac (14 more rows are so)"
    )
    made = links()
    made[2] *= 0.75
    write_scrip(tmp_path / "w.nc", made, method="Bilinear remapping")
    assert refusal(tmp_path / "w.nc").endswith("their sum is 0.75; expected 1 (14 more rows are so)")


@pytest.mark.parametrize("layout", ["SCRIP", "ESMF"])
def test_weights_of_another_grid(tmp_path, layout):
    WRITERS[layout](tmp_path / "w.nc")
    larger = LatLon(np.array([-60.0, 0.0, 60.0]), np.arange(6) * 60.0 + 3)
    assert refusal(tmp_path / "w.nc", target=larger).startswith(
        "are weights of another target grid: 15 cells; expected 18"
    )
    turned = LatLon(TARGET.lat, TARGET.lon, lat_first=False)
    assert "another target grid: (3, 5) cells; expected (5, 3)" in refusal(tmp_path / "w.nc", target=turned)
    moved = LatLon(SOURCE.lat, SOURCE.lon + 30)
    assert refusal(tmp_path / "w.nc", source=moved).startswith("are weights of another source grid: cell 0 (0, 0) at ")


def test_yac_files_that_are_no_rows(tmp_path):
    write_yac(tmp_path / "w.nc", contains_fixed_dst="TRUE")
    assert refusal(tmp_path / "w.nc") == "sets target cells to fixed values, which are no weights"
    write_yac(tmp_path / "w.nc", contains_links="FALSE")
    assert refusal(tmp_path / "w.nc") == "has no links"
    write_yac(tmp_path / "w.nc")
    with netCDF4.Dataset(tmp_path / "w.nc", "a") as file:
        file["src_locations"][:] = [list("CORNER".ljust(10, "\0"))]
    assert refusal(tmp_path / "w.nc") == "has values at CORNER (src_locations); expected CELL"


def test_files_that_are_none(tmp_path):
    (tmp_path / "text.nc").write_text("no weights\n")
    assert refusal(tmp_path / "text.nc").startswith("cannot be read: ")
    with netCDF4.Dataset(tmp_path / "empty.nc", "w"):
        pass
    assert refusal(tmp_path / "empty.nc").startswith(
        "has no weights of SCRIP (src_address, dst_address, remap_matrix), ESMF"
    )
    assert refusal(tmp_path / "none.nc") == "is no file"
    write_scrip(tmp_path / "short.nc")
    with (tmp_path / "short.nc").open("r+b") as file:
        file.truncate((tmp_path / "short.nc").stat().st_size - 100)
    assert refusal(tmp_path / "short.nc").startswith("it is truncated: it has ")


def test_our_file_is_checked_too(tmp_path):
    source = {"kind": "latlon", "lat": SOURCE.lat.tolist(), "lon": SOURCE.lon.tolist(), "lat_first": True}
    target = {"kind": "gaussian", "number": 2}
    path = tmp_path / "ours.nc"
    assert run_maker(tmp_path, do="make", method="conservative", out=str(path), source=source, target=target) == ""
    assert rows_of_file(read_weights(path)).count == 32
    for name, change, expected in (
        ("row_start", lambda old: old + 1, "row_start does not fit the links at target cell 0"),
        ("src_address", lambda old: old[::-1], "links are not sorted at target cell 0 (link 0 of"),
    ):
        shutil.copy(path, tmp_path / "bad.nc")
        with netCDF4.Dataset(tmp_path / "bad.nc", "a") as file:
            file[name][:] = change(file[name][:])
        with pytest.raises(WeightsError, match="bad.nc: " + expected.replace("(", r"\(")):
            rows_of_file(read_weights(tmp_path / "bad.nc"))


@needs_cdo
@pytest.mark.parametrize("method", ["conservative", "bilinear", "nearest"])
def test_cdo_applies_our_file(tmp_path, method):
    """`cdo remap` takes our file as one of its own and makes the same bits."""
    source = {"kind": "latlon", "lat": SOURCE.lat.tolist(), "lon": SOURCE.lon.tolist(), "lat_first": True}
    target = {"kind": "latlon", "lat": [-60.0, 0.0, 60.0], "lon": (np.arange(5) * 72.0 + 3).tolist(), "lat_first": True}
    assert run_maker(tmp_path, do="make", method=method, out=str(tmp_path / "w.nc"), source=source, target=target) == ""
    for name, grid in (("source", SOURCE), ("target", TARGET)):
        text = f"gridtype = lonlat\nxsize = {len(grid.lon)}\nysize = {len(grid.lat)}\n"
        for axis, values in (("x", grid.lon), ("y", grid.lat)):
            text += f"{axis}first = {values[0]}\n{axis}inc = {values[1] - values[0]}\n"
        (tmp_path / name).write_text(text)
    steps = [
        ["-expr,f=2+sin(3*clon(const))*cos(clat(const))", "-const,1,source", "field.nc"],
        ["remap,target,w.nc", "field.nc", "result.nc"],
    ]
    for arguments in steps:
        command = ["cdo", "-s", "-b", "F64", "-f", "nc", *arguments]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
    with netCDF4.Dataset(tmp_path / "field.nc") as field, netCDF4.Dataset(tmp_path / "result.nc") as result:
        expected = read(tmp_path / "w.nc").apply_to(np.asarray(field["f"][:]).ravel())
        assert np.asarray(result["f"][:]).std() > 0.1
        assert np.abs(np.asarray(result["f"][:]).ravel() - expected).max() < 1e-15
