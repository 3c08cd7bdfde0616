"""The way of a field: model rank, ring, server, file."""

from drawing import Drawing


def draw() -> str:
    d = Drawing(960, 372, "The way of a field from a model rank through its ring and a server into a file")
    d.text(150, 36, "model ranks", "big mid")
    d.text(386, 36, "shared memory", "big mid")
    d.text(386, 56, "a bounded ring for each rank", "small soft mid")
    d.text(622, 36, "servers", "big mid")
    d.text(862, 36, "files", "big mid")
    for number in range(3):
        rank(d, 58 + 84 * number, number)
    server(d)
    files(d)
    d.path("M24 322H472", "model-line")
    d.text(248, 346, "the model's time: one copy a put, then it computes on", "small mid")
    d.path("M500 322H936", "server-line")
    d.text(718, 346, "the server's time, while the model computes on", "small mid")
    return d.svg()


def rank(d: Drawing, y: float, number: int) -> None:
    """A rank with its block of the field, the copy, and its ring of steps."""
    d.box(24, y, 252, 66, "model")
    d.text(40, y + 27, f"rank {number}", "bold")
    d.text(40, y + 49, "w(z, y, x)", "code soft")
    for column in range(4):
        for row in range(3):
            d.box(160 + 14 * column, y + 12 + 14 * row, 12, 12, "block", 2)
    d.text(236, y + 38, "put", "code mid")
    d.arrow(276, y + 33, 312, y + 33, "model-line")
    for slot in range(6):
        d.box(316 + 24 * slot, y + 17, 21, 32, "model" if 1 <= slot - number % 2 <= 3 else "plain", 3)
    d.arrow(464, y + 33, 508, 175 + 12 * (number - 1), "server-line")


def server(d: Drawing) -> None:
    steps = (
        ("intake", "one step after the other"),
        ("diagnostics", "expressions over whole fields"),
        ("time", "means, extremes, snapshots"),
        ("assembly", "pieces meet where a chunk is"),
        ("codec", "chunks are made small"),
    )
    d.box(512, 54, 222, 250, "server", 8)
    for number, (name, what) in enumerate(steps):
        y = 64 + 47 * number
        d.box(524, y, 198, 40, "paper")
        d.text(536, y + 17, name, "bold")
        d.text(536, y + 33, what, "small soft")


def files(d: Drawing) -> None:
    for number, (name, what) in enumerate((("snapshots.nc", "every 10 min"), ("means.nc", "over each hour"))):
        y = 78 + 112 * number
        d.sheet(798, y, 132, 90)
        d.text(812, y + 32, name, "code")
        d.text(812, y + 53, what, "small soft")
        d.text(812, y + 73, "NetCDF-4, CF", "small soft")
        d.arrow(736, 123 + 112 * number, 794, 123 + 112 * number, "server-line")
    d.text(765, 113, "commit", "small mid")
    d.text(765, 225, "commit", "small mid")
