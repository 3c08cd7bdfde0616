"""The answers to the page: the numbers of the run as server-sent events, the variables of its files, and pictures."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from . import metrics
from .guard import Guard, new_token
from .numbers import Numbers, Run
from .pictures import PictureError, contents, picture
from .pictures import Request as PictureRequest
from .places import Places, Refused
from .reader import Busy, Reader

LOOK_EVERY = 0.5  # seconds, as often as servers write their status
QUIET = 15.0  # seconds after which an event without news shows that the connection lives
SCRIPTS = ("axes", "colours", "curves", "drawing", "page", "pictures", "texts")
PAGE_PARTS = {"page.css": "text/css"} | {f"{name}.js": "text/javascript" for name in SCRIPTS}
MOST_DIMS = 16


@dataclass
class Watched:
    """A run whose files may be drawn."""

    run: Run
    places: Places
    numbers: Numbers | None = None
    trouble: str = ""  # why it cannot be looked at

    def look(self) -> None:
        try:
            self.numbers, self.trouble = self.run.look(), ""
        except Exception as error:  # a status file that is none of ours must not end the page
            self.trouble = f"{self.run.directory} cannot be read: {type(error).__name__}: {error}"

    def page(self) -> dict[str, Any]:
        page = self.numbers.page() if self.numbers else {"state": "nothing yet", "directory": str(self.run.directory)}
        return page | {"trouble": self.trouble, "history": list(self.run.history)}

    def place_of(self, path: str) -> Path:
        """Only of files that the run lists. Raises Refused."""
        if self.numbers is None or path not in {file.path for file in self.numbers.files}:
            raise Refused(f"{path[:200]}: is no file of this run")
        return self.places.find(path)


@dataclass
class Watcher:
    """`runs`: the one that is watched, and one to compare it with, if any."""

    runs: list[Watched]
    token: str = field(default_factory=new_token)
    reader: Reader = field(default_factory=Reader)
    ending: asyncio.Event = field(default_factory=asyncio.Event)
    _version: int = 0
    _pages: list[dict[str, Any]] = field(default_factory=list)
    _news: asyncio.Condition = field(default_factory=asyncio.Condition)

    def app(self) -> Guard:
        routes = [
            Route("/", self.index),
            Route("/events", self.events),
            Route("/api/contents", self.contents),
            Route("/api/picture", self.picture),
            Route("/metrics", self.metrics),
            *(Route(f"/{name}", self.part) for name in PAGE_PARTS),
        ]
        return Guard(Starlette(routes=routes), self.token, {"/", *(f"/{name}" for name in PAGE_PARTS)})

    async def keep_looking(self) -> None:
        """Until `ending`. Two runs are looked at in turn, in a thread: their disk may be slow."""
        shown: list[Any] = []
        while not self.ending.is_set():
            for watched in self.runs:
                await asyncio.to_thread(watched.look)
            pages = [watched.page() for watched in self.runs]
            news = [{key: value for key, value in page.items() if key != "age_seconds"} for page in pages]
            if news != shown:  # that time goes by is no news
                shown, self._pages = news, pages
                await self._tell()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self.ending.wait(), LOOK_EVERY)
        await self._tell()

    async def _tell(self) -> None:
        async with self._news:
            self._version += 1
            self._news.notify_all()

    async def index(self, request: Request) -> Response:
        del request
        return Response(part_of_page("index.html"), media_type="text/html")

    async def part(self, request: Request) -> Response:
        name = request.url.path.lstrip("/")
        return Response(part_of_page(name), media_type=PAGE_PARTS[name])

    async def events(self, request: Request) -> Response:
        del request
        return StreamingResponse(self._events(), media_type="text/event-stream")

    async def _events(self) -> AsyncIterator[str]:
        seen = 0
        while not self.ending.is_set():
            async with self._news:
                if self._version == seen:
                    with contextlib.suppress(TimeoutError):
                        await asyncio.wait_for(self._news.wait(), QUIET)
            if self._version == seen:
                yield ": nothing new\n\n"
                continue
            seen = self._version
            yield f"data: {json.dumps(self._pages)}\n\n"

    async def contents(self, request: Request) -> Response:
        async def answer() -> Response:
            place = self._watched(request).place_of(request.query_params.get("file", ""))
            return JSONResponse(await self.reader.do(contents, place))

        return await _answered(answer)

    async def picture(self, request: Request) -> Response:
        async def answer() -> Response:
            given = request.query_params
            path = given.get("file", "")
            differs = given.get("run") == "difference"
            watched = self.runs[0] if differs else self._watched(request)
            other = self._compared().place_of(path) if differs else None
            asked = PictureRequest(
                watched.place_of(path), given.get("variable", ""), given.get("view", ""), places_of(given), other
            )
            return Response(await self.reader.do(picture, asked), media_type="application/octet-stream")

        return await _answered(answer)

    def _watched(self, request: Request) -> Watched:
        return self._compared() if request.query_params.get("run") == "1" else self.runs[0]

    def _compared(self) -> Watched:
        if len(self.runs) < 2:
            raise Refused("there is no run to compare with; start `tailrace watch` with --compare DIR")
        return self.runs[1]

    async def metrics(self, request: Request) -> Response:
        numbers, snapshot = self.runs[0].numbers, self.runs[0].run.snapshot
        if numbers is None or snapshot is None:
            return Response("tailrace watch: no server has written its status yet\n", status_code=503)
        is_open = "application/openmetrics-text" in request.headers.get("accept", "")
        text = metrics.text_of(metrics.families_of(numbers, snapshot), is_open)
        return Response(
            text.encode("utf-8", "replace"), headers={"content-type": metrics.OPENMETRICS if is_open else metrics.TEXT}
        )


async def _answered(answer) -> Response:
    try:
        return await answer()
    except Refused as error:
        return JSONResponse({"error": str(error)}, status_code=404)
    except PictureError as error:
        return JSONResponse({"error": str(error)}, status_code=409)
    except Busy:
        return JSONResponse({"error": "too many pictures are asked for at the same time"}, status_code=503)
    except Exception as error:  # of the libraries that read: a damaged file meets many of their corners
        return JSONResponse({"error": f"cannot be drawn: {type(error).__name__}: {error}"}, status_code=500)


def places_of(given) -> dict[str, int]:
    """`at=time:3&at=height:0`. Raises PictureError."""
    found = {}
    for text in given.getlist("at")[:MOST_DIMS]:
        dim, _, number = text.rpartition(":")
        try:
            found[dim] = int(number[:20])
        except ValueError:
            raise PictureError(f"{text[:100]!r} is no place along a dim; expected one such as time:3") from None
    return found


def part_of_page(name: str) -> str:
    return resources.files("tailrace.watch").joinpath("page", name).read_text(encoding="utf-8")
