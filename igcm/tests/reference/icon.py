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


def results(a, attributes, dtype):
    """All results of an exchange file. dtype: float32 or float64, that of the kernels."""
    one = {name: np.asarray(values, dtype) for name, values in a.items() if name.startswith("gv_")}
    temp, grad, old_dvg = one["gv_temp"], one["gv_grad"], one["gv_dvg"]
    neighbor, cedge, ecell = a["neighbor"], a["cedge"], a["ecell"]
    cells, levels = neighbor.shape[1], temp.shape[0]
    sphere = "lap_weights" in a
    if sphere:
        weight, edge_weight = a["div_weights"].astype(dtype), a["grad_weights"].astype(dtype)
        thickness = a["layer_thickness"].astype(dtype)
    else:
        slot = np.arange(cells) % int(attributes["blk"])
        weight = a["edge_weights_by_slot"].astype(dtype)[:, slot]
        edge_weight, thickness = np.ones(ecell.shape[1], dtype), np.ones(levels, dtype)

    def divergence(g):
        total = np.zeros((levels, cells), dtype)
        for n in range(3):
            total = total + weight[n] * g[:, cedge[n]]
        return total

    def gradient(t):
        return (t[:, ecell[0]] - t[:, ecell[1]]) * edge_weight

    out = dict(grad__gv_grad=gradient(temp), dvg__gv_dvg=divergence(grad), grad_dvg__gv_dvg=divergence(gradient(temp)))
    if sphere:
        lap = a["lap_weights"].astype(dtype)
        terms = [lap[n] * (temp[:, neighbor[n]] - temp) for n in range(3)]
        out["lap__gv_temp"] = terms[0] + terms[1] + terms[2]
    else:
        total = temp[:, neighbor[0]] + temp[:, neighbor[1]] + temp[:, neighbor[2]]
        out["lap__gv_temp"] = (total.astype(np.float64) / 3.0).astype(dtype)
    for name, factor in (("step__gv_temp", 0.1), ("O1Normal3D__gv_temp", 0.05)):
        out[name] = (temp.astype(np.float64) + factor * old_dvg.astype(np.float64)).astype(dtype)
    vi = one["gv_vi"].copy()
    for k in range(levels):
        vi = vi + temp[k] * thickness[k]
    out["O2VertIntegration__gv_vi"] = vi
    p = one["gv_ind2Dparam"]
    out["O3Indirect2D__gv_ind2Dvar"] = (p[ecell[0]] * temp[:, ecell[0]] - p[ecell[1]] * temp[:, ecell[1]]) * edge_weight
    v = one["gv_o8param0"] * grad[:, cedge[0]] + one["gv_o8param1"] * grad[:, cedge[1]]
    v = v + one["gv_o8param2"] * grad[:, cedge[2]]
    q, var = one["gv_o8par2"], one["gv_o8var"].copy()
    for k in range(1, levels - 1):
        var[k] = q[k] * v[k] + (dtype(1) - q[k]) * v[k - 1]
    wide = v.astype(np.float64)
    var[-1] = (0.4 * wide[-1] + 0.3 * wide[-2] + 0.3 * wide[-3]).astype(dtype)
    out["O8ind__gv_o8var"] = var
    return out
