"""Where servers run: dedicated, attached, inline; two nodes with eight cores each."""

from drawing import Drawing

CORE, GAP = 40, 8
PANEL = 300  # width of one of the three
NODE_TOPS = (84, 224)


def draw() -> str:
    d = Drawing(960, 424, "Servers on ranks of their own, as threads in the model's ranks, or in the model's calls")
    panels = (
        ("dedicated", "mode: dedicated, per_node: 1", "ranks of their own, one or more a node", dedicated),
        ("attached", "mode: attached", "a thread in each model rank", attached),
        ("inline", "mode: inline", "inside the model's own calls, to debug", inline),
    )
    for number, (name, words, what, core) in enumerate(panels):
        x = 24 + (PANEL + 12) * number
        d.text(x + 4, 36, name, "big")
        d.text(x + 4, 56, what, "small soft")
        for node, y in enumerate(NODE_TOPS):
            draw_node(d, x, y, core)
            d.text(x + 222, y + 62, f"node {node + 1}", "small soft")
        d.text(x + 4, 366, words, "code small")
    legend(d)
    return d.svg()


def draw_node(d: Drawing, x: float, y: float, core) -> None:
    d.box(x, y, PANEL - 12, 120, "plain", 8)
    for number in range(8):
        core(d, x + 14 + (CORE + GAP) * (number % 4), y + 16 + (CORE + GAP) * (number // 4), number)


def dedicated(d: Drawing, x: float, y: float, number: int) -> None:
    d.box(x, y, CORE, CORE, "server" if number == 7 else "model", 5)
    d.text(x + CORE / 2, y + 26, "S" if number == 7 else "M", "mid bold")


def attached(d: Drawing, x: float, y: float, number: int) -> None:
    d.box(x, y, CORE, CORE, "model", 5)
    d.text(x + 15, y + 23, "M", "mid bold")
    d.box(x + 23, y + 23, 20, 20, "server", 4)
    d.text(x + 33, y + 38, "S", "mid small bold")


def inline(d: Drawing, x: float, y: float, number: int) -> None:
    """The calls are slices of the model's time."""
    d.box(x, y, CORE, CORE, "model", 5)
    for part in range(2):
        d.box(x + 1, y + 9 + 16 * part, CORE - 2, 6, "server", 1)


def legend(d: Drawing) -> None:
    d.box(28, 386, 18, 18, "model", 4)
    d.text(54, 400, "model", "small")
    d.box(112, 386, 18, 18, "server", 4)
    d.text(138, 400, "server", "small")
    d.text(936, 400, "The files are the same, bit for bit.", "small soft end")
