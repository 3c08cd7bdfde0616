"""Looks at every link of a built site: what it leads to on the site must be there, with its anchor; what leads
elsewhere must have the form of an address; and nothing that a page needs may come from elsewhere."""

from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

NEEDED = {("script", "src"), ("img", "src"), ("link", "href"), ("iframe", "src"), ("source", "src")}


class Page(HTMLParser):
    """The anchors and links of one page."""

    def __init__(self, path: Path):
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[tuple[str, bool]] = []  # address, whether the page needs it
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        for name, value in attributes:
            if name in ("id", "name") and value:
                self.anchors.add(value)
            elif name in ("href", "src") and value is not None:
                self.links.append((value, (tag, name) in NEEDED))


def problems(site: Path) -> list[str]:
    """One line for each link that is not as it should be. 404.html is not looked at: it is for a server's root."""
    pages = {path: Page(path) for path in sorted(site.rglob("*.html")) if path.name != "404.html"}
    found = []
    for path, page in pages.items():
        for address, needed in page.links:
            wrong = problem(path, address, needed, pages)
            if wrong:
                found.append(f"{path.relative_to(site)}: {address}: {wrong}")
    return found


def problem(path: Path, address: str, needed: bool, pages: dict[Path, Page]) -> str:
    parts = urlsplit(address)
    if parts.scheme == "data":
        return ""
    if parts.scheme or parts.netloc:
        if needed:
            return "a page must not need what lies elsewhere"
        good = parts.scheme == "mailto" or (
            parts.scheme in ("http", "https") and "." in parts.netloc and " " not in address
        )
        return "" if good else "this is no address"
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if not target.is_file():
        return "is not there"
    if parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].anchors:
        return "the page has no such anchor"
    return ""
