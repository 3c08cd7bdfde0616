"""The head of the page that `tailrace report` makes, as a browser shows it: the page itself, in a frame of SVG."""

import re
from pathlib import Path

from tailrace.report import html, load

WIDTH, HEIGHT = 960, 850


def draw(directory: Path) -> str:
    page = html.page(load(directory))
    css = re.search(r"<style>(.*?)</style>", page, re.DOTALL).group(1)
    css = css.replace("body {", ".page {").replace("\nsvg {", "\nsvg svg {")
    body = re.search(r"<body>(.*?)</body>", page, re.DOTALL).group(1)
    shown = body[: body.index("</figure>")] + "</figure>"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-labelledby="t">\n'
        f'<title id="t">The head of a report page</title>\n<style>{css}</style>\n'
        f'<rect x="0.5" y="0.5" width="{WIDTH - 1}" height="{HEIGHT - 1}" rx="10" '
        'style="fill:var(--paper);stroke:var(--faint)"/>\n'
        f'<foreignObject x="0" y="0" width="{WIDTH}" height="{HEIGHT}">'
        f'<div xmlns="http://www.w3.org/1999/xhtml" class="page" style="background:none">{shown}</div>'
        "</foreignObject>\n</svg>\n"
    )
