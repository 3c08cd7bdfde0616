"""Commands that look at a run while it goes on: `watch`, `top`."""

from pathlib import Path

import click


class Length(click.ParamType):
    """A length of model time, as seconds."""

    name = "time"

    def convert(self, value, param, ctx):
        from tailrace.watch.numbers import model_seconds

        if isinstance(value, float):
            return value
        try:
            return model_seconds(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


DIRECTORY = click.argument(
    "directory", type=click.Path(exists=True, file_okay=False, path_type=Path), default=".", metavar="[DIR]"
)
UNTIL = click.option(
    "--until",
    type=Length(),
    metavar="TIME",
    help="The model time at which the run ends, in seconds or as '30 days': says when that will be.",
)
FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)


@click.command()
@DIRECTORY
@UNTIL
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="The port of the page (default: a free one).")
@click.option("--compare", type=FOLDER, metavar="DIR", help="Another run, with which this one is compared.")
@click.option(
    "--data", type=FOLDER, multiple=True, metavar="DIR", help="Another directory with files of the run that are drawn."
)
@click.option(
    "--metrics",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Instead of a page, keep FILE up to date for node_exporter's textfile collector, until the run has ended.",
)
@click.option(
    "--every",
    type=click.FloatRange(0.1),
    default=15.0,
    show_default=True,
    metavar="SECONDS",
    help="How often FILE is written.",
)
@click.option("--once", is_flag=True, help="Write FILE once.")
def watch(
    directory: Path,
    until: float | None,
    port: int,
    compare: Path | None,
    data: tuple[Path, ...],
    metrics: Path | None,
    every: float,
    once: bool,
) -> None:
    """Show the run in DIR (default: here) in a browser: its numbers, and pictures of what it has written.

    The page is served on this machine only, and only to those who have the address that is printed. It reads files
    that the run leaves anyway. DIR is the directory of the job, or its report directory.
    """
    from tailrace.watch.serve import keep_metrics, serve_page

    if once and metrics is None:
        raise click.UsageError("--once needs --metrics; `tailrace top --once` prints the numbers")
    if metrics is not None:
        keep_metrics(directory, metrics, until=until, every=every, once=once, say=_say)
    else:
        serve_page(directory, port=port, until=until, compare=compare, more=data, say=_say)


def _say(text: str) -> None:
    click.echo(text)  # which flushes


@click.command()
@DIRECTORY
@UNTIL
@click.option("--once", is_flag=True, help="Print the numbers once, as plain text.")
def top(directory: Path, until: float | None, once: bool) -> None:
    """Show the numbers of the run in DIR (default: here) in the terminal, until q or ^C."""
    from tailrace.watch.terminal import show_live, show_once

    (show_once if once else show_live)(directory, until)
