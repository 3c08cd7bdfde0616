"""DYNAMICO's kernels in NumPy, from the formulas of igcm/kernels/README.md, in the order that they are written there.

Each function takes the arrays of an exchange file by name, and its attributes, and returns the arrays that the kernel
writes. Arrays are (level, ij) with ij from 0.
"""

import math

import numpy as np

NAMES = [
    "iim",
    "jjm",
    "llm",
    "ij_begin",
    "ij_end",
    "ij_begin_ext",
    "ij_end_ext",
    "ll_begin",
    "ll_end",
    "t_right",
    "t_rup",
    "t_lup",
    "t_left",
    "t_ldown",
    "t_rdown",
    "u_right",
    "u_rup",
    "u_lup",
    "u_left",
    "u_ldown",
    "u_rdown",
    "z_rup",
    "z_up",
    "z_lup",
    "z_ldown",
    "z_down",
    "z_rdown",
]
RUP, UP, LUP, LDOWN, DOWN, RDOWN = range(6)  # vertices in Riv2
RING = ["right", "rup", "lup", "left", "ldown", "rdown"]
SIGN = dict(right=1.0, rup=-1.0, lup=1.0, left=-1.0, ldown=1.0, rdown=-1.0)
OPPOSITE = dict(right="left", lup="rdown", ldown="rup")


class Indices:
    def __init__(self, attributes):
        values = [int(value) for value in attributes["indices"]]
        self.__dict__.update(zip(NAMES, values, strict=False))
        self.extra = values[len(NAMES) :]
        self.inner = np.arange(self.ij_begin - 1, self.ij_end)
        self.extended = np.arange(self.ij_begin_ext - 1, self.ij_end_ext)

    def t(self, name):
        return getattr(self, "t_" + name)

    def u(self, name):
        return getattr(self, "u_" + name)


def constants(attributes):
    values = np.atleast_1d(attributes["const_values"])
    return dict(zip(attributes["const_names"].split(), (float(value) for value in values), strict=True))


def pvort(a, attributes):
    n, g = Indices(attributes), constants(attributes)["g"]
    rhodz, theta, qu, qv = (a[name].copy() for name in ("rhodz", "theta", "qu", "qv"))
    ps, u, de, av, fv, riv2 = (a[name] for name in ("ps", "u", "de", "Av", "fv", "Riv2"))
    e, i = n.extended, n.inner
    for k in range(n.llm):
        if n.extra[0] == 1:
            m = (a["mass_dak"][k] + ps[e] * a["mass_dbk"][k]) / g
            rhodz[k, e] = m
            positive = m > 0
            theta[k, e] = np.where(positive, a["theta_rhodz"][k, e] / np.where(positive, m, 1.0), 0.0)
        else:
            theta[k, e] = a["theta_rhodz"][k, e] / rhodz[k, e]
        ud, h = u[k] * de, rhodz[k]
        # Orientation enters as a factor of 1 or -1, which is exact wherever it stands.
        circulation = (-ud[e + n.u_rup] + -ud[e + n.t_rup + n.u_left]) - ud[e + n.u_lup]
        thickness = riv2[UP, e] * h[e] + riv2[LDOWN, e + n.t_rup] * h[e + n.t_rup]
        thickness = thickness + riv2[RDOWN, e + n.t_lup] * h[e + n.t_lup]
        v = e + n.z_up
        eta = (1.0 / av[v]) * circulation
        qv[k, v] = np.where(thickness > 0, (eta + fv[v]) / thickness, 0.0)
        circulation = (ud[e + n.u_ldown] + ud[e + n.t_ldown + n.u_right]) + ud[e + n.u_rdown]
        thickness = riv2[DOWN, e] * h[e] + riv2[RUP, e + n.t_ldown] * h[e + n.t_ldown]
        thickness = thickness + riv2[LUP, e + n.t_rdown] * h[e + n.t_rdown]
        v = e + n.z_down
        eta = (1.0 / av[v]) * circulation
        qv[k, v] = np.where(thickness > 0, (eta + fv[v]) / thickness, 0.0)
        qu[k, i + n.u_right] = 0.5 * (qv[k, i + n.z_rdown] + qv[k, i + n.z_rup])
        qu[k, i + n.u_lup] = 0.5 * (qv[k, i + n.z_up] + qv[k, i + n.z_lup])
        qu[k, i + n.u_ldown] = 0.5 * (qv[k, i + n.z_ldown] + qv[k, i + n.z_down])
    return dict(rhodz=rhodz, theta=theta, qu=qu, qv=qv)


def power(base, exponent):
    """The C library's pow, one number after the other: NumPy's own may differ in the last bit."""

    def one(x):
        try:
            return math.pow(x, exponent)
        except (ValueError, OverflowError):
            return math.nan if x < 0 else math.inf

    return np.array([one(float(x)) for x in base])


def geopot(a, attributes):
    n, c = Indices(attributes), constants(attributes)
    eta, boussinesq = n.extra
    ps, pk, phi = (a[name].copy() for name in ("ps", "pk", "geopot"))
    rhodz, theta, e = a["rhodz"], a["theta"], n.extended
    g, half = c["g"], 0.5 * c["g"]

    def rise(k, p, x):
        return phi[k, e] + (g * c["kappa"]) * rhodz[k, e] * theta[k, e] * x / p

    if eta == 1:
        for k in range(n.llm):
            p = c["ptop"] + a["mass_ak"][k] + a["mass_bk"][k] * ps[e]
            x = c["cpp"] * power(p / c["preff"], c["kappa"])
            pk[k, e] = x
            phi[k + 1, e] = np.where(p > 1e-30, rise(k, p, x), phi[k + 1, e])
    elif boussinesq:
        for k in range(n.llm):
            phi[k + 1, e] = phi[k, e] + g * rhodz[k, e]
    else:
        p = np.empty((n.llm, e.size))
        p[-1] = c["ptop"] + half * rhodz[n.llm - 1, e]
        for k in range(n.llm - 2, -1, -1):
            p[k] = p[k + 1] + half * (rhodz[k, e] + rhodz[k + 1, e])
        ps[e] = p[0] + half * rhodz[0, e]
        for k in range(n.llm):
            x = c["cpp"] * power(p[k] / c["preff"], c["kappa"])
            phi[k + 1, e] = rise(k, p[k], x)
            pk[k, e] = x
    return dict(ps=ps, pk=pk, geopot=phi)


def after(direction):
    """The five directions that follow counter-clockwise."""
    at = RING.index(direction)
    return [RING[(at + m) % 6] for m in range(1, 6)]


def caldyn_horiz(a, attributes):
    n, c = Indices(attributes), constants(attributes)
    conserv, boussinesq = n.extra
    pk, hflux, convm, dtheta, du = (a[name].copy() for name in ("pk", "hflux", "convm", "dtheta_rhodz", "du"))
    u, rhodz, qu, theta, phi = (a[name] for name in ("u", "rhodz", "qu", "theta", "geopot"))
    le, de, ai, wee, e, i = a["le"], a["de"], a["Ai"], a["Wee"], n.extended, n.inner
    half = 0.5 * c["g"]
    if boussinesq:
        pressure = np.empty((n.llm, e.size))
        top = n.llm - 1
        pressure[top] = c["ptop"] + half * theta[top, e] * rhodz[top, e]
        for k in range(top - 1, -1, -1):
            weight = theta[k, e] * rhodz[k, e] + theta[k + 1, e] * rhodz[k + 1, e]
            pressure[k] = pressure[k + 1] + half * weight
    for k in range(n.llm):
        heat = np.zeros_like(hflux[k])
        for d in ("right", "lup", "ldown"):
            edge, other = e + n.u(d), e + n.t(d)
            hflux[k, edge] = 0.5 * (rhodz[k, e] + rhodz[k, other]) * u[k, edge] * le[edge]
            heat[edge] = 0.5 * (theta[k, e] + theta[k, other]) * hflux[k, edge]
        for field, flux in ((convm, hflux[k]), (dtheta, heat)):
            total = SIGN["right"] * flux[i + n.u_right]
            for d in RING[1:]:
                total = total + SIGN[d] * flux[i + n.u(d)]
            field[k, i] = -((1.0 / ai[i]) * total)
        for d in ("right", "lup", "ldown"):
            edge = i + n.u(d)
            partners = [i + n.u(m) for m in after(d)] + [i + n.t(d) + n.u(m) for m in after(OPPOSITE[d])]
            total = None
            for m, partner in enumerate(partners):
                term = wee[m // 5, m % 5, edge] * hflux[k, partner]
                if conserv == 1:
                    term = term * (qu[k, edge] + qu[k, partner])
                total = term if total is None else total + term
            new = (0.5 * total if conserv == 1 else qu[k, edge] * total) / de[edge]
            du[k, edge] = new if d == "right" else np.where(de[edge] > 1, new, du[k, edge])
        bernoulli = np.zeros(n.iim * n.jjm)
        potential = 0.5 * (phi[k, e] + phi[k + 1, e])
        bernoulli[e] = pressure[k] if boussinesq else potential
        if boussinesq:
            pk[k, e] = potential
        total = None
        for d in RING:
            edge = i + n.u(d)
            term = le[edge] * de[edge] * (u[k, edge] * u[k, edge])
            total = term if total is None else total + term
        with_kinetic = bernoulli[i] + 1.0 / (4 * ai[i]) * total
        bernoulli[i] = np.where(ai[i] > 1e-30, with_kinetic, bernoulli[i])
        for d in ("right", "lup", "ldown"):
            edge, other = i + n.u(d), i + n.t(d)
            sign = SIGN[d]
            term = 0.5 * (theta[k, i] + theta[k, other]) * (sign * pk[k, i] + -sign * pk[k, other])
            term = term + sign * bernoulli[i] + -sign * bernoulli[other]
            du[k, edge] = np.where(de[edge] > 1, du[k, edge] + (1.0 / de[edge]) * term, du[k, edge])
    return dict(pk=pk, hflux=hflux, convm=convm, dtheta_rhodz=dtheta, du=du)


def caldyn_vert(a, attributes):
    n, g = Indices(attributes), constants(attributes)["g"]
    names = ("convm", "wflux", "wwuu", "dps", "dtheta_rhodz", "du")
    convm, wflux, wwuu, dps, dtheta, du = (a[name].copy() for name in names)
    u, theta, rhodz, bp, i = a["u"], a["theta"], a["rhodz"], a["bp"], n.inner
    part = np.arange(n.extra[0] - 1, n.extra[1])
    for k in range(n.llm - 2, -1, -1):
        convm[k, part] = convm[k, part] + convm[k + 1, part]
    dps[i] = convm[0, i] * g
    for k in range(1, n.llm):
        wflux[k, i] = bp[k] * convm[0, i] - convm[k, i]
    for k in range(n.llm - 1):
        dtheta[k, i] = dtheta[k, i] - 0.5 * (wflux[k + 1, i] * (theta[k, i] + theta[k + 1, i]))
    for k in range(1, n.llm):
        dtheta[k, i] = dtheta[k, i] + 0.5 * (wflux[k, i] * (theta[k - 1, i] + theta[k, i]))
    for d in ("right", "lup", "ldown"):
        edge, other = i + n.u(d), i + n.t(d)
        for k in range(1, n.llm):
            wwuu[k, edge] = 0.5 * (wflux[k, i] + wflux[k, other]) * (u[k, edge] - u[k - 1, edge])
        for k in range(n.llm):
            du[k, edge] = du[k, edge] - (wwuu[k + 1, edge] + wwuu[k, edge]) / (rhodz[k, i] + rhodz[k, other])
    return dict(convm=convm, wflux=wflux, wwuu=wwuu, dps=dps, dtheta_rhodz=dtheta, du=du)
