"""NICAM's kernels in NumPy, from the formulas of igcm/kernels/README.md, in the order that they are written there.

Each function takes the arrays of an exchange file by name, and its attributes, and returns the arrays that the kernel
writes. A point is (j, i) here, so that neighbours are shifted slices; rows and columns count from 0.
"""

import numpy as np

EPS = 2.0**-52
BIG = np.finfo(np.float64).max
GRAVITY, RDRY, CVDRY = 9.80616, 287.0, 717.5
RING = [1, 2, 3, 4, 5]


def behind(v):
    return 5 if v == 1 else v - 1


def ahead(v):
    return 1 if v == 5 else v + 1


class Shape:
    def __init__(self, attributes):
        adm = [int(value) for value in attributes["adm"]]
        self.lall, self.n1, gmin, gmax, self.kall, kmin, kmax, self.have_pl = adm
        self.first, self.last = gmin - 1, gmax - 1  # own rows and columns
        self.kmin, self.kmax = kmin - 1, kmax - 1
        self.sgp = [bool(flag) for flag in np.atleast_1d(attributes["sgp"])]
        n, f, e = self.n1, self.first, self.last
        self.triangles = np.arange((f - 1) * n + f - 1, e * n + e + 1)  # linear ranges
        self.own = np.arange(f * n + f, e * n + e + 1)
        self.box = np.array([j * n + i for j in range(f - 1, e + 1) for i in range(f - 1, e + 1)])
        self.own_box = np.array([j * n + i for j in range(f, e + 1) for i in range(f, e + 1)])
        self.corner = (f - 1) * n + f - 1


def constants(attributes):
    values = np.atleast_1d(attributes["const_values"])
    return dict(zip(attributes["const_names"].split(), (float(value) for value in values), strict=True))


# The last one of equal numbers, as a comparison "is the first one less?" decides; -0 equals 0.
def least(first, *more):
    for other in more:
        first = np.where(first < other, first, other)
    return first


def greatest(first, *more):
    for other in more:
        first = np.where(first > other, first, other)
    return first


def vertical_factors(a, s):
    gz, gzh, lo, hi = a["GRD_gz"], a["GRD_gzh"], s.kmin - 1, s.kmax + 1
    names = ("dgz", "dgzh", "rdgz", "rdgzh", "afact", "bfact", "cfact", "dfact")
    f = {name: np.zeros(s.kall) for name in names}
    f["dgz"][lo:hi] = gzh[lo + 1 : hi + 1] - gzh[lo:hi]
    f["dgz"][hi] = f["dgz"][hi - 1]
    f["dgzh"][lo + 1 : hi + 1] = gz[lo + 1 : hi + 1] - gz[lo:hi]
    f["dgzh"][lo] = f["dgzh"][lo + 1]
    real = slice(lo, hi + 1)
    f["rdgz"][real], f["rdgzh"][real] = 1 / f["dgz"][real], 1 / f["dgzh"][real]
    f["afact"][lo + 1 : hi + 1] = (gzh[lo + 1 : hi + 1] - gz[lo:hi]) / (gz[lo + 1 : hi + 1] - gz[lo:hi])
    f["afact"][lo] = 1
    f["bfact"][real] = 1 - f["afact"][real]
    f["cfact"][lo + 1 : hi] = (gz[lo + 1 : hi] - gzh[lo + 1 : hi]) / (gzh[lo + 2 : hi + 1] - gzh[lo + 1 : hi])
    f["cfact"][lo], f["cfact"][hi] = 1, 0
    f["dfact"][real] = 1 - f["cfact"][real]
    return {"GRD_" + name: values for name, values in f.items()}


def gradient_of(c, s1, s2, s3):
    c1, c2, c3 = c
    return ((2 * c1 - c2 - c3) * s1 + (-c1 + 2 * c2 - c3) * s2 + (-c1 - c2 + 2 * c3) * s3) / 3


def around(s, ti, tj):
    """For each face, the (first, second) triangle values beside it, on the own linear range."""
    g, n = s.own, s.n1
    return [
        (ti[..., g], tj[..., g]),
        (tj[..., g], ti[..., g - 1]),
        (ti[..., g - 1], tj[..., g - 1 - n]),
        (tj[..., g - 1 - n], ti[..., g - 1 - n]),
        (ti[..., g - 1 - n], tj[..., g - n]),
        (tj[..., g - n], ti[..., g]),
    ]


def diffusion(a, attributes, as_published=False):
    s = Shape(attributes)
    n, t, g = s.n1, s.triangles, s.own
    dscl, dscl_pl = np.zeros_like(a["dscl"]), np.zeros_like(a["dscl_pl"])
    for region in range(s.lall):
        c, cd = a["coef_intp"][region], a["coef_diff"][region]
        for k in range(s.kall):
            scl, kh = a["scl"][region, k], a["kh"][region, k]
            ti, tj = np.zeros((3, n * n)), np.zeros((3, n * n))
            for d in range(3):
                ti[d, t] = gradient_of(c[0, d][:, t], scl[t], scl[t + 1], scl[t + 1 + n])
                tj[d, t] = gradient_of(c[1, d][:, t], scl[t], scl[t + 1 + n], scl[t + n])
            if s.sgp[region]:
                ti[:, s.corner] = tj[:, s.corner + 1]
            kappa = [0.5 * (kh[g] + kh[g + step]) for step in (1 + n, n, -1, -1 - n, -n, 1)]
            pairs, total = around(s, ti, tj), None
            for d in range(3):
                part = None
                for m, (first, second) in enumerate(pairs):
                    term = kappa[m] * cd[d, m, g] * (first[0 if as_published else d] + second[d])
                    part = term if part is None else part + term
                total = part if total is None else total + part
            dscl[region, k, g] = total
    if not s.have_pl:
        return dict(dscl=dscl, dscl_pl=a["dscl_pl"].copy())
    for pole in range(2):
        c, cd = a["coef_intp_pl"][pole], a["coef_diff_pl"][pole]
        for k in range(s.kall):
            scl, kh = a["scl_pl"][pole, k], a["kh_pl"][pole, k]
            vt = {v: [gradient_of(c[d][:, v], scl[0], scl[v], scl[ahead(v)]) for d in range(3)] for v in RING}
            total = 0.0
            for v in RING:
                terms = [cd[d, v - 1] * (vt[behind(v)][d] + vt[v][d]) for d in range(3)]
                total = total + (terms[0] + terms[1] + terms[2]) * 0.5 * (kh[0] + kh[v])
            dscl_pl[pole, k, 0] = total
    return dict(dscl=dscl, dscl_pl=dscl_pl)


def three_dimensional(c, corners, v, w_above, w, rdgz):
    total = None
    for d in range(3):
        for corner in range(3):
            term = c[d, corner] * v[d][corners[corner]]
            total = term if total is None else total + term
    above, below = ((x[corners[0]] + x[corners[1]] + x[corners[2]]) for x in (w_above, w))
    return total + (above - below) / 3 * rdgz


def wind(a, pl, region, kmin, kmax):
    get = {name: a[name + pl][region] for name in ("rhogvx", "rhogvy", "rhogvz", "rhogw", "VMTR_RGAMH", "VMTR_RGSQRTH")}
    c = a["VMTR_C2WfactGz" + pl][region]
    vx, vy, vz = get["rhogvx"], get["rhogvy"], get["rhogvz"]
    w = np.zeros_like(vx)
    for k in range(kmin + 1, kmax + 1):
        total = c[0, k] * vx[k] + c[1, k] * vx[k - 1] + c[2, k] * vy[k]
        total = total + c[3, k] * vy[k - 1] + c[4, k] * vz[k] + c[5, k] * vz[k - 1]
        w[k] = total * get["VMTR_RGAMH"][k] + get["rhogw"][k] * get["VMTR_RGSQRTH"][k]
    return w


def divdamp(a, attributes):
    s = Shape(attributes)
    n, t, g = s.n1, s.triangles, s.own
    factors = vertical_factors(a, s)
    names = ("ddivdx", "ddivdy", "ddivdz")
    out = {name + pl: a[name + pl].copy() for name in names for pl in ("", "_pl")}
    layers = slice(s.kmin - 1, s.kmax + 2)
    for name in names:
        out[name][:, layers] = 0
        if s.have_pl:
            out[name + "_pl"][:, layers] = 0
    for region in range(s.lall):
        c, cd, w = a["coef_intp"][region], a["coef_diff"][region], wind(a, "", region, s.kmin, s.kmax)
        for k in range(s.kmin, s.kmax + 1):
            v = [a[name][region, k] * a["VMTR_RGAM"][region, k] for name in ("rhogvx", "rhogvy", "rhogvz")]
            ti, tj, rdgz = np.zeros(n * n), np.zeros(n * n), factors["GRD_rdgz"][k]
            ti[t] = three_dimensional(c[0][:, :, t], (t, t + 1, t + 1 + n), v, w[k + 1], w[k], rdgz)
            tj[t] = three_dimensional(c[1][:, :, t], (t, t + 1 + n, t + n), v, w[k + 1], w[k], rdgz)
            if s.sgp[region]:
                ti[s.corner] = tj[s.corner + 1]
            for d, name in enumerate(names):
                total = None
                for m, (first, second) in enumerate(around(s, ti, tj)):
                    term = cd[d, m, g] * (first + second)
                    total = term if total is None else total + term
                out[name][region, k, g] = total
    for pole in range(2 if s.have_pl else 0):
        c, cd, w = a["coef_intp_pl"][pole], a["coef_diff_pl"][pole], wind(a, "_pl", pole, s.kmin, s.kmax)
        for k in range(s.kmin, s.kmax + 1):
            v = [a[name + "_pl"][pole, k] * a["VMTR_RGAM_pl"][pole, k] for name in ("rhogvx", "rhogvy", "rhogvz")]
            rdgz = factors["GRD_rdgz"][k]
            tri = {q: three_dimensional(c[:, :, q], (0, q, ahead(q)), v, w[k + 1], w[k], rdgz) for q in RING}
            for d, name in enumerate(names):
                for q in RING:
                    out[name + "_pl"][pole, k, 0] += cd[d, q - 1] * (tri[behind(q)] + tri[q])
    return factors | out


def horizontal_flux(a, attributes):
    s, dt = Shape(attributes), constants(attributes)["dt"]
    n, f, e = s.n1, s.first, s.last
    flx, xc, flx_pl, xc_pl = (a[name].copy() for name in ("flx_h", "GRD_xc", "flx_h_pl", "GRD_xc_pl"))
    ring = np.setdiff1d(np.arange(n * n), s.own_box)
    flx[..., ring], xc[..., ring] = 0, 0
    rows = {low: range(low, e + 1) for low in (f - 1, f)}

    def box(i_first, j_first):
        return np.array([j * n + i for j in rows[j_first] for i in rows[i_first]])

    b = s.box
    for region in range(s.lall):
        w = a["GMTR_t"][2:5, :, region, 0]
        area, hn, xr = a["GMTR_p"][1, region, 0], a["GMTR_a"][:3, :, region, 0], a["GRD_xr"][:, :, region, 0]
        for k in range(s.kall):
            ti, tj = np.zeros((4, n * n)), np.zeros((4, n * n))
            for quantity, name in enumerate(("rhog_mean", "rhogvx", "rhogvy", "rhogvz")):
                q = a[name][region, k]
                ti[quantity, b] = q[b] * w[0, 0, b] + q[b + 1] * w[1, 0, b] + q[b + 1 + n] * w[2, 0, b]
                tj[quantity, b] = q[b] * w[0, 1, b] + q[b + 1 + n] * w[1, 1, b] + q[b + n] * w[2, 1, b]
            if s.sgp[region]:
                ti[:, s.corner] = tj[:, s.corner + 1]
            ai, aij, aj = box(f - 1, f), box(f - 1, f - 1), box(f, f - 1)
            for wall, g, across, both in (
                (0, ai, 1, tj[:, ai - n] + ti[:, ai]),
                (1, aij, 1 + n, ti[:, aij] + tj[:, aij]),
                (2, aj, n, tj[:, aj] + ti[:, aj - 1]),
            ):
                r = 1 / greatest(both[0], EPS)
                total = 0.5 * (both[1] * hn[0, wall, g] + both[2] * hn[1, wall, g] + both[3] * hn[2, wall, g])
                flx[wall, region, k, g] = total * area[g] * dt
                flx[wall + 3, region, k, g + across] = -total * area[g + across] * dt
                for d in range(3):
                    xc[d, wall, region, k, g] = xr[d, wall, g] - both[1 + d] * r * dt * 0.5
            if s.sgp[region]:
                flx[5, region, k, f * n + f] = 0
    for pole in range(2 if s.have_pl else 0):
        w, hn, xr = a["GMTR_t_pl"][2:5, pole, 0], a["GMTR_a_pl"][:3, pole, 0], a["GRD_xr_pl"][:, pole, 0]
        area = a["GMTR_p_pl"][1, pole, 0, 0]
        for k in range(s.kall):
            fields = [a[name + "_pl"][pole, k] for name in ("rhog_mean", "rhogvx", "rhogvy", "rhogvz")]
            tri = {v: [q[0] * w[0, v] + q[v] * w[1, v] + q[ahead(v)] * w[2, v] for q in fields] for v in RING}
            for v in RING:
                both = [x + y for x, y in zip(tri[behind(v)], tri[v], strict=True)]
                r = 1 / float(greatest(both[0], EPS))
                total = 0.5 * (both[1] * hn[0, v] + both[2] * hn[1, v] + both[3] * hn[2, v])
                flx_pl[pole, k, v] = total * area * dt
                for d in range(3):
                    xc_pl[d, pole, k, v] = xr[d, v] - both[1 + d] * r * dt * 0.5
    return dict(flx_h=flx, flx_h_pl=flx_pl, GRD_xc=xc, GRD_xc_pl=xc_pl)


def is_zero(flux):
    return 0.5 - np.copysign(0.5, np.abs(flux) - EPS)


def outflow(q, d, lo, hi, c_in, c_out, pmin, pmax):
    z = is_zero(c_out)
    low = (q - pmax - hi * (1 - c_in - c_out + d)) / (c_out + z) * (1 - z) + q * z
    high = (q - pmin - lo * (1 - c_in - c_out + d)) / (c_out + z) * (1 - z) + q * z
    return low, high


def limited(q_a, c, own, across, out_own, out_across):
    """own, across: (least, most) of the inflow of both sides of a face; out_*: of the outflow."""
    a = c * least(greatest(q_a, own[0]), own[1]) + (1 - c) * least(greatest(q_a, across[0]), across[1])
    return c * greatest(least(a, out_across[1]), out_across[0]) + (1 - c) * greatest(least(a, out_own[1]), out_own[0])


def face_bounds(c, candidates):
    lo, hi = least(*candidates), greatest(*candidates)
    own = c * lo + (1 - c) * BIG, c * hi + (1 - c) * (-BIG)
    across = c * BIG + (1 - c) * lo, c * (-BIG) + (1 - c) * hi
    return own, across


def horizontal_limiter(a, attributes):
    s = Shape(attributes)
    n, b, g = s.n1, s.box, s.own_box
    steps = (1, 1 + n, n)
    q_a, previous = a["q_a"].copy(), a["Qout_prev"].copy()
    q_a_pl, previous_pl = a["q_a_pl"].copy(), a["Qout_prev_pl"].copy()
    for region in range(s.lall):
        for k in range(s.kall):
            q, d = a["q"][region, k], a["d"][region, k]
            c, ch, post = a["cmask"][:, region, k], a["ch"][:, region, k], a["Qout_post"][:, region, k]
            bounds = np.zeros((2, 6, n * n))  # (least or most, face, point)
            below, left = np.maximum(b - n, 0), np.maximum(b - 1, 0)
            for m, candidates in enumerate(
                ((b, below, b + 1, b + 1 + n), (b, b + 1, b + 1 + n, b + n), (b, b + 1 + n, b + n, left))
            ):
                own, across = face_bounds(c[m, b], [q[points] for points in candidates])
                bounds[:, m, b], bounds[:, m + 3, b + steps[m]] = own, across
            if s.sgp[region]:
                x = s.corner
                own, across = face_bounds(c[1, x], [q[x], q[x + 1 + n], q[x + 2 + n], q[x + n]])
                bounds[:, 1, x], bounds[:, 4, x + 1 + n] = own, across
            lo = least(q[g], *(bounds[0, m, g] for m in range(6)))
            hi = greatest(q[g], *(bounds[1, m, g] for m in range(6)))
            inward = [least(ch[m, g], 0.0) for m in range(6)]
            c_in = pmin = pmax = c_out = None
            for m in range(6):
                low, high = inward[m] * bounds[0, m, g], inward[m] * bounds[1, m, g]
                c_in = inward[m] if m == 0 else c_in + inward[m]
                c_out = (ch[m, g] if m == 0 else c_out + ch[m, g]) - inward[m]
                pmin, pmax = (low, high) if m == 0 else (pmin + low, pmax + high)
            previous[:, region, k] = q
            previous[:, region, k][:, g] = outflow(q[g], d[g], lo, hi, c_in, c_out, pmin, pmax)
            for m, step in enumerate(steps):
                p = b + step
                new = limited(
                    q_a[m, region, k, b], c[m, b], bounds[:, m, b], bounds[:, m + 3, p], post[:, b], post[:, p]
                )
                q_a[m, region, k, b] = new
                q_a[m + 3, region, k, p] = new
    for pole in range(2 if s.have_pl else 0):
        for k in range(s.kall):
            q, d = a["q_pl"][pole, k], a["d_pl"][pole, k, 0]
            c, ch, post = a["cmask_pl"][pole, k], a["ch_pl"][pole, k], a["Qout_post_pl"][:, pole, k]
            lo = hi = q[0]
            c_in = c_out = pmin = pmax = 0.0
            for v in RING:
                own, across = face_bounds(c[v], [q[0], q[v], q[behind(v)], q[ahead(v)]])
                lo, hi = least(lo, own[0]), greatest(hi, own[1])
                c_in = c_in + c[v] * ch[v]
                c_out = c_out - c[v] * ch[v] + ch[v]
                pmin, pmax = pmin + c[v] * ch[v] * own[0], pmax + c[v] * ch[v] * own[1]
                q_a_pl[pole, k, v] = limited(q_a_pl[pole, k, v], c[v], own, across, post[:, 0], post[:, v])
            previous_pl[:, pole, k] = 0
            previous_pl[:, pole, k, 0] = outflow(q[0], d, lo, hi, c_in, c_out, pmin, pmax)
    return dict(q_a=q_a, q_a_pl=q_a_pl, Qout_prev=previous, Qout_prev_pl=previous_pl)


def vertical_limiter(a, attributes):
    s = Shape(attributes)
    result = {}
    for pl in ("", "_pl"):
        q_h = result["q_h" + pl] = a["q_h" + pl].copy()
        if pl and not s.have_pl:
            continue
        for region in range(q_h.shape[0]):
            q, d, (ck1, ck2) = a["q" + pl][region], a["d" + pl][region], a["ck" + pl][:, region]
            bounds = {}
            for k in range(s.kmin, s.kmax + 1):
                fl, fu = 0.5 - np.copysign(0.5, ck1[k]), 0.5 + np.copysign(0.5, ck1[k + 1])
                ql, qu = least(q[k], q[k - 1]) + (1 - fl) * BIG, least(q[k], q[k + 1]) + (1 - fu) * BIG
                xl, xu = greatest(q[k], q[k - 1]) + (1 - fl) * -BIG, greatest(q[k], q[k + 1]) + (1 - fu) * -BIG
                lo, hi = least(ql, qu, q[k]), greatest(xl, xu, q[k])
                c_in, c_out = fl * ck1[k] + fu * ck2[k], (1 - fl) * ck1[k] + (1 - fu) * ck2[k]
                if pl:
                    pmin = fl * (ck1[k] * ql) + fu * (ck2[k] * qu)
                    pmax = fl * (ck1[k] * xl) + fu * (ck2[k] * xu)
                else:
                    pmin, pmax = fl * ck1[k] * ql + fu * ck2[k] * qu, fl * ck1[k] * xl + fu * ck2[k] * xu
                z = is_zero(c_out)
                low = ((q[k] - hi) + hi * (c_in + c_out - d[k]) - pmax) / (c_out + z) * (1 - z) + q[k] * z
                high = ((q[k] - lo) + lo * (c_in + c_out - d[k]) - pmin) / (c_out + z) * (1 - z) + q[k] * z
                bounds[k] = low, high
                if k > s.kmin:
                    below = bounds[k - 1]
                    q_h[region, k] = fl * greatest(least(q_h[region, k], below[1]), below[0]) + (1 - fl) * greatest(
                        least(q_h[region, k], high), low
                    )
    return result


def vi_rhow_solver(a, attributes):
    s, c = Shape(attributes), constants(attributes)
    dt, alpha = c["dt"], c["alpha"]
    factors = vertical_factors(a, s)
    rdgzh, afact, bfact = (factors["GRD_" + name] for name in ("rdgzh", "afact", "bfact"))
    scale = CVDRY / RDRY / (dt * dt)
    result = {}
    for pl in ("", "_pl"):
        w = result["rhogw" + pl] = a["rhogw" + pl].copy()
        if pl and not s.have_pl:
            continue
        x = {name.removesuffix("_pl"): values for name, values in a.items() if name.endswith("_pl") == bool(pl)}
        pre = (x["preg0"] + dt * x["Spre"]) * x["VMTR_RGSGAM2"]
        rho = (x["rhog0"] + dt * x["Srho"]) * (x["VMTR_RGAM"] * x["VMTR_RGAM"])
        bottom, top = s.kmin, s.kmax + 1
        rhs, gamma = {}, {}
        for k in range(bottom + 1, top):
            gamma_squared = x["VMTR_RGAMH"][:, k] * x["VMTR_RGAMH"][:, k]
            momentum = (x["rhogw0"][:, k] * alpha + dt * x["Sw"][:, k]) * gamma_squared
            pressure = (pre[:, k] - pre[:, k - 1]) * dt * rdgzh[k]
            buoyancy = (rho[:, k] * afact[k] + rho[:, k - 1] * bfact[k]) * dt * GRAVITY
            rhs[k] = (momentum - pressure - buoyancy) * scale
        w[:, bottom] *= x["VMTR_RGSGAM2H"][:, bottom]
        w[:, top] *= x["VMTR_RGSGAM2H"][:, top]
        rhs[bottom + 1] = rhs[bottom + 1] - x["Ml"][:, bottom + 1] * w[:, bottom]
        rhs[top - 1] = rhs[top - 1] - x["Mu"][:, top - 1] * w[:, top]
        beta = x["Mc"][:, bottom + 1]
        w[:, bottom + 1] = rhs[bottom + 1] / beta
        for k in range(bottom + 2, top):
            gamma[k] = x["Mu"][:, k - 1] / beta
            beta = x["Mc"][:, k] - x["Ml"][:, k] * gamma[k]
            w[:, k] = (rhs[k] - x["Ml"][:, k] * w[:, k - 1]) / beta
        for k in range(top - 2, bottom, -1):
            w[:, k] -= gamma[k + 1] * w[:, k + 1]
            w[:, k + 1] *= x["VMTR_GSGAM2H"][:, k + 1]
        for k in (bottom, bottom + 1, top):
            w[:, k] *= x["VMTR_GSGAM2H"][:, k]
    return factors | result
