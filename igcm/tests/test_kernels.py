"""Each kernel against an independent NumPy implementation, with every switch and every kind of point: bit for bit in
the strict build, and to 2e-14 of the field's maximum in the fast one, in Fortran and C++.
"""

import kernel_inputs
import numpy as np
import pytest
from kernel_programs import assert_near, assert_same_bits, run_on
from reference import dynamico, icon, nicam

G = dict(g=9.80616)
GAS = dict(kappa=0.2857143, cpp=1004.70885, preff=101325.0)

DYNAMICO = [
    # kernel, reference, size, further indices, constants
    ("comp_pvort", dynamico.pvort, "a", [1], dict(g=9.8)),
    ("comp_pvort", dynamico.pvort, "b", [2], dict(g=9.8)),
    ("comp_geopot", dynamico.geopot, "a", [1, 0], G | dict(ptop=0.0) | GAS),
    ("comp_geopot", dynamico.geopot, "b", [2, 0], G | dict(ptop=219.0) | GAS),
    ("comp_geopot", dynamico.geopot, "a", [2, 1], G | dict(ptop=219.0) | GAS),
    ("comp_caldyn_horiz", dynamico.caldyn_horiz, "a", [1, 0], G | dict(ptop=219.0)),
    ("comp_caldyn_horiz", dynamico.caldyn_horiz, "b", [1, 1], G | dict(ptop=219.0)),
    ("comp_caldyn_horiz", dynamico.caldyn_horiz, "b", [2, 0], G | dict(ptop=219.0)),
    ("comp_caldyn_horiz", dynamico.caldyn_horiz, "a", [2, 1], G | dict(ptop=0.0)),
    ("comp_caldyn_vert", dynamico.caldyn_vert, "a", [28, 90, 2, 5], G),
    ("comp_caldyn_vert", dynamico.caldyn_vert, "a", [35, 81, 2, 5], G),
    ("comp_caldyn_vert", dynamico.caldyn_vert, "b", [24, 131, 2, 4], G),
]
NICAM = [
    # kernel, reference, size, constants, options
    *(("dyn_diffusion", nicam.diffusion, size, {}, []) for size in "abc"),
    ("dyn_diffusion", lambda *a: nicam.diffusion(*a, as_published=True), "a", {}, ["--as-published"]),
    *(("dyn_divdamp", nicam.divdamp, size, {}, []) for size in "abc"),
    *(("dyn_horiz_adv_flux", nicam.horizontal_flux, size, dict(dt=360.0), []) for size in "abc"),
    *(("dyn_horiz_adv_limiter", nicam.horizontal_limiter, size, {}, []) for size in "abc"),
    *(("dyn_vert_adv_limiter", nicam.vertical_limiter, size, {}, []) for size in "abc"),
    ("dyn_vi_rhow_solver", nicam.vi_rhow_solver, "a", dict(dt=60.0, alpha=1.0), []),
    ("dyn_vi_rhow_solver", nicam.vi_rhow_solver, "b", dict(dt=60.0, alpha=0.0), []),
    ("dyn_vi_rhow_solver", nicam.vi_rhow_solver, "c", dict(dt=45.0, alpha=1.0), []),
]
# The program of each result of the sheet; `icoc` writes them all.
ICON = {
    "icon_gradient": "grad__gv_grad",
    "icon_divergence": "dvg__gv_dvg",
    "icon_laplacian": "lap__gv_temp",
    "icon_vertical_integration": "O2VertIntegration__gv_vi",
    "icon_weighted": "O3Indirect2D__gv_ind2Dvar",
    "icon_mixed": "O8ind__gv_o8var",
}


def check(tmp_path, program, arrays, attributes, expected, *options):
    for language in ("fortran", "c++"):
        got, _ = run_on(tmp_path, "strict", language, program, arrays, attributes, *options)
        assert_same_bits(got, expected)
        got, _ = run_on(tmp_path, "fast", language, program, arrays, attributes, *options)
        assert_near(got, expected)


@pytest.mark.parametrize(("kernel", "reference", "size", "extra", "consts"), DYNAMICO)
def test_dynamico(tmp_path, kernel, reference, size, extra, consts):
    arrays, attributes = kernel_inputs.dynamico(kernel, size, extra, consts)
    with np.errstate(all="ignore"):
        expected = reference(arrays, attributes)
    check(tmp_path, kernel, arrays, attributes, expected)


@pytest.mark.parametrize(("kernel", "reference", "size", "consts", "options"), NICAM)
def test_nicam(tmp_path, kernel, reference, size, consts, options):
    arrays, attributes = kernel_inputs.nicam(kernel, size, consts)
    with np.errstate(all="ignore"):
        expected = reference(arrays, attributes)
    check(tmp_path, kernel, arrays, attributes, expected, *options)


@pytest.mark.parametrize("size", kernel_inputs.ICON_SIZES)
@pytest.mark.parametrize("precision", ["float", "double"])
def test_sheet(tmp_path, size, precision):
    arrays, attributes = kernel_inputs.icoc(size)
    dtype = dict(float=np.float32, double=np.float64)[precision]
    expected = icon.results(arrays, attributes, dtype)
    for language in ("fortran", "c++"):
        options = ("--precision", precision)
        got, _ = run_on(tmp_path, "strict", language, "icoc", arrays, attributes, *options)
        assert_same_bits(got, expected)
        got, _ = run_on(tmp_path, "fast", language, "icoc", arrays, attributes, *options)
        assert_near(got, expected, 1.2e-7 if precision == "float" else 2e-14)


@pytest.mark.parametrize(("program", "result"), ICON.items())
def test_program_of_a_result(tmp_path, program, result):
    arrays, attributes = kernel_inputs.icoc("a")
    expected = icon.results(arrays, attributes, np.float32)
    got, _ = run_on(tmp_path, "strict", "fortran", program, arrays, attributes)
    assert_same_bits(got, {result: expected[result]})
