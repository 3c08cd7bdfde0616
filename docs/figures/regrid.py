"""One field on the boxes of a model and on the cells of HEALPix, seen from above the Atlantic."""

import math

from drawing import Drawing

LAT, LON, RADIUS = 32.0, 15.0, 168.0  # the middle of the view, degrees; pixels
STEP, LEVEL, SHADES = 10, 3, 10
FACE_ROWS, FACE_PLACES = (2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4), (1, 3, 5, 7, 0, 2, 4, 6, 1, 3, 5, 7)
Point = tuple[float, float]  # degrees


def field(lat: float, lon: float) -> float:
    """From 0 to 1: two waves around a pole that is not that of the grid."""
    a, b = math.radians(lat), math.radians(lon)
    x, y, z = math.cos(a) * math.cos(b), math.cos(a) * math.sin(b), math.sin(a)
    return 0.5 + 0.5 * math.sin(3.1 * x + 2.0 * z) * math.cos(2.6 * y - 1.3 * z)


def boxes() -> list[list[Point]]:
    """Their corners, with points between them where an edge is curved."""
    cells = []
    for south in range(-90, 90, STEP):
        for west in range(0, 360, STEP):
            halfway, east, north = west + STEP / 2, west + STEP, south + STEP
            cells.append(
                [(south, west), (south, halfway), (south, east), (north, east), (north, halfway), (north, west)]
            )
    return cells


def healpix() -> list[list[Point]]:
    """The cells of a level, with a point in the middle of each edge (Gorski et al. 2005, section 5)."""
    side = 1 << LEVEL
    around = ((0, 0), (0.5, 0), (1, 0), (1, 0.5), (1, 1), (0.5, 1), (0, 1), (0, 0.5))
    return [
        [place(face, (x + dx) / side, (y + dy) / side) for dx, dy in around]
        for face in range(12)
        for x in range(side)
        for y in range(side)
    ]


def place(face: int, x: float, y: float) -> Point:
    """A point in a rhombus: x is to the north-east and y to the north-west, both from 0 to 1."""
    ring = FACE_ROWS[face] - x - y  # from 0 at the North Pole to 4
    from_pole = min(ring, 4 - ring)
    if from_pole >= 1:
        return math.degrees(math.asin((4 - 2 * ring) / 3)), 45 * (FACE_PLACES[face] + x - y)
    lat = math.copysign(90 - 2 * math.degrees(math.asin(from_pole / math.sqrt(6))), 2 - ring)
    middle = 45 * FACE_PLACES[face]
    return lat, middle + (45 * (x - y) / from_pole if from_pole > 1e-9 else 0)


def seen(point: Point) -> tuple[float, float, float]:
    """To the right, down, and towards the reader; on a sphere of radius 1."""
    lat, lon, tilt = math.radians(point[0]), math.radians(point[1] - LON), math.radians(LAT)
    x, y, z = math.cos(lat) * math.cos(lon), math.cos(lat) * math.sin(lon), math.sin(lat)
    return y, x * math.sin(tilt) - z * math.cos(tilt), x * math.cos(tilt) + z * math.sin(tilt)


def globe(d: Drawing, left: float, top: float, cells: list[list[Point]]) -> None:
    """Cells of one shade are one path."""
    shades: dict[int, list[str]] = {}
    for cell in cells:
        points = [seen(point) for point in cell]
        if min(point[2] for point in points) < 0.02:
            continue
        middle = [sum(numbers) / len(cell) for numbers in zip(*(xyz(point) for point in cell), strict=True)]
        lat = math.degrees(math.atan2(middle[2], math.hypot(middle[0], middle[1])))
        value = field(lat, math.degrees(math.atan2(middle[1], middle[0])))
        outline = " ".join(f"{left + RADIUS * x:.1f} {top + RADIUS * y:.1f}" for x, y, _ in points)
        shades.setdefault(round(value * SHADES), []).append(f"M{outline}z")
    for shade, outlines in sorted(shades.items()):
        look = f'fill="var(--model-line)" fill-opacity="{shade / SHADES:g}" stroke="var(--edge)" stroke-width="0.7"'
        d.lines.append(f'<path {look} d="{"".join(outlines)}"/>')


def xyz(point: Point) -> Point:
    lat, lon = math.radians(point[0]), math.radians(point[1])
    return math.cos(lat) * math.cos(lon), math.cos(lat) * math.sin(lon), math.sin(lat)


def draw() -> str:
    d = Drawing(880, 440, "A field on the latitudes and longitudes of a model, and on the cells of HEALPix")
    globe(d, 216, 208, boxes())
    globe(d, 664, 208, healpix())
    d.arrow(402, 208, 478, 208, "server-line")
    d.text(440, 196, "rows of\nweights", "mid small")
    d.text(216, 408, f"the model: boxes of {STEP} degrees", "mid")
    d.text(664, 408, f"healpix: {{level: {LEVEL}}}", "mid code")
    return d.svg()
