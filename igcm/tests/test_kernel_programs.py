"""The programs of the kernels: inputs that they make, reports, exchange files, threads, and what they refuse."""

import os
import re
import subprocess
from pathlib import Path

import kernel_inputs
import netCDF4
import numpy as np
import pytest
from kernel_programs import KERNELS, assert_near, assert_same_bits, read, run, run_on, write
from reference import dynamico, icon, nicam
from support.harness import TREE

HEADERS = TREE.parent / "shared/data/ico/headers.txt"

# Each program with a small made input: how its results are found in NumPy, and its options.
SHEET, SPHERE = ("--G", 8, "--H", 5, "--blk", 6), ("--grid", "sphere", "--level", 2, "--H", 5, "--blk", 6)
RHOMBUS, REGIONS = ("--iim", 9, "--jjm", 8, "--llm", 5), ("--gl", 2, "--rl", 0, "--regions", 3, "--kall", 7)


def icon_result(name, dtype):
    return lambda arrays, attributes: icon.results(arrays, attributes, dtype, [name])


ICON = {
    "icon_gradient": "grad__gv_grad",
    "icon_divergence": "dvg__gv_dvg",
    "icon_laplacian": "lap__gv_temp",
    "icon_vertical_integration": "O2VertIntegration__gv_vi",
    "icon_weighted": "O3Indirect2D__gv_ind2Dvar",
    "icon_mixed": "O8ind__gv_o8var",
}
CASES = [
    *((program, icon_result(name, np.float32), SHEET) for program, name in ICON.items()),
    *((program, icon_result(name, np.float64), SPHERE) for program, name in ICON.items()),
    ("comp_pvort", dynamico.pvort, RHOMBUS),
    ("comp_geopot", dynamico.geopot, (*RHOMBUS, "--caldyn_eta", "eta_lag")),
    ("comp_caldyn_horiz", dynamico.caldyn_horiz, (*RHOMBUS, "--boussinesq")),
    ("comp_caldyn_vert", dynamico.caldyn_vert, RHOMBUS),
    ("dyn_diffusion", nicam.diffusion, REGIONS),
    ("dyn_divdamp", nicam.divdamp, REGIONS),
    ("dyn_horiz_adv_flux", nicam.horizontal_flux, REGIONS),
    ("dyn_horiz_adv_limiter", nicam.horizontal_limiter, REGIONS),
    ("dyn_vert_adv_limiter", nicam.vertical_limiter, REGIONS),
    ("dyn_vi_rhow_solver", nicam.vi_rhow_solver, REGIONS),
]
# Names that a report checks, in this order: before the calls, then the input, then output and differences.
PVORT = ["theta", "rhodz", "qu", "qv"]
HORIZ = ["pk", "hflux", "convm", "dtheta_rhodz", "du"]
VERT = ["convm", "wflux", "wwuu", "du", "dtheta_rhodz", "dps"]
WINDS = ["rhogvx", "rhogvy", "rhogvz"]
REPORTS = {
    "comp_pvort": (
        ["Av", "de", "Riv2", "fv", "mass_dak", "mass_dbk"],
        ["u", "ps", "theta_rhodz", *(name + "_prev" for name in PVORT)],
        PVORT,
    ),
    "comp_geopot": (
        ["mass_ak", "mass_bk"],
        ["ps_prev", "rhodz", "theta", "pk_prev", "geopot_prev"],
        ["ps", "pk", "geopot"],
    ),
    "comp_caldyn_horiz": (
        ["le", "Ai", "de", "Av", "Wee"],
        ["u", "rhodz", "qu", "theta", "geopot", *(name + "_prev" for name in HORIZ)],
        HORIZ,
    ),
    "comp_caldyn_vert": (["bp"], ["u", "theta", "rhodz", *(name + "_prev" for name in VERT)], VERT),
    "dyn_diffusion": ([], ["check_dscl", "scl", "kh"], ["dscl"]),
    "dyn_divdamp": (
        [],
        ["check_ddivdx", "check_ddivdy", "check_ddivdz", *WINDS, "rhogw"],
        ["ddivdx", "ddivdy", "ddivdz"],
    ),
    "dyn_horiz_adv_flux": (
        [],
        ["check_flx_h", "check_GRD_xc", "rhog_mean", *WINDS, "GRD_xr", "GMTR_p", "GMTR_t", "GMTR_a"],
        ["flx_h", "GRD_xc"],
    ),
    "dyn_horiz_adv_limiter": (
        [],
        ["q_a_prev", "check_q_a", "q", "d", "ch", "cmask", "check_Qout_prev", "Qout_post"],
        ["q_a", "Qout_prev"],
    ),
    "dyn_vert_adv_limiter": ([], ["q_h_prev", "check_q_h", "q", "d", "ck"], ["q_h"]),
    "dyn_vi_rhow_solver": (
        [],
        ["rhogw_prev", "check_rhogw", "rhogw0", "preg0", "Srho", "Sw", "Spre", "Mc", "Ml", "Mu"],
        ["rhogw"],
    ),
    "icon_gradient": ([], ["gv_temp", "gv_grad"], ["grad__gv_grad"]),
    "icon_divergence": ([], ["gv_grad", "gv_dvg"], ["dvg__gv_dvg"]),
    "icon_laplacian": ([], ["gv_temp"], ["lap__gv_temp"]),
    "icon_vertical_integration": ([], ["gv_temp", "gv_vi"], ["O2VertIntegration__gv_vi"]),
    "icon_weighted": ([], ["gv_temp", "gv_ind2Dparam", "gv_grad"], ["O3Indirect2D__gv_ind2Dvar"]),
    "icon_mixed": (
        [],
        ["gv_grad", "gv_o8param0", "gv_o8param1", "gv_o8param2", "gv_o8par2", "gv_o8var"],
        ["O8ind__gv_o8var"],
    ),
}
TIMERS = {
    **{program: (program.removeprefix("icon_"), 1) for program in ICON},
    "dyn_diffusion": ("OPRT_diffusion", 1),
    "dyn_divdamp": ("OPRT3D_divdamp", 1),
    "dyn_horiz_adv_flux": ("____horizontal_adv_flux", 1),
    "dyn_horiz_adv_limiter": ("____horizontal_adv_limiter", 2),
    "dyn_vert_adv_limiter": ("____vertical_adv_limiter", 1),
    "dyn_vi_rhow_solver": ("____vi_rhow_solver", 1),
}


def number(value):
    """As Fortran's ES24.16."""
    text = f"{value:.16E}"
    return (text.replace("E", "") if len(text.partition("E")[2]) == 4 else text).rjust(24)


def line(name, values):
    flat = np.ravel(values).astype(np.float64)
    total = np.cumsum(flat)[-1]  # from left to right
    return f" +check[{name[:16]:16}] max={number(flat.max())},min={number(flat.min())},sum={number(total)}"


def expected_report(program, before, after, reference, nicam_like):
    fixed, inputs, outputs = REPORTS[program]
    poles = ("", "_pl") if nicam_like else ("",)

    def both(names):
        for name in names:
            for pl in poles:
                yield name, pl

    lines = [line(name, before[name]) for name in fixed]
    for name, pl in both(inputs):
        if name.startswith("check_"):
            lines.append(line(name + pl, reference[name.removeprefix("check_") + pl]))
        else:
            shown = name.removesuffix("_prev") + pl
            lines.append(line(shown + "_prev" if name.endswith("_prev") else shown, before[shown]))
    lines += [line(name + pl, after[name + pl]) for name, pl in both(outputs)]
    check = "check_" if nicam_like else ""
    for name, pl in both(outputs):
        lines.append(line(check + name + pl, reference[name + pl].astype(np.float64) - after[name + pl]))
    return lines


@pytest.mark.parametrize(("program", "reference", "options"), CASES)
def test_made_input_and_report(tmp_path, program, reference, options):
    source, target = tmp_path / "made.nc", tmp_path / "out.nc"
    run("strict", program, *options, "--save-input", source, "--output", target)
    arrays, attributes = read(source)
    with np.errstate(all="ignore"):
        expected = reference(arrays, attributes)
    got, _ = read(target)
    assert_same_bits(got, expected)
    # The difference to results of somebody else, here slightly wrong ones; three calls have the result of one.
    wrong = {name: values + 0.125 * np.abs(values).max() for name, values in expected.items()}
    write(tmp_path / "wrong.nc", wrong, {})
    report = run("strict", program, "--input", source, "--reference", tmp_path / "wrong.nc", "--calls", 3)
    found = [row for row in report.splitlines() if row.startswith(" +check[")]
    assert found == expected_report(program, arrays, expected, wrong, program.startswith("dyn_"))
    assert " ### Validation : point-by-point diff ###" in report and " *** Computational Time Report" in report
    timers = dict(re.findall(r"^ \*\*\* ID=\d{3} : (\S+) +T= *[\d.]+ N= *(\d+)", report, re.MULTILINE))
    name, calls = TIMERS.get(program, ("MAIN_" + program, 1))
    assert timers == {"MAIN_" + program: "3", name: str(3 * calls)}


@pytest.mark.parametrize("kernel", ["dyn_horiz_adv_limiter", "dyn_divdamp"])
@pytest.mark.parametrize("build", ["strict", "fast"])
def test_bits_do_not_depend_on_threads(tmp_path, build, kernel):
    results = []
    for threads in (1, 2, 3):
        target = tmp_path / f"{threads}.nc"
        run(build, kernel, *REGIONS, "--output", target, threads=threads)
        results.append(read(target)[0])
    for other in results[1:]:
        assert_same_bits(other, results[0])


def header(path):
    with netCDF4.Dataset(path) as file:
        names = {np.dtype("f8"): "double", np.dtype("f4"): "float", np.dtype("i4"): "int"}
        return [f"{names[v.dtype]} {k}({', '.join(v.dimensions)}) ;" for k, v in file.variables.items()]


def published_headers():
    if not HEADERS.exists():
        pytest.skip(f"{HEADERS} is not there")
    for part in HEADERS.read_text().split("== ")[1:]:
        title, _, body = part.partition("\n")
        variables = re.findall(r"^\t((?:double|float|int) .* ;)$", body, re.MULTILINE)
        indices = re.search(r":indices = (.*) ;", body)
        yield title, variables, [int(i) for i in indices[1].split(",")] if indices else None


@pytest.mark.parametrize("language", ["fortran", "c++"])
@pytest.mark.parametrize("build", ["strict", "fast"])
@pytest.mark.parametrize("grid", [SHEET, SPHERE], ids=["sheet", "sphere"])
def test_results_do_not_depend_on_the_blocks_in_memory(tmp_path, build, language, grid):
    """One slot, where C++ has loops of its own, a number that leaves a padded block, and more slots than cells. A fast
    build fuses other products in other loops."""
    same = assert_same_bits if build == "strict" else assert_near
    found = {}
    for slots in (0, 1, 7, 4096):
        target = tmp_path / f"{slots}.nc"
        run(build, "icoc", *grid, "--language", language, "--slots", slots, "--output", target)
        found[slots] = read(target)[0]
    for slots in (1, 7, 4096):
        same(found[slots], found[0])


def test_files_have_the_published_headers(tmp_path):
    """Inputs of size `a` of the kernels in headers.txt, and the outputs that belong to them."""
    programs = {program for program, _, _ in CASES}
    inputs = {title: (variables, indices) for title, variables, indices in published_headers()}
    checked = 0
    for title, (variables, indices) in inputs.items():
        kernel = title.split(".")[0]
        if title.endswith(" outputs") or kernel not in programs:
            continue
        if kernel.startswith("comp_"):
            consts = dict(g=9.8, ptop=0.0, kappa=0.28, cpp=1004.0, preff=1e5)
            arrays, attributes = kernel_inputs.dynamico(kernel, "a", indices[27:], consts)
            assert list(attributes["indices"]) == indices
        else:
            arrays, attributes = kernel_inputs.nicam(kernel, "a", dict(dt=60.0, alpha=1.0))
        folder = tmp_path / title
        folder.mkdir()
        run_on(folder, "strict", "fortran", kernel, arrays, attributes)
        assert sorted(header(folder / "in.nc")) == sorted(variables), title
        assert header(folder / "strict_fortran.nc") == inputs[title + " outputs"][0], title
        checked += 1
    arrays, attributes = kernel_inputs.icoc("a")
    assert checked == 18
    for precision in ("float", "double"):
        folder = tmp_path / precision
        folder.mkdir()
        run_on(folder, "strict", "fortran", "icoc", arrays, attributes, "--precision", precision)
        assert sorted(header(folder / "in.nc")) == sorted(inputs["icoc.a"][0])
        expected = inputs[f"icoc.a.{precision} outputs"][0]
        # The formula of O9 is not public.
        assert header(folder / "strict_fortran.nc") == [one for one in expected if "O9vertRec" not in one]


def refused(tmp_path, program, *options):
    done = subprocess.run(
        [KERNELS / "strict" / program, *map(str, options)], capture_output=True, text=True, env=os.environ, timeout=60
    )
    assert done.returncode == 1 and done.stderr.startswith(program + ": "), done
    return done.stderr


def rhombus_with(indices):
    arrays, attributes = kernel_inputs.dynamico("comp_pvort", "a", [1], dict(g=9.8))
    return arrays, attributes | {"indices": np.array(indices(list(attributes["indices"])))}


def test_refusals(tmp_path):
    arrays, attributes = kernel_inputs.nicam("dyn_vert_adv_limiter", "c")
    path = tmp_path / "in.nc"

    def message(arrays=arrays, attributes=attributes, program="dyn_vert_adv_limiter"):
        path.unlink(missing_ok=True)
        write(path, arrays, attributes)
        return refused(tmp_path, program, "--input", path)

    lacking = message({name: values for name, values in arrays.items() if name != "q"})
    assert f'{path}: no field "q"; there are: ck, ck_pl, d, d_pl, q_h, q_h_pl, q_pl' in lacking
    assert f'{path}: "q" is 2 x 4 x 36; expected 2 x 5 x 36' in message(arrays | {"q": arrays["q"][:, 1:]})
    assert 'the attribute "kernel" is "other"; expected' in message(attributes=attributes | {"kernel": "other"})
    adm = attributes["adm"].copy()
    adm[3] = 6
    assert 'a range in "adm" leaves the arrays' in message(attributes=attributes | {"adm": adm})
    arrays, attributes = kernel_inputs.nicam("dyn_diffusion", "c")
    attributes["sgp"] = np.int32([1])
    assert '"sgp": expected a number for each region' in message(arrays, attributes, "dyn_diffusion")
    sheet, of_sheet = kernel_inputs.icoc("b")
    sheet["neighbor"][1, 3] = 64
    assert '"neighbor" has a number that does not exist' in message(sheet, of_sheet, "icon_laplacian")
    rhombus, of_rhombus = kernel_inputs.dynamico("comp_pvort", "a", [1], dict(gravity=9.8))
    assert 'no constant "g" in const_names; there are: gravity' in message(rhombus, of_rhombus, "comp_pvort")
    rhombus, of_rhombus = kernel_inputs.dynamico("comp_pvort", "a", [1], dict(g=9.8))
    of_rhombus["indices"][4] += 1
    assert 'a range in "indices" leaves the arrays' in message(rhombus, of_rhombus, "comp_pvort")
    short, extra = rhombus_with(indices=lambda old: old[:5]), rhombus_with(indices=lambda old: [*old[:27], 3])
    assert 'the attribute "indices" has 5 numbers; expected 28' in message(*short, "comp_pvort")
    assert 'caldyn_eta in "indices" is 3; expected 1 to 2' in message(*extra, "comp_pvort")
    halves = rhombus_with(indices=lambda old: np.array(old) + 0.5)
    assert '"indices" has the number 13.5; expected whole numbers of 32 bits' in message(*halves, "comp_pvort")
    none = rhombus_with(indices=lambda old: [0, *old[1:]])
    assert 'iim and jjm in "indices" are 0 and 9; expected at least 1' in message(*none, "comp_pvort")
    arrays, attributes = kernel_inputs.nicam("dyn_diffusion", "c")
    attributes["sgp"] = np.int32([0, 2])
    assert '"sgp" has the number 2; expected 0 or 1' in message(arrays, attributes, "dyn_diffusion")
    for name, values, expected in (
        ("neighbor", sheet["neighbor"][0], '"neighbor" is 64; expected 3 x 64'),
        ("cedge", sheet["cedge"][:2], '"cedge" is 2 x 64; expected 3 x 64'),
        ("gv_grad", sheet["gv_grad"][:, 1:], '"gv_grad" is 3 x 95; expected 3 x 96'),
        ("gv_vi", sheet["gv_temp"], '"gv_vi" is 3 x 64; expected 64'),
    ):
        sheet, of_sheet = kernel_inputs.icoc("b")
        assert expected in message(sheet | {name: values}, of_sheet, "icoc")
    of_sheet["H"] = np.int32([3, 4])
    assert 'the attribute "H" has 2 numbers; expected one of at least 3' in message(sheet, of_sheet, "icoc")
    of_sheet["H"] = np.int32(2)
    assert 'the attribute "H" is 2; expected a number of at least 3' in message(sheet, of_sheet, "icoc")
    assert "--levels is unknown\nusage: comp_pvort" in refused(tmp_path, "comp_pvort", "--levels", 3)
    assert '--language: "c" is unknown (known: fortran, c++)' in refused(tmp_path, "comp_pvort", "--language", "c")
    assert "--slots is 65537; expected at most 65536" in refused(tmp_path, "icon_gradient", "--slots", 65537)
    assert "No such file" in refused(tmp_path, "comp_pvort", "--input", tmp_path / "none.nc")


def test_an_existing_file_is_not_replaced(tmp_path):
    """It is refused before the input is made or read."""
    path = tmp_path / "precious.nc"
    path.write_text("precious")
    huge = ("--iim", 40000, "--jjm", 40000)
    for option in ("--output", "--save-input"):
        said = refused(tmp_path, "comp_pvort", *huge, option, path)
        assert said == f"comp_pvort: {path}: exists already; it is not replaced\n"
    assert Path(path).read_text() == "precious"
    away = tmp_path / "none" / "out.nc"
    said = refused(tmp_path, "comp_pvort", *huge, "--output", away)
    assert said == f"comp_pvort: {away}: cannot be created: the folder {away.parent} is missing\n"


def test_options_that_do_not_go_together(tmp_path):
    path = tmp_path / "new.nc"
    told = refused(tmp_path, "comp_pvort", "--input", "any.nc", "--save-input", path)
    assert "--save-input: writes the made input; expected without --input" in told
    told = refused(tmp_path, "comp_pvort", "--output", path, "--save-input", path)
    assert f'--save-input: "{path}" is the file of --output; expected another' in told
    assert list(tmp_path.iterdir()) == []
    for option in ("--input", "--output", "--reference", "--save-input"):
        assert f"{option}: expected a value that is not empty" in refused(tmp_path, "comp_pvort", option, "")


def test_nothing_is_left_of_a_file_that_cannot_grow(tmp_path):
    path = tmp_path / "out.nc"
    limit = f"ulimit -f 16; trap '' XFSZ; exec {KERNELS / 'strict' / 'comp_pvort'} --output {path}"
    done = subprocess.run(["bash", "-c", limit], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and f"comp_pvort: {path}: " in done.stderr, done
    assert list(tmp_path.iterdir()) == []
