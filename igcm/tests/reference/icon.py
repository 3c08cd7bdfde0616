"""ICON's kernels in NumPy, from the formulas of igcm/kernels/README.md. Fields are (height, cell) or (height, edge)."""

import numpy as np


def sheet(side):
    """Connectivity of the periodic sheet of side x side triangles, from its definition cell by cell."""

    def number(x, y):
        x, y, d, s = x % side, y % side, 0, side // 2
        while s > 0:
            rx, ry = int(x & s > 0), int(y & s > 0)
            d += s * s * ((3 * rx) ^ ry)
            if ry == 0:
                if rx == 1:
                    x, y = side - 1 - x, side - 1 - y
                x, y = y, x
            s //= 2
        return d

    cells = side * side
    table = np.array([[number(i, j) for j in range(side)] for i in range(side)])
    neighbor, cedge = np.empty((3, cells), int), np.empty((3, cells), int)
    ecell = np.empty((2, 3 * cells // 2), int)
    for i in range(side):
        for j in range(side):
            c = table[i, j]
            neighbor[:, c] = (
                table[(i + 1) % side, j],
                table[i - 1, j],
                table[i, (j + (-1 if (i + j) % 2 == 0 else 1)) % side],
            )
    for c in range(cells):
        even = c if c % 2 == 0 else neighbor[2, c]
        cedge[:, c] = 3 * c // 2, 3 * neighbor[1, c] // 2, 3 * even // 2 + 2
        ecell[:, 3 * c // 2] = neighbor[0, c], c
        ecell[:, 3 * even // 2 + 2] = even, neighbor[2, even]
    return dict(map_ij_to_cell=table, neighbor=neighbor, cedge=cedge, ecell=ecell)


class Kernels:
    """The results of an exchange file by name, computed when they are asked for. dtype: that of the kernels."""

    def __init__(self, a, attributes, dtype):
        self.dtype, self.a = dtype, a
        self.fields = {name: np.asarray(values, dtype) for name, values in a.items() if name.startswith("gv_")}
        self.neighbor, self.cedge, self.ecell = a["neighbor"], a["cedge"], a["ecell"]
        cells = self.neighbor.shape[1]
        self.sphere = "lap_weights" in a
        if self.sphere:
            self.weight, self.edge_weight = a["div_weights"].astype(dtype), a["grad_weights"].astype(dtype)
        else:
            slot = np.arange(cells) % int(attributes["blk"])
            self.weight = a["edge_weights_by_slot"].astype(dtype)[:, slot]
            self.edge_weight = np.ones(self.ecell.shape[1], dtype)

    def divergence(self, grad):
        total = np.zeros((grad.shape[0], self.neighbor.shape[1]), self.dtype)
        for n in range(3):
            total = total + self.weight[n] * grad[:, self.cedge[n]]
        return total

    def gradient(self, t):
        return (t[:, self.ecell[0]] - t[:, self.ecell[1]]) * self.edge_weight

    def laplacian(self, t):
        beside = [t[:, self.neighbor[n]] for n in range(3)]
        if self.sphere:
            weight = self.a["lap_weights"].astype(self.dtype)
            terms = [weight[n] * (beside[n] - t) for n in range(3)]
            return terms[0] + terms[1] + terms[2]
        total = beside[0] + beside[1] + beside[2]
        return (total.astype(np.float64) / 3.0).astype(self.dtype)

    def add_scaled(self, factor):
        t, dvg = (self.fields[name].astype(np.float64) for name in ("gv_temp", "gv_dvg"))
        return (t + factor * dvg).astype(self.dtype)

    def integral(self, t):
        vi = self.fields["gv_vi"].copy()
        thickness = self.a["layer_thickness"] if self.sphere else np.ones(t.shape[0])
        for k, dz in enumerate(thickness.astype(self.dtype)):
            vi = vi + t[k] * dz
        return vi

    def weighted(self, t):
        p, (first, second) = self.fields["gv_ind2Dparam"], self.ecell
        return (p[first] * t[:, first] - p[second] * t[:, second]) * self.edge_weight

    def mixed(self, grad):
        p = [self.fields[f"gv_o8param{n}"] * grad[:, self.cedge[n]] for n in range(3)]
        v, q, var = p[0] + p[1] + p[2], self.fields["gv_o8par2"], self.fields["gv_o8var"].copy()
        for k in range(1, len(v) - 1):
            var[k] = q[k] * v[k] + (self.dtype(1) - q[k]) * v[k - 1]
        wide = v.astype(np.float64)
        var[-1] = (0.4 * wide[-1] + 0.3 * wide[-2] + 0.3 * wide[-3]).astype(self.dtype)
        return var

    def result(self, name):
        f = self.fields
        return {
            "grad__gv_grad": lambda: self.gradient(f["gv_temp"]),
            "dvg__gv_dvg": lambda: self.divergence(f["gv_grad"]),
            "lap__gv_temp": lambda: self.laplacian(f["gv_temp"]),
            "step__gv_temp": lambda: self.add_scaled(0.1),
            "O1Normal3D__gv_temp": lambda: self.add_scaled(0.05),
            "O2VertIntegration__gv_vi": lambda: self.integral(f["gv_temp"]),
            "O3Indirect2D__gv_ind2Dvar": lambda: self.weighted(f["gv_temp"]),
            "O8ind__gv_o8var": lambda: self.mixed(f["gv_grad"]),
            "grad_dvg__gv_dvg": lambda: self.divergence(self.gradient(f["gv_temp"])),
        }[name]()


RESULTS = [
    *("grad__gv_grad", "dvg__gv_dvg", "lap__gv_temp", "step__gv_temp", "O1Normal3D__gv_temp"),
    *("O2VertIntegration__gv_vi", "O3Indirect2D__gv_ind2Dvar", "O8ind__gv_o8var", "grad_dvg__gv_dvg"),
]


def results(a, attributes, dtype, names=RESULTS):
    kernels = Kernels(a, attributes, dtype)
    return {name: kernels.result(name) for name in names}
