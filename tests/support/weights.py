"""Grids and functions for the tests of weights, made without the package that they test."""

import importlib.util
import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

needs_yac = pytest.mark.skipif(importlib.util.find_spec("yac") is None, reason="needs the Python package yac")
needs_cdo = pytest.mark.skipif(shutil.which("cdo") is None, reason="needs cdo")


def xyz_of(lat, lon):
    lat, lon = np.radians(lat), np.radians(lon)
    return np.stack((np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)), axis=-1)


def lat_lon_of(points):
    x, y, z = np.moveaxis(points / np.linalg.norm(points, axis=-1, keepdims=True), -1, 0)
    return np.degrees(np.arctan2(z, np.hypot(x, y))), np.degrees(np.arctan2(y, x)) % 360


def icosahedron(times):
    """Triangles of an icosahedron, each divided into four `times` times: nodes (n, 3) and faces (m, 3) of nodes. It is
    turned, so that neither a node nor an edge lies at a special place."""
    golden = (1 + 5**0.5) / 2
    nodes = [
        np.roll([0.0, first, second * golden], shift) for shift in range(3) for first in (1, -1) for second in (1, -1)
    ]
    nodes = np.array(nodes) / np.hypot(1, golden)
    edge = min(np.linalg.norm(nodes[0] - other) for other in nodes[1:]) * 1.01
    near = np.linalg.norm(nodes[:, None] - nodes[None], axis=-1) < edge
    faces = [
        (i, j, k) for i in range(12) for j in range(i) for k in range(j) if near[i, j] and near[j, k] and near[i, k]
    ]
    for _ in range(times):
        nodes, faces = _divided(nodes, faces)
    faces = np.array(faces)
    a, b, c = (nodes[faces[:, i]] for i in range(3))
    clockwise = np.sum(a * np.cross(b, c), axis=1) < 0
    faces[clockwise] = faces[clockwise][:, ::-1]
    turn = np.linalg.qr(np.random.default_rng(5).normal(size=(3, 3)))[0]
    return nodes @ (turn * np.sign(np.linalg.det(turn))), faces


def _divided(nodes, faces):
    nodes, between, made = list(nodes), {}, []

    def middle(i, j):
        key = (min(i, j), max(i, j))
        if key not in between:
            point = nodes[i] + nodes[j]
            between[key] = len(nodes)
            nodes.append(point / np.linalg.norm(point))
        return between[key]

    for i, j, k in faces:
        ij, jk, ki = middle(i, j), middle(j, k), middle(k, i)
        made += [(i, ij, ki), (ij, j, jk), (ki, jk, k), (ij, jk, ki)]
    return np.array(nodes), made


def rotated_lat_lon(rows, columns, tilt=40.0):
    """A global lat-lon grid whose poles are elsewhere: centres (lat, lon) and corners (lat, lon) of (rows * columns, 4)
    cells. Its cells at its own poles are triangles, two of their corners being one."""
    lat_edges, lon_edges = np.linspace(-90, 90, rows + 1), np.linspace(0, 360, columns + 1)
    south, west = np.meshgrid(lat_edges[:-1], lon_edges[:-1], indexing="ij")
    north, east = np.meshgrid(lat_edges[1:], lon_edges[1:], indexing="ij")
    corner_lat = np.stack((south, south, north, north), axis=-1).reshape(-1, 4)
    corner_lon = np.stack((west, east, east, west), axis=-1).reshape(-1, 4)
    centre_lat, centre_lon = ((south + north) / 2).ravel(), ((west + east) / 2).ravel()
    angle = np.radians(tilt)
    turn = np.array([[np.cos(angle), 0, np.sin(angle)], [0, 1, 0], [-np.sin(angle), 0, np.cos(angle)]])
    return lat_lon_of(xyz_of(centre_lat, centre_lon) @ turn), lat_lon_of(xyz_of(corner_lat, corner_lon) @ turn)


def tripolar(rows, columns, cap_rows, edge=60.0):
    """Boxes up to the latitude `edge`, and a cap whose rows are ellipses that end in a seam over the pole: its first
    half lies on its second half, and its ends, at `edge`, are the two northern poles. As rotated_lat_lon gives it."""
    lon = np.linspace(0, 360, columns + 1)
    lat = np.linspace(-90, edge, rows + 1)
    radius = np.tan(np.radians(90 - edge) / 2)  # of the cap, seen from the South Pole on a plane
    corner = [np.stack(np.broadcast_arrays(each, lon), axis=-1) for each in lat]
    for share in np.linspace(0, 1, cap_rows + 1)[1:]:
        x, y = radius * np.cos(np.radians(lon)), radius * (1 - share) * np.sin(np.radians(lon))
        corner.append(
            np.stack((90 - 2 * np.degrees(np.arctan(np.hypot(x, y))), np.degrees(np.arctan2(y, x)) % 360), axis=-1)
        )
    points = xyz_of(*np.moveaxis(np.array(corner), -1, 0))
    of_cells = np.stack((points[:-1, :-1], points[:-1, 1:], points[1:, 1:], points[1:, :-1]), axis=2).reshape(-1, 4, 3)
    return lat_lon_of(of_cells.sum(axis=1)), lat_lon_of(of_cells)


def harmonic(lat, lon):
    """A spherical harmonic of degree 4 and order 3, and one of degree 2 and order 1, on 1."""
    x, y, z = np.moveaxis(xyz_of(lat, lon), -1, 0)
    return 1.0 + z * (x**3 - 3 * x * y**2) + 0.5 * x * z


def run_maker(folder: Path, in_process=False, **request):
    """The text of the error of a request; "" for success. In a process, it must print nothing."""
    request = {"error": str(folder / "error.txt"), "digest": "0123", "weights": None, **request}
    (folder / "request.json").write_text(json.dumps(request))
    (folder / "error.txt").unlink(missing_ok=True)
    arguments = [str(folder / "request.json")]
    if in_process:
        command = [sys.executable, "-P", "-m", "tailrace.weights.maker", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        assert (done.stdout, done.stderr) == ("", "")
        status = done.returncode
    else:
        from tailrace.weights.maker import main

        status = main(arguments)
    text = (folder / "error.txt").read_text() if (folder / "error.txt").exists() else ""
    assert status == (1 if text else 0)
    return text
