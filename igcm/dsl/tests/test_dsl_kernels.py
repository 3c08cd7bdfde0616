"""The kernels of igcm/dsl/kernels against those by hand, point by point, on inputs with every kind of point: the same
bits as Fortran and C++ where the order of operations is the same, and everywhere within 1e-13 of the field's maximum;
and the same bits for all targets, which have three layouts, and for 1 to 4 threads.
"""

import ctypes

import cases
import kernel_inputs
import numpy as np
import pytest
from kernel_programs import assert_near, assert_same_bits, read, run, run_on
from meshes import Region, Rhombus, columns, triangles
from reference.nicam import Shape, vertical_factors
from stencilc import output, target
from stencils import KERNELS, TARGETS, analysis_of, call, compile_library, file_of_kernels, library, module_of

G = dict(g=9.80616)
GAS = dict(kappa=0.2857143, cpp=1004.70885, preff=101325.0)
DYNAMICO = [  # program, kernel, size, further indices, constants
    ("comp_pvort", "pvort", "a", [1], dict(g=9.8)),
    ("comp_pvort", "pvort", "b", [2], dict(g=9.8)),
    ("comp_geopot", "geopotential", "a", [1, 0], G | dict(ptop=0.0) | GAS),
    ("comp_geopot", "geopotential", "b", [2, 0], G | dict(ptop=219.0) | GAS),
    ("comp_geopot", "geopotential", "a", [2, 1], G | dict(ptop=219.0) | GAS),
    ("comp_caldyn_horiz", "caldyn_horiz", "a", [1, 0], G | dict(ptop=219.0)),
    ("comp_caldyn_horiz", "caldyn_horiz", "b", [1, 1], G | dict(ptop=219.0)),
    ("comp_caldyn_horiz", "caldyn_horiz", "b", [2, 0], G | dict(ptop=219.0)),
    ("comp_caldyn_horiz", "caldyn_horiz", "a", [2, 1], G | dict(ptop=0.0)),
    ("comp_caldyn_vert", "caldyn_vert", "a", [35, 81, 2, 5], G),
    ("comp_caldyn_vert", "caldyn_vert", "b", [24, 131, 2, 4], G),
]
SPHERE = ("--grid", "sphere", "--level", 2, "--H", 5, "--blk", 6)


@pytest.fixture(autouse=True)
def _no_warnings():
    with np.errstate(all="ignore"):
        yield


def threads(number):
    ctypes.CDLL("libgomp.so.1").omp_set_num_threads(number)


def everywhere(source, kernel, grid, arrays):
    """The result of the serial code, after that of all other targets and numbers of threads has been found the same."""
    expected = call(library(source, "serial"), kernel, grid, arrays)
    for code in TARGETS[1:]:
        for number in (1, 2, 3, 4) if code == "openmp" else (4,):
            threads(number)
            assert_same_bits(call(library(source, code), kernel, grid, arrays), expected)
    return expected


@pytest.mark.parametrize("source", KERNELS)
def test_tiles(tmp_path, source):
    """Tiles that end within ranges, on meshes whose neighbours are partly in rows, for three threads."""
    (tmp_path / "tiles.yaml").write_text("code: openmp\ntile: 5\n")
    output.write(tmp_path, output.files(analysis_of(source), target.load(str(tmp_path / "tiles.yaml"))))
    compile_library(tmp_path, file_of_kernels(KERNELS[source], "openmp"))
    tiles = module_of(tmp_path / f"{source}_stencils.py").load(tmp_path / "libstencils.so")
    grids = {"icon": cases.torus(6, 4, 7), "dynamico": cases.rhombus(9, 8, 5), "nicam": cases.region(8, 7)}
    threads(3)
    for kernel in tiles.functions:
        for switch in (0, 1):
            arrays = cases.values(tiles.functions, kernel, grids[source], switch)
            expected = call(library(source, "serial"), kernel, grids[source], arrays)
            assert_same_bits(call(tiles, kernel, grids[source], arrays), expected)


def by_hand(tmp_path, program, arrays, attributes, *options):
    """The results in both languages."""
    return [
        run_on(tmp_path, "strict", language, program, arrays, attributes, *options)[0]
        for language in ("fortran", "c++")
    ]


def test_sheet(tmp_path):
    arrays, attributes = kernel_inputs.icoc("a")
    levels, blk = int(attributes["H"]), int(attributes["blk"])
    grid = triangles(arrays, levels)
    cells, edges = grid.counts["cell"], grid.counts["edge"]
    ones = np.ones((levels, cells))
    f = dict(T=arrays["gv_temp"], grad=arrays["gv_grad"], dvg=arrays["gv_dvg"], vi=arrays["gv_vi"], mean=ones)
    f |= dict(weighted=np.ones((levels, edges)), mixed=arrays["gv_o8var"], thickness=np.ones(levels), factor=0.1)
    f |= dict(grad_weight=np.ones(edges), edge_weight=np.ones(edges), p=arrays["gv_ind2Dparam"], q=arrays["gv_o8par2"])
    f["div_weight"] = arrays["edge_weights_by_slot"][:, np.arange(cells) % blk]
    f["share"] = np.stack([arrays[f"gv_o8param{n}"] for n in range(3)])
    step = everywhere("icon", "add_scaled", grid, f)["T"]
    result = {
        "grad__gv_grad": everywhere("icon", "gradient", grid, f)["grad"],
        "dvg__gv_dvg": everywhere("icon", "divergence", grid, f)["dvg"],
        "lap__gv_temp": everywhere("icon", "neighbour_mean", grid, f)["mean"],
        "O2VertIntegration__gv_vi": everywhere("icon", "vertical_integration", grid, f)["vi"],
        "O3Indirect2D__gv_ind2Dvar": everywhere("icon", "weighted_gradient", grid, f)["weighted"],
        "O8ind__gv_o8var": everywhere("icon", "mixed_neighbours", grid, f)["mixed"],
        "step__gv_temp": step,
    }
    for theirs in by_hand(tmp_path, "icoc", arrays, attributes, "--precision", "double"):
        assert_same_bits(result, {name: theirs[name] for name in result})


@pytest.mark.parametrize(
    ("program", "kernel", "result"),
    [
        ("icon_gradient", "gradient", "grad"), ("icon_divergence", "divergence", "dvg"),
        ("icon_laplacian", "laplacian", "lap"), ("icon_vertical_integration", "vertical_integration", "vi"),
    ],
)  # fmt: skip
def test_sphere(tmp_path, program, kernel, result):
    source = tmp_path / "in.nc"
    outputs = []
    for language in ("fortran", "c++"):
        given = ("--input", source) if source.exists() else (*SPHERE, "--save-input", source)
        run("strict", program, *given, "--output", tmp_path / f"{language}.nc", "--language", language)
        outputs.append(next(iter(read(tmp_path / f"{language}.nc")[0].values())))
    arrays, attributes = read(source)
    levels = int(attributes["H"])
    grid = triangles(arrays, levels)
    empty = np.zeros((levels, grid.counts["cell"]))
    f = dict(T=arrays.get("gv_temp", empty), grad=arrays.get("gv_grad", np.zeros((levels, grid.counts["edge"]))))
    f |= dict(dvg=empty, lap=empty, vi=arrays.get("gv_vi"), thickness=arrays["layer_thickness"])
    f |= dict(grad_weight=arrays["grad_weights"], div_weight=arrays["div_weights"], lap_weight=arrays["lap_weights"])
    got = everywhere("icon", kernel, grid, f)[result]
    for theirs in outputs:
        assert np.abs(theirs).max() > 0
        assert_same_bits({"it": got}, {"it": theirs})


@pytest.mark.parametrize(("program", "kernel", "size", "extra", "consts"), DYNAMICO)
def test_dynamico(tmp_path, program, kernel, size, extra, consts):
    arrays, attributes = kernel_inputs.dynamico(program, size, extra, consts)
    patch = Rhombus([int(i) for i in attributes["indices"]])
    switch = int(extra[0] == 1)
    f = (
        patch.metrics(arrays)
        | consts
        | dict(eta_mass=switch, energy=switch, boussinesq=extra[1] if len(extra) > 1 else 0)
    )
    got = everywhere("dynamico", kernel, patch.grid, f)
    for theirs in by_hand(tmp_path, program, arrays, attributes):
        assert set(theirs) == set(got)
        assert_same_bits(got, theirs)


def nicam(tmp_path, program, size, consts=None):
    arrays, attributes = kernel_inputs.nicam(program, size, consts)
    return arrays, Shape(attributes), by_hand(tmp_path, program, arrays, attributes)


def coefficients(arrays, region):
    """coef_intp (triangle, xyz, corner, g) by vertex, and coef_diff (xyz, face, g)."""
    intp = np.concatenate(list(arrays["coef_intp"][region]), axis=-1)
    names = ("x", "y", "z")
    return {f"intp_{d}": intp[i] for i, d in enumerate(names)} | {
        f"diff_{d}": arrays["coef_diff"][region, i] for i, d in enumerate(names)
    }


def compare(got, theirs, same_bits):
    for one in theirs:
        if same_bits:
            assert_same_bits(got, one)
        else:
            assert_near(got, one, 1e-13)


@pytest.mark.parametrize("size", "abc")
def test_diffusion(tmp_path, size):
    arrays, s, theirs = nicam(tmp_path, "dyn_diffusion", size)
    for region in range(s.lall):
        grid = Region(s.n1, s.kall, s.sgp[region]).grid
        f = {name: arrays[name][region] for name in ("scl", "kh", "dscl")} | coefficients(arrays, region)
        got = everywhere("nicam", "diffusion", grid, f)
        compare(got, [{"dscl": one["dscl"][region]} for one in theirs], same_bits=True)


@pytest.mark.parametrize("size", "abc")
def test_divdamp(tmp_path, size):
    arrays, s, theirs = nicam(tmp_path, "dyn_divdamp", size)
    names = ("ddivdx", "ddivdy", "ddivdz")
    for region in range(s.lall):
        grid = Region(s.n1, s.kall, s.sgp[region]).grid
        f = {name: arrays[name][region] for name in ("rhogvx", "rhogvy", "rhogvz", "rhogw", *names)}
        f |= {f"c2w_{i + 1}": arrays["VMTR_C2WfactGz"][region, i] for i in range(6)} | coefficients(arrays, region)
        f |= {name.lower(): arrays[f"VMTR_{name}"][region] for name in ("RGSQRTH", "RGAM", "RGAMH")}
        f["rdgz"] = vertical_factors(arrays, s)["GRD_rdgz"]
        got = everywhere("nicam", "divdamp", grid, f)
        # The nine terms of a triangle are added by component here, and in one row there.
        compare(got, [{name: one[name][region] for name in names} for one in theirs], same_bits=False)


def by_wall(values):
    """(3, level, g) of three walls as (level, wall)."""
    return np.concatenate(list(values[:3]), axis=-1)


@pytest.mark.parametrize("size", "abc")
def test_horizontal_flux(tmp_path, size):
    arrays, s, theirs = nicam(tmp_path, "dyn_horiz_adv_flux", size, dict(dt=360.0))
    for region in range(s.lall):
        part = Region(s.n1, s.kall, s.sgp[region])
        f = {name: arrays[name][region] for name in ("rhogvx", "rhogvy", "rhogvz")} | dict(dt=360.0, side=part.side)
        f |= dict(
            rhog=arrays["rhog_mean"][region], flx=arrays["flx_h"][:, region], rarea=arrays["GMTR_p"][1, region, 0]
        )
        f["weight"] = np.concatenate(list(np.moveaxis(arrays["GMTR_t"][2:5, :, region, 0], 1, 0)), axis=-1)
        for i, d in enumerate("xyz"):
            f[f"hn{d}"] = arrays["GMTR_a"][i, :, region, 0].ravel()
            f[f"xr_{d}"] = arrays["GRD_xr"][i, :, region, 0].ravel()
            f[f"xc_{d}"] = by_wall(arrays["GRD_xc"][i, :, region])
        got = everywhere("nicam", "horizontal_flux", part.grid, f)
        # Faces without a wall are 0 or -0 here, and 0 there: both become 0.
        got["flx"] = got["flx"] + 0.0
        for one in theirs:
            expected = {f"xc_{d}": by_wall(one["GRD_xc"][i, :, region]) for i, d in enumerate("xyz")}
            assert_same_bits(got, expected | {"flx": one["flx_h"][:, region] + 0.0})


@pytest.mark.parametrize("size", "abc")
def test_horizontal_limiter(tmp_path, size):
    arrays, s, theirs = nicam(tmp_path, "dyn_horiz_adv_limiter", size)
    for region in range(s.lall):
        part = Region(s.n1, s.kall, s.sgp[region], "limiter")
        f = dict(tracer=arrays["q"][region], d=arrays["d"][region], ch=arrays["ch"][:, region], side=part.side)
        f |= dict(cmask=by_wall(arrays["cmask"][:, region]), q_wall=by_wall(arrays["q_a"][:, region]))
        empty = np.zeros_like(f["cmask"])
        f |= dict.fromkeys(("own_min", "own_max", "across_min", "across_max"), empty)
        f |= dict(qout_min=f["tracer"], qout_max=f["tracer"], q_face=arrays["q_a"][:, region])
        bounds = everywhere("nicam", "limiter_bounds", part.grid, f)
        for one in theirs:
            assert_same_bits({"min": bounds["qout_min"]}, {"min": one["Qout_prev"][0, region]})
            assert_same_bits({"max": bounds["qout_max"]}, {"max": one["Qout_prev"][1, region]})
        f |= bounds | dict(qout_min=arrays["Qout_post"][0, region], qout_max=arrays["Qout_post"][1, region])
        limited = everywhere("nicam", "limiter_apply", part.grid, f)
        for one in theirs:
            assert_same_bits({"wall": limited["q_wall"]}, {"wall": by_wall(one["q_a"][:, region])})
            assert_same_bits({"face": limited["q_face"][3:]}, {"face": one["q_a"][3:, region]})


def parts(arrays, theirs, s, written):
    """Regions, then poles, which kernels of columns take alike."""
    for pole in ("", "_pl") if s.have_pl else ("",):
        for part in range(arrays[written + pole].shape[-3]):
            yield (
                (lambda name, pole=pole, part=part: arrays[name + pole][..., part, :, :]),
                [one[written + pole][part] for one in theirs],
            )


@pytest.mark.parametrize("size", "abc")
def test_vertical_limiter(tmp_path, size):
    arrays, s, theirs = nicam(tmp_path, "dyn_vert_adv_limiter", size)
    for of, expected in parts(arrays, theirs, s, "q_h"):
        ck = of("ck")
        f = dict(q=of("q"), d=of("d"), q_h=of("q_h"), ck_lower=ck[0], ck_upper=ck[1])
        got = everywhere("nicam", "vertical_limiter", columns(f["q"].shape[1], s.kall), f)
        compare(got, [{"q_h": values} for values in expected], same_bits=True)


@pytest.mark.parametrize(("size", "alpha"), [("a", 1.0), ("b", 0.0), ("c", 1.0)])
def test_solver(tmp_path, size, alpha):
    consts = dict(dt=60.0, alpha=alpha)
    arrays, s, theirs = nicam(tmp_path, "dyn_vi_rhow_solver", size, consts)
    factors = vertical_factors(arrays, s)
    for of, expected in parts(arrays, theirs, s, "rhogw"):
        names = ("rhogw0", "preg0", "rhog0", "Srho", "Sw", "Spre", "Mc", "Ml", "Mu", "rhogw")
        f = {name: of(name) for name in names} | consts
        f |= {name.lower(): of(f"VMTR_{name}") for name in ("RGSGAM2", "RGSGAM2H", "RGAMH", "RGAM", "GSGAM2H")}
        f |= {name: factors[f"GRD_{name}"] for name in ("rdgzh", "afact", "bfact")}
        got = everywhere("nicam", "vi_rhow_solver", columns(f["rhogw"].shape[1], s.kall), f)
        compare(got, [{"rhogw": values} for values in expected], same_bits=True)
