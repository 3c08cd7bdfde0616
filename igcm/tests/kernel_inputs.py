"""Exchange files of the kernels with every kind of point: zero lengths and areas, empty layers, signed zeros, equal
neighbours, halos and poles filled with values that no kernel may use unseen. Layouts: igcm/kernels/README.md.
"""

import numpy as np
from reference import icon

DYNAMICO_SIZES = {"a": (13, 9, 6), "b": (11, 14, 5)}
# lall, n1, kall, flags of singular regions, have_pl: without poles, their fields stay as they are
NICAM_SIZES = {"a": (3, 11, 9, [1, 0, 1], 1), "b": (1, 18, 14, [1], 1), "c": (2, 6, 5, [0, 1], 0)}
ICON_SIZES = {"a": (16, 7, 20), "b": (8, 3, 6)}  # G, H, blk


class Noise:
    """Numbers of a fixed sequence; a few of them are zeros of both signs."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)

    def __call__(self, shape, low, high, zeros=0.0):
        values = self.random.uniform(low, high, shape)
        if zeros:
            kind = self.random.uniform(size=shape)
            values[kind < zeros] = 0.0
            values[kind < zeros / 2] = -0.0
        return values


def rhombus_indices(iim, jjm, llm):
    n, w = iim * jjm, iim
    return [
        *(iim, jjm, llm, 2 * w + 2, (jjm - 2) * w - 1, w + 1, (jjm - 1) * w, 1, llm),
        *(1, w, w - 1, -1, -w, 1 - w),
        *(0, 2 * n + w, n, -1, 2 * n, n + 1 - w),
        *(n + w, 0, n + w - 1, -w, n, 1 - w),
    ]


def dynamico(kernel, size, extra, consts):
    iim, jjm, llm = DYNAMICO_SIZES[size]
    cells = iim * jjm
    noise = Noise(sum(map(ord, kernel + size)) + 97 * sum(extra))
    length = dict(cells=cells, edges=3 * cells, vertices=2 * cells)

    def field(where, low, high, levels=llm, zeros=0.02):
        return noise((levels, length[where]) if levels else (length[where],), low, high, zeros)

    de = field("edges", 1e5, 1.3e5, 0)
    kind = noise.random.uniform(size=de.shape)
    de[kind < 0.05], de[kind < 0.02] = 0.7, 0.0  # edges that are too short, or do not exist
    rhodz = field("cells", 10, 1231)
    theta = field("cells", 200, 801)
    makers = dict(
        Av=lambda: field("vertices", 4e9, 9e9, 0, 0.02),
        de=lambda: de,
        le=lambda: field("edges", 3e4, 9e4, 0, 0.04),
        Ai=lambda: field("cells", 1e10, 3.5e10, 0, 0.03),
        Riv2=lambda: np.where(noise((cells,), 0, 1) < 0.05, 0, noise((6, cells), 0.2, 0.4)),
        Wee=lambda: noise((2, 5, 3 * cells), -0.6, 0.6, 0.02),
        fv=lambda: field("vertices", -8e-5, 8e-5, 0),
        ps=lambda: field("cells", 9.8e4, 1.02e5, 0, 0),
        u=lambda: field("edges", -0.4, 0.4),
        theta_rhodz=lambda: field("cells", 1e3, 3.9e5),
        rhodz=lambda: rhodz,
        theta=lambda: theta,
        qu=lambda: field("edges", -1e-6, 1e-6),
        qv=lambda: field("vertices", -1e-6, 1e-6),
        pk=lambda: field("cells", 300, 1001),
        geopot=lambda: field("cells", 0, 3.8e5, llm + 1),
        hflux=lambda: field("edges", -3e7, 3e7),
        convm=lambda: field("cells", -1e-2, 1e-2),
        dtheta_rhodz=lambda: field("cells", -1, 1),
        du=lambda: field("edges", -3e-3, 3e-3),
        wflux=lambda: field("cells", -1e-2, 1e-2, llm + 1),
        wwuu=lambda: field("edges", -1e-4, 1e-4, llm + 1),
        dps=lambda: field("cells", -0.1, 0.1, 0),
        bp=lambda: np.linspace(1, 0, llm + 1) ** 2,
    )
    # An empty layer (mass 0, pressure 0), and one of negative mass.
    for name in ("mass_dak", "mass_ak"):
        values = np.linspace(2e3, 1e4, llm)
        values[1] = 0
        makers[name] = lambda values=values: values
    for name in ("mass_dbk", "mass_bk"):
        values = np.linspace(0.3, 0.05, llm)
        values[1] = 0
        if name == "mass_dbk":
            values[3] = -0.3
        makers[name] = lambda values=values: values
    names = {
        "comp_pvort": "Av de Riv2 fv mass_dak mass_dbk ps u theta_rhodz rhodz theta qu qv",
        "comp_geopot": "mass_ak mass_bk ps rhodz theta pk geopot",
        "comp_caldyn_horiz": "le Ai de Av Wee u rhodz qu theta pk geopot hflux convm dtheta_rhodz du",
        "comp_caldyn_vert": "bp u theta rhodz convm wflux wwuu dps dtheta_rhodz du",
    }[kernel].split()
    attributes = dict(
        kernel=kernel,
        indices=np.array([*rhombus_indices(iim, jjm, llm), *extra], np.int32),
        const_names=" ".join(consts),
        const_values=np.array(list(consts.values()), np.float64),
        size=size,
    )
    return {name: makers[name]() for name in names}, attributes


def nicam(kernel, size, consts=None):
    lall, n1, kall, sgp, have_pl = NICAM_SIZES[size]
    g = n1 * n1
    noise = Noise(sum(map(ord, kernel + size)))
    a = {}

    def field(name, low, high, before=(), zeros=0.02):
        a[name] = noise((*before, lall, kall, g), low, high, zeros)
        a[name + "_pl"] = noise((*before, 2, kall, 6), low, high, zeros)

    def coefficients():
        a["coef_intp"] = noise((lall, 2, 3, 3, g), -1e-5, 1e-5, 0.01)
        a["coef_intp_pl"] = noise((2, 3, 3, 6), -1e-5, 1e-5)
        a["coef_diff"] = noise((lall, 3, 6, g), -1e-5, 1e-5, 0.01)
        a["coef_diff_pl"] = noise((2, 3, 5), -1e-5, 1e-5)

    def levels():
        a["GRD_gzh"] = 250.0 * np.arange(-1, kall - 1) + 17.0 * np.arange(-1, kall - 1) ** 2
        a["GRD_gz"] = a["GRD_gzh"] + 110 + 9.0 * np.arange(kall)

    if kernel == "dyn_diffusion":
        coefficients()
        field("scl", -1e-11, 1e-11)
        field("kh", 7e10, 3e12)
        field("dscl", -6e-8, 6e-8)
    elif kernel == "dyn_divdamp":
        coefficients()
        for name in ("rhogvx", "rhogvy", "rhogvz", "rhogw"):
            field(name, -0.25, 0.25)
        for name in ("VMTR_RGSQRTH", "VMTR_RGAM", "VMTR_RGAMH"):
            field(name, 0.9, 1.1, zeros=0)
        a["VMTR_C2WfactGz"] = noise((lall, 6, kall, g), -0.1, 0.1, 0.05)
        a["VMTR_C2WfactGz_pl"] = noise((2, 6, kall, 6), -0.1, 0.1, 0.05)
        for name in ("ddivdx", "ddivdy", "ddivdz"):
            field(name, -1, 1)
        levels()
    elif kernel == "dyn_horiz_adv_flux":
        for name, components, walls, low, high in (
            ("GMTR_p", 8, (), 1e-10, 1e-9),
            ("GMTR_t", 5, (2,), 0.2, 0.5),
            ("GMTR_a", 12, (3,), -6e4, 6e4),
            ("GRD_xr", 3, (3,), -6e6, 6e6),
        ):
            a[name] = noise((components, *walls, lall, 1, g), low, high)
            a[name + "_pl"] = noise((18 if name == "GMTR_a" else components, 2, 1, 6), low, high)
        field("rhog_mean", -0.1, 1.4, zeros=0.1)  # densities of zero and less divide by epsilon
        for name in ("rhogvx", "rhogvy", "rhogvz"):
            field(name, -30, 30)
        field("flx_h", -0.16, 0.16, (6,))
        a["flx_h_pl"] = noise((2, kall, 6), -0.16, 0.16)
        a["GRD_xc"] = noise((3, 3, lall, kall, g), -6e6, 6e6)
        a["GRD_xc_pl"] = noise((3, 2, kall, 6), -6e6, 6e6)
    elif kernel == "dyn_horiz_adv_limiter":
        field("ch", -0.3, 0.3, (6,), 0.1)
        a["ch_pl"] = noise((2, kall, 6), -0.3, 0.3, 0.1)
        a["ch"][:, :, 1] = 0.0  # a level at rest: nothing flows out
        a["ch_pl"][:, 1] = -0.0
        step = (1, n1 + 1, n1)
        for m in range(3):  # a face has one flux, of opposite sign on its sides
            a["ch"][m + 3, :, :, step[m] :] = -a["ch"][m, :, :, : g - step[m]]
        a["cmask"] = np.where(a["ch"] < 0, 1.0, 0.0)
        a["cmask_pl"] = np.where(a["ch_pl"] < 0, 1.0, 0.0)
        field("q", 0, 7, zeros=0.1)
        a["q"][:, 2] = 3.25  # equal neighbours
        field("d", -0.01, 0.01)
        field("q_a", -1, 8, (6,))
        a["q_a_pl"] = noise((2, kall, 6), -1, 8, 0.02)
        field("Qout_post", 0, 7, (2,))
        field("Qout_prev", -1, 1, (2,))
    elif kernel == "dyn_vert_adv_limiter":
        field("ck", -0.03, 0.03, (2,), 0.2)
        for pl in ("", "_pl"):
            ck = a["ck" + pl]
            ck[0, :, 2:4] = -0.0  # the sign bit of a zero decides
            ck[1, :, :-1] = -ck[0, :, 1:]
        field("q", 0, 7, zeros=0.1)
        field("d", -0.01, 0.01)
        field("q_h", -1, 8)
    elif kernel == "dyn_vi_rhow_solver":
        for name, size_of in (("rhogw0", 1e-3), ("preg0", 26), ("rhog0", 1e-3)):
            field(name, -size_of, size_of)
        for name, size_of in (("Srho", 1e-6), ("Sw", 1e-5), ("Spre", 1e-2)):
            field(name, -size_of, size_of)
        field("Mc", 1.2, 1.7, zeros=0)
        field("Ml", -0.6, 0)
        field("Mu", -0.6, 0)
        for name in ("VMTR_RGSGAM2", "VMTR_RGSGAM2H", "VMTR_RGAMH", "VMTR_RGAM", "VMTR_GSGAM2H"):
            field(name, 0.9, 1.1, zeros=0)
        field("rhogw", -1e-3, 1e-3)
        a["Mc"][0, 3, 7] = 0.0  # a singular column
        levels()
    consts = consts or {}
    attributes = dict(
        kernel=kernel,
        adm=np.array([lall, n1, 2, n1 - 1, kall, 2, kall - 1, have_pl], np.int32),
        sgp=np.array(sgp, np.int32),
        const_names=" ".join(consts),
        const_values=np.array(list(consts.values()), np.float64) if consts else "",
        size=size,
    )
    return a, attributes


def icoc(size):
    side, levels, blk = ICON_SIZES[size]
    noise = Noise(11)
    a = icon.sheet(side)
    cells, edges = a["neighbor"].shape[1], a["ecell"].shape[1]
    for name, shape, low, high in (
        ("gv_temp", (levels, cells), 250, 310),
        ("gv_grad", (levels, edges), -5, 5),
        ("gv_dvg", (levels, cells), -5, 5),
        ("gv_vi", (cells,), -5, 5),
        ("gv_ind2Dparam", (cells,), 0.5, 1.5),
        ("gv_o8param0", (cells,), 0.2, 0.5),
        ("gv_o8param1", (cells,), 0.2, 0.5),
        ("gv_o8param2", (cells,), 0.2, 0.5),
        ("gv_o8par2", (levels, cells), 0, 1),
        ("gv_o8var", (levels, cells), -5, 5),
    ):
        a[name] = noise(shape, low, high, 0.05).astype(np.float32)
    weights = np.empty((3, blk), np.float32)
    weights[0], weights[1] = 1, -1
    weights[2] = np.where(np.arange(blk) % 2 == 0, -1, 1)
    a["edge_weights_by_slot"] = weights
    for name in ("neighbor", "cedge", "ecell", "map_ij_to_cell"):
        a[name] = a[name].astype(np.int32)
    return a, dict(kernel="icoc", G=np.int32(side), H=np.int32(levels), blk=np.int32(blk))
