"""Grid handles of the three meshes, from what exchange files of the kernels hold."""

import numpy as np
from stencilc.runtime import Grid

RING = ("right", "rup", "lup", "left", "ldown", "rdown")
CORNERS = ("rup", "up", "lup", "ldown", "down", "rdown")


def triangles(arrays, levels):
    cells, edges = arrays["neighbor"].shape[1], arrays["ecell"].shape[1]
    tables = {"cell.neighbour": arrays["neighbor"], "cell.edge": arrays["cedge"], "edge.cell": arrays["ecell"]}
    return Grid("triangles", levels, {"cell": cells, "edge": edges, "vertex": 0}, tables)


class Rhombus:
    """A patch of DYNAMICO with the tables of its neighbours. Those that leave the patch, which no kernel follows within
    its sets, are bent back into it."""

    def __init__(self, indices):
        w, h, self.levels, begin, end, begin_ext, end_ext = indices[:7]
        n = self.n = w * h
        self.step = dict(zip(RING, (1, w, w - 1, -1, -w, 1 - w), strict=True))
        edge = dict(zip(RING, (0, 2 * n + w, n, -1, 2 * n, n + 1 - w), strict=True))
        vertex = dict(zip(CORNERS, (n + w, 0, n + w - 1, -w, n, 1 - w), strict=True))
        t, u, z, ij = self.step, edge, vertex, np.arange(n)

        def sections(*parts):
            """Rows of offsets for each section."""
            return np.concatenate([[ij + offset for offset in part] for part in parts], axis=1)

        def partners(first, across, other):
            """Five edges after `first` of the own cell, then five after `other` of the cell across."""
            own, theirs = RING.index(first), RING.index(other)
            ring = [u[RING[(own + i) % 6]] for i in range(1, 6)]
            return [*ring, *(t[across] + u[RING[(theirs + i) % 6]] for i in range(1, 6))]

        tables = {
            "cell.neighbour": sections([t[name] for name in RING]),
            "cell.edge": sections([u[name] for name in RING]),
            "cell.vertex": sections([z[name] for name in CORNERS]),
            "edge.cell": sections([0, t["right"]], [0, t["lup"]], [0, t["ldown"]]),
            "edge.vertex": sections([z["rdown"], z["rup"]], [z["up"], z["lup"]], [z["ldown"], z["down"]]),
            "edge.partner": sections(
                partners("right", "right", "left"), partners("lup", "lup", "rdown"), partners("ldown", "ldown", "rup")
            ),
            "vertex.cell": sections([0, t["rup"], t["lup"]], [0, t["ldown"], t["rdown"]]),
            "vertex.edge": sections(
                [u["rup"], t["rup"] + u["left"], u["lup"]], [u["ldown"], t["ldown"] + u["right"], u["rdown"]]
            ),
        }
        lengths = {"cell": n, "edge": 3 * n, "vertex": 2 * n}
        to = {"neighbour": "cell", "partner": "edge"}
        self.tables = {name: rows % lengths[to.get(kind := name.split(".")[1], kind)] for name, rows in tables.items()}
        sets = {}
        for location, count in (("cell", 1), ("edge", 3), ("vertex", 2)):
            for name, first, last in (("interior", begin, end), ("extended", begin_ext, end_ext)):
                sets[f"{location}.{name}"] = [(s * n + first - 1, s * n + last) for s in range(count)]
        if len(indices) > 30:
            sets["cell.share"] = [(indices[27] - 1, indices[28])]
        self.grid = Grid("hexagons", self.levels, lengths, self.tables, sets)

    def metrics(self, arrays):
        """Arrays of an exchange file as the fields of dynamico.gg.f90: signs, and Riv2 by vertex."""
        n = self.n
        result = {name.lower(): values for name, values in arrays.items()}
        result["ne"] = np.repeat([[1.0], [-1], [1], [-1], [1], [-1]], n, axis=1)
        result["turn"] = np.concatenate([np.full((3, n), -1.0), np.full((3, n), 1.0)], axis=1)
        result["unguarded"] = np.repeat([1.0, 0, 0], n)
        if "Wee" in arrays:
            result["wee"] = arrays["Wee"].reshape(10, 3 * n)
        if "Riv2" in arrays:
            corner = {name: arrays["Riv2"][i] for i, name in enumerate(CORNERS)}
            cells = self.tables["vertex.cell"]
            up = [corner[name][cells[i, :n]] for i, name in enumerate(("up", "ldown", "rdown"))]
            down = [corner[name][cells[i, n:]] for i, name in enumerate(("down", "rup", "lup"))]
            result["riv2"] = np.concatenate([up, down], axis=1)
        return result


class Region:
    """A region of NICAM. Triangles TI, then TJ; walls AI, AIJ, AJ. The singular corner is in the tables alone.

    walls: which walls there are: "flux" those beside an own point, "limiter" all of own points and of the halo before.
    """

    def __init__(self, n1, levels, singular, walls="flux"):
        n = self.n = n1 * n1
        first, last = n1 + 1, (n1 - 2) * n1 + n1 - 2  # flat numbers of the first and the last own point
        g = np.arange(n)
        self.corner = first
        across = [1, 1 + n1, n1]  # of the walls
        neighbours = [1 + n1, n1, -1, -1 - n1, -n1, 1]
        before = [0, n, -1, n - 1 - n1, -1 - n1, n - n1]
        after = [n, -1, n - 1 - n1, -1 - n1, n - n1, 0]
        rows = {"cell": (1, 1), "vertex": (0, 0)}

        def ranges(i, j, section=0):
            """Rows of a box that ends with the last own point, and begins in column i and row j."""
            return [(section * n + row * n1 + i, section * n + row * n1 + n1 - 1) for row in range(j, n1 - 1)]

        beside = ranges(0, 1) + ranges(0, 0, 1) + ranges(1, 0, 2)
        sets = {"cell.interior": [(first, last + 1)], "cell.rows": ranges(*rows["cell"])}
        sets["vertex.interior"] = [(s * n + first - 1 - n1, s * n + last + 1) for s in (0, 1)]
        sets["vertex.rows"] = ranges(*rows["vertex"]) + ranges(*rows["vertex"], 1)
        sets["edge.walls"] = beside
        sets["edge.rows"] = ranges(0, 0) + ranges(0, 0, 1) + ranges(0, 0, 2)
        self.side, faces = self.faces(beside if walls == "flux" else sets["edge.rows"], across)
        if singular and walls == "flux":
            self.side[5, first] = 0
        candidates = np.concatenate(
            [[g, g - n1, g + 1, g + 1 + n1], [g, g + 1, g + 1 + n1, g + n1], [g, g + 1 + n1, g + n1, g - 1]], axis=1
        )
        if singular:
            candidates[:, n] = (0, 1 + n1, 2 + n1, n1)
        tables = {
            "cell.neighbour": np.stack([g + step for step in neighbours]) % n,
            "cell.before": self.bent([g + step for step in before], singular),
            "cell.after": self.bent([g + step for step in after], singular),
            "cell.face": faces,
            "vertex.cell": np.concatenate([[g, g + 1, g + 1 + n1], [g, g + 1 + n1, g + n1]], axis=1) % n,
            "edge.cell": np.concatenate([[g, g + step] for step in across], axis=1) % n,
            "edge.vertex": self.bent(
                list(np.concatenate([[n + g - n1, g], [g, n + g], [n + g, g - 1]], axis=1)), singular
            ),
            "edge.candidate": np.minimum(np.maximum(candidates, 0), n - 1),
        }
        self.grid = Grid("regions", levels, {"cell": n, "edge": 3 * n, "vertex": 2 * n}, tables, sets)

    def faces(self, walls, across):
        """Sides and walls of the six faces; a face without a wall leads to the first wall, with a side of 0."""
        side, table = np.zeros((6, self.n)), np.full((6, self.n), walls[0][0])
        for begin, end in walls:
            edge = np.arange(begin, end)
            section, own = edge[0] // self.n, edge % self.n
            table[section, own], side[section, own] = edge, 1
            table[section + 3, own + across[section]], side[section + 3, own + across[section]] = edge, -1
        return side, table

    def bent(self, rows, singular):
        table = np.stack(rows) % (2 * self.n)
        if singular:  # TI of the halo corner is TJ of the point beside it
            table[table == 0] = self.n + 1
        return table


def columns(points, levels):
    """Points without neighbours, such as those of a pole."""
    return Grid("regions", levels, {"cell": points, "edge": 0, "vertex": 0}, {})
